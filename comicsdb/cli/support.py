"""Shared parts of all commands: the ini file, the database, and one-line messages for expected failures."""

import os
from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import click
import psycopg
from psycopg.errors import FeatureNotSupported, InsufficientPrivilege, ReadOnlySqlTransaction
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError

from comicsdb import db
from comicsdb.accounts import passwords
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog.errors import CatalogError, InvalidError
from comicsdb.cli import INI_VARIABLE
from comicsdb.cli.database import is_current
from comicsdb.config import SettingsError, parse_settings
from comicsdb.db.dev_cluster import EmbeddedError
from comicsdb.exchange.exporting import ExportFailedError
from comicsdb.i18n import in_english
from comicsdb.media import from_settings
from comicsdb.media.storage import Storage
from comicsdb.ops.backup import BackupError
from comicsdb.ops.ini import ini_loader
from comicsdb.ops.jobs import AlreadyRunningError
from comicsdb.problems import ImportFailedError

DEFAULT_INI = "development.ini"
DAYS = click.IntRange(1, 36_500)  # up to a hundred years, as the dates of Python begin with the year 1
NOT_CURRENT = "The schema is not the one this version needs: run `comicsdb db upgrade`."
EXPECTED_ERRORS = (
    AlreadyRunningError,
    BackupError,
    ImportFailedError,
    ExportFailedError,
    SettingsError,
    EmbeddedError,
    OSError,
)
REFUSALS = (InsufficientPrivilege, FeatureNotSupported)  # such as an extension that is not installed


@contextmanager
def one_line_errors():
    """End expected failures of a command with a one-line message and exit code 1."""
    try:
        yield
    except BrokenPipeError:  # nobody reads the output any more; click ends the process without a message
        raise
    except EXPECTED_ERRORS as error:
        raise click.ClickException(str(error)) from error
    except (DBAPIError, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        first = str(cause).strip().partition("\n")[0]
        if isinstance(cause, psycopg.OperationalError):
            raise click.ClickException(f"The database does not answer: {first}") from error
        if isinstance(cause, ReadOnlySqlTransaction):
            raise click.ClickException(f"The database refuses this: {first} (is it a replica?).") from error
        if isinstance(cause, REFUSALS):
            raise click.ClickException(
                f"The database refuses this: {first} (docs/deploy.md says how to create it)."
            ) from error
        raise


def error_texts(error: CatalogError) -> list[str]:
    """The texts of an error, in English."""
    if isinstance(error, InvalidError):
        return [in_english(text) for texts in error.errors.values() for text in texts]
    return [str(error)]


def find_ini(named: str | None) -> Path:
    """The ini file of the option, else of COMICSDB_INI, else ./development.ini."""
    named = named or os.environ.get(INI_VARIABLE) or DEFAULT_INI
    path = Path(named)
    if not path.is_file():
        raise click.ClickException(
            f"There is no ini file {named}: name one with --config or the variable {INI_VARIABLE}."
        )
    return path


def _check_encoding(driver, _record) -> None:
    encoding = driver.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        driver.close()
        raise click.ClickException(
            f"The database has the encoding {encoding}, but needs UTF8: create it anew with --encoding UTF8"
            " (docs/deploy.md says how)."
        )


class Site:
    """The site of an ini file, for commands; its parts are opened on demand."""

    def __init__(self, ini: Path):
        self.ini = ini
        self.raw_settings = dict(ini_loader(ini).get_wsgi_app_settings())
        self.settings = parse_settings(self.raw_settings)

    @property
    def storage(self) -> Storage:
        """The storage of pictures."""
        return from_settings(self.settings)

    @property
    def passwords(self) -> Passwords:
        """The password hasher of the settings."""
        return passwords.from_settings(self.settings)

    @contextmanager
    def engine(self, url: str | None = None):
        """An engine on the site's database, or another; closed afterwards."""
        settings = self.settings if url is None else {**self.settings, "sqlalchemy.url": url}
        engine: Engine = db.make_engine(settings)
        event.listen(engine, "connect", _check_encoding, insert=True)  # before SQLAlchemy reads texts from it
        try:
            yield engine
        finally:
            engine.dispose()

    @contextmanager
    def database(self):
        """An engine on the site's database, whose schema must be current; closed afterwards."""
        with self.engine() as engine:
            if not is_current(engine):
                raise click.ClickException(NOT_CURRENT)
            yield engine

    @contextmanager
    def session(self):
        """A session on the site's database, whose schema must be current."""
        with self.database() as engine, db.session_factory(engine)() as session:
            yield session


def pass_site(command: Callable) -> Callable:
    """Give a command the site of the ini file, which is read when the command runs: help needs none."""

    @click.pass_context
    @wraps(command)
    def run(context: click.Context, *arguments, **options):
        site = Site(find_ini(context.find_root().params["config"]))
        return context.invoke(command, site, *arguments, **options)

    return run
