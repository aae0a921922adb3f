"""Browser sessions: a cookie holds a random identifier, and a row holds its digest."""

import logging
import secrets
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import digest, secrets_equal
from comicsdb.accounts.security_events import BROWSER_LENGTH, record_log_in, record_security_event
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.http.session_cookie import session_identifier
from comicsdb.log_lines import printable
from comicsdb.models import Group, LoginSession, SecurityEventKind, User
from comicsdb.models.user import user_group_member
from comicsdb.security import SESSION, Identity, make_identity, without_staff_rights

log = logging.getLogger(__name__)

LIFETIME = timedelta(days=14)
SEEN_INTERVAL = timedelta(hours=1)  # precision of "last seen", so that most page views write nothing


def _new_identifier() -> str:
    return secrets.token_urlsafe(32)


def begin_session(context: AccountContext, user: User, *, confirmed: bool = True) -> str:
    """Begin a session; returns the random identifier for the browser's cookie.

    `confirmed` is False after a log-in by mail alone. The owner gets a mail about a new device, except at the
    account's first log-in.
    """
    record_log_in(context, user)
    identifier = _new_identifier()
    now = clock.now()
    context.session.add(
        LoginSession(
            digest=digest(identifier),
            user_id=user.id,
            begun=now,
            seen=now,
            confirmed=now if confirmed else None,
            expires=now + LIFETIME,
            address=context.address,
            browser=printable(context.browser)[:BROWSER_LENGTH],
        )
    )
    user.last_login = now
    return identifier


class SessionAccount(NamedTuple):
    """The account of a session, and when the session was last seen."""

    id: int
    username: str
    is_staff: bool
    is_superuser: bool
    second_factor: bool
    supporter_until: datetime | None
    supporter_tier: str
    language: str
    timezone: str
    seen: datetime
    groups: list[Group]

    effective_tier = User.effective_tier


@cache
def _account_query() -> CompiledQuery:
    """A single statement without an ORM session, compiled once: pages of logged-in users begin with it."""
    account = [getattr(User, name) for name in SessionAccount._fields[:-2]]
    group = func.json_build_object("name", Group.name, "may_delete", Group.may_delete)
    groups = select(func.json_agg(group)).join(user_group_member)
    groups = groups.where(user_group_member.c.user_id == User.id).correlate(User).scalar_subquery()
    statement = select(*account, LoginSession.seen, groups).join_from(LoginSession, LoginSession.user)
    return CompiledQuery.of(
        statement.where(
            LoginSession.digest == bindparam("digest"),
            LoginSession.expires > bindparam("now"),
            LoginSession.begun <= bindparam("latest"),
            User.is_active,
        )
    )


def session_account(read_pool: ReadPool, identifier: str) -> SessionAccount | None:
    """The active account of a session's identifier; None if the session has ended."""
    values = {"digest": digest(identifier), "now": clock.now(), "latest": clock.latest()}
    row = read_pool.fetch(_account_query(), values)
    if row is None:
        return None
    *columns, groups = row
    return SessionAccount(*columns, [Group(**each) for each in groups or ()])


def session_identity(request) -> Identity | None:
    """The identity of the user who is logged in on the site with the browser of a request."""
    identifier = session_identifier(request)
    account = session_account(request.read_pool, identifier) if identifier else None
    if account is None:
        return None
    now = clock.now()
    if now - account.seen > SEEN_INTERVAL:
        seen = update(LoginSession).where(LoginSession.digest == digest(identifier)).values(seen=now)
        request.dbsession.execute(seen)
    return without_staff_rights(
        request.registry.settings, make_identity(account, SESSION), account.second_factor
    )


def sessions_of(session: Session, user_id: int) -> list[LoginSession]:
    """The current sessions of an account, most recently used first."""
    return list(
        session.scalars(
            select(LoginSession)
            .where(
                LoginSession.user_id == user_id,
                LoginSession.expires > clock.now(),
                LoginSession.begun <= clock.latest(),
            )
            .order_by(LoginSession.seen.desc(), LoginSession.id.desc())
        )
    )


def is_current_session(login: LoginSession, identifier: str | None) -> bool:
    """Whether a session has this identifier."""
    return bool(identifier) and secrets_equal(login.digest, digest(identifier))


def renew_session(session: Session, identifier: str) -> str:
    """Give a session a new identifier and return it; the old one becomes invalid."""
    renewed = _new_identifier()
    session.execute(
        update(LoginSession)
        .where(LoginSession.digest == digest(identifier))
        .values(digest=digest(renewed))
        .execution_options(synchronize_session=False)
    )
    return renewed


def end_session(session: Session, identifier: str | None) -> None:
    """End the session with this identifier, if there is one."""
    if identifier:
        session.execute(delete(LoginSession).where(LoginSession.digest == digest(identifier)))


def end_session_of(session: Session, user_id: int, session_id: int) -> bool:
    """End one session of an account by its id; returns False if the account has no such session."""
    ended = delete(LoginSession).where(LoginSession.user_id == user_id, LoginSession.id == session_id)
    return session.execute(ended).rowcount == 1


def log_out_everywhere(context: AccountContext, user_id: int) -> None:
    """End all sessions of an account at the owner's request, and mail the owner about it."""
    end_all_sessions(context.session, user_id)
    user = context.session.get_one(User, user_id)
    record_security_event(context, user, SecurityEventKind.SESSIONS_ENDED)
    context.log(log, "Logged out everywhere", user.username)


def end_all_sessions(session: Session, user_id: int, except_identifier: str | None = None) -> int:
    """End all sessions of an account except the one with `except_identifier`; returns their number."""
    others = delete(LoginSession).where(LoginSession.user_id == user_id)
    if except_identifier:
        others = others.where(LoginSession.digest != digest(except_identifier))
    return session.execute(others).rowcount
