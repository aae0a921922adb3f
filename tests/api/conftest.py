"""Fixtures for the tests of the API: accounts, and clients that sign in with them and read JSON."""

import base64

import pytest
from sqlalchemy import select

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import User
from tests.conftest import rollback_engine_on_copy, rolled_back_connection
from tests.factories import Factories

PASSWORD = "correct horse"
SCHEMA = "/api/schema/?format=json"  # writing it as YAML takes much longer
READ_ONLY_POSTS = {
    "/api/cover/",
    "/api/crosswalk/",
    "/api/match/",
}  # POST requests that change nothing


def basic_auth(name, password):
    """The Authorization header of HTTP Basic."""
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


class Client:
    """Calls the API with fixed headers; every call says which status it expects."""

    def __init__(self, testapp, headers):
        self.testapp = testapp
        self.headers = headers

    def call(self, method, path, status=200, headers=None):
        """Send a request; `headers` are added to the client's own."""
        sent = self.headers | (headers or {})
        answer = self.testapp.request(path, method=method, headers=sent, expect_errors=True)
        assert answer.status_int == status, answer.text[:300]
        return answer

    def get(self, path, status=200, headers=None):
        """Send a GET request."""
        return self.call("GET", path, status, headers)

    def json(self, path, status=200):
        """The parsed body of a GET, with the keys in the order sent."""
        return self.get(path, status).json


@pytest.fixture(scope="session")
def passwords(wsgi):
    """The hasher of the application under test."""
    from comicsdb.accounts.passwords import Passwords

    return Passwords(wsgi.registry.settings["comicsdb.password_cost"])


@pytest.fixture(scope="session")
def filled_engine(cluster, template):
    """The engine of a database with objects of every kind, filled once for all tests."""
    yield from rollback_engine_on_copy(cluster, template, "filled")


@pytest.fixture(scope="session")
def filled_ids(filled_engine, passwords) -> dict[str, int]:
    """The id of one object of each kind in that database, and of the reader's lists."""
    from tests.api.resource.test_statements import everything

    with session_factory(filled_engine)() as session:
        make = Factories(Catalog(session))
        return everything(make, make.user("reader", password=PASSWORD, passwords=passwords), 2)


@pytest.fixture
def ids(filled_ids, reader) -> dict[str, int]:
    """The id of one object of each kind, all of which exist before the test."""
    return filled_ids


@pytest.fixture
def connection(request):
    """One connection in an outer transaction: to the filled database if the test uses `filled_ids`."""
    name = "filled_engine" if "filled_ids" in request.fixturenames else "engine"
    yield from rolled_back_connection(request.getfixturevalue(name))


@pytest.fixture
def reader(request, make, passwords):
    """An ordinary account."""
    if "filled_ids" in request.fixturenames:
        return make.session.scalar(select(User).where(User.username == "reader"))
    return make.user("reader", password=PASSWORD, passwords=passwords)


@pytest.fixture
def editor(testapp, make, passwords):
    """A client whose account is in the group that may change the catalog."""
    make.user("editor", password=PASSWORD, passwords=passwords, groups=["editor"])
    return Client(testapp, basic_auth("editor", PASSWORD))


@pytest.fixture
def writer(editor):
    """The editor's client, which can also send bodies."""
    from tests.api.writing import WritingClient

    return WritingClient(editor.testapp, editor.headers)


@pytest.fixture
def admin(testapp, make, passwords):
    """A client whose account is a superuser."""
    make.user("admin", password=PASSWORD, passwords=passwords, is_superuser=True)
    return Client(testapp, basic_auth("admin", PASSWORD))


@pytest.fixture
def anonymous(testapp):
    """A client without credentials."""
    return Client(testapp, {})


@pytest.fixture
def api(testapp, reader):
    """A client that signs in by HTTP Basic."""
    return Client(testapp, basic_auth(reader.username, PASSWORD))
