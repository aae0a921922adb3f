"""The issues of a series in order: all, a range of numbers, or either with exceptions."""

import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import formatted
from comicsdb.models import Issue, Series

ORDER = (Issue.cover_date, Issue.store_date, Issue.number, Issue.id)


def issues(session: Session, series_id: int, *, first: str = "", last: str = "", but: str = "") -> list[int]:
    """The ids of the issues of a series, all or from one number to another, inclusive.

    Issues are ordered by cover date; numbers must match exactly. `but` are numbers and ranges to leave out,
    separated by commas: "3, 7-9". Raises NotFoundError for an unknown series, and InvalidError, by argument,
    for a number that the series lacks or if `last` comes before `first`.
    """
    found = session.execute(
        select(Issue.id, Issue.number).where(Issue.series_id == series_id).order_by(*ORDER)
    ).all()
    if not found and session.get(Series, series_id) is None:
        raise NotFoundError("series", series_id)
    places = {number: place for place, (_, number) in enumerate(found)}
    errors = {
        name: [_no_number(number)]
        for name, number in (("first", first), ("last", last))
        if number and number not in places
    }
    if errors:
        raise InvalidError(errors)
    begin, end = places.get(first, 0), places.get(last, len(found) - 1)
    if first and last and end < begin:
        raise InvalidError({"last": [_backwards(first, last)]})
    left_out = _left_out(but, places)
    return [
        issue_id
        for place, (issue_id, _) in enumerate(found)
        if begin <= place <= end and place not in left_out
    ]


def _left_out(but: str, places: dict[str, int]) -> set[int]:
    """The positions of numbers and ranges; raises InvalidError."""
    found = set()
    for each in filter(None, _numbers("[,;]", but)):
        ends = [each] if each in places else _numbers("[-–]", each)  # a number may contain a hyphen
        for number in ends:
            if number not in places:
                raise InvalidError({"but": [_no_number(number)]})
        if places[ends[-1]] < places[ends[0]]:
            raise InvalidError({"but": [_backwards(ends[0], ends[-1])]})
        found.update(range(places[ends[0]], places[ends[-1]] + 1))
    return found


def _numbers(separator: str, text: str) -> list[str]:
    return [part.strip().removeprefix("#") for part in re.split(separator, text)]


def _no_number(number: str) -> str:
    return formatted("This series has no issue with the number ${number}.", number=number)


def _backwards(first: str, last: str) -> str:
    return formatted(
        "Issue ${last} comes before issue ${first}: give the earlier one first.", first=first, last=last
    )


def up_to(session: Session, issue: Issue) -> list[int]:
    """The ids of the issues of a series up to and including this one."""
    ids = session.scalars(select(Issue.id).where(Issue.series_id == issue.series_id).order_by(*ORDER)).all()
    return list(ids[: ids.index(issue.id) + 1])
