"""Moderation of reviews: hiding and restoring them, and dismissing reports."""

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, joinedload

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.audit_log import Actor, changes, record
from comicsdb.catalog.errors import InvalidError, NotFoundError, raise_errors
from comicsdb.i18n import _
from comicsdb.models import Issue, Review, ReviewReport, Series
from comicsdb.models.community import HIDDEN_REASON_MAX

REVIEW = "review"


def open_reports():
    """The condition of reports that nobody has decided on yet."""
    return ReviewReport.settled.is_(None)


def hide_review(session: Session, actor: Actor, review_id: int, reason: str) -> None:
    """Hide a review from everyone but its author, who sees the reason; settles its reports.

    Raises NotFoundError, and InvalidError for the field `reason`.
    """
    review, reason = _locked(session, review_id), _checked(reason)
    changed = changes({"reason": review.hidden_reason}, {"reason": reason})
    review.hidden, review.hidden_reason = review.hidden or clock.now(), reason
    _settle(session, actor, review, "hide", changed)


def restore_review(session: Session, actor: Actor, review_id: int, reason: str) -> None:
    """Show a hidden review again; raises like `hide_review`, and if its author has deleted the text."""
    review, reason = _locked(session, review_id), _checked(reason)
    if not review.text:
        raise InvalidError({"__all__": [_("The author has deleted the text.")]})
    changed = changes({"reason": review.hidden_reason}, {"reason": reason})
    review.hidden, review.hidden_reason = None, ""
    _settle(session, actor, review, "restore", changed)


def dismiss_reports(session: Session, actor: Actor, review_id: int, reason: str) -> None:
    """Settle the reports of a review without changing it; raises like `hide_review`."""
    review, reason = _locked(session, review_id), _checked(reason)
    _settle(session, actor, review, "keep", changes({}, {"reason": reason}))


def _checked(reason: str) -> str:
    reason = reason.strip()
    missing = [_("Give a reason.")]
    raise_errors({"reason": rules.one_line_problems(reason, HIDDEN_REASON_MAX) if reason else missing})
    return reason


def _locked(session: Session, review_id: int) -> Review:
    rows = select(Review).where(Review.id == review_id).with_for_update(of=Review)
    rows = rows.options(joinedload(Review.issue).joinedload(Issue.series).joinedload(Series.series_type))
    review = session.scalar(rows.execution_options(populate_existing=True))
    if review is None:
        raise NotFoundError(REVIEW, review_id)
    return review


def _settle(session: Session, actor: Actor, review: Review, action: str, changed: dict) -> None:
    session.execute(
        update(ReviewReport)
        .where(ReviewReport.review_id == review.id, open_reports())
        .values(settled=func.clock_timestamp())
    )
    # Without the name of the author, which must not outlive the account.
    record(session, actor, action, REVIEW, review.id, review.issue.label, changed)
    session.flush()
