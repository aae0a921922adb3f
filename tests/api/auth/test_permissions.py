"""The status of every endpoint of the API for every method and every role."""

import pytest
from pyramid.interfaces import IRoutesMapper
from sqlalchemy import select

from comicsdb.models import Variant
from tests.api.conftest import PASSWORD, READ_ONLY_POSTS, SCHEMA, Client, basic_auth
from tests.lists import make_list

KINDS = {"arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"}
# Kinds that need an account, but no permission, because they name people or are expensive.
ACCOUNTS = {"cover", "credit", "match", "reading_list", "variant"}
PARTS = {"credit", "variant"}  # cannot be read by themselves
REFERENCE = {"role", "series_type", "reading_list"}  # can only be read
OWN = {"collection", "pull_list", "read", "wish_list"}  # users' own data, tested with these resources
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
ROLES = {
    "user": {},
    "editor": {"groups": ["editor"]},
    "reading list editor": {"groups": ["reading list editor"]},
    "staff": {"is_staff": True},
    "superuser": {"is_superuser": True},
}
# The roles that do not get 403 for a kind of write, whether or not the endpoint offers it.
WRITERS = {
    "change the catalog": {"editor", "superuser"},
    "delete from it": {"superuser"},
    "write reference data": {"superuser"},
    "write where nothing is": {*ROLES},
}


def expected(path: str, method: str, role: str | None) -> int:
    """The expected status of a request without a body."""
    kind = path.split("/")[2]
    if role is None:
        if path == "/api/schema/":
            return {"GET": 200, "HEAD": 200, "OPTIONS": 401}.get(method, 405)
        closed = kind in ACCOUNTS or path.endswith(("/history/", "/comicinfo/", "/metroninfo/"))
        return 200 if method in {"GET", "HEAD"} and not closed else 401
    if path in READ_ONLY_POSTS and method == "POST":
        return 400  # required values are missing
    if method in {"GET", "HEAD", "OPTIONS"}:
        return 405 if kind in {*PARTS, "match"} and method != "OPTIONS" else 200
    if kind in REFERENCE:
        wanted = "write reference data"
    elif kind not in KINDS | PARTS:
        wanted = "write where nothing is"
    else:
        wanted = "delete from it" if method == "DELETE" else "change the catalog"
    if role not in WRITERS[wanted]:
        return 403
    if wanted != "change the catalog":
        return 405
    listed = path == f"/api/{kind}/"
    one = path.count("/") == 4
    if (method == "POST" and listed) or (method == "PUT" and one):
        return 400  # required values are missing
    return 200 if method == "PATCH" and one else 405


@pytest.fixture
def ids(make, ids):
    """Ids of an object of every kind, including a variant and a public reading list."""
    variant = make.session.scalar(select(Variant.id).where(Variant.issue_id == ids["issue"]).limit(1))
    reading_list = make_list(make.session, make.user())
    return ids | {"variant": variant, "reading_list": reading_list.id}


@pytest.fixture
def paths(wsgi, ids):
    """The path of every route outside `OWN`, with the id of an existing object."""
    patterns = [
        route.pattern
        for route in wsgi.registry.getUtility(IRoutesMapper).get_routes()
        if route.name.startswith("api.") and route.name != "api.unknown"
    ]
    assert len(patterns) > 25
    asked = [pattern for pattern in patterns if pattern.split("/")[2] not in OWN]
    return [pattern.format(id=ids[pattern.split("/")[2]]) if "{" in pattern else pattern for pattern in asked]


@pytest.fixture
def client(testapp, make, passwords):
    """A function that returns the client of a role; None is anonymous."""

    def client(role):
        if role is None:
            return Client(testapp, {})
        make.user(role, password=PASSWORD, passwords=passwords, **ROLES[role])
        return Client(testapp, basic_auth(role, PASSWORD))

    return client


@pytest.mark.parametrize("role", [None, *ROLES])
def test_everybody_gets_what_the_matrix_says(client, paths, role):
    asking = client(role)
    for path in paths:
        for method in METHODS:
            address = SCHEMA if path == "/api/schema/" else path
            answer = asking.call(method, address, expected(path, method, role))
            assert ("WWW-Authenticate" in answer.headers) == (answer.status_int == 401)


@pytest.mark.parametrize(("role", "status"), [(None, 401), ("user", 403), ("editor", 404)])
def test_what_is_not_there_changes_nothing(client, role, status, caplog):
    asking = client(role)
    caplog.clear()
    for method in ("PUT", "PATCH"):
        asking.call(method, "/api/issue/999999/", status)
        asking.call(method, "/api/issue/x/", status)
    assert ("Permission denied at api.issue (user=" in caplog.text) is (status == 403)


@pytest.mark.parametrize("role", [None, "user", "superuser"])
def test_an_address_that_no_one_knows_is_unknown_to_everybody(client, role):
    asking = client(role)
    for method in ("GET", "POST", "DELETE"):
        answer = asking.call(method, "/api/nothing/", 404)
        assert answer.json == {"detail": "Not found."}
