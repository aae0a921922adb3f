"""Figures of a reader's collection that only pages show: shares, reading by day, people."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Date, Select, cast, func, or_, select
from sqlalchemy.orm import Session, joinedload

from comicsdb.catalog import search
from comicsdb.library.collection.reads import held, is_out, owned_issues
from comicsdb.library.top_creators import credited, has_role, least
from comicsdb.models import (
    CollectionItem,
    Creator,
    Issue,
    Publisher,
    ReadDate,
    Series,
    SeriesType,
)

TOP = 10
DAYS, MONTHS = 30, 12
OFFERED = 200  # of the words that one has written before


@dataclass(frozen=True)
class Share:
    """How many items belong to a publisher or to a type of series."""

    name: str
    count: int
    id: int


def shares(session: Session, user_id: int) -> tuple[list[Share], list[Share]]:
    """The items by publisher, and by the type of their series; most first. One statement."""
    found = held(user_id).subquery("held").c
    counted = (
        select(Series.publisher_id, Series.series_type_id, func.sum(found.owned).label("number"))
        .join(found.owned.table, found.series_id == Series.id)
        .group_by(func.grouping_sets(Series.publisher_id, Series.series_type_id))
        .subquery()
        .c
    )
    rows = (
        select(Publisher.id, Publisher.name, SeriesType.id, SeriesType.name, counted.number)
        .select_from(counted.number.table)
        .outerjoin(Publisher, Publisher.id == counted.publisher_id)
        .outerjoin(SeriesType, SeriesType.id == counted.series_type_id)
        .order_by(counted.number.desc(), *search.order(Publisher), SeriesType.name)
    )
    publishers, types = [], []
    for publisher_id, publisher, type_id, name, count in session.execute(rows):
        if publisher_id is not None:
            publishers.append(Share(publisher, count, publisher_id))
        else:
            types.append(Share(name, count, type_id))
    return publishers, types


def top_series(session: Session, user_id: int) -> list[tuple[Series, int]]:
    """The series with most items, with `series_type` loaded, and how many; at most TOP."""
    found = held(user_id).cte("held")
    rows = (
        select(Series, found.c.owned)
        .join(found, found.c.series_id == Series.id)
        .where(found.c.owned >= least(found.c.owned, TOP))
        .options(joinedload(Series.series_type))
        .order_by(found.c.owned.desc(), *search.order(Series))
        .limit(TOP)
    )
    return list(session.execute(rows))


def top_creators(session: Session, user_id: int, *flags) -> list[list[tuple[Creator, int]]]:
    """For each of some flags, such as `Role.is_writer`: who is credited on most items in such a role.

    At most TOP for each, most items first. One statement: what all flags have in common is read once.
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
    enough = [(each > 0) & (each >= least(each, TOP)) for each in numbers]
    order = search.order(Creator)
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
class Reading:
    """How often a reader read: on each of the last DAYS days and in each of the last MONTHS months.

    Both are complete, oldest first, with zeros; a month is given as its first day.
    """

    days: list[tuple[date, int]]
    months: list[tuple[date, int]]


def reading(session: Session, user_id: int, zone: ZoneInfo, today: date) -> Reading:
    """The reads up to `today`, the business day, each on the day it was in `zone`: one statement."""
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    months = [_month_before(today, back) for back in reversed(range(MONTHS))]
    first = min(days[0], months[0])
    local = _local_day(zone)
    rows = (
        select(local, func.count())
        .join(CollectionItem, CollectionItem.id == ReadDate.collection_item_id)
        .where(
            CollectionItem.user_id == user_id,
            ReadDate.read_date >= datetime.combine(first, time(), zone),
            ReadDate.read_date < datetime.combine(today + timedelta(days=1), time(), zone),
        )
        .group_by(local)
    )
    by_day = Counter(dict(session.execute(rows).all()))
    by_month = Counter()
    for day, count in by_day.items():
        by_month[day.replace(day=1)] += count
    return Reading([(day, by_day[day]) for day in days], [(month, by_month[month]) for month in months])


def _month_before(today: date, back: int) -> date:
    months = today.year * 12 + today.month - 1 - back
    return date(months // 12, months % 12 + 1, 1)


def _local_day(zone: ZoneInfo):
    """The day of a read in a time zone."""
    return cast(func.timezone(zone.key, ReadDate.read_date), Date)


@dataclass(frozen=True)
class ReadOn:
    """An item that was read `times` on one day; `day` is None where nobody knows when."""

    item_id: int
    day: date | None
    times: int


def _reads(user_id: int, zone: ZoneInfo) -> Select:
    """An item and a day in each row, newest first, those without a known day last."""
    day = _local_day(zone).label("day")
    return (
        select(CollectionItem.id.label("item_id"), day, func.count().label("times"))
        .outerjoin(ReadDate, ReadDate.collection_item_id == CollectionItem.id)
        .where(CollectionItem.user_id == user_id, CollectionItem.is_read)
        .group_by(CollectionItem.id, day)
        .order_by(day.desc().nulls_last(), func.max(ReadDate.read_date).desc(), CollectionItem.id.desc())
    )


def history_count(session: Session, user_id: int, zone: ZoneInfo) -> int:
    """How many rows the reading history has: each item once for each day on which it was read."""
    rows = _reads(user_id, zone).order_by(None).subquery()
    return session.scalar(select(func.count()).select_from(rows))


def history(session: Session, user_id: int, zone: ZoneInfo, *, limit: int, offset: int) -> list[ReadOn]:
    """A stretch of the reading history, newest first, "date unknown" last: one statement."""
    rows = session.execute(_reads(user_id, zone).limit(limit).offset(offset))
    return [ReadOn(row.item_id, row.day, row.times) for row in rows]


def owned_of(session: Session, user_id: int, series_id: int, today: date) -> tuple[int, int]:
    """How many issues of a series are in the collection, and how many are so or are out: one statement."""
    mine = (CollectionItem.issue_id == Issue.id) & (CollectionItem.user_id == user_id)
    of_all = func.count(Issue.id).filter(or_(is_out(today), CollectionItem.id.is_not(None)))
    counted = select(func.count(CollectionItem.id), of_all).select_from(Issue)
    return session.execute(counted.outerjoin(CollectionItem, mine).where(Issue.series_id == series_id)).one()


def words_used(session: Session, user_id: int) -> dict[str, list[str]]:
    """The stores and locations that a reader has written, at most OFFERED of each: by name of the field."""
    rows = select(
        *(
            func.array_agg(func.distinct(column)).filter(column != "").label(column.key)
            for column in (CollectionItem.purchase_store, CollectionItem.storage_location)
        )
    ).where(CollectionItem.user_id == user_id)
    found = session.execute(rows).one()._mapping
    return {name: sorted(words or ())[:OFFERED] for name, words in found.items()}
