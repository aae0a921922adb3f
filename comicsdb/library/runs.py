"""The issues of a series in order: all, a range of numbers, or either with exceptions."""

import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import formatted
from comicsdb.issue_numbers import number_key, number_keys
from comicsdb.models import Issue, Series

ORDER = (Issue.series_order, Issue.id)


def issues(session: Session, series_id: int, *, first: str = "", last: str = "", but: str = "") -> list[int]:
    """The ids of the issues of a series, all or from one number to another, inclusive.

    `but` are numbers and ranges to leave out, separated by commas: "3, 7-9". Raises NotFoundError for an
    unknown series, and InvalidError, by argument, for a number that the series lacks or if `last` comes
    before `first`.
    """
    rows = session.execute(
        select(Issue.id, Issue.number).where(Issue.series_id == series_id).order_by(*ORDER)
    ).all()
    if not rows and session.get(Series, series_id) is None:
        raise NotFoundError("series", series_id)
    places = {number_key(number): place for place, (_, number) in enumerate(rows)}
    places |= {number: place for place, (_, number) in enumerate(rows)}
    bounds = {name: _place(places, number) for name, number in (("first", first), ("last", last)) if number}
    if None in bounds.values():
        typed = {"first": first, "last": last}
        raise InvalidError(
            {name: [_no_number(typed[name])] for name, place in bounds.items() if place is None}
        )
    begin, end = bounds.get("first", 0), bounds.get("last", len(rows) - 1)
    if len(bounds) == 2 and end < begin:
        raise InvalidError({"last": [_backwards(first, last)]})
    left_out = _left_out(but, places)
    return [
        issue_id
        for place, (issue_id, _) in enumerate(rows)
        if begin <= place <= end and place not in left_out
    ]


def _place(places: dict[str, int], number: str) -> int | None:
    """The position of the issue with a number, as printed if there is one."""
    return next((places[key] for key in (number.strip(), *number_keys(number)) if key in places), None)


def _left_out(but: str, places: dict[str, int]) -> set[int]:
    """The positions of numbers and ranges; raises InvalidError."""
    left_out = set()
    for part in filter(None, _numbers("[,;]", but)):
        is_number = _place(places, part) is not None  # a number may contain a hyphen
        ends = [part] if is_number else _numbers("[-–]", part)
        positions = [_place(places, number) for number in ends]
        if None in positions:
            raise InvalidError({"but": [_no_number(ends[positions.index(None)])]})
        if positions[-1] < positions[0]:
            raise InvalidError({"but": [_backwards(ends[0], ends[-1])]})
        left_out.update(range(positions[0], positions[-1] + 1))
    return left_out


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
