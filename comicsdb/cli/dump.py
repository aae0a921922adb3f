"""Command `dump`: all public data at one moment, as files."""

from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import click

from comicsdb.cli.support import DAYS, Site, pass_site
from comicsdb.exchange import dump as dumps
from comicsdb.exchange.downloads import age_of_newest
from comicsdb.exchange.minisign import Key, KeyFileError
from comicsdb.i18n import _
from comicsdb.mail import Letter, Link, queue_to_administrators
from comicsdb.ops.jobs import DUMP, job_lock

MISSED = timedelta(hours=26)  # a day, plus the time by which a dump may take longer than the previous one


@click.command("dump")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--keep", metavar="DAYS", type=DAYS, help="How long to keep others; by default as set.")
@click.option(
    "--covers/--no-covers", default=None, help="Include thumbnails of all covers; by default as set."
)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; if there is no dump of the last 26 hours, mail the administrators and fail.",
)
@pass_site
def dump_command(site: Site, folder: Path | None, keep: int | None, covers: bool | None, check: bool):
    """Write all public data into a new folder below FOLDER (by default that of the settings)."""
    folder = folder or site.settings["comicsdb.dumps.folder"]
    if check:
        if folder is not None:
            _check(site, folder)
        return
    if folder is None:
        raise click.UsageError("Name a folder, or set comicsdb.dumps.folder.")
    licence = site.settings["comicsdb.licence"]
    if covers is None:
        covers = site.settings["comicsdb.dumps.covers"]
    source = dumps.SiteInfo(
        name=site.settings["comicsdb.title"],
        url=site.settings["comicsdb.base_url"],
        version=version("comicsdb"),
        licence={"name": licence.name, "url": licence.url},
    )
    try:
        with site.database() as engine, job_lock(engine, DUMP):
            key = Key.open(site.settings["comicsdb.dumps.key"])
            storage = site.storage if covers else None
            made = dumps.make(engine, folder, key, source, covers=storage, report=click.echo)
            removed = dumps.delete_older(folder, keep or site.settings["comicsdb.dumps.days"])
    except (KeyFileError, dumps.DumpError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{made}: {sum(path.stat().st_size for path in made.iterdir()):,} bytes.")
    for each in removed:
        click.echo(f"{each}: removed.")


def _check(site: Site, folder: Path) -> None:
    """Fail, and write to the administrators, if the newest dump is older than MISSED."""
    age = age_of_newest(folder)
    if age is not None and age <= MISSED:
        return
    letter = Letter(
        _("The daily dump is missing"),
        (
            _(
                "There is no dump of the catalog from the last ${hours} hours. The log of the job says"
                " why; run it again with: comicsdb dump",
                mapping={"hours": int(MISSED.total_seconds()) // 3600},
            ),
            *([Link(_("Dumps"), "/data/")] if site.settings["comicsdb.base_url"] else []),
        ),
    )
    with site.session() as session:
        queue_to_administrators(session, site.settings, letter, kind="admin_dump")
        session.commit()
    raise click.ClickException(f"The newest dump in {folder} is older than 26 hours, or there is none.")
