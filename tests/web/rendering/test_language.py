"""The language of pages: from cookie, account or browser, else English; and the language switch."""

import pytest
from pyramid.request import Request

from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb.models import User
from tests.web.conftest import form_to, log_in, soup

ITALIAN = {"Accept-Language": "it-IT,it;q=0.9,en;q=0.5"}


def language(response):
    tag = soup(response).html["lang"]
    assert response.headers["Content-Language"] == tag
    return tag


def test_the_choice_is_kept_and_leads_back_with_its_filters(testapp, world):
    page = testapp.get("/publisher/?page=1&q=o")
    assert language(page) == "en"
    form = form_to(page, "/i18n/setlang/")
    form["language"] = "it"
    response = form.submit()
    assert response.status_int == 302
    assert response.location == "http://localhost/publisher/?page=1&q=o"
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("language=it;")
    for part in ("Path=/", "SameSite=Lax", "Max-Age=31536000", "HttpOnly"):
        assert part in cookie
    page = response.follow()
    assert language(page) == "it"
    assert soup(page).select_one("#site-language option[selected]")["value"] == "it"


def test_the_languages_are_named_in_themselves(testapp):
    options = soup(testapp.get("/")).select("#site-language option")
    named = {each["value"]: (each["lang"], each.text) for each in options}
    assert list(named) == list(INTERFACE_LANGUAGES)
    assert (named["en"], named["it"]) == (("en", "English"), ("it", "Italiano"))


def test_answers_vary_and_say_their_language(testapp):
    response = testapp.get("/", headers=ITALIAN)
    assert language(response) == "it"
    assert {"Cookie", "Accept-Language"} <= set(response.vary)
    assert soup(response).select_one('meta[property="og:locale"]')["content"] == "it_IT"
    assert soup(testapp.get("/")).select_one('meta[property="og:locale"]')["content"] == "en_US"


@pytest.mark.parametrize("accepted", ["la, eo;q=0.5", "*", "it;q=0", "", "%%%", "en-GB", "it," * 1000])
def test_a_browser_that_speaks_none_of_ours_gets_english(testapp, accepted):
    assert language(testapp.get("/", headers={"Accept-Language": accepted})) == "en"


@pytest.mark.parametrize("value", ["de", "", None, "../it"])
def test_an_unknown_language_changes_nothing(testapp, value):
    testapp.post("/i18n/setlang/", {"language": value} if value is not None else {}, status=302)
    assert "language" not in testapp.cookies
    testapp.set_cookie("language", "xx")
    assert language(testapp.get("/", headers=ITALIAN)) == "it"


def test_asking_changes_nothing(testapp):
    assert testapp.get("/i18n/setlang/?language=it", status=405)
    assert "language" not in testapp.cookies


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 302),
        ({"Sec-Fetch-Site": "same-origin"}, 302),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_forms_of_other_sites_are_refused(testapp, headers, status):
    testapp.post("/i18n/setlang/", {"language": "it"}, headers=headers, status=status)
    assert ("language" in testapp.cookies) == (status == 302)


@pytest.mark.parametrize(
    ("target", "referer", "location"),
    [
        ("/series/?q=a&page=2", None, "/series/?q=a&page=2"),
        ("//evil.example/", "http://localhost/arc/?page=1", "/arc/?page=1"),
        ("https://evil.example/", "https://evil.example/x", "/"),
        ("", None, "/"),
    ],
)
def test_the_switch_leads_back_on_this_site_only(testapp, target, referer, location):
    headers = {"Referer": referer} if referer else {}
    response = testapp.post("/i18n/setlang/", {"language": "it", "next": target}, headers=headers, status=302)
    assert response.location == f"http://localhost{location}"


def test_an_account_keeps_its_choice_and_the_cookie_comes_first(testapp, session, member):
    log_in(testapp)
    assert "language" not in testapp.cookies
    assert language(testapp.get("/")) == "en"
    testapp.post("/i18n/setlang/", {"language": "it"})
    session.expire_all()
    assert session.get(User, member.id).language == "it"
    testapp.set_cookie("language", "")
    assert language(testapp.get("/")) == "it"  # the account's
    testapp.set_cookie("language", "en")
    assert language(testapp.get("/")) == "en"  # the cookie's


def test_the_api_speaks_english(testapp):
    request = Request.blank("/api/issue/", headers=ITALIAN)
    request.registry = testapp.app.registry
    assert request.locale_name == "en"
