"""Limits of a token within those of its account: a runaway program leaves a share to the others."""

import logging

import pytest

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.api.throttle.rate_limit_headers import BURST, LOGGER, SUSTAINED, remaining_requests


@pytest.fixture
def programs(session, reader):
    """`programs(app, number)`: clients with a token each, all of one account."""

    def clients(app, number):
        texts = [f"token-{each}" for each in range(number)]
        session.add_all(
            ApiToken(digest=digest(text), token_key=text[:8], user_id=reader.id) for text in texts
        )
        session.commit()
        return [Client(app, {"Authorization": f"Bearer {text}"}) for text in texts]

    return clients


def used_up(client, path="/api/arc/") -> int:
    """How many requests were answered before the first refusal."""
    for number in range(100):
        answer = client.testapp.get(path, headers=client.headers, status="*")
        if answer.status_int == 429:
            return number
    raise AssertionError("no limit")


@pytest.mark.parametrize("path", ["/api/", "/api/arc/"])
@pytest.mark.parametrize("free", ["true", "false"])
def test_a_program_gone_wild_leaves_a_share_to_the_others(site, programs, clock, path, free):
    wild, other = programs(site(**{".free_304_429": free}), 2)
    assert used_up(wild, path) == 15
    for _ in range(30):
        wild.get(path, 429)  # the refused requests use up nothing
    assert remaining_requests(other.get(path)) == (4, 3749)  # and its own share of the day
    assert used_up(other, path) == 4
    refused = other.get(path, 429)
    assert refused.headers[f"{BURST}Limit"] == "20"  # its own limit would let it pass: this is the account's
    assert refused.headers["Retry-After"] == "60"


def test_the_headers_tell_the_tighter_limit(site, programs, clock):
    one, other = programs(site(), 2)
    first = one.get("/api/")
    assert (first.headers[f"{BURST}Limit"], first.headers[f"{SUSTAINED}Limit"]) == ("15", "3750")
    assert remaining_requests(first) == (14, 3749)
    assert first.headers["RateLimit-Policy"] == '"burst";q=15;w=60, "sustained";q=3750;w=86400'
    assert first.headers["RateLimit"] == '"burst";r=14;t=60, "sustained";r=3749;t=86400'
    for _ in range(9):
        one.get("/api/")
    second = other.get("/api/")  # eleven of the twenty are used
    assert (second.headers[f"{BURST}Limit"], second.headers[f"{SUSTAINED}Limit"]) == ("20", "3750")
    assert remaining_requests(second) == (9, 3749)


def test_the_day_has_shares_too_and_a_304_costs_neither(site, programs, clock):
    one, other = programs(site(**{".sustained": "8", ".share": "50"}), 2)
    tag = {"If-None-Match": one.get("/api/arc/").headers["ETag"]}
    for path in ("/api/arc/", "/api/"):
        again = tag if path == "/api/arc/" else {"If-None-Match": other.get("/api/").headers["ETag"]}
        for _ in range(2):
            one.get(path, 304, again)
    assert remaining_requests(one.get("/api/"))[1] == 2
    one.get("/api/"), one.get("/api/")
    refused = one.get("/api/", 429)
    assert refused.headers[f"{SUSTAINED}Limit"] == "4"
    assert refused.headers["Retry-After"] == "86400"
    assert remaining_requests(other.get("/api/"))[1] == 2  # its own: 4 less 2; the account's: 8 less 6


def test_an_only_token_and_a_password_have_everything(site, programs, clock):
    app = site()
    (only,) = programs(app, 1)
    assert used_up(only) == 20
    clock.shift(60)
    by_password = Client(app, basic_auth("reader", PASSWORD))
    assert used_up(by_password) == 20


def test_shares_begin_with_the_second_token_and_end_with_it(site, programs, reader, clock, session):
    only = programs(site(), 1)[0]
    assert only.get("/api/arc/").headers[f"{BURST}Limit"] == "20"
    second = ApiToken(digest=digest("second"), token_key="second", user_id=reader.id, scope="read")
    session.add(second)
    session.commit()
    assert only.get("/api/arc/").headers[f"{BURST}Limit"] == "15"
    session.delete(second)
    session.commit()
    assert only.get("/api/arc/").headers[f"{BURST}Limit"] == "20"


def test_all_of_it_where_the_setting_says_so(site, programs, clock):
    assert used_up(programs(site(**{".share": "100"}), 2)[0]) == 20


def test_what_is_refused_by_both_is_noted_once(site, programs, clock, caplog):
    app = site(**{".share": "100"})
    one, _other = programs(app, 2)
    used_up(one)
    caplog.clear()
    with caplog.at_level(logging.WARNING, LOGGER):
        one.get("/api/arc/", 429)
    assert [record.scope for record in caplog.records] == ["burst"]
