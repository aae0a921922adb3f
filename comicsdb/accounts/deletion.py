"""The end of an account: what is its own goes, what it gave to the catalogue stays."""

import logging

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from comicsdb.accounts.anonymising import anonymise
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.login import confirm_password
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import _
from comicsdb.models import FormerSlug, Issue, IssueRating, ReadingList, Series, User
from comicsdb.models.base import SYSTEM_USER_ID

log = logging.getLogger(__name__)


def delete_account(context: AccountContext, user_id: int, password: str) -> None:
    """Delete an account for its owner, who gives the password once more.

    Raises InvalidError for the field `password`, and for account 1, which always exists; and
    TooManyFailuresError.
    """
    user = context.session.get_one(User, user_id)
    if user.id == SYSTEM_USER_ID:
        raise InvalidError({"__all__": [_("This account cannot be deleted.")]})
    confirm_password(context, user, password)
    remove_account(context.session, user)
    context.log(log, "Account deleted", user.username)


def remove_account(session: Session, user: User) -> None:
    """Delete an account, whoever wishes it.

    The database itself removes sessions, tokens, links, mails, notices, stars and all that a reader keeps,
    hands the account's objects of the catalogue to account 1, and takes its name out of history, change log
    and donations.
    """
    unit = UnitOfWork.of(session)
    unit.acquire_write_lock()
    rated, series = _lock_rated(session, user.id)
    session.execute(delete(IssueRating).where(IssueRating.user_id == user.id))
    unit.rated(rated, series)
    anonymise(session, user)
    unit.release_files([user.image])
    own = select(ReadingList.id, ReadingList.image).where(ReadingList.user_id == user.id)
    lists = dict(session.execute(own).all())
    unit.release_files(lists.values())
    former = delete(FormerSlug).where(FormerSlug.kind == "reading_list", FormerSlug.object_id.in_(lists))
    session.execute(former)
    session.execute(delete(User).where(User.id == user.id).execution_options(synchronize_session=False))
    session.expunge(user)
    unit.propagate()


def _lock_rated(session: Session, user_id: int) -> tuple[set[int], set[int]]:
    """The issues that an account gave stars, and their series; locked in the order of all who rate."""
    rated = select(IssueRating.issue_id).where(IssueRating.user_id == user_id)
    series_of = select(Issue.series_id).where(Issue.id.in_(rated))
    locked = select(Series.id).where(Series.id.in_(series_of)).order_by(Series.id)
    series = set(session.scalars(locked.with_for_update(key_share=True)))
    locked = select(Issue.id).where(Issue.id.in_(rated)).order_by(Issue.id)
    return set(session.scalars(locked.with_for_update(key_share=True, of=Issue))), series
