"""Figures of the whole catalog, without gaps and by the site's days; numbers of entries to repair."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from sqlalchemy import update

from comicsdb.catalog.maintenance import repair_reports
from comicsdb.community import statistics
from tests.conftest import record_statements

NEW_YORK = ZoneInfo("America/New_York")
TODAY = date(2026, 3, 15)


def added(session, row, *moment):
    session.execute(
        update(type(row)).where(type(row).id == row.id).values(created_on=datetime(*moment, tzinfo=UTC))
    )
    session.commit()


def test_an_empty_catalog_has_figures_without_gaps(session):
    found = statistics.catalog_figures(session, NEW_YORK, TODAY)
    assert found["totals"] == dict.fromkeys(
        ("publisher", "series", "issue", "character", "creator", "team", "arc"), 0
    )
    assert found["by_day"][0] == ["2026-02-14", 0]
    assert found["by_day"][-1] == ["2026-03-15", 0]
    assert len(found["by_day"]) == 30
    for name in ("by_month", "creators", "characters"):
        assert [day for day, _count in found[name]] == [
            *(f"2025-{month:02}-01" for month in range(4, 13)),
            *(f"2026-{month:02}-01" for month in range(1, 4)),
        ]
    assert found["by_year"] == [[f"{year}-01-01", 0] for year in range(2022, 2027)]
    assert (found["publishers"], found["others"]) == ([], 0)


def test_what_was_added_is_counted_on_the_days_of_the_site(session, connection, make):
    series = make.series()
    one, two, three, four = (make.issue(series=series, number=str(n)) for n in range(1, 5))
    added(session, one, 2026, 3, 15, 3, 30)  # the evening before in New York
    added(session, two, 2026, 3, 15, 12)
    added(session, three, 2026, 1, 1, 4, 30)  # the last day of the year before in New York
    added(session, four, 2019, 7, 1)
    creator = make.creator()
    added(session, creator, 2026, 3, 1, 4)  # the last day of February in New York
    with record_statements(connection) as statements:
        found = statistics.catalog_figures(session, NEW_YORK, TODAY)
    assert len(statements) == 5, statements
    assert found["totals"]["issue"] == 4
    assert [row for row in found["by_day"] if row[1]] == [["2026-03-14", 1], ["2026-03-15", 1]]
    assert [row for row in found["by_month"] if row[1]] == [["2025-12-01", 1], ["2026-03-01", 2]]
    assert [row for row in found["creators"] if row[1]] == [["2026-02-01", 1]]
    assert found["by_year"] == [
        ["2019-01-01", 1],
        *([f"{year}-01-01", 0] for year in range(2020, 2025)),
        ["2025-01-01", 1],
        ["2026-01-01", 2],
    ]


def test_small_publishers_are_told_together(session, make):
    with make.single_commit():
        for number in range(11):
            series = make.series(publisher=make.publisher(name=f"House {number:02}"))
            for each in range(2 if number == 7 else 1):
                make.issue(series=series, number=str(each))
    found = statistics.catalog_figures(session, NEW_YORK, TODAY)
    assert found["publishers"][0] == ["House 07", "house-07", 2]
    assert [name for name, _slug, _count in found["publishers"][1:4]] == ["House 00", "House 01", "House 02"]
    assert (len(found["publishers"]), found["others"]) == (9, 2)


def test_what_needs_hands_is_counted_in_two_statements(session, connection, make):
    empty = {"covers": 0, "credits": 0, "duplicates": 0}
    assert repair_reports.count_problems(session) == empty
    publisher = make.publisher()
    twice = [make.series(name=name, publisher=publisher) for name in ("Twin", "TWIN")]
    annual = make.series(name="Twin", publisher=publisher, series_type=6)
    picture = {"image": "issue/a.png", "image_width": 1, "image_height": 2}
    role = make.role("Writer").id
    credit = [{"creator": make.creator().id, "roles": [role]}]
    make.issue(series=twice[0], number="1", credits=credit, **picture)
    make.issue(series=annual, number="1", upc="76194134182600110", isbn="9780000000000")
    with record_statements(connection) as statements:
        found = repair_reports.count_problems(session)
    assert len(statements) == 2, statements
    assert found == {"covers": 1, "credits": 1, "duplicates": 1, "isbn": 1, "upc": 1}
    assert [each.id for each in repair_reports.find_duplicate_volumes(session)[0]] == [
        each.id for each in twice
    ]
