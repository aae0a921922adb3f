"""Menus and footer of a page, rendered once for each `MenuKey`, as they are large and depend on little."""

import re
from typing import NamedTuple

from markupsafe import Markup
from pyramid.renderers import render
from pyramid.settings import asbool

from comicsdb.security import Permission

LINK_PATHS = re.compile(r'href="([^"?]+)"')


class MenuKey(NamedTuple):
    """What the menus depend on; `here` is the path of the page if a menu links to it."""

    language: str
    script_name: str  # the prefix of all paths
    year: int
    is_member: bool
    is_staff: bool
    here: str = ""


class Menus(NamedTuple):
    """The parts of a page that many pages share."""

    wide: Markup
    narrow: Markup
    footer: Markup
    paths: frozenset[str]  # to which the menus link


def menus_of(request, viewer) -> Menus:
    """The menus of a page for its reader; `viewer` is None for anonymous ones."""
    is_staff = viewer is not None and bool(request.has_permission(Permission.STAFF))
    year = request.today.year
    key = MenuKey(request.locale_name, request.script_name, year, viewer is not None, is_staff)
    menus = _cached_menus(request, viewer, key)
    if request.path in menus.paths:
        menus = _cached_menus(request, viewer, key._replace(here=request.path))
    return menus


def _cached_menus(request, viewer, key: MenuKey) -> Menus:
    cached = request.registry["comicsdb_web.menus"]
    if key in cached:
        return cached[key]
    values = {"viewer": viewer, "here": key.here}
    parts = [
        Markup(render(f"frame/{name}.jinja2", values, request=request).strip())  # noqa: S704
        for name in ("menu_wide", "menu_narrow", "footer")
    ]
    menus = Menus(*parts, frozenset(LINK_PATHS.findall(parts[0] + parts[1])))
    if not asbool(request.registry.settings.get("pyramid.reload_templates")):
        cached[key] = menus
    return menus


def includeme(config):
    """Add `request.menus` for the layout template."""
    config.registry["comicsdb_web.menus"] = {}
    config.add_request_method(menus_of, "menus")
