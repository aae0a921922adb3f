"""The reader's theme on a page: its parts, and how they get into a page that is kept for everybody."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup
from pyramid.renderers import render

from comicsdb.readcache.etag import tag_of
from comicsdb_web.rendering.anonymous import is_shared

COOKIE = "theme"
THEMES = ("system", "light", "dark")
BORDER = "\0"  # no template and no text of the catalogue has it
NAME_LENGTH = 8


@dataclass(frozen=True)
class Parts:
    """What a page shows of the theme: its name, its icon, and the buttons of the switch."""

    name: Markup
    icon: Markup
    choices: Markup
    filling: tuple[bytes, ...] = ()  # the same for a page that is kept
    tag: str = ""  # of all that


def theme_of_cookies(cookies: Mapping[str, str]) -> str:
    """The theme that the reader chose."""
    chosen = cookies.get(COOKIE)
    return chosen if chosen in THEMES else THEMES[0]


def theme_of(request) -> str:
    """The same, of a request."""
    return theme_of_cookies(request.cookies)


def parts_of(request) -> Parts:
    """The parts for the reader of a page; there are few, and each is made once."""
    known = request.registry["comicsdb_web.theme_parts"]
    which = request.locale_name, request.theme
    if which not in known:
        values = {"theme": request.theme, "border": BORDER}
        texts = render("macros/theme_parts.jinja2", values, request=request).strip().split(BORDER)
        filling = tuple(each.encode() for each in texts)
        tag = tag_of(b"\0".join(filling)).decode()[:NAME_LENGTH]
        known[which] = Parts(*map(Markup, texts), filling, tag)
    return known[which]


def theme_parts(request) -> Parts:
    """The parts as the layout writes them: in a page for everybody, markers that stand for them."""
    if not is_shared(request):
        return parts_of(request)
    mark = mark_of(request.registry)
    return Parts(*(Markup(f"{mark}{number}") for number in range(3)))  # noqa: S704


def mark_of(registry) -> str:
    """What stands in front of the number of a part; nobody can guess it and write it into a page."""
    return f"\x1d{registry['comicsdb_web.build_fingerprint']()}"


def filled(body: bytes, parts: Parts, registry) -> bytes:
    """A page that is kept, finished for a reader."""
    first, *pieces = body.split(mark_of(registry).encode())
    written = [first]
    for piece in pieces:
        written += parts.filling[piece[0] - ord("0")], piece[1:]
    return b"".join(written)


def includeme(config):
    """`request.theme` and its parts for the layout."""
    config.registry["comicsdb_web.theme_parts"] = {}
    config.add_request_method(theme_of, "theme", reify=True)
    config.add_request_method(theme_parts, "theme_parts", property=True)
