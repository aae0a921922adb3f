"""Commands that only tell: series that are there twice, a day's changes, ids of other databases."""

from datetime import datetime

import click

from comicsdb.catalog.maintenance.repair_reports import bad_volumes, changes_of, external_ids
from comicsdb.cli.support import Site, pass_site


@click.command("find-bad-volumes")
@pass_site
def find_bad_volumes_command(site: Site):
    """List series of one publisher with the same name and volume; annuals and books by their type."""
    with site.session() as session:
        groups = bad_volumes(session)
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
    """List what people, not the system account, changed on a day of the site."""
    zone = site.settings["comicsdb.timezone"]
    with site.session() as session:
        rows = changes_of(session, day.date(), zone)
    for row in rows:
        acts = ", ".join(sorted(set(row.actions)))
        click.echo(f"{row.last.astimezone(zone):%H:%M}  {row.kind} {row.object_id}  {acts}  {row.username}")
    click.echo(f"{len(rows):,} found.")


@click.command("alt-id-stats")
@pass_site
def alt_id_stats_command(site: Site):
    """Tell how many issues have an id of Comic Vine and of the Grand Comics Database."""
    with site.session() as session:
        numbers = external_ids(session)
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
