"""Rules for every page, including error pages: headers, no inline code, no cookies, no dead links."""

import io
import json
from functools import cache

import pytest
import webtest
from PIL import Image

from comicsdb.community import reviews
from comicsdb.config import SettingsError
from comicsdb.models import Announcement
from tests.conftest import build_app
from tests.web.addresses import addresses_of, keep_library, publish
from tests.web.conftest import log_in, soup

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ERRORS = (
    "/no-such-page/",
    "/s/activate/1/x/",
    "/s/set-up/x/",
    "/s/reset/1/x/",
    "/s/email/x/",
    "/publisher/nobody/",
    "/creator/?page=99",
    "/static/x/none.css",
)
# The policy of cards, which other sites may show in frames.
FRAMED = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)
# Pages whose forms need a CSRF token.
WITH_COOKIE = {
    f"/accounts/{form}/"
    for form in ("login", "login/passkey/options", "signup", "password_reset", "activate/resend")
}
COMPILING = {"/collection/scan/shell/"}  # uses a decoder in WebAssembly
ANSWERS = {200, 204, 301, 302, 303}
WEIGHT = 100_000


@pytest.fixture
def addresses(wsgi, world, session, member, make):
    """An address of every GET route, including those of Nora's library."""
    kept = keep_library(session, member, world)
    publish(session, member)
    review = reviews.write(session, make.user("Bob").id, world.first.id, "Good.", spoils=True)
    session.commit()
    kept.review_id = review.id
    found = addresses_of(wsgi, session, world, kept, kept.list)
    assert len(found) > 150
    return found


@pytest.fixture(scope="module")
def walked():
    """The result of `pages`, shared by all tests of the file."""
    return []


@pytest.fixture(scope="module")
def page_of():
    """`page_of(response)`: a parsed response of `pages`, cached for all tests of the file."""
    return cache(soup)


@pytest.fixture
def pages(request, walked, world_keys):
    """Every address, including those of errors, with the response that an anonymous visitor gets.

    Only the first test requests them, so later tests do not create a library. `world_keys` makes `connection`
    use the database with the small catalog.
    """
    if not walked:
        testapp, addresses = map(request.getfixturevalue, ("testapp", "addresses"))
        for address in (*addresses, *ERRORS):
            testapp.reset()  # WebTest's cookie jar cannot parse some of the addresses
            walked.append((address, testapp.get(address, expect_errors=True)))
    return walked


def test_every_address_answers(pages):
    for address, response in pages:
        assert address in ERRORS or response.status_int in ANSWERS, address


def test_every_answer_has_the_headers_of_the_security_rules(pages):
    for address, response in pages:
        headers = response.headers
        if address.startswith("/embed/"):
            assert headers["Content-Security-Policy"] == FRAMED, address
            assert "X-Frame-Options" not in headers, address
            continue
        scripts = "'self' 'wasm-unsafe-eval'" if address in COMPILING else "'self'"
        policy = POLICY.replace("script-src 'self'", f"script-src {scripts}")
        assert headers["Content-Security-Policy"] == policy, address
        assert headers["X-Content-Type-Options"] == "nosniff", address
        assert headers["X-Frame-Options"] == "DENY", address
        secret = address.startswith("/s/")
        assert headers["Referrer-Policy"] == f"strict-origin{'' if secret else '-when-cross-origin'}", address
        assert "geolocation=()" in headers["Permissions-Policy"], address
        assert "Strict-Transport-Security" not in headers, address


def test_https_only_is_said_over_https(testapp):
    for address in ("/", "/no-such-page/"):
        response = testapp.get(address, extra_environ={"wsgi.url_scheme": "https"}, expect_errors=True)
        assert response.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_no_page_holds_inline_code_or_style_or_asks_another_host(pages, page_of):
    for address, response in pages:
        if response.content_type != "text/html" or not response.text.startswith("<!doctype html>"):
            continue
        page = page_of(response)
        for script in page.find_all("script"):
            if script.get("type") == "application/ld+json":  # data, which browsers do not run
                assert json.loads(script.string)["@context"] == "https://schema.org", address
                continue
            assert script["src"].startswith("/static/"), address
            assert script.get_text() == "", address
        assert page.find("style") is None, address
        for element in page.find_all(True):
            wrong = [name for name in element.attrs if name.startswith("on") or name == "style"]
            assert not wrong, f"{address}: {element.name} {wrong}"
            source = element.get("src") or (element.get("href") if element.name == "link" else None)
            if source:
                ours = (
                    "/static/",
                    "/feeds/",
                    "/opensearch.xml",
                    "/manifest.webmanifest",
                    "http://localhost/",
                )
                assert source.startswith(ours), f"{address}: {source}"
            target = element.get("href") or element.get("action") or ""
            assert not target.lower().startswith(("javascript:", "data:")), address


def test_readers_get_no_cookie(pages):
    for address, response in pages:
        if address not in WITH_COOKIE:
            assert "Set-Cookie" not in response.headers, address


def test_every_page_is_whole_and_light(pages, page_of):
    for address, response in pages:
        if response.content_type != "text/html" or response.status_int in {301, 302}:
            continue
        assert len(response.body) < WEIGHT, f"{address}: {len(response.body)} bytes"
        if not response.text.startswith("<!doctype html>"):
            continue
        page = page_of(response)
        assert page.html["lang"] == "en", address
        assert page.title.get_text().endswith("comicsdb") or address == "/", address
        assert page.find("meta", attrs={"name": "description"})["content"], address
        assert len(page.find_all("h1")) == 1, address
        if not address.startswith("/embed/"):
            assert page.find("main")["id"] == page.select_one(".skip")["href"].removeprefix("#"), address
        ids = [each["id"] for each in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), f"{address}: {sorted(each for each in ids if ids.count(each) > 1)}"
        for label in page.find_all("label"):
            assert label["for"] in ids, address
        for owner in page.find_all(attrs={"aria-labelledby": True}):
            for name in owner["aria-labelledby"].split():
                assert name in ids, f"{address}: {name}"
        for image in page.find_all("img"):
            assert image.has_attr("alt"), address
            assert image["width"].isdigit(), address
            assert image["height"].isdigit(), address


def test_no_link_is_dead(testapp, addresses, pages, page_of):
    """Requests every internal link of every page, except pictures.

    The addresses of `pages` are left out: `test_every_address_answers` checks them.
    """
    links = set()
    for _address, response in pages:
        if response.content_type == "text/html":
            page = page_of(response)
            found = [each.get("href") for each in page.find_all(["a", "link"])]
            found += [each.get("src") for each in page.find_all("script", src=True)]
            links |= {each.removeprefix("http://localhost") for each in found if each}
    links = {each for each in links if each.startswith("/") and each not in ERRORS}
    canonical_of_errors = {"/no-such-page/", "/publisher/nobody/"}
    assert len(links) > 60
    for link in sorted(links - canonical_of_errors - {address for address, _response in pages}):
        assert testapp.get(link, expect_errors=True).status_int in ANSWERS, link


def test_static_files_keep_for_a_year_under_their_digest_only(testapp):
    sheet = soup(testapp.get("/")).find("link", rel="stylesheet")["href"]
    response = testapp.get(sheet)
    assert response.content_type == "text/css"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    other = sheet.replace(sheet.split("/")[2], "000000000000")
    assert testapp.get(other).headers["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize(
    "path", ["../entity.py", "..%2f..%2f__init__.py", "%2e%2e/auth.py", "css/../../auth.py"]
)
def test_static_files_come_from_their_folder_alone(testapp, path):
    response = testapp.get(f"/static/x/{path}", expect_errors=True)
    assert response.status_int in {400, 404}
    assert b"import" not in response.body


def test_pages_are_private_and_vary_by_cookie(testapp, world):
    response = testapp.get("/publisher/")
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert "Cookie" in response.headers["Vary"]
    assert response.headers["Content-Language"] == "en"


def test_the_language_is_not_the_addresss_to_choose(testapp, world):
    for value in ("it", "xx", "../..", "zz-ZZ"):
        assert soup(testapp.get("/publisher/", {"_LOCALE_": value})).html["lang"] == "en"


def test_health_and_robots_are_plain(testapp):
    assert testapp.get("/health/").text == "ok\n"
    assert "User-agent: *" in testapp.get("/robots.txt").text


def test_every_page_also_serves_who_is_logged_in(testapp, addresses, member, session):
    member.is_staff = member.is_superuser = True  # otherwise, some pages would return 403 or 404
    session.add(Announcement(id=1, title="Hello"))
    session.commit()
    assert log_in(testapp).status_int == 303
    for address in addresses:
        assert testapp.get(address, expect_errors=True).status_int in ANSWERS, address


def test_the_api_is_left_alone(testapp):
    response = testapp.get("/api/no-such-thing/", expect_errors=True)
    assert response.content_type == "application/json"


def test_the_picture_for_social_networks_has_the_size_they_want(testapp):
    address = soup(testapp.get("/")).find("meta", property="og:image")["content"]
    with Image.open(io.BytesIO(testapp.get(address).body)) as picture:
        assert picture.size == (1200, 630)


def test_public_addresses_come_from_the_setting_and_not_from_the_request(other_site, world):
    page = soup(other_site.get("/creator/?page=1", headers={"Host": "evil.example"}))
    assert page.find("link", rel="canonical")["href"] == "https://comics.example.org/creator/?page=1"
    for entity in (world.first, world.series):  # their pictures too
        address = f"/{entity.__tablename__}/{entity.slug}/"
        page = soup(other_site.get(address, headers={"Host": "evil.example"}))
        picture = page.find("meta", property="og:image")["content"]
        assert picture == "https://comics.example.org/media/issue/2026/01/02/cover.png"


@pytest.mark.parametrize("value", ["comics.example.org", "https://a.example/path", "https://a; script-src *"])
def test_a_wrong_address_in_the_settings_stops_the_start(shared_database, media_folder, value):
    for key in ("comicsdb.base_url", "comicsdb_web.media_origin"):
        with pytest.raises(SettingsError, match=key):
            build_app(shared_database, media_folder, **{key: value})


def test_a_site_that_does_not_know_its_address_does_not_start(shared_database, media_folder):
    with pytest.raises(SettingsError, match=r"comicsdb\.base_url is missing"):
        build_app(shared_database, media_folder, **{"comicsdb.base_url": ""})


CODE, CONTACT = "https://code.example/comics", "us@example.org"
WHOLE = {
    "pyramid.includes": "comicsdb_web comicsdb_api",
    "comicsdb_web.code": CODE,
    "comicsdb_web.contact": CONTACT,
    "comicsdb_web.media_origin": "https://img.example",
}


def test_the_foot_leads_to_the_api_and_to_the_people_where_there_are_addresses(apps_with):
    wanted = ["/docs/", "/data/", f"mailto:{CONTACT}", CODE]
    for settings, links in (({"pyramid.includes": "comicsdb_web"}, ["/data/"]), (WHOLE, wanted)):
        page = soup(webtest.TestApp(apps_with(**settings)).get("/accounts/login/"))
        assert [link["href"] for link in page.select(".foot-note a:not([rel~=license])")] == links
        reported = [link["href"] for link in page.select(".top nav a") if link.text == "Report a problem"]
        assert reported == [CODE] * 2 * (CODE in links)
        assert page.select_one(".foot-links a[href='/reading-lists/']")


def test_pictures_may_come_from_the_host_of_the_settings(apps_with):
    policy = webtest.TestApp(apps_with(**WHOLE)).get("/health/").headers["Content-Security-Policy"]
    assert "img-src 'self' https://img.example;" in policy
