"""The security page, and the page behind the link in mails that locks an intruder out of the account."""

from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.security_events import record_security_event
from comicsdb.models import SecurityEventKind
from tests.conftest import session_account
from tests.mailbox import waiting_mails
from tests.web.conftest import form_to, log_in, soup, submit

PAGE = "/accounts/security/"


def events(response):
    return [each.h3.get_text(strip=True) for each in soup(response).select(".events .row")]


def test_events_stand_in_pages_of_which_the_owner_alone_sees_any(testapp, reader, make, session):
    context = AccountContext(session, None, None, None, None, {}, "192.0.2.9", "curl/8", "en")
    for number in range(24):
        record_security_event(context, reader, SecurityEventKind.FEED_MADE, name=f"<b>{number}")
    record_security_event(context, make.user("Olga"), SecurityEventKind.TOKEN_REVOKED)
    session.commit()
    first = testapp.get(PAGE)
    assert events(first) == ["Feed address created"] * 20
    assert "<b>23" in soup(first).select_one(".events .row").get_text()
    second = testapp.get(PAGE, {"page": "2"})
    assert events(second) == ["Feed address created"] * 4 + ["Logged in"]
    testapp.get(PAGE, {"page": "3"}, status=404)
    testapp.reset()
    testapp.get(PAGE, status=303)


def test_tokens_stand_beside_sessions(testapp, reader):
    form = form_to(testapp.get("/accounts/tokens/"), "/accounts/tokens/")
    form["name"] = "Tagger"
    form.submit()
    page = testapp.get(PAGE)
    assert "Tagger" in soup(page).select_one("table").get_text()
    assert events(page)[0] == "API token created"
    italian = testapp.get(PAGE, headers={"Accept-Language": "it"})
    assert events(italian)[0] == "Token API creato"


def test_an_account_is_taken_back_by_the_link_of_a_mail_but_not_by_opening_it(testapp, reader, session):
    form_to(testapp.get("/accounts/tokens/"), "/accounts/tokens/").submit()
    path = waiting_mails(session)[-1].link("/not-me/").partition("localhost")[2]
    mine = testapp.cookies["session"].strip('"')
    testapp.reset()
    page = testapp.get(path)
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "strict-origin"
    assert session_account(session, mine) is not None
    done = submit(testapp, path, status=200)
    assert soup(done).h1.get_text() == "Your account is secure again"
    assert session_account(session, mine) is None
    assert log_in(testapp).status_int == 422
    assert waiting_mails(session)[-1].kind == "reset"
    testapp.get(path, status=404)
    testapp.get("/s/not-me/1/x/", status=404)
