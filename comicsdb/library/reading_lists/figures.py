"""Cards of reading lists, pages of their items, and their figures, for the site.

Visibility is not checked here: callers get the list from `reading_lists.find`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, any_, extract, func, not_, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.catalog import search
from comicsdb.library.top_creators import as_array, credited, has_role, most_frequent
from comicsdb.models import (
    Character,
    Creator,
    Issue,
    Publisher,
    ReadingList,
    ReadingListItem,
    Role,
    Series,
    issue_character,
)

PAGE_SIZE = 50  # items
TOP = 12  # publishers, series and characters shown
CREATORS_SHOWN = 6
CARD_COVERS = 5  # covers on the card of a list without a banner

# The order of lists: by name, then by source and owner.
ORDER = (
    ReadingList.folded,
    ReadingList.name,
    ReadingList.attribution_source,
    ReadingList.user_id,
    ReadingList.id,
)
MOST_LIKED = (ReadingList.like_count.desc(), *ORDER)


def cards() -> Select:
    """Rows of `(list, number, first, last, covers)`, with owners loaded.

    `number` counts the issues, `first` and `last` are years of cover dates, `covers` the first pictures.
    """
    return select(
        ReadingList,
        _of_list(func.count()).label("number"),
        _of_list(_year(func.min(Issue.cover_date)), Issue).label("first"),
        _of_list(_year(func.max(Issue.cover_date)), Issue).label("last"),
        _covers().label("covers"),
    ).options(joinedload(ReadingList.user, innerjoin=True))


def _covers() -> ColumnElement[list[str]]:
    return func.array(_first_covers(ReadingList.id).correlate(ReadingList).scalar_subquery())


def _first_covers(list_id) -> Select:
    return (
        select(Issue.image)
        .select_from(ReadingListItem)
        .join(Issue, Issue.id == ReadingListItem.issue_id)
        .where(ReadingListItem.reading_list_id == list_id, Issue.image != "")
        .order_by(ReadingListItem.order)
        .limit(CARD_COVERS)
    )


def first_covers(session: Session, list_id: int) -> list[str]:
    """The pictures of the first issues in a list that have one."""
    return list(session.scalars(_first_covers(list_id)))


def _of_list(expression, model=None):
    statement = select(expression).select_from(ReadingListItem)
    if model is Issue:
        statement = statement.join(Issue, Issue.id == ReadingListItem.issue_id)
    own = ReadingListItem.reading_list_id == ReadingList.id
    return statement.where(own).correlate(ReadingList).scalar_subquery()


def _year(day) -> ColumnElement[int]:
    return extract("year", day)


def has_publisher(name: str) -> ColumnElement[bool]:
    """The condition that a list contains an issue of a publisher that matches the words."""
    held = (
        select(ReadingListItem.reading_list_id)
        .join(Issue, Issue.id == ReadingListItem.issue_id)
        .join(Series, Series.id == Issue.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .where(search.matching(Publisher, name))
    )
    return ReadingList.id.in_(held)


class Composition(NamedTuple):
    """The number of issues of each type by code, and the first and last cover year, None if there is none."""

    by_type: dict[str, int]
    first: int | None
    last: int | None

    @property
    def total(self) -> int:
        """The number of all issues."""
        return sum(self.by_type.values())


def composition(session: Session, list_id: int) -> Composition:
    """The composition of a list; one statement."""
    item = ReadingListItem
    statement = (
        select(
            item.issue_type,
            func.count(),
            _year(func.min(Issue.cover_date)),
            _year(func.max(Issue.cover_date)),
        )
        .join(Issue, Issue.id == item.issue_id)
        .where(item.reading_list_id == list_id)
        .group_by(item.issue_type)
    )
    rows = session.execute(statement).all()
    years = [int(year) for row in rows for year in row[2:]]
    return Composition(
        {row.issue_type: row[1] for row in rows}, min(years, default=None), max(years, default=None)
    )


def items(list_id: int) -> Select:
    """The items of a list in order, with everything their rows show."""
    return (
        select(ReadingListItem)
        .join(ReadingListItem.issue)
        .options(
            contains_eager(ReadingListItem.issue)
            .joinedload(Issue.series, innerjoin=True)
            .options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
        .where(ReadingListItem.reading_list_id == list_id)
        .order_by(ReadingListItem.order)
    )


def items_page(list_id: int, offset: int, issue_type: str | None = None) -> Select:
    """A page of at most PAGE_SIZE items starting at an offset, optionally of one type."""
    wanted = select(ReadingListItem.id).where(ReadingListItem.reading_list_id == list_id)
    if issue_type is not None:
        wanted = wanted.where(ReadingListItem.issue_type == issue_type)
    wanted = wanted.order_by(ReadingListItem.order).limit(PAGE_SIZE).offset(offset)
    return items(list_id).where(ReadingListItem.id.in_(wanted.correlate(None)))


@dataclass(frozen=True)
class TopEntities:
    """The most frequent entities of a list as rows of `(entity, number)`, and the number of all entities."""

    rows: list
    total: int


def publishers(session: Session, list_id: int) -> TopEntities:
    """The publishers of a list, most issues first."""
    return _top_entities(session, Publisher, _issues(list_id, Series.publisher_id).join(Issue.series))


def series(session: Session, list_id: int) -> TopEntities:
    """The series of a list, most issues first."""
    return _top_entities(session, Series, _issues(list_id, Issue.series_id), joinedload(Series.series_type))


def characters(session: Session, list_id: int) -> TopEntities:
    """The characters that appear in most issues of a list."""
    links = issue_character.c
    counted = (
        select(links.character_id.label("id"), func.count().label("number"))
        .where(links.issue_id == any_(as_array(_issue_ids(list_id))))
        .group_by(links.character_id)
    )
    return _top_entities(session, Character, counted)


def _issue_ids(list_id: int) -> Select:
    return select(ReadingListItem.issue_id).where(ReadingListItem.reading_list_id == list_id)


def _issues(list_id: int, column) -> Select:
    """The number of a list's issues by a column, which is selected as `id`."""
    return (
        select(column.label("id"), func.count().label("number"))
        .select_from(Issue)
        .where(Issue.id == any_(as_array(_issue_ids(list_id))))
        .group_by(column)
    )


def _top_entities(session: Session, model, counted: Select, *options) -> TopEntities:
    counted = counted.cte("counted")
    total = select(func.count()).select_from(counted).scalar_subquery()
    rows = session.execute(most_frequent(model, counted, TOP, total).options(*options)).all()
    return TopEntities(rows, rows[0][2] if rows else 0)


def featured(session: Session, list_id: int) -> list:
    """The writers and artists with most issues: rows of `(creator, number, writes, draws)`."""
    writes = has_role(Role.is_writer)
    found = credited(_issue_ids(list_id), Role.is_featured, writes=writes, draws=not_(writes)).c
    counted = (
        select(
            found.creator_id.label("id"),
            func.count().label("number"),
            func.bool_or(found.writes).label("writes"),
            func.bool_or(found.draws).label("draws"),
        )
        .group_by(found.creator_id)
        .cte("counted")
    )
    statement = most_frequent(Creator, counted, CREATORS_SHOWN, counted.c.writes, counted.c.draws)
    return session.execute(statement).all()


def with_issue(issue_id, visible: ColumnElement[bool], limit: int) -> Select:
    """The `visible` lists that contain an issue, up to a limit, in order; `issue_id` may be a parameter."""
    holding = select(ReadingListItem.reading_list_id).where(ReadingListItem.issue_id == issue_id)
    return select(ReadingList).where(ReadingList.id.in_(holding), visible).order_by(*ORDER).limit(limit)
