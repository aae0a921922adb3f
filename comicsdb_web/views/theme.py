"""The theme switch: system, light or dark, kept in a cookie and written by the server (web.md 2.1)."""

from datetime import timedelta

from pyramid.httpexceptions import HTTPForbidden, HTTPFound

from comicsdb_web.bodies import check_body
from comicsdb_web.csrf import from_here
from comicsdb_web.fragments import fragment
from comicsdb_web.locales import _
from comicsdb_web.routing import referring_path, safe_path

COOKIE = "theme"
THEMES = ("system", "light", "dark")
LIFETIME = timedelta(days=365)


def theme_of(request) -> str:
    """The theme that the reader chose."""
    chosen = request.cookies.get(COOKIE)
    return chosen if chosen in THEMES else THEMES[0]


def switch(request):
    """Keep the choice and go back to the page it was made on."""
    if not from_here(request):
        raise HTTPForbidden(_("This form was sent from another site."))
    check_body(request)
    chosen = request.POST.get("theme")
    if request.is_fragment:
        response = fragment(request, "theme", {"theme": chosen if chosen in THEMES else request.theme})
    else:
        response = HTTPFound(safe_path(request.POST.get("next")) or referring_path(request) or "/")
    if chosen in THEMES:
        response.set_cookie(
            COOKIE,
            chosen,
            max_age=LIFETIME,
            path="/",
            secure=request.registry.settings["comicsdb.secure_cookies"],
            httponly=True,
            samesite="Lax",
        )
    return response


def includeme(config):
    """The switch; it stands on pages that are the same for everybody and so has no token (web.md 2.3)."""
    config.add_request_method(theme_of, "theme", reify=True)
    config.add_page("theme", "/theme/", switch, methods=("POST",), require_csrf=False)
