"""The command line: `comicsdb COMMAND`, or `python -m comicsdb COMMAND`."""

import click

from comicsdb.scripts.accounts import account_group
from comicsdb.scripts.cache import cache_command
from comicsdb.scripts.db import db_group
from comicsdb.scripts.demo import demo_command
from comicsdb.scripts.donors import sync_donors_command
from comicsdb.scripts.exchange import export_command, import_command
from comicsdb.scripts.mail import mail_group
from comicsdb.scripts.serve import serve_command
from comicsdb.scripts.support import INI_VARIABLE, Commands, Site, find_ini
from comicsdb.scripts.throttle import throttle_notices_command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-c",
    "--config",
    metavar="INI",
    help=f"The ini file; by default that of {INI_VARIABLE} or ./development.ini.",
)
@click.pass_context
def main(context: click.Context, config: str | None):
    """A community comics-metadata database."""
    context.obj = Site(find_ini(config))


COMMANDS = (
    serve_command,
    import_command,
    export_command,
    demo_command,
    db_group,
    cache_command,
    account_group,
    mail_group,
    throttle_notices_command,
    sync_donors_command,
)
for command in COMMANDS:
    main.add_command(command)
