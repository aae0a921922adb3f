"""Accounts: who proves to be whom, and the sessions of their browsers (model.md 4.1, web.md 10)."""

import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from comicsdb.models import LoginSession, User
from comicsdb.passwords import Passwords, digest

LIFETIME = timedelta(days=14)
SEEN_EVERY = timedelta(hours=1)  # how stale "last seen" may be: a page view should cost no write
BROWSER_LENGTH = 255
USERNAME_MAX = 150
PASSWORD_MAX = 1024  # more would only keep the hash busy


def printable(text: str) -> str:
    """A text from outside with blanks for line breaks and other control characters, fit for the log."""
    return "".join(each if each.isprintable() else " " for each in text)


def verified(session: Session, passwords: Passwords, username: str, password: str) -> User | None:
    """The active account with this name, whatever its case, and this password; None for anybody else.

    It takes as long for nobody, and for an account that is switched off, as for a wrong password. A hash made
    with weaker parameters than today's is made anew.
    """
    user = None
    possible = len(username) <= USERNAME_MAX and len(password) <= PASSWORD_MAX
    if possible and username.isprintable():  # the database could not even compare what is not
        user = session.scalar(
            select(User)
            .where(func.lower(User.username) == func.lower(username))
            .options(selectinload(User.groups))
        )
    stored = user.password if user is not None and user.is_active else None
    if not passwords.verify(stored, password[:PASSWORD_MAX]):
        return None
    if passwords.needs_rehash(user.password):
        user.password = passwords.hash(password)
    return user


def begin_session(session: Session, user: User, *, address: str, browser: str) -> str:
    """Log an account in; gives the random identifier for the browser's cookie, of which a digest is kept."""
    identifier = secrets.token_urlsafe(32)
    now = datetime.now(UTC)
    session.add(
        LoginSession(
            digest=digest(identifier),
            user_id=user.id,
            begun=now,
            seen=now,
            expires=now + LIFETIME,
            address=address,
            browser=printable(browser)[:BROWSER_LENGTH],
        )
    )
    user.last_login = now
    return identifier


def session_user(session: Session, identifier: str) -> User | None:
    """The active account, groups loaded, whose session an identifier stands for; None once it has ended."""
    now = datetime.now(UTC)
    login = session.scalar(
        select(LoginSession)
        .join(LoginSession.user)
        .where(LoginSession.digest == digest(identifier), LoginSession.expires > now, User.is_active)
        .options(joinedload(LoginSession.user).options(selectinload(User.groups)))
    )
    if login is None:
        return None
    if now - login.seen > SEEN_EVERY:
        login.seen = now
    return login.user


def end_session(session: Session, identifier: str | None) -> None:
    """End the session an identifier stands for, if there is one."""
    if identifier:
        session.execute(delete(LoginSession).where(LoginSession.digest == digest(identifier)))
