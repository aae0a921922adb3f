"""Commands `backup` and `restore`: database and pictures together."""

from pathlib import Path

import click

from comicsdb.cli.cache import clear_cache
from comicsdb.cli.database import is_current
from comicsdb.cli.support import DAYS, NOT_CURRENT, Site, pass_site
from comicsdb.ops import backup as backups
from comicsdb.ops.jobs import BACKUP, job_lock


@click.command("backup")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--keep", metavar="DAYS", type=DAYS, help="Remove older backups afterwards.")
@pass_site
def backup_command(site: Site, folder: Path, keep: int | None):
    """Back up database and pictures into a new folder below FOLDER, while the site keeps running."""
    with site.database() as engine, job_lock(engine, BACKUP):
        made = backups.make(engine, site.storage, folder, tell=click.echo)
        removed = backups.drop_older(folder, keep) if keep else []
    label = made.backup.label
    click.echo(f"{made.backup.folder}: {label.dump_bytes:,} bytes of dump, {label.pictures:,} pictures.")
    for each in removed:
        click.echo(f"{each}: removed.")
    if made.lost:
        raise click.ClickException(
            f"The backup was made, but the storage has lost {len(made.lost):,} pictures that rows name:"
            " `comicsdb media check` lists them."
        )


@click.command("restore")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--force", is_flag=True, help="Replace what is in the database; pictures are added.")
@pass_site
def restore_command(site: Site, folder: Path, force: bool):
    """Restore the backup in FOLDER into an empty database; stop the servers first."""
    backup = backups.Backup.open(folder)
    with site.engine() as engine, job_lock(engine, BACKUP):
        pictures = backups.restore(engine, site.storage, backup, force=force, tell=click.echo)
        current = is_current(engine)
    click.echo(f"Restored as of {backup.label.made}.")
    if not current:
        click.echo(NOT_CURRENT)
    clear_cache(site)
    if pictures < backup.label.pictures:
        raise click.ClickException(
            f"The database was restored, but the folder has {pictures:,} of the backup's"
            f" {backup.label.pictures:,} pictures: copy the others, and restore again with --force."
        )
