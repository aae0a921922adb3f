"""The one pull list and the one wish list of an account, made at the first look; and what their writers lock.

A writer holds the account (`locks.lock_account`), then series and issue, so that nobody deletes these
meanwhile and meets it at the list, whose stamp moves with its entries.
"""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.models import Issue, PullList, Series, WishList
from comicsdb.models.base import INTEGER_MAX


def own_list(session: Session, model: type, user_id: int) -> PullList | WishList:
    """The list of an account, made now if nobody has looked at it yet, however many look at once."""
    wanted = select(model).where(model.user_id == user_id).execution_options(populate_existing=True)
    found = session.scalar(wanted)
    if found is None:
        making = insert(model).values(user_id=user_id).on_conflict_do_nothing(index_elements=[model.user_id])
        session.execute(making)
        found = session.scalars(wanted).one()
    return found


def lock_series(session: Session, series_id: int) -> bool:
    """Keep a series from being deleted until the transaction ends; False if there is none."""
    if not 0 < series_id <= INTEGER_MAX:
        return False
    locked = select(Series.id).where(Series.id == series_id).with_for_update(key_share=True, read=True)
    return session.scalar(locked) is not None


def lock_issue(session: Session, issue_id: int) -> bool:
    """Keep an issue and its series from being deleted until the transaction ends; False if there is none."""
    known = 0 < issue_id <= INTEGER_MAX
    series_id = session.scalar(select(Issue.series_id).where(Issue.id == issue_id)) if known else None
    if series_id is None:
        return False
    lock_series(session, series_id)
    locked = select(Issue.id).where(Issue.id == issue_id).with_for_update(key_share=True, read=True)
    return session.scalar(locked) is not None
