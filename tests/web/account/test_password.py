"""Changing a password, and resetting a forgotten one."""

import re
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import select

from comicsdb import clock
from comicsdb.accounts.passwords import digest
from comicsdb.models import LoginSession, User
from tests.mailbox import waiting_mails
from tests.web.conftest import field_errors, log_in, soup, submit

CHANGE = "/accounts/password_change/"
FORGOTTEN = "/accounts/password_reset/"
NEW = {"new_password": "nine mules", "new_password_again": "nine mules"}


def title(response) -> str:
    return soup(response).h1.get_text()


def link(session) -> str:
    return re.sub(r"^https?://[^/]*", "", waiting_mails(session)[-1].links[0])


def test_a_change_renews_this_session_and_ends_every_other(testapp, member, session):
    log_in(testapp)
    elsewhere = testapp.cookies["session"]
    testapp.reset()
    log_in(testapp)
    before = testapp.cookies["session"]
    response = submit(testapp, CHANGE, password="correct horse", **NEW)
    assert response.location == "http://localhost/accounts/password_change/done/"
    assert title(response.follow()) == "Your password was changed"
    after = testapp.cookies["session"]
    assert after not in {before, elsewhere}
    assert [row.digest for row in session.scalars(select(LoginSession))] == [digest(after)]
    testapp.reset()
    assert log_in(testapp).status_int == 422
    assert log_in(testapp, password="nine mules").status_int == 303


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"password": "wrong", **NEW}, "password"),
        ({"password": "correct horse", "new_password": "x", "new_password_again": "x"}, "new_password"),
        ({"password": "correct horse", **NEW, "new_password_again": "ten mules"}, "new_password_again"),
    ],
)
def test_a_refused_change_says_why_and_keeps_everything(testapp, member, session, fields, wrong):
    log_in(testapp)
    before = testapp.cookies["session"]
    response = submit(testapp, CHANGE, status=422, **fields)
    assert set(field_errors(response)) == {wrong}
    assert testapp.cookies["session"] == before
    testapp.get("/accounts/", status=200)
    assert all(each.get("value") is None for each in soup(response).find_all("input", type="password"))


def test_the_old_address_of_the_form_leads_to_the_new_one(testapp):
    assert testapp.get("/accounts/password/", status=301).location == f"http://localhost{CHANGE}"


def test_from_a_forgotten_password_to_a_new_one(testapp, member, session):
    log_in(testapp)
    elsewhere = testapp.cookies["session"]
    testapp.reset()
    asked = submit(testapp, FORGOTTEN, email="NORA@example.org")
    assert asked.location == "http://localhost/accounts/password_reset/done/"
    assert title(asked.follow()) == "Check your e-mail"
    path = link(session)
    assert testapp.head(path).status_int == 200
    page = testapp.get(path)
    assert page.headers["Referrer-Policy"] == "strict-origin"
    assert "Nora" in soup(page).main.get_text()
    bad = submit(testapp, path, status=422, new_password="x", new_password_again="x")
    assert set(field_errors(bad)) == {"new_password"}
    done = submit(testapp, path, **NEW)
    assert done.location == "http://localhost/accounts/reset/done/"
    assert title(done.follow()) == "Your new password is set"
    assert session.scalars(select(LoginSession)).all() == []
    testapp.set_cookie("session", elsewhere)
    testapp.get("/accounts/", status=303)
    testapp.reset()
    assert log_in(testapp, password="nine mules").status_int == 303


def test_a_link_works_once_and_for_a_day(testapp, member, session):
    submit(testapp, FORGOTTEN, email="nora@example.org")
    path = link(session)
    with time_machine.travel(clock.now() + timedelta(hours=24, minutes=1)):
        assert title(testapp.get(path, status=404)) == "This link does not work"
    submit(testapp, path, **NEW)
    page = testapp.get(path, status=404)
    assert soup(page).select_one(".card-links a")["href"] == FORGOTTEN


@pytest.mark.parametrize("path", ["/s/reset/1/wrong/", "/s/reset/%01/%01/", "/s/reset/x/y/"])
def test_a_bad_link_changes_nothing(testapp, member, path):
    testapp.get(path, status=404)
    token = soup(testapp.get(FORGOTTEN)).find("input", attrs={"name": "csrf_token"})["value"]
    testapp.post(path, {"csrf_token": token, **NEW}, status=404)
    assert log_in(testapp).status_int == 303


def test_nobody_gets_a_letter_for_an_unknown_address(testapp, make, session):
    make.user("Olga", is_active=False)
    for email in ("nobody@example.org", "olga@example.org"):
        assert submit(testapp, FORGOTTEN, email=email).location.endswith("/password_reset/done/")
    assert waiting_mails(session) == []


def test_a_malformed_address_is_said(testapp):
    response = submit(testapp, FORGOTTEN, status=422, email="no address")
    assert set(field_errors(response)) == {"email"}


def test_too_many_letters_are_refused(testapp, member):
    for _ in range(20):
        submit(testapp, FORGOTTEN, email="nora@example.org")
    response = submit(testapp, FORGOTTEN, status=429, email="nora@example.org")
    assert int(response.headers["Retry-After"]) > 0
    assert "attempts" in field_errors(response)[""]


def test_the_new_password_is_hashed(testapp, member, session):
    log_in(testapp)
    submit(testapp, CHANGE, password="correct horse", **NEW)
    session.expire_all()
    assert session.get(User, member.id).password.startswith("$argon2id$")
