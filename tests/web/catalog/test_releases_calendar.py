"""The calendar of releases: a month, its days, and the issues of each day."""

from datetime import UTC, date, datetime

import pytest
import time_machine

from comicsdb.catalog.slugs import reserved_words
from comicsdb.models import CATALOG
from tests.web.conftest import COVER, labels, soup


@pytest.fixture
def december(make):
    """December 2020: five issues on the 2nd, one on the last day, and two just outside the month."""
    series = make.series(name="Days", publisher=make.publisher())
    with make.single_commit():
        for number in "12345":
            make.issue(
                series=series, number=number, store_date=date(2020, 12, 2), cover_date=date(2021, 1, 1)
            )
        for number, day in {"6": date(2020, 11, 30), "7": date(2020, 12, 31), "8": date(2021, 1, 1)}.items():
            values = COVER if number == "7" else {}
            make.issue(series=series, number=number, store_date=day, cover_date=day, **values)


def days(response) -> dict[str, list[str]]:
    """The labels of the issues shown, by date."""
    return {
        each.find("time")["datetime"]: [
            issue.get_text(strip=True) for issue in each.select(".calendar-issue")
        ]
        for each in soup(response).select(".calendar-day")
    }


def test_a_month_shows_its_days_and_their_issues(testapp, december):
    response = testapp.get("/issue/calendar/2020-12/")
    found = days(response)
    assert len(found) == 31
    assert {day: shown for day, shown in found.items() if shown} == {
        "2020-12-02": ["Days (2020) #1", "Days (2020) #2", "Days (2020) #3"],
        "2020-12-31": ["Days (2020) #7"],
    }
    page = soup(response)
    assert page.h1.get_text() == "Releases of December 2020"
    assert page.select_one(".list-count").get_text() == "6 issues"
    assert page.select_one(".calendar-day")["class"] == ["calendar-day", "begins-2", "calendar-none"]
    assert page.select_one(".weekdays span").get_text() == "Mon"
    assert len(page.select(".calendar img")) == 1


def test_a_full_day_leads_to_all_of_it(testapp, december):
    link = soup(testapp.get("/issue/calendar/2020-12/")).select_one(".calendar-all")
    assert link.get_text() == "All 5 issues that day"
    assert labels(testapp.get(link["href"])) == [f"Days (2020) #{number}" for number in "12345"]


def test_months_lead_to_the_ones_around_them(testapp, december):
    ways = soup(testapp.get("/issue/calendar/2020-12/")).select(".release-ways a")
    assert [(each["rel"], each["href"]) for each in ways] == [
        (["prev"], "/issue/calendar/2020-11/"),
        (["next"], "/issue/calendar/2021-01/"),
    ]
    empty = soup(testapp.get("/issue/calendar/2019-02/"))
    assert [each["rel"] for each in empty.select(".release-ways a")] == [
        ["prev", "nofollow"],
        ["next", "nofollow"],
    ]
    assert empty.select_one('meta[name="robots"]')["content"] == "noindex"
    assert len(empty.select(".calendar-day")) == 28
    assert empty.select_one(".empty p").get_text() == "No releases are known for this period."


def test_without_a_month_it_is_the_present_one_of_the_sites_zone(testapp, december):
    with time_machine.travel(datetime(2021, 1, 1, 4, 59, tzinfo=UTC), tick=False):  # still 2020 in New York
        page = soup(testapp.get("/issue/calendar/"))
    assert page.h1.get_text() == "Releases of December 2020"
    assert page.select_one('.calendar-day[aria-current="date"] time')["datetime"] == "2020-12-31"


@pytest.mark.parametrize(
    "month", ["2020-13", "2020-00", "2020-1", "2020", "1899-12", "9999-01", "x", "2020-12-01"]
)
def test_what_is_no_month_is_no_page(testapp, month):
    testapp.get(f"/issue/calendar/{month}/", status=404)


def test_the_first_and_the_last_month_there_can_be(testapp):
    for month, ways in {
        "1900-01": ["/issue/calendar/1900-02/"],
        "9998-12": ["/issue/calendar/9998-11/"],
    }.items():
        page = soup(testapp.get(f"/issue/calendar/{month}/"))
        assert [each["href"] for each in page.select(".release-ways a")] == ways


def test_no_object_takes_the_address_of_a_page(wsgi):
    """Words that are in the place of a slug in other addresses cannot be slugs."""
    found = set()
    for route in wsgi.routes_mapper.get_routes():
        kind, _slash, rest = route.pattern.removeprefix("/").partition("/")
        word = rest.partition("/")[0]
        if kind in {model.__tablename__ for model in CATALOG} and word and "{" not in word:
            found.add((kind, word))
    assert {("issue", "calendar"), ("issue", "week"), ("issue", "thisweek")} <= found
    assert [(kind, word) for kind, word in sorted(found) if word not in reserved_words(kind)] == []
