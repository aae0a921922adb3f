"""Links sent by mail. Each works once, by default within 24 hours; only its digest is stored."""

import secrets
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.errors import BadLinkError, LinkUsedError
from comicsdb.accounts.passwords import digest
from comicsdb.models import AccountLink, User

LIFETIME = timedelta(hours=24)


class NewLink(NamedTuple):
    """A new link: the secret for the mail, and the row."""

    secret: str
    row: AccountLink


def make_link(
    session: Session, user: User, purpose: str, email: str, lifetime: timedelta = LIFETIME
) -> NewLink:
    """Create a link; opening it proves access to the mailbox `email`."""
    secret = secrets.token_urlsafe(32)
    now = clock.now()
    row = AccountLink(
        digest=digest(secret),
        user_id=user.id,
        purpose=purpose,
        email=email,
        created=now,
        expires=now + lifetime,
    )
    session.add(row)
    session.flush()
    return NewLink(secret, row)


def open_link(
    session: Session, purpose: str, secret: str, uid: str | None = None
) -> tuple[AccountLink, User]:
    """The valid link of a secret and its account, with both rows locked.

    `uid` is the account's id in the link's URL. Raises LinkUsedError if the link was used, BadLinkError if it
    is unknown or has expired.
    """
    link = session.scalar(
        select(AccountLink)
        .where(AccountLink.digest == digest(secret), AccountLink.purpose == purpose)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    is_current = link is not None and link.created <= clock.latest() and link.expires > clock.now()
    if not is_current or uid not in (None, str(link.user_id)):
        raise BadLinkError
    if link.used is not None:
        raise LinkUsedError
    return link, session.get_one(User, link.user_id, with_for_update=True, populate_existing=True)


def drop_links(session: Session, user_id: int, *purposes: str) -> None:
    """Delete an account's links with one of these purposes; without purposes, all of them."""
    chosen = [AccountLink.purpose.in_(purposes)] if purposes else []
    session.execute(delete(AccountLink).where(AccountLink.user_id == user_id, *chosen))
