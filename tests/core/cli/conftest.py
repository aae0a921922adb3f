"""Running commands in this process, and the ini file that they read."""

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from comicsdb.cli import main
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


def run(*arguments, typed: str | None = None):
    """Run a command in this process, with what somebody types."""
    return CliRunner().invoke(main, [*map(str, arguments)], input=typed)
