"""Deletion of accounts: their own data is removed; their contributions to the catalog stay, unnamed."""

import logging
from collections import Counter
from datetime import timedelta

from sqlalchemy import delete, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.drafts import remove_old_form_drafts, remove_old_pictures, remove_pictures_of
from comicsdb.accounts.login import confirm_password
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.locks import lock_deleted_account
from comicsdb.models import (
    AccountLink,
    DailyCount,
    Donation,
    FormerSlug,
    IssueRating,
    LoginSession,
    ReadingList,
    SecurityEvent,
    SpentChallenge,
    StaffAction,
    User,
)
from comicsdb.models.account import ACTIVATE
from comicsdb.models.base import SYSTEM_USER_ID

log = logging.getLogger(__name__)

KIND = "user"  # the kind of accounts in the audit log

SIGN_UPS_KEPT = timedelta(days=7)  # how long the name of an unfinished sign-up stays reserved
EVENTS_KEPT = timedelta(days=365)


def delete_account(context: AccountContext, user_id: int, password: str) -> None:
    """Delete an account for its owner, who confirms the password.

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
    """Delete an account without asking for its password.

    Foreign keys remove sessions, tokens, links, mails, notices, ratings and the library, transfer the
    account's catalog objects to account 1, and clear its name in history, change log and donations.
    """
    unit = UnitOfWork.of(session)
    unit.acquire_write_lock()
    lock_deleted_account(session, user.id)  # from here on, no concurrent request can add ratings in its name
    taken_back = delete(IssueRating).where(IssueRating.user_id == user.id)
    unit.record_ratings(set(session.scalars(taken_back.returning(IssueRating.issue_id))))
    acts.release_pictures(session, user.id)
    anonymise(session, user)
    unit.release_files([user.image, *remove_pictures_of(session, user.id)])
    own = select(ReadingList.id, ReadingList.image).where(ReadingList.user_id == user.id)
    lists = dict(session.execute(own).all())
    unit.release_files(lists.values())
    former = delete(FormerSlug).where(FormerSlug.kind == "reading_list", FormerSlug.object_id.in_(lists))
    session.execute(former)
    session.execute(delete(User).where(User.id == user.id).execution_options(synchronize_session=False))
    session.expunge(user)
    unit.propagate()


def _counts_of(username: str):
    return DailyCount.identity == f"user:{username}"


def move_counts(session: Session, old: str, new: str) -> None:
    """Move the request counts of an account to its new name."""
    forget_counts(session, new)  # of a former account with this name
    moved = select(DailyCount.day, DailyCount.counter, literal(f"user:{new}"), DailyCount.count).where(
        _counts_of(old)
    )
    session.execute(insert(DailyCount).from_select(["day", "counter", "identity", "count"], moved))
    forget_counts(session, old)


def forget_counts(session: Session, username: str) -> None:
    """Remove the request counts of an account."""
    session.execute(delete(DailyCount).where(_counts_of(username)))


def anonymise(session: Session, user: User) -> None:
    """Replace the name of an account by its number in the records that outlive it."""
    forget_counts(session, user.username)
    nameless = f"account {user.id}"
    session.execute(update(StaffAction).where(StaffAction.actor_id == user.id).values(actor_name=nameless))
    session.execute(
        update(StaffAction)
        .where(StaffAction.kind == KIND, StaffAction.target_id == user.id)
        .values(target=nameless, change={})
    )
    given = StaffAction.change["user"]  # former and new owner of a list that the official account was given
    session.execute(
        update(StaffAction)
        .where(StaffAction.kind == ReadingList.__tablename__, given[0].astext == user.username)
        .values(change=func.jsonb_set(StaffAction.change, ["user", "0"], func.to_jsonb(nameless)))
    )
    theirs = Donation.user_id == user.id
    if user.email_confirmed:  # otherwise the address, and donations from it, may be somebody else's
        theirs = or_(theirs, Donation.email.ilike(_escape_like(user.email), escape="\\"))
    session.execute(update(Donation).where(theirs).values(email=""))


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def clean(session: Session) -> Counter:
    """Remove expired data; returns the number of removed rows by type, such as "sessions" and "drafts".

    Commits after each account: its deletion holds the writers' lock, for which all who edit wait.
    """
    now = clock.now()
    counted = Counter()
    ended = delete(LoginSession).where(LoginSession.expires <= now)
    counted["sessions"] = session.execute(ended).rowcount
    still_waiting = select(AccountLink.user_id).where(
        AccountLink.purpose == ACTIVATE, AccountLink.expires > now - SIGN_UPS_KEPT
    )
    never_active = (
        ~User.is_active,
        ~User.email_confirmed,
        User.id.in_(select(AccountLink.user_id).where(AccountLink.purpose == ACTIVATE)),
        User.id.not_in(still_waiting),
    )
    session.commit()
    for user_id in session.scalars(select(User.id).where(*never_active)).all():
        still = select(User).where(User.id == user_id, *never_active).with_for_update(skip_locked=True)
        user = session.scalar(still.execution_options(populate_existing=True))
        if user is not None:
            remove_account(session, user)
            counted["accounts"] += 1
        session.commit()
    waiting = select(User.id).where(~User.is_active, ~User.email_confirmed)
    spent = delete(AccountLink).where(
        AccountLink.expires <= now - SIGN_UPS_KEPT, AccountLink.user_id.not_in(waiting)
    )
    counted["links"] = session.execute(spent.execution_options(synchronize_session=False)).rowcount
    counted["events"] = session.execute(
        delete(SecurityEvent).where(SecurityEvent.at <= now - EVENTS_KEPT)
    ).rowcount
    pictures = remove_old_pictures(session)
    UnitOfWork.of(session).release_files(pictures)
    counted["drafts"] = remove_old_form_drafts(session) + len(pictures)
    session.execute(delete(SpentChallenge).where(SpentChallenge.expires <= now))
    return counted
