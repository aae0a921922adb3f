"""The pull list: the series an account follows, and their issues from this week on."""

from datetime import date
from itertools import groupby

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.catalog.errors import NotFoundError
from comicsdb.clock import monday_of
from comicsdb.library.locks import lock_account, lock_series, own_list
from comicsdb.models import Issue, PullList, PullListSeries, Series

UPCOMING = 50  # issues shown at once


def pull_list(session: Session, user_id: int) -> PullList:
    """The pull list of an account, created on first use."""
    return own_list(session, PullList, user_id)


def add(session: Session, user_id: int, series_id: int) -> tuple[PullListSeries, bool]:
    """Follow a series; returns its entry and whether it is new. Raises NotFoundError for an unknown series.

    A trigger moves the stamp of the list. Nothing is committed here.
    """
    lock_account(session, user_id)
    if not lock_series(session, series_id):
        raise NotFoundError("series", series_id)
    followed = pull_list(session, user_id)
    adding = insert(PullListSeries).values(pull_list_id=followed.id, series_id=series_id)
    adding = adding.on_conflict_do_nothing(index_elements=["pull_list_id", "series_id"])
    created = session.scalar(adding.returning(PullListSeries.id)) is not None
    entry = select(PullListSeries).where(
        PullListSeries.pull_list_id == followed.id, PullListSeries.series_id == series_id
    )
    return session.scalars(entry).one(), created


def remove(session: Session, user_id: int, series_id: int) -> bool:
    """Stop following a series; False if it was not followed. A trigger moves the stamp of the list."""
    lock_account(session, user_id)
    if not lock_series(session, series_id):
        return False
    followed = pull_list(session, user_id)
    gone = delete(PullListSeries).where(
        PullListSeries.pull_list_id == followed.id, PullListSeries.series_id == series_id
    )
    return session.execute(gone).rowcount > 0


def follow(session: Session, user_id: int, series_id: int, wanted: bool) -> bool:
    """Set whether a series is followed; returns whether anything changed. Raises NotFoundError."""
    if wanted:
        return add(session, user_id, series_id)[1]
    return remove(session, user_id, series_id)


def follows(session: Session, user_id: int, series_id: int) -> bool:
    """Whether an account follows a series."""
    return session.scalar(followed(user_id, series_id)) is not None


def followed(user_id, series_id) -> Select:
    """The entry of an account for a series; both ids may be parameters of a compiled statement."""
    entry = select(PullListSeries.id).join(PullList).where(PullList.user_id == user_id)
    return entry.where(PullListSeries.series_id == series_id)


def entries(session: Session, user_id: int) -> list[PullListSeries]:
    """The entries of an account by sort name, with series, type and publisher."""
    return list(
        session.scalars(
            select(PullListSeries)
            .join(PullList)
            .join(PullListSeries.series)
            .where(PullList.user_id == user_id)
            .options(
                contains_eager(PullListSeries.series).options(
                    joinedload(Series.series_type), joinedload(Series.publisher)
                )
            )
            .order_by(Series.sort_folded, Series.sort_name, Series.year_began, Series.id)
        )
    )


def followed_ids(user_id: int) -> Select:
    """The ids of the series that an account follows."""
    return select(PullListSeries.series_id).join(PullList).where(PullList.user_id == user_id)


def upcoming(session: Session, user_id: int, today: date) -> tuple[list[Issue], int]:
    """The issues of followed series from the Monday of this week on, by store date, and how many there are.

    At most 50 issues are returned, with series, type and publisher.
    """
    coming = (Issue.series_id.in_(followed_ids(user_id)), Issue.store_date >= monday_of(today))
    total = session.scalar(select(func.count()).select_from(Issue).where(*coming))
    rows = (
        select(Issue)
        .join(Issue.series)
        .where(*coming)
        .options(
            contains_eager(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
        .order_by(Issue.store_date, Series.sort_folded, Series.sort_name, Issue.number, Issue.id)
        .limit(UPCOMING)
    )
    return list(session.scalars(rows)) if total else [], total


def by_week(issues: list[Issue]) -> list[tuple[date, list[Issue]]]:
    """Issues in the order of their store dates, by the Monday of their weeks."""
    return [(monday, list(week)) for monday, week in groupby(issues, lambda each: monday_of(each.store_date))]
