"""The issues of a feed."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.models import Change, Issue, Series


@dataclass(frozen=True)
class Window:
    """The window of a feed: the `limit` issues nearest to today, from `back` days ago to `ahead` days on."""

    back: int
    ahead: int
    limit: int


RELEASES = Window(14, 90, 500)
OF_PUBLISHER = Window(30, 180, 300)
OF_SERIES = Window(90, 365, 300)
OF_READER = Window(30, 365, 500)


def issues(session: Session, today: date, window: Window, *conditions: ColumnElement[bool]) -> list[Issue]:
    """New and upcoming issues that meet the conditions, by store date, with series, type and publisher."""
    first, last = today - timedelta(days=window.back), today + timedelta(days=window.ahead)
    # Only the issues nearest to today are loaded.
    nearest = (
        select(Issue.id)
        .where(Issue.store_date.between(first, last), *conditions)
        .order_by(func.abs(Issue.store_date - today), Issue.store_date, Issue.id)
        .limit(window.limit)
    )
    rows = (
        select(Issue)
        .join(Issue.series)
        .where(Issue.id.in_(nearest.correlate(None)))
        .options(
            contains_eager(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
    )
    return sorted(session.scalars(rows), key=lambda each: (each.store_date, each.id))


def last_change(session: Session) -> datetime | None:
    """The time of the catalog's latest change; nothing in a public feed is newer."""
    return session.scalar(select(Change.at).order_by(Change.seq.desc()).limit(1))
