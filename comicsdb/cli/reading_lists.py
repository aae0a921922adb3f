"""Command `import-reading-lists`: reading lists from files, as public lists of the site or for an account."""

import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError
from comicsdb.cli.support import Site, error_texts, pass_site
from comicsdb.library.transfer.list_files import Outcome, import_lists, list_files, read_lists
from comicsdb.models import User
from comicsdb.security import SESSION, Identity, make_identity

ROWS, MEGABYTES = "comicsdb.imports.rows", "comicsdb.imports.megabytes"


@click.command("import-reading-lists")
@click.argument("paths", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True)
@click.option("--account", metavar="NAME", help="The owner, by default the official account of the site.")
@click.option(
    "--public/--private",
    "is_public",
    default=None,
    help="Who sees the lists; by default everybody those of the official account, and their owner others.",
)
@click.option("--skip-missing", is_flag=True, help="Leave out issues that are not in the catalog.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@pass_site
def import_reading_lists_command(
    site: Site,
    paths: tuple[Path, ...],
    account: str | None,
    is_public: bool | None,
    skip_missing: bool,
    dry_run: bool,
):
    """Add the reading lists in files, folders and ZIP archives: CBL, or JSON.

    Lists that their owner has already, by name and source, are left alone. Entries whose issues are not
    certainly in the catalog stay in their lists and become issues later, unless --skip-missing is given.
    Each file is a transaction of its own.
    """
    official = site.settings["comicsdb.official_account"]
    counted, failed = Counter(), []
    with site.session() as session:
        identity = _owner(session, account or official)
        if is_public is None:
            is_public = identity.username.lower() == official.lower()
        for name, data in _files(site, paths):
            try:
                outcome = import_lists(
                    session,
                    identity,
                    official,
                    read_lists(data, rows=site.settings[ROWS], megabytes=site.settings[MEGABYTES]),
                    about=Path(name).name,
                    is_private=not is_public,
                    skip_missing=skip_missing,
                    today=clock.business_day(site.settings["comicsdb.timezone"]),
                )
            except InvalidError as error:
                click.echo(f"{name}: {' '.join(error_texts(error))}", err=True)
                session.rollback()
                failed.append(name)
                continue
            session.rollback() if dry_run else session.commit()
            if outcome.is_refused:
                failed.append(name)
            counted += _print_outcome(name, outcome)
    click.echo(
        f"{counted['added']:,} lists with {counted['items']:,} issues added for {identity.username},"
        f" {counted['exists']:,} exist already.{' Dry run: nothing was changed.' if dry_run else ''}"
    )
    if failed:
        raise click.ClickException(f"Nothing was imported from {', '.join(failed)}.")


def _files(site: Site, paths: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    """The names and contents of all files; an archive that cannot be read ends the command."""
    try:
        yield from list_files(paths, megabytes=site.settings[MEGABYTES])
    except zipfile.BadZipFile as error:
        raise click.ClickException(f"An archive cannot be read: {error}.") from error


def _print_outcome(name: str, outcome: Outcome) -> Counter:
    """Print what became of the lists of a file; returns their numbers."""
    for row in outcome.missing:
        click.echo(f"{name}: not certainly in the catalog: {row.says}", err=True)
    if outcome.repeated:
        click.echo(f"{name}: entries that are repeated and left out: {outcome.repeated:,}", err=True)
    for list_name in outcome.added:
        click.echo(f"added   {list_name}")
    for list_name in outcome.existing:
        click.echo(f"exists  {list_name}")
    return Counter(added=len(outcome.added), exists=len(outcome.existing), items=outcome.items)


def _owner(session: Session, name: str) -> Identity:
    """The account of a name, which may here set the sources of its lists, as only staff may on the site."""
    named = select(User).where(func.lower(User.username) == name.lower(), User.is_active)
    user = session.scalar(named.options(selectinload(User.groups)))
    if user is None:
        raise click.ClickException(f"There is no active account with the name {name}.")
    return make_identity(user, SESSION)._replace(is_staff=True)
