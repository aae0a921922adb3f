"""Dates in conditional requests: their forms, where they are used, and that no 304 is ever wrong."""

from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime

import pytest
import webtest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from comicsdb.library import ratings
from comicsdb.models import CATALOG
from tests.api.http_dates import (
    ADDRESSES,
    AFTER,
    ALSO_DATED,
    BEFORE,
    DATED_ADDRESSES,
    DETAILS,
    FAR_AHEAD,
    LONG_AGO,
    MOMENT,
    MOMENT_DATE,
    WITH_ISSUES,
    arc_changed_at_moment,
    moment_plus,
    set_stamps,
)
from tests.cases import for_each
from tests.soak import SOAK

LATER_DAY = date(2100, 1, 1)


@pytest.fixture
def arc(make):
    """An arc that changed at `MOMENT`, and never before."""
    return arc_changed_at_moment(make)


@pytest.fixture
def path(arc):
    """The path of the arc's detail."""
    return f"/api/arc/{arc.id}/"


# Dates.


def test_dates_count_on_details_and_lists_of_issues_and_nowhere_else(api, ids):
    for address in ADDRESSES:
        dated, path = address in {*DATED_ADDRESSES, *ALSO_DATED}, address.format(**ids)
        for _ in ("missed", "hit"):
            for method in ("GET", "HEAD"):
                assert ("Last-Modified" in api.call(method, path).headers) == dated
                api.call(method, path, 304 if dated else 200, {"If-Modified-Since": FAR_AHEAD})
                api.call(method, path, 412 if dated else 200, {"If-Unmodified-Since": LONG_AGO})
                api.call(method, path, 200, {"If-Modified-Since": LONG_AGO})
                api.call(method, path, 200, {"If-Unmodified-Since": FAR_AHEAD})


def test_the_date_that_was_given_out_gets_304(api, make, ids):
    for model in CATALOG:  # all were made within a second or two, and such dates prove nothing
        first = {name: None for name in ("modified_before", "issues_modified_before") if hasattr(model, name)}
        make.session.execute(update(model).values(**first))
    make.session.commit()
    for address in DATED_ADDRESSES:
        path = address.format(**ids)
        given_out = api.get(path).headers["Last-Modified"]
        api.get(path, 304, {"If-Modified-Since": given_out})
        api.get(path, 200, {"If-Unmodified-Since": given_out})
    for address in DETAILS:  # as mokkari does it: `modified` of the body without its fraction
        path = address.format(**ids)
        modified = datetime.fromisoformat(api.json(path)["modified"])
        api.get(path, 304, {"If-Modified-Since": format_datetime(modified, usegmt=True)})


def test_the_fraction_of_a_second_is_cut_off(api, make, arc, path):
    set_stamps(make, arc, modified=MOMENT.replace(microsecond=999_999))
    assert api.get(path).headers["Last-Modified"] == MOMENT_DATE


@for_each("kind", ["issue", "series"])
@for_each("rated", [None, moment_plus(-9), moment_plus(0.1), moment_plus(1)])
def test_the_date_is_that_of_modified_whenever_stars_were_given(api, make, kind, rated):
    entity = getattr(make, kind)()
    set_stamps(make, entity, modified=MOMENT, modified_before=None, rated=rated)
    answer = api.get(f"/api/{kind}/{entity.id}/")
    assert answer.headers["Last-Modified"] == MOMENT_DATE
    assert answer.json["modified"] == "2026-02-03T04:05:06.700000Z"
    api.get(f"/api/{kind}/{entity.id}/", 304, {"If-Modified-Since": MOMENT_DATE})


@for_each("kind", WITH_ISSUES)
def test_a_list_of_issues_has_the_second_stamp_and_the_detail_the_first(api, make, kind):
    entity = getattr(make, kind)()
    set_stamps(make, entity, modified=moment_plus(-1), issues_modified=moment_plus(1))
    detail = f"/api/{kind}/{entity.id}/"
    assert api.get(detail).headers["Last-Modified"] == BEFORE
    assert api.get(f"{detail}issue_list/").headers["Last-Modified"] == AFTER


def test_a_plain_edit_of_an_issue_changes_the_list_and_not_the_arc(api, arc, path, make):
    issue = make.issue(arcs=[arc])
    set_stamps(make, arc, modified=MOMENT, modified_before=None, issues_modified=MOMENT)
    detail, issues = api.get(path), api.get(f"{path}issue_list/")
    make.catalog.update(issue, {"number": "7"})
    make.session.commit()
    for sent in ({"If-Modified-Since": MOMENT_DATE}, {"If-None-Match": detail.headers["ETag"]}):
        api.get(path, 304, sent)
    for sent in ({"If-Modified-Since": MOMENT_DATE}, {"If-None-Match": issues.headers["ETag"]}):
        assert api.get(f"{path}issue_list/", 200, sent).json["results"][0]["number"] == "7"


@for_each(
    "sent",
    [
        "Tue, 03 Feb 2026 04:05:06 GMT",
        "Tuesday, 03-Feb-26 04:05:06 GMT",
        "Tue Feb  3 04:05:06 2026",
        "Tue Feb 03 04:05:06 2026",
        "Tue, 03 Feb 2026 05:05:06 +0100",
        FAR_AHEAD,
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ],
)
def test_the_forms_of_a_date(api, path, sent):
    api.get(path, 304, {"If-Modified-Since": sent})
    api.get(path, 200, {"If-Unmodified-Since": sent})


@for_each(
    "sent",
    [
        "",
        " ",
        "x",
        "0",
        "-1",
        "4102444800",
        "2100-01-01T00:00:00Z",
        "Sat, 01 Jan 99999 00:00:00 GMT",
        "Wed, 31 Feb 2100 00:00:00 GMT",
        "Fri, 01 Jan 2100 25:00:00 GMT",
        "Fri, 01 Jan 2100 00:61:00 GMT",
        "Fri, 01 Jan 2100 00:00:00 +9999",
        "Fri, 01 Foo 2100 00:00:00 GMT",
        "Fri, 01 Jan 2100",
        "Fri, -1 Jan 2100 00:00:00 GMT",
        "9" * 4000,
        "\xff, 01 Jan",
    ],
)
def test_what_is_no_date_is_ignored(api, path, sent):
    api.get(path, 200, {"If-Modified-Since": sent})
    api.get(path, 200, {"If-Unmodified-Since": sent})


DATE_PARTS = ["Fri,", "Friday,", "01", "-7", "Jan", "2100", "00:00:00", "1:2", "GMT", "+9999", "-0000", "x"]


@settings(max_examples=SOAK or 60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.sampled_from(["If-Modified-Since", "If-Unmodified-Since", "If-None-Match", "If-Match"]),
    value=st.text(st.characters(max_codepoint=255), max_size=60)
    | st.lists(st.sampled_from(DATE_PARTS) | st.integers().map(str), max_size=9).map(" ".join)
    | st.lists(st.sampled_from(['W/"', '"', "a", ",", " ", "*", "\\"]), max_size=9).map("".join),
)
def test_no_header_is_a_fault(api, path, header, value):
    unchecked = webtest.TestApp(api.testapp.app, lint=False)
    answer = unchecked.get(path, headers=api.headers | {header: value}, status="*", expect_errors=True)
    assert answer.status_int in {200, 304, 412}


# Two changes in one second.


@for_each(
    "stamps,second",
    [
        ({"modified_before": None}, 304),
        ({"modified_before": moment_plus(-1)}, 304),
        ({"modified_before": moment_plus(-0.5)}, 200),
        ({"modified_before": MOMENT - timedelta(microseconds=1)}, 200),
        ({"modified_before": None, "rated": moment_plus(-0.5)}, 304),
        ({"modified_before": moment_plus(-0.5), "rated": moment_plus(-60)}, 200),
    ],
)
def test_a_date_of_a_second_with_two_changes_proves_nothing(api, make, stamps, second):
    issue = make.issue()
    path = f"/api/issue/{issue.id}/"
    set_stamps(make, issue, modified=MOMENT, **stamps)
    assert api.get(path).headers["Last-Modified"] == MOMENT_DATE
    for _ in ("missed", "hit"):
        api.get(path, 200, {"If-Modified-Since": BEFORE})
        api.get(path, second, {"If-Modified-Since": MOMENT_DATE})
        api.get(path, 304, {"If-Modified-Since": AFTER})
        api.get(path, 412, {"If-Unmodified-Since": BEFORE})
        api.get(path, {304: 200, 200: 412}[second], {"If-Unmodified-Since": MOMENT_DATE})
        api.get(path, 200, {"If-Unmodified-Since": AFTER})


@for_each("kind", WITH_ISSUES)
@for_each("before,second", [(None, 304), (moment_plus(-0.1), 200), (moment_plus(-1), 304)])
def test_so_it_is_with_a_list_of_issues(api, make, kind, before, second):
    entity = getattr(make, kind)()
    set_stamps(make, entity, modified=moment_plus(0.1), issues_modified=MOMENT, issues_modified_before=before)
    api.get(f"/api/{kind}/{entity.id}/issue_list/", second, {"If-Modified-Since": MOMENT_DATE})


def test_no_date_ever_given_out_hides_a_change(api, make):
    arc, issue = make.arc(), make.issue()
    make.catalog.update(issue, {"arcs": [arc.id]})
    make.session.commit()
    changes = [lambda n=n: make.catalog.update(issue, {"title": f"Change {n}"}) for n in range(4)]
    changes += [
        lambda: make.catalog.update(arc, {"name": "New"}),
        lambda: make.catalog.update(issue, {"number": "2"}),
    ]
    for path in (
        f"/api/issue/{issue.id}/",
        f"/api/series/{issue.series_id}/",
        f"/api/arc/{arc.id}/issue_list/",
    ):
        known = {}  # date → the last body that was sent with it
        for change in changes:
            change()
            make.session.commit()
            for given_out, body in known.items():
                answer = api.testapp.get(path, headers=api.headers | {"If-Modified-Since": given_out})
                assert answer.status_int == 200 or body == api.get(path).body
            answer = api.get(path)
            known[answer.headers["Last-Modified"]] = answer.body
        assert known


def test_a_stamp_ahead_of_the_clock_hides_no_change(api, make):
    issue = make.issue()
    path = f"/api/issue/{issue.id}/"
    set_stamps(make, issue, modified=datetime.now(UTC) + timedelta(days=1))
    for title in ("Other", "Another"):
        before = api.get(path)
        make.catalog.update(issue, {"title": title})
        make.session.commit()
        after = api.get(path, 200, {"If-Modified-Since": before.headers["Last-Modified"]})
        assert after.body != before.body


def test_stars_change_the_tag_and_neither_date_nor_modified(api, make, reader):
    series = make.series()
    issue = make.issue(series=series)
    entities = (issue, series)
    for each in entities:
        set_stamps(make, each, modified=MOMENT, modified_before=None)
    paths = [f"/api/{each.__tablename__}/{each.id}/" for each in entities]
    before = [api.get(path) for path in paths]
    ratings.rate(make.session, issue, reader.id, 4, today=LATER_DAY)
    make.session.commit()
    for path, old in zip(paths, before, strict=True):
        assert old.headers["Last-Modified"] == MOMENT_DATE
        new = api.get(path, 200, {"If-None-Match": old.headers["ETag"], "If-Modified-Since": MOMENT_DATE})
        assert (new.json["average_rating"], new.json["modified"]) == (4.0, old.json["modified"])
        assert new.headers["Last-Modified"] == MOMENT_DATE
        api.get(path, 304, {"If-Modified-Since": MOMENT_DATE})
