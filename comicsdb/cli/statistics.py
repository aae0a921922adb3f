"""Reports on what was added: in a year, in a month, and by whom."""

from datetime import date

import click

from comicsdb import clock
from comicsdb.cli.support import Site, pass_site
from comicsdb.clock import first_of_month
from comicsdb.community.statistics import count_added, issues_by_account
from comicsdb.models import CATALOG, Character, Creator, Issue, ReadingList, User

YEARS = click.IntRange(1900, 9998)
NAMES = {"user_account": "users", "series": "series"}


def _print_added(site: Site, models: tuple[type, ...], begin: date, end: date) -> None:
    """Print how many objects of each kind were added from a day until before another."""
    with site.session() as session:
        counts = count_added(session, models, site.settings["comicsdb.timezone"], begin, end)
    for kind, count in counts.items():
        name = NAMES.get(kind) or f"{kind.replace('_', ' ')}s"
        click.echo(f"{name:<24}{count:>12,}")


@click.command("annual-stats")
@click.argument("year", type=YEARS)
@pass_site
def annual_stats_command(site: Site, year: int):
    """Count the accounts and the objects of the catalog that were added in YEAR (site's time zone)."""
    _print_added(site, (User, *CATALOG), date(year, 1, 1), date(year + 1, 1, 1))


@click.command("monthly-site-stats")
@click.option("--month", type=click.IntRange(1, 12), help="By default the last month that is over.")
@click.option("--year", type=YEARS, help="By default the year of that month.")
@pass_site
def monthly_site_stats_command(site: Site, month: int | None, year: int | None):
    """Count the accounts, issues, creators, characters and reading lists that were added in a month."""
    last = first_of_month(clock.business_day(site.settings["comicsdb.timezone"]), 1)
    begin = date(year or last.year, month or last.month, 1)
    click.echo(f"{begin:%Y-%m}")
    end = first_of_month(begin, -1)
    _print_added(site, (User, Issue, Creator, Character, ReadingList), begin, end)


@click.command("user-issue-stats")
@pass_site
def user_issue_stats_command(site: Site):
    """Count the issues that each account added, most first."""
    with site.session() as session:
        rows = issues_by_account(session)
    for username, count in rows:
        click.echo(f"{username:<24}{count:>12,}")
    click.echo(f"{len(rows):,} accounts, {sum(count for _username, count in rows):,} issues.")
