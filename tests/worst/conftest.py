"""Fixtures: a survey of the application, made once for all files, and a client that undoes its writes."""

from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest
import webtest

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from tests.conftest import client_on, rolled_back_connection
from tests.factories import Factories
from tests.web.addresses import keep_library
from tests.web.conftest import PASSWORD, start_session, world_engine, world_keys
from tests.worst.measuring import MeasuringClient
from tests.worst.places import Survey

__all__ = ["world_engine", "world_keys"]


@contextmanager
def measuring_client(wsgi, engine, cookie: str, token: str = ""):
    """A client of the site whose requests go through one connection, in a transaction that is rolled back."""
    with (
        contextmanager(rolled_back_connection)(engine) as connection,
        client_on(wsgi, connection),
        closing(MeasuringClient(wsgi, connection, cookie, token)) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def cookie_and_survey(wsgi, world_engine, world_keys):
    """The session cookie of a member who may do everything, and a survey of the site tests' small catalog.

    The member and a library are committed to the database of these tests, so that all files have them.
    """
    browser = webtest.TestApp(wsgi)
    with session_factory(world_engine)() as session:
        world = SimpleNamespace(**{name: session.get_one(*key) for name, key in world_keys.items()})
        member = Factories(Catalog(session)).user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        kept = keep_library(session, member, world)
        member.is_staff = member.is_superuser = True
        session.commit()
        start_session(browser, member)
        cookie = browser.cookies["session"]
        with measuring_client(wsgi, world_engine, cookie) as client:
            return cookie, Survey(wsgi, session, world, kept, client)


@pytest.fixture
def survey(cookie_and_survey) -> Survey:
    """Every route with an address, its parameters, fields and forms."""
    return cookie_and_survey[1]


@pytest.fixture(scope="module")
def client_of_module(wsgi, world_engine, cookie_and_survey):
    """A client for all tests of a file."""
    cookie, survey = cookie_and_survey
    with measuring_client(wsgi, world_engine, cookie, survey.token) as client:
        yield client


@pytest.fixture
def client(client_of_module):
    """A client that sends requests anonymously or as the member, and measures their cost."""
    client_of_module.reset()
    return client_of_module
