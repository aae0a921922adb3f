"""The command line: `comicsdb COMMAND`, or `python -m comicsdb COMMAND`."""

import click

from comicsdb.scripts.cache import cache_command
from comicsdb.scripts.db import db_group
from comicsdb.scripts.demo import demo_command
from comicsdb.scripts.exchange import export_command, import_command
from comicsdb.scripts.serve import serve_command
from comicsdb.scripts.support import INI_VARIABLE, Commands, Site, find_ini


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


for command in (serve_command, import_command, export_command, demo_command, db_group, cache_command):
    main.add_command(command)
