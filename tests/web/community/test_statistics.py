"""The page of statistics with its totals and charts, and the staff's overview; counted every half hour."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import orjson
import pytest

from comicsdb import clock
from comicsdb.readcache.regions import FIGURES_SECONDS, Cache
from tests.conftest import record_statements
from tests.web.conftest import soup, start_session


def table(page, name) -> list[tuple[str, str]]:
    """The figures in the table below a chart."""
    rows = page.select(f"#chart-{name} tbody tr")
    return [(each.th.get_text(strip=True), each.td.get_text(strip=True)) for each in rows]


def test_the_catalog_is_counted_and_drawn(testapp, world):
    page = soup(testapp.get("/statistics/"))
    totals = {each.dt.get_text(strip=True): each.dd.get_text() for each in page.select(".totals dl > div")}
    assert totals == {
        "Publishers": "1",
        "Series": "2",
        "Issues": "4",
        "Characters": "1",
        "Creators": "2",
        "Teams": "1",
        "Story Arcs": "1",
    }
    names = [each["id"].removeprefix("chart-") for each in page.select("figure.chart-panel")]
    assert sorted(names) == ["characters", "creators", "days", "months", "publishers", "years"]
    for name, rows in (("days", 30), ("months", 12), ("creators", 12), ("characters", 12), ("years", 5)):
        assert len(table(page, name)) == rows, name
    assert table(page, "days")[-1][1] == "4"
    assert table(page, "publishers") == [("Harbor House", "4 · 100%")]
    assert page.select_one("#chart-publishers tbody a")["href"] == f"/publisher/{world.publisher.slug}/"
    months = [label for label, _value in table(page, "months")]
    assert all(label.split()[1].isdigit() for label in months), months  # month and year
    for drawing in page.select("svg.chart"):
        labelled = [page.find(id=name).get_text() for name in drawing["aria-labelledby"].split()]
        assert drawing["role"] == "img"
        assert all(labelled)


def test_the_figures_are_kept_and_say_of_when_they_are(testapp, connection, world, make):
    first = soup(testapp.get("/statistics/"))
    make.issue(series=world.series, number="99")
    with record_statements(connection) as statements:
        again = soup(testapp.get("/statistics/"))
    assert len(statements) == 1, statements  # the epoch, which validates cached pages
    assert again.select_one(".list-count").get_text() == first.select_one(".list-count").get_text()
    assert first.select_one(".list-count").get_text().startswith("Last updated: ")
    assert table(again, "days") == table(first, "days")
    testapp.app.registry["comicsdb.cache"].clear()
    assert table(soup(testapp.get("/statistics/")), "days")[-1][1] == "5"


def test_they_are_plain_data_of_one_day(testapp, world, wsgi):
    testapp.get("/statistics/")
    today = clock.business_day(wsgi.registry.settings["comicsdb.timezone"])
    kept = wsgi.registry["comicsdb.cache"].figures.get(f"statistics:1:{today}")
    found = orjson.loads(kept)
    assert set(found) == {"at", "figures"}
    assert clock.now() - datetime.fromisoformat(found["at"]) < timedelta(minutes=5)
    assert found["figures"]["totals"]["issue"] == 4


@pytest.mark.parametrize("shared", [False, True])
def test_of_many_who_come_when_they_have_expired_one_counts(redis, shared):
    cache = Cache(redis.url if shared else "")
    begun, counted = threading.Barrier(6), []

    def ask():
        begun.wait()
        return cache.figures.get_or_create("x", lambda: counted.append(1) or b"figures")

    with ThreadPoolExecutor(6) as pool:
        answers = [each.result() for each in [pool.submit(ask) for _ in range(6)]]
    assert (answers, len(counted)) == ([b"figures"] * 6, 1)


def test_they_are_kept_for_half_an_hour_in_redis(redis):
    Cache(redis.url).figures.get_or_create("x", lambda: b"figures")
    assert FIGURES_SECONDS == 1800
    assert 1700 < redis.client.ttl("comicsdb:figures:x") <= 1800


def test_the_overview_of_the_staff_says_what_needs_hands(testapp, session, connection, world, member, make):
    make.series(name="LAMPLIGHT", publisher=world.publisher, year_began=1990)
    member.is_staff = True
    session.commit()
    start_session(testapp, member)
    page = soup(testapp.get("/admin/"))
    needs = {
        each.span.get_text(): (each.strong.get_text(), each["href"])
        for each in page.select("[aria-labelledby=catalog-title] .need a")
    }
    assert needs["Issues without a cover"] == ("3", "/admin/issue/?cover=no")
    assert needs["Issues without credits"] == ("3", "/admin/issue/?credits=no")
    assert needs["Possible duplicate series"] == ("1", "/admin/advice/duplicates/")
    assert needs["The check digit or format of the UPC is wrong"] == ("1", "/admin/advice/?rule=upc")
    for _number, address in needs.values():
        assert testapp.get(address).status_int == 200
    lines = soup(testapp.get("/admin/issue/?cover=no")).select("tbody tr")
    assert len(lines) == 3
    rows = soup(testapp.get("/admin/advice/duplicates/")).select("tbody tr")
    assert [each.select_one("a").get_text() for each in rows] == ["Lamplight (2019)", "LAMPLIGHT (1990)"]
    assert testapp.get(rows[1].select_one("a.button")["href"]).status_int == 200


def test_the_overview_costs_the_same_however_much_needs_hands(
    testapp, session, connection, world, member, make
):
    member.is_staff = True
    session.commit()
    start_session(testapp, member)
    cache = testapp.app.registry["comicsdb.cache"]
    counts = []
    for number in ("10", "11"):
        cache.clear()
        with record_statements(connection) as counted:
            testapp.get("/admin/")
        with record_statements(connection) as kept:
            testapp.get("/admin/")
        counts.append((len(counted), len(kept)))
        make.issue(series=world.series, number=number, upc="1")
    assert counts[0] == counts[1]
    assert counts[0][0] == counts[0][1] + 2
