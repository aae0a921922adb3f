"""Attacks with forms, sessions, cookies and links: CSRF, session fixation, open redirects, frames, caches."""

import re
from urllib.parse import urljoin

import pytest
import webtest
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.accounts.rules import username_problems
from comicsdb.models import LoginSession
from tests.cases import for_each
from tests.conftest import forget_attempts, record_statements
from tests.mailbox import waiting_mails
from tests.web.attacks.attempts import path_in, path_of, routes_of_the_site, sign_up, token_of
from tests.web.conftest import PASSWORD, form_to, log_in, soup, start_session, submit

HERE = "http://localhost/"
WRITES = ("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "COPY")
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
# Forms on pages that are the same for everybody; headers of the browser say which site submits them.
WITHOUT_TOKEN = {"theme", "language", "announcement.dismiss"}


@pytest.fixture
def nora(testapp, member):
    """The member, logged in."""
    log_in(testapp)
    return member


def written(statements) -> list[str]:
    """The statements that write."""
    return [each for each in statements if each.lstrip().upper().startswith(WRITES)]


# Cross-site request forgery.


def test_every_form_needs_the_token_of_its_page(wsgi, testapp, nora, session, connection):
    """Enumerates the routes, so that it also covers forms that are added later."""
    nora.is_staff = nora.is_superuser = True
    session.commit()
    tried = 0
    for number, (route, methods) in enumerate(routes_of_the_site(wsgi)):
        if route.name in WITHOUT_TOKEN:
            continue
        others = [each for each in UNSAFE if each not in methods]  # handled alike, so one is enough
        for method in {*UNSAFE} - {*others} | {others[number % len(others)]}:
            with record_statements(connection) as statements:
                response = testapp.request(path_of(route), method=method, expect_errors=True)
            expected = {400} if method in methods else {404, 405}
            assert response.status_int in expected, f"{method} {route.name}"
            assert written(statements) == [], f"{method} {route.name}"
            tried += method in methods
    assert tried >= 26
    testapp.get("/accounts/", status=200)


def test_with_the_token_the_same_forms_are_read(wsgi, testapp, member, session):
    """Otherwise the test above would also pass if these forms were always refused."""
    member.is_staff = member.is_superuser = True
    session.commit()
    for route, methods in routes_of_the_site(wsgi):
        if "POST" in methods and route.name not in WITHOUT_TOKEN:
            start_session(testapp, member)
            token = token_of(testapp.get("/accounts/"))
            answer = testapp.post(path_of(route), {"csrf_token": token}, expect_errors=True)
            assert answer.status_int in {200, 204, 303, 404, 422}, route.name
            testapp.reset()


def test_the_token_of_somebody_else_does_not_count(testapp, nora, make):
    mine = token_of(testapp.get("/accounts/"))
    make.user("Olga", password=PASSWORD, passwords=Passwords("fast"))
    testapp.reset()
    log_in(testapp, "Olga")
    refused = testapp.post("/accounts/sessions/end-all/", {"csrf_token": mine}, status=400)
    assert "somebody has logged in or out in this browser since it was opened" in refused.text
    testapp.get("/accounts/", status=200)


def test_forms_without_a_token_are_refused_from_other_sites(wsgi, testapp):
    paths = [path_of(route) for route, _ in routes_of_the_site(wsgi) if route.name in WITHOUT_TOKEN]
    assert len(paths) == len(WITHOUT_TOKEN)
    for path in paths:
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ):
            response = testapp.post(path, {"theme": "dark"}, headers=headers, status=403)
            assert "Set-Cookie" not in response.headers


def test_a_browsers_session_writes_nothing_through_the_api(wsgi, testapp, member, session, connection):
    """Every unsafe method of every route of the API, with the session cookie only."""
    member.is_superuser = True
    session.commit()
    log_in(testapp)
    offered, tried = wsgi.registry["comicsdb_api.allow"], 0
    for route in wsgi.routes_mapper.get_routes():
        if not route.name.startswith("api."):
            continue
        for method in UNSAFE:
            with record_statements(connection) as statements:
                response = testapp.request(
                    path_of(route),
                    method=method,
                    body=b"{}",
                    content_type="application/json",
                    expect_errors=True,
                )
            is_offered = method in offered.get(route.name, "").split(", ")
            assert response.status_int in ({403} if is_offered else {403, 404, 405}), f"{method} {route.name}"
            assert written(statements) == [], f"{method} {route.name}"
            tried += 1
    assert tried > 100


# Sessions.


def test_no_identifier_is_adopted_and_each_way_in_makes_a_new_one(testapp, member, session):
    planted = "planted" * 6
    testapp.set_cookie("session", planted)
    log_in(testapp)
    first = testapp.cookies["session"]
    assert first != planted
    fields = {"new_password": "nine mules", "new_password_again": "nine mules"}
    submit(testapp, "/accounts/password_change/", password=PASSWORD, **fields)
    second = testapp.cookies["session"]
    assert len({planted, first, second}) == 3
    assert [row.digest for row in session.scalars(select(LoginSession))] == [digest(second)]
    for identifier in (planted, first):
        testapp.reset()
        testapp.set_cookie("session", identifier)
        testapp.get("/accounts/", status=303)


def test_activation_ends_the_session_that_the_browser_had(testapp, nora, session):
    before = testapp.cookies["session"]
    testapp.reset()
    sign_up(testapp, "Olga")
    path = path_in(waiting_mails(session)[-1].links[0])
    testapp.set_cookie("session", before)
    submit(testapp, path)
    assert testapp.cookies["session"] != before
    assert len(session.scalars(select(LoginSession)).all()) == 1


def test_a_session_in_the_address_is_nothing(testapp, nora):
    identifier = testapp.cookies["session"]
    testapp.reset()
    for query in (f"session={identifier}", f"sessionid={identifier}", f"__Host-session={identifier}"):
        testapp.get(f"/accounts/?{query}", status=303)


def test_every_cookie_is_for_the_server_of_this_host_alone(site_with, member):
    browser = site_with(**{"comicsdb.secure_cookies": "true"})
    browser.extra_environ |= {
        "wsgi.url_scheme": "https",
        "HTTP_HOST": "localhost:443",
        "HTTP_ORIGIN": "https://localhost",
    }
    answers = [browser.get("/accounts/login/")]
    fields = {"username": "Nora", "password": PASSWORD, "csrf_token": token_of(answers[0])}
    answers.append(browser.post("/accounts/login/", fields, status=303))
    answers.append(browser.post("/theme/", {"theme": "dark"}))
    token = token_of(browser.get("/accounts/"))
    answers.append(browser.post("/accounts/logout/", {"csrf_token": token}, status=303))
    cookies = [each for answer in answers for each in answer.headers.getall("Set-Cookie")]
    names = {each.partition("=")[0] for each in cookies}
    assert names == {"csrf", "__Host-session", "theme", "messages"}
    for each in cookies:
        options = {part.strip().lower() for part in each.split(";")[1:]}
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= options, each
        assert not any(part.startswith("domain") for part in options), each


# Open redirects.

ELSEWHERE = (
    "https://evil.example/", "http:evil.example", "http:/evil.example", "//evil.example", "///evil.example",
    "////evil.example", "/\\evil.example", "\\/evil.example", "\\\\evil.example", "/\t/evil.example",
    "/\n/evil.example", "\t//evil.example", " //evil.example", "/%09/evil.example\t", "javascript:alert(1)",
    "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "vbscript:x", "@evil.example",
    "evil.example", "?next=//evil.example", "#//evil.example", "/\u2028/evil.example", "/／evil.example",
    "//localhost@evil.example", "https://localhost@evil.example", "/\x00/evil.example", "\x01//evil.example",
    "//evil.example\\@localhost", "/.//evil.example/\r\nX: y", "mailto:x@evil.example", "",
)  # fmt: skip


def leads_away(location: str) -> bool:
    """Whether a browser leaves the site, as it drops control characters and reads backslashes as slashes."""
    as_browsers_do = re.sub(r"[\t\r\n]", "", location).strip("".join(map(chr, range(33)))).replace("\\", "/")
    return not urljoin(HERE, as_browsers_do).startswith(HERE) or "//" in as_browsers_do.removeprefix(HERE)[:2]


@for_each("target", ELSEWHERE)
def test_no_form_leads_away(testapp, member, target):
    testapp.reset()
    forget_attempts(testapp.app)
    form = form_to(testapp.get("/accounts/login/", {"next": target}), "/accounts/login/")
    assert not leads_away(form["next"].value)
    fields = {"csrf_token": form["csrf_token"].value, "username": "Nora", "password": PASSWORD}
    response = testapp.post("/accounts/login/", fields | {"next": target}, status=303)
    assert not leads_away(response.location)
    response = testapp.get("/accounts/login/", {"next": target}, status=302)  # already logged in
    assert not leads_away(response.location)
    token = token_of(testapp.get("/accounts/"))
    response = testapp.post("/accounts/logout/", {"csrf_token": token, "next": target}, status=303)
    assert not leads_away(response.location)
    assert not leads_away(testapp.post("/theme/", {"theme": "dark", "next": target}).location)


@for_each(
    "path",
    [
        "//evil.example", "//evil.example/x", "/%5Cevil.example", "///evil.example", "//accounts/users",
        "/accounts//evil.example", "/accounts/%2F%2Fevil.example", "/%2F%2Fevil.example",
        "//evil.example/%2E%2E",
    ],
)  # fmt: skip
def test_no_correction_of_an_address_leads_away(testapp, nora, path):
    response = testapp.get(path, expect_errors=True)
    assert response.status_int in {301, 302, 303, 404}
    if response.location:
        assert not leads_away(response.location)


# Frames, caches and names.


def account_paths(wsgi):
    """Yield the address of every GET page below /accounts/."""
    for route, methods in routes_of_the_site(wsgi):
        if route.pattern.startswith("/accounts/") and "GET" in methods:
            yield path_of(route)


def test_no_page_of_accounts_is_framed_or_kept(wsgi, testapp, nora):
    paths = list(account_paths(wsgi))
    assert len(paths) > 15
    for path in paths:
        for browser in (testapp, webtest.TestApp(testapp.app)):
            response = browser.get(path, expect_errors=True)
            assert response.headers["X-Frame-Options"] == "DENY", path
            assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"], path
            if response.status_int not in {301, 303}:
                assert "no-store" in response.headers["Cache-Control"], path
            if response.content_type == "text/html" and response.body and response.status_int == 200:
                assert soup(response).find("meta", attrs={"name": "robots"})["content"] == "noindex", path


def test_no_user_name_can_hide_a_page(wsgi):
    """Words that are in the place of a user name in other addresses cannot be user names."""
    words = {path.split("/")[2] for path in account_paths(wsgi)} - {"", "1", "Nora"}
    words |= {
        route.pattern.split("/")[2] for route, _ in routes_of_the_site(wsgi) if "/accounts/" in route.pattern
    }
    words = {each for each in words if each and "{" not in each}
    assert {"login", "tokens", "users", "search", "sessions"} <= words
    for word in words:
        assert username_problems(word), word
        assert username_problems(word.upper()), word
