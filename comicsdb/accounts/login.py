"""Log-in by password, or by a mailed link while the password is being guessed.

An attack from many addresses escapes limits that count by address, so failures are also counted by account.
Above that limit, a password is accepted only from networks that the account used before; elsewhere, the owner
can still log in by a mailed link. No response reveals whether there is an account with that name.
"""

import logging
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import (
    BadLinkError,
    LogInFailedError,
    NewNetworkError,
    NotActivatedError,
    TooManyFailuresError,
)
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.lookup import matches_login, run_for
from comicsdb.accounts.passwords import Passwords
from comicsdb.accounts.security_events import DEVICE_EVENTS, network_prefix, record_security_event
from comicsdb.accounts.signup import is_pending
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.mail import queue
from comicsdb.models import AccountLink, LoginSession, SecurityEvent, SecurityEventKind, User
from comicsdb.models.account import LOG_IN

log = logging.getLogger(__name__)

LINK_LIFETIME = timedelta(hours=1)


def find_user(session: Session, username: str) -> User | None:
    """The account with a name, case-insensitive, with its groups."""
    return _find_by_username(session, username, selectinload(User.groups))


def _find_by_login(session: Session, name: str) -> User | None:
    """The account with a user name or mail address."""
    if len(name) > rules.EMAIL_MAX or not name.isprintable():
        return None
    return session.scalar(select(User).where(matches_login(name)))


def _find_by_username(session: Session, username: str, *options) -> User | None:
    if len(username) > rules.USERNAME_MAX or not username.isprintable():
        return None  # PostgreSQL cannot compare unprintable text
    name = func.lower(rules.normal_name(username))
    return session.scalar(select(User).where(func.lower(User.username) == name).options(*options))


def authenticate(session: Session, passwords: Passwords, username: str, password: str) -> User | None:
    """The active account with this name, case-insensitive, and this password, else None.

    It takes the same time whether or not there is such an account. A hash made with weaker parameters than
    the current ones is replaced.
    """
    user = _find_by_username(session, username)
    return _check_password(
        session, passwords, user if user is not None and user.is_active else None, password
    )


def _check_password(session: Session, passwords: Passwords, user: User | None, password: str) -> User | None:
    """The account, locked, if the password is right, else None; takes the same time if `user` is None."""
    stored = user.password if user is not None and len(password) <= rules.PASSWORD_MAX else None
    if not passwords.verify(stored, password[: rules.PASSWORD_MAX]):
        return None
    # Locked, so that a concurrent change of the password makes this fail or ends the new session.
    unchanged = select(User).where(
        User.id == user.id, User.password == stored, User.is_active == user.is_active
    )
    # Groups only now: otherwise, the number of statements would reveal whether the account exists.
    unchanged = unchanged.options(selectinload(User.groups))
    unchanged = unchanged.with_for_update(key_share=True).execution_options(populate_existing=True)
    user = session.scalar(unchanged)
    if user is not None and passwords.needs_rehash(user.password):
        user.password = passwords.hash(password)
    return user


def log_in(context: AccountContext, username: str, password: str) -> User:
    """Verify a user name or mail address and a password; `begin_session` then begins a session.

    Raises LogInFailedError; NotActivatedError if name and password are right but the account was never
    activated; TooManyFailuresError without trying the password; or its subclass NewNetworkError after a link
    was mailed. All of these are logged. Attempts are counted by the text typed: counting user name and mail
    address together would reveal that they belong together.
    """
    username = rules.normal_name(username.strip())  # otherwise, each spelling would have its own limit
    try:
        check_attempt(context, username)
    except TooManyFailuresError:
        context.log(log, "Log-in refused after too many failures", username, logging.WARNING)
        raise
    found = _find_by_login(context.session, username)
    user = _check_password(context.session, context.passwords, found, password)
    if user is not None and is_pending(context.session, user):
        context.log(log, "Log-in to an account that was never activated", user.username)
        raise NotActivatedError
    if user is None or not user.is_active:
        context.guard.record_failure(username, context.address)
        context.log(log, "Log-in failed", username, logging.WARNING)
        raise LogInFailedError
    context.log(log, "User logged in", user.username)
    return user


def confirm_password(context: AccountContext, user: User, password: str) -> None:
    """Raise InvalidError for the field `password` if the password is wrong, or TooManyFailuresError."""
    with suppress(NewNetworkError):  # the visitor is logged in already
        context.guard.check(user.username, context.address)
    if len(password) > rules.PASSWORD_MAX or not context.passwords.verify(user.password, password):
        context.guard.record_failure(user.username, context.address)
        context.log(log, "Password not confirmed", user.username, logging.WARNING)
        raise InvalidError({"password": [_("This password is incorrect.")]})


def check_attempt(context: AccountContext, username: str) -> None:
    """Raise TooManyFailuresError if no password for a name may be tried from this address.

    Its subclass NewNetworkError is raised for new networks; the owner then gets a link by mail, at most one
    an hour, and a warning at most once a day.
    """
    try:
        context.guard.check(username, context.address)
    except NewNetworkError:
        with context.independent_session() as session:  # the mails are committed though the request fails
            if _is_known_network(session, username, context.address):
                return
            _mail_owner(replace(context, session=session), username)
            session.commit()
        raise


def check_log_in_link(context: AccountContext, secret: str) -> User:
    """The account that a mailed link logs in to; does not use up the link.

    Raises BadLinkError and LinkUsedError.
    """
    return _open_log_in_link(context, secret)[1]


def log_in_by_link(context: AccountContext, secret: str) -> User:
    """The account that a mailed link logs in to; uses up the link. Raises BadLinkError and LinkUsedError."""
    link, user = _open_log_in_link(context, secret)
    link.used = clock.now()
    context.log(log, "User logged in by a mailed link", user.username)
    return user


def _open_log_in_link(context: AccountContext, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, LOG_IN, secret)
    if not user.is_active or link.email != user.email:
        raise BadLinkError
    return link, user


def _is_known_network(session: Session, username: str, address: str) -> bool:
    """Whether the account was used from the network of an address before; runs one statement."""
    if not username.isprintable():
        return False  # PostgreSQL cannot compare it
    account = select(User.id).where(matches_login(username)).scalar_subquery()
    seen = select(LoginSession.address).where(LoginSession.user_id == account)
    noted = select(SecurityEvent.address).where(
        SecurityEvent.user_id == account, SecurityEvent.kind.in_(DEVICE_EVENTS)
    )
    by_basic = select(User.basic_address).where(User.id == account)
    here = network_prefix(address)
    return any(network_prefix(each) == here for each in session.scalars(seen.union(noted, by_basic)) if each)


def _mail_owner(context: AccountContext, username: str) -> None:
    """Mail the owner a link and a warning within the limits; does the same work without an account."""
    send_link, tell = context.guard.count_warning_mails(username)
    if not (send_link or tell):
        return
    session, name = context.session, username if username.isprintable() else ""
    with run_for(session, matches_login(name), User.is_active) as user:
        if tell:
            record_security_event(context, user, SecurityEventKind.WRONG_PASSWORDS)
        if send_link:
            link = make_link(session, user, LOG_IN, user.email, LINK_LIFETIME)
            letter = letters.log_in_link(user, link.secret)
            queue(session, context.settings, letter, user=user, kind="log_in", until=link.row.expires)
