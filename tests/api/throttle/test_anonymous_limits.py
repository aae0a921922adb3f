"""Limits of clients without an account: by network, and separate from those of accounts."""

import pytest

from tests.api.auth.test_auth import NOT_GIVEN
from tests.api.conftest import PASSWORD, SCHEMA, Client, basic_auth
from tests.api.throttle.rate_limit_headers import remaining_requests

SMALL = {".anonymous_burst": "3", ".anonymous_sustained": "5"}
HERE, NEIGHBOUR, ELSEWHERE = ({"REMOTE_ADDR": f"2001:db8:0:{end}"} for end in ("1::1", "1:9::7", "2::1"))
REMEDY = "Accounts have higher limits; create a token at http://localhost/accounts/tokens/ ."


@pytest.fixture(params=["PostgreSQL", "Redis"])
def app(request, site):
    """A site with small limits, counted in PostgreSQL or in Redis."""
    if request.param == "PostgreSQL":
        return site(**SMALL)
    redis = request.getfixturevalue("redis")
    return site(**SMALL, **{"comicsdb.cache.url": redis.url})


def test_a_network_has_them_together_and_apart_from_accounts(app, reader, make, clock):
    path = f"/api/arc/{make.arc().id}/"
    known = {**basic_auth(reader.username, PASSWORD)}
    answers = [app.get(path, extra_environ=each) for each in (HERE, NEIGHBOUR, HERE)]
    assert [remaining_requests(each) for each in answers] == [(2, 4), (1, 3), (0, 2)]
    assert [each.headers["X-Cache"] for each in answers] == ["MISS", "HIT", "HIT"]
    assert answers[0].headers["RateLimit-Policy"] == '"burst";q=3;w=60, "sustained";q=5;w=86400'
    for refused_path in (path, "/api/", "/api/arc/"):
        refused = app.get(refused_path, extra_environ=NEIGHBOUR, status=429)
        seconds = refused.headers["Retry-After"]
        assert refused.json["detail"].startswith(
            f"Request was throttled. {REMEDY} Expected available in {seconds} "
        )
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert remaining_requests(refused) == (0, 2)
    assert remaining_requests(app.get(path, extra_environ=ELSEWHERE)) == (2, 4)
    assert remaining_requests(app.get(path, extra_environ=HERE, headers=known)) == (19, 4999)


def test_an_unchanged_body_costs_nothing_of_the_day(site, make, clock):
    app, path = site(**SMALL), f"/api/arc/{make.arc().id}/"
    for _ in range(3):
        app.get(path, extra_environ=HERE)
    clock.shift(60)
    unchanged = app.get(path, extra_environ=HERE, headers={"If-None-Match": "*"}, status=304)
    assert remaining_requests(unchanged) == (2, 2)
    for _ in range(2):
        app.get("/api/arc/", extra_environ=HERE)
    clock.shift(60)
    assert app.get(path, extra_environ=HERE, status=429).headers["Retry-After"] == str(86_400 - 120)


def test_they_are_never_more_than_those_of_accounts(site, clock):
    app = site(**{".burst": "2", ".sustained": "4"})
    assert remaining_requests(app.get("/api/arc/")) == (1, 3)


def test_what_costs_an_account_more_costs_more(site, clock):
    app = site()
    assert remaining_requests(app.get("/api/arc/?page_size=500")) == (19, 495)


def test_without_the_setting_everything_needs_an_account(site, reader, make, clock):
    app, issue = site(**{"comicsdb_api.anonymous": "off"}), make.issue()
    anonymous, api = Client(app, {}), Client(app, basic_auth("reader", PASSWORD))
    paths = ("/api/", "/api/issue/", f"/api/issue/{issue.id}/", "/api/role/", "/api/change/")
    for path in paths:
        assert api.get(path).headers["ETag"]
        assert anonymous.get(path, 401).json == NOT_GIVEN
    assert list(anonymous.json(SCHEMA)["paths"]) == ["/api/schema/"]
    assert remaining_requests(app.get(SCHEMA)) == (18, 4998)
