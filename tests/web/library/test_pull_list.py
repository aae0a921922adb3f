"""The pull list on the site: followed, left, switched, and what is to come."""

from datetime import timedelta

import pytest

from comicsdb.accounts.passwords import Passwords
from comicsdb.clock import business_day, monday_of
from comicsdb.library import pull_list
from tests.conftest import recording
from tests.web.conftest import PASSWORD, errors, form_to, log_in, message, soup, submit
from tests.web.library.wish_list_fixtures import small_catalogue

PAGE = "/pull-list/"


@pytest.fixture
def world(make):
    """A few series and issues; no test here needs more."""
    return small_catalogue(make)


@pytest.fixture
def nora(testapp, member):
    """The member, logged in."""
    log_in(testapp)
    return member


@pytest.fixture
def today(wsgi):
    """The business day of the site."""
    return business_day(wsgi.registry.settings["comicsdb.timezone"])


def rows(response) -> list[str]:
    """The labels in the table."""
    return [each.th.get_text(strip=True) for each in soup(response).select("main tbody tr")]


def coming(response) -> list[tuple[str, list[str]]]:
    """What is to come: the title of each week, and the labels below it."""
    return [
        (week.h3.get_text(strip=True), [each.get_text(strip=True) for each in week.select(".coming a")])
        for week in soup(response).select(".week")
    ]


def switch(testapp, series, on, **headers):
    """The switch of a page, sent with the state that is wanted."""
    page = testapp.get(f"/series/{series.slug}/")
    form = form_to(page, f"/pull-list/toggle/{series.slug}/")
    fields = {"csrf_token": form["csrf_token"].value, "next": form["next"].value, "on": on}
    return testapp.post(form.action, fields, headers=headers, expect_errors=True)


def test_a_series_is_found_ticked_and_followed(testapp, nora, world, session):
    page = testapp.get(PAGE)
    assert "You are not following any series yet" in page.text
    form = form_to(page, PAGE)
    form["series-q"] = "lamplight"
    found = form.submit(name="find", value="series", status=200)
    form = form_to(found, PAGE)
    form["series"] = str(world.series.id)
    answer = form.submit(status=303).follow()
    assert message(answer) == "You now follow Lamplight (2019)."
    assert rows(answer) == ["Lamplight (2019)"]
    cells = [each.get_text(strip=True) for each in soup(answer).select("main tbody td")]
    assert cells[:2] == ["Harbor House", "Single Issue"]
    again = form.submit(status=303).follow()
    assert message(again) == "You already follow Lamplight (2019)."
    assert soup(again).select_one(".message")["data-message"] == "info"
    assert rows(again) == ["Lamplight (2019)"]


def test_a_series_can_be_named_in_the_address(testapp, nora, world):
    page = testapp.get(f"{PAGE}?series={world.series.id}")
    assert message(form_to(page, PAGE).submit(status=303).follow()) == "You now follow Lamplight (2019)."


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
    assert errors(answer) == {"series": said}


def test_a_series_is_left_after_a_question(testapp, nora, world, session):
    pull_list.add(session, nora.id, world.series.id)
    session.commit()
    path = f"{PAGE}remove/{world.series.id}/"
    assert path in [each["href"] for each in soup(testapp.get(PAGE)).select("main tbody a")]
    assert soup(testapp.get(path)).h1.get_text() == "Unfollow Lamplight (2019)?"
    assert pull_list.follows(session, nora.id, world.series.id)
    answer = submit(testapp, path).follow()
    assert message(answer) == "You no longer follow Lamplight (2019)."
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
    assert message(answer.follow()) == "You now follow Lamplight (2019)."
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


def test_what_is_to_come_stands_by_week(testapp, nora, world, make, session, today):
    monday = monday_of(today)
    pull_list.add(session, nora.id, world.series.id)
    sunday, following = monday + timedelta(days=6), monday + timedelta(days=7)
    days = [("10", monday), ("11", sunday), ("12", following), ("14", monday - timedelta(days=1))]
    for number, day in days:
        make.issue(series=world.series, number=number, store_date=day)
    make.issue(series=world.book, number="13", store_date=today)
    page = testapp.get(PAGE)
    (first, now), (second, later) = coming(page)
    assert (first, now) == ("This week", ["Lamplight (2019) #10", "Lamplight (2019) #11"])
    assert (second.startswith("Week of "), later) == (True, ["Lamplight (2019) #12"])
    times = [each["datetime"] for each in soup(page).select(".coming time")]
    assert times == [monday.isoformat(), sunday.isoformat(), following.isoformat()]


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
        for number in range(size):
            series = make.series()
            make.issue(series=series, number=str(number), store_date=today)
            pull_list.add(session, nora.id, series.id)
        session.commit()
        with recording(connection) as statements:
            assert len(coming(testapp.get(PAGE))[0][1]) >= size
        costs.append(len(statements))
    # The account; what is to come and how much; the entries.
    assert costs == [4, 4]
