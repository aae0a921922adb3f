"""What another package gets for a few lines: a list and a detail below /api/, guarded and described."""

import psycopg
import pytest
import webtest
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPConflict
from pyramid.response import Response
from webob import Request

from comicsdb import config as settings
from comicsdb.catalog import ConflictError, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.db import DATABASE_OUTAGE
from comicsdb.db.read_pool import ReadPool
from comicsdb.models import Series, Tombstone
from comicsdb.security import Permission
from comicsdb_api.errors import conflict_messages
from tests.api.bodies import BASE, assert_same_json, rows
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.conftest import SAVEPOINT_MODE, SETTINGS


@pytest.fixture(scope="module")
def extended_app(shared_database, media_folder):
    """An application with `tests.api.plugin_app`, routes that raise errors, and a route for editors."""
    given = SETTINGS | {"sqlalchemy.url": shared_database, "comicsdb.media.folder": str(media_folder)}
    with Configurator(
        settings=settings.parse_settings(given | {"pyramid.includes": "tests.api.plugin_app"})
    ) as config:
        config.add_route("api.raise", "/api/raise/")
        config.add_view(raise_it, route_name="api.raise", permission=Permission.API)
        config.add_route("raise", "/raise/")
        config.add_view(raise_it, route_name="raise")
        config.add_route("api.edit", "/api/edit/")
        config.add_view(lambda _request: Response(), route_name="api.edit", permission=Permission.API_EDIT)
        app = config.make_wsgi_app()
    app.registry["comicsdb.engine"].dispose()
    return app


@pytest.fixture
def extended(extended_app, connection, reader):
    """A client of that application, on the test's own connection."""
    extended_app.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)
    extended_app.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
    return Client(webtest.TestApp(extended_app), basic_auth(reader.username, PASSWORD))


def raise_it(request):
    """Raise one of the errors below."""
    raise ERRORS[request.GET["error"]]


ERRORS = {
    "pair": ConflictError("issue", ("series", "number")),
    "cv": ConflictError("issue", ("cv_id",)),
    "gcd": ConflictError("publisher", ("gcd_id",)),
    "slug": ConflictError("arc", ("slug",)),
    "invalid": InvalidError({"name": ["Too loud.", "Too long."], "__all__": ["They disagree."]}),
    "missing": NotFoundError("reading_list", 5),
    "gone": GoneError(Tombstone(kind="arc", object_id=5, slug="x")),
    "moved": MovedError(Series(id=5, slug="tide")),
    "http": HTTPConflict(),
    "outage": psycopg.OperationalError("away"),
    "fault": ZeroDivisionError("by no means"),
}
SAME_NUMBER = {"non_field_errors": ["The fields series, number must make a unique set."]}
SAME_CV_ID = {"cv_id": ["issue with this Comic Vine ID already exists."]}


def test_the_list_and_the_detail_lie_below_api(extended, make):
    zenith, apex = make.arc(name="Zénith", desc="Up."), make.arc(name="Apex")
    assert_same_json(
        extended.json("/api/saga/"),
        {"count": 2, "next": None, "previous": None, "results": rows(apex, zenith)},
    )
    assert_same_json(extended.json(f"/api/saga/{zenith.id}/"), rows(zenith)[0] | {"desc": "Up."})


def test_the_root_lists_it_last(extended):
    assert list(extended.json("/api/").items())[-1] == ("saga", f"{BASE}/api/saga/")


def test_it_is_guarded_and_described_like_the_rest(extended):
    nobody = Client(extended.testapp, {})
    nobody.get("/api/saga/")
    assert nobody.call("POST", "/api/saga/", 401).headers["WWW-Authenticate"] == 'Basic realm="api"'
    assert extended.call("POST", "/api/saga/", 405).headers["Allow"] == "GET, HEAD, OPTIONS"
    assert extended.call("OPTIONS", "/api/saga/1/").json["description"] == "Sagas."
    assert extended.get("/api/saga", 301).headers["Location"] == f"{BASE}/api/saga/"
    assert extended.json("/api/saga/1/", 404) == {"detail": "No Arc matches the given query."}


def test_the_core_is_included_once_whoever_asks_for_it(extended):
    assert len(extended.testapp.app.registry["comicsdb.authenticators"]) == 1


def test_who_may_not_gets_403_and_no_challenge(extended, make, passwords):
    refused = extended.get("/api/edit/", 403)
    assert refused.json == {"detail": "You do not have permission to perform this action."}
    assert "WWW-Authenticate" not in refused.headers
    Client(extended.testapp, {}).get("/api/edit/", 401)
    make.user("ed", password=PASSWORD, passwords=passwords, groups=["editor"])
    extended.get("/api/edit/", 200, basic_auth("ed", PASSWORD))


@pytest.mark.parametrize(
    ("error", "status", "body"),
    [
        ("pair", 400, SAME_NUMBER),
        ("cv", 400, SAME_CV_ID),
        ("gcd", 400, {"gcd_id": ["publisher with this GCD ID already exists."]}),
        ("slug", 400, {"slug": ["arc with this slug already exists."]}),
        ("invalid", 400, {"name": ["Too loud.", "Too long."], "non_field_errors": ["They disagree."]}),
        ("missing", 404, {"detail": "No ReadingList matches the given query."}),
        ("gone", 404, {"detail": "No Arc matches the given query."}),
        (
            "moved",
            404,
            {
                "detail": "No Series matches the given query. It was merged into series 5.",
                "id": 5,
                "resource_url": f"{BASE}/series/tide/",
            },
        ),
        ("http", 409, {"detail": "Conflict"}),
    ],
)
def test_errors_become_answers(extended, error, status, body):
    assert extended.json(f"/api/raise/?error={error}", status) == body


def test_a_conflict_that_the_catalog_finds_has_the_words_of_the_contract(make):
    series = make.series()
    make.issue(series=series, number="1", cv_id=5)
    with pytest.raises(ConflictError) as pair:
        make.issue(series=series, number="1")
    with pytest.raises(ConflictError) as number:
        make.issue(series=series, number="2", cv_id=5)
    assert conflict_messages(pair.value) == SAME_NUMBER
    assert conflict_messages(number.value) == SAME_CV_ID


@pytest.mark.parametrize(
    ("error", "status", "more"), [("fault", 500, set()), ("outage", 503, {("Retry-After", "5")})]
)
def test_outside_the_api_and_without_the_site_a_failure_is_answered_and_logged(
    extended, caplog, error, status, more
):
    DATABASE_OUTAGE.forget()
    sent = Request.blank(f"/raise/?error={error}", accept="text/html")
    answer = sent.get_response(extended.testapp.app)
    assert answer.status_code == status
    assert "by no means" not in answer.text
    assert len(answer.headers["X-Request-ID"]) == 16
    assert more <= set(answer.headers.items())
    (told,) = [record for record in caplog.records if record.name.startswith("comicsdb")]
    assert "raise" in told.getMessage()
