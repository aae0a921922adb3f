"""Statistics, charts, reading history, missing issues, whole series, and the cost of these pages."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import time_machine

from comicsdb import clock
from comicsdb.library import collection, reads
from comicsdb.library.collection import figures as collection_figures
from comicsdb.models import CollectionItem, Role
from comicsdb_web.rendering.charts import Chart, Point, axis, with_rest
from tests.conftest import record_statements
from tests.web.conftest import field_errors, notice, soup
from tests.web.forms.form_helpers import checkbox_labels, open_form, submit_form
from tests.web.library.collection_helpers import add_item, add_items, item_of_another_reader, read_dates

# Maximum number of statements of each page, including the one that loads the account.
COSTS = {
    "": 6,
    "?view=grid&is_read=yes&grade=10.0": 6,
    "?publisher_id={publisher}": 7,
    "stats/": 8,
    "history/": 5,
    "history/?page=2": 5,
    "missing/": 4,
    "missing/{series}/": 6,
    "add/": 3,
    "add-from-series/": 3,
    "{item}/": 4,
    "{item}/update/": 4,
    "{item}/delete/": 4,
}


def boxes_of(page) -> dict[str, list[str]]:
    """The boxes of the statistics: values by title."""
    found = soup(page).select(".boxes > div")
    return {
        each.dt.get_text(strip=True): [dd.get_text(" ", strip=True) for dd in each.select("dd")]
        for each in found
    }


def figures(page, name) -> dict[str, str]:
    """The figures of a chart from its table, after checking that its drawing agrees with them."""
    chart = soup(page).select_one(f"#chart-{name}")
    rows = chart.select(".chart-figures tbody tr")
    table = {row.th.get_text(strip=True): row.td.get_text(strip=True) for row in rows}
    drawn = [each.title.get_text() for each in chart.select("rect")]
    assert set(drawn) <= {f"{label}: {value}" for label, value in table.items()}
    if drawn:
        svg = chart.svg
        assert svg["role"] == "img"
        told = [chart.find(id=each).get_text() for each in svg["aria-labelledby"].split()]
        assert told[0] == chart.h2.get_text()
        assert told[1]
    return table


def test_the_boxes_never_add_amounts_of_different_currencies(testapp, make, world, session, reader):
    item_of_another_reader(make, session, world.second)
    add_item(session, reader, world.first, quantity=3, purchase_price=Decimal("1.50"), is_read=True)
    add_item(session, reader, world.second, purchase_price=Decimal("2.25"))
    add_item(session, reader, world.third, purchase_price=Decimal("1000"), purchase_currency="ITL")
    assert boxes_of(testapp.get("/collection/stats/")) == {
        "Issues": ["3"],
        "Copies": ["5"],
        "Total spent": ["$3.75", "ITL\xa01,000"],
        "Items read": ["1"],
        "Not read": ["2"],
        "Progress": ["33% 33%"],
    }


def test_entries_of_the_list_and_issues_of_the_figures_have_different_names(testapp, world, session, reader):
    add_item(session, reader, world.first)
    collection.add(session, reader.id, world.first.id, {}, another_copy=True)
    session.commit()
    for language, entries, issues in (("en", "2 items", "Issues"), ("it", "2 voci", "Albi")):
        testapp.set_cookie("language", language)
        listed = soup(testapp.get("/collection/")).select_one(".list-count")
        assert listed.get_text(strip=True) == entries
        stats = testapp.get("/collection/stats/")
        assert boxes_of(stats)[issues] == ["1"]
        figures_of_issues = soup(stats).select(".charts")[-1]
        heads = {each.select("th")[1].get_text() for each in figures_of_issues.select("thead tr")}
        assert heads == {issues}, language


def test_shares_are_counted_by_publisher_type_and_format(testapp, make, world, session, reader):
    item_of_another_reader(make, session, world.second)
    add_item(session, reader, world.first)
    add_item(session, reader, world.second, book_format="BOTH")
    add_item(session, reader, world.reprint)
    other = make.issue(series=make.series(name="Zephyr", publisher=make.publisher(name="Aeolus")))
    add_item(session, reader, other)
    page = testapp.get("/collection/stats/")
    assert figures(page, "publishers") == {"Harbor House": "3", "Aeolus": "1"}
    assert figures(page, "types") == {"Single Issue": "3", "Trade Paperback": "1"}
    assert figures(page, "formats") == {"Both": "1", "Print": "3"}
    top = soup(page).select_one("[aria-labelledby=series-title]")
    assert [row.get_text(" ", strip=True) for row in top.select("tbody tr")] == [
        "Lamplight (2019) 2",
        "Lamplight Collected TPB (2020) 1",
        "Zephyr (2020) 1",
    ]
    assert soup(page.click("Aeolus")).select_one(".list-count").get_text(strip=True) == "1 item"


def test_writers_and_artists_are_those_with_such_roles_once_for_each_item(make, world, session, reader):
    item_of_another_reader(make, session, world.second)
    letterer = make.creator(name="Cy Quill")
    make.credit(world.second, world.inker, "Writer", "Script")
    make.credit(world.second, letterer, "Letterer")
    for issue in (world.first, world.second):
        add_item(session, reader, issue)

    def top(flag):
        [found] = collection_figures.top_creators(session, reader.id, flag)
        assert found in collection_figures.top_creators(session, reader.id, Role.is_writer, Role.is_artist)
        return [(creator.name, count) for creator, count in found]

    ada, bo = ("Ada Pencil", 1), ("Bo Brush", 1)
    assert top(Role.is_writer) == top(Role.is_artist) == [ada, bo]
    with make.single_commit():
        crowd = [make.creator(name=f"Hand {number:02}") for number in range(11)]
    roles = [make.role("Writer").id, make.role("Script").id]
    make.catalog.update(world.first, {"credits": [{"creator": each.id, "roles": roles} for each in crowd]})
    make.credit(world.second, crowd[10], "Writer")
    assert top(Role.is_writer) == [("Hand 10", 2), bo, *((f"Hand {number:02}", 1) for number in range(8))]
    assert top(Role.is_artist) == []


def test_days_and_months_are_complete_and_local(make, world, session, reader, wsgi):
    item_of_another_reader(make, session, world.second)
    zone = wsgi.registry.settings["comicsdb.timezone"]
    item = add_item(session, reader, world.first)
    today = date(2026, 1, 15)
    local = (
        (2026, 1, 15, 23, 30),  # already the next day in UTC
        (2026, 1, 15, 0, 0),
        (2025, 12, 17, 12),  # the first of the thirty days
        (2025, 12, 16, 23, 59),
        (2025, 2, 1, 0, 0),  # the first moment of the twelve months
        (2025, 1, 31, 23, 59),
        (2026, 1, 16, 0, 0),  # tomorrow
    )
    for moment in local:
        collection.add_read(session, reader.id, item.id, datetime(*moment, tzinfo=zone))
    found = collection_figures.reading_activity(session, reader.id, zone, today)
    assert [day for day, _count in found.days] == [today - timedelta(days=back) for back in range(29, -1, -1)]
    assert {day: count for day, count in found.days if count} == {date(2025, 12, 17): 1, today: 2}
    assert [month for month, _count in found.months] == [
        *(date(2025, month, 1) for month in range(2, 13)),
        date(2026, 1, 1),
    ]
    counted = {month: count for month, count in found.months if count}
    assert counted == {date(2025, 2, 1): 1, date(2025, 12, 1): 2, date(2026, 1, 1): 2}


def test_charts_of_time_say_every_day_and_every_month_with_its_year(testapp, world, session, reader, wsgi):
    add_item(session, reader, world.first, is_read=True)
    page = testapp.get("/collection/stats/")
    today = clock.business_day(wsgi.registry.settings["comicsdb.timezone"])
    days, months = figures(page, "days"), figures(page, "months")
    assert (len(days), len(months)) == (30, 12)
    assert list(days)[-1] == f"{today:%B} {today.day}, {today.year}"
    assert list(months)[-1] == f"{today:%B %Y}"
    assert set(days.values()) == {"0", "1"}
    marks = [each.get_text() for each in soup(page).select("#chart-months text")]
    assert str(today.year) in marks


def test_charts_of_time_end_with_the_day_of_the_reader(testapp, world, session, reader):
    reader.timezone = "Pacific/Kiritimati"
    evening = clock.now().replace(hour=18)  # in New York it is still the day before
    with time_machine.travel(evening):
        add_item(session, reader, world.first, is_read=True)
        days = figures(testapp.get("/collection/stats/"), "days")
    today = evening.date() + timedelta(days=1)
    assert list(days.items())[-1] == (f"{today:%B} {today.day}, {today.year}", "1")


def test_axes_have_whole_numbers_and_reach_every_figure():
    for peak in (0, 1, 2, 3, 4, 5, 9, 10, 11, 99, 101, 4999, 5000, 123456):
        ticks = axis(peak)
        assert ticks[0] == 0
        assert ticks[-1] >= max(1, peak)
        assert len(ticks) <= 5
        assert all(type(tick) is int for tick in ticks)
        assert len({after - before for before, after in pairwise(ticks)}) == 1
    assert axis(3) == [0, 1, 2, 3]
    points = [Point(str(value), value) for value in (9, 5, 3, 1)]
    assert [(each.label, each.value) for each in with_rest(points, 3, "Other")] == [
        ("9", 9),
        ("5", 5),
        ("Other", 4),
    ]
    assert with_rest(points, 4, "Other") == points
    chart = Chart("c", "", "", "", "", points)
    assert [chart.share(each.value) for each in points] == [90, 50, 30, 10]
    ends = [sum(chart.column(place)) for place in range(4)]
    begins = [chart.column(place)[0] for place in range(1, 4)] + [100]
    assert all(end < begin for end, begin in zip(ends, begins, strict=True))


def test_the_history_goes_by_local_day_with_a_badge_for_several_reads_on_one(
    testapp, make, world, session, reader, wsgi
):
    item_of_another_reader(make, session, world.second)
    zone = wsgi.registry.settings["comicsdb.timezone"]
    first, second = add_item(session, reader, world.first, rating=4), add_item(session, reader, world.second)
    for item, *moment in (
        (first, 2026, 3, 5, 23, 50),
        (first, 2026, 3, 5, 0, 5),
        (first, 2026, 3, 4, 12, 0),
        (second, 2026, 3, 5, 12, 0),
    ):
        collection.add_read(session, reader.id, item.id, datetime(*moment, tzinfo=zone))
    unknown = add_item(session, reader, world.third, is_read=True)
    reads.clear(session, reader.id, [unknown.issue_id])
    reads.mark_read(session, reader.id, [unknown.issue_id], None)
    session.commit()
    page = soup(testapp.get("/collection/history/"))
    told = [
        (
            day.time.get_text() if day.time else "",
            [
                (card.select_one(".card-label").get_text(strip=True), card.select_one(".tag-new") is not None)
                for card in day.select(".diary-line")
            ],
        )
        for day in page.select(".day")
    ]
    one, two, three = (f"Lamplight (2019) #{number}" for number in (1, 2, 3))
    assert told == [
        ("5 Thu", [(one, True), (two, False)]),
        ("4 Wed", [(one, False)]),
        ("", [(three, False)]),
    ]
    assert [each.get_text() for each in page.select(".diary-month h2")] == ["March 2026", "Date unknown"]
    assert page.select_one(".tag-new").get_text(" ", strip=True) == "×2 on this day"
    assert page.select_one(".diary-line .stars")["aria-label"] == "4 of 5 stars"


def test_the_history_has_pages_of_fifty(testapp, world, session, reader):
    base = datetime(2026, 1, 1, 12, tzinfo=UTC)
    item = add_item(
        session, reader, world.first, read_dates=[base + timedelta(days=day) for day in range(52)]
    )
    page = testapp.get("/collection/history/")
    assert len(soup(page).select(".diary-line")) == 50
    last = page.click("<span>Next</span>")
    assert [each["datetime"] for each in soup(last).select(".day time")] == ["2026-01-02", "2026-01-01"]
    assert soup(last).select_one(".card-label")["href"].endswith(f"/collection/{item.id}/")
    testapp.get("/collection/history/?page=3", status=404)


def test_series_with_gaps_come_with_a_bar_the_most_missing_first(testapp, make, world, session, reader):
    item_of_another_reader(make, session, world.second)
    whole, most = make.series(name="Whole"), make.series(name="Most")
    add_items(session, reader, whole, 2)
    for item in add_items(session, reader, most, 5)[4:]:
        collection.remove(session, reader.id, item)
    add_item(session, reader, world.first)
    make.issue(series=whole, number="soon", store_date=clock.now().date() + timedelta(days=9))
    session.commit()
    page = testapp.get("/collection/missing/")
    cards = [
        (
            each.h2.get_text(strip=True),
            each.progress["class"][1],
            each.progress["value"],
            each.progress["max"],
        )
        for each in soup(page).select(".gap-card")
    ]
    assert cards == [("Lamplight (2019)", "bar-low", "1", "3"), ("Most (2020)", "bar-most", "4", "5")]
    gaps = page.click("Lamplight")
    rows = [row.get_text(" ", strip=True).split(" Add ")[0] for row in soup(gaps).select(".items tbody tr")]
    assert rows == ["#2 June 1, 2019", "#3 July 1, 2019"]
    assert "2 missing" in soup(gaps).h1.text
    form = gaps.click("Add Lamplight \\(2019\\) #2")
    assert checkbox_labels(form, "issue_id", ticked=True) == ["Lamplight (2019) #2 2019-06"]
    complete = testapp.get(f"/collection/missing/{whole.id}/")
    assert "You have every released issue of this series." in complete.text
    for other in (world.book.id, 999999, 2**31):
        testapp.get(f"/collection/missing/{other}/", status=404)


def test_a_range_of_a_series_is_added_and_what_was_there_is_told(testapp, world, session, reader):
    add_item(session, reader, world.second, notes="mine")
    form = open_form(testapp, f"/collection/add-from-series/?series={world.series.id}")
    done = submit_form(form, {"what": "range", "first": "2", "book_format": "DIGITAL", "is_read": ["", "1"]})
    assert notice(done.follow()) == "1 issue was added. 1 was already there."
    kept, added = session.query(CollectionItem).order_by(CollectionItem.id)
    assert (kept.notes, kept.book_format, kept.is_read) == ("mine", "PRINT", False)
    assert (added.issue_id, added.book_format, added.is_read) == (world.third.id, "DIGITAL", True)
    assert len(read_dates(session, added)) == 1
    done = submit_form(open_form(testapp, f"/collection/add-from-series/?series={world.series.id}"))
    assert notice(done.follow()) == "1 issue was added. 2 were already there."


def test_a_series_form_that_makes_no_sense_adds_nothing(testapp, world, session, reader):
    address = f"/collection/add-from-series/?series={world.series.id}"
    for fields, wrong in (
        ({"what": "range"}, "first"),
        ({"what": "range", "first": "7"}, "first"),
        ({"what": "range", "last": "99"}, "last"),
        ({"what": "range", "first": "3", "last": "1"}, "last"),
        ({"what": "all", "first": "1"}, "what"),
        ({"what": "some"}, "what"),
        ({"book_format": "VINYL"}, "book_format"),
        ({"series": "999999"}, "series"),
        ({"series": "99999999999999999999"}, "series"),
        ({"series": "1" * 5000}, "series"),
        ({"series": "٣"}, "series"),
        ({"series": "x"}, "series"),
        ({"series": []}, "series"),
    ):
        refused = submit_form(open_form(testapp, address), fields, status=422)
        assert list(field_errors(refused)) == [wrong], fields
    assert session.query(CollectionItem).count() == 0
    found = submit_form(
        open_form(testapp, address), {"series-q": "collected"}, press=("find", "series"), status=200
    )
    assert "Lamplight Collected TPB (2020) Harbor House" in checkbox_labels(found, "series")


def test_no_page_costs_more_when_there_is_more_to_show(testapp, make, world, session, reader, connection):
    item_of_another_reader(make, session, world.second)
    item = add_item(session, reader, world.first, is_read=True, rating=3)
    add_item(
        session,
        reader,
        world.reprint,
        read_dates=[datetime(2020, 1, day, tzinfo=UTC) for day in range(1, 31)],
    )
    add_items(session, reader, world.series, 60, read_dates=[datetime(2026, 1, 1, tzinfo=UTC)])
    words = {"item": item.id, "series": world.series.id, "publisher": world.publisher.id}

    def costs():
        found = {}
        for address in COSTS:
            with record_statements(connection) as statements:
                testapp.get(f"/collection/{address.format(**words)}")
            found[address] = statements
        return found

    few = costs()
    for number in range(4):
        series = make.series(name=f"Run {number}", publisher=make.publisher())
        items = add_items(session, reader, series, 30, is_read=True, purchase_store=f"Shop {number}")
        collection.remove(session, reader.id, items[0])
        make.credit(make.issue(series=series, number="x"), world.creator, "Writer")
    session.commit()
    for address, statements in costs().items():
        assert len(statements) == len(few[address]), f"{address}\n{statements}"
        assert len(statements) <= COSTS[address], f"{address}\n{statements}"
