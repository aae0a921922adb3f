"""Preferences stored in a cookie: theme and language.

Their forms are on cached pages and so have no CSRF token.
"""

from datetime import timedelta

from pyramid.httpexceptions import HTTPFound
from pyramid.response import Response

from comicsdb_web.http.csrf import check_same_origin
from comicsdb_web.http.routing import referring_path, safe_path

LIFETIME = timedelta(days=365)


def submitted_choice(request, name: str, known) -> str | None:
    """The choice of the submitted form, None for unknown values.

    Raises HTTPForbidden for the form of another site, and BodyError.
    """
    check_same_origin(request)
    value = request.POST.get(name)
    return value if value in known else None


def redirect_back(request) -> HTTPFound:
    """A redirect to the page of the form."""
    return HTTPFound(safe_path(request.POST.get("next")) or referring_path(request) or "/")


def store_choice(request, response: Response, name: str, value: str | None) -> Response:
    """Store a choice in a cookie; None removes it."""
    if value is not None:
        response.set_cookie(
            name,
            value,
            max_age=LIFETIME,
            path="/",
            secure=request.registry.settings["comicsdb.secure_cookies"],
            httponly=True,
            samesite="Lax",
        )
    return response
