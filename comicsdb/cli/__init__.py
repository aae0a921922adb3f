"""The command line: `comicsdb COMMAND`, or `python -m comicsdb COMMAND`."""

import atexit
import gc
from importlib import import_module

import click

gc.set_threshold(10_000, 20, 20)  # garbage collection took a quarter of a command's start
atexit.register(gc.freeze)  # avoids a final collection of all objects, which took as long

INI_VARIABLE = "COMICSDB_INI"

# Module and name of each command, and what it does in a few words. A module is imported to run its command
# or to show that command's help: importing all would take seconds.
COMMANDS = {
    "account": ("accounts.account_group", "Create accounts, grant and revoke rights."),
    "add-universe": ("catalog_commands.add_universe_command", "Put all issues of a series into a universe."),
    "alt-id-stats": (
        "catalog_commands.alt_id_stats_command",
        "Count the issues with ids of Comic Vine and GCD.",
    ),
    "annual-stats": ("statistics.annual_stats_command", "Count what was added in a year."),
    "backup": ("backup.backup_command", "Back up database and pictures."),
    "cache": ("cache.cache_command", "Empty the response cache."),
    "db": ("db.db_group", "Create, migrate and check the database."),
    "demo": ("serve.demo_command", "Copy the demo catalog into a folder."),
    "dump": ("dump.dump_command", "Write all public data into a folder."),
    "dup-credits": ("catalog_commands.dup_credits_command", "Copy the credits of an issue to others."),
    "export": ("exchange.export_command", "Write the catalog as a data set."),
    "find-bad-volumes": (
        "catalog_commands.find_bad_volumes_command",
        "List series with the same name and volume.",
    ),
    "find-changes": ("catalog_commands.find_changes_command", "List the changes of a day."),
    "finish": ("catalog_commands.finish_command", "Complete postponed merges, deletions and changes."),
    "fix-start-year": ("catalog_commands.fix_start_year_command", "Correct the first year of a series."),
    "import": ("exchange.import_command", "Import a data set."),
    "import-comicinfo": (
        "comic_files.import_comicinfo_command",
        "Read the metadata in CBZ files.",
    ),
    "import-gcd": ("gcd.import_gcd_command", "Import a dump of the Grand Comics Database."),
    "import-reading-lists": (
        "reading_lists.import_reading_lists_command",
        "Add reading lists from CBL and JSON files.",
    ),
    "mail": ("mail.mail_group", "Send queued mails."),
    "media": ("media.media_group", "Maintain the pictures."),
    "merge": ("catalog_commands.merge_command", "Merge two objects that are the same thing."),
    "mirror": ("mirror.mirror_command", "Mirror another site, and serve it read-only."),
    "monthly-site-stats": ("statistics.monthly_site_stats_command", "Count what was added in a month."),
    "move-publisher": (
        "catalog_commands.move_publisher_command",
        "Make a publisher an imprint of another one.",
    ),
    "old-anthologies": ("catalog_commands.old_anthologies_command", "Repair the issues of an old anthology."),
    "rebuild-slugs": ("catalog_commands.rebuild_slugs_command", "Give the issues of a series new slugs."),
    "restore": ("backup.restore_command", "Restore a backup into an empty database."),
    "serve": ("serve.serve_command", "Serve site and API, migrating the database first."),
    "settings": ("settings.settings_command", "Show each setting, its value and its source."),
    "sync-donors": ("accounts.sync_donors_command", "Make donors supporters."),
    "throttle-notices": ("accounts.throttle_notices_command", "Report programs that keep sending after 429."),
    "user-issue-stats": ("statistics.user_issue_stats_command", "Count the issues that each account added."),
}


class LazyGroup(click.Group):
    """The commands of `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        """The names of all commands."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of all commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(".")
        return getattr(import_module(f"{__name__}.{module}"), name)

    def invoke(self, ctx: click.Context):
        """Run a command; expected failures are one line."""
        from comicsdb.cli.support import one_line_errors  # noqa: PLC0415  (imports all tables)

        with one_line_errors():
            return super().invoke(ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-c",
    "--config",
    metavar="INI",
    help=f"The ini file; by default that of {INI_VARIABLE} or ./development.ini.",
)
def main(config: str | None):
    """A community comics-metadata database."""
