"""The policy for cached reads responds as the views do: compared with and without it, on hits and misses."""

import logging
from contextlib import contextmanager, nullcontext
from itertools import cycle

import pytest
from sqlalchemy import delete, update

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, User
from comicsdb.readcache.policy import CachedReadPolicy
from tests.api.cached.test_cached_reads import CACHED
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.api.http_dates import ADDRESSES, FAR_AHEAD, LONG_AGO, MOMENT
from tests.api.resource.test_statements import AGAIN, COSTS, HIT, MISS
from tests.conftest import forget_attempts, record_statements

TOKEN, SLEEPING = "cdb_" + "2d" * 32, "cdb_" + "2f" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}
BASIC = basic_auth("reader", PASSWORD)
LOGGER = "comicsdb_api.auth"
SOMEBODY = "192.0.2.99"  # the address of another client


@contextmanager
def views_only(app):
    """Run the application without the policy for cached reads."""
    around = app.execution_policy
    while not isinstance(around._inner, CachedReadPolicy):
        around = around._inner
    early = around._inner
    around._inner = early._inner  # the policy that it passes requests on to
    try:
        yield
    finally:
        around._inner = early


@pytest.fixture
def ids(make, reader, ids):
    """Ids of an object of each kind; also makes the tokens that the requests below use."""
    for user, token in ((reader, TOKEN), (make.user("sleeper", is_active=False), SLEEPING)):
        make.session.add(ApiToken(digest=digest(token), token_key=token[:8], user_id=user.id))
    make.session.commit()
    return ids


@pytest.fixture
def send(testapp):
    """A function that sends a request and accepts any response."""
    unchecked = type(testapp)(testapp.app, lint=False)

    def send(path, headers, *, method="GET", environ=None):
        return unchecked.request(
            path, method=method, headers=headers, environ=environ, status="*", expect_errors=True
        )

    return send


def shown(answer):
    """A response without its X-Cache header: status, other headers, body."""
    kept = sorted((name, value) for name, value in answer.headers.items() if name != "X-Cache")
    return answer.status, kept, answer.body


@pytest.fixture
def compared(wsgi, send):
    """A function that sends a request as a miss and a hit, with the policy for cached reads and without.

    All four responses must be the same. Before each second request the body is cached: by the first, or by
    a request of another client. Failed attempts to log in are forgotten before each comparison.
    """

    def compared(path, headers, *, environ=None, **more):
        answers = []
        forget_attempts(wsgi)
        for place in (nullcontext, views_only):
            wsgi.registry["comicsdb.cache"].clear()
            with place(wsgi):
                answers.append(send(path, headers, environ=environ, **more))
            if answers[-1].headers.get("X-Cache") != "MISS":
                host = {name: value for name, value in headers.items() if name == "Host"}
                send(path, BEARER | host, environ={**(environ or {}), "REMOTE_ADDR": SOMEBODY})
            with place(wsgi):
                answers.append(send(path, headers, environ=environ, **more))
        for answer in answers:
            assert shown(answer) == shown(answers[0]), (path, headers, more)
        found = [answer.headers.get("X-Cache") for answer in answers]
        assert found in (["MISS", "HIT"] * 2, [None] * 4), (path, headers, more)
        return answers[0]

    return compared


CONDITIONS = [
    {},
    {"If-None-Match": "*"},
    {"If-None-Match": '"x"', "If-Modified-Since": FAR_AHEAD},
    {"If-Match": '"x"'},
    {"If-Modified-Since": FAR_AHEAD},
    {"If-Modified-Since": LONG_AGO},
    {"If-Unmodified-Since": LONG_AGO},
    {"If-Unmodified-Since": "x", "If-Modified-Since": "x"},
]


def test_every_address_under_conditions(compared, ids):
    """Every address without conditions and under one or two; each condition at a quarter of the addresses.

    The conditions are evaluated in one place, for all addresses alike.
    """
    for number, sent in enumerate(CONDITIONS):
        some = ADDRESSES[number % 4 :: 4]
        for method, addresses in (("GET", some if sent else ADDRESSES), ("HEAD", some[number // 4 :: 2])):
            for address in addresses:
                answer = compared(address.format(**ids), BEARER | sent, method=method)
                assert answer.status_int in {200, 304, 412}


def test_its_own_tag_and_date(compared, send, ids):
    for address in CACHED:
        path = address.format(**ids)
        known = send(path, BEARER).headers
        for header, value in (
            ("If-None-Match", f"W/{known['ETag']}"),
            ("If-Match", known["ETag"]),
            ("If-Modified-Since", known.get("Last-Modified", LONG_AGO)),
        ):
            compared(path, BEARER | {header: value})


PATHS = """
/api/arc /api/arc/{arc} /api/arc/{arc}.json /api/arc.json /api/arc.json/ /api/arc/{arc}.xml /api/arc/0{arc}/
/api/arc/0/ /api/arc/-1/ /api/arc/x/ /api/arc/%35/ /api/arc/%D9%A3/ /api/arc/1234567890/
/api/arc/99999999999/ /api/arc/999999999/ /api/arc/{arc}// /api//{arc}/ /api/arc//issue_list/
/api/arc/{arc}/list/ /api/arc/list/ /api/arc/list/{arc}/ /api/arc.issue_list/{arc}/ /api/arc.list/
/api/arc.list/{arc}/ /api/arc/{arc}/issue_list.json /api/arc/00{arc}/issue_list/ /api/arc/999999/issue_list/
/api/arc/x/issue_list/ /api/arc/{arc}/series_list/ /api/publisher/{publisher}/issue_list/
/api/creator/{creator}/issue_list/ /api/ARC/ /api/arc/{arc}/Issue_List/ /api/role/1/ /api/unknown/ /api/%00/
/api/arc/%00/ /api/%ff/ /api/arc;x/ /API/arc/ /api/arc/{arc}/%2e/ /api/arc/?page=1 /api/arc/?page=last
/api/arc/?page=2 /api/arc/?page=x /api/arc/?page=0 /api/arc/?page=1&page=1 /api/arc/?format=json
/api/arc/?format=api /api/arc/?format= /api/arc/?format=xml /api/arc/?format=xml&format=json
/api/arc/?name=arc /api/arc/?name=%ff /api/arc/?name=%00 /api/arc/?cv_id=x&modified_gt=x /api/arc/?=
/api/arc/?&& /api/arc/{arc}/?x=y /api/arc/{arc}/?page=9 /api/arc/{arc}/issue_list/?page=2
/api/arc/{arc}/issue_list/?number=9 /api/issue/?series_id=x /api/issue/?role_id=1&role_id=2
/api/issue/?number=%C2%BD /api/issue/?a=1;b=2
""".split()


def test_every_way_to_write_an_address(compared, ids):
    conditions = cycle(({"If-Modified-Since": FAR_AHEAD}, {"If-None-Match": "*"}))
    for written in PATHS:
        for sent in ({}, next(conditions)):
            compared(written.format(**ids), BEARER | sent)


CREDENTIALS = [
    {},
    BASIC,
    {"Authorization": BASIC["Authorization"].replace("Basic", "bAsIc  ")},
    basic_auth("READER", PASSWORD),
    basic_auth("reader", "wrong"),
    basic_auth("nobody", PASSWORD),
    basic_auth("sleeper", PASSWORD),
    basic_auth("rea\0der", PASSWORD),
    basic_auth("reader", "é"),
    {"Authorization": f"bearer {TOKEN}"},
    {"Authorization": f"Bearer {TOKEN} x"},
    {"Authorization": f"Bearer {SLEEPING}"},
    {"Authorization": f"Bearer {TOKEN}0"},
    {"Authorization": f"Bearer {TOKEN}1"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer \xff"},
    {"Authorization": "Basic"},
    {"Authorization": "Basic !"},
    {"Authorization": "Basic \xff"},
    {"Authorization": f"Token {TOKEN}"},
    {"Authorization": " "},
    {"Cookie": "session=x"},
]
OTHER_HEADERS = [
    {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
    {"Accept": "application/json;q=0"},
    {"Accept": "image/png"},
    {"Accept": "\xff"},
    {"Accept": ""},
    {"Accept-Language": "it"},
    {"Accept-Encoding": "gzip"},
    {"Cookie": "session=x; \xff"},
    {"Range": "bytes=0-5"},
    {"Host": "comics.example"},
    {"Host": "localhost:80"},
    {"Host": "\xff<>"},
    {"X-HTTP-Method-Override": "DELETE"},
    {"X-Forwarded-For": "1.2.3.4", "X-Real-IP": "1.2.3.4"},
    {"Content-Type": "x"},
]


def test_whoever_asks_and_whatever_else_is_said(compared, ids, caplog):
    caplog.set_level(logging.INFO, LOGGER)
    addresses = ("/api/arc/{arc}/", "/api/arc/{arc}/issue_list/", "/api/arc/", "/api/arc/999999/")
    for number, sent in enumerate((*CREDENTIALS, *(BEARER | each for each in OTHER_HEADERS))):
        for place, address in enumerate(addresses):
            for method in ("GET", "HEAD") if (number + place) % 4 == 0 else ("GET",):
                caplog.clear()
                compared(address.format(**ids), sent, method=method)
                told = [each for each in caplog.records if each.ip != SOMEBODY]
                assert len({(each.levelname, each.getMessage()) for each in told}) in {0, 1}
                assert len(told) in {0, 4}  # one line for each of the four requests, or none


def test_other_methods(compared, ids):
    methods = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FETCH", "get")
    for number, method in enumerate(methods):
        for address in CACHED[number % 2 :: 2]:
            assert "X-Cache" not in compared(address.format(**ids), BEARER, method=method).headers


def test_other_places_of_the_application(compared, ids):
    for environ in (
        {"wsgi.url_scheme": "https"},
        {"SCRIPT_NAME": "/below"},
        {"SCRIPT_NAME": "/é".encode().decode("latin-1")},
        {"SERVER_NAME": "x", "SERVER_PORT": "81"},
        {"REMOTE_ADDR": "192.0.2.7"},
    ):
        for address in (
            "/api/arc/{arc}/",
            "/api/arc/{arc}/issue_list/",
            "/api/arc/",
            "/api/publisher/{publisher}/",
        ):
            compared(address.format(**ids), BEARER, environ=environ)


# What the policy answers itself, and what it passes on.


def test_a_hit_and_a_304_are_answered_in_one_statement_without_a_view(wsgi, send, ids, connection):
    stamps = 1  # statement: the views read the stamps separately
    for address in CACHED:
        path = address.format(**ids)
        tag = send(path, BEARER).headers["ETag"]
        for sent, status in (({}, 200), ({"If-None-Match": tag}, 304)):
            with record_statements(connection) as early:
                assert send(path, BEARER | sent).status_int == status
            with views_only(wsgi), record_statements(connection) as late:
                assert send(path, BEARER | sent).status_int == status
            assert (len(early), len(late)) == (HIT, HIT + stamps)


def test_a_304_by_date_needs_no_entry(wsgi, send, ids, connection):
    path = f"/api/issue/{ids['issue']}/"
    wsgi.registry["comicsdb.cache"].clear()
    with record_statements(connection) as statements:
        assert send(path, BEARER | {"If-Modified-Since": FAR_AHEAD}).status_int == 304
    assert len(statements) == HIT


def test_who_was_let_in_is_logged_once_wherever_it_is_answered(api, make, caplog):
    path = f"/api/arc/{make.arc().id}/"
    api.get(path)
    caplog.set_level(logging.INFO, LOGGER)
    for expected in ({}, {"If-Modified-Since": FAR_AHEAD}, {"If-None-Match": "*"}, {"If-Match": '"x"'}):
        caplog.clear()
        status = 412 if "If-Match" in expected else 304 if expected else 200
        api.get(path, status, expected)
        (record,) = caplog.records
        assert record.getMessage().endswith("basic (user=reader, ip=unknown)")
        assert (record.username, record.auth_method, record.ip) == ("reader", "basic", "unknown")


def test_the_address_of_a_list_is_not_the_name_of_its_route(api, make):
    arc = make.arc()
    for _ in range(2):
        api.get(f"/api/arc/{arc.id}/issue_list/")
    for path in (f"/api/arc.issue_list/{arc.id}/", "/api/arc.list/", f"/api/arc.list/{arc.id}/"):
        assert api.json(path, 404) == {"detail": "Not found."}


def test_a_password_is_hashed_again_after_a_while_and_the_answer_is_the_same(api, wsgi, make, monkeypatch):
    path = f"/api/arc/{make.arc().id}/"
    body = api.get(path).body
    monkeypatch.setattr("comicsdb.accounts.passwords.CACHE_SECONDS", -1)
    make.user("second", password="other", passwords=wsgi.registry["comicsdb.passwords"])
    second = Client(api.testapp, basic_auth("second", "other"))
    for _ in range(2):  # the password is never remembered, so the view always answers
        answer = second.get(path)
        assert (answer.body, answer.headers["X-Cache"]) == (body, "HIT")


def test_what_was_found_out_early_is_not_asked_again_and_not_older_than_the_request(api, make, connection):
    arc = make.arc()
    path = f"/api/arc/{arc.id}/"
    api.get(path)
    make.session.execute(update(type(arc)).values(modified=MOMENT))
    make.session.execute(update(User).values(is_staff=True))
    make.session.commit()
    with record_statements(connection) as statements:
        answer = api.get(path)
    assert answer.headers["X-Cache"] == "MISS"
    assert answer.json["modified"] == "2026-02-03T04:05:06.700000Z"
    assert len(statements) == 3  # the epoch has changed: account and stamps are read again, then the body


# Bodies that the policy makes, and data that is not for everybody.
CLOSED = tuple(f"/api/{kind}/" for kind in ("collection", "pull_list", "read", "reading_list", "wish_list"))
NOT_CACHED = [address for address, cost in COSTS.items() if cost == MISS and address not in CACHED]


def test_lists_that_are_not_cached_are_answered_as_by_views(compared, ids):
    for address in NOT_CACHED:
        for query in ("", "?page=last", "?page=9", "?page=x", "?_=1&page=1", "?modified_gt=x"):
            compared(address.format(**ids) + query, BEARER)
        compared(address.format(**ids), BEARER | {"If-None-Match": "*"}, method="HEAD")


def test_what_is_somebodys_own_needs_the_right_to_it(compared, ids):
    for address in NOT_CACHED:
        for headers in ({}, BEARER | {"Authorization": f"Bearer {SLEEPING}"}, basic_auth("reader", "wrong")):
            is_open = not headers and not address.startswith(CLOSED) and not address.endswith("/history/")
            status = 200 if is_open else 401
            assert compared(address.format(**ids), headers).status_int == status


def test_a_miss_is_one_statement_while_account_and_stamps_are_remembered(api, make, connection):
    make.arc()
    for path in ("/api/arc/", "/api/reading_list/", "/api/collection/"):
        api.get(path)
        with record_statements(connection) as statements:
            api.get(f"{path}?modified_gt=2020-01-01")
        assert len(statements) == AGAIN, statements


@pytest.mark.parametrize(
    "path", ["/api/arc/?name=a", "/api/arc/?page=9", "/api/arc/?cv_id=x", "/api/arc/{arc}/", "/api/role/"]
)
def test_a_body_is_not_made_for_a_remembered_account_that_is_gone(wsgi, send, make, ids, path):
    path = path.format(**ids)
    send(path.partition("?")[0], BEARER)
    wsgi.registry["comicsdb.cache"].clear()
    make.session.execute(delete(ApiToken))
    make.session.commit()
    assert send(path, BEARER).status_int == 401
    assert len(wsgi.registry["comicsdb.cache"].lru) == 0


def test_a_body_is_not_stored_under_remembered_stamps_that_have_moved(api, make):
    arc = make.arc(name="First")
    api.get("/api/arc/")
    make.catalog.update(arc, {"name": "Second"})
    make.session.commit()
    for expected in ("MISS", "HIT"):
        answer = api.get("/api/arc/?name=second")
        assert (answer.json["count"], answer.headers["X-Cache"]) == (1, expected)
