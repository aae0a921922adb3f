"""Logging in from a place that is new to an account while its password is being guessed: by a mailed link.

Somebody who guesses from many addresses escapes every limit that counts by address. So wrong passwords are
also counted by account. Once they are many, a password is accepted only from networks that the account was
used from before: the owner is not locked out, and goes on by a link that is mailed where the place is new.
Nothing that is answered or done tells whether there is an account of that name.
"""

import logging
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import BadLinkError, NewPlaceError
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.security_events import DEVICE_EVENTS, place, record_security_event
from comicsdb.accounts.storing import in_vain_for_nobody, known_as
from comicsdb.mail import queue
from comicsdb.models import AccountLink, LoginSession, SecurityEvent, SecurityEventKind, User
from comicsdb.models.account import LOG_IN

log = logging.getLogger(__name__)

LIFETIME = timedelta(hours=1)


def check_attempt(context: AccountContext, username: str) -> None:
    """Raise TooManyFailuresError if no password for a name may be tried from here, right or wrong.

    NewPlaceError, which is one, is raised where it is the place that is new; then its owner gets a link by
    mail, at most one an hour, and once a day word of the guesses.
    """
    try:
        context.guard.check(username, context.address)
    except NewPlaceError:
        with context.apart() as session:  # what is mailed stays, though the request comes to nothing
            if _is_known(session, username, context.address):
                return
            _tell_owner(replace(context, session=session), username)
            session.commit()
        raise


def check_log_in_link(context: AccountContext, secret: str) -> User:
    """The account that a mailed link logs in to; the link stays good.

    Raises BadLinkError and LinkSpentError.
    """
    return _open(context, secret)[1]


def log_in_by_link(context: AccountContext, secret: str) -> User:
    """The account that a mailed link proves; it is spent with it. Raises BadLinkError and LinkSpentError."""
    link, user = _open(context, secret)
    link.used = clock.now()
    context.log(log, "User logged in by a mailed link", user.username)
    return user


def _open(context: AccountContext, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, LOG_IN, secret)
    if not user.is_active or link.email != user.email:
        raise BadLinkError
    return link, user


def _is_known(session: Session, username: str, address: str) -> bool:
    """Whether somebody logged in to the account from the network of an address before; one statement."""
    if not username.isprintable():
        return False  # the database could not even compare it
    account = select(User.id).where(known_as(username)).scalar_subquery()
    seen = select(LoginSession.address).where(LoginSession.user_id == account)
    noted = select(SecurityEvent.address).where(
        SecurityEvent.user_id == account, SecurityEvent.kind.in_(DEVICE_EVENTS)
    )
    by_basic = select(User.basic_address).where(User.id == account)
    here = place(address)
    return any(place(each) == here for each in session.scalars(seen.union(noted, by_basic)) if each)


def _tell_owner(context: AccountContext, username: str) -> None:
    """Mail what is due; for nobody in vain."""
    send_link, tell = context.guard.may_warn(username)
    if not (send_link or tell):
        return
    session, name = context.session, username if username.isprintable() else ""
    with in_vain_for_nobody(session, known_as(name), User.is_active) as user:
        if tell:
            record_security_event(context, user, SecurityEventKind.WRONG_PASSWORDS)
        if send_link:
            link = make_link(session, user, LOG_IN, user.email, LIFETIME)
            letter = letters.log_in_link(user, link.secret)
            queue(session, context.settings, letter, user=user, kind="log_in", until=link.row.expires)
