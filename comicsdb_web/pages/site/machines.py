"""Addresses that machines ask for: health, robots, the icon, and what is well known."""

from datetime import timedelta
from pathlib import Path

from pyramid.httpexceptions import HTTPFound, HTTPMovedPermanently
from pyramid.response import Response

from comicsdb import clock
from comicsdb.i18n import INTERFACE_LANGUAGES

SECURITY_LIFETIME = timedelta(days=180)  # at most a year
ROBOTS = Path(__file__).parent.parent.parent / "data" / "robots.txt"


def health(request):  # noqa: ARG001
    """Whether the process answers; asks nothing of the database."""
    return Response("ok\n", content_type="text/plain", cache_control="no-store")


def robots(request):
    """What search engines may read, from the file of data, and where the map of the site is."""
    rules = ROBOTS.read_text(encoding="utf-8")
    body = f"{rules}\nSitemap: {request.public_url(request.route_path('sitemap'))}\n"
    return Response(body, content_type="text/plain", cache_control="public, max-age=86400")


def security(request):
    """Where faults of security are told (RFC 9116)."""
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
    """The page where password managers send people (https://w3c.github.io/webappsec-change-password-url/)."""
    return HTTPFound(request.route_path("account.password"))


def favicon(request):
    """The icon's address without a digest: it stays right when the icon changes."""
    path = request.route_path("static", digest="icon", subpath="icon.svg")
    return HTTPMovedPermanently(path, headers={"Cache-Control": "public, max-age=86400"})


def includeme(config):
    """Plain addresses; without somebody to write to there is no security.txt."""
    if _security_contact(config.get_settings()):
        config.add_page("security", "/.well-known/security.txt", security)
    config.add_page("change_password", "/.well-known/change-password", change_password)
    config.add_page("health", "/health/", health)
    config.add_page("robots", "/robots.txt", robots)
    config.add_page("favicon", "/favicon.ico", favicon)
