"""Commands that repair: first years and slugs, credits of several issues, a universe for a series."""

import click

from comicsdb import admin
from comicsdb.cli.editing import DRY_RUN, editing, found, id_option, told
from comicsdb.cli.support import Site, pass_site
from comicsdb.models.choices import YEARS


@click.command("fix-start-year")
@id_option("series", "The series.")
@click.option("--year", type=click.IntRange(*YEARS), required=True, help="The year in which it began.")
@DRY_RUN
@pass_site
def fix_start_year_command(site: Site, series_id: int, year: int, dry_run: bool):
    """Correct the first year of a series, with its slug and those of its issues; old addresses lead there."""
    with editing(site, dry_run=dry_run, reason=f"Began in {year}") as catalog:
        series = found(catalog, "series", series_id)
        before = series.year_began
        _print_slugs(admin.fix_start_year(catalog, None, series, year))
    told(dry_run, f"Series {series_id} began in {year}, not {before}.")


@click.command("rebuild-slugs")
@id_option("series", "The series whose issues get new slugs.")
@DRY_RUN
@pass_site
def rebuild_slugs_command(site: Site, series_id: int, dry_run: bool):
    """Give the issues of a series the slugs that new ones would get; old addresses lead there."""
    with editing(site, dry_run=dry_run, reason="Rebuilt slugs") as catalog:
        changed = admin.rebuild_slugs(catalog, None, found(catalog, "series", series_id))
        _print_slugs(changed)
    told(dry_run, f"{len(changed):,} slugs changed.")


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

    Creators who are credited there already stay as they are; credits for the cover alone are not copied.
    """
    wanted = list(dict.fromkeys((*to_ids, *more)))
    if not wanted:
        raise click.UsageError("Name the issues that get the credits: --to ID...")
    with editing(site, dry_run=dry_run, reason=f"Credits as of issue {from_id}") as catalog:
        source = found(catalog, "issue", from_id)
        targets = [found(catalog, "issue", each) for each in wanted]
        labels = {each.id: each.label for each in targets}
        copied = admin.copy_credits(catalog, None, source, targets)
    for each, number in copied.items():
        click.echo(f"{labels[each]} ({each}): {number:,}")
    told(dry_run, f"{sum(copied.values()):,} credits copied.")


@click.command("add-universe")
@id_option("series", "The series.")
@id_option("universe", "The universe.")
@click.option("--characters", is_flag=True, help="Also the characters in its issues.")
@DRY_RUN
@pass_site
def add_universe_command(site: Site, series_id: int, universe_id: int, characters: bool, dry_run: bool):
    """Put all issues of a series into a universe."""
    with editing(site, dry_run=dry_run, reason=f"Universe {universe_id} for series {series_id}") as catalog:
        series = found(catalog, "series", series_id)
        universe = found(catalog, "universe", universe_id)
        added = admin.add_universe(catalog, None, series, universe, characters=characters)
    told(dry_run, f"{added['issue']:,} issues and {added.get('character', 0):,} characters added.")


@click.command("old-anthologies")
@id_option("series", "The series.")
@click.option("--fix-credits", is_flag=True, help="Writer becomes Story; Penciller and Inker become Artist.")
@click.option("--delete-desc", is_flag=True, help="Clear the descriptions of its issues.")
@DRY_RUN
@pass_site
def old_anthologies_command(site: Site, series_id: int, fix_credits: bool, delete_desc: bool, dry_run: bool):
    """Repair the issues of an old anthology; without an option nothing is done."""
    with editing(site, dry_run=dry_run, reason="Repaired as an old anthology") as catalog:
        series = found(catalog, "series", series_id)
        done = {"credits": 0, "descriptions": 0}
        if fix_credits or delete_desc:
            done = admin.repair_anthology(catalog, None, series, roles=fix_credits, descriptions=delete_desc)
    told(
        dry_run,
        f"Credits of {done['credits']:,} and descriptions of {done['descriptions']:,} issues changed.",
    )


def _print_slugs(changed: dict[str, tuple[str, str]]) -> None:
    for name, (old, new) in changed.items():
        click.echo(f"{name}: {old} → {new}")
