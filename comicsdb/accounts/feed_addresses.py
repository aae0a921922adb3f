"""Private feed addresses. Each is shown once, as only a digest of its secret is stored."""

import secrets
from datetime import date
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from comicsdb.accounts.constraints import add_once
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.security_events import record_security_event
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _, formatted
from comicsdb.library.locks import lock_account
from comicsdb.models import FeedAddress, SecurityEventKind, User
from comicsdb.values import one_line

NAME_MAX = 100
ADDRESSES_MAX = 20
SECRET_LENGTHS = range(20, 100)  # other lengths cannot be our secrets


class NewAddress(NamedTuple):
    """A new address: its secret, which is not stored, and its row."""

    secret: str
    address: FeedAddress


def make_address(session: Session, user_id: int, name: str, form_key: str) -> NewAddress:
    """Create a private feed address, with a name of at most 100 characters, which may be empty.

    Raises InvalidError for the field `name`, and FormAlreadySubmittedError if this form created one already.
    """
    name = one_line(name)
    if len(name) > NAME_MAX:
        raise InvalidError({"name": [formatted("Use at most ${most} characters.", most=NAME_MAX)]})
    lock_account(session, user_id)
    mine = select(func.count()).select_from(FeedAddress).where(FeedAddress.user_id == user_id)
    if session.scalar(mine) >= ADDRESSES_MAX:
        raise InvalidError(
            {"name": [_("You have reached the maximum number of addresses: revoke one first.")]}
        )
    secret = secrets.token_urlsafe(32)
    address = FeedAddress(user_id=user_id, name=name, digest=digest(secret))
    add_once(session, address, form_key)
    return NewAddress(secret, address)


def feed_addresses_of(session: Session, user_id: int) -> list[FeedAddress]:
    """The addresses of an account, newest first."""
    newest = (FeedAddress.created_on.desc(), FeedAddress.id.desc())
    return list(session.scalars(select(FeedAddress).where(FeedAddress.user_id == user_id).order_by(*newest)))


def revoke_feed_address(session: Session, user_id: int, address_id: int) -> bool:
    """Revoke an address of an account; returns False if the account has no such address."""
    gone = delete(FeedAddress).where(FeedAddress.user_id == user_id, FeedAddress.id == address_id)
    return session.execute(gone).rowcount > 0


def revoke_all(session: Session, user_id: int) -> int:
    """Revoke all addresses of an account; returns their number."""
    return session.execute(delete(FeedAddress).where(FeedAddress.user_id == user_id)).rowcount


class Reader(NamedTuple):
    """The account that an address belongs to, and its language; "" if not chosen."""

    user_id: int
    language: str


def find_reader(session: Session, secret: str, today: date) -> Reader | None:
    """The active account that a secret belongs to, or None; records the day of use."""
    if len(secret) not in SECRET_LENGTHS:
        return None
    found = session.execute(
        select(FeedAddress.id, FeedAddress.user_id, FeedAddress.last_used, User.language)
        .join(User, User.id == FeedAddress.user_id)
        .where(FeedAddress.digest == digest(secret), User.is_active)
    ).first()
    if found is None:
        return None
    if found.last_used != today:
        used = update(FeedAddress).where(FeedAddress.id == found.id).values(last_used=today)
        session.execute(used.execution_options(synchronize_session=False))
    return Reader(found.user_id, found.language)


def make_feed_address(context: AccountContext, user_id: int, name: str, form_key: str) -> NewAddress:
    """Create a private feed address and record that as a security event; raises like `make_address`."""
    made = make_address(context.session, user_id, name, form_key)
    user = context.session.get_one(User, user_id)
    record_security_event(context, user, SecurityEventKind.FEED_MADE, name=made.address.name)
    return made


def revoke_all_feeds(context: AccountContext, user: User) -> None:
    """Revoke all addresses of an account, and record that as a security event."""
    number = revoke_all(context.session, user.id)
    if number:
        record_security_event(context, user, SecurityEventKind.FEEDS_REVOKED, number=number)
