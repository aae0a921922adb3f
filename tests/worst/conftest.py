"""Fixtures: a survey of the application, made once for all tests, whose writes are rolled back."""

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
from tests.worst.measuring import MeasuringClient
from tests.worst.places import Survey

__all__ = ["world_engine", "world_keys"]


@pytest.fixture(scope="module")
def client_and_survey(wsgi, world_engine, world_keys):
    """A client and a survey of the site tests' small catalogue, with a member who may do everything."""
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
            with closing(MeasuringClient(wsgi, connection, testapp.cookies["session"])) as client:
                yield client, Survey(wsgi, session, world, kept, client)


@pytest.fixture
def survey(client_and_survey) -> Survey:
    """Every route with an address, its parameters, fields and forms."""
    return client_and_survey[1]


@pytest.fixture
def client(client_and_survey):
    """A client that sends requests anonymously or as the member, and measures their cost."""
    client_and_survey[0].reset()
    return client_and_survey[0]
