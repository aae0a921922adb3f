"""The theme switch: system, light or dark, written by the server."""

from comicsdb_web.http import preferences
from comicsdb_web.http.fragments import fragment
from comicsdb_web.rendering.themes import COOKIE, THEMES


def switch(request):
    """Keep the choice and go back to the page it was made on."""
    theme = preferences.chosen(request, "theme", THEMES)
    if request.is_fragment:
        response = fragment(request, "theme", {"theme": theme or request.theme})
    else:
        response = preferences.back(request)
    return preferences.keep(request, response, COOKIE, theme)


def includeme(config):
    """The switch."""
    config.add_page("theme", "/theme/", switch, methods=("POST",), require_csrf=False)
