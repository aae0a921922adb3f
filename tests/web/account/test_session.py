"""Log-in and log-out, CSRF tokens, and the addresses to which the log-in form may redirect."""

import logging
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.models import LoginSession, User
from tests.web.conftest import form_to, log_in, soup


def account_name(testapp):
    """The account name in the page header, or None."""
    found = soup(testapp.get("/")).select_one(".account-name")
    return found.get_text(strip=True) if found else None


def test_logging_in_shows_the_account_and_stores_only_a_digest(testapp, member, session):
    response = log_in(testapp)
    assert response.status_int == 303
    assert response.location == "http://localhost/"
    assert account_name(testapp) == "Nora"
    row = session.scalars(select(LoginSession)).one()
    identifier = testapp.cookies["session"]
    assert row.digest == digest(identifier)
    assert identifier not in " ".join(str(value) for value in vars(row).values())
    assert timedelta(days=13, hours=23) < row.expires - datetime.now(UTC) <= timedelta(days=14)
    assert row.address in {"127.0.0.1", "unknown"}
    session.expire_all()
    assert session.get(User, member.id).last_login is not None


def test_the_cookie_is_for_the_server_alone(testapp, member):
    response = log_in(testapp)
    cookie = next(each for each in response.headers.getall("Set-Cookie") if each.startswith("session="))
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Max-Age=1296000" in cookie
    assert "Path=/" in cookie


def test_the_user_name_may_be_written_in_any_case(testapp, member):
    assert log_in(testapp, username="nORA").status_int == 303


def test_the_address_will_do_in_any_case_unless_it_is_anothers_name(testapp, member, make, session):
    member.email = "nora@Example.org"
    session.commit()
    assert log_in(testapp, username=" NORA@example.ORG ").status_int == 303
    assert account_name(testapp) == "Nora"
    testapp.reset()
    assert log_in(testapp, username="nora@example.org", password="wrong").status_int == 422
    make.user("nora@example.org", password="seven horses", passwords=Passwords("fast"))
    session.commit()
    testapp.reset()
    assert log_in(testapp, username="nora@example.org").status_int == 422
    log_in(testapp, username="nora@example.org", password="seven horses")
    assert account_name(testapp) == "nora@example.org"


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("Nora", "wrong"),
        ("nora@example.org", "wrong"),
        ("nobody@example.org", "wrong"),
        ("nobody", "correct horse"),
        ("Nora", ""),
        ("", ""),
        ("No\x00ra", "x"),
        ("N" * 9999, "x"),
    ],
)
def test_every_failure_has_the_same_words_and_keeps_the_name(testapp, member, username, password):
    response = log_in(testapp, username=username, password=password)
    assert response.status_int == 422
    page = soup(response)
    assert (
        page.select_one(".form-errors").get_text(strip=True)
        == "Incorrect user name, e-mail address or password."
    )
    assert page.select_one("#username")["value"] == username[:254].replace("\0", "\ufffd")
    assert page.select_one("#password").get("value") is None
    assert account_name(testapp) is None


def test_an_inactive_account_cannot_log_in_and_is_out_at_once(testapp, member, session):
    log_in(testapp)
    session.execute(update(User).where(User.id == member.id).values(is_active=False))
    session.commit()
    assert account_name(testapp) is None
    testapp.reset()
    assert log_in(testapp).status_int == 422


def test_an_account_without_a_password_cannot_log_in(testapp, make):
    make.user("Ghost")
    for password in ("!", "", "x"):
        assert log_in(testapp, username="Ghost", password=password).status_int == 422


def test_a_session_ends_after_two_weeks(testapp, member, session):
    log_in(testapp)
    session.execute(update(LoginSession).values(expires=datetime.now(UTC) - timedelta(seconds=1)))
    session.commit()
    assert account_name(testapp) is None


def test_logging_in_again_gives_a_new_identifier_and_ends_the_old_session(testapp, member, session):
    log_in(testapp)
    first = testapp.cookies["session"]
    token = soup(testapp.get("/")).select_one('form[action="/accounts/logout/"] [name="csrf_token"]')["value"]
    fields = {"username": "Nora", "password": "correct horse", "csrf_token": token}
    testapp.post("/accounts/login/", fields, status=303)
    assert testapp.cookies["session"] != first
    assert [row.digest for row in session.scalars(select(LoginSession))] == [
        digest(testapp.cookies["session"])
    ]


def test_an_identifier_that_the_browser_brings_is_never_adopted(testapp, member):
    testapp.set_cookie("session", "planted-by-somebody")
    log_in(testapp)
    assert testapp.cookies["session"] != "planted-by-somebody"


def test_logging_out_ends_the_session_here_and_there(testapp, member, session):
    log_in(testapp)
    identifier = testapp.cookies["session"]
    form = form_to(testapp.get("/"), "/accounts/logout/")
    response = form.submit()
    assert response.status_int == 303
    assert response.headers["Clear-Site-Data"] == '"cache"'
    assert "session" not in testapp.cookies
    assert session.scalars(select(LoginSession)).all() == []
    testapp.set_cookie("session", identifier)
    assert account_name(testapp) is None


def test_a_message_is_shown_once_and_its_page_is_not_kept(testapp, member):
    log_in(testapp)
    form = form_to(testapp.get("/"), "/accounts/logout/")
    form.submit()
    shown = testapp.get("/")
    message = soup(shown).select_one(".message-success")
    assert message["role"] == "status"
    assert message.get_text() == "You have been logged out. See you soon!"
    assert shown.headers["Cache-Control"] == "no-store"
    assert soup(testapp.get("/")).select_one(".message") is None
    assert "messages" not in testapp.cookies


def test_a_forged_message_is_not_shown(testapp):
    testapp.set_cookie("messages", "W1siZXJyb3IiLCJoYWhhIl1d")
    assert soup(testapp.get("/")).select_one(".message") is None


def test_the_log_names_account_and_address(testapp, member, caplog):
    with caplog.at_level(logging.INFO, logger="comicsdb"):
        log_in(testapp, username="Nobody\r\nUser logged in", password="x")
        log_in(testapp)
    lines = [record.getMessage() for record in caplog.records if record.name == "comicsdb.accounts.login"]
    assert len(lines) == 2
    assert lines[0].startswith("Log-in failed (user=Nobody  User logged in, ip=")
    assert lines[1].startswith("User logged in (user=Nora, ip=")
    assert not any("\n" in line for line in lines)


def test_a_form_without_the_token_of_its_page_is_refused(testapp, member, session):
    fields = {"username": "Nora", "password": "correct horse"}
    testapp.post("/accounts/login/", fields, status=400)
    testapp.get("/accounts/login/")
    for token in ("", "0" * 64, "wrong", "é"):
        testapp.post("/accounts/login/", fields | {"csrf_token": token}, status=400)
    assert session.scalars(select(LoginSession)).all() == []


def test_the_token_belongs_to_the_session(testapp, member):
    before = soup(testapp.get("/accounts/login/")).select_one('[name="csrf_token"]')["value"]
    log_in(testapp)
    testapp.post("/accounts/logout/", {"csrf_token": before}, status=400)
    page = soup(testapp.get("/"))
    after = page.select_one('form[action="/accounts/logout/"] [name="csrf_token"]')["value"]
    assert after != before
    testapp.post("/accounts/logout/", {}, headers={"X-CSRFToken": after}, status=303)


@pytest.mark.parametrize("target", ["/publisher/", "/series/?page=1&sort=x", "/search/?q=%C3%A9"])
def test_logging_in_leads_where_one_wanted_to_go(testapp, member, target):
    response = log_in(testapp, get={"next": target})
    assert response.location == f"http://localhost{target}"
    again = testapp.get("/accounts/login/", {"next": target}, status=302)
    assert again.location == f"http://localhost{target}"


def test_the_log_in_form_of_another_tab_leads_there_too(testapp, member):
    other_tab = form_to(testapp.get("/accounts/login/", {"next": "/publisher/"}), "/accounts/login/")
    log_in(testapp)
    response = other_tab.submit(status=303)
    assert response.location == "http://localhost/publisher/"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "/\t/evil.example/",
        "javascript:alert(1)",
        "evil.example",
        " /publisher/",
        "/a\r\nSet-Cookie: x=1",
        "/漫画",
        "",
    ],
)
def test_no_form_leads_to_another_site(testapp, member, target):
    form = form_to(testapp.get("/accounts/login/", {"next": target}), "/accounts/login/")
    assert form["next"].value == ""
    form["username"], form["password"], form["next"] = "Nora", "correct horse", target
    response = form.submit()
    assert response.status_int == 303
    assert response.location == "http://localhost/"


def test_a_login_opens_the_api_too_but_a_wrong_header_beside_it_does_not(testapp, member):
    log_in(testapp)
    testapp.get("/api/publisher/", status=200)
    testapp.get("/api/publisher/", headers={"Authorization": "Basic bm9ib2R5Ong="}, status=401)
