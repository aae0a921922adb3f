"""The reader's theme, and how it is inserted into cached pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup
from pyramid.renderers import render

from comicsdb.readcache.etag import tag_of
from comicsdb_web.rendering.anonymous import is_rendered_anonymously

COOKIE = "theme"
THEMES = ("system", "light", "dark")
SEPARATOR = "\0"  # does not occur in templates or texts
NAME_LENGTH = 8


@dataclass(frozen=True)
class ThemeParts:
    """The parts of a page that depend on the theme: its name, its icon, and the buttons of the switch."""

    name: Markup
    icon: Markup
    choices: Markup
    encoded: tuple[bytes, ...] = ()  # the same parts, for cached pages
    tag: str = ""  # a digest of the parts


def theme_of_cookies(cookies: Mapping[str, str]) -> str:
    """Return the theme chosen by cookie."""
    chosen = cookies.get(COOKIE)
    return chosen if chosen in THEMES else THEMES[0]


def theme_of(request) -> str:
    """Return the theme of a request."""
    return theme_of_cookies(request.cookies)


def render_theme_parts(request) -> ThemeParts:
    """Return the parts for a request, rendered once for each language and theme."""
    known = request.registry["comicsdb_web.theme_parts"]
    key = request.locale_name, request.theme
    if key not in known:
        values = {"theme": request.theme, "border": SEPARATOR}
        texts = render("macros/theme_parts.jinja2", values, request=request).strip().split(SEPARATOR)
        encoded = tuple(each.encode() for each in texts)
        tag = tag_of(b"\0".join(encoded)).decode()[:NAME_LENGTH]
        known[key] = ThemeParts(*map(Markup, texts), encoded, tag)
    return known[key]


def theme_parts(request) -> ThemeParts:
    """Return the parts for the layout; in pages that will be cached, markers instead of the parts."""
    if not is_rendered_anonymously(request):
        return render_theme_parts(request)
    marker = marker_of(request.registry)
    return ThemeParts(*(Markup(f"{marker}{number}") for number in range(3)))  # noqa: S704


def marker_of(registry) -> str:
    """Return the unguessable prefix of the markers."""
    return f"\x1d{registry['comicsdb_web.build_fingerprint']()}"


def fill_markers(body: bytes, parts: ThemeParts, registry) -> bytes:
    """Replace the markers in a cached page by a reader's parts."""
    first, *pieces = body.split(marker_of(registry).encode())
    written = [first]
    for piece in pieces:
        written += parts.encoded[piece[0] - ord("0")], piece[1:]
    return b"".join(written)


def includeme(config):
    """Add `request.theme` and `request.theme_parts`."""
    config.registry["comicsdb_web.theme_parts"] = {}
    config.add_request_method(theme_of, "theme", reify=True)
    config.add_request_method(theme_parts, "theme_parts", property=True)
