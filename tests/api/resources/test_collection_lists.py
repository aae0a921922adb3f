"""Lists and figures of a collection: order, filters, sums by currency, gaps, conditions and statements."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text, update

from comicsdb import clock
from comicsdb.library import collection, ratings
from comicsdb.models import CollectionItem, Issue
from tests.api.http_dates import AFTER, BEFORE, MOMENT, MOMENT_DATE, moment_plus
from tests.cases import for_each
from tests.conftest import record_statements

TODAY = date(2026, 3, 4)
UNKNOWN = "Select a valid choice. {} is not one of the available choices."
NUMBER, DATE, MOMENT_WANTED = "Enter a number.", "Enter a valid date.", "Enter a valid date/time."


@pytest.fixture
def own(make, reader):
    """A function that adds an issue to the reader's collection."""

    def own(issue, *, rating=None, **values):
        ratings.rate(make.session, issue, reader.id, rating, today=TODAY)
        item, _ = collection.add(make.session, reader.id, issue.id, values)
        make.session.commit()
        return item

    return own


def numbers(api, query=""):
    """The numbers of the issues in the list, in its order."""
    return " ".join(row["issue"]["number"] for row in api.json(f"/api/collection/?{query}")["results"])


@pytest.fixture
def shelf(make, own):
    """Items A to D, of which D has only default values."""
    zebra, apple = make.series(name="Zebra"), make.series(name="Äpple")
    issues = {
        number: make.issue(series=series, number=number, cover_date=date(2020, month, 1))
        for number, series, month in (("A", zebra, 2), ("B", zebra, 1), ("C", apple, 3), ("D", apple, 4))
    }
    own(
        issues["A"],
        book_format="DIGITAL",
        grade=Decimal("9.8"),
        grading_company="CGC",
        rating=5,
        purchase_date=date(2026, 1, 1),
        purchase_store="Corner_Shop",
        storage_location="Box 3",
        read_dates=[datetime(2026, 1, 2, 4, 59, 59, 999999, UTC)],  # the last moment of a day in New York
    )
    own(
        issues["B"],
        book_format="BOTH",
        grade=Decimal("10.0"),
        rating=1,
        purchase_date=date(2026, 1, 2),
        purchase_store="CORNERSHOP",
        read_dates=[datetime(2026, 1, 2, 5, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)],
    )
    own(
        issues["C"],
        grade=Decimal("6.0"),
        purchase_date=date(2026, 1, 3),
        storage_location="box 30",
        tags=["To sell"],
    )
    own(issues["D"])
    return {"zebra": zebra, "apple": apple, **issues}


def test_items_stand_by_series_and_cover_date(api, shelf):
    assert numbers(api) == "C D B A"


@for_each(
    "query,found",
    [
        ("book_format=DIGITAL", "A"),
        ("book_format=PRINT", "C D"),
        ("grade=9.8", "A"),
        ("grade=10.0", "B"),
        ("grade=6.0", "C"),
        ("grading_company=CGC", "A"),
        ("grading_company=PGX", ""),
        ("rating=5", "A"),
        ("rating=1.0", "B"),
        ("rating=7", ""),
        ("is_read=true", "B A"),
        ("is_read=0", "C D"),
        ("is_read=maybe", "C D B A"),
        ("purchase_store=corner", "B A"),
        ("purchase_store=r_s", "A"),
        ("storage_location=BOX%203", "C A"),
        ("tag=to%20SELL", "C"),
        ("tag=sell", ""),
        ("purchase_date=2026-01-02", "B"),
        ("purchase_date_gt=2026-01-02", "C"),
        ("purchase_date_gte=2026-01-02", "C B"),
        ("purchase_date_lt=2026-01-02", "A"),
        ("purchase_date_lte=2026-01-02", "B A"),
        ("date_read=2026-01-01", "A"),
        ("date_read=2026-01-02", "B"),
        ("date_read=2020-01-01", ""),
        ("date_read_gt=2026-01-01", "B"),
        ("date_read_gte=2026-01-01", "B A"),
        ("date_read_lt=2026-01-02", "A"),
        ("date_read_lte=2026-01-01", "A"),
        ("date_read_gte=0001-01-01", "B A"),
        ("date_read_lte=9999-12-31", "B A"),
        ("date_read_gt=9999-12-31", ""),
        ("modified_gt=2020-01-01", "C D B A"),
        ("modified_gt=2199-01-01", ""),
        ("is_read=true&book_format=BOTH", "B"),
        ("q=zebra&series_name=zebra&publisher_id=999", "C D B A"),
    ],
)
def test_filters_narrow_the_list(api, shelf, query, found):
    assert numbers(api, query) == found


def test_items_are_found_by_their_series(api, shelf):
    assert numbers(api, f"issue__series={shelf['zebra'].id}") == "B A"
    assert numbers(api, "issue__series=999999") == ""


@for_each(
    "query,told",
    [
        *((f"{name}={value}", {name: [UNKNOWN.format(value)]}) for name, value in
          (("grade", "9"), ("grade", "9.7"), ("book_format", "Print"), ("grading_company", "x"))),
        ("rating=x&issue__series=x", {"rating": [NUMBER], "issue__series": [NUMBER]}),
        *((f"{name}{how}=x", {f"{name}{how}": [DATE]})
          for name in ("purchase_date", "date_read") for how in ("", "_gt", "_lt", "_gte", "_lte")),
        ("modified_gt=x", {"modified_gt": [MOMENT_WANTED]}),
    ],
)  # fmt: skip
def test_bad_values_are_named(api, query, told):
    assert api.json(f"/api/collection/?{query}", 400) == told


def test_pages_have_a_hundred_items(api, make, reader):
    series = make.series()
    make.session.execute(
        text(
            "INSERT INTO issue (slug, series_id, number, cover_date)"
            " SELECT 'p' || n, :series, n, '2020-01-01' FROM generate_series(1, 101) n"
        ),
        {"series": series.id},
    )
    collection.add_series(make.session, reader.id, series.id)
    make.session.commit()
    first = api.json("/api/collection/")
    assert (first["count"], len(first["results"]), first["previous"]) == (101, 100, None)
    assert first["next"] == "http://localhost/api/collection/?page=2"
    last = api.json("/api/collection/?page=last")
    assert (len(last["results"]), last["previous"]) == (1, "http://localhost/api/collection/")
    assert len({row["id"] for row in first["results"] + last["results"]}) == 101
    assert api.json("/api/collection/?page=3", 404) == {"detail": "Invalid page."}


# Figures.


def test_an_empty_collection_has_figures_too(api):
    assert api.get("/api/collection/stats/").text == (
        '{"total_items":0,"total_quantity":0,"total_value":"0.00","total_value_currency":"USD",'
        '"value_by_currency":{},"read_count":0,"unread_count":0,"by_format":[]}'
    )


def test_amounts_of_different_currencies_are_never_added(api, make, own):
    priced = (("USD", "4.50"), ("EUR", "1.25"), ("EUR", "2"), ("ITL", "99999999.99"), ("ITL", None))
    for number, (currency, price) in enumerate(priced, 1):
        own(
            make.issue(),
            quantity=number,
            purchase_price=price and Decimal(price),
            purchase_currency=currency,
            book_format="PRINT" if number % 2 else "BOTH",
            is_read=number == 1,
        )
    assert api.json("/api/collection/stats/") == {
        "total_items": 5,
        "total_quantity": 15,
        "total_value": "3.25",
        "total_value_currency": "EUR",
        "value_by_currency": {"EUR": "3.25", "USD": "4.50", "ITL": "99999999.99"},
        "read_count": 1,
        "unread_count": 4,
        "by_format": [{"book_format": "BOTH", "count": 2}, {"book_format": "PRINT", "count": 3}],
    }


@pytest.mark.parametrize(("other", "first"), [("EUR", "USD"), ("ITL", "USD")])
def test_dollars_come_first_where_as_many_items_are_priced_in_another_currency(api, make, own, other, first):
    for currency in (other, "USD"):
        own(make.issue(), purchase_price=Decimal(1), purchase_currency=currency)
    assert api.json("/api/collection/stats/")["total_value_currency"] == first


# Missing issues.


def test_series_of_which_something_is_missing(api, make, own):
    complete, half, most = (make.series(name=name, year_end=2021) for name in ("All", "Half", "Zebra"))
    make.issue(series=make.series(name="None"))
    own(make.issue(series=complete))
    for series, count in ((half, 2), (most, 4)):
        issues = [make.issue(series=series, number=str(number)) for number in range(count)]
        own(issues[1])
    twin = make.series(name="Half", year_began=2019)
    own(make.issue(series=twin))
    make.issue(series=twin, number="2")
    page = api.json("/api/collection/missing_series/")
    assert [row["id"] for row in page["results"]] == [most.id, twin.id, half.id]
    assert page["count"] == 3
    publisher = half.publisher_id
    name = api.json(f"/api/publisher/{publisher}/")["name"]
    assert list(page["results"][2].items()) == [
        ("id", half.id),
        ("name", "Half"),
        ("sort_name", "Half"),
        ("year_began", 2020),
        ("year_end", 2021),
        ("publisher", {"id": publisher, "name": name}),
        ("series_type", {"id": 13, "name": "Single Issue"}),
        ("total_issues", 2),
        ("owned_issues", 1),
        ("missing_count", 1),
        ("completion_percentage", 50.0),
    ]
    assert page["results"][0]["completion_percentage"] == 25.0
    for number in ("5", "6"):
        make.issue(series=most, number=number)
    assert api.json("/api/collection/missing_series/")["results"][0]["completion_percentage"] == 16.7


def test_what_is_not_out_is_not_missing(api, make, own, wsgi, monkeypatch):
    today = clock.business_day(wsgi.registry.settings["comicsdb.timezone"])
    days = (None, today, today + timedelta(days=1), today + timedelta(days=2))
    series = make.series()
    issues = [make.issue(series=series, number=str(n), store_date=day) for n, day in enumerate(days)]
    own(issues[0])
    own(issues[3])  # before it is out

    def told():
        rows = api.json("/api/collection/missing_series/")["results"]
        found = [(row["owned_issues"], row["total_issues"], row["missing_count"]) for row in rows]
        numbers = [
            row["number"] for row in api.json(f"/api/collection/missing_issues/{series.id}/")["results"]
        ]
        return found, numbers

    assert told() == ([(2, 3, 1)], ["1"])
    own(issues[1])
    assert told() == ([], [])
    monkeypatch.setattr(clock, "business_day", lambda _zone, _moment=None: today + timedelta(days=1))
    assert told() == ([(3, 4, 1)], ["2"])


def test_what_is_incomplete_is_neither_0_nor_100_percent(session, api, make, own):
    series = make.series()
    first = make.issue(series=series, number="first")
    session.execute(
        text(
            "INSERT INTO issue (series_id, number, slug, cover_date, rating_id, created_by_id, edited_by_id)"
            " SELECT :series, n::text, 'many-' || n, '2020-01-01', 1, 1, 1 FROM generate_series(1, 2999) n"
        ),
        {"series": series.id},
    )
    own(first)
    (row,) = api.json("/api/collection/missing_series/")["results"]
    assert (row["owned_issues"], row["total_issues"], row["completion_percentage"]) == (1, 3000, 0.1)
    session.execute(
        text(
            "INSERT INTO collection_item (user_id, issue_id) SELECT user_id, i.id"
            " FROM collection_item, issue i WHERE i.number NOT IN ('first', '7')"
        )
    )
    (row,) = api.json("/api/collection/missing_series/")["results"]
    assert (row["missing_count"], row["completion_percentage"]) == (1, 99.9)


def test_issues_that_are_missing(api, make, own):
    series = make.series(name="Harbor Lights", year_began=2019)
    days = {"10": date(2020, 2, 1), "9": date(2020, 2, 1), "1": date(2020, 3, 1), "0": date(2020, 1, 1)}
    issues = {
        number: make.issue(series=series, number=number, cover_date=day) for number, day in days.items()
    }
    path = f"/api/collection/missing_issues/{series.id}/"
    assert [row["number"] for row in api.json(path)["results"]] == ["0", "10", "9", "1"]
    own(issues["0"])
    own(issues["1"])
    page = api.json(path)
    assert page["count"] == 2
    assert list(page["results"][0].items()) == [
        ("id", issues["10"].id),
        ("series", {"id": series.id, "name": "Harbor Lights", "volume": 1, "year_began": 2019}),
        ("number", "10"),
        ("cover_date", "2020-02-01"),
        ("store_date", None),
    ]


@for_each("number", ["0", "-5", "999999", "9" * 30])
def test_of_an_unknown_series_nothing_is_missing(api, number):
    expected = {"count": 0, "next": None, "previous": None, "results": []}
    assert api.json(f"/api/collection/missing_issues/{number}/") == expected


# Conditional requests.


@pytest.fixture
def owned(make, own):
    """A function that sets the stamps of an item and its issue; returns the path of the item."""
    issue = make.issue()
    item = own(issue)

    def stamps(item_at, issue_at, item_before=None, issue_before=None):
        session = make.session
        for model, each, now, before in (
            (CollectionItem, item, item_at, item_before),
            (Issue, issue, issue_at, issue_before),
        ):
            session.execute(
                update(model).where(model.id == each.id).values(modified=now, modified_before=before)
            )
        session.commit()
        return f"/api/collection/{item.id}/"

    return stamps


@pytest.mark.parametrize(("item_at", "issue_at"), [(0, -60), (-60, 0)])
def test_the_later_of_item_and_issue_is_the_date(api, owned, item_at, issue_at):
    path = owned(moment_plus(item_at), moment_plus(issue_at))
    assert api.get(path).headers["Last-Modified"] == MOMENT_DATE
    for since, status in ((BEFORE, 200), (MOMENT_DATE, 304), (AFTER, 304)):
        answer = api.get(path, status, {"If-Modified-Since": since})
        assert answer.headers["Last-Modified"] == MOMENT_DATE
    api.get(path, 412, {"If-Unmodified-Since": BEFORE})
    api.get(path, 200, {"If-Unmodified-Since": MOMENT_DATE})


@pytest.mark.parametrize(
    "stamps",
    [
        (moment_plus(0), moment_plus(-60), moment_plus(-0.5)),
        (moment_plus(-60), moment_plus(0), None, moment_plus(-0.5)),
        (moment_plus(0), moment_plus(-0.3)),
        (MOMENT, MOMENT),
    ],
)
def test_a_date_of_a_second_with_two_changes_proves_nothing(api, owned, stamps):
    path = owned(*stamps)
    api.get(path, 200, {"If-Modified-Since": MOMENT_DATE})
    api.get(path, 304, {"If-Modified-Since": AFTER})


def test_writes_heed_conditions(testapp, api, owned):
    from tests.api.writing import WritingClient

    path, mine = owned(moment_plus(0), moment_plus(-60)), WritingClient(testapp, api.headers)
    tag = mine.get(path).headers["ETag"]
    for method, body in (("PATCH", {"rating": 4}), ("PUT", {}), ("DELETE", {})):
        for stale in ({"If-Match": '"0"'}, {"If-Unmodified-Since": BEFORE}):
            assert mine.write(method, path, 412, json=body, headers=stale).body == b""
    assert mine.get(path).headers["ETag"] == tag
    mine.patch(path, json={"rating": 4}, headers={"If-Match": tag})
    mine.write("PATCH", path, 412, json={"rating": 5}, headers={"If-Match": tag})
    mine.write("PATCH", path, 412, json={"rating": 5}, headers={"If-Unmodified-Since": MOMENT_DATE})
    assert mine.json(path)["rating"] == 4
    mine.write("DELETE", path, 204, json={}, headers={"If-Match": mine.get(path).headers["ETag"]})


def test_lists_and_figures_have_tags_and_no_dates(api, owned):
    owned(moment_plus(0), moment_plus(-60))
    for path in ("", "stats/", "missing_series/", "missing_issues/1/"):
        answer = api.get(f"/api/collection/{path}", 200, {"If-Modified-Since": AFTER})
        assert "Last-Modified" not in answer.headers
        api.get(f"/api/collection/{path}", 304, {"If-None-Match": answer.headers["ETag"]})


def test_what_a_list_shows_is_never_old(api, make, catalog, shelf):
    before = api.json("/api/collection/")
    catalog.update(shelf["zebra"], {"name": "Aardvark", "sort_name": "Aardvark"})
    make.session.commit()
    after = api.json("/api/collection/")
    assert after["count"] == before["count"]
    assert [row["issue"]["series"]["name"] for row in after["results"]] == ["Aardvark"] * 2 + ["Äpple"] * 2


# Statements.


@pytest.mark.parametrize("size", [2, 12])
def test_the_cost_of_an_answer_does_not_depend_on_how_much_there_is(
    testapp, api, make, own, connection, size
):
    from tests.api.writing import WritingClient

    mine, series = WritingClient(testapp, api.headers), make.series()
    for number in range(size):
        item = own(make.issue(series=series, number=str(number)), read_dates=[MOMENT] * size)
    gap = make.issue(series=series, number="gap")
    detail = f"/api/collection/{item.id}/"
    mine.get("/api/")
    calls = {
        "list": lambda: mine.get("/api/collection/"),
        "detail": lambda: mine.get(detail),
        "stats": lambda: mine.get("/api/collection/stats/"),
        "missing_series": lambda: mine.get("/api/collection/missing_series/"),
        "missing_issues": lambda: mine.get(f"/api/collection/missing_issues/{series.id}/"),
        "rate": lambda: mine.patch(detail, json={"rating": 4}),
        "touch": lambda: mine.patch(detail, json={}),
        "scrobble": lambda: mine.post("/api/collection/scrobble/", json={"issue_id": gap.id}),
        "scrobble again": lambda: mine.post("/api/collection/scrobble/", 200, json={"issue_id": gap.id}),
        "add": lambda: mine.post("/api/collection/add/", 200, json={"issue_id": gap.id}),
        "delete": lambda: mine.call("DELETE", detail, 204),
    }
    found = {}
    for name, call in calls.items():
        with record_statements(connection) as statements:
            call()
        found[name] = len(statements)
    assert found == {
        "list": 2,
        "detail": 3,
        "stats": 2,
        "missing_series": 2,
        "missing_issues": 2,
        "rate": 14,
        "touch": 6,
        "scrobble": 7,
        "scrobble again": 4,
        "add": 4,
        "delete": 4,
    }
