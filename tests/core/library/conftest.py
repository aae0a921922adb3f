"""A database for the tests of concurrent writes, whose commits are real."""

from contextlib import contextmanager

import pytest

from comicsdb.db import session_factory
from tests import engines
from tests.conftest import database_copy


@pytest.fixture(scope="package")
def shared_factory(cluster, template):
    """A factory of sessions for tests that create their own accounts and issues, and only look at these."""
    with contextmanager(database_copy)(cluster, template) as url:
        engine = engines.acquire(url)
        yield session_factory(engine)
        engines.release(engine)
