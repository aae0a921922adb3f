"""A fixed moment, its dates in HTTP, and paths of every sort, for tests of conditional requests."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from tests.api.resource.test_statements import COSTS
from tests.api.test_transport import KINDS, headers

ADDRESSES = list(COSTS)
WITH_ISSUES = ["arc", "character", "series", "team"]
DETAILS = [f"/api/{kind}/{{{kind}}}/" for kind in KINDS]
DATED_ADDRESSES = DETAILS + [f"/api/{kind}/{{{kind}}}/issue_list/" for kind in WITH_ISSUES]
ALSO_DATED = [
    *(f"/api/{kind}/{{{kind}}}/" for kind in ("collection", "pull_list", "reading_list", "wish_list")),
    *(f"/api/series/{{series}}/{tags}/" for tags in ("comicinfo", "metroninfo")),
]  # also with a date

MOMENT = datetime(2026, 2, 3, 4, 5, 6, 700_000, UTC)
MOMENT_DATE = "Tue, 03 Feb 2026 04:05:06 GMT"
BEFORE, AFTER = "Tue, 03 Feb 2026 04:05:05 GMT", "Tue, 03 Feb 2026 04:05:07 GMT"
LONG_AGO, FAR_AHEAD = "Mon, 01 Jan 1990 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"


def moment_plus(seconds):
    """`MOMENT`, some seconds later."""
    return MOMENT + timedelta(seconds=seconds)


def set_stamps(make, entity, **stamps):
    """Set stamps of an entity's row directly; everything else in its responses stays."""
    model = type(entity)
    make.session.execute(update(model).where(model.id == entity.id).values(**stamps))
    make.session.commit()


def arc_changed_at_moment(make):
    """An arc that changed at `MOMENT`, as did its list of issues, and never before."""
    arc = make.arc()
    first = {"modified_before": None, "issues_modified_before": None}
    set_stamps(make, arc, modified=MOMENT, issues_modified=MOMENT, **first)
    return arc


def headers_without_body(answer):
    """The headers of a response, whose body must be empty."""
    assert answer.body == b""
    return headers(answer)
