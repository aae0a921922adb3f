"""Addresses that machines ask for: health, robots and the icon."""

from pathlib import Path

from pyramid.httpexceptions import HTTPMovedPermanently
from pyramid.response import Response

ROBOTS = Path(__file__).parent.parent / "data" / "robots.txt"


def health(request):  # noqa: ARG001
    """Whether the process answers; asks nothing of the database."""
    return Response("ok\n", content_type="text/plain", cache_control="no-store")


def robots(request):
    """What search engines may read, from the file of data, and where the map of the site is."""
    rules = ROBOTS.read_text(encoding="utf-8")
    body = f"{rules}\nSitemap: {request.public_url(request.route_path('sitemap'))}\n"
    return Response(body, content_type="text/plain", cache_control="public, max-age=86400")


def favicon(request):
    """The icon's address without a digest: it stays right when the icon changes."""
    path = request.route_path("static", digest="icon", subpath="icon.svg")
    return HTTPMovedPermanently(path, headers={"Cache-Control": "public, max-age=86400"})


def includeme(config):
    """Three plain addresses."""
    config.add_page("health", "/health/", health)
    config.add_page("robots", "/robots.txt", robots)
    config.add_page("favicon", "/favicon.ico", favicon)
