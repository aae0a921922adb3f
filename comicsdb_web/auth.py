"""Who is logged in: the cookie holds a random identifier, a row its digest (web.md 10)."""

from comicsdb import accounts
from comicsdb.models import User
from comicsdb.security import Identity, client_ip, identify
from comicsdb_web.routing import is_api

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
    user = accounts.session_user(request.dbsession, identifier)
    return identify(user, METHOD) if user is not None else None


def begin_session(request, user: User) -> None:
    """Log an account in under a new identifier; the session the browser had before ends."""
    accounts.end_session(request.dbsession, session_identifier(request))
    identifier = accounts.begin_session(
        request.dbsession, user, address=client_ip(request), browser=request.user_agent or ""
    )

    def set_cookie(request, response):
        response.set_cookie(
            cookie_name(request),
            identifier,
            max_age=accounts.LIFETIME,
            **_cookie_options(request),
            overwrite=True,
        )

    request.add_response_callback(set_cookie)


def end_session(request) -> None:
    """Forget the browser's session, here and there."""
    accounts.end_session(request.dbsession, session_identifier(request))
    request.add_response_callback(
        lambda request, response: response.set_cookie(
            cookie_name(request), "", max_age=0, **_cookie_options(request)
        )
    )


def _cookie_options(request) -> dict:
    secure = request.registry.settings["comicsdb.secure_cookies"]
    return {"path": "/", "secure": secure, "httponly": True, "samesite": "Lax"}


def includeme(config):
    """Let browsers be recognised by their session."""
    config.add_authenticator(authenticate)
