"""The issues of a reading list: adding, ordering, typing and removing them.

Callers first lock the list with `reading_lists.lock_list`; nothing is committed here. Positions are 1 to n
after every statement. Triggers close gaps after deletions, and update the stamps of the list and its
neighbours.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import case, delete, func, select, text, update
from sqlalchemy.orm import Session

from comicsdb.catalog import rules
from comicsdb.catalog.column_checks import is_integer
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library import runs
from comicsdb.library.locks import find_row
from comicsdb.library.reading_lists import LockedList, expire_stamps
from comicsdb.models import Arc, Issue, ReadingList, ReadingListItem, Series, issue_arc
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import ItemType
from comicsdb.schemas.types import no_such_object, not_a_choice

BEGINNING, END = "beginning", "end"
UP, DOWN = "up", "down"
TYPES = ("", *ItemType)

NO_BOUND = _("Enter the first or the last issue, or choose all.")


class AddResult(NamedTuple):
    """The number of issues added to a list, and of those skipped as already present or duplicate."""

    added: int
    skipped: int


class ReorderResult(NamedTuple):
    """The number of issues added, moved and skipped.

    Issues that only shifted to make room do not count as moved.
    """

    added: int
    reordered: int
    skipped: int


def add_issues(
    locked: LockedList, ids: Sequence[int], *, at: str = END, types: Mapping[int, str] | None = None
) -> AddResult:
    """Add issues by their ids, in order, at the END or the BEGINNING; present ones are not moved.

    `types` maps ids to item types. Raises InvalidError, naming "issues", for unknown ids, and naming
    "issue_type", for an unknown type.
    """
    session, found = locked
    types = types or {}
    for each in types.values():
        _check_type(each)
    asked = list(dict.fromkeys(ids))
    there = rules.existing_ids(session, Issue, filter(_is_id, asked))
    if missing := [each for each in asked if each not in there]:
        raise InvalidError({"issues": [no_such_object(each) for each in missing]})
    return _insert(session, found, ids, at, types)


def add_series(
    locked: LockedList, series_id: int, *, first: str = "", last: str = "", whole: bool = False, at: str = END
) -> AddResult:
    """Add issues of a series in order, all or a range of numbers.

    If one bound is blank, the range extends to that end of the series. Raises InvalidError, naming "series",
    "first" or "last", for an unknown series or number, for a last issue before the first one, and if neither
    a bound nor `whole` is given.
    """
    session, found = locked
    if not (_is_id(series_id) and rules.existing_ids(session, Series, [series_id])):
        raise InvalidError({"series": [no_such_object(series_id)]})
    bounds = {"first": first.strip(), "last": last.strip()}
    if not (whole or any(bounds.values())):
        raise InvalidError({"first": [NO_BOUND]})
    ids = runs.issues(session, series_id, **({} if whole else bounds))
    return _add_all(session, found, ids, at)


def add_arc(locked: LockedList, arc_id: int, *, at: str = END) -> AddResult:
    """Add the issues of an arc by cover date; raises InvalidError naming "arc" for an unknown one."""
    session, found = locked
    if not (_is_id(arc_id) and rules.existing_ids(session, Arc, [arc_id])):
        raise InvalidError({"arc": [no_such_object(arc_id)]})
    return _add_all(session, found, _issues_of_arc(session, arc_id), at)


def reorder(locked: LockedList, order: Sequence[int], selected: Iterable[int] = ()) -> ReorderResult:
    """Order a list by issue ids, and add those `selected`.

    An id in `order` counts once, and only if its issue is in the list or selected; others are skipped.
    Selected issues that `order` lacks come after it, then the rest of the list in its current order.
    """
    session, found = locked
    rows = select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == found.id)
    present = list(session.scalars(rows.order_by(ReadingListItem.order)))
    listed, chosen = set(present), list(dict.fromkeys(selected))
    there = rules.existing_ids(
        session, Issue, (each for each in chosen if _is_id(each) and each not in listed)
    )
    known = listed | there
    named = [each for each in dict.fromkeys(order) if each in known]
    wanted = list(dict.fromkeys([*named, *(each for each in chosen if each in there), *present]))
    places = {issue: place for place, issue in enumerate(wanted, 1)}
    _update_positions(session, found, {each: places[each] for each in present})
    _insert_rows(session, found, {each: places[each] for each in wanted if each not in listed}, {})
    moved = minimum_moves(present, [each for each in wanted if each in listed])
    return ReorderResult(len(there), moved, len(order) - len(named) + len(chosen) - len(there))


def insert_at(locked: LockedList, positions: Mapping[int, int], types: Mapping[int, str]) -> int:
    """Insert existing issues that are not in the list yet at positions; returns their number."""
    session, found = locked
    rows = select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == found.id)
    order = list(session.scalars(rows.order_by(ReadingListItem.order)))
    present = set(order)
    fresh = [issue_id for issue_id in positions if issue_id not in present]
    for issue_id in sorted(fresh, key=lambda issue_id: (positions[issue_id], issue_id)):
        order.insert(positions[issue_id] - 1, issue_id)
    places = {issue_id: place for place, issue_id in enumerate(order, 1)}
    _update_positions(session, found, {issue_id: places[issue_id] for issue_id in present})
    _insert_rows(session, found, {issue_id: places[issue_id] for issue_id in fresh}, types)
    return len(fresh)


def minimum_moves(before: list[int], after: list[int]) -> int:
    """The minimum number of moves from one order to another."""
    places = {each: place for place, each in enumerate(before)}
    ends: list[int] = []  # last values of the longest increasing subsequences by length
    for each in after:
        at = bisect_left(ends, places[each])
        ends[at : at + 1] = [places[each]]
    return len(before) - len(ends)


def move(locked: LockedList, item_id: int, to: str | int) -> int:
    """Move an item one place UP or DOWN, or to a position; positions beyond an end mean that end.

    Returns the new position. Raises NotFoundError for an item of another list.
    """
    session, found = locked
    was = _item(session, found, item_id).order
    wanted = {UP: was - 1, DOWN: was + 1}.get(to, to)
    if not is_integer(wanted):
        raise InvalidError({"position": [_("Enter a whole number.")]})
    item = ReadingListItem
    last = session.scalar(select(func.max(item.order)).where(item.reading_list_id == found.id))
    now = min(max(wanted, 1), last)
    if now != was:
        step = 1 if now < was else -1
        between = item.order.between(min(was, now), max(was, now))
        moved = update(item).where(item.reading_list_id == found.id, between)
        _execute(session, moved.values(order=case((item.id == item_id, now), else_=item.order + step)))
    return now


def set_type(locked: LockedList, item_id: int, code: str) -> None:
    """Set the type of an item, "" for none; raises InvalidError naming "issue_type" for an unknown code."""
    session, found = locked
    _check_type(code)
    item = _item(session, found, item_id)
    if item.issue_type != code:
        _execute(
            session, update(ReadingListItem).where(ReadingListItem.id == item.id).values(issue_type=code)
        )


def remove_item(locked: LockedList, item_id: int) -> None:
    """Remove an item from the list; the items after it move up.

    Raises NotFoundError for an item of another list.
    """
    session, found = locked
    item = _item(session, found, item_id)
    _execute(session, delete(ReadingListItem).where(ReadingListItem.id == item.id))


# The issues of an arc.


def _issues_of_arc(session: Session, arc_id: int) -> list[int]:
    """The ids of the issues of an arc by cover date, then by store date, series, and order in the series."""
    order = (Issue.cover_date, Issue.store_date, Series.folded, Series.year_began, Issue.series_order)
    linked = select(Issue.id).join(issue_arc, issue_arc.c.issue_id == Issue.id).join(Issue.series)
    return list(session.scalars(linked.where(issue_arc.c.arc_id == arc_id).order_by(*order, Issue.id)))


# Statements.


def _add_all(session: Session, reading_list: ReadingList, ids: list[int], at: str) -> AddResult:
    rules.existing_ids(session, Issue, ids)  # locks the issues against deletion
    return _insert(session, reading_list, ids, at, {})


def _insert(
    session: Session, reading_list: ReadingList, ids: Sequence[int], at: str, types: Mapping
) -> AddResult:
    """Insert the issues that are not in the list yet at one end; others are shifted by one statement."""
    if at not in {BEGINNING, END}:
        raise InvalidError({"at": [not_a_choice(at)]})
    item = ReadingListItem
    present = set(session.scalars(select(item.issue_id).where(item.reading_list_id == reading_list.id)))
    fresh = [each for each in dict.fromkeys(ids) if each not in present]
    if at == BEGINNING and fresh and present:
        others = update(item).where(item.reading_list_id == reading_list.id)
        _execute(session, others.values(order=item.order + len(fresh)))
    start = 1 if at == BEGINNING else len(present) + 1
    _insert_rows(session, reading_list, {each: place for place, each in enumerate(fresh, start)}, types)
    return AddResult(len(fresh), len(ids) - len(fresh))


def _insert_rows(session: Session, reading_list: ReadingList, places: dict[int, int], types: Mapping) -> None:
    if places:
        statement = text(
            'INSERT INTO reading_list_item (reading_list_id, issue_id, "order", issue_type)'
            " SELECT :list, issue_id, place, type FROM unnest(CAST(:ids AS integer[]),"
            " CAST(:places AS integer[]), CAST(:types AS varchar[])) AS made (issue_id, place, type)"
        )
        named = [str(types.get(each, "")) for each in places]
        values = {"ids": list(places), "places": list(places.values()), "types": named}
        _execute(session, statement, {"list": reading_list.id, **values})


def _update_positions(session: Session, reading_list: ReadingList, places: dict[int, int]) -> None:
    """Set the positions of items by issue; unchanged ones are not written."""
    statement = text(
        'UPDATE reading_list_item item SET "order" = wanted.place'
        " FROM unnest(CAST(:ids AS integer[]), CAST(:places AS integer[])) AS wanted (issue_id, place)"
        " WHERE item.reading_list_id = :list AND item.issue_id = wanted.issue_id"
        ' AND item."order" <> wanted.place'
    )
    values = {"list": reading_list.id, "ids": list(places), "places": list(places.values())}
    _execute(session, statement, values)


def _execute(session: Session, statement, values: dict | None = None) -> None:
    """Execute a statement on items, and expire the stamps that triggers change."""
    session.execute(statement, values or {}, execution_options={"synchronize_session": False})
    expire_stamps(session)


def _item(session: Session, reading_list: ReadingList, item_id: int) -> ReadingListItem:
    """An item of the list, reloaded."""
    rows = select(ReadingListItem).where(ReadingListItem.reading_list_id == reading_list.id)
    rows = rows.execution_options(populate_existing=True)
    return find_row(session, rows, ReadingListItem.id, item_id, "reading_list_item")


def _is_id(value) -> bool:
    return is_integer(value) and 0 < value <= INTEGER_MAX


def _check_type(code: str) -> None:
    if code not in TYPES:
        raise InvalidError({"issue_type": [not_a_choice(code)]})
