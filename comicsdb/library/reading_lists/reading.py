"""A reader's progress in a reading list: read and owned issues, missing ones, and the one to read next."""

import re
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, and_, exists, func, not_, select
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library.reading_lists import figures
from comicsdb.models import CollectionItem, ReadDate, ReadingListItem, WishList, WishListItem
from comicsdb.values import whole_number

NO_POSITION = _("“${text}” is not a position in this list: enter numbers such as 3, 7-9.")


class Progress(NamedTuple):
    """The number of issues of a list, and of those that a reader has read and owns."""

    total: int
    read: int
    owned: int


def is_read(user_id: int) -> ColumnElement[bool]:
    """The condition that a reader has read the issue of an item."""
    return exists().where(ReadDate.issue_id == ReadingListItem.issue_id, ReadDate.user_id == user_id)


def is_owned(user_id: int) -> ColumnElement[bool]:
    """The condition that a reader owns the issue of an item, or a variant of it."""
    item = CollectionItem
    return exists().where(item.issue_id == ReadingListItem.issue_id, item.user_id == user_id)


def is_wished(user_id: int) -> ColumnElement[bool]:
    """The condition that the issue of an item is on a reader's wish list."""
    own = and_(WishListItem.wish_list_id == WishList.id, WishList.user_id == user_id)
    return exists().where(WishListItem.issue_id == ReadingListItem.issue_id, own)


def progress(session: Session, user_id: int, list_ids: Collection[int]) -> dict[int, Progress]:
    """The progress of a reader in lists, by their ids; empty lists are left out. One statement."""
    item = ReadingListItem
    counts = (
        func.count(),
        func.count().filter(is_read(user_id)),
        func.count().filter(is_owned(user_id)),
    )
    rows = select(item.reading_list_id, *counts).where(item.reading_list_id.in_(list_ids))
    found = session.execute(rows.group_by(item.reading_list_id)) if list_ids else ()
    return {list_id: Progress(*numbers) for list_id, *numbers in found}


def next_to_read(session: Session, user_id: int, list_id: int) -> ReadingListItem | None:
    """The first unread item after the last one that was read, or else the first unread one."""
    item = ReadingListItem
    furthest = select(func.max(item.order)).where(item.reading_list_id == list_id, is_read(user_id))
    behind = (item.order > func.coalesce(furthest.scalar_subquery(), 0)).desc()
    unread = select(item.id).where(item.reading_list_id == list_id, not_(is_read(user_id)))
    first = unread.order_by(behind, item.order).limit(1).correlate(None)
    return session.scalar(figures.items(list_id).where(item.id == first.scalar_subquery()))


def missing(user_id: int, list_id: int) -> Select:
    """The ids of those items of a list whose issues the reader does not own, in order."""
    item = ReadingListItem
    rows = select(item.id).where(item.reading_list_id == list_id, not_(is_owned(user_id)))
    return rows.order_by(item.order)


def issue_ids(session: Session, list_id: int, *conditions: ColumnElement[bool]) -> list[int]:
    """The issues of those items of a list that meet the conditions, in order."""
    rows = select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == list_id, *conditions)
    return list(session.scalars(rows.order_by(ReadingListItem.order)))


def issues_except(session: Session, list_id: int, but: str) -> list[int]:
    """The issues of a list except those at positions such as "3, 7-9"; raises InvalidError naming "but"."""
    issues = issue_ids(session, list_id)
    left_out: set[int] = set()
    for each in filter(None, (part.strip() for part in re.split("[,;]", but))):
        ends = [whole_number(end.strip()) for end in re.split("[-–]", each, maxsplit=1)]
        first, last = ends[0], ends[-1]
        if first is None or last is None or not 1 <= first <= last <= len(issues):
            raise InvalidError({"but": [NO_POSITION % {"text": each}]})
        left_out.update(range(first, last + 1))
    return [issue for place, issue in enumerate(issues, 1) if place not in left_out]
