"""Figures of a collection for API and pages: totals, gaps in series, shares, reads by day, creators."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import CTE, ColumnElement, Date, Select, any_, case, cast, func, or_, select, true, tuple_
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.catalog import search
from comicsdb.clock import first_of_month
from comicsdb.library.top_creators import as_array, credited, has_role, most_frequent, nth_greatest
from comicsdb.models import CollectionItem, Creator, Issue, Publisher, ReadDate, Series, SeriesType
from comicsdb.models.currencies import Currency

TOP = 10
DAYS, MONTHS = 30, 12
SUGGESTIONS_MAX = 200  # suggestions per field, from earlier entries


@dataclass(frozen=True)
class Stats:
    """The totals of a collection; amounts in different currencies are never added.

    `issues` counts the owned issues, regardless of the number of items and copies of each; `read` of them
    were read. `by_format` counts the issues owned in each format, ordered by code, without zeros. `values`
    are sums of purchase prices by currency code; the currency of most priced items comes first, on a tie
    dollars, then the first code. The price of an item counts once, regardless of its number of copies.
    """

    issues: int
    copies: int
    read: int
    by_format: dict[str, int]
    values: dict[str, Decimal]

    @property
    def unread(self) -> int:
        """The number of unread issues."""
        return self.issues - self.read

    @property
    def currency(self) -> str:
        """The currency of most priced items; USD if there are none."""
        return next(iter(self.values), Currency.USD.value)

    @property
    def value(self) -> Decimal:
        """The sum in that currency."""
        return self.values.get(self.currency, Decimal("0.00"))


def stats(session: Session, user_id: int) -> Stats:
    """The totals of a collection; one statement."""
    priced_in = case((CollectionItem.purchase_price.is_not(None), CollectionItem.purchase_currency))
    issues = func.count(CollectionItem.issue_id.distinct())
    *parts, total = session.execute(
        select(
            CollectionItem.book_format,
            priced_in.label("currency"),
            func.count().label("items"),
            issues.label("issues"),
            func.coalesce(func.sum(CollectionItem.quantity), 0).label("copies"),
            issues.filter(CollectionItem.is_read).label("read"),
            func.sum(CollectionItem.purchase_price).label("value"),
            func.grouping(CollectionItem.book_format, priced_in).label("grouped"),
        )
        .where(CollectionItem.user_id == user_id)
        .group_by(func.grouping_sets(tuple_(CollectionItem.book_format), tuple_(priced_in), tuple_()))
        .order_by("grouped", CollectionItem.book_format, "currency")
    )
    priced = [row for row in parts if row.currency is not None]
    priced.sort(key=lambda row: (-row.items, row.currency != Currency.USD, row.currency))
    return Stats(
        issues=total.issues,
        copies=total.copies,
        read=total.read,
        by_format={row.book_format: row.issues for row in parts if row.book_format is not None},
        values={row.currency: row.value for row in priced},
    )


# Series of which a reader owns some, but not all released issues.


@dataclass(frozen=True)
class IncompleteSeries:
    """A series of which `owned` of `total` issues are in the collection.

    Unreleased issues count only if they are owned.
    """

    series: Series
    owned: int
    total: int

    @property
    def missing(self) -> int:
        """The number of missing issues."""
        return self.total - self.owned


def owned_issues(user: int | ColumnElement[int]) -> Select:
    """The ids of the issues in the collection."""
    return select(CollectionItem.issue_id).where(CollectionItem.user_id == user)


def owned_series(user: int | ColumnElement[int]) -> Select:
    """The series that have an issue in the collection: `series_id` and the number of `owned` issues."""
    return (
        select(Issue.series_id, func.count().label("owned"))
        .where(Issue.id == any_(as_array(owned_issues(user))))
        .group_by(Issue.series_id)
    )


def is_released(today: date | ColumnElement[date], issue=Issue) -> ColumnElement[bool]:
    """The condition that an issue is released; `issue` is the table or the model."""
    columns = getattr(issue, "c", issue)
    return func.coalesce(columns.store_date <= today, true())


def incomplete(user: int | ColumnElement[int], today: date | ColumnElement[date]) -> CTE:
    """The series that have issues in the collection but lack some: `series_id`, `owned`, `total`."""
    owned = owned_series(user).subquery("owned")
    # Only unreleased issues, which are few, are looked up in the collection.
    total = func.count().filter(or_(is_released(today), Issue.id == any_(as_array(owned_issues(user)))))
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
    session: Session, user_id: int, today: date, *, limit: int, offset: int
) -> list[IncompleteSeries]:
    """A page of the incomplete series, with `publisher` and `series_type` loaded: one statement."""
    found = incomplete(user_id, today)
    rows = (
        select(Series, found.c.owned, found.c.total)
        .join(found, found.c.series_id == Series.id)
        .options(joinedload(Series.publisher), joinedload(Series.series_type))
        .order_by(*order_of_incomplete(found, Series))
        .limit(limit)
        .offset(offset)
    )
    return [IncompleteSeries(*row) for row in session.execute(rows)]


def incomplete_count(session: Session, user_id: int, today: date) -> int:
    """The number of incomplete series."""
    return session.scalar(select(func.count()).select_from(incomplete(user_id, today)))


# Issues missing from a collection.


def is_missing(
    user: int | ColumnElement[int], today: date | ColumnElement[date], issue=Issue
) -> ColumnElement[bool]:
    """The condition that an issue is released and not in the collection; `issue` is the table or model."""
    columns = getattr(issue, "c", issue)
    owned = select(CollectionItem.id).where(
        CollectionItem.user_id == user, CollectionItem.issue_id == columns.id
    )
    return ~owned.exists() & is_released(today, issue)


def order_of_missing(issue=Issue) -> tuple:
    """By cover date and number as text, as Metron's API has it."""
    columns = getattr(issue, "c", issue)
    return columns.cover_date, columns.number, columns.id


def missing_issues(
    session: Session, user_id: int, series_id: int, today: date, *, limit: int, offset: int
) -> list[Issue]:
    """A page of the missing issues of a series, with series and type loaded."""
    rows = (
        select(Issue)
        .join(Issue.series)
        .where(Issue.series_id == series_id, is_missing(user_id, today))
        .options(contains_eager(Issue.series).joinedload(Series.series_type))
        .order_by(Issue.series_order, Issue.id)
    )
    return list(session.scalars(rows.limit(limit).offset(offset)))


@dataclass(frozen=True)
class Share:
    """The number of owned issues of a publisher or a type of series."""

    name: str
    count: int
    id: int
    names: dict[str, str] = field(default_factory=dict)  # translations of the name


def shares(session: Session, user_id: int) -> tuple[list[Share], list[Share]]:
    """The owned issues by publisher, and by type of series, most issues first; one statement."""
    found = owned_series(user_id).subquery("owned_series").c
    counted = (
        select(Series.publisher_id, Series.series_type_id, func.sum(found.owned).label("number"))
        .join(found.owned.table, found.series_id == Series.id)
        .group_by(func.grouping_sets(Series.publisher_id, Series.series_type_id))
        .subquery()
        .c
    )
    rows = (
        select(Publisher.id, Publisher.name, SeriesType.id, SeriesType.name, SeriesType.names, counted.number)
        .select_from(counted.number.table)
        .outerjoin(Publisher, Publisher.id == counted.publisher_id)
        .outerjoin(SeriesType, SeriesType.id == counted.series_type_id)
        .order_by(counted.number.desc(), *search.order_columns(Publisher), SeriesType.name)
    )
    publishers, types = [], []
    for publisher_id, publisher, type_id, name, names, count in session.execute(rows):
        if publisher_id is not None:
            publishers.append(Share(publisher, count, publisher_id))
        else:
            types.append(Share(name, count, type_id, names))
    return publishers, types


def top_series(session: Session, user_id: int) -> list[tuple[Series, int]]:
    """The series with most owned issues, and their numbers, with `series_type` loaded; at most TOP."""
    found = owned_series(user_id).subquery("owned_series").c
    counted = select(found.series_id.label("id"), found.owned.label("number")).cte("counted")
    rows = most_frequent(Series, counted, TOP).options(joinedload(Series.series_type))
    return list(session.execute(rows))


def top_creators(session: Session, user_id: int, *flags) -> list[list[tuple[Creator, int]]]:
    """For each flag, such as `Role.is_writer`, the creators with most owned issues in such roles.

    At most TOP for each, most issues first. A single statement reads the rows that the flags share only once.
    """
    parts = {f"part_{n}": has_role(flag) for n, flag in enumerate(flags)}
    found = credited(owned_issues(user_id), or_(*flags), **parts).c
    counted = (
        select(
            found.creator_id,
            *(func.count().filter(found[part]).label(f"number_{n}") for n, part in enumerate(parts)),
        )
        .group_by(found.creator_id)
        .cte("counted")
    )
    numbers = list(counted.c)[1:]
    enough = [(each > 0) & (each >= nth_greatest(each, TOP)) for each in numbers]
    order = search.order_columns(Creator)
    places = [func.row_number().over(order_by=(each.desc(), *order)) for each in numbers]
    ranked = (
        select(Creator.id, *numbers, *(place.label(f"place_{n}") for n, place in enumerate(places)))
        .join(counted, counted.c.creator_id == Creator.id)
        .where(or_(*enough))
        .subquery("ranked")
    )
    columns = [(ranked.c[f"number_{n}"], ranked.c[f"place_{n}"]) for n in range(len(flags))]
    shown = or_(*((count > 0) & (place <= TOP) for count, place in columns))
    rows = select(Creator, *(column for pair in columns for column in pair))
    found = session.execute(rows.join(ranked, ranked.c.id == Creator.id).where(shown)).all()
    tops = []
    for at in range(1, 2 * len(flags), 2):
        placed = sorted((row[at + 1], row[0], row[at]) for row in found if row[at] and row[at + 1] <= TOP)
        tops.append([(creator, count) for _place, creator, count in placed])
    return tops


@dataclass(frozen=True)
class ReadingActivity:
    """The number of reads on each of the last DAYS days and in each of the last MONTHS months.

    Both are complete, oldest first, with zeros; a month is given as its first day.
    """

    days: list[tuple[date, int]]
    months: list[tuple[date, int]]


def reading_activity(session: Session, user_id: int, zone: ZoneInfo, today: date) -> ReadingActivity:
    """The reads by day in `zone`, up to `today`, its date there; one statement."""
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    months = [first_of_month(today, back) for back in reversed(range(MONTHS))]
    first = min(days[0], months[0])
    local = read_day(zone)
    rows = (
        select(local, func.count())
        .where(
            ReadDate.user_id == user_id,
            ReadDate.read_on >= datetime.combine(first, time(), zone),
            ReadDate.read_on < datetime.combine(today + timedelta(days=1), time(), zone),
        )
        .group_by(local)
    )
    by_day = Counter(dict(session.execute(rows).all()))
    by_month = Counter()
    for day, count in by_day.items():
        by_month[day.replace(day=1)] += count
    return ReadingActivity(
        [(day, by_day[day]) for day in days], [(month, by_month[month]) for month in months]
    )


def read_day(zone: ZoneInfo) -> ColumnElement[date]:
    """The day of a read in a time zone."""
    return cast(func.timezone(zone.key, ReadDate.read_on), Date)


@dataclass(frozen=True)
class HistoryEntry:
    """An issue that was read `times` on one day; `day` is None for an unknown date."""

    issue_id: int
    day: date | None
    times: int


def _reads(user_id: int, zone: ZoneInfo) -> Select:
    """One row per issue and day, newest first; rows without a known day come last."""
    day = read_day(zone).label("day")
    return (
        select(ReadDate.issue_id, day, func.count().label("times"))
        .where(ReadDate.user_id == user_id)
        .group_by(ReadDate.issue_id, day)
        .order_by(
            day.desc().nulls_last(), func.max(ReadDate.read_on).desc().nulls_last(), ReadDate.issue_id.desc()
        )
    )


def history_count(session: Session, user_id: int, zone: ZoneInfo) -> int:
    """The number of rows of the reading history: one for each issue and day."""
    rows = _reads(user_id, zone).order_by(None).subquery()
    return session.scalar(select(func.count()).select_from(rows))


def history(session: Session, user_id: int, zone: ZoneInfo, *, limit: int, offset: int) -> list[HistoryEntry]:
    """A page of the reading history, newest first, unknown dates last; one statement."""
    rows = session.execute(_reads(user_id, zone).limit(limit).offset(offset))
    return [HistoryEntry(*row) for row in rows]


def series_progress(session: Session, user_id: int, series_id: int, today: date) -> tuple[int, int]:
    """The number of owned issues of a series, and of those owned or released; one statement."""
    owned = Issue.id.in_(owned_issues(user_id))
    counted = select(func.count().filter(owned), func.count().filter(or_(is_released(today), owned)))
    return session.execute(counted.where(Issue.series_id == series_id)).one()


def suggestions(session: Session, user_id: int) -> dict[str, list[str]]:
    """Stores, locations and tags entered earlier, by field name; at most SUGGESTIONS_MAX each."""
    tag = select(func.unnest(CollectionItem.tags)).where(CollectionItem.user_id == user_id).distinct()
    rows = select(
        func.array(tag.correlate(None).scalar_subquery(), type_=CollectionItem.tags.type).label("tag"),
        *(
            func.array_agg(func.distinct(column)).filter(column != "").label(column.key)
            for column in (CollectionItem.purchase_store, CollectionItem.storage_location)
        ),
    ).where(CollectionItem.user_id == user_id)
    found = session.execute(rows).one()._mapping
    return {name: sorted(words or ())[:SUGGESTIONS_MAX] for name, words in found.items()}
