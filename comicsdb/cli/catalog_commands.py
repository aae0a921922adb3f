"""Commands that edit the catalog (merge, move, repairs), and reports on it."""

import time
from contextlib import contextmanager
from datetime import datetime

import click

from comicsdb import admin, db
from comicsdb.admin import unfinished
from comicsdb.catalog import Catalog, CatalogError, MovedError
from comicsdb.catalog.maintenance.merge import MergePreview, preview_merge
from comicsdb.catalog.maintenance.move import MovePreview, preview_move
from comicsdb.catalog.maintenance.repair_reports import (
    changes_on_day,
    count_external_ids,
    find_duplicate_volumes,
)
from comicsdb.cli.support import Site, error_texts, pass_site
from comicsdb.i18n import in_english
from comicsdb.models import CATALOG
from comicsdb.models.choices import YEARS
from comicsdb.ops.jobs import AlreadyRunningError

DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show what would be done.")
REASON = click.option("--reason", default="", help="Why; shown in the history.")


def id_option(name: str, help: str, **more):  # noqa: A002  (click's name for it)
    """An option that takes the id of an object."""
    return click.option(f"--{name}", f"{name}_id", type=int, metavar="ID", required=True, help=help, **more)


@contextmanager
def edit_catalog(site: Site, *, dry_run: bool = False, reason: str = ""):
    """The catalog for a command; changes are committed at the end, unless it is a dry run.

    Errors become a one-line message, and nothing is changed.
    """
    with site.session() as session:
        session.info["media"] = site.storage  # used to remove unreferenced pictures after the commit
        try:
            yield Catalog(session, None, reason or None)
            if dry_run:
                session.rollback()
            else:
                session.commit()
        except CatalogError as error:
            raise click.ClickException("\n".join(error_texts(error))) from error


def find_or_fail(catalog: Catalog, kind: str, object_id: int):
    """The object with an id; raises ClickException, naming the survivor of a merged one."""
    try:
        return admin.find(catalog, kind, object_id)
    except MovedError as moved:
        survivor = f"{kind} {moved.entity.id}"
        raise click.ClickException(f"The {kind} {object_id} was merged into {survivor}.") from moved


def echo_result(dry_run: bool, words: str) -> None:
    """Print what was done, or that it was a dry run."""
    click.echo(f"{words}{' Dry run: nothing was changed.' if dry_run else ''}")


KINDS = [model.__tablename__ for model in CATALOG]
SHOWN = 60  # maximum length of displayed values


@click.command("merge")
@click.argument("kind", type=click.Choice(KINDS))
@id_option("canonical", "The object that stays.")
@id_option("other", "The object that is merged into it; its addresses lead there for ever.")
@REASON
@DRY_RUN
@pass_site
def merge_command(site: Site, *, kind: str, canonical_id: int, other_id: int, reason: str, dry_run: bool):
    """Merge two objects of one KIND that are the same thing.

    The canonical object gets the values it lacks, but never a picture, and all references to the other
    object.
    """
    left = False
    with edit_catalog(site, dry_run=dry_run) as catalog:
        canonical, other = (find_or_fail(catalog, kind, each) for each in (canonical_id, other_id))
        planned = preview_merge(catalog.session, canonical, other)
        _print_merge(planned)
        _refuse(planned)
        if not dry_run:
            left = not admin.merge_objects(catalog, None, canonical, other, reason)
    if left:
        finish(site)
    echo_result(
        dry_run, f"{kind.capitalize()} {other_id} {_is_or_would_be(dry_run)} merged into {canonical_id}."
    )


@click.command("move-publisher")
@id_option("publisher", "The publisher that becomes an imprint.")
@id_option("parent", "The publisher whose imprint it is.")
@click.option("--with-children", is_flag=True, help="Let its universes move to the parent.")
@REASON
@DRY_RUN
@pass_site
def move_publisher_command(
    site: Site, *, publisher_id: int, parent_id: int, with_children: bool, reason: str, dry_run: bool
):
    """Make a publisher an imprint of another one: a new imprint, or an existing one of that name."""
    with edit_catalog(site, dry_run=dry_run) as catalog:
        publisher, parent = (find_or_fail(catalog, "publisher", each) for each in (publisher_id, parent_id))
        planned = preview_move(catalog.session, publisher, parent, with_children=with_children)
        _print_move(planned)
        _refuse(planned)
        if not dry_run:
            admin.move(catalog, None, publisher, parent, with_children=with_children, reason=reason)
    echo_result(
        dry_run, f"Publisher {publisher_id} {_is_or_would_be(dry_run)} an imprint of {parent_id} now."
    )


def _is_or_would_be(dry_run: bool) -> str:
    return "would be" if dry_run else "is"


def _refuse(planned: MergePreview | MovePreview) -> None:
    if planned.problems:
        raise click.ClickException("\n".join(in_english(each.message) for each in planned.problems))


def _print_merge(planned: MergePreview) -> None:
    click.echo(f"stays    {_described(planned.canonical)}\ngoes     {_described(planned.other)}")
    _print_values("gets", planned.filled)
    _print_names("gets the names", planned.names)
    for effect in planned.effects:
        names = ", ".join(each.label for each in effect.shown)
        click.echo(
            f"  {effect.row_name}: {effect.moved:,} moved, {effect.combined:,} there already"
            f"{f' ({names})' if names else ''}"
        )
    for part, number in planned.dropped.items():
        click.echo(f"  lost: {part}, {number:,}")
    _print_names("lost, too long: the names", planned.lost_names)


def _print_move(planned: MovePreview) -> None:
    click.echo(f"goes     {_described(planned.publisher)}\nparent   {_described(planned.parent)}")
    click.echo(f"imprint  {_described(planned.imprint) if planned.imprint else 'a new one'}")
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


def _described(entity) -> str:
    return f"{entity.label} ({entity.__tablename__} {entity.id})"


@click.command("fix-start-year")
@id_option("series", "The series.")
@click.option("--year", type=click.IntRange(*YEARS), required=True, help="The year in which it began.")
@DRY_RUN
@pass_site
def fix_start_year_command(site: Site, series_id: int, year: int, dry_run: bool):
    """Correct the first year of a series, its slug and those of its issues; old addresses redirect."""
    with edit_catalog(site, dry_run=dry_run, reason=f"Began in {year}") as catalog:
        series = find_or_fail(catalog, "series", series_id)
        before = series.year_began
        own, of_issues = admin.fix_start_year(catalog, None, series, year, at_once=dry_run)
        _print_slugs("series", own)
    _print_issues(site, of_issues)
    echo_result(dry_run, f"Series {series_id} began in {year}, not {before}.")


@click.command("rebuild-slugs")
@id_option("series", "The series whose issues get new slugs.")
@DRY_RUN
@pass_site
def rebuild_slugs_command(site: Site, series_id: int, dry_run: bool):
    """Give the issues of a series the slugs that new ones would get; old addresses redirect."""
    with edit_catalog(site, dry_run=dry_run, reason="Rebuilt slugs") as catalog:
        series = find_or_fail(catalog, "series", series_id)
        changed = admin.rebuild_slugs(catalog, None, series, at_once=dry_run)
    number = _print_issues(site, changed)
    echo_result(dry_run, f"{number:,} slugs changed.")


@click.command("dup-credits")
@id_option("from", "The issue whose credits are copied.")
@click.option("--to", "to_ids", type=int, metavar="ID", multiple=True, help="An issue that gets them.")
@click.argument("more", type=int, metavar="[ID]...", nargs=-1)
@DRY_RUN
@pass_site
def dup_credits_command(
    site: Site, from_id: int, to_ids: tuple[int, ...], more: tuple[int, ...], dry_run: bool
):
    """Copy the credits of an issue to others: `--from 1 --to 2 3 4`.

    Creators who are already credited there stay as they are; credits for the cover alone are not copied.
    """
    wanted = list(dict.fromkeys((*to_ids, *more)))
    if not wanted:
        raise click.UsageError("Name the issues that get the credits: --to ID...")
    with edit_catalog(site, dry_run=dry_run, reason=f"Credits as of issue {from_id}") as catalog:
        source = find_or_fail(catalog, "issue", from_id)
        targets = [find_or_fail(catalog, "issue", each) for each in wanted]
        labels = {each.id: each.label for each in targets}
        copied = admin.copy_credits(catalog, None, source, targets)
    for each, number in copied.items():
        click.echo(f"{labels[each]} ({each}): {number:,}")
    echo_result(dry_run, f"{sum(copied.values()):,} credits copied.")


@click.command("add-universe")
@id_option("series", "The series.")
@id_option("universe", "The universe.")
@click.option("--characters", is_flag=True, help="Also the characters in its issues.")
@DRY_RUN
@pass_site
def add_universe_command(site: Site, series_id: int, universe_id: int, characters: bool, dry_run: bool):
    """Put all issues of a series into a universe."""
    with edit_catalog(
        site, dry_run=dry_run, reason=f"Universe {universe_id} for series {series_id}"
    ) as catalog:
        series = find_or_fail(catalog, "series", series_id)
        universe = find_or_fail(catalog, "universe", universe_id)
        added = admin.add_universe(catalog, None, series, universe, characters=characters, at_once=dry_run)
    if added is None:
        added = finish(site)
    echo_result(
        dry_run, f"{added.get('issue', 0):,} issues and {added.get('character', 0):,} characters added."
    )


@click.command("old-anthologies")
@id_option("series", "The series.")
@click.option("--fix-credits", is_flag=True, help="Writer becomes Story; Penciller and Inker become Artist.")
@click.option("--delete-desc", is_flag=True, help="Clear the descriptions of its issues.")
@DRY_RUN
@pass_site
def old_anthologies_command(site: Site, series_id: int, fix_credits: bool, delete_desc: bool, dry_run: bool):
    """Repair the issues of an old anthology; without options, nothing is done."""
    with edit_catalog(site, dry_run=dry_run, reason="Repaired as an old anthology") as catalog:
        series = find_or_fail(catalog, "series", series_id)
        done = {"credits": 0, "descriptions": 0}
        if fix_credits or delete_desc:
            done = admin.repair_anthology(
                catalog, None, series, roles=fix_credits, descriptions=delete_desc, at_once=dry_run
            )
    if done is None:
        done = {"credits": 0, "descriptions": 0} | finish(site)
    echo_result(
        dry_run,
        f"Credits of {done['credits']:,} and descriptions of {done['descriptions']:,} issues changed.",
    )


def _print_slugs(kind: str, changed: dict[int, tuple[str, str]]) -> None:
    for each, (old, new) in changed.items():
        click.echo(f"{kind} {each}: {old} → {new}")


def _print_issues(site: Site, changed: dict[int, tuple[str, str]] | None) -> int:
    """Print the changed slugs of issues; very many are changed here, and only their number is printed."""
    if changed is None:
        number = finish(site).get("slugs", 0)
        click.echo(f"issues: {number:,} new slugs")
        return number
    _print_slugs("issue", changed)
    return len(changed)


@click.command("finish")
@pass_site
def finish_command(site: Site):
    """Complete postponed work: merges, deletions and changes of very many objects.

    Needed if no server process does it (setting comicsdb.acts.worker), or none is running.
    """
    with site.database() as engine:
        try:
            done = unfinished.run_unfinished(db.session_factory(engine), site.storage)
        except AlreadyRunningError:
            click.echo("Another process is doing it.")
            return
    click.echo(f"{len(done):,} done.")


def finish(site: Site) -> dict[str, int]:
    """Complete postponed work, after other processes that do; returns the counts of the last task, if any."""
    with site.database() as engine:
        while True:
            try:
                done = unfinished.run_unfinished(db.session_factory(engine), site.storage)
            except AlreadyRunningError:
                time.sleep(1)
            else:
                return next(reversed(done.values()), {})


@click.command("find-bad-volumes")
@pass_site
def find_bad_volumes_command(site: Site):
    """List series of one publisher with the same name and volume; annuals and books by their type."""
    with site.session() as session:
        groups = find_duplicate_volumes(session)
    for group in groups:
        first = group[0]
        click.echo(f"{first.publisher.name}: {first.name}, volume {first.volume}")
        for each in group:
            click.echo(f"  {each.id:>8}  {each.label}, {each.series_type.name}")
    click.echo(f"{len(groups):,} found.")


@click.command("find-changes")
@click.option("--date", "day", type=click.DateTime(["%Y-%m-%d"]), required=True, metavar="YYYY-MM-DD")
@pass_site
def find_changes_command(site: Site, day: datetime):
    """List the changes of a day in the site's time zone, except those by the system account."""
    zone = site.settings["comicsdb.timezone"]
    with site.session() as session:
        rows = changes_on_day(session, day.date(), zone)
    for row in rows:
        acts = ", ".join(sorted(set(row.actions)))
        click.echo(f"{row.last.astimezone(zone):%H:%M}  {row.kind} {row.object_id}  {acts}  {row.username}")
    click.echo(f"{len(rows):,} found.")


@click.command("alt-id-stats")
@pass_site
def alt_id_stats_command(site: Site):
    """Count the issues that have an id of Comic Vine and of the Grand Comics Database."""
    with site.session() as session:
        numbers = count_external_ids(session)
    total = numbers["issues"]
    click.echo(f"{'issues':<24}{total:>12,}")
    for name, number in (
        ("Comic Vine", numbers["cv_id"]),
        ("without Comic Vine", total - numbers["cv_id"]),
        ("GCD", numbers["gcd_id"]),
        ("without GCD", total - numbers["gcd_id"]),
        ("both", numbers["both"]),
        ("neither", numbers["neither"]),
    ):
        share = f"{number / total:.1%}" if total else "–"
        click.echo(f"{name:<24}{number:>12,}{share:>8}")
