"""Log-in while many addresses guess a password: from a new address, it takes a link sent by e-mail."""

import pytest

from comicsdb.models import LoginSession
from tests.conftest import forget_limits
from tests.mailbox import waiting_mails
from tests.web.conftest import PASSWORD, field_errors, form_to, soup

LOGIN = "/accounts/login/"
HERE, AWAY = {"REMOTE_ADDR": "192.0.2.7"}, {"REMOTE_ADDR": "198.51.100.9"}


def try_password(testapp, password, environ, name="Nora"):
    """The response to a log-in from an address."""
    page = form_to(testapp.get(LOGIN, extra_environ=environ), LOGIN)
    page["username"], page["password"] = name, password
    return page.submit(extra_environ=environ, expect_errors=True)


@pytest.fixture
def guessed(wsgi, member):
    """The member, after twenty wrong passwords for her and for a name without an account."""
    for name in ("Nora", "nobody"):
        for number in range(20):
            wsgi.registry["comicsdb.guard"].record_failure(name, f"203.0.{number}.1")
    return member


def test_the_page_says_that_a_link_was_mailed_and_the_link_logs_in(testapp, session, guessed):
    refused = try_password(testapp, PASSWORD, AWAY)
    assert refused.status_int == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "we have e-mailed its owner a link" in field_errors(refused)[""]
    address = waiting_mails(session)[-1].link("/s/login/")
    path = "/" + address.split("/", 3)[3]
    for _ in range(2):
        page = testapp.get(path, extra_environ=AWAY)  # opening it does not use up the link
    assert page.headers["Referrer-Policy"] == "strict-origin"
    done = form_to(page, path).submit(extra_environ=AWAY, status=303)
    assert done.location == "http://localhost/"
    assert session.query(LoginSession).one().address == AWAY["REMOTE_ADDR"]
    assert testapp.get("/accounts/", extra_environ=AWAY).status_int == 200
    assert "does not work" in soup(testapp.get(path, extra_environ=AWAY, status=404)).h1.get_text()
    testapp.reset()
    assert try_password(testapp, PASSWORD, AWAY).status_int == 303  # a known address from now on


def test_where_she_was_before_the_password_works(testapp, session, guessed, wsgi):
    forget_limits(wsgi.registry["comicsdb.guard"]._limiter)
    assert try_password(testapp, PASSWORD, HERE).status_int == 303
    for number in range(20):
        wsgi.registry["comicsdb.guard"].record_failure("nora", f"203.0.{number}.1")
    testapp.reset()
    assert try_password(testapp, PASSWORD, AWAY).status_int == 429
    assert try_password(testapp, PASSWORD, HERE).status_int == 303


def test_nobody_is_told_the_same(testapp, session, guessed):
    answers = [try_password(testapp, "wrong", AWAY, name) for name in ("Nora", "nobody")]
    assert field_errors(answers[0]) == field_errors(answers[1])
    assert {each.status_int for each in answers} == {429}
    assert {mail.to for mail in waiting_mails(session)} == {guessed.email}


def test_the_link_leads_to_the_second_step_where_there_is_one(testapp, session, guessed):
    guessed.second_factor = True
    session.commit()
    try_password(testapp, PASSWORD, AWAY)
    path = "/" + waiting_mails(session)[-1].link("/s/login/").split("/", 3)[3]
    done = form_to(testapp.get(path, extra_environ=AWAY), path).submit(extra_environ=AWAY, status=303)
    assert done.location == "http://localhost/accounts/login/second/"
    assert session.query(LoginSession).all() == []
