"""The sessions on the security page: how they are shown and ended."""

import pytest
from sqlalchemy import select

from comicsdb.accounts.browsers import browser_name
from comicsdb.accounts.passwords import Passwords
from comicsdb.models import LoginSession
from tests.web.conftest import form_to, log_in, notice, soup

PAGE = "/accounts/security/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 "
    "Safari/537.36 Edg/141.0.0.0"
)


@pytest.fixture
def three(testapp, member):
    """The identifiers of three sessions of the member, the newest last; the test client uses the last one."""
    identifiers = []
    for agent in (FIREFOX, EDGE, IPHONE):
        testapp.reset()
        testapp.extra_environ["HTTP_USER_AGENT"] = agent
        log_in(testapp)
        identifiers.append(testapp.cookies["session"])
    yield identifiers
    testapp.extra_environ.pop("HTTP_USER_AGENT")


def rows(testapp):
    return soup(testapp.get(PAGE)).select(".sessions .row")


def works(testapp, identifier) -> bool:
    testapp.reset()
    testapp.set_cookie("session", identifier)
    return testapp.get("/accounts/", expect_errors=True).status_int == 200


def test_every_session_is_shown_and_this_one_marked(testapp, three):
    found = [each.h3.get_text(" ", strip=True) for each in rows(testapp)]
    assert testapp.get("/accounts/sessions/", status=301).location == f"http://localhost{PAGE}"
    assert sorted(found) == ["Edge on Windows", "Firefox on Linux", "Safari on iPhone This browser"]
    assert all("127.0.0.1" in each.get_text() or "unknown" in each.get_text() for each in rows(testapp))
    assert not any(identifier in testapp.get(PAGE).text for identifier in three)


def test_one_session_is_ended(testapp, three):
    row = next(each for each in rows(testapp) if "Firefox" in each.get_text())
    response = form_to(testapp.get(PAGE), row.form["action"]).submit(status=303)
    assert response.location == f"http://localhost{PAGE}"
    assert notice(response.follow()).startswith("The session has ended.")
    assert [works(testapp, each) for each in three] == [False, True, True]


def test_ending_this_one_is_logging_out(testapp, three):
    row = next(each for each in rows(testapp) if "This browser" in each.get_text())
    response = form_to(testapp.get(PAGE), row.form["action"]).submit(status=303)
    assert response.location == "http://localhost/accounts/login/"
    assert "session" not in testapp.cookies
    assert [works(testapp, each) for each in three] == [True, True, False]


def test_all_sessions_are_ended_at_once(testapp, three, make):
    make.user("Olga", password="correct horse", passwords=Passwords("fast"))
    testapp.reset()
    log_in(testapp, "Olga")
    other = testapp.cookies["session"]
    testapp.reset()
    testapp.set_cookie("session", three[0])
    response = form_to(testapp.get(PAGE), "/accounts/sessions/end-all/").submit(status=303)
    assert response.location == "http://localhost/accounts/login/"
    assert [works(testapp, each) for each in (*three, other)] == [False, False, False, True]


def test_nobody_ends_the_sessions_of_others(testapp, three, make, session):
    theirs = [row.id for row in session.scalars(select(LoginSession))]
    make.user("Olga", password="correct horse", passwords=Passwords("fast"))
    testapp.reset()
    log_in(testapp, "Olga")
    page = testapp.get(PAGE)
    assert len(soup(page).select(".sessions .row")) == 1
    token = soup(page).find("input", attrs={"name": "csrf_token"})["value"]
    for number in (*theirs, 0, 2**31, 10**30):
        testapp.post(f"/accounts/sessions/{number}/end/", {"csrf_token": token}, status=404)
    assert [works(testapp, each) for each in three] == [True, True, True]


@pytest.mark.parametrize("path", ["/accounts/sessions/1/end/", "/accounts/sessions/end-all/"])
def test_nothing_ends_by_a_link(testapp, member, path):
    log_in(testapp)
    assert testapp.get(path, status=405).allow == ("POST",)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, ("Firefox", "Linux")),
        (EDGE, ("Edge", "Windows")),
        (IPHONE, ("Safari", "iPhone")),
        (EDGE.replace("Edg/", "OPR/"), ("Opera", "Windows")),
        (EDGE.partition(" Edg")[0].replace("Windows NT 10.0", "X11; CrOS x86_64"), ("Chrome", "ChromeOS")),
        ("curl/8.14.1", ("curl/8.14.1", "")),
        ("", ("", "")),
        ("x" * 100, ("x" * 60, "")),
    ],
)
def test_browsers_have_the_names_that_people_know(agent, name):
    assert browser_name(agent) == name
