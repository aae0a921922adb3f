"""Reviews of issues by readers, one per reader and issue, and reports of reviews.

Everybody can see the reviews of active accounts that staff has not hidden. The name of the author is shown
only if they have a public profile.
"""

from datetime import timedelta

from sqlalchemy import ColumnElement, Select, case, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.catalog.errors import InvalidError, NotFoundError, raise_errors
from comicsdb.community.profiles import is_public, lock_user
from comicsdb.i18n import Text, _, ngettext
from comicsdb.library.locks import lock_issue
from comicsdb.models import IssueRating, Review, ReviewReport, User
from comicsdb.models.community import REPORT_REASON_MAX

KIND = "review"
TEXT_MAX = 10_000
DAY = timedelta(days=1)
REVIEWS_A_DAY, REPORTS_A_DAY = 20, 20  # per account
ORDER = (Review.created_on.desc(), Review.id.desc())

# The author's name as shown with a review; NULL if the author's profile is not public.
AUTHOR_NAME = case((is_public(User), User.username))


def _select_visible(*columns: ColumnElement) -> Select:
    """Columns of the reviews that everybody can see."""
    stars = (IssueRating.user_id == Review.user_id) & (IssueRating.issue_id == Review.issue_id)
    return (
        select(*columns)
        .select_from(Review)
        .join(User, User.id == Review.user_id)
        .outerjoin(IssueRating, stars & IssueRating.counted)
        .where(Review.hidden.is_(None), User.is_active)
    )


def select_visible() -> Select:
    """The reviews that everybody can see, with the shown name of the author, and the author's stars."""
    own = (Review.id, Review.user_id, Review.text, Review.spoils, Review.created_on)
    edited = (Review.modified > Review.created_on).label("edited")
    return _select_visible(*own, edited, AUTHOR_NAME.label("author"), IssueRating.rating)


def visible_digest(issue) -> ColumnElement[int]:
    """A number that depends on all visible data of the reviews of an issue; NULL without reviews.

    `issue` is the table, whose current row is the issue.
    """
    one = func.concat_ws(
        "|", Review.id, Review.modified, func.coalesce(AUTHOR_NAME, ""), func.coalesce(IssueRating.rating, 0)
    )
    every = func.hashtextextended(func.string_agg(one, aggregate_order_by(literal(","), Review.id)), 0)
    return _select_visible(every).where(Review.issue_id == issue.c.id).correlate(issue).scalar_subquery()


def review_by(session: Session, user_id: int, issue_id: int) -> Review | None:
    """The review of an issue by an account, hidden or not."""
    return session.scalar(select(Review).where(Review.user_id == user_id, Review.issue_id == issue_id))


def write(session: Session, user_id: int, issue_id: int, text: str, *, spoils: bool) -> Review:
    """Write or change the review of an issue by an account; a hidden review stays hidden.

    Raises InvalidError for the field `text`, also if the account has written too many reviews today, and
    NotFoundError if the issue was deleted meanwhile.
    """
    text = text.replace("\r\n", "\n").strip()
    raise_errors({"text": _problems(text, TEXT_MAX, _("Write something first."))})
    if not lock_issue(session, issue_id):
        raise NotFoundError("issue", issue_id)
    lock_user(session, user_id)
    review = review_by(session, user_id, issue_id)
    now = clock.now()
    if review is None:
        recent = select(func.count()).where(Review.user_id == user_id, Review.created_on > now - DAY)
        if session.scalar(recent) >= REVIEWS_A_DAY:
            raise InvalidError({"text": [_too_many(REVIEWS_A_DAY)]})
        review = Review(user_id=user_id, issue_id=issue_id, created_on=now)
        session.add(review)
    elif (review.text, review.spoils) == (text, spoils):
        return review
    review.text, review.spoils, review.modified = text, spoils, now
    session.flush()
    return review


def remove(session: Session, user_id: int, issue_id: int) -> None:
    """Delete the review of an issue by an account; does nothing if there is none.

    Of a hidden review, only the text is deleted: another text would be visible otherwise.
    """
    own = select(Review).where(Review.user_id == user_id, Review.issue_id == issue_id).with_for_update()
    review = session.scalar(own.execution_options(populate_existing=True))
    if review is None:
        return
    if review.hidden is None:
        session.delete(review)
    elif review.text:
        review.text, review.spoils, review.modified = "", False, clock.now()
    session.flush()


def find(session: Session, review_id: int, user_id: int) -> Review:
    """A visible review by another account; raises NotFoundError."""
    rows = select(Review).join(User, User.id == Review.user_id)
    seen = Review.hidden.is_(None) & User.is_active
    review = session.scalar(rows.where(Review.id == review_id, seen, Review.user_id != user_id))
    if review is None:
        raise NotFoundError(KIND, review_id)
    return review


def report(session: Session, review_id: int, user_id: int, reason: str) -> None:
    """Report a review by another account to staff.

    Reporting it again opens a report that staff have settled, if the review has changed since; otherwise it
    has no effect. Raises NotFoundError if the review is not visible, and InvalidError for the field `reason`,
    also if the account has made too many reports today.
    """
    reason = reason.replace("\r\n", "\n").strip()
    review = find(session, review_id, user_id)
    raise_errors({"reason": _problems(reason, REPORT_REASON_MAX, _("Say what is wrong with it."))})
    lock_user(session, user_id)
    recent = select(func.count()).where(
        ReviewReport.user_id == user_id, ReviewReport.created_on > clock.now() - DAY
    )
    if session.scalar(recent) >= REPORTS_A_DAY:
        raise InvalidError({"reason": [_too_many(REPORTS_A_DAY)]})
    made = insert(ReviewReport).values(review_id=review_id, user_id=user_id, reason=reason)
    again = {"reason": made.excluded.reason, "created_on": made.excluded.created_on, "settled": None}
    session.execute(
        made.on_conflict_do_update(
            index_elements=[ReviewReport.review_id, ReviewReport.user_id],
            set_=again,
            where=ReviewReport.settled < review.modified,
        )
    )


def _problems(text: str, max_length: int, missing: Text) -> list[Text]:
    return rules.text_problems(text, max_length) if text else [missing]


def _too_many(a_day: int) -> Text:
    return ngettext(
        "You have reached the limit of ${n} a day.",
        "You have reached the limit of ${n} a day.",
        a_day,
    )
