"""The pages about people: list, search and profiles, and the meter of API usage."""

from datetime import UTC, date, datetime, timedelta

import pytest
import webtest

from comicsdb.accounts.rules import username_problems
from comicsdb.library import collection
from tests.conftest import record_statements
from tests.web.conftest import PASSWORD, form_with, labels, soup, start_session


def names(response) -> list[str]:
    return [each.a.get_text() for each in soup(response).select(".person-line")]


def test_active_accounts_are_listed_by_name(testapp, nora, make):
    for name in ("olga", "Pia", "anna"):
        make.user(name, first_name=f"{name} first")
    make.user("ghost", is_active=False)
    found = names(testapp.get("/accounts/users/"))
    assert [each for each in found if each in {"anna", "Nora", "olga", "Pia", "ghost"}] == [
        "anna",
        "Nora",
        "olga",
        "Pia",
    ]


def test_the_list_has_pages_of_28(testapp, nora, make):
    for number in range(30):
        make.user(f"reader{number:02}")
    first, second = testapp.get("/accounts/users/"), testapp.get("/accounts/users/?page=2")
    assert len(names(first)) == 28
    assert len(names(first)) + len(names(second)) >= 31
    assert not set(names(first)) & set(names(second))
    testapp.get("/accounts/users/?page=99", status=404)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("olga", ["olga"]),
        ("OLG", ["olga"]),
        ("ångström", ["olga"]),
        ("angstrom zoe", ["olga"]),
        ("zoe pia", []),
        ("100%", []),
        ("_", ["p_a"]),
        ("\\", []),
        ("\x00", None),
    ],
)
def test_words_find_user_names_and_names(testapp, nora, make, query, found):
    make.user("olga", first_name="Zoë", last_name="Ångström", shows_name=True)
    make.user("p_a", first_name="Pia", shows_name=True)
    make.user("quiet", first_name="Zoë", last_name="Ångström")
    response = testapp.get("/accounts/search", {"q": query})
    if found is not None:
        assert names(response) == found
        assert soup(response).find(id="list-q")["value"] == query


def test_names_are_shown_where_their_owner_says_so(testapp, nora, make):
    make.user("olga", first_name="Zoë", last_name="Ångström", shows_name=True)
    make.user("quiet", first_name="Ada", last_name="Byron")
    people = testapp.get("/accounts/users/").text
    assert ("Zoë Ångström" in people, "Byron" in people) == (True, False)
    assert "Zoë Ångström" in testapp.get("/accounts/olga/").text
    assert "Byron" not in testapp.get("/accounts/quiet/").text


def test_the_profile_form_says_who_sees_names_and_nobody_does_by_default(testapp, nora, session):
    form = form_with(testapp.get("/accounts/update/"), "shows_name")
    assert form["shows_name"].value == ""
    form["first_name"], form["shows_name"] = "Leonora", "1"
    form.submit(status=303)
    session.refresh(nora)
    assert nora.shows_name
    form = form_with(testapp.get("/accounts/update/"), "shows_name")
    assert form["shows_name"].value == "1"
    form["shows_name"] = ""
    form.submit(status=303)
    session.refresh(nora)
    assert not nora.shows_name
    assert "Leonora" in testapp.get("/accounts/Nora/").text  # she sees her own name


def test_a_number_leads_to_the_name(testapp, nora, make):
    other = make.user("O.l@g+a")
    response = testapp.get(f"/accounts/{other.id}/", status=301)
    assert response.location == "http://localhost/accounts/O.l@g+a/"
    ghost = make.user("ghost", is_active=False)
    for number in (ghost.id, 0, 2**31, 10**40):
        testapp.get(f"/accounts/{number}/", status=404)


def test_a_profile_tells_what_somebody_added(testapp, nora, make):
    make.catalog.actor_id = make.catalog.unit.actor_id = nora.id
    publisher = make.publisher()
    make.imprint(publisher=publisher)
    for _ in range(2):
        make.series(publisher=publisher)
    page = soup(testapp.get("/accounts/Nora/"))
    shown = {each.dt.get_text(strip=True): each.dd.get_text() for each in page.select(".totals dl div")}
    assert len(shown) == 9
    assert (shown["Publishers"], shown["Imprints"], shown["Series"], shown["Issues"]) == ("1", "1", "2", "0")


def test_a_profile_shows_others_nothing_private(testapp, nora, make):
    make.user("Olga", email="secret@example.org", bio="Reads.", groups=("editor",), is_staff=True)
    page = soup(testapp.get("/accounts/Olga/"))
    assert [each.get_text() for each in page.select(".tag-badge")] == ["Admin", "Editor"]
    assert "Reads." in page.main.get_text()
    assert "Member since" in page.main.get_text()
    assert "secret@example.org" not in str(page)
    assert page.find("aside") is None
    assert page.find("meter") is None


def test_ones_own_profile_shows_more(testapp, nora, session):
    nora.supporter_tier, nora.supporter_until = "backer", datetime(2990, 5, 31, 12, tzinfo=UTC)
    session.commit()
    own = soup(testapp.get("/accounts/Nora/")).find("aside").get_text(" ", strip=True)
    assert "nora@example.org" in own.lower()
    assert "Supporter (Backer) until May 31, 2990" in own


def test_what_was_read_last_only_its_owner_sees(testapp, nora, make, session, connection):
    series = make.series(name="Lamplight", year_began=2019)
    other = make.user("other")
    with make.single_commit():
        for number in range(1, 13):
            issue = make.issue(series=series, number=str(number), cover_date=date(2019, 1, number))
            for user in (nora, other):
                read = {"read_dates": [datetime(2026, 3, number, 12, tzinfo=UTC)]} if number != 5 else {}
                collection.add(session, user.id, issue.id, read)
    with record_statements(connection) as statements:
        page = testapp.get("/accounts/Nora/")
    assert labels(page) == [f"Lamplight (2019) #{n}" for n in (12, 11, 10, 9, 8, 7, 6, 4, 3, 2)]
    with record_statements(connection) as fewer:
        assert labels(testapp.get("/accounts/other/")) == []
    assert len(statements) == len(fewer) + 2, statements  # the issues, and the marks of their track bars


def test_a_supporter_of_the_past_is_none(testapp, nora, session):
    nora.supporter_tier, nora.supporter_until = "backer", datetime.now(UTC) - timedelta(days=1)
    session.commit()
    assert "Supporter" not in soup(testapp.get("/accounts/Nora/")).find("aside").get_text()


def test_the_name_may_be_written_in_any_case(testapp, nora):
    assert testapp.get("/accounts/nORA/", status=301).location == "http://localhost/accounts/Nora/"
    assert testapp.get("/accounts/Nora", status=301).location == "http://localhost/accounts/Nora/"


def test_no_account_has_the_address_of_another_page(wsgi):
    """Words that are in the place of a user name in other addresses cannot be user names."""
    patterns = [route.pattern for route in wsgi.routes_mapper.get_routes()]
    areas = {before for before, name, _rest in (each.partition("{username}") for each in patterns) if name}
    found = {
        pattern.removeprefix(area).partition("/")[0]
        for pattern in patterns
        for area in areas
        if pattern.startswith(area)
    }
    words = {word for word in found if word and "{" not in word}
    assert {"login", "search", "update", "users"} <= words
    assert [word for word in sorted(words) if not username_problems(word)] == []


@pytest.mark.parametrize("name", ["nobody", "%01", "%F0%9F%A6%8A", "..%2f", "a" * 500])
def test_there_is_no_profile_of_nobody(testapp, nora, name):
    testapp.get(f"/accounts/{name}/", status=404)


def test_an_account_that_is_switched_off_has_no_profile(testapp, nora, make):
    make.user("ghost", is_active=False)
    testapp.get("/accounts/ghost/", status=404)


def test_the_list_costs_the_same_for_many_and_few(testapp, nora, make, connection):
    def cost():
        with record_statements(connection) as statements:
            testapp.get("/accounts/users/")
        return len(statements)

    few = cost()
    for _ in range(20):
        make.user()
    assert cost() == few


def test_the_menu_leads_members_to_people_and_account(testapp, member):
    anonymous = soup(testapp.get("/")).header
    assert {"/accounts/signup/", "/accounts/login/"} <= {each["href"] for each in anonymous.find_all("a")}
    assert "/accounts/users/" not in {each["href"] for each in anonymous.find_all("a")}
    start_session(testapp, member)
    own = {each["href"] for each in soup(testapp.get("/")).header.find_all("a")}
    assert {"/accounts/", "/accounts/users/"} <= own
    assert not {"/accounts/signup/", "/accounts/login/"} & own


LIMITED = {"comicsdb_api.throttle": "on", "comicsdb_api.throttle.sustained": "10"}


@pytest.mark.parametrize(("calls", "level"), [(6, "low"), (7, "high"), (8, "high"), (9, "full")])
def test_the_use_of_the_api_is_what_the_api_counts(site_with, member, calls, level):
    browser = site_with(**LIMITED)
    program = webtest.TestApp(browser.app)
    program.authorization = ("Basic", ("Nora", PASSWORD))
    for left in range(9, 9 - calls, -1):
        assert program.get("/api/").headers["X-RateLimit-Sustained-Remaining"] == str(left)
    start_session(browser, member)
    for path in ("/accounts/", "/accounts/Nora/", "/accounts/Nora/"):  # page views do not count
        meter = soup(browser.get(path)).find("meter")
        assert (meter["value"], meter["max"], meter.get_text()) == (str(calls), "10", f"{calls} of 10")
        assert f"usage-{level}" in meter["class"]


def test_supporters_may_call_more_often(site_with, member, session):
    member.supporter_tier, member.supporter_until = "sponsor", datetime(2990, 5, 31, tzinfo=UTC)
    session.commit()
    browser = site_with(**LIMITED)
    start_session(browser, member)
    assert soup(browser.get("/accounts/")).find("meter")["max"] == "15000"
