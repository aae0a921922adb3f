"""Cover dates that are unknown, or known to the month or year: written, read, in tags and in the history."""

from datetime import date
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from mokkari.schemas.issue import BaseIssue, Issue, IssuePostResponse

from comicsdb.catalog.history.diff import compare
from comicsdb.catalog.history.revert import preview_revert
from comicsdb.models import History, Series
from comicsdb.models import Issue as Row


@pytest.fixture
def series(make):
    """A series of 1963."""
    return make.series(year_began=1963)


def _dates(answer):
    return answer["cover_date"], answer["cover_date_precision"]


def _of_tags(writer, issue_id):
    found = {}
    for name in ("comicinfo", "metroninfo"):
        root = ET.fromstring(writer.get(f"/api/issue/{issue_id}.{name}").body)  # noqa: S314 - our own
        found |= {each.tag: each.text for each in root if each.tag in ("Year", "Month", "Day", "CoverDate")}
    return found


@pytest.mark.parametrize(
    ("sent", "shown", "tags"),
    [
        ("1963", ("1963-01-01", "year"), {"Year": "1963", "CoverDate": "1963-01-01"}),
        ("1963-09", ("1963-09-01", "month"), {"Year": "1963", "Month": "9", "CoverDate": "1963-09-01"}),
        (None, ("1963-01-01", "none"), {}),
    ],
)
def test_a_date_known_in_part(writer, series, sent, shown, tags):
    body = {"series": series.id, "number": "1", "cover_date": sent}
    made = writer.post("/api/issue/", json=body)
    assert IssuePostResponse.model_validate(made).cover_date.isoformat() == shown[0]
    path = f"/api/issue/{made['id']}/"
    detail = writer.json(path)
    assert _dates(detail) == _dates(made) == shown
    assert Issue.model_validate(detail).cover_date.isoformat() == shown[0]
    (row,) = writer.json("/api/issue/")["results"]
    assert (_dates(row), BaseIssue.model_validate(row).cover_date.isoformat()) == (shown, shown[0])
    assert _of_tags(writer, made["id"]) == tags
    # A client that sends back what it has read changes nothing; other dates are known to the day.
    assert _dates(writer.patch(path, json={"cover_date": shown[0]})) == shown
    assert _dates(writer.patch(path, json={"cover_date": "1964-02-03"})) == ("1964-02-03", "day")
    both = {"cover_date": "1964-02-03", "cover_date_precision": "month"}
    assert _dates(writer.patch(path, json=both)) == ("1964-02-01", "month")
    assert _dates(writer.patch(path, form={"cover_date": ""})) == ("1963-01-01", "none")


def test_what_is_refused(writer, series):
    body = {"series": series.id, "number": "1"}
    assert writer.post("/api/issue/", 400, json=body) == {"cover_date": ["This field is required."]}
    for sent in ("1963-13", "63", "1963-09-00"):
        said = writer.post("/api/issue/", 400, json=body | {"cover_date": sent})
        assert said["cover_date"][0].startswith("Date has wrong format.")
    said = writer.post("/api/issue/", 400, json=body | {"cover_date": "1963", "cover_date_precision": "era"})
    assert said == {"cover_date_precision": ['"era" is not a valid choice.']}
    said = writer.post("/api/issue/", 400, json=body | {"cover_date": "1899"})
    assert said == {"cover_date": ["Dates before 1900 are not accepted."]}


def test_an_undated_issue_follows_its_store_date_or_its_series(make, session, series):
    issue = make.issue(series=series, number="1", cover_date=None)
    assert (issue.cover_date, issue.cover_date_precision) == (date(1963, 1, 1), "none")
    make.catalog.update(issue, {"store_date": date(1963, 5, 6)})
    assert issue.cover_date == date(1963, 5, 6)
    session.commit()
    assert session.get(Series, series.id, populate_existing=True).last_cover_date == date(1963, 5, 6)
    make.catalog.update(issue, {"store_date": None})
    make.catalog.update(session.get(Series, series.id), {"year_began": 1961})
    session.commit()
    assert session.get(Row, issue.id, populate_existing=True).cover_date == date(1961, 1, 1)
    old = make.series(year_began=1850)
    assert make.issue(series=old, number="1", cover_date=None).cover_date == date(1900, 1, 1)


def test_the_history_shows_dates_as_far_as_they_are_known(make, session, series):
    issue = make.issue(series=series, number="1", cover_date=date(1963, 9, 1))
    first = date(1963, 1, 1)
    for day, known in ((date(1963, 9, 1), "month"), (first, "year"), (None, "none"), (first, "day")):
        make.catalog.update(issue, {"cover_date": day, "cover_date_precision": known})
        session.commit()
    rows = session.query(History).filter_by(kind="issue", object_id=issue.id).order_by(History.id)
    states = [each.snapshot for each in rows]
    found = compare(session, "issue", list(pairwise(states)))
    shown = [(each.field, each.old, each.new) for (each,) in found]
    assert [each[1:] for each in shown] == [
        (date(1963, 9, 1), "1963-09"),
        ("1963-09", "1963"),
        ("1963", None),
        (None, first),
    ]
    assert {each[0] for each in shown} == {"cover_date"}
    back = preview_revert(session, None, issue, states[1])
    assert (back.target["cover_date"], back.target["cover_date_precision"]) == ("1963-09-01", "month")
