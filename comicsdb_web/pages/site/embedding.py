"""oEmbed (https://oembed.com): what other sites show for a link to an object or a public reading list.

The response is a frame with the card of the object (`KIND.embed`), which has no script and sets no cookie.
"""

import json
from urllib.parse import urlsplit
from xml.etree import ElementTree

from markupsafe import Markup
from pyramid.httpexceptions import HTTPNotFound
from pyramid.interfaces import IRoutesMapper
from pyramid.request import Request

from comicsdb.catalog import GoneError, MovedError, NotFoundError
from comicsdb.library import reading_lists
from comicsdb.values import whole_number
from comicsdb_web.http import csp
from comicsdb_web.rendering.linked_data import cors_response

WIDTH, HEIGHT = 480, 180  # of a frame, unless the requesting site has less room
SIZE_MAX = 10**9
FORMATS = ("json", "xml")
LIST = "reading_list"
FRAME = Markup(
    '<iframe src="{source}" width="{width}" height="{height}" title="{title}" loading="lazy" frameborder="0"'
    ' sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>'
)


def oembed(request):
    """The frame for the URL `url`: 404 for URLs that are not ours, 501 for an unknown format."""
    asked = request.GET
    form = asked.get("format") or FORMATS[0]
    if form not in FORMATS:
        return _error_response(501, f"format has to be {' or '.join(FORMATS)}.")
    room = {"maxwidth": WIDTH, "maxheight": HEIGHT}
    for name, usual in room.items():
        most = whole_number(asked.get(name) or str(usual), 1, SIZE_MAX)
        if most is None:
            return _error_response(400, f"{name} has to be a whole number of pixels, 1 or more.")
        room[name] = min(usual, most)
    found = _found(request, asked.get("url", ""))
    if found is None:
        return _error_response(
            404, "url has to be the address of an object or of a public reading list here."
        )
    described = _oembed_values(request, *found, *room.values())
    body = _to_xml(described) if form == "xml" else json.dumps(described, ensure_ascii=False).encode()
    content_type = "text/xml" if form == "xml" else "application/json"
    return cors_response(body, content_type)


def _error_response(status: int, text: str):
    return cors_response(f"{text}\n".encode(), "text/plain", status)


def _found(request, url: str):
    """The object whose page is at a URL, and its cover; None for other URLs."""
    kind, slug = _kind_and_slug(request, url)
    if slug is None:
        return None
    try:
        try:
            return _read(request, kind, slug)
        except MovedError as moved:
            return _read(request, moved.entity.__tablename__, moved.entity.slug)
    except (NotFoundError, GoneError, HTTPNotFound):
        return None


def _kind_and_slug(request, url: str) -> tuple[str, str | None]:
    """The kind and slug in the URL of an object's page; the slug is None for other URLs."""
    try:
        asked, own = urlsplit(url), urlsplit(request.public_url(request.route_path("home")))
        if asked.scheme not in {"http", "https"} or asked.netloc.lower() != own.netloc.lower():
            return "", None
        path = asked.path.removeprefix(request.script_name)
        mapper = request.registry.getUtility(IRoutesMapper)
        found = mapper(Request.blank(path))
    except (ValueError, UnicodeError):
        return "", None
    kind, _dot, page = found["route"].name.partition(".") if found["route"] is not None else ("", "", "")
    return kind, found["match"].get("slug") if page == "detail" else None


def _read(request, kind: str, slug: str):
    if kind == LIST:
        official = request.registry.settings["comicsdb.official_account"]
        return reading_lists.find(request.dbsession, None, official, slug), None
    views = request.registry["comicsdb_web.kind_views"].get(kind)
    if views is None:
        return None
    request.matchdict = {"slug": slug}
    return views(request).object_with_picture()


def _oembed_values(request, entity, cover, width: int, height: int) -> dict:
    source = request.public_url(request.entity_path(entity, "embed"))
    label = entity.name if entity.__tablename__ == LIST else entity.label
    described = {
        "version": "1.0",
        "type": "rich",
        "title": label,
        "provider_name": request.registry.settings["comicsdb.title"],
        "provider_url": request.public_url(request.route_path("home")),
        "html": str(FRAME.format(source=source, width=width, height=height, title=label)),
        "width": width,
        "height": height,
    }
    if cover and cover[1] and cover[1] <= width and cover[2] <= height:
        key, *size = cover
        described["thumbnail_url"] = request.public_picture(key)
        described |= zip(("thumbnail_width", "thumbnail_height"), size, strict=True)
    return described


def _to_xml(described: dict) -> bytes:
    root = ElementTree.Element("oembed")
    for name, value in described.items():
        ElementTree.SubElement(root, name).text = str(value)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def frame_for(request, entity, cover) -> dict:
    """The values of a card, which any site may show in a frame."""
    media_origin = request.registry.settings["comicsdb_web.media_origin"]
    request.response.headers["Content-Security-Policy"] = csp.policy(media_origin, framed=True)
    return {"entity": entity, "kind": entity.__tablename__, "cover": cover}


def card_of_list(request):
    """The card of a public reading list."""
    official = request.registry.settings["comicsdb.official_account"]
    found = reading_lists.find(request.dbsession, None, official, request.matchdict["slug"])
    return frame_for(request, found, None)


def includeme(config):
    """Add the oEmbed endpoint and the cards of reading lists; those of kinds are among their views."""
    config.add_page("oembed", "/oembed/", oembed, parameters=("url", "format", *("maxwidth", "maxheight")))
    config.add_page(f"{LIST}.embed", "/embed/reading-list/{slug}/", card_of_list, renderer="embed.jinja2")
