"""How often each client may use the API, and what is logged and counted."""

import logging
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import PASSWORD, SCHEMA, Client, basic_auth
from tests.api.throttle.rate_limit_headers import (
    BURST,
    CLOCK_START,
    LOGGER,
    STANDARD_HEADERS,
    SUSTAINED,
    X_HEADERS,
    remaining_requests,
)
from tests.page import parse

# Limits.


@pytest.mark.parametrize(
    ("values", "limit"),
    [
        ({}, 5000),
        ({"supporter_until": 1, "supporter_tier": "friend"}, 7500),
        ({"supporter_until": 1, "supporter_tier": "backer"}, 10_000),
        ({"supporter_until": 1, "supporter_tier": "sponsor"}, 15_000),
        ({"supporter_until": 1, "supporter_tier": "mega_sponsor"}, 25_000),
        ({"supporter_until": 1, "supporter_tier": ""}, 7500),
        ({"supporter_until": 1, "supporter_tier": "patron"}, 7500),
        ({"supporter_until": -1, "supporter_tier": "mega_sponsor"}, 5000),
        ({"supporter_tier": "mega_sponsor"}, 5000),
        ({"is_superuser": True}, 25_000),
        ({"is_superuser": True, "supporter_until": 1, "supporter_tier": "friend"}, 25_000),
        ({"is_staff": True}, 5000),
    ],
)
def test_supporters_may_ask_more_often(site, make, passwords, values, limit):
    if "supporter_until" in values:
        values = values | {"supporter_until": datetime.now(UTC) + timedelta(hours=values["supporter_until"])}
    make.user("giver", password=PASSWORD, passwords=passwords, **values)
    app = site()
    for path in ("/api/", "/api/arc/", "/api/arc/"):  # by a view, then by the policy for cached reads
        answer = Client(app, basic_auth("giver", PASSWORD)).get(path)
        assert answer.headers[f"{SUSTAINED}Limit"] == str(limit)
        assert answer.headers[f"{BURST}Limit"] == "20"


def test_whose_support_ends_waits_until_enough_calls_are_old(site, session, make, passwords, clock):
    user = make.user(
        "giver",
        password=PASSWORD,
        passwords=passwords,
        supporter_until=datetime.fromtimestamp(CLOCK_START + 5000, UTC),
        supporter_tier="friend",
    )
    tiers = "friend=5 backer=6 sponsor=7 mega_sponsor=8"
    client = Client(site(**{".sustained": "2", ".tiers": tiers}), basic_auth(user.username, PASSWORD))
    for _ in range(5):
        client.get("/api/")
        clock.shift(1000)
    refused = client.get("/api/", 429)
    assert remaining_requests(refused) == (20, 0)
    assert refused.headers[f"{SUSTAINED}Limit"] == "2"
    # The fourth oldest request was made after 3000 seconds.
    assert refused.headers["Retry-After"] == str(86_400 - 2000)
    assert refused.headers[f"{SUSTAINED}Reset"] == str(CLOCK_START + 3000 + 86_400)
    clock.shift(86_400 - 2000)
    assert remaining_requests(client.get("/api/")) == (19, 0)


def test_every_number_is_a_setting(site, reader):
    tiers = "friend=1 backer=2 sponsor=3 mega_sponsor=400"
    settings = {f"{LOGGER}.burst": "7", f"{LOGGER}.sustained": "90", f"{LOGGER}.tiers": tiers}
    client = Client(site(**settings), basic_auth(reader.username, PASSWORD))
    headers = client.get("/api/").headers
    assert (headers[f"{BURST}Limit"], headers[f"{SUSTAINED}Limit"]) == ("7", "90")


def test_a_tier_is_never_less_than_nothing(site, make, passwords):
    """Supporters never have a lower limit than others, whatever the settings say."""
    until = datetime.now(UTC) + timedelta(days=1)
    make.user("giver", password=PASSWORD, passwords=passwords, supporter_until=until, supporter_tier="friend")
    tiers = "friend=1 backer=2 sponsor=3 mega_sponsor=400"
    client = Client(
        site(**{".burst": "7", ".sustained": "90", ".tiers": tiers}), basic_auth("giver", PASSWORD)
    )
    assert client.get("/api/").headers[f"{SUSTAINED}Limit"] == "90"


@pytest.mark.parametrize(
    ("phase", "limits"), [("0", ("20", "5000")), ("1", ("20", "5000")), ("2", ("10", "1000"))]
)
def test_when_basic_is_about_to_end_it_has_tighter_limits(site, reader, bearer, phase, limits):
    days = {"comicsdb.basic_deprecated": "2026-12-01", "comicsdb.basic_sunset": "2027-05-31"}
    app = site(**{"comicsdb.basic_phase": phase}, **days)
    by_name = Client(app, basic_auth(reader.username, PASSWORD)).get("/api/").headers
    assert (by_name[f"{BURST}Limit"], by_name[f"{SUSTAINED}Limit"]) == limits
    by_token = Client(app, bearer).get("/api/")
    assert (by_token.headers[f"{BURST}Limit"], by_token.headers[f"{SUSTAINED}Limit"]) == ("20", "5000")
    assert remaining_requests(by_token) == (18, 4998)  # both count for the same account


BOTH = {".burst": "3", "pyramid.includes": "comicsdb_api comicsdb_web"}


def test_those_without_an_account_count_by_their_address(site, reader, clock):
    app = site(**BOTH)
    here, there = {"REMOTE_ADDR": "192.0.2.1"}, {"REMOTE_ADDR": "2001:db8::1"}
    assert remaining_requests(app.get(SCHEMA, extra_environ=here)) == (2, 499)
    assert remaining_requests(app.get("/docs/", extra_environ=here)) == (1, 498)
    app.get(SCHEMA, extra_environ=here)
    refused = app.get(SCHEMA, extra_environ=here, status=429)
    assert refused.json == {
        "detail": "Request was throttled. Accounts have higher limits; create a token at"
        " http://localhost/accounts/tokens/ . Expected available in 60 seconds.",
        "data": "http://localhost/data/",
    }
    assert refused.headers["Link"] == '<http://localhost/data/>; rel="alternate"'
    page = app.get("/docs/", extra_environ=here, status=429)
    assert page.headers["Retry-After"] == "60"
    assert remaining_requests(app.get("/docs/", extra_environ=there)) == (2, 499)
    known = basic_auth(reader.username, PASSWORD)
    assert remaining_requests(app.get(SCHEMA, headers=known, extra_environ=here)) == (2, 4999)


def test_the_page_of_the_reference_is_counted_and_its_files_are_not(site, clock):
    app = site(**{".burst": "3"})
    page = app.get("/docs/")
    assert remaining_requests(
        app.get("/docs/", headers={"If-None-Match": page.headers["ETag"]}, status=304)
    ) == (
        1,
        499,
    )
    for link in parse(page.text).find_all("link", rel="stylesheet"):
        assert not set(app.get(f"/docs/{link['href']}").headers) & set(X_HEADERS)
    assert not set(app.get("/docs", status=301).headers) & set(X_HEADERS)
    assert remaining_requests(app.get("/docs/")) == (0, 498)


def test_the_site_has_no_such_limits(site):
    assert not set(site(**BOTH).get("/").headers) & {*X_HEADERS, *STANDARD_HEADERS}


def test_limits_can_be_switched_off(site, reader):
    client = Client(site(**{LOGGER: "off", ".burst": "1"}), basic_auth(reader.username, PASSWORD))
    for path in ("/api/", "/api/arc/", "/api/arc/", "/api/nothing/"):
        answer = client.call("GET", path, 404 if "nothing" in path else 200)
        assert not set(answer.headers) & {*X_HEADERS, *STANDARD_HEADERS}
    client.get("/api/arc/", 304, {"If-None-Match": "*"})


def test_without_its_redis_the_api_goes_on_counting(site, reader, redis, clock):
    app = site(**{"comicsdb.cache.url": redis.url, ".burst": "2"})
    client = Client(app, basic_auth(reader.username, PASSWORD))
    assert remaining_requests(client.get("/api/")) == (1, 4999)
    redis.kill()
    assert remaining_requests(client.get("/api/")) == (1, 4999)
    assert remaining_requests(client.get("/api/role/", 304, {"If-None-Match": "*"})) == (0, 4999)
    client.get("/api/", 429)


def test_the_description_tells_of_limits(site, reader, make, clock):
    client = Client(site(**{".burst": "4"}), basic_auth(reader.username, PASSWORD))
    described = client.json(SCHEMA)
    operation = described["paths"]["/api/arc/{id}/"]["get"]
    assert all("429" in each["get"]["responses"] for each in described["paths"].values() if "get" in each)
    path = f"/api/arc/{make.arc().id}/"
    for status, headers in ((200, {}), (304, {"If-None-Match": "*"}), (412, {"If-Match": '"x"'}), (429, {})):
        answer = client.get(path, status, headers)
        told = operation["responses"][str(status)]
        if "$ref" in told:
            told = described["components"]["responses"][told["$ref"].rpartition("/")[2]]
        unknown = set(answer.headers) - set(told["headers"]) - {"Content-Type", "Content-Length"}
        assert not unknown, status
        assert {*X_HEADERS, *STANDARD_HEADERS} <= set(told["headers"])
    for name in ("Unauthorized", "Forbidden", "NotAcceptable"):
        assert not {*X_HEADERS, *STANDARD_HEADERS} & set(
            described["components"]["responses"][name]["headers"]
        )


# Logs and counters.


@pytest.fixture
def logged(caplog):
    """A function that returns the API's log records of a level."""
    caplog.set_level(logging.INFO, "comicsdb_api")
    return lambda level: [record for record in caplog.records if record.levelno == level]


def test_a_refusal_is_logged_with_its_number_of_the_day(site, reader, clock, logged):
    client = Client(site(**{".burst": "1"}), basic_auth(reader.username, PASSWORD))
    client.get("/api/arc/")
    client.get("/api/arc/", 429)
    client.get("/api/role/", 429)
    records = logged(logging.WARNING)
    assert [record.getMessage() for record in records] == [
        "API request refused by the burst limit (user:reader, 1 today)",
        "API request refused by the burst limit (user:reader, 2 today)",
    ]
    assert [(each.identity, each.scope, each.count) for each in records] == [
        ("user:reader", "burst", 1),
        ("user:reader", "burst", 2),
    ]
    assert {record.name for record in records} == {LOGGER}
    assert [record.getMessage() for record in logged(logging.INFO)] == [
        "API request authenticated by basic (user=reader, ip=unknown)"
    ] * 3


def test_each_limit_that_refuses_is_logged(site, reader, clock, logged):
    settings = {".burst": "1", ".sustained": "1", ".free_304_429": "false"}
    client = Client(site(**settings), basic_auth(reader.username, PASSWORD))
    client.get("/api/")
    client.get("/api/", 429)
    assert [record.scope for record in logged(logging.WARNING)] == ["burst", "sustained"]


def test_nobody_is_logged_by_the_address(site, clock, logged):
    app, here = site(**{".burst": "1"}), {"REMOTE_ADDR": "192.0.2.1"}
    app.get(SCHEMA, extra_environ=here)
    app.get(SCHEMA, extra_environ=here, status=429)
    (record,) = logged(logging.WARNING)
    assert record.identity == "ip:192.0.2.1"
    assert logged(logging.INFO) == []


def test_a_name_cannot_write_lines_of_its_own_into_the_log(site, make, passwords, clock, logged):
    make.user("ann\nforged", password=PASSWORD, passwords=passwords)
    client = Client(site(**{".burst": "1"}), basic_auth("ann\nforged", PASSWORD))
    client.get("/api/")
    client.get("/api/", 429)
    (record,) = logged(logging.WARNING)
    assert record.identity == "user:ann forged"


def test_requests_that_succeed_are_counted_by_method(site, reader, bearer, make):
    app = site()
    path = f"/api/arc/{make.arc().id}/"
    counters = app.app.registry["comicsdb.counters"]
    by_name, by_token = Client(app, basic_auth(reader.username, PASSWORD)), Client(app, bearer)
    for _ in range(3):
        by_token.get(path)
    by_token.get(path, 304, {"If-None-Match": "*"})
    by_name.get(path)
    by_name.get("/api/arc/999999/", 404)
    by_name.get("/api/issue/?cv_id=x", 400)
    app.get(SCHEMA)
    assert {key.counter: count for key, count in counters._counts.items()} == {
        "authmethod:token": 4,
        "authmethod:basic": 1,
    }
