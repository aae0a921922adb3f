"""The commands that count what was added."""

import re
from datetime import UTC, datetime

import time_machine
from sqlalchemy import text

from tests.lists import make_list


def numbers(output: str) -> dict[str, int]:
    """The counts of a report by their names."""
    rows = re.findall(r"^(.+?) +([0-9,]+)$", output, re.MULTILINE)
    return {name: int(count.replace(",", "")) for name, count in rows}


def backdate(session, moments: dict[str, str]) -> None:
    """Set when all rows of a table were added."""
    for table, moment in moments.items():
        column = "date_joined" if table == "user_account" else "created_on"
        session.execute(text(f"UPDATE {table} SET {column} = :moment"), {"moment": moment})
    session.commit()


def test_annual_stats_count_accounts_and_objects_of_a_year_in_the_sites_time_zone(
    comicsdb, make, open_session
):
    with make.single_commit():
        make.issue()
        make.issue()
        make.arc()
    make.user("ann")
    moment = "2026-01-01 04:30Z"  # still the last day of 2025 in New York
    backdate(open_session, {"issue": moment, "arc": "2026-01-01 05:00Z", "user_account": moment})
    counts = numbers(comicsdb("annual-stats", "2025"))
    shown = {name: counts[name] for name in ("users", "issues", "arcs", "universes")}
    assert shown == {"users": 1, "issues": 2, "arcs": 0, "universes": 0}
    assert list(counts) == [
        *("users", "publishers", "imprints", "universes", "creators", "teams"),
        *("characters", "arcs", "series", "issues"),
    ]
    assert numbers(comicsdb("annual-stats", "2026"))["arcs"] == 1
    comicsdb("annual-stats", "soon", code=2)


def test_monthly_site_stats_without_a_month_count_the_last_complete_one(comicsdb, make, open_session):
    ann = make.user("ann")
    make_list(open_session, ann)
    make.issue()
    make.creator()
    make.character()
    moment = "2027-12-31 12:00Z"
    tables = ("user_account", "issue", "creator", "character", "reading_list")
    backdate(open_session, dict.fromkeys(tables, moment))
    expected = dict.fromkeys(("users", "issues", "creators", "characters", "reading lists"), 1)
    with time_machine.travel(datetime(2028, 1, 15, tzinfo=UTC), tick=False):
        output = comicsdb("monthly-site-stats")
    assert output.startswith("2027-12\n")
    assert numbers(output) == expected
    assert numbers(comicsdb("monthly-site-stats", "--month", "12", "--year", "2027")) == expected
    assert set(numbers(comicsdb("monthly-site-stats", "--month", "11", "--year", "2027")).values()) == {0}
    comicsdb("monthly-site-stats", "--month", "13", code=2)


def test_user_issue_stats_name_accounts_by_the_number_of_their_issues(comicsdb, make, open_session):
    assert comicsdb("user-issue-stats") == "0 accounts, 0 issues.\n"
    authors = [make.user(name) for name in ("zoe", "Bea", "ann")]
    with make.single_commit():
        series = make.series()
        issues = [make.issue(series=series, number=str(number)) for number in range(5)]
    for issue, author in zip(issues, (0, 0, 1, 2, 0), strict=True):
        open_session.execute(
            text("UPDATE issue SET created_by_id = :user WHERE id = :id"),
            {"user": authors[author].id, "id": issue.id},
        )
    open_session.commit()
    lines = comicsdb("user-issue-stats").splitlines()
    assert [line.split() for line in lines[:3]] == [["zoe", "3"], ["ann", "1"], ["Bea", "1"]]
    assert lines[3] == "3 accounts, 5 issues."
