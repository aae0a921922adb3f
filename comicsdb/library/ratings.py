"""Ratings of issues in stars, and the averages of issue and series that follow from them.

Ratings given before the release count from the store date on: the first request of a new day counts them.
"""

import logging
import threading
import time
from collections.abc import Container, Sequence
from datetime import date

from sqlalchemy import ARRAY, Boolean, Integer, Row, any_, cast, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.http.execution_policies import LAST, wrap_execution_policy
from comicsdb.library.locks import lock_account, moved
from comicsdb.models import CollectionItem, Issue, IssueRating
from comicsdb.models.choices import STARS

LOWEST, HIGHEST = STARS

log = logging.getLogger(__name__)

PAUSE = 60.0  # seconds between attempts after a failure
PATIENCE = "1s"  # for which a request waits for long writes such as an import


def rate(session: Session, issue: Issue, user_id: int, stars: int | None, *, today: date) -> bool:
    """Set, change or (None) remove the rating of an issue by an account.

    `today` is the business day: the public page of an issue takes no stars before it is out, but those that
    it has can be taken back. Raises InvalidError, naming the field "rating", or NotFoundError if the issue
    was deleted meanwhile; gives whether anything changed. Number, sum and rating stamp of issue and series
    follow in the same transaction (M22); `modified` of neither moves. The account's own items of the
    issue get the same stars. Nothing is committed here.
    """
    changed = give(session, user_id, {issue.id: stars}, today=today, early=False)
    show_in_collection(session, user_id, issue.id, stars)
    return bool(changed)


def show_in_collection(
    session: Session,
    user_id: int,
    issue_id: int,
    stars: int | None,
    *,
    but: int | None = None,
    moves: bool = True,
) -> None:
    """Write an account's rating of an issue to its items, `but` one, and with `moves` move their stamps."""
    owned = update(CollectionItem).where(
        CollectionItem.user_id == user_id,
        CollectionItem.issue_id == issue_id,
        CollectionItem.rating.is_distinct_from(stars),
    )
    if but is not None:
        owned = owned.where(CollectionItem.id != but)
    session.execute(owned.values(rating=stars, **(moved(CollectionItem) if moves else {})))


def give(
    session: Session, user_id: int, stars: dict[int, int | None], *, today: date, early: bool = True
) -> set[int]:
    """Rate many issues by id, without touching the collection; returns the ids that changed.

    Stars for an issue that is not out yet are the account's own until its store date, and count for all from
    then on (`count_due`); with `early` false they are refused.
    From here on until the transaction ends, nobody else writes this account's library, and who gives stars to
    an issue of the same series waits: do this last.
    """
    for each in stars.values():
        if each is not None and (type(each) is not int or not LOWEST <= each <= HIGHEST):
            raise InvalidError({"rating": [f"Stars are a whole number from {LOWEST} to {HIGHEST}."]})
    lock_account(session, user_id)
    issues = _lock(session, stars)
    unreleased = {each.id: each.store_date for each in issues if each.store_date and each.store_date > today}
    if not early:
        _refuse_early(session, user_id, stars, unreleased)
    changed = _store(session, user_id, stars, unreleased)
    if changed:
        unit = UnitOfWork.of(session)
        unit.rated(changed)
        unit.propagate()
    return changed


def count_due(session: Session, today: date) -> int:
    """Count the ratings of issues that were released since; returns their number.

    Figures and rating stamps follow, so nobody is shown the old ones. To be called when a day has begun and
    when store dates have changed. Nothing is committed here.
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
    unit.rated(issues)
    unit.propagate()
    return len(found)


def _lock(session: Session, stars: dict[int, int | None]) -> Sequence[Row]:
    """Id and store date of each issue, locked against deletion; raises NotFoundError where one is gone."""
    chosen = Issue.id == any_(cast(list(stars), ARRAY(Integer)))
    issues = select(Issue.id, Issue.store_date).where(chosen).order_by(Issue.id)
    found = session.execute(issues.with_for_update(read=True, key_share=True)).all()
    for gone in set(stars) - {each.id for each in found}:
        raise NotFoundError("issue", gone)
    return found


def _refuse_early(
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
    """Write ratings that differ; returns their issues."""
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


class NewDay:
    """An execution policy that counts due ratings at the first request of a business day."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._inner = inner
        self._lock = threading.Lock()
        self._not_before = 0.0
        self.day = None

    def __call__(self, environ, router):
        """Count due ratings if the day is new, and answer by the inner policy."""
        today = clock.business_day(self._registry.settings["comicsdb.timezone"])
        if today != self.day:
            with self._lock:
                if today != self.day and time.monotonic() >= self._not_before:
                    self._begin(today)
        return self._inner(environ, router)

    def _begin(self, today) -> None:
        try:
            with self._registry["comicsdb.session_factory"]() as session:
                session.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}'"))
                counted = count_due(session, today)
                session.commit()
        except SQLAlchemyError as error:  # a request that needs the database reports the outage itself
            log.info("Stars that are due since %s cannot be counted: %s", today, type(error).__name__)
            self._not_before = time.monotonic() + PAUSE
            return
        if counted:
            log.info("%d stars count since their issues are out", counted)
        self.day = today


def includeme(config):
    """Add the policy outside of the caches, whose keys depend on the counted ratings."""
    wrap_execution_policy(config, NewDay, LAST + 1)
