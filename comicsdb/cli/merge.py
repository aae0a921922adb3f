"""Commands `merge` and `move-publisher`: two objects that are one, and a publisher that became an imprint."""

import click

from comicsdb import admin
from comicsdb.catalog.maintenance.merge import Preview, preview
from comicsdb.catalog.maintenance.move import MovePreview, preview_move
from comicsdb.cli.editing import DRY_RUN, REASON, editing, found, id_option, told
from comicsdb.cli.support import Site, pass_site
from comicsdb.i18n import localizer, translate
from comicsdb.models import CATALOGUE
from comicsdb.models.choices import DEFAULT_LANGUAGE

KINDS = [model.__tablename__ for model in CATALOGUE]
SHOWN = 60  # characters of a value


@click.command("merge")
@click.argument("kind", type=click.Choice(KINDS))
@id_option("canonical", "The object that stays.")
@id_option("other", "The object that is merged into it; its addresses lead there for ever.")
@REASON
@DRY_RUN
@pass_site
def merge_command(site: Site, *, kind: str, canonical_id: int, other_id: int, reason: str, dry_run: bool):
    """Merge two objects of one KIND that are the same thing.

    The canonical object gets what it lacks, but never a picture, and all that points to the other one.
    """
    with editing(site, dry_run=dry_run) as catalog:
        canonical, other = (found(catalog, kind, each) for each in (canonical_id, other_id))
        planned = preview(catalog.session, canonical, other)
        _print_merge(planned)
        _refuse(planned)
        if not dry_run:
            admin.merge_objects(catalog, None, canonical, other, reason)
    told(dry_run, f"{kind.capitalize()} {other_id} {_is(dry_run)} merged into {canonical_id}.")


@click.command("move-publisher")
@id_option("publisher", "The publisher that became an imprint.")
@id_option("parent", "The publisher whose imprint it is.")
@click.option("--with-children", is_flag=True, help="Let its universes move to the parent.")
@REASON
@DRY_RUN
@pass_site
def move_publisher_command(
    site: Site, *, publisher_id: int, parent_id: int, with_children: bool, reason: str, dry_run: bool
):
    """Make a publisher an imprint of another one: of that name, new or there already."""
    with editing(site, dry_run=dry_run) as catalog:
        publisher, parent = (found(catalog, "publisher", each) for each in (publisher_id, parent_id))
        planned = preview_move(catalog.session, publisher, parent, with_children=with_children)
        _print_move(planned)
        _refuse(planned)
        if not dry_run:
            admin.move(catalog, None, publisher, parent, with_children=with_children, reason=reason)
    told(dry_run, f"Publisher {publisher_id} {_is(dry_run)} an imprint of {parent_id} now.")


def _is(dry_run: bool) -> str:
    return "would be" if dry_run else "is"


def _refuse(planned: Preview | MovePreview) -> None:
    if planned.problems:
        english = localizer(DEFAULT_LANGUAGE)
        raise click.ClickException("\n".join(translate(english, each.told) for each in planned.problems))


def _print_merge(planned: Preview) -> None:
    click.echo(f"stays    {_named(planned.canonical)}\ngoes     {_named(planned.other)}")
    _print_values("gets", planned.filled)
    _print_names("gets the names", planned.names)
    for effect in planned.effects:
        names = ", ".join(each.label for each in effect.shown)
        click.echo(
            f"  {effect.sort}: {effect.moved:,} moved, {effect.combined:,} there already"
            f"{f' ({names})' if names else ''}"
        )
    for part, number in planned.dropped.items():
        click.echo(f"  lost: {part}, {number:,}")
    _print_names("lost, too long: the names", planned.lost_names)


def _print_move(planned: MovePreview) -> None:
    click.echo(f"goes     {_named(planned.publisher)}\nparent   {_named(planned.parent)}")
    click.echo(f"imprint  {_named(planned.imprint) if planned.imprint else 'a new one'}")
    _print_values("imprint gets", planned.values)
    names = ", ".join(each.label for each in planned.shown)
    click.echo(f"  series: {planned.series:,} moved{f' ({names})' if names else ''}")
    click.echo(f"  universes: {planned.universes:,}\n  attributions: {planned.attributions:,} moved")
    _print_values("lost", planned.lost)


def _print_values(what: str, values: dict) -> None:
    for field, value in values.items():
        text = ", ".join(value) if isinstance(value, list) else " ".join(str(value).split())
        click.echo(f"  {what}: {field} = {text if len(text) <= SHOWN else text[:SHOWN] + '…'}")


def _print_names(what: str, names) -> None:
    if names:
        click.echo(f"  {what}: {'; '.join(names)}")


def _named(entity) -> str:
    return f"{entity.label} ({entity.__tablename__} {entity.id})"
