"""A cache of rendered cards, shared by all readers for whom they look the same."""

import orjson
from markupsafe import Markup, escape
from pyramid.settings import asbool

from comicsdb_web.rendering.row_views import RowView

BASE = "\0"  # placeholder in a cached card for the base URL of pictures, which differs between hosts
ENTRY_BYTES = 600  # besides key and text


def cached_card(request, render, entity, *how) -> Markup:
    """The card of an object: `render(entity, *how)`, called only if it is not cached.

    The key contains everything that the card depends on, above all the columns it shows, so a cached card is
    never out of date.
    """
    if not isinstance(entity, RowView) or request.registry["comicsdb_web.reloads_templates"]:
        return render(entity, *how)
    try:
        columns = orjson.dumps(dict(entity.columns))
    except TypeError:  # some columns are not JSON
        return render(entity, *how)
    seen_by = request.locale_name, request.script_name, request.today
    key = ("card", entity.__tablename__, columns, how, seen_by)
    known = request.cache.lru.get(key)
    if known is None:
        known = str(_without_base(request, render, entity, how))
        request.cache.lru.set(key, known, ENTRY_BYTES + len(columns) + len(known))
    return Markup(known.replace(BASE, escape(request.thumbnail_base)))  # noqa: S704


def _without_base(request, render, entity, how: tuple) -> Markup:
    base, request.thumbnail_base = request.thumbnail_base, BASE
    try:
        return render(entity, *how)
    finally:
        request.thumbnail_base = base


def includeme(config):
    """Add `request.cached_card`."""
    reloads = asbool(config.get_settings().get("pyramid.reload_templates"))
    config.registry["comicsdb_web.reloads_templates"] = reloads
    config.add_request_method(cached_card)
