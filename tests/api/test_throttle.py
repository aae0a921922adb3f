"""The limits of the API: what is counted, what is refused, and what the headers say (api.md 1.10, 6)."""

import logging
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from comicsdb.models import ApiToken
from comicsdb.passwords import digest
from tests.api.conftest import PASSWORD, Client, basic
from tests.api.fickle import ATTEMPTS
from tests.conftest import attached, build_app

START = 1_800_000_000
BURST, SUSTAINED = "X-RateLimit-Burst-", "X-RateLimit-Sustained-"
SIX = [start + end for start in (BURST, SUSTAINED) for end in ("Limit", "Remaining", "Reset")]
TWO = ["RateLimit", "RateLimit-Policy"]
TOKEN = "cdb_" + "2e" * 32
OURS = LOGGER = "comicsdb_api.throttle"


@pytest.fixture(scope="module")
def apps(shared_database, media_folder):
    """Applications by their settings, each made once."""
    made = {}

    def app(**settings):
        key = tuple(sorted(settings.items()))
        if key not in made:
            given = {f"{OURS}{name}" if name[:1] in {"", "."} else name: settings[name] for name in settings}
            made[key] = build_app(shared_database, media_folder, **({OURS: "on"} | given))
        return made[key]

    yield app
    for each in made.values():
        each.registry["comicsdb.engine"].dispose()


@pytest.fixture
def site(apps, connection):
    """`site(**settings)`: a client of an application with limits, which nobody has asked anything yet.

    A setting is named in full, or by what follows `comicsdb_api.throttle`: `site(**{".burst": "3"})`.
    """
    with ExitStack() as stack:

        def make_site(**settings):
            app = apps(**settings)
            app.registry["comicsdb.limiter"].forget()
            return stack.enter_context(attached(app, connection))

        yield make_site


@pytest.fixture
def clock():
    """Time that stands still until it is moved."""
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


@pytest.fixture
def client(site, reader):
    """A client that signs in by HTTP Basic, where limits are as they are by default."""
    return Client(site(), basic(reader.username, PASSWORD))


@pytest.fixture
def bearer(session, reader):
    """The header that proves an account by a token."""
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=reader.id))
    session.commit()
    return {"Authorization": f"Bearer {TOKEN}"}


def left(answer) -> tuple[int, int]:
    """How many requests are left in the minute and in the day."""
    return int(answer.headers[f"{BURST}Remaining"]), int(answer.headers[f"{SUSTAINED}Remaining"])


# What the headers say.


def test_every_answer_says_how_one_stands(client, clock):
    first = client.get("/api/")
    assert {name: first.headers[name] for name in (*SIX, *TWO)} == {
        f"{BURST}Limit": "20",
        f"{BURST}Remaining": "19",
        f"{BURST}Reset": str(START + 60),
        f"{SUSTAINED}Limit": "5000",
        f"{SUSTAINED}Remaining": "4999",
        f"{SUSTAINED}Reset": str(START + 86_400),
        "RateLimit-Policy": '"burst";q=20;w=60, "sustained";q=5000;w=86400',
        "RateLimit": '"burst";r=19;t=60, "sustained";r=4999;t=86400',
    }
    assert "Retry-After" not in first.headers
    clock.shift(45.5)
    second = client.get("/api/")
    assert left(second) == (18, 4998)
    assert second.headers[f"{BURST}Reset"] == str(START + 60)
    assert second.headers["RateLimit"] == '"burst";r=18;t=15, "sustained";r=4998;t=86355'
    clock.shift(14.5)
    third = client.get("/api/")
    assert left(third) == (18, 4997)
    assert third.headers[f"{BURST}Reset"] == str(START + 106)  # of the second, rounded up


def test_the_21st_request_of_a_minute_is_refused(client, clock):
    for expected in range(19, -1, -1):
        assert left(client.get("/api/")) == (expected, 4980 + expected)
    clock.shift(17.5)
    refused = client.get("/api/", 429)
    assert refused.json == {"detail": "Request was throttled. Expected available in 43 seconds."}
    assert refused.headers["Retry-After"] == "43"
    assert refused.headers["Content-Type"] == "application/json"
    assert refused.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert left(refused) == (0, 4980)
    assert refused.headers[f"{BURST}Reset"] == str(START + 60)
    # Nothing that is told lasts longer than Retry-After.
    assert refused.headers["RateLimit"] == '"burst";r=0;t=43'
    assert refused.headers["RateLimit-Policy"].count("q=") == 2
    clock.shift(42)
    assert client.get("/api/", 429).json["detail"].endswith(" in 1 second.")
    clock.shift(0.5)
    assert left(client.get("/api/")) == (19, 4979)


def test_each_limit_is_a_header_once(client):
    answer = client.get("/api/arc/")
    assert all(len(answer.headers.getall(name)) == 1 for name in (*SIX, *TWO))


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
        ("GET", "/api/schema/", 200),
    ]
    for number, (method, path, status) in enumerate(asked, 1):
        assert left(client.call(method, path, status)) == (20 - number, 5000 - number), (method, path)
    answer = client.get(f"/api/arc/{arc}/", 412, {"If-Match": '"other"'})
    assert left(answer) == (7, 4987)


def test_who_is_refused_before_does_not_count(client, anonymous, clock):
    for method, path, status, headers in [
        ("GET", "/api/arc/", 401, {"Authorization": ""}),
        ("GET", "/api/arc/", 401, basic("reader", "wrong")),
        ("GET", "/api/arc/", 401, {"Authorization": "Bearer unknown"}),
        ("DELETE", "/api/arc/1/", 403, {}),
        ("GET", "/api/arc/", 406, {"Accept": "image/png"}),
        ("GET", "/api/nothing/", 404, {}),
        ("GET", "/api/arc", 301, {}),
    ]:
        answer = client.call(method, path, status, headers)
        assert not set(answer.headers) & {*SIX, *TWO}, path
    assert left(client.get("/api/")) == (19, 4999)


def test_a_cached_answer_is_refused_too(client, make, clock):
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(20):
        client.get(path)
    answer = client.get(path, 429)
    assert "X-Cache" not in answer.headers
    assert answer.headers["Allow"] == "GET, PUT, PATCH, HEAD, OPTIONS"
    assert len(answer.headers.getall("Vary")) == 1


def test_a_request_that_is_tried_several_times_counts_once(site, reader, clock, caplog):
    caplog.set_level(logging.INFO, "comicsdb_api.auth")
    app = site(**{"pyramid.includes": "comicsdb_api comicsdb_web tests.api.fickle"})
    client = Client(app, basic(reader.username, PASSWORD))
    answer = client.get("/api/fickle/")
    assert answer.json == {"attempt": ATTEMPTS}
    assert left(answer) == (19, 4999)
    assert len(answer.headers.getall("RateLimit")) == 1
    assert len(caplog.records) == 1


def test_an_account_counts_however_it_signs_in(client, bearer, make, passwords, clock):
    client.get("/api/")
    by_token = Client(client.testapp, bearer)
    assert left(by_token.get("/api/")) == (18, 4998)
    make.user("other", password=PASSWORD, passwords=passwords)
    assert left(client.get("/api/", 200, basic("other", PASSWORD))) == (19, 4999)
    assert left(client.get("/api/", 200, {"X-Real-IP": "192.0.2.9"})) == (17, 4997)


# Answers without a body.


@pytest.mark.parametrize("address", ["/api/arc/{arc}/", "/api/arc/", "/api/role/", "/api/schema/", "/api/"])
def test_an_unchanged_body_costs_nothing_of_the_day(client, make, clock, address):
    path = address.format(arc=make.arc().id)
    tag = client.get(path).headers.get("ETag", "*")
    client.get(path)
    unchanged = client.get(path, 304, {"If-None-Match": tag})
    assert left(unchanged) == (17, 4998)
    assert unchanged.headers[f"{SUSTAINED}Reset"] == str(START + 86_400)
    assert left(client.get(path)) == (16, 4997)


def test_the_very_place_of_the_unchanged_body_is_given_back(client, clock):
    """The other places keep their own times."""
    client.get("/api/role/")
    for _ in range(3):
        clock.shift(1000)
        client.get("/api/role/", 304, {"If-None-Match": "*"})
    answer = client.get("/api/role/")
    assert answer.headers[f"{SUSTAINED}Reset"] == str(START + 86_400)
    clock.shift(86_400 - 3000)
    answer = client.get("/api/role/", 304, {"If-None-Match": "*"})
    assert left(answer) == (19, 4999)
    assert answer.headers[f"{SUSTAINED}Reset"] == str(START + 86_400 + 3000)


def test_a_cached_answer_asks_redis_once_for_the_limits(site, reader, make, redis):
    client = Client(site(**{"comicsdb.cache.url": redis.url}), basic(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    client.get(path)
    client.get("/api/role/", 304, {"If-None-Match": "*"})  # both scripts are known to Redis
    for status, headers in ((200, {}), (304, {"If-None-Match": "*"})):
        redis.client.config_resetstat()
        client.get(path, status, headers)
        asked = redis.client.info("commandstats")
        assert {name: stat["calls"] for name, stat in asked.items() if "eval" in name} == {
            "cmdstat_evalsha": 1
        }


def test_when_the_day_is_used_up_an_unchanged_body_is_refused_as_well(site, reader, make, clock):
    client = Client(site(**{".sustained": "2"}), basic(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    for _ in range(2):
        client.get(path)
    assert left(client.get(path, 429, {"If-None-Match": "*"})) == (18, 0)
    assert left(client.get("/api/role/", 429, {"If-None-Match": "*"})) == (18, 0)


def test_a_refusal_costs_nothing(site, reader, clock):
    client = Client(site(**{".burst": "3", ".sustained": "5"}), basic(reader.username, PASSWORD))
    for _ in range(3):
        client.get("/api/")
    for _ in range(4):
        assert left(client.get("/api/", 429)) == (0, 2)
    clock.shift(60)
    client.get("/api/")
    client.get("/api/")
    refused = client.get("/api/", 429)
    assert left(refused) == (1, 0)
    assert refused.headers["Retry-After"] == str(86_400 - 60)
    assert refused.headers["RateLimit"] == f'"sustained";r=0;t={86_400 - 60}'
    assert left(client.get("/api/", 429)) == (1, 0)


def test_all_that_may_cost_if_the_setting_says_so(site, reader, make, clock):
    settings = {".burst": "3", ".sustained": "7", ".free_304_429": "false"}
    client = Client(site(**settings), basic(reader.username, PASSWORD))
    path = f"/api/arc/{make.arc().id}/"
    client.get(path)
    assert left(client.get(path, 304, {"If-None-Match": "*"})) == (1, 5)
    assert left(client.get("/api/role/", 304, {"If-None-Match": "*"})) == (0, 4)
    # A request that the minute refuses is counted by the day.
    assert [left(client.get(path, 429)) for _ in range(5)] == [(0, 3), (0, 2), (0, 1), (0, 0), (0, 0)]
    # Where both refuse, the longer wait is told.
    both = client.get(path, 429)
    assert both.headers["Retry-After"] == "86400"
    assert both.headers["RateLimit"] == '"burst";r=0;t=60, "sustained";r=0;t=86400'
    clock.shift(60)
    # And one that the day refuses is counted by the minute.
    assert [left(client.get(path, 429)) for _ in range(3)] == [(2, 0), (1, 0), (0, 0)]


# Who may ask how often.


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
    for path in ("/api/", "/api/arc/", "/api/arc/"):  # by a view, and in the early place
        answer = Client(app, basic("giver", PASSWORD)).get(path)
        assert answer.headers[f"{SUSTAINED}Limit"] == str(limit)
        assert answer.headers[f"{BURST}Limit"] == "20"


def test_whose_support_ends_waits_until_enough_calls_are_old(site, session, make, passwords, clock):
    user = make.user(
        "giver",
        password=PASSWORD,
        passwords=passwords,
        supporter_until=datetime.fromtimestamp(START + 5000, UTC),
        supporter_tier="friend",
    )
    tiers = "friend=5 backer=6 sponsor=7 mega_sponsor=8"
    client = Client(site(**{".sustained": "2", ".tiers": tiers}), basic(user.username, PASSWORD))
    for _ in range(5):
        client.get("/api/")
        clock.shift(1000)
    refused = client.get("/api/", 429)
    assert left(refused) == (20, 0)
    assert refused.headers[f"{SUSTAINED}Limit"] == "2"
    # The fourth oldest was made after 3000 seconds.
    assert refused.headers["Retry-After"] == str(86_400 - 2000)
    assert refused.headers[f"{SUSTAINED}Reset"] == str(START + 3000 + 86_400)
    clock.shift(86_400 - 2000)
    assert left(client.get("/api/")) == (19, 0)


def test_every_number_is_a_setting(site, reader):
    tiers = "friend=1 backer=2 sponsor=3 mega_sponsor=400"
    client = Client(
        site(**{".burst": "7", ".sustained": "90", ".tiers": tiers}), basic(reader.username, PASSWORD)
    )
    headers = client.get("/api/").headers
    assert (headers[f"{BURST}Limit"], headers[f"{SUSTAINED}Limit"]) == ("7", "90")


def test_a_tier_is_never_less_than_nothing(site, make, passwords):
    """Whoever gives something may not ask less often than others, whatever the settings say."""
    until = datetime.now(UTC) + timedelta(days=1)
    make.user("giver", password=PASSWORD, passwords=passwords, supporter_until=until, supporter_tier="friend")
    tiers = "friend=1 backer=2 sponsor=3 mega_sponsor=400"
    client = Client(site(**{".burst": "7", ".sustained": "90", ".tiers": tiers}), basic("giver", PASSWORD))
    assert client.get("/api/").headers[f"{SUSTAINED}Limit"] == "90"


@pytest.mark.parametrize(
    ("phase", "limits"), [("0", ("20", "5000")), ("1", ("20", "5000")), ("2", ("10", "1000"))]
)
def test_when_basic_is_about_to_end_it_has_tighter_limits(site, reader, bearer, phase, limits):
    days = {"comicsdb.basic_deprecated": "2026-12-01", "comicsdb.basic_sunset": "2027-05-31"}
    app = site(**{"comicsdb.basic_phase": phase}, **days)
    by_name = Client(app, basic(reader.username, PASSWORD)).get("/api/").headers
    assert (by_name[f"{BURST}Limit"], by_name[f"{SUSTAINED}Limit"]) == limits
    by_token = Client(app, bearer).get("/api/")
    assert (by_token.headers[f"{BURST}Limit"], by_token.headers[f"{SUSTAINED}Limit"]) == ("20", "5000")
    assert left(by_token) == (18, 4998)  # it is one account still


def test_those_without_an_account_count_by_their_address(site, reader, clock):
    app = site(**{".burst": "3"})
    here, there = {"REMOTE_ADDR": "192.0.2.1"}, {"REMOTE_ADDR": "2001:db8::1"}
    assert left(app.get("/api/schema/", extra_environ=here)) == (2, 4999)
    assert left(app.get("/docs/", extra_environ=here)) == (1, 4998)
    app.get("/api/schema/", extra_environ=here)
    refused = app.get("/api/schema/", extra_environ=here, status=429)
    assert refused.json == {"detail": "Request was throttled. Expected available in 60 seconds."}
    page = app.get("/docs/", extra_environ=here, status=429)
    assert page.headers["Retry-After"] == "60"
    assert left(app.get("/docs/", extra_environ=there)) == (2, 4999)
    known = basic(reader.username, PASSWORD)
    assert left(app.get("/api/schema/", headers=known, extra_environ=here)) == (2, 4999)


def test_the_page_of_the_reference_is_counted_and_its_files_are_not(site, clock):
    app = site(**{".burst": "3"})
    page = app.get("/docs/")
    assert left(app.get("/docs/", headers={"If-None-Match": page.headers["ETag"]}, status=304)) == (1, 4999)
    for link in page.html.find_all("link", rel="stylesheet"):
        assert not set(app.get(f"/docs/{link['href']}").headers) & set(SIX)
    assert not set(app.get("/docs", status=301).headers) & set(SIX)
    assert left(app.get("/docs/")) == (0, 4998)


def test_the_site_has_no_such_limits(site):
    assert not set(site().get("/").headers) & {*SIX, *TWO}


def test_limits_can_be_switched_off(site, reader):
    client = Client(site(**{"": "off", ".burst": "1"}), basic(reader.username, PASSWORD))
    for path in ("/api/", "/api/arc/", "/api/arc/", "/api/nothing/"):
        answer = client.call("GET", path, 404 if "nothing" in path else 200)
        assert not set(answer.headers) & {*SIX, *TWO}
    client.get("/api/arc/", 304, {"If-None-Match": "*"})


def test_without_its_redis_the_api_goes_on_counting(site, reader, redis, clock):
    app = site(**{"comicsdb.cache.url": redis.url, ".burst": "2"})
    client = Client(app, basic(reader.username, PASSWORD))
    assert left(client.get("/api/")) == (1, 4999)
    redis.kill()
    assert left(client.get("/api/")) == (1, 4999)
    assert left(client.get("/api/role/", 304, {"If-None-Match": "*"})) == (0, 4999)
    client.get("/api/", 429)


def test_the_description_tells_of_limits(site, reader, make, clock):
    client = Client(site(**{".burst": "4"}), basic(reader.username, PASSWORD))
    described = client.json("/api/schema/?format=json")
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
        assert {*SIX, *TWO} <= set(told["headers"])
    for name in ("Unauthorized", "Forbidden", "NotAcceptable"):
        assert not {*SIX, *TWO} & set(described["components"]["responses"][name]["headers"])


# What is written down.


@pytest.fixture
def told(caplog):
    """What was logged about who asks and who is refused."""
    caplog.set_level(logging.INFO, "comicsdb_api")
    return lambda level: [record for record in caplog.records if record.levelno == level]


def test_a_refusal_is_logged_with_its_number_of_the_day(site, reader, clock, told):
    client = Client(site(**{".burst": "1"}), basic(reader.username, PASSWORD))
    client.get("/api/arc/")
    client.get("/api/arc/", 429)
    client.get("/api/role/", 429)
    records = told(logging.WARNING)
    assert [record.getMessage() for record in records] == [
        "API request refused by the burst limit (user:reader, 1 today)",
        "API request refused by the burst limit (user:reader, 2 today)",
    ]
    assert [(each.identity, each.scope, each.count) for each in records] == [
        ("user:reader", "burst", 1),
        ("user:reader", "burst", 2),
    ]
    assert {record.name for record in records} == {LOGGER}
    assert [record.getMessage() for record in told(logging.INFO)] == [
        "API request authenticated by basic (user=reader, ip=unknown)"
    ] * 3


def test_each_limit_that_refuses_is_logged(site, reader, clock, told):
    settings = {".burst": "1", ".sustained": "1", ".free_304_429": "false"}
    client = Client(site(**settings), basic(reader.username, PASSWORD))
    client.get("/api/")
    client.get("/api/", 429)
    assert [record.scope for record in told(logging.WARNING)] == ["burst", "sustained"]


def test_nobody_is_logged_by_the_address(site, clock, told):
    app, here = site(**{".burst": "1"}), {"REMOTE_ADDR": "192.0.2.1"}
    app.get("/api/schema/", extra_environ=here)
    app.get("/api/schema/", extra_environ=here, status=429)
    (record,) = told(logging.WARNING)
    assert record.identity == "ip:192.0.2.1"
    assert told(logging.INFO) == []


def test_a_name_cannot_write_lines_of_its_own_into_the_log(site, make, passwords, clock, told):
    make.user("ann\nforged", password=PASSWORD, passwords=passwords)
    client = Client(site(**{".burst": "1"}), basic("ann\nforged", PASSWORD))
    client.get("/api/")
    client.get("/api/", 429)
    (record,) = told(logging.WARNING)
    assert record.identity == "user:ann forged"


def test_requests_that_succeed_are_counted_by_method(site, reader, bearer, make):
    app = site()
    path = f"/api/arc/{make.arc().id}/"
    counters = app.app.registry["comicsdb.counters"]
    counters._counts.clear()
    by_name, by_token = Client(app, basic(reader.username, PASSWORD)), Client(app, bearer)
    for _ in range(3):
        by_token.get(path)
    by_token.get(path, 304, {"If-None-Match": "*"})
    by_name.get(path)
    by_name.get("/api/arc/999999/", 404)
    by_name.get("/api/issue/?cv_id=x", 400)
    app.get("/api/schema/")
    assert {key.counter: count for key, count in counters._counts.items()} == {
        "authmethod:token": 4,
        "authmethod:basic": 1,
    }
