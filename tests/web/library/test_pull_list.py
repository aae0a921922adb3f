"""The pull list on the site: following and unfollowing series, and the pulls of each week."""

from datetime import timedelta

import pytest

from comicsdb.accounts.passwords import Passwords
from comicsdb.clock import business_day, monday_of
from comicsdb.library import pull_list
from tests.conftest import record_statements
from tests.web.conftest import PASSWORD, field_errors, form_to, notice, soup, submit
from tests.web.library.collection_helpers import undo_form
from tests.web.library.wish_list_fixtures import small_catalog

PAGE = "/pull-list/"


@pytest.fixture
def world(make):
    """A few series and issues, which are enough for these tests."""
    return small_catalog(make)


@pytest.fixture
def today(wsgi):
    """The business day of the site."""
    return business_day(wsgi.registry.settings["comicsdb.timezone"])


def rows(response) -> list[str]:
    """The labels of the table."""
    return [each.th.get_text(strip=True) for each in soup(response).select("main tbody tr")]


def pulls(response) -> list[str]:
    """The pulls of the week shown on a page."""
    return [each.get_text(" ", strip=True) for each in soup(response).select(".coming-text")]


def switch(testapp, series, on, **headers):
    """Send the switch on the page of a series, with the wanted state."""
    page = testapp.get(f"/series/{series.slug}/")
    form = form_to(page, f"/pull-list/toggle/{series.slug}/")
    fields = {"csrf_token": form["csrf_token"].value, "next": form["next"].value, "on": on}
    return testapp.post(form.action, fields, headers=headers, expect_errors=True)


def test_types_of_series_are_named_in_the_language_of_the_page(testapp, nora, world, session, make):
    limited = make.series(series_type=11)
    pull_list.add(session, nora.id, limited.id)
    session.commit()
    page = testapp.get(PAGE, headers={"Accept-Language": "it"})
    assert "Miniserie" in soup(page).select_one("main table").get_text()


def test_a_series_is_found_ticked_and_followed(testapp, nora, world, session):
    page = testapp.get(PAGE)
    assert "You are not following any series yet" in page.text
    form = form_to(page, PAGE)
    form["series-q"] = "lamplight"
    found = form.submit(name="find", value="series", status=200)
    form = form_to(found, PAGE)
    form["series"] = str(world.series.id)
    answer = form.submit(status=303).follow()
    assert notice(answer) == "You now follow Lamplight (2019)."
    assert rows(answer) == ["Lamplight (2019)"]
    cells = [each.get_text(strip=True) for each in soup(answer).select("main tbody td")]
    assert cells[:2] == ["Harbor House", "Single Issue"]
    again = form.submit(status=303).follow()
    assert notice(again) == "You already follow Lamplight (2019)."
    assert soup(again).select_one(".message")["data-message"] == "info"
    assert rows(again) == ["Lamplight (2019)"]


def test_a_series_can_be_named_in_the_address(testapp, nora, world):
    page = testapp.get(f"{PAGE}?series={world.series.id}")
    assert notice(form_to(page, PAGE).submit(status=303).follow()) == "You now follow Lamplight (2019)."


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("", "This field is required."),
        ("999999", "Your choice no longer exists: choose another."),
        ("9" * 30, "Your choice no longer exists: choose another."),
        ("x", "Your choice no longer exists: choose another."),
    ],
)
def test_what_cannot_be_followed_is_said_beside_the_field(testapp, nora, chosen, said):
    token = form_to(testapp.get(PAGE), PAGE)["csrf_token"].value
    answer = testapp.post(PAGE, {"csrf_token": token, "series": chosen, "series-q": "left"}, status=422)
    assert field_errors(answer) == {"series": said}


def test_a_series_is_left_after_a_question(testapp, nora, world, session):
    pull_list.add(session, nora.id, world.series.id)
    session.commit()
    path = f"{PAGE}remove/{world.series.id}/"
    assert path in [each["href"] for each in soup(testapp.get(PAGE)).select("main tbody a")]
    assert soup(testapp.get(path)).h1.get_text() == "Unfollow Lamplight (2019)?"
    assert pull_list.follows(session, nora.id, world.series.id)
    answer = submit(testapp, path).follow()
    assert notice(answer) == "You no longer follow Lamplight (2019)."
    assert rows(answer) == []
    for gone in (path, f"{PAGE}remove/0/", f"{PAGE}remove/{'9' * 30}/"):
        testapp.get(gone, status=404)


def test_the_switch_on_the_page_of_a_series(testapp, nora, world, session):
    def state():
        button = soup(testapp.get(f"/series/{world.series.slug}/")).select_one("#follow button")
        return button["aria-pressed"], button["value"], button.get_text(strip=True)

    assert state() == ("false", "1", "Follow")
    answer = switch(testapp, world.series, "1")
    assert (answer.status_int, answer.location) == (303, f"http://localhost/series/{world.series.slug}/")
    assert notice(answer.follow()) == "You now follow Lamplight (2019)."
    assert state() == ("true", "0", "On your pull list")
    for on, followed in (("1", True), ("x", True), ("0", False), ("0", False), ("", False)):
        switch(testapp, world.series, on)
        assert pull_list.follows(session, nora.id, world.series.id) is followed


def test_the_switch_as_a_fragment(testapp, nora, world, session):
    answer = switch(testapp, world.series, "1", **{"X-Fragment": "1"})
    template = soup(answer).template
    assert (template["data-target"], template["data-mode"]) == ("follow", "replace")
    assert template.button["aria-pressed"] == "true"
    assert template.select_one("[data-say]")["data-say"] == "You now follow Lamplight (2019)."
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "X-Fragment" in answer.headers["Vary"]
    assert pull_list.follows(session, nora.id, world.series.id)


def test_the_switch_of_what_is_not_there(testapp, nora, world, catalog):
    token = form_to(testapp.get(PAGE), PAGE)["csrf_token"].value
    for slug, status in (("nothing", 404), (world.book.slug, 303)):
        testapp.post(f"{PAGE}toggle/{slug}/", {"csrf_token": token, "on": "1"}, status=status)
    assert testapp.post(f"{PAGE}toggle/{world.series.slug}/", {"on": "1"}, status=400).status_int == 400
    testapp.get(f"{PAGE}toggle/{world.series.slug}/", status=405)


def test_a_week_is_shown_chosen_and_added(testapp, nora, world, make, session, today):
    monday = monday_of(today)
    pull_list.add(session, nora.id, world.series.id)
    days = [("10", monday), ("11", monday + timedelta(days=6)), ("12", monday + timedelta(days=7))]
    days += [("14", monday - timedelta(days=1))]
    issues = [make.issue(series=world.series, number=number, store_date=day) for number, day in days]
    make.variant(issues[0], name="Foil")
    page = testapp.get(PAGE)
    assert pulls(page) == ["Lamplight (2019) #10 Harbor House", "Lamplight (2019) #11 Harbor House"]
    assert soup(page).select_one("#week h2").get_text(" ", strip=True) == "This week 2"
    assert [each.get_text(" ", strip=True)[-7:] for each in soup(page).select("#week .chips a")] == [
        "1 issue"
    ]
    previous, following = (each["href"].partition("#")[0] for each in soup(page).select(".week-ways a"))
    assert pulls(testapp.get(PAGE + previous)) == ["Lamplight (2019) #14 Harbor House"]
    later = testapp.get(PAGE + following)
    assert pulls(later) == ["Lamplight (2019) #12 Harbor House"]
    assert "Add all" not in later.text
    for odd in ("x", "0001-01-01", "2026-13-01"):
        assert pulls(testapp.get(f"{PAGE}?week={odd}")) == pulls(page)
    # Choose which comics of the series are pulled.
    path = f"{PAGE}series/{world.series.id}/"
    form = form_to(testapp.get(path), path)
    form["pulled"] = "VARIANTS"
    answer = form.submit(status=422)
    assert field_errors(answer) == {
        "variant_words": "Enter at least one word from the variant names, such as foil."
    }
    form = form_to(answer, path)
    form["variant_words"] = "foil\0"
    answer = form.submit(status=422)
    assert field_errors(answer) == {"variant_words": "Null characters are not allowed."}
    form = form_to(answer, path)
    form["variant_words"] = "foil,  1:25"
    answer = form.submit(status=303).follow()
    assert notice(answer).startswith("Your choice for Lamplight (2019) was saved.")
    assert pulls(answer) == ["Lamplight (2019) #10 Foil"]
    cells = [each.get_text(" ", strip=True) for each in soup(answer).select("main tbody td")]
    assert cells[2] == "Some variants : Lamplight (2019) foil, 1:25"
    # Add the week to the collection; a second time changes nothing.
    action = f"{PAGE}week/{monday}/add/"
    form = form_to(answer, action)
    answer = form.submit(status=303).follow()
    assert notice(answer).startswith("1 comic was added to your collection.")
    assert pulls(answer) == ["Lamplight (2019) #10 Foil · In your collection"]
    assert notice(undo_form(answer).submit().follow()).startswith("It was undone.")
    assert pulls(testapp.get(PAGE)) == ["Lamplight (2019) #10 Foil"]
    form.submit(status=303)
    assert notice(form.submit(status=303).follow()).startswith("Your collection already has")
    testapp.post(f"{PAGE}week/x/add/", {"csrf_token": form["csrf_token"].value}, status=404)
    for number in ("0", "9" * 30, str(world.book.id)):
        testapp.get(f"{PAGE}series/{number}/", status=404)


def test_nobody_else_sees_a_trace(testapp, nora, world, make, session):
    other = make.user("Otto", password=PASSWORD, passwords=Passwords("fast"))
    pull_list.add(session, other.id, world.series.id)
    session.commit()
    page = testapp.get(PAGE)
    assert rows(page) == []
    assert page.headers["Cache-Control"] == "private, no-store"
    testapp.get(f"{PAGE}remove/{world.series.id}/", status=404)
    assert soup(testapp.get(f"/series/{world.series.slug}/")).select_one("#follow button")["value"] == "1"


def test_whoever_is_not_logged_in_is_led_to_the_form(testapp, world):
    assert testapp.get(PAGE, status=303).location.endswith("/accounts/login/?next=%2Fpull-list%2F")
    page = testapp.get(f"/series/{world.series.slug}/")
    assert soup(page).select_one("#follow") is None
    assert "Set-Cookie" not in page.headers
    testapp.get("/accounts/login/")
    sent = {"on": "1", "csrf_token": testapp.cookies["csrf"]}
    answer = testapp.post(f"{PAGE}toggle/{world.series.slug}/", sent, headers={"X-Fragment": "1"}, status=204)
    assert answer.headers["X-Location"] == "/accounts/login/"


def test_its_cost_does_not_depend_on_how_much_is_on_it(testapp, nora, make, session, connection, today):
    costs = []
    for size in (1, 8):
        with make.single_commit():
            for number in range(size):
                series = make.series()
                make.issue(series=series, number=str(number), store_date=today)
                pull_list.add(session, nora.id, series.id)
        with record_statements(connection) as statements:
            assert len(pulls(testapp.get(PAGE))) >= size
        costs.append(len(statements))
    # The account; the entries; the pulls of the week; later weeks.
    assert costs == [4, 4]
