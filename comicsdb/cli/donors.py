"""Command `sync-donors`: read contributions from the donation platform, and make their donors supporters."""

from datetime import UTC, datetime

import click

from comicsdb.accounts.supporters import FetchError, Terms, begin, contributions, process
from comicsdb.cli.support import Site, pass_site
from comicsdb.ops.jobs import DONATIONS, AlreadyRunningError, alone


@click.command("sync-donors")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Read contributions from this day on (UTC); by default from a day before the newest that is known.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would come of it.")
@pass_site
def sync_donors_command(site: Site, since: datetime | None, dry_run: bool):
    """Make donors supporters, by the confirmed addresses of their accounts; may run every hour."""
    settings = site.settings
    if not settings["comicsdb.donations.collective"]:
        raise click.ClickException("The setting comicsdb.donations.collective names no collective.")
    terms = Terms(settings["comicsdb.donations.tiers"], settings["comicsdb.donations.yearly"])
    try:
        with site.session() as session, alone(session.get_bind(), DONATIONS):
            beginning = since.replace(tzinfo=UTC) if since else begin(session)
            session.rollback()  # nothing is held while the platform takes its time
            gifts = contributions(settings, beginning)
            outcomes = process(session, gifts, terms, dry_run=dry_run)
    except AlreadyRunningError as error:
        raise click.ClickException("The command is running already.") from error
    except FetchError as error:
        raise click.ClickException(f"Nothing was done, as the donation platform failed: {error}") from error
    click.echo(f"{len(gifts):,} contributions since {beginning:%Y-%m-%d}")
    for outcome, number in outcomes.items():
        click.echo(f"{outcome:<20}{number:>8,}")
    if dry_run:
        click.echo("Dry run: nothing was changed.")
