"""Releases by week: the days of a week at year ends and in the site's time zone, links, and filters."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from tests.conftest import record_statements
from tests.web.conftest import field_errors, labels, soup


def at(year, month, day, hour=17, minute=0):
    """Set the clock to a moment in UTC; the site is in New York."""
    return time_machine.travel(datetime(year, month, day, hour, minute, tzinfo=UTC), tick=False)


@pytest.fixture
def released(make):
    """`released(day, ...)`: create an issue for each day, which is its store date and its number."""
    series = make.series(name="Days", publisher=make.publisher(name="Daily"))

    def made(*days, of=None):
        with make.single_commit():
            for day in days:
                make.issue(series=of or series, number=day.isoformat(), cover_date=day, store_date=day)

    made.series = series
    return made


def shown(response) -> list[str]:
    """The days of the issues on a page, from their numbers."""
    return sorted(each.rpartition("#")[2] for each in labels(response))


def heading(response) -> str:
    """The main heading of a page."""
    return " ".join(soup(response).h1.get_text(" ", strip=True).split())


# Today and the Monday of its week: boundary values in years of 52 and 53 weeks, and a leap day.
YEAR_ENDS = [
    (date(2020, 12, 27), date(2020, 12, 21)),  # the Sunday of week 52
    (date(2020, 12, 28), date(2020, 12, 28)),  # the Monday of week 53
    (date(2021, 1, 3), date(2020, 12, 28)),  # its Sunday
    (date(2021, 1, 4), date(2021, 1, 4)),
    (date(2024, 2, 29), date(2024, 2, 26)),
    (date(2024, 12, 31), date(2024, 12, 30)),  # week 1 of the next year
    (date(2026, 12, 31), date(2026, 12, 28)),  # week 53 again
]


@pytest.mark.parametrize(("today", "monday"), YEAR_ENDS)
def test_weeks_run_from_monday_to_sunday_over_every_year(testapp, released, today, monday):
    days = [monday + timedelta(days=each) for each in (-1, 0, 6, 7, 13, 14, 400)]
    released(*days)
    before, first, last, next_first, next_last, later, far = (day.isoformat() for day in days)
    with at(today.year, today.month, today.day):
        assert shown(testapp.get("/issue/thisweek")) == [first, last]
        assert shown(testapp.get("/issue/nextweek")) == [next_first, next_last]
        assert shown(testapp.get("/issue/future")) == [later, far]
        past = testapp.get(f"/issue/week/{monday - timedelta(days=7)}/")
        assert shown(past) == [before]


def test_the_day_is_that_of_the_sites_zone(testapp, released):
    released(date(2026, 11, 22), date(2026, 11, 23))
    with at(2026, 11, 23, 4, 59):  # still Sunday in New York
        assert shown(testapp.get("/issue/thisweek")) == ["2026-11-22"]
    with at(2026, 11, 23, 5):
        assert shown(testapp.get("/issue/thisweek")) == ["2026-11-23"]


def test_titles_show_the_monday(testapp, released):
    with at(2020, 12, 30):
        pages = {path: testapp.get(f"/issue/{path}") for path in ("thisweek", "nextweek", "future")}
        past = testapp.get("/issue/week/2020-12-14/")
    assert heading(pages["thisweek"]) == "This week Week of December 28, 2020"
    assert heading(pages["nextweek"]) == "Next week Week of January 4, 2021"
    assert heading(pages["future"]) == "Future releases From January 11, 2021"
    assert heading(past) == "Week of December 14, 2020"
    assert soup(pages["thisweek"]).title.get_text() == "This week · Week of December 28, 2020 · comicsdb"
    assert soup(past).title.get_text() == "Week of December 14, 2020 · comicsdb"


def test_the_title_is_written_in_the_readers_language(testapp):
    testapp.set_cookie("language", "it")
    assert "14 dicembre 2020" in heading(testapp.get("/issue/week/2020-12-14/"))


def test_each_week_leads_to_the_ones_around_it(testapp, released):
    released(*(date(2020, 12, day) for day in (16, 23, 30)))
    with at(2020, 12, 30):
        assert _ways(testapp.get("/issue/thisweek")) == {
            "prev": "/issue/week/2020-12-21/",
            "next": "/issue/nextweek",
        }
        assert _ways(testapp.get("/issue/week/2020-12-21/"))["next"] == "/issue/thisweek"
        assert _ways(testapp.get("/issue/week/2021-01-11/"))["prev nofollow"] == "/issue/nextweek"
        assert _ways(testapp.get("/issue/nextweek")) == {
            "prev nofollow": "/issue/thisweek",
            "next nofollow": "/issue/week/2021-01-11/",
        }
        assert _ways(testapp.get("/issue/future")) == {"prev nofollow": "/issue/nextweek"}


def test_filters_go_along_from_week_to_week(testapp, released):
    released(date(2020, 12, 16))
    query = f"series_id={released.series.id}&sort=added"
    ways = _ways(testapp.get(f"/issue/week/2020-12-14/?{query}&page=last"))
    assert ways["prev"] == f"/issue/week/2020-12-07/?{query}"


def test_only_weeks_with_issues_are_for_search_engines(testapp, released):
    released(date(2020, 12, 16))
    assert not soup(testapp.get("/issue/week/2020-12-14/")).select('meta[name="robots"]')
    empty = testapp.get("/issue/week/2020-12-21/")
    assert soup(empty).select_one('meta[name="robots"]')["content"] == "noindex"
    assert soup(empty).select_one(".empty p").get_text() == "No releases are known for this period."


def _ways(response) -> dict[str, str]:
    return {" ".join(each["rel"]): each["href"] for each in soup(response).select(".release-ways a")}


def test_another_day_leads_to_its_monday(testapp):
    for day, monday in {
        "2021-01-01": "2020-12-28",
        "2020-12-20": "2020-12-14",
        "1900-01-07": "1900-01-01",
    }.items():
        response = testapp.get(f"/issue/week/{day}/?number=1", status=302)
        assert response.location == f"http://localhost/issue/week/{monday}/?number=1"
    testapp.get("/issue/week/2020-12-14/", status=200)
    assert testapp.get("/issue/week/2020-12-14", status=301).location.endswith("/issue/week/2020-12-14/")


@pytest.mark.parametrize(
    "day",
    ["2020-12-32", "2020-02-30", "20201214", "2020-W51-1", "today", "1899-12-31", "9999-12-31", "-", "0"],
)
def test_what_is_no_day_is_no_page(testapp, day):
    testapp.get(f"/issue/week/{day}/", status=404)


def test_the_first_and_the_last_week_there_can_be(testapp):
    assert list(_ways(testapp.get("/issue/week/1900-01-01/"))) == ["next nofollow"]
    assert list(_ways(testapp.get("/issue/week/9998-12-28/"))) == ["prev nofollow"]


@pytest.mark.parametrize("path", ["thisweek", "nextweek", "future", "week/2020-12-14/"])
def test_releases_are_filtered_and_sorted_like_issues(testapp, make, released, path):
    other = make.series(name="Nights", publisher=make.publisher(name="Nightly"), volume=2)
    days = [date(2020, 12, 14), date(2020, 12, 29), date(2021, 1, 5), date(2021, 2, 1)]
    released(*days)
    released(*(day + timedelta(days=1) for day in days), of=other)
    with at(2020, 12, 30):
        address = f"/issue/{path}"
        first, second = labels(testapp.get(address))
        assert [first.split()[0], second.split()[0]] == ["Days", "Nights"]
        assert labels(testapp.get(f"{address}?sort=cover_new")) == [second, first]
        found = testapp.get(f"{address}?publisher_name=night&series_volume=2&cover_month=x")
        assert labels(found) == [second]
        assert list(field_errors(found)) == ["by-cover_month"]
        chips = soup(found).select('ul[aria-label="Active filters"] a')
        assert [each["href"] for each in chips] == [
            f"{address}?cover_month=x&series_volume=2",
            f"{address}?cover_month=x&publisher_name=night",
            address,
        ]
        nothing = soup(testapp.get(f"{address}?number=none"))
        assert nothing.select_one(".empty a")["href"] == address


def test_the_other_slash_form_leads_to_the_page(testapp):
    for path in ("thisweek", "nextweek", "future"):
        assert testapp.get(f"/issue/{path}/?q=a", status=301).location.endswith(f"/issue/{path}?q=a")


def test_the_pages_of_releases_lead_to_one_another(testapp):
    tabs = soup(testapp.get("/issue/nextweek")).select(".tabs a")
    assert [each["href"] for each in tabs] == [
        "/issue/thisweek",
        "/issue/nextweek",
        "/issue/future",
        "/issue/calendar/",
        "/issue/?sort=added",
    ]
    assert [each["href"] for each in tabs if each.get("aria-current") == "page"] == ["/issue/nextweek"]
    feeds = soup(testapp.get("/issue/thisweek")).select('link[rel="alternate"][href^="/feeds/"]')
    assert [each["href"] for each in feeds] == ["/feeds/releases.atom", "/feeds/releases.ics"]


def test_a_week_costs_the_same_whatever_it_holds(testapp, make, released, connection):
    numbers = []
    testapp.set_cookie("messages", "some")  # bypasses the cache
    for days in ((14,), (15, 16, 17, 18, 19)):
        released(*(date(2020, 12, day) for day in days), of=make.series())
        for path in ("week/2020-12-14/?cover_month=12", "calendar/2020-12/"):
            with record_statements(connection) as statements:
                testapp.get(f"/issue/{path}")
            numbers.append(len(statements))
    assert numbers == [3, 1, 3, 1]
