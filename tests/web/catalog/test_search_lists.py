"""Quick search also finds reading lists, but only those that the current user may see."""

from comicsdb.accounts.passwords import Passwords
from tests.lists import OFFICIAL, make_list
from tests.web.catalog.test_search import groups
from tests.web.conftest import PASSWORD, soup, start_session

SEARCH = "/search/"


def lists_found(testapp, query):
    return groups(testapp.get(SEARCH, {"q": query})).get("reading_list", [])


def account(make, name, **values):
    return make.user(name, password=PASSWORD, passwords=Passwords("fast"), **values)


def test_everybody_finds_public_lists_and_only_owners_their_private_ones(testapp, make, session):
    nora, otto, staff = account(make, "Nora"), account(make, "Otto"), account(make, "Ida", is_staff=True)
    make_list(session, nora, name="Harbor first")
    make_list(session, nora, name="Harbor diary", is_private=True)
    make_list(session, otto, name="Harbor secrets", is_private=True)
    make_list(session, account(make, OFFICIAL), name="Harbor draft", is_private=True)
    assert lists_found(testapp, "harbor") == ["Harbor first"]
    seen = {nora: ["Harbor diary", "Harbor first"], staff: ["Harbor draft", "Harbor first"]}
    for user, found in seen.items():
        start_session(testapp, user)
        assert lists_found(testapp, "HARBOR") == found
        assert lists_found(testapp, "secrets") == lists_found(testapp, "sekrets") == []
        answer = testapp.get(SEARCH, {"q": "harbor"})
        assert answer.headers["Cache-Control"] == "private, no-store"
        testapp.reset()


def test_eight_lists_are_shown_with_a_link_to_the_others(testapp, make, session):
    otto = account(make, "Otto")
    for number in range(9):
        make_list(session, otto, name=f"Harbor {number}")
    page = testapp.get(SEARCH, {"q": "harbor"})
    assert groups(page)["reading_list"] == [f"Harbor {number}" for number in range(8)]
    link = soup(page).select_one(".block-head a")["href"]
    assert link == "/reading-lists/?q=harbor"
    assert len(soup(testapp.get(link)).select(".list-card")) == 9


def test_a_typing_error_finds_lists_that_look_alike(testapp, make, session):
    make_list(session, account(make, "Otto"), name="Midsummer reading")
    page = testapp.get(SEARCH, {"q": "midsumer"})
    assert groups(page) == {"reading_list": ["Midsummer reading"]}
    assert "Did you mean" in page.text
