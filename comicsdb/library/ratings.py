"""Ratings of issues in stars, and the resulting averages of issues and series.

Ratings given before the release count from the store date on: the first request of a new day counts them.
"""

import logging
import threading
import time
from collections.abc import Container, Sequence
from datetime import date

from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    Integer,
    Row,
    any_,
    cast,
    delete,
    func,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.http.execution_policies import wrap_execution_policy
from comicsdb.library.locks import lock_account, stamp_values
from comicsdb.models import CollectionItem, Issue, IssueRating
from comicsdb.models.choices import STARS

LOWEST, HIGHEST = STARS

log = logging.getLogger(__name__)

RETRY_SECONDS = 60.0  # between attempts after a failure
LOCK_TIMEOUT = "1s"  # how long a request waits for long write transactions, such as an import


def rate(session: Session, issue: Issue, user_id: int, stars: int | None, *, today: date) -> bool:
    """Set, change or (None) remove the rating of an issue by an account.

    `today` is the business day: the public page of an issue accepts no rating before the release, but
    existing ones can be removed. Returns whether anything changed. Raises InvalidError, naming the field
    "rating", or NotFoundError if the issue has been deleted. The number, sum and rating stamp of issue and
    series are updated in the same transaction, without changing `modified`. The account's items of the
    issue get the same rating. Nothing is committed here.
    """
    changed = rate_issues(session, user_id, {issue.id: stars}, today=today, allow_unreleased=False)
    copy_to_items(session, CollectionItem.user_id == user_id, CollectionItem.issue_id == issue.id)
    return bool(changed)


def copy_to_items(session: Session, *conditions: ColumnElement[bool], update_stamps: bool = True) -> None:
    """Give the items of collections that meet the conditions their owners' ratings of their issues.

    With `update_stamps`, the stamps of changed items are updated.
    """
    item = CollectionItem
    given = select(IssueRating.rating).where(
        IssueRating.user_id == item.user_id, IssueRating.issue_id == item.issue_id
    )
    rating = given.correlate(item).scalar_subquery()
    differing = update(item).where(*conditions, item.rating.is_distinct_from(rating))
    session.execute(differing.values(rating=rating, **(stamp_values(item) if update_stamps else {})))


def rate_issues(
    session: Session,
    user_id: int,
    stars: dict[int, int | None],
    *,
    today: date,
    allow_unreleased: bool = True,
) -> set[int]:
    """Rate many issues by id, without changing the collection; returns the ids that changed.

    A rating of an unreleased issue does not count in averages before its store date (see `count_due`);
    without `allow_unreleased` it is rejected. Until the transaction ends, other writers of this account's
    library wait, and so does everybody who rates an issue of the same series: call this last.
    """
    for each in stars.values():
        if each is not None and (type(each) is not int or not LOWEST <= each <= HIGHEST):
            raise InvalidError({"rating": [f"Stars are a whole number from {LOWEST} to {HIGHEST}."]})
    lock_account(session, user_id)
    issues = _lock(session, stars)
    unreleased = {each.id: each.store_date for each in issues if each.store_date and each.store_date > today}
    if not allow_unreleased:
        _check_unreleased(session, user_id, stars, unreleased)
    changed = _store(session, user_id, stars, unreleased)
    if changed:
        unit = UnitOfWork.of(session)
        unit.record_ratings(changed)
        unit.propagate()
    return changed


def count_due(session: Session, today: date) -> int:
    """Count the ratings of issues that have been released in the meantime; returns how many there were.

    Figures and rating stamps are updated, so caches no longer serve the old ones. Call this when a day begins
    and when store dates have changed. Nothing is committed here.
    """
    due = (
        select(IssueRating.issue_id)
        .join(Issue, Issue.id == IssueRating.issue_id)
        .where(IssueRating.counted.is_(False), func.coalesce(Issue.store_date <= today, True))
    )
    if not session.scalar(select(due.exists())):
        return 0
    unit = UnitOfWork.of(session)
    unit.acquire_write_lock()
    found = session.scalars(due).all()
    issues = set(found)
    session.execute(
        update(IssueRating)
        .where(IssueRating.counted.is_(False), IssueRating.issue_id.in_(issues))
        .values(counted=True)
        .execution_options(synchronize_session=False)
    )
    unit.record_ratings(issues)
    unit.propagate()
    return len(found)


def _lock(session: Session, stars: dict[int, int | None]) -> Sequence[Row]:
    """Id and store date of each issue, locked against deletion; raises NotFoundError if one is missing."""
    chosen = Issue.id == any_(cast(list(stars), ARRAY(Integer)))
    issues = select(Issue.id, Issue.store_date).where(chosen).order_by(Issue.id)
    found = session.execute(issues.with_for_update(read=True, key_share=True)).all()
    for gone in set(stars) - {each.id for each in found}:
        raise NotFoundError("issue", gone)
    return found


def _check_unreleased(
    session: Session, user_id: int, stars: dict[int, int | None], unreleased: dict[int, date]
) -> None:
    """Raise InvalidError for new ratings of unreleased issues; unchanged ones are accepted."""
    given = select(IssueRating.issue_id, IssueRating.rating).where(
        IssueRating.user_id == user_id, IssueRating.issue_id.in_(unreleased)
    )
    had = dict(session.execute(given).all()) if unreleased else {}
    for issue_id, day in unreleased.items():
        if stars[issue_id] is not None and had.get(issue_id) != stars[issue_id]:
            raise InvalidError(
                {"rating": [f"This issue can be rated from {day.isoformat()} on, when it is out."]}
            )


def _store(
    session: Session, user_id: int, stars: dict[int, int | None], unreleased: Container[int]
) -> set[int]:
    """Write ratings that differ; returns the ids of their issues."""
    given = {issue_id: each for issue_id, each in stars.items() if each is not None}
    changed: set[int] = set()
    if len(given) < len(stars):
        taken_back = delete(IssueRating).where(
            IssueRating.issue_id == any_(cast(list(set(stars) - set(given)), ARRAY(Integer))),
            IssueRating.user_id == user_id,
        )
        changed |= set(session.scalars(taken_back.returning(IssueRating.issue_id)))
    if given:
        rows = select(
            func.unnest(cast(list(given), ARRAY(Integer))),
            cast(user_id, Integer),
            func.unnest(cast(list(given.values()), ARRAY(Integer))),
            func.unnest(cast([each not in unreleased for each in given], ARRAY(Boolean))),
        )
        written = insert(IssueRating).from_select(["issue_id", "user_id", "rating", "counted"], rows)
        written = written.on_conflict_do_update(
            index_elements=[IssueRating.issue_id, IssueRating.user_id],
            set_={"rating": written.excluded.rating, "modified": func.clock_timestamp()},
            where=IssueRating.rating != written.excluded.rating,
        )
        changed |= set(session.scalars(written.returning(IssueRating.issue_id)))
    return changed


class DueRatingsPolicy:
    """An execution policy that counts due ratings on the first request of each business day."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._inner = inner
        self._lock = threading.Lock()
        self._not_before = 0.0
        self.day = None

    def __call__(self, environ, router):
        """Count due ratings if the day is new, then call the inner policy."""
        today = clock.business_day(self._registry.settings["comicsdb.timezone"])
        if today != self.day:
            with self._lock:
                if today != self.day and time.monotonic() >= self._not_before:
                    self._start_day(today)
        return self._inner(environ, router)

    def _start_day(self, today) -> None:
        try:
            with self._registry["comicsdb.session_factory"]() as session:
                session.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
                counted = count_due(session, today)
                session.commit()
        except SQLAlchemyError as error:  # a request that needs the database reports the outage itself
            log.info("Stars that are due since %s cannot be counted: %s", today, type(error).__name__)
            self._not_before = time.monotonic() + RETRY_SECONDS
            return
        if counted:
            log.info("%d stars count since their issues are out", counted)
        self.day = today


def includeme(config):
    """Add the policy."""
    wrap_execution_policy(config, DueRatingsPolicy)
