"""Header and footer of a page, rendered once for each `LayoutKey`.

They are a large part of every page, and depend on few values. What differs between pages or readers is filled
into slots, whose contents `slot_values` returns by name.
"""

import re
from dataclasses import dataclass, replace

from markupsafe import Markup, escape
from pyramid.csrf import get_csrf_token
from pyramid.renderers import render
from pyramid.settings import asbool

from comicsdb.security import Permission
from comicsdb_web.rendering.themes import SEPARATOR

LINK_PATHS = re.compile(r'(?:href|action)="([^"?]+)"')
SLOTS = ("next", "query", "username", "token", "theme_icon", "theme_choices")


@dataclass(frozen=True)
class LayoutKey:
    """What a layout depends on. `bare` pages show no reader; `here` is the path if a menu links to it."""

    language: str
    script_name: str  # the prefix of all paths
    year: int
    bare: bool
    member: bool
    staff: bool
    here: str = ""


@dataclass(frozen=True)
class Layout:
    """Header and footer. `pieces` of the header alternate between HTML and the names of slots."""

    pieces: list[str]
    footer: Markup
    addresses: frozenset[str]  # of the menus

    @classmethod
    def make(cls, request, key: LayoutKey) -> "Layout":
        """Render the layout for a key."""
        slots = {name: Markup(f"{SEPARATOR}{name}{SEPARATOR}") for name in SLOTS}  # noqa: S704
        values = {"slot": slots, "bare": key.bare, "member": key.member, "staff": key.staff}
        values["here"] = key.here
        header = render("frame/header.jinja2", values, request=request).strip()
        footer = render("frame/footer.jinja2", values, request=request).strip()
        return cls(header.split(SEPARATOR), Markup(footer), frozenset(LINK_PATHS.findall(header)))  # noqa: S704

    def header(self, values: dict[str, str]) -> Markup:
        """The header with its slots filled."""
        filled = (values[piece] if place % 2 else piece for place, piece in enumerate(self.pieces))
        return Markup("".join(filled))  # noqa: S704


def layout_of(request, viewer, *, bare: bool = False, query: str = "") -> dict[str, Markup]:
    """Header and footer of a page for its reader; `viewer` is None for anonymous ones."""
    key = LayoutKey(
        language=request.locale_name,
        script_name=request.script_name,
        year=request.today.year,
        bare=bare,
        member=viewer is not None,
        staff=viewer is not None and bool(request.has_permission(Permission.STAFF)),
    )
    layout = _layout(request, key)
    if request.path in layout.addresses:
        layout = _layout(request, replace(key, here=request.path))
    return {"header": layout.header(slot_values(request, viewer, query)), "footer": layout.footer}


def _layout(request, key: LayoutKey) -> Layout:
    known = request.registry["comicsdb_web.layout"]
    layout = known.get(key)
    if layout is None:
        layout = Layout.make(request, key)
        if not asbool(request.registry.settings.get("pyramid.reload_templates")):
            known[key] = layout
    return layout


def slot_values(request, viewer, query: str) -> dict[str, str]:
    """The contents of the slots; without a viewer there is neither name nor token."""
    theme = request.theme_parts
    return {
        "next": escape(request.page_path),
        "query": escape(query),
        "username": escape(viewer.username) if viewer else "",
        "token": get_csrf_token(request) if viewer else "",
        "theme_icon": theme.icon,
        "theme_choices": theme.choices,
    }


def includeme(config):
    """Add `request.layout` for the layout template."""
    config.registry["comicsdb_web.layout"] = {}
    config.add_request_method(layout_of, "layout")
