"""Commands `media`: comparing the stored pictures with the rows that refer to them."""

from datetime import timedelta

import click

from comicsdb.catalog.maintenance.cover_hashes import add_missing_hashes
from comicsdb.cli.support import DAYS, Site, pass_site
from comicsdb.log_lines import escaped
from comicsdb.media.sweeping import missing, sweep, without_thumbnails
from comicsdb.media.thumbnails import make_missing
from comicsdb.ops.jobs import MEDIA, job_lock

SAFE = 24  # hours; no upload or import takes longer


@click.group("media")
def media_group():
    """Maintain the pictures."""


@media_group.command("sweep")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@click.option(
    "--older-than",
    metavar="HOURS",
    type=click.FloatRange(0, DAYS.max * 24),
    default=SAFE,
    show_default=True,
    help="Keep newer files: uploads store a file before its row. Use 0 only while nothing is written.",
)
@pass_site
def sweep_command(site: Site, dry_run: bool, older_than: float):
    """Remove pictures and thumbnails that no row refers to; may run every day."""
    number = 0
    with site.database() as engine, job_lock(engine, MEDIA), _autocommit_connection(engine) as connection:
        for entry in sweep(connection, site.storage, timedelta(hours=older_than), dry_run=dry_run):
            click.echo(escaped(entry.name))
            number += 1
    what = f"{number:,} {'file' if number == 1 else 'files'} that no row names"
    click.echo(f"{what}. Dry run: nothing was removed." if dry_run else f"{what}, removed.")


@media_group.command("check")
@pass_site
def check_command(site: Site):
    """List rows whose picture is missing; exit code 1 if there are any."""
    number = 0
    with site.database() as engine, _autocommit_connection(engine) as connection:
        for owner in missing(connection, site.storage):
            click.echo(escaped(f"{owner.table} {owner.id}: {owner.key}"))
            number += 1
    if number:
        raise click.ClickException(
            f"{number:,} {'row has' if number == 1 else 'rows have'} lost the picture."
        )
    click.echo("Every row has its picture.")


@media_group.command("thumbnails")
@pass_site
def thumbnails_command(site: Site):
    """Make missing thumbnails, as of imported covers; exit code 1 if a picture cannot be opened."""
    done = unreadable = 0
    with site.database() as engine, _autocommit_connection(engine) as connection:
        for key in without_thumbnails(connection, site.storage):
            if make_missing(site.storage, key):
                done += 1
            else:
                unreadable += 1
    click.echo(f"{done:,} {'picture' if done == 1 else 'pictures'} got thumbnails.")
    if unreadable:
        raise click.ClickException(f"{unreadable:,} cannot be opened; the log names them.")


@media_group.command("hash")
@pass_site
def hash_command(site: Site):
    """Add missing perceptual hashes of covers; exit code 1 if any cover cannot be opened."""
    done = unreadable = 0
    with site.session() as session:
        for hashed, failed in add_missing_hashes(session, site.storage):
            done, unreadable = done + hashed, unreadable + failed
    click.echo(f"{done:,} {'cover' if done == 1 else 'covers'} hashed.")
    if unreadable:
        raise click.ClickException(f"{unreadable:,} cannot be opened; the log names them.")


def _autocommit_connection(engine):
    """A connection in autocommit mode."""
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")
