"""What a collection adds up to, and what it lacks: read by the API and by the pages.

`user` is the id of the account, `today` the business day, or a parameter that stands for it. What is not out
yet is not missing.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import CTE, ColumnElement, Select, any_, case, func, or_, select, true
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.library.top_creators import among
from comicsdb.models import CollectionItem, Issue, Series
from comicsdb.models.choices import Currency


@dataclass(frozen=True)
class Stats:
    """The figures of a collection; amounts of different currencies are never added together.

    `by_format` counts items by code of format, in the order of codes, without zeros. `values` are sums of
    purchase prices by code of currency, first the one in which most items are priced; on a tie dollars, then
    the first code. What was paid counts once, however many copies there are.
    """

    items: int
    copies: int
    read: int
    by_format: dict[str, int]
    values: dict[str, Decimal]

    @property
    def unread(self) -> int:
        """How many items were not read."""
        return self.items - self.read

    @property
    def currency(self) -> str:
        """The currency in which most items are priced; dollars without any."""
        return next(iter(self.values), Currency.USD.value)

    @property
    def value(self) -> Decimal:
        """The sum in that currency."""
        return self.values.get(self.currency, Decimal("0.00"))


def stats(session: Session, user_id: int) -> Stats:
    """The figures of a collection: one statement."""
    priced_in = case((CollectionItem.purchase_price.is_not(None), CollectionItem.purchase_currency))
    rows = session.execute(
        select(
            CollectionItem.book_format,
            priced_in.label("currency"),
            func.count().label("items"),
            func.sum(CollectionItem.quantity).label("copies"),
            func.count().filter(CollectionItem.is_read).label("read"),
            func.sum(CollectionItem.purchase_price).label("value"),
        )
        .where(CollectionItem.user_id == user_id)
        .group_by(CollectionItem.book_format, priced_in)
    ).all()
    by_format, priced, values = Counter(), Counter(), Counter()
    for row in rows:
        by_format[row.book_format] += row.items
        if row.currency is not None:
            priced[row.currency] += row.items
            values[row.currency] += row.value
    first = sorted(priced, key=lambda code: (-priced[code], code != Currency.USD, code))
    return Stats(
        items=sum(row.items for row in rows),
        copies=sum(row.copies for row in rows),
        read=sum(row.read for row in rows),
        by_format=dict(sorted(by_format.items())),
        values={code: values[code] for code in first},
    )


# Series of which a reader owns some issues and not all that are out.


@dataclass(frozen=True)
class Incomplete:
    """A series of which `owned` issues of `total` are in the collection.

    An issue that is not out yet is among neither, unless it is owned.
    """

    series: Series
    owned: int
    total: int

    @property
    def missing(self) -> int:
        """How many are not."""
        return self.total - self.owned


def owned_issues(user: int | ColumnElement[int]) -> Select:
    """The ids of the issues in the collection."""
    return select(CollectionItem.issue_id).where(CollectionItem.user_id == user)


def held(user: int | ColumnElement[int]) -> Select:
    """The series that have an issue in the collection: `series_id`, and how many are `owned`."""
    return (
        select(Issue.series_id, func.count().label("owned"))
        .where(Issue.id == any_(among(owned_issues(user))))
        .group_by(Issue.series_id)
    )


def is_out(today: date | ColumnElement[date], issue=Issue) -> ColumnElement[bool]:
    """The condition that an issue is out; `issue` is the table or the model."""
    columns = getattr(issue, "c", issue)
    return func.coalesce(columns.store_date <= today, true())


def incomplete(user: int | ColumnElement[int], today: date | ColumnElement[date]) -> CTE:
    """The series that have an issue in the collection and lack one: `series_id`, `owned`, `total`."""
    owned = held(user).subquery("owned")
    # The collection is asked about what is not out alone, which is little.
    total = func.count().filter(or_(is_out(today), Issue.id == any_(among(owned_issues(user)))))
    return (
        select(owned.c.series_id, owned.c.owned, total.label("total"))
        .join_from(owned, Issue, Issue.series_id == owned.c.series_id)
        .group_by(owned.c.series_id, owned.c.owned)
        .having(owned.c.owned < total)
        .cte("incomplete")
    )


def order_of_incomplete(found: CTE, series) -> tuple:
    """Most missing first, then by sort name; `series` is the table or the model."""
    columns = getattr(series, "c", series)
    missing = found.c.total - found.c.owned
    return missing.desc(), columns.sort_folded, columns.sort_name, columns.year_began, columns.id


def incomplete_series(
    session: Session, user_id: int, today: date, *, limit: int | None = None, offset: int = 0
) -> list[Incomplete]:
    """A stretch of the incomplete series, with `publisher` and `series_type` loaded: one statement."""
    found = incomplete(user_id, today)
    rows = (
        select(Series, found.c.owned, found.c.total)
        .join(found, found.c.series_id == Series.id)
        .options(joinedload(Series.publisher), joinedload(Series.series_type))
        .order_by(*order_of_incomplete(found, Series))
        .limit(limit)
        .offset(offset)
    )
    return [Incomplete(*row) for row in session.execute(rows)]


def incomplete_count(session: Session, user_id: int, today: date) -> int:
    """How many series are incomplete."""
    return session.scalar(select(func.count()).select_from(incomplete(user_id, today)))


# Issues of a series that a reader lacks.


def is_missing(
    user: int | ColumnElement[int], today: date | ColumnElement[date], issue=Issue
) -> ColumnElement[bool]:
    """The condition that an issue is out and not in the collection; `issue` is the table or the model."""
    columns = getattr(issue, "c", issue)
    owned = select(CollectionItem.id).where(
        CollectionItem.user_id == user, CollectionItem.issue_id == columns.id
    )
    return ~owned.exists() & is_out(today, issue)


def order_of_missing(issue=Issue) -> tuple:
    """By cover date and number."""
    columns = getattr(issue, "c", issue)
    return columns.cover_date, columns.number, columns.id


def missing_issues(
    session: Session, user_id: int, series_id: int, today: date, *, limit: int | None = None, offset: int = 0
) -> list[Issue]:
    """A stretch of the issues of a series that are missing, with series and type loaded."""
    rows = (
        select(Issue)
        .join(Issue.series)
        .where(Issue.series_id == series_id, is_missing(user_id, today))
        .options(contains_eager(Issue.series).joinedload(Series.series_type))
        .order_by(*order_of_missing())
    )
    return list(session.scalars(rows.limit(limit).offset(offset)))
