"""The theme switch: the server writes the theme into the page, so it applies before the first paint."""

import pytest

from tests.web.conftest import form_to, soup


def theme(response):
    return soup(response).html["data-theme"]


def test_the_choice_is_kept_and_leads_back_to_the_page(testapp, world):
    page = testapp.get("/publisher/?page=1")
    assert theme(page) == "system"
    form = form_to(page, "/theme/")
    response = form.submit("theme", value="dark")
    assert response.status_int == 302
    assert response.location == "http://localhost/publisher/?page=1"
    page = response.follow()
    assert theme(page) == "dark"
    pressed = soup(page).select('form[action="/theme/"] [aria-pressed="true"]')
    assert {each["value"] for each in pressed} == {"dark"}


def test_a_fragment_replaces_the_buttons(testapp):
    response = testapp.post("/theme/", {"theme": "light"}, headers={"X-Fragment": "1"})
    template = soup(response).template
    assert template["data-target"] == "theme-choices"
    assert template.select_one('[aria-pressed="true"]')["value"] == "light"
    assert testapp.cookies["theme"] == "light"


@pytest.mark.parametrize("value", ["neon", "", None])
def test_an_unknown_theme_changes_nothing(testapp, value):
    testapp.post("/theme/", {"theme": value} if value is not None else {}, status=302)
    assert "theme" not in testapp.cookies
    testapp.set_cookie("theme", "neon")
    assert theme(testapp.get("/")) == "system"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 302),
        ({"Sec-Fetch-Site": "same-origin"}, 302),
        ({"Sec-Fetch-Site": "none"}, 302),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost"}, 302),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 302),
    ],
)
def test_forms_of_other_sites_are_refused(testapp, headers, status):
    response = testapp.post("/theme/", {"theme": "dark"}, headers=headers, expect_errors=True)
    assert response.status_int == status
    assert ("theme" in testapp.cookies) == (status == 302)


@pytest.mark.parametrize(
    ("target", "referer", "location"),
    [
        ("/series/", None, "/series/"),
        ("//evil.example/", "http://localhost/arc/?page=1", "/arc/?page=1"),
        ("https://evil.example/", "https://evil.example/x", "/"),
        ("", None, "/"),
    ],
)
def test_the_switch_leads_back_on_this_site_only(testapp, target, referer, location):
    headers = {"Referer": referer} if referer else {}
    response = testapp.post("/theme/", {"theme": "dark", "next": target}, headers=headers, status=302)
    assert response.location == f"http://localhost{location}"
