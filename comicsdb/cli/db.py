"""Commands `db upgrade` and `db check`: the schema of the database."""

import click

from comicsdb.cli.database import is_current, upgrade
from comicsdb.cli.support import NOT_CURRENT, Site, pass_site


@click.group("db")
def db_group():
    """Create, migrate and check the database."""


@db_group.command("upgrade")
@pass_site
def upgrade_command(site: Site):
    """Migrate the database to the latest schema; an embedded one is created if necessary."""
    with site.engine() as engine:
        was_current = is_current(engine)
        upgrade(engine)
    click.echo("The schema was already current." if was_current else "The schema is now current.")


@db_group.command("check")
@pass_site
def check_command(site: Site):
    """Check whether the schema is the one this version needs; exit code 1 if it is not."""
    with site.engine() as engine:
        if not is_current(engine):
            raise click.ClickException(NOT_CURRENT)
    click.echo("The schema is current.")
