"""Error pages: their contents; that of server errors depends on nothing that may be broken."""

import logging

import pytest
import webtest

from comicsdb.db import DATABASE_OUTAGE
from tests.conftest import build_app
from tests.web.conftest import form_to, form_with, soup, start_session


def test_an_unknown_page_is_not_found_and_offers_ways_on(testapp, world):
    response = testapp.get("/nowhere/", headers={"Referer": "http://localhost/publisher/?page=1"}, status=404)
    page = soup(response)
    assert page.h1.get_text() == "Page not found"
    assert {each["href"] for each in page.select(".error-links a")} == {
        "/",
        "/publisher/?page=1",
        "/series/",
        "/search/",
        "/help/contact/",
    }
    assert response.headers["Cache-Control"] == "no-store"


def test_no_way_back_leads_to_another_site(testapp):
    for referer in ("https://evil.example/x", "//evil.example", "http://[", "http://localhost//evil.example"):
        page = soup(testapp.get("/nowhere/", headers={"Referer": referer}, status=404))
        assert {each["href"] for each in page.select(".error-links a")} == {
            "/",
            "/series/",
            "/search/",
            "/help/contact/",
        }


def test_after_a_form_no_link_leads_to_it_without_what_was_typed(testapp, world, nora):
    path = f"/creator/{world.creator.slug}/update/"
    headers = {"Referer": f"http://localhost{path}"}
    sent = {"csrf_token": form_with(testapp.get(path), "name")["csrf_token"].value}
    page = soup(testapp.post(path, sent | {"desc": "x" * 3_000_000}, headers=headers, status=413))
    assert [each.get_text() for each in page.select(".error-text > p:not(.error-links)")] == [
        "The form is too large. All its pictures together may have up to 20 MB.",
        "Your browser's Back button leads back to the form, which usually still has what you typed.",
    ]
    assert page.select_one(f'.error-links a[href="{path}"]') is None
    outdated = soup(testapp.post(path, {"desc": "x"}, headers=headers, status=400))  # has to be opened again
    assert outdated.select_one(f'.error-links a[href="{path}"]') is not None


def test_a_fault_can_be_told_where_the_code_is(other_site):
    page = soup(other_site.get("/nowhere/", status=404))
    assert page.select_one('.error-links a[href="https://code.example/x"]').get_text() == "Report a problem"


@pytest.mark.parametrize("address", ["/publisher/%ff/", "/search/?q=%ff", "/%c3%28/", "/publisher/?page=%fe"])
def test_bytes_that_are_no_text_are_a_bad_request(testapp, address):
    assert testapp.get(address, status=400).text == "The URL is not valid UTF-8.\n"


def test_a_slug_with_a_zero_byte_is_refused(testapp):
    testapp.get("/publisher/a%00b/", status=400)
    testapp.get("/character/a%00b/c%00d/", status=400)


def test_a_method_that_a_page_does_not_know_is_refused_with_those_it_does(testapp, world):
    response = testapp.post("/publisher/", status=405)
    assert set(response.allow) == {"GET", "HEAD"}
    response = testapp.get("/theme/", status=405)
    assert set(response.allow) == {"POST"}
    testapp.get("/accounts/logout/", status=405)
    testapp.delete("/publisher/harbor-house/", status=405)


def test_an_error_page_still_knows_who_is_logged_in(testapp, member):
    start_session(testapp, member)
    assert "Nora" in testapp.get("/publisher/nobody/", status=404).text


@pytest.fixture(scope="module")
def broken_app(media_folder):
    """The application on a database server that does not exist."""
    app = build_app("postgresql+psycopg://nobody@127.0.0.1:1/none?connect_timeout=1", media_folder)
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def broken(broken_app):
    """A client of the site on a database server that does not exist; its first outage is logged."""
    DATABASE_OUTAGE.forget()
    return webtest.TestApp(broken_app)


def test_an_outage_of_the_database_is_one_line_for_many_requests_on_site_and_api(broken, caplog):
    """One line, as a line for each request would flood the log."""
    for _ in range(3):
        for path in ("/publisher/", "/", "/api/publisher/1/", "/reading-lists/"):
            broken.get(path, headers={"Authorization": "Basic YTpi"}, status=503)
        broken.post_json("/api/publisher/", {}, headers={"Authorization": "Basic YTpi"}, status=503)
    (told,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "the database cannot be used" in told.getMessage()


def test_a_server_error_says_so_without_database_session_or_account(broken, caplog):
    broken.set_cookie("session", "some-identifier")
    broken.set_cookie("messages", "some-message")
    with caplog.at_level(logging.ERROR):
        response = broken.get("/publisher/", headers={"Referer": "http://localhost/help/"}, status=503)
    page = soup(response)
    assert {"/help/", "/help/contact/"} <= {each["href"] for each in page.select(".error-links a")}
    assert page.h1.get_text() == "Something went wrong on our side"
    assert page.select_one(".error-code").get_text(strip=True) == "503"
    assert response.headers["Retry-After"] == "5"
    assert "not found" not in response.text.lower()
    assert "Server error at GET /publisher/: the database cannot be used: OperationalError: " in caplog.text
    assert "Traceback" not in caplog.text
    assert "Content-Security-Policy" in response.headers
    assert "Traceback" not in response.text


def test_a_server_error_is_a_short_fragment_where_one_was_asked_for(broken):
    response = broken.get("/publisher/x/imprints/load-more/", headers={"X-Fragment": "1"}, status=503)
    assert soup(response).template["data-target"] == "messages"


def test_what_needs_no_database_works_without_one(broken):
    assert broken.get("/health/").text == "ok\n"
    broken.get("/robots.txt", status=200)
    broken.get("/static/x/css/base.css", status=200)
    broken.get("/nowhere/", status=404)


def test_a_fault_at_the_commit_is_the_same_page(testapp, member, monkeypatch):
    """The transaction is committed outside the views."""
    from sqlalchemy.exc import OperationalError

    form = form_to(testapp.get("/accounts/login/"), "/accounts/login/")
    form["username"], form["password"] = "Nora", "correct horse"

    def fail(*_args, **_kw):
        raise OperationalError("COMMIT", {}, Exception("connection lost"))

    monkeypatch.setattr("transaction.TransactionManager.commit", fail)
    response = form.submit(status=500)
    assert soup(response).h1.get_text() == "Something went wrong on our side"
