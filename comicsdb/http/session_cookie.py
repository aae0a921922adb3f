"""The cookie that holds the identifier of a session."""

from collections.abc import Mapping


def session_cookie(settings: Mapping) -> str:
    """Return the name of the session cookie; over https with the prefix that binds it to the host."""
    return "__Host-session" if settings["comicsdb.secure_cookies"] else "session"


def session_identifier(request) -> str | None:
    """Return the session identifier that the browser sent, valid or not."""
    return request.cookies.get(session_cookie(request.registry.settings))
