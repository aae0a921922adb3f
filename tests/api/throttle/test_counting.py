"""What the limits of the API count and refuse, and the headers that report it."""

import logging

import pytest

from tests.api.conftest import PASSWORD, SCHEMA, Client, basic_auth
from tests.api.retrying_app import ATTEMPTS
from tests.api.throttle.rate_limit_headers import (
    BURST,
    CLOCK_START,
    STANDARD_HEADERS,
    SUSTAINED,
    X_HEADERS,
    remaining_requests,
)

# Headers.


def test_every_answer_says_how_one_stands(client, clock):
    first = client.get("/api/")
    assert {name: first.headers[name] for name in (*X_HEADERS, *STANDARD_HEADERS)} == {
        f"{BURST}Limit": "20",
        f"{BURST}Remaining": "19",
        f"{BURST}Reset": str(CLOCK_START + 60),
        f"{SUSTAINED}Limit": "5000",
        f"{SUSTAINED}Remaining": "4999",
        f"{SUSTAINED}Reset": str(CLOCK_START + 86_400),
        "RateLimit-Policy": '"burst";q=20;w=60, "sustained";q=5000;w=86400',
        "RateLimit": '"burst";r=19;t=60, "sustained";r=4999;t=86400',
    }
    assert "Retry-After" not in first.headers
    clock.shift(45.5)
    second = client.get("/api/")
    assert remaining_requests(second) == (18, 4998)
    assert second.headers[f"{BURST}Reset"] == str(CLOCK_START + 60)
    assert second.headers["RateLimit"] == '"burst";r=18;t=15, "sustained";r=4998;t=86355'
    clock.shift(14.5)
    third = client.get("/api/")
    assert remaining_requests(third) == (18, 4997)
    assert third.headers[f"{BURST}Reset"] == str(CLOCK_START + 106)  # for the second request, rounded up


def test_the_21st_request_of_a_minute_is_refused(client, clock):
    for expected in range(19, -1, -1):
        assert remaining_requests(client.get("/api/")) == (expected, 4980 + expected)
    clock.shift(17.5)
    refused = client.get("/api/", 429)
    detail = "Request was throttled. Expected available in 43 seconds."
    assert refused.json == {"detail": detail, "data": "http://localhost/.well-known/comicsdb.json"}
    assert refused.headers["Retry-After"] == "43"
    assert refused.headers["Content-Type"] == "application/json"
    assert refused.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert remaining_requests(refused) == (0, 4980)
    assert refused.headers[f"{BURST}Reset"] == str(CLOCK_START + 60)
    # RateLimit names no wait that is longer than Retry-After.
    assert refused.headers["RateLimit"] == '"burst";r=0;t=43'
    assert refused.headers["RateLimit-Policy"].count("q=") == 2
    clock.shift(42)
    assert client.get("/api/", 429).json["detail"].endswith(" in 1 second.")
    clock.shift(0.5)
    assert remaining_requests(client.get("/api/")) == (19, 4979)


def test_a_read_for_which_all_is_read_again_counts_once(client, make, session):
    client.get("/api/arc/")
    statuses = {"/api/arc/?name=a": 200, "/api/arc/?page=9": 404, "/api/arc/?cv_id=x": 400, "/api/role/": 200}
    for remaining, (path, status) in enumerate(statuses.items()):
        make.arc()
        session.commit()
        assert remaining_requests(client.get(path, status)) == (18 - remaining, 4998 - remaining)


def test_each_limit_is_a_header_once(client):
    answer = client.get("/api/arc/")
    assert all(len(answer.headers.getall(name)) == 1 for name in (*X_HEADERS, *STANDARD_HEADERS))


# What is counted.


def test_whatever_passes_the_check_of_permissions_counts_once(client, make, clock):
    arc = make.arc().id
    path = f"/api/arc/{arc}/"
    asked = [
        ("GET", "/api/", 200),
        ("GET", path, 200),  # made
        ("GET", path, 200),  # cached
        ("HEAD", path, 200),
        ("OPTIONS", path, 200),
        ("GET", "/api/role/", 200),
        ("GET", "/api/arc/999999/", 404),
        ("GET", "/api/arc/no-number/", 404),
        ("GET", "/api/arc/?page=7", 404),
        ("GET", "/api/issue/?cv_id=x", 400),
        ("POST", "/api/", 405),
        ("GET", SCHEMA, 200),
    ]
    for number, (method, path, status) in enumerate(asked, 1):
        assert remaining_requests(client.call(method, path, status)) == (20 - number, 5000 - number), (
            method,
            path,
        )
    answer = client.get(f"/api/arc/{arc}/", 412, {"If-Match": '"other"'})
    assert remaining_requests(answer) == (7, 4987)


def test_who_is_refused_before_does_not_count(client, anonymous, clock):
    for method, path, status, headers in [
        ("GET", "/api/collection/", 401, {"Authorization": ""}),
        ("GET", "/api/arc/", 401, basic_auth("reader", "wrong")),
        ("GET", "/api/arc/", 401, {"Authorization": "Bearer unknown"}),
        ("DELETE", "/api/arc/1/", 403, {}),
        ("GET", "/api/arc/", 406, {"Accept": "image/png"}),
        ("GET", "/api/nothing/", 404, {}),
        ("GET", "/api/arc", 301, {}),
    ]:
        answer = client.call(method, path, status, headers)
        assert not set(answer.headers) & {*X_HEADERS, *STANDARD_HEADERS}, path
    assert remaining_requests(client.get("/api/")) == (19, 4999)


def test_a_cached_answer_is_refused_too(client, make, clock):
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(20):
        client.get(path)
    answer = client.get(path, 429)
    assert "X-Cache" not in answer.headers
    assert answer.headers["Allow"] == "GET, PUT, PATCH, HEAD, OPTIONS"
    assert len(answer.headers.getall("Vary")) == 1
    problem = client.get(path, 429, {"Accept": "application/json, application/problem+json"})
    assert problem.headers["Content-Type"] == "application/problem+json"
    assert problem.json == {"type": "about:blank", "title": "Too Many Requests", "status": 429} | answer.json
    # The preflight request of a browser is answered, and not counted.
    asked = {"Origin": "https://x.example", "Access-Control-Request-Method": "GET"}
    assert not {*X_HEADERS, "Retry-After"} & set(client.call("OPTIONS", path, 204, asked).headers)


def test_a_request_that_is_tried_several_times_counts_once(site, reader, clock, caplog):
    caplog.set_level(logging.INFO, "comicsdb_api.auth")
    app = site(**{"pyramid.includes": "comicsdb_api tests.api.retrying_app"})
    client = Client(app, basic_auth(reader.username, PASSWORD))
    answer = client.get("/api/fickle/")
    assert answer.json == {"attempt": ATTEMPTS}
    assert remaining_requests(answer) == (19, 4999)
    assert len(answer.headers.getall("RateLimit")) == 1
    assert len(caplog.records) == 1


def test_an_account_counts_however_it_signs_in(client, bearer, make, passwords, clock):
    client.get("/api/")
    by_token = Client(client.testapp, bearer)
    assert remaining_requests(by_token.get("/api/")) == (18, 4998)
    make.user("other", password=PASSWORD, passwords=passwords)
    assert remaining_requests(client.get("/api/", 200, basic_auth("other", PASSWORD))) == (19, 4999)
    assert remaining_requests(client.get("/api/", 200, {"X-Real-IP": "192.0.2.9"})) == (17, 4997)


# Responses without a body.


@pytest.mark.parametrize("address", ["/api/arc/{arc}/", "/api/arc/", "/api/role/", SCHEMA, "/api/"])
def test_an_unchanged_body_costs_nothing_of_the_day(client, make, clock, address):
    path = address.format(arc=make.arc().id)
    tag = client.get(path).headers.get("ETag", "*")
    client.get(path)
    unchanged = client.get(path, 304, {"If-None-Match": tag})
    assert remaining_requests(unchanged) == (17, 4998)
    assert unchanged.headers[f"{SUSTAINED}Reset"] == str(CLOCK_START + 86_400)
    assert remaining_requests(client.get(path)) == (16, 4997)


def test_the_very_place_of_the_unchanged_body_is_given_back(client, clock):
    """The other requests keep their own times."""
    client.get("/api/role/")
    for _ in range(3):
        clock.shift(1000)
        client.get("/api/role/", 304, {"If-None-Match": "*"})
    answer = client.get("/api/role/")
    assert answer.headers[f"{SUSTAINED}Reset"] == str(CLOCK_START + 86_400)
    clock.shift(86_400 - 3000)
    answer = client.get("/api/role/", 304, {"If-None-Match": "*"})
    assert remaining_requests(answer) == (19, 4999)
    assert answer.headers[f"{SUSTAINED}Reset"] == str(CLOCK_START + 86_400 + 3000)


def test_a_cached_answer_asks_redis_once_for_the_limits(site, reader, make, redis):
    client = Client(site(**{"comicsdb.cache.url": redis.url}), basic_auth(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    client.get(path)
    client.get("/api/role/", 304, {"If-None-Match": "*"})  # now Redis knows both scripts
    for status, headers in ((200, {}), (304, {"If-None-Match": "*"})):
        redis.client.config_resetstat()
        client.get(path, status, headers)
        asked = redis.client.info("commandstats")
        assert {name: stat["calls"] for name, stat in asked.items() if "eval" in name} == {
            "cmdstat_evalsha": 1
        }


def test_when_the_day_is_used_up_an_unchanged_body_is_refused_as_well(site, reader, make, clock):
    client = Client(site(**{".sustained": "2"}), basic_auth(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(2):
        client.get(path)
    assert remaining_requests(client.get(path, 429, {"If-None-Match": "*"})) == (18, 0)
    assert remaining_requests(client.get("/api/role/", 429, {"If-None-Match": "*"})) == (18, 0)


def test_a_refusal_costs_nothing(site, reader, clock):
    client = Client(site(**{".burst": "3", ".sustained": "5"}), basic_auth(reader.username, PASSWORD))
    for _ in range(3):
        client.get("/api/")
    for _ in range(4):
        assert remaining_requests(client.get("/api/", 429)) == (0, 2)
    clock.shift(60)
    client.get("/api/")
    client.get("/api/")
    refused = client.get("/api/", 429)
    assert remaining_requests(refused) == (1, 0)
    assert refused.headers["Retry-After"] == str(86_400 - 60)
    assert refused.headers["RateLimit"] == f'"sustained";r=0;t={86_400 - 60}'
    assert remaining_requests(client.get("/api/", 429)) == (1, 0)


def test_all_that_may_cost_if_the_setting_says_so(site, reader, make, clock):
    settings = {".burst": "3", ".sustained": "7", ".free_304_429": "false"}
    client = Client(site(**settings), basic_auth(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    client.get(path)
    assert remaining_requests(client.get(path, 304, {"If-None-Match": "*"})) == (1, 5)
    assert remaining_requests(client.get("/api/role/", 304, {"If-None-Match": "*"})) == (0, 4)
    # A request that the limit of the minute refuses is counted for the day.
    assert [remaining_requests(client.get(path, 429)) for _ in range(5)] == [
        (0, 3),
        (0, 2),
        (0, 1),
        (0, 0),
        (0, 0),
    ]
    # If both refuse, the longer wait is reported.
    both = client.get(path, 429)
    assert both.headers["Retry-After"] == "86400"
    assert both.headers["RateLimit"] == '"burst";r=0;t=60, "sustained";r=0;t=86400'
    clock.shift(60)
    # And one that the limit of the day refuses is counted for the minute.
    assert [remaining_requests(client.get(path, 429)) for _ in range(3)] == [(2, 0), (1, 0), (0, 0)]
