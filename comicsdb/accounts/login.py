"""Logging in: the right password of an active account, and a limit to wrong ones (web.md 10)."""

import logging

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from comicsdb.accounts import rules
from comicsdb.accounts.errors import LogInFailed, TooManyFailures
from comicsdb.accounts.visit import Visit
from comicsdb.catalog.errors import Invalid
from comicsdb.i18n import _
from comicsdb.models import User
from comicsdb.passwords import Passwords

log = logging.getLogger(__name__)


def find_user(session: Session, username: str) -> User | None:
    """The account with a name, whatever its case; groups loaded."""
    return _named(session, username, selectinload(User.groups))


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
    user = _named(session, username) if len(password) <= rules.PASSWORD_MAX else None
    stored = user.password if user is not None and user.is_active else None
    if not passwords.verify(stored, password[: rules.PASSWORD_MAX]):
        return None
    # Locked from here on: who logs in while the password is changed is too late, or logged out by the change.
    unchanged = select(User).where(User.id == user.id, User.password == stored, User.is_active)
    unchanged = unchanged.with_for_update(key_share=True).execution_options(populate_existing=True)
    user = session.scalar(unchanged)
    if user is not None and passwords.needs_rehash(user.password):
        user.password = passwords.hash(password)
    return user


def log_in(visit: Visit, username: str, password: str) -> User:
    """The account that a name and a password prove; its session is begun by `begin_session`.

    Raises LogInFailed, and TooManyFailures after which not even the right password is tried. Both are logged.
    """
    username = rules.normal_name(username.strip())  # or each way to write it had attempts of its own
    try:
        visit.guard.check(username, visit.address)
    except TooManyFailures:
        visit.log(log, "Log-in refused after too many failures", username, logging.WARNING)
        raise
    user = verified(visit.session, visit.passwords, username, password)
    if user is None:
        visit.guard.failed(username, visit.address)
        visit.log(log, "Log-in failed", username, logging.WARNING)
        raise LogInFailed
    visit.log(log, "User logged in", user.username)
    return user


def confirm_password(visit: Visit, user: User, password: str) -> None:
    """Raise Invalid for the field `password` unless it is the account's own, or TooManyFailures."""
    visit.guard.check(user.username, visit.address)
    if len(password) > rules.PASSWORD_MAX or not visit.passwords.verify(user.password, password):
        visit.guard.failed(user.username, visit.address)
        visit.log(log, "Password not confirmed", user.username, logging.WARNING)
        raise Invalid({"password": [_("This is not your password.")]})
