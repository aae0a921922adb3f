"""The theme switch: system, light or dark, written by the server (web.md 2.1)."""

from comicsdb_web import preferences
from comicsdb_web.fragments import fragment

COOKIE = "theme"
THEMES = ("system", "light", "dark")


def theme_of(request) -> str:
    """The theme that the reader chose."""
    chosen = request.cookies.get(COOKIE)
    return chosen if chosen in THEMES else THEMES[0]


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
    config.add_request_method(theme_of, "theme", reify=True)
    config.add_page("theme", "/theme/", switch, methods=("POST",), require_csrf=False)
