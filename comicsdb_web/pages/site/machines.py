"""Resources for programs: health, robots, icon and web app manifest, well-known URIs and the sitemap."""

import json
from datetime import timedelta
from pathlib import Path
from xml.sax.saxutils import escape

from pyramid.httpexceptions import HTTPFound, HTTPMovedPermanently, HTTPNotFound
from pyramid.response import Response
from sqlalchemy import Integer, Select, cast, func, literal, select, union_all

from comicsdb import clock
from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb.library.reading_lists import visible_to
from comicsdb.models import CATALOG, ReadingList
from comicsdb_web.rendering.locales import _

SECURITY_LIFETIME = timedelta(days=180)  # at most a year
ROBOTS = Path(__file__).parent.parent.parent / "data" / "robots.txt"

PART = 10_000  # ids per part, and so the maximum of URLs
DIGITS = 6  # of the number of a part
PLAIN = "pages"  # the part with the pages that belong to no object
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
PLAIN_ROUTES = ("home", *(f"{model.__tablename__}.list" for model in CATALOG))
MORE_ROUTES = (
    "reading_list.list",
    "statistics",
    "timeline",
    "polls",
    "help",
    "docs",
    "data",
)
ICONS = (  # name, sizes, type and purpose; the first is the source of the others
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("img/icon-192.png", "192x192", "image/png", "any"),
    ("img/icon-512.png", "512x512", "image/png", "any"),
    ("img/icon-maskable-192.png", "192x192", "image/png", "maskable"),
    ("img/icon-maskable-512.png", "512x512", "image/png", "maskable"),
)
KINDS = {model.__tablename__: model for model in (*CATALOG, ReadingList)}


def health(request):  # noqa: ARG001
    """The health check: shows that the process responds; makes no query."""
    return Response("ok\n", content_type="text/plain", cache_control="no-store")


def robots(request):
    """robots.txt, from the data file, with the URLs of the sitemap and of the dumps."""
    body = f"{ROBOTS.read_text(encoding='utf-8')}\n"
    data = request.path_if_served("data") or request.path_if_served("well_known")
    if data:
        body += f"# All of it as files, with less work for both of us: {request.public_url(data)}\n"
    body += f"Sitemap: {request.public_url(request.route_path('sitemap'))}\n"
    return Response(body, content_type="text/plain", cache_control="public, max-age=86400")


def security(request):
    """security.txt (RFC 9116)."""
    expires = (clock.now() + SECURITY_LIFETIME).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = (
        f"Contact: mailto:{_security_contact(request.registry.settings)}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        f"Preferred-Languages: {', '.join(INTERFACE_LANGUAGES)}",
        f"Canonical: {request.public_url(request.path)}",
    )
    body = "".join(f"{line}\n" for line in lines)
    return Response(body, content_type="text/plain", charset="utf-8", cache_control="public, max-age=86400")


def _security_contact(settings) -> str:
    return settings["comicsdb_web.security_contact"] or settings["comicsdb_web.contact"]


def change_password(request):
    """Redirect for password managers (https://w3c.github.io/webappsec-change-password-url/)."""
    return HTTPFound(request.route_path("account.password"))


def favicon(request):
    """Redirect to the icon, whose path contains a digest."""
    logo = request.registry.settings["comicsdb_web.logo"]
    path = request.route_path("static", digest="icon", subpath=logo.name if logo else "icon.svg")
    return HTTPMovedPermanently(path, headers={"Cache-Control": "public, max-age=86400"})


def manifest(request):
    """The web app manifest, with which the site can be installed as an app."""
    say, path, settings = request.localizer.translate, request.route_path, request.registry.settings
    logo = settings["comicsdb_web.logo"]
    icons = [(logo.name, logo.sizes, logo.media_type, "any")] if logo else ICONS
    scan = {"name": say(_("Scan barcodes")), "url": path("collection.scan")}
    described = {
        "id": path("home"),
        "name": settings["comicsdb.title"],
        "short_name": settings["comicsdb.title"],
        "description": say(_("The community comics database")),
        "lang": request.locale_name,
        "start_url": path("home"),
        "scope": path("home"),
        "display": "standalone",
        "background_color": "#fbf6ec",
        "theme_color": "#17141a",
        "icons": [
            {"src": request.asset(name), "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in icons
        ],
        "shortcuts": [scan, {"name": say(_("My collection")), "url": path("collection.list")}],
    }
    response = Response(json.dumps(described), content_type="application/manifest+json", charset="utf-8")
    response.headers["Cache-Control"] = "public, max-age=3600"
    response.vary = ("Accept-Language", "Cookie")
    return response


def sitemap_index(request):
    """The index: the parts with pages, each with the time of its last change; one statement."""
    parts = union_all(*(_parts(request, name) for name in KINDS)).subquery()
    found = request.dbsession.execute(select(parts).order_by(parts.c.kind, parts.c.part))
    addresses = [(_address(request, f"{row.kind}-{row.part}"), row.modified) for row in found]
    return _xml("sitemapindex", "sitemap", [(_address(request, PLAIN), None), *addresses])


def sitemap_part(request):
    """The URLs of one part; one statement. Raises HTTPNotFound for an unknown part."""
    name = request.matchdict["part"]
    if name == PLAIN:
        served = [request.path_if_served(route) for route in (*PLAIN_ROUTES, *MORE_ROUTES)]
        return _xml("urlset", "url", [(request.public_url(path), None) for path in served if path])
    kind, _dash, number = name.rpartition("-")
    model = KINDS.get(kind)
    if model is None or len(number) > DIGITS:
        raise HTTPNotFound
    slugs = _public(request, model, select(model.slug, model.modified)).where(_part_of(model) == int(number))
    found = request.dbsession.execute(slugs.order_by(model.id)).all()
    if not found:
        raise HTTPNotFound
    route = f"{kind}.detail"
    rows = [(request.public_url(request.route_path(route, slug=slug)), stamp) for slug, stamp in found]
    return _xml("urlset", "url", rows)


def _parts(request, kind: str) -> Select:
    model = KINDS[kind]
    number = _part_of(model).label("part")
    parts = select(literal(kind).label("kind"), number, func.max(model.modified).label("modified"))
    return _public(request, model, parts).group_by(number)


def _part_of(model):
    return cast(func.div(model.id - 1, PART), Integer)


def _public(request, model, statement: Select) -> Select:
    """The publicly visible rows."""
    if model is not ReadingList:
        return statement
    return statement.where(visible_to(None, request.registry.settings["comicsdb.official_account"]))


def _address(request, name: str) -> str:
    return request.public_url(request.route_path("sitemap.part", part=name))


def _xml(root: str, element: str, rows) -> Response:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{NAMESPACE}">']
    for address, modified in rows:
        changed = f"<lastmod>{modified.isoformat(timespec='seconds')}</lastmod>" if modified else ""
        lines.append(f"<{element}><loc>{escape(address)}</loc>{changed}</{element}>")
    body = "\n".join((*lines, f"</{root}>", ""))
    return Response(
        body, content_type="application/xml", charset="utf-8", cache_control="public, max-age=3600"
    )


def includeme(config):
    """Add the routes; security.txt only if there is a contact."""
    if _security_contact(config.get_settings()):
        config.add_page("security", "/.well-known/security.txt", security)
    config.add_page("change_password", "/.well-known/change-password", change_password)
    config.add_page("health", "/health/", health)
    config.add_page("robots", "/robots.txt", robots)
    config.add_page("favicon", "/favicon.ico", favicon)
    config.add_page("manifest", "/manifest.webmanifest", manifest)
    config.add_page("sitemap", "/sitemap.xml", sitemap_index)
    config.add_page("sitemap.part", "/sitemap/{part:[a-z_]+(?:-[0-9]+)?}.xml", sitemap_part)
    for route in ("sitemap", "sitemap.part"):
        config.read_from_replica(route)
