"""Logging in: the right password of an active account, and a limit to wrong ones."""

import logging
from contextlib import suppress

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from comicsdb.accounts import rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import LogInFailedError, NewPlaceError, NotActivatedError, TooManyFailuresError
from comicsdb.accounts.new_place import check_attempt
from comicsdb.accounts.passwords import Passwords
from comicsdb.accounts.signup import is_pending
from comicsdb.accounts.storing import known_as
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.models import User

log = logging.getLogger(__name__)


def find_user(session: Session, username: str) -> User | None:
    """The account with a name, whatever its case; groups loaded."""
    return _named(session, username, selectinload(User.groups))


def _known(session: Session, name: str) -> User | None:
    """The account with a user name or mail address."""
    if len(name) > rules.EMAIL_MAX or not name.isprintable():
        return None
    return session.scalar(select(User).where(known_as(name)))


def _named(session: Session, username: str, *options) -> User | None:
    if len(username) > rules.USERNAME_MAX or not username.isprintable():
        return None  # the database could not even compare what is not printable
    name = func.lower(rules.normal_name(username))
    return session.scalar(select(User).where(func.lower(User.username) == name).options(*options))


def verified(session: Session, passwords: Passwords, username: str, password: str) -> User | None:
    """The active account with this name, whatever its case, and this password; None for anybody else.

    It takes as long for nobody, and for an account that is switched off, as for a wrong password. A hash made
    with weaker parameters than today's is made anew.
    """
    user = _named(session, username)
    return _proven(session, passwords, user if user is not None and user.is_active else None, password)


def _proven(session: Session, passwords: Passwords, user: User | None, password: str) -> User | None:
    """The account itself, locked, if the password is its own; None takes as long."""
    stored = user.password if user is not None and len(password) <= rules.PASSWORD_MAX else None
    if not passwords.verify(stored, password[: rules.PASSWORD_MAX]):
        return None
    # Locked from here on: who logs in while the password is changed is too late, or logged out by the change.
    unchanged = select(User).where(
        User.id == user.id, User.password == stored, User.is_active == user.is_active
    )
    unchanged = unchanged.options(selectinload(User.groups))  # only now, or a statement would tell
    unchanged = unchanged.with_for_update(key_share=True).execution_options(populate_existing=True)
    user = session.scalar(unchanged)
    if user is not None and passwords.needs_rehash(user.password):
        user.password = passwords.hash(password)
    return user


def log_in(context: AccountContext, username: str, password: str) -> User:
    """The account that a user name or mail address and a password prove; `begin_session` begins its session.

    Raises LogInFailedError, NotActivatedError where both are right, and TooManyFailuresError after which not
    even the right password is tried: with NewPlaceError, which is one, a link was mailed. All are logged.
    Attempts are counted by what was typed: if name and address were counted together, one would tell of the
    other.
    """
    username = rules.normal_name(username.strip())  # or each way to write it had attempts of its own
    try:
        check_attempt(context, username)
    except TooManyFailuresError:
        context.log(log, "Log-in refused after too many failures", username, logging.WARNING)
        raise
    found = _known(context.session, username)
    user = _proven(context.session, context.passwords, found, password)
    if user is not None and is_pending(context.session, user):
        context.log(log, "Log-in to an account that was never activated", user.username)
        raise NotActivatedError
    if user is None or not user.is_active:
        context.guard.failed(username, context.address)
        context.log(log, "Log-in failed", username, logging.WARNING)
        raise LogInFailedError
    context.log(log, "User logged in", user.username)
    return user


def confirm_password(context: AccountContext, user: User, password: str) -> None:
    """Raise InvalidError for the field `password` unless it is the account's own, or TooManyFailuresError."""
    with suppress(NewPlaceError):  # whoever asks is logged in already
        context.guard.check(user.username, context.address)
    if len(password) > rules.PASSWORD_MAX or not context.passwords.verify(user.password, password):
        context.guard.failed(user.username, context.address)
        context.log(log, "Password not confirmed", user.username, logging.WARNING)
        raise InvalidError({"password": [_("This is not your password.")]})
