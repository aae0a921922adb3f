"""What commands that edit the catalogue share: the object an id names, refusals as one line, and dry runs."""

from contextlib import contextmanager

import click

from comicsdb import admin
from comicsdb.catalog import Catalog, ConflictError, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.cli.support import Site
from comicsdb.i18n import localizer, translate
from comicsdb.models.choices import DEFAULT_LANGUAGE

REFUSALS = (ConflictError, GoneError, InvalidError, MovedError, NotFoundError)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only tell what would be done.")
REASON = click.option("--reason", default="", help="Why; it stands in the history.")


def id_option(name: str, help: str, **more):  # noqa: A002  (the word that click has for it)
    """An option that takes the id of an object."""
    return click.option(f"--{name}", f"{name}_id", type=int, metavar="ID", required=True, help=help, **more)


@contextmanager
def editing(site: Site, *, dry_run: bool = False, reason: str = ""):
    """The catalogue for a command; what it did is committed at the end, unless it is a dry run.

    What is refused becomes one clear line, and nothing is changed.
    """
    with site.session() as session:
        session.info["media"] = site.storage  # pictures that nothing names any more go with the commit
        try:
            yield Catalog(session, None, reason or None)
            if dry_run:
                session.rollback()
            else:
                session.commit()
        except REFUSALS as error:
            raise click.ClickException(plainly(error)) from error


def found(catalog: Catalog, kind: str, object_id: int):
    """The object with an id; one that is no more is named with what became of it."""
    try:
        return admin.find(catalog, kind, object_id)
    except MovedError as moved:
        survivor = f"{kind} {moved.entity.id}"
        raise click.ClickException(f"The {kind} {object_id} was merged into {survivor}.") from moved


def plainly(error: Exception) -> str:
    """A refusal in English."""
    if isinstance(error, InvalidError):
        english = localizer(DEFAULT_LANGUAGE)
        return "\n".join(translate(english, text) for texts in error.errors.values() for text in texts)
    return str(error)


def told(dry_run: bool, words: str) -> None:
    """Say what was done, or that it was not."""
    click.echo(f"{words}{' Dry run: nothing was changed.' if dry_run else ''}")
