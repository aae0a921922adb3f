"""Command `dump`: everything public of one moment, as files."""

from importlib.metadata import version
from pathlib import Path

import click

from comicsdb.cli.support import Site, pass_site
from comicsdb.exchange import dump as dumps
from comicsdb.exchange.minisign import Key, KeyFileError
from comicsdb.ops.jobs import DUMP, AlreadyRunningError, alone


@click.command("dump")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--keep",
    metavar="DAYS",
    type=click.IntRange(1),
    help="Remove older dumps; by default as in the settings.",
)
@pass_site
def dump_command(site: Site, folder: Path | None, keep: int | None):
    """Write everything public into a new folder below FOLDER (by default that of the settings)."""
    folder = folder or site.settings["comicsdb.dumps.folder"]
    if folder is None:
        raise click.UsageError("Name a folder, or set comicsdb.dumps.folder.")
    licence = site.settings["comicsdb.licence"]
    source = dumps.Source(
        name="comicsdb",
        url=site.settings["comicsdb.base_url"],
        version=version("comicsdb"),
        licence={"name": licence.name, "url": licence.url},
    )
    try:
        with site.database() as engine, alone(engine, DUMP):
            key = Key.open(site.settings["comicsdb.dumps.key"])
            made = dumps.make(engine, folder, key, source, tell=click.echo)
            removed = dumps.drop_older(folder, keep or site.settings["comicsdb.dumps.days"])
    except AlreadyRunningError as error:
        raise click.ClickException("The command is running already.") from error
    except KeyFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{made}: {sum(path.stat().st_size for path in made.iterdir()):,} bytes.")
    for each in removed:
        click.echo(f"{each}: removed.")
