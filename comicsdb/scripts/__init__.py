"""The command line: `comicsdb COMMAND`, or `python -m comicsdb COMMAND`."""

import click

from comicsdb.scripts.accounts import account_group
from comicsdb.scripts.backup import backup_command, restore_command
from comicsdb.scripts.cache import cache_command
from comicsdb.scripts.db import db_group
from comicsdb.scripts.demo import demo_command
from comicsdb.scripts.donors import sync_donors_command
from comicsdb.scripts.exchange import export_command, import_command
from comicsdb.scripts.mail import mail_group
from comicsdb.scripts.media import media_group
from comicsdb.scripts.merge import merge_command, move_publisher_command
from comicsdb.scripts.repair import (
    add_universe_command,
    dup_credits_command,
    fix_start_year_command,
    old_anthologies_command,
    rebuild_slugs_command,
)
from comicsdb.scripts.reports import alt_id_stats_command, find_bad_volumes_command, find_changes_command
from comicsdb.scripts.serve import serve_command
from comicsdb.scripts.settings import settings_command
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
    backup_command,
    restore_command,
    settings_command,
    cache_command,
    account_group,
    mail_group,
    media_group,
    throttle_notices_command,
    sync_donors_command,
    merge_command,
    move_publisher_command,
    fix_start_year_command,
    rebuild_slugs_command,
    dup_credits_command,
    add_universe_command,
    old_anthologies_command,
    find_bad_volumes_command,
    find_changes_command,
    alt_id_stats_command,
)
for command in COMMANDS:
    main.add_command(command)
