"""Guessing passwords by HTTP Basic: after a few failures even the right one is refused."""

from datetime import timedelta

import pytest
import time_machine

from comicsdb.accounts.passwords import digest
from comicsdb.clock import now
from comicsdb.models import ApiToken
from tests.api.conftest import PASSWORD, basic_auth
from tests.mailbox import waiting_mails

PATH = "/api/arc/"


def guess(client, times=5, name="reader", password="wrong"):
    for _ in range(times):
        client.get(PATH, 401, basic_auth(name, password))


def test_five_failures_are_enough(anonymous, reader, caplog):
    with time_machine.travel(now(), tick=False) as clock:
        guess(anonymous)
        answer = anonymous.get(PATH, 429, basic_auth("reader", PASSWORD))
        detail = "Too many failed attempts. Expected available in 900 seconds."
        assert answer.json == {"detail": detail, "data": "http://localhost/data/"}
        assert answer.headers["Retry-After"] == "900"
        assert not any(name.startswith("X-RateLimit") for name in answer.headers)
        assert "WWW-Authenticate" not in answer.headers
        assert caplog.messages[-1] == "API credentials refused by basic (user=reader, ip=unknown)"
        clock.shift(timedelta(minutes=15, seconds=1))
        anonymous.get(PATH, 200, basic_auth("reader", PASSWORD))


def test_a_right_guess_that_is_remembered_and_cached_is_refused_like_any(anonymous, reader, make):
    """Otherwise a right guess could be told from a wrong one, and guessing could go on at no cost."""
    arc = f"{PATH}{make.arc().id}/"
    for path in (PATH, arc, arc):  # the last is answered from the cache, before all other checks
        anonymous.get(path, 200, basic_auth("reader", PASSWORD))
    guess(anonymous)
    for path in (PATH, arc):
        right, wrong = (anonymous.get(path, 429, basic_auth("READER", each)) for each in (PASSWORD, "wrong"))
        assert right.json.keys() == wrong.json.keys() == {"detail", "data"}


def test_who_has_a_token_or_comes_from_elsewhere_is_not_concerned(anonymous, testapp, session, reader):
    session.add(ApiToken(digest=digest("a-token"), token_key="x", user_id=reader.id))
    session.commit()
    guess(anonymous)
    anonymous.get(PATH, 200, {"Authorization": "Bearer a-token"})
    elsewhere = {"REMOTE_ADDR": "192.0.2.8"}
    testapp.get(PATH, headers=basic_auth("reader", PASSWORD), extra_environ=elsewhere, status=200)


def test_names_do_not_matter_to_the_limit_of_an_address(anonymous, reader):
    for number in range(20):
        guess(anonymous, 1, f"nobody{number}")
    anonymous.get(PATH, 429, basic_auth("reader", PASSWORD))


def test_the_site_and_the_api_count_together(testapp, anonymous, reader):
    guess(anonymous, 3)
    for _ in range(2):
        page = testapp.get("/accounts/login/")
        (form,) = {id(form): form for form in page.forms.values() if "password" in form.fields}.values()
        form["username"], form["password"] = "reader", "wrong"
        form.submit(status=422)
    anonymous.get(PATH, 429, basic_auth("reader", PASSWORD))


@pytest.mark.parametrize("header", ["Basic", "Basic a b", "Basic §", "Bearer wrong", "Token wrong"])
def test_what_is_no_guess_is_not_counted(anonymous, reader, header):
    for _ in range(25):
        anonymous.get(PATH, 401, {"Authorization": header.encode().decode("latin-1")})
    anonymous.get(PATH, 200, basic_auth("reader", PASSWORD))


def test_who_is_guessed_from_many_addresses_is_known_where_she_was_before(
    testapp, session, wsgi, reader, make
):
    arc = f"{PATH}{make.arc().id}/"
    right = basic_auth("reader", PASSWORD)
    here, away = {"REMOTE_ADDR": "192.0.2.7"}, {"REMOTE_ADDR": "198.51.100.9"}

    def ask(path, environ, status):
        return testapp.get(path, headers=right, extra_environ=environ, status=status)

    for _ in range(2):
        ask(arc, here, 200)
    reader.basic_address = "192.0.2.99"  # as the counters write it
    session.commit()
    for number in range(20):
        wrong = basic_auth("reader", "wrong")
        testapp.get(PATH, headers=wrong, extra_environ={"REMOTE_ADDR": f"203.0.{number}.1"}, status=401)
    for path in (PATH, arc):
        refused = ask(path, away, 429)
        assert refused.json["detail"].startswith("Too many failed attempts. Expected available in ")
        ask(path, here, 200)
    assert [mail.kind for mail in waiting_mails(session)] == ["security_wrong_passwords", "log_in"]
