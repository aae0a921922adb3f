"""One survey of the application for all tests of the folder, which take back what they write."""

from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from tests.conftest import SAVEPOINT_MODE, client_on, rolled_back_connection
from tests.factories import Factories
from tests.web.addresses import keep_library
from tests.web.conftest import PASSWORD, start_session, world_engine, world_keys
from tests.worst.asking import Asker
from tests.worst.places import Survey

__all__ = ["world_engine", "world_keys"]


@pytest.fixture(scope="module")
def stage(wsgi, world_engine, world_keys):
    """An asker and a survey: the small catalogue of the site's tests, and a member who may do everything."""
    with (
        contextmanager(rolled_back_connection)(world_engine) as connection,
        client_on(wsgi, connection) as testapp,
    ):
        factory = session_factory(connection)
        factory.configure(**SAVEPOINT_MODE)
        with factory() as session:
            world = SimpleNamespace(**{name: session.get_one(*key) for name, key in world_keys.items()})
            member = Factories(Catalog(session)).user("Nora", password=PASSWORD, passwords=Passwords("fast"))
            kept = keep_library(session, member, world)
            member.is_staff = member.is_superuser = True
            session.commit()
            start_session(testapp, member)
            with closing(Asker(wsgi, connection, testapp.cookies["session"])) as asker:
                yield asker, Survey(wsgi, session, world, kept, asker)


@pytest.fixture
def survey(stage) -> Survey:
    """Every route with an address, its parameters, fields and forms."""
    return stage[1]


@pytest.fixture
def asker(stage):
    """Asks the application as anybody, or as the member, and measures what that costs."""
    stage[0].begin()
    return stage[0]
