"""The values proposed for the next issue of a series."""

from datetime import date
from decimal import Decimal

import pytest

from comicsdb.catalog.next_issue import propose_next_issue
from comicsdb.values import partial_day
from tests.cases import for_each
from tests.conftest import record_statements


def day(text):
    return date.fromisoformat(text) if text else None


@pytest.fixture
def run(make, session):
    """`run(*rows)`: create issues (number, cover, store and FOC date); returns the proposed next one."""

    def made(*rows, after=None, **values):
        with make.single_commit():
            series = make.series()
            issues = [
                make.issue(
                    series=series,
                    number=number,
                    cover_date=day(cover),
                    store_date=day(store),
                    foc_date=day(foc),
                    **values,
                )
                for number, cover, store, foc in rows
            ]
        return propose_next_issue(session, series.id, (after is not None and issues[after].id) or None)

    return made


def test_a_monthly_run_goes_on(run):
    found = run(
        ("8", "2026-01-01", "2025-11-05", None),
        ("9", "2026-02-01", "2025-12-03", None),
        ("10", "2026-03-01", "2026-01-07", "2025-12-15"),
        price=Decimal("4.99"),
        currency="EUR",
        page=32,
        rating=3,
        alt_number="108",
    )
    assert found == {
        "number": "11",
        "alt_number": "109",
        "cover_date": day("2026-04-01"),
        "store_date": day("2026-02-04"),  # a Wednesday, like the others
        "foc_date": day("2026-01-12"),
        "price": Decimal("4.99"),
        "currency": "EUR",
        "page": 32,
        "rating": 3,
    }


@for_each(
    "rows,expected",
    [
        # Weekly: the month on the cover stays the same
        (
            (("1", "2026-01-01", "2026-01-07"), ("2", "2026-01-01", "2026-01-14")),
            ("3", "2026-01-01", "2026-01-21"),
        ),
        # Every two months, at the end of a month
        ((("1", "2025-12-31", ""), ("2", "2026-02-28", "")), ("3", "2026-04-28", None)),
        (
            (("Annual 001", "2024-07-01", ""), ("Annual 002", "2025-07-01", "")),
            ("Annual 003", "2026-07-01", None),
        ),
        # A single issue: a monthly series is assumed
        ((("1", "2026-01-31", "2026-01-07"),), ("2", "2026-02-28", "2026-02-04")),
        ((("½", "2026-01-01", ""),), (None, "2026-02-01", None)),
        ((("1", "2100-12-01", ""),), ("2", None, None)),
    ],
)  # fmt: skip
def test_numbers_and_dates_follow_the_run(run, rows, expected):
    found = run(*((*row, None) for row in rows))
    dates = (found.get(name) for name in ("cover_date", "store_date"))
    assert (found.get("number"), *(each and each.isoformat() for each in dates)) == expected


@for_each(
    "dates,expected",
    [
        (("1963", "1964"), {}),
        ((None, None), {}),
        (("1963-09-10", None), {}),
        (("1963-09-10", "1964"), {}),
        (("1963-07", "1963-09"), {"cover_date": "1963-11-01", "cover_date_precision": "month"}),
        (("1963-08-31", "1963-09"), {"cover_date": "1963-10-01", "cover_date_precision": "month"}),
        (("1963-09", "1963-10-31"), {"cover_date": "1963-11-30"}),
        (("1963-09-20", "1963-09-27"), {"cover_date": "1963-10-04"}),
        (("1963", "1963-09-10"), {"cover_date": "1963-10-10"}),  # the year says nothing about the interval
        (("1963-05", "1963-05-25", "1963-06-01", "1963-06-08"), {"cover_date": "1963-06-15"}),
    ],
)
def test_a_cover_date_is_proposed_as_far_as_the_last_one_is_known(make, session, dates, expected):
    with make.single_commit():
        series = make.series(year_began=1963)
        for number, text in enumerate(dates, 1):
            found, known = partial_day(text) if text else (None, "none")
            last = make.issue(series=series, number=str(number), cover_date=found, cover_date_precision=known)
    proposed = propose_next_issue(session, series.id, last.id)
    wanted = {"number": str(len(dates) + 1), "rating": 1} | expected
    assert {name: str(value) for name, value in proposed.items()} == {
        name: str(value) for name, value in wanted.items()
    }


def test_a_store_date_is_proposed_without_a_cover_date(make, session):
    series = make.series(year_began=1963)
    make.issue(series=series, number="1", cover_date=None, store_date=day("1994-02-02"))
    proposed = propose_next_issue(session, series.id)
    assert "cover_date" not in proposed
    assert proposed["store_date"] == day("1994-03-02")


def test_the_next_number_is_free_and_can_follow_any_issue(run, make, session, connection):
    rows = [(str(number), f"2026-0{number}-01", "", None) for number in (1, 2, 3)]
    found = run(*rows, after=0, alt_number="7")
    assert (found["number"], found["cover_date"]) == ("4", day("2026-02-01"))
    assert "alt_number" not in found
    series = make.series()
    assert propose_next_issue(session, series.id) == {"number": "1"}
    make.issue(series=series)
    with record_statements(connection) as statements:
        propose_next_issue(session, series.id)
    assert len(statements) == 2
