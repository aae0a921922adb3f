"""The reader's theme, chosen by a cookie."""

from collections.abc import Mapping

COOKIE = "theme"
THEMES = ("system", "light", "dark")


def theme_of_cookies(cookies: Mapping[str, str]) -> str:
    """Return the theme chosen by cookie."""
    chosen = cookies.get(COOKIE)
    return chosen if chosen in THEMES else THEMES[0]


def theme_of(request) -> str:
    """Return the theme of a request."""
    return theme_of_cookies(request.cookies)


def includeme(config):
    """Add `request.theme`."""
    config.add_request_method(theme_of, "theme", reify=True)
