"""The command line: `comicsdb COMMAND`, or `python -m comicsdb COMMAND`."""

import atexit
import gc
from importlib import import_module

import click

gc.set_threshold(10_000, 20, 20)  # garbage collection took a quarter of a command's start
atexit.register(gc.freeze)  # avoids a final collection of all objects, which took as long

from comicsdb.cli.support import INI_VARIABLE, CommandGroup, Site, find_ini  # noqa: E402  (after set_threshold)

# Module and name of each command; modules are imported on demand, as importing all would take seconds.
COMMANDS = {
    "account": "accounts.account_group",
    "add-universe": "catalogue.add_universe_command",
    "alt-id-stats": "catalogue.alt_id_stats_command",
    "backup": "backup.backup_command",
    "cache": "cache.cache_command",
    "db": "db.db_group",
    "demo": "serve.demo_command",
    "dump": "dump.dump_command",
    "dup-credits": "catalogue.dup_credits_command",
    "export": "exchange.export_command",
    "find-bad-volumes": "catalogue.find_bad_volumes_command",
    "find-changes": "catalogue.find_changes_command",
    "finish": "catalogue.finish_command",
    "fix-start-year": "catalogue.fix_start_year_command",
    "import": "exchange.import_command",
    "import-comicinfo": "comic_files.import_comicinfo_command",
    "import-gcd": "gcd.import_gcd_command",
    "mail": "mail.mail_group",
    "media": "media.media_group",
    "merge": "catalogue.merge_command",
    "mirror": "mirror.mirror_command",
    "move-publisher": "catalogue.move_publisher_command",
    "old-anthologies": "catalogue.old_anthologies_command",
    "rebuild-slugs": "catalogue.rebuild_slugs_command",
    "restore": "backup.restore_command",
    "serve": "serve.serve_command",
    "settings": "settings.settings_command",
    "sync-donors": "accounts.sync_donors_command",
    "throttle-notices": "accounts.throttle_notices_command",
}


class LazyGroup(CommandGroup):
    """The commands of `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(".")
        return getattr(import_module(f"{__name__}.{module}"), name)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-c",
    "--config",
    metavar="INI",
    help=f"The ini file; by default that of {INI_VARIABLE} or ./development.ini.",
)
@click.pass_context
def main(context: click.Context, config: str | None):
    """A community comics-metadata database."""
    if context.invoked_subcommand != "mirror":  # a mirror has an ini file in its folder
        context.obj = Site(find_ini(config))
