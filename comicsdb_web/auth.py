"""Who is logged in: the cookie holds a random identifier, a row its digest (web.md 10)."""

import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from comicsdb.models import LoginSession, User
from comicsdb.passwords import digest
from comicsdb.security import Identity, identify
from comicsdb_web.routing import is_api

LIFETIME = timedelta(days=14)
SEEN_EVERY = timedelta(hours=1)  # how stale "last seen" may be: a page view should cost no write
METHOD = "session"


def cookie_name(request) -> str:
    """A name that browsers accept only from this very host over https, where cookies are secure."""
    return "__Host-session" if request.registry.settings["comicsdb.secure_cookies"] else "session"


def session_identifier(request) -> str | None:
    """The identifier that the browser sent, whether or not it still counts."""
    return request.cookies.get(cookie_name(request))


def authenticate(request) -> Identity | None:
    """The account that the browser's session belongs to, but never on the API's routes."""
    identifier = session_identifier(request)
    if not identifier or is_api(request):
        return None
    now = datetime.now(UTC)
    login = request.dbsession.scalar(
        select(LoginSession)
        .join(LoginSession.user)
        .where(LoginSession.digest == digest(identifier), LoginSession.expires > now, User.is_active)
        .options(joinedload(LoginSession.user).options(selectinload(User.groups)))
    )
    if login is None:
        return None
    if now - login.seen > SEEN_EVERY:
        login.seen = now
    return identify(login.user, METHOD)


def begin_session(request, user: User) -> None:
    """Log an account in under a new identifier; the session the browser had before ends."""
    _close(request.dbsession, session_identifier(request))
    identifier = secrets.token_urlsafe(32)
    browser = printable(request.user_agent or "")[:255]
    user.last_login = _open(request.dbsession, identifier, user.id, request.remote_addr or "", browser)

    def set_cookie(request, response):
        response.set_cookie(
            cookie_name(request), identifier, max_age=LIFETIME, **_cookie_options(request), overwrite=True
        )

    request.add_response_callback(set_cookie)


def end_session(request) -> None:
    """Forget the browser's session, here and there."""
    _close(request.dbsession, session_identifier(request))
    request.add_response_callback(
        lambda request, response: response.set_cookie(
            cookie_name(request), "", max_age=0, **_cookie_options(request)
        )
    )


def _open(session, identifier: str, user_id: int, address: str, browser: str) -> datetime:
    """Store the row of a new session; gives the moment it began."""
    now = datetime.now(UTC)
    session.add(
        LoginSession(
            digest=digest(identifier),
            user_id=user_id,
            begun=now,
            seen=now,
            expires=now + LIFETIME,
            address=address,
            browser=browser,
        )
    )
    return now


def _close(session, identifier: str | None) -> None:
    """Remove the row of a session, if there is one."""
    if identifier:
        login = session.scalar(select(LoginSession).where(LoginSession.digest == digest(identifier)))
        if login is not None:
            session.delete(login)


def _cookie_options(request) -> dict:
    secure = request.registry.settings["comicsdb.secure_cookies"]
    return {"path": "/", "secure": secure, "httponly": True, "samesite": "Lax"}


def printable(text: str) -> str:
    """A text from outside without line breaks and other control characters, fit for a line of the log."""
    return "".join(each for each in text if each.isprintable())


def includeme(config):
    """Let browsers be recognised by their session."""
    config.add_authenticator(authenticate)
