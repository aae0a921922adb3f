"""Running commands in this process, and the ini file that they read."""

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from comicsdb.catalog import Catalog
from comicsdb.cli import main
from tests.factories import Factories
from tests.serving import write_ini


@pytest.fixture
def ini(database, tmp_path):
    """An ini file for a fresh, migrated database."""
    return write_ini(tmp_path, database)


@pytest.fixture
def rows(factory):
    """A function that returns the current rows of a query, read in a new session."""

    def found(query):
        with factory() as session:
            return session.execute(text(query) if isinstance(query, str) else query).all()

    return found


@pytest.fixture
def comicsdb(ini):
    """A function that runs `comicsdb …`, checks its exit code, and returns its output."""

    def call(*words, code=0):
        result = run("-c", ini, *words)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result.output

    return call


@pytest.fixture
def open_session(factory):
    """A session on the database of the commands."""
    with factory() as session:
        yield session


@pytest.fixture
def make(open_session):
    """Factories that write to the database of the commands."""
    return Factories(Catalog(open_session))


def run(*arguments, typed: str | None = None):
    """Run a command in this process, with what somebody types."""
    return CliRunner().invoke(main, [*map(str, arguments)], input=typed)
