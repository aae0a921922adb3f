"""Stars that readers give to issues, and the figures of issue and series that follow from them."""

from datetime import date

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import Invalid, NotFound
from comicsdb.catalog.unit import Unit
from comicsdb.models import Issue, IssueRating, Series

LOWEST, HIGHEST = 1, 5


def rate(session: Session, issue: Issue, user_id: int, stars: int | None, *, today: date) -> bool:
    """Set, change or (None) take back the stars of one account for one issue (model.md 5.8, 11).

    `today` is the business day: an issue that is not out yet cannot be rated, but stars it has can be taken
    back. Raises Invalid, naming the field "rating", or NotFound if the issue was deleted meanwhile; gives
    whether anything changed. Number, sum and rating stamp of the issue and of its series follow in the same
    transaction (model.md 9, M22); `modified` of neither moves. Nothing is committed here.
    """
    if stars is not None and (type(stars) is not int or not LOWEST <= stars <= HIGHEST):
        raise Invalid({"rating": [f"Stars are a whole number from {LOWEST} to {HIGHEST}."]})
    Unit.of(session).alone()
    issue = _lock(session, issue)
    if stars is not None and not issue.is_released(today):
        raise Invalid(
            {"rating": [f"This issue can be rated from {issue.store_date.isoformat()} on, when it is out."]}
        )
    changed = _store(session, issue.id, user_id, stars)
    if changed:
        unit = Unit.of(session)
        unit.rated({issue.id}, {issue.series_id})
        unit.settle()
    return changed


def _lock(session: Session, issue: Issue) -> Issue:
    """The issue as it is now; its series' row is locked first, then its own, until the transaction ends.

    All raters of a series thus wait for one another, in the order in which every other writer locks.
    """
    series_id = session.scalar(select(Issue.series_id).where(Issue.id == issue.id))
    while True:
        session.execute(select(Series.id).where(Series.id == series_id).with_for_update(key_share=True))
        found = session.scalar(
            select(Issue)
            .where(Issue.id == issue.id)
            .with_for_update(key_share=True, of=Issue)
            .execution_options(populate_existing=True)
        )
        if found is None:
            raise NotFound("issue", issue.id)
        if found.series_id == series_id:
            return found
        series_id = found.series_id  # it was moved while we waited


def _store(session: Session, issue_id: int, user_id: int, stars: int | None) -> bool:
    if stars is None:
        statement = delete(IssueRating).where(
            IssueRating.issue_id == issue_id, IssueRating.user_id == user_id
        )
    else:
        statement = insert(IssueRating).values(issue_id=issue_id, user_id=user_id, rating=stars)
        statement = statement.on_conflict_do_update(
            index_elements=[IssueRating.issue_id, IssueRating.user_id],
            set_={"rating": statement.excluded.rating, "modified": func.clock_timestamp()},
            where=IssueRating.rating != statement.excluded.rating,
        )
    return session.scalar(statement.returning(IssueRating.id)) is not None
