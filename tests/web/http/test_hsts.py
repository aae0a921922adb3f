"""Strict-Transport-Security on every response of an HTTPS site, and the site's well-known addresses."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import basic_auth
from tests.dataset import picture
from tests.web.conftest import PASSWORD, soup

HSTS = "max-age=31536000"
HTTPS = {"comicsdb.base_url": "https://localhost", "comicsdb_web.contact": "us@example.org"}


@pytest.fixture
def secure(site_with):
    """A client of a site with an HTTPS address, behind a proxy that does not forward the scheme."""
    return site_with(**HTTPS)


def test_every_answer_of_an_https_site_says_so(secure, make, member, media_folder):
    publisher = make.publisher(name="Nimbus")
    (media_folder / "publishers").mkdir(exist_ok=True)
    (media_folder / "publishers" / "seen.png").write_bytes(picture("red", (30, 20), "PNG"))
    identified = basic_auth(member.username, PASSWORD)
    page = f"/publisher/{publisher.slug}/"
    static = soup(secure.get(page)).find("link", rel="stylesheet")["href"]
    answers = [
        secure.get(page),  # from the cache
        secure.get(page, headers={"If-None-Match": secure.get(page).headers["ETag"]}, status=304),
        secure.get("/no-such-page/", status=404),
        secure.get(static),
        secure.get("/media/publishers/seen.png"),
        secure.get("/media/thumb/card/publishers/seen.png.webp", expect_errors=True),
        secure.get("/media/none.png", status=404),
        secure.get("/api/collection/", status=401),
        secure.get("/favicon.ico", status=301),
        secure.post("/accounts/login/", status=400),
    ]
    for path in ("/api/publisher/", f"/api/publisher/{publisher.id}/"):
        answer = secure.get(path, headers=identified)
        again = secure.get(path, headers=identified | {"If-None-Match": answer.headers["ETag"]}, status=304)
        answers += [answer, again]
    for answer in answers:
        assert answer.headers.getall("Strict-Transport-Security") == [HSTS], answer.request.path


def test_how_far_it_reaches_is_a_setting(other_site):
    headers = other_site.get("/health/").headers
    assert headers["Strict-Transport-Security"] == "max-age=63072000; includeSubDomains; preload"


def test_faults_of_security_are_told_where_the_settings_say(secure, other_site, testapp):
    testapp.get("/.well-known/security.txt", status=404)  # no contact is set
    answer = secure.get("/.well-known/security.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert lines["Contact"] == "mailto:us@example.org"
    assert lines["Canonical"] == "https://localhost/.well-known/security.txt"
    assert lines["Preferred-Languages"] == "en, it"
    expires = datetime.strptime(lines["Expires"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=30) < expires - datetime.now(UTC) < timedelta(days=365)
    assert "Contact: mailto:guard@example.org\n" in other_site.get("/.well-known/security.txt").text


def test_password_managers_find_the_form(testapp, reader):
    answer = testapp.get("/.well-known/change-password", status=302)
    assert answer.location == "http://localhost/accounts/password_change/"
    assert answer.follow().status_int == 200
    # Password managers use this address to detect sites that respond to everything with 200.
    testapp.get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200", status=404)
