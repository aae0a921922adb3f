"""Who is logged in: the cookie holds a random identifier, a row its digest (web.md 10)."""

from comicsdb import accounts
from comicsdb.models import User
from comicsdb.security import Identity, identify, session_cookie, session_identifier
from comicsdb_web.routing import is_api

METHOD = "session"


def authenticate(request) -> Identity | None:
    """The account that the browser's session belongs to, but never on the API's routes."""
    identifier = session_identifier(request)
    if not identifier or is_api(request):
        return None
    user = accounts.session_user(request.dbsession, identifier)
    return identify(user, METHOD) if user is not None else None


def begin_session(request, user: User) -> None:
    """Log an account in under a new identifier; the session the browser had before ends."""
    accounts.end_session(request.dbsession, session_identifier(request))
    keep_session(request, accounts.begin_session(request.visit, user))


def end_session(request) -> None:
    """Forget the browser's session, here and there."""
    accounts.end_session(request.dbsession, session_identifier(request))
    forget_session(request)


def keep_session(request, identifier: str) -> None:
    """Let the browser keep the identifier of its session."""
    _set_cookie(request, identifier, max_age=accounts.LIFETIME)


def forget_session(request) -> None:
    """Let the browser forget the identifier of a session that has ended."""
    _set_cookie(request, "", max_age=0)


def _set_cookie(request, value, *, max_age) -> None:
    secure = request.registry.settings["comicsdb.secure_cookies"]
    options = {"max_age": max_age, "path": "/", "secure": secure, "httponly": True, "samesite": "Lax"}

    def callback(request, response):
        if response.status_int < 400:  # otherwise the transaction is rolled back, and the session with it
            response.set_cookie(session_cookie(request.registry.settings), value, **options, overwrite=True)

    request.add_response_callback(callback)


def includeme(config):
    """Let browsers be recognised by their session."""
    config.add_authenticator(authenticate)
