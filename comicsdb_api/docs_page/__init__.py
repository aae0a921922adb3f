"""The API reference at `/docs/`: pages with a menu and a search, without scripts."""

import hashlib
from functools import cached_property
from html import escape
from pathlib import Path

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response
from pyramid.static import static_view

from comicsdb.http import READ_METHODS
from comicsdb.security import has_permission
from comicsdb_api.docs_page.page import SEARCH, Pages
from comicsdb_api.openapi.document import EDITOR_ACCOUNT
from comicsdb_api.openapi.field_descriptions import BASE
from comicsdb_api.throttle import throttled_view

PATH = "/docs/"
QUERY_LENGTH_MAX = 200  # characters
STATIC = Path(__file__).parent / "static"
SHEET = "docs.css"
ACCENT = "#ffd23f"  # in the sheet, replaced by that of the site
IMMUTABLE = "public, max-age=31536000, immutable"
# The headers of the site's pages, for hosts that only serve the API.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "browsing-topics=(), camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
    "Content-Language": "en",
}


class DocsViews:
    """The views of the pages and their files; each process renders a page once, on its first request."""

    def __init__(self, registry):
        self._registry = registry
        accent = registry.settings["comicsdb.accent"]
        self._sheet = (STATIC / SHEET).read_text("utf-8").replace(ACCENT, accent)
        files = b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()))
        self.digest = hashlib.sha256(files + accent.encode()).hexdigest()[:12]
        self._static = static_view("comicsdb_api.docs_page:static", use_subpath=True, cache_max_age=None)

    @cached_property
    def _pages(self) -> Pages:
        """The pages, which describe for all readers what editors may do."""
        descriptions = self._registry["comicsdb_api.descriptions"]
        described = descriptions.document(
            descriptions.rights(lambda permission: has_permission(EDITOR_ACCOUNT, permission))
        )
        site = self._registry.getUtility(IRoutesMapper).get_route("home")
        return Pages(described, f"static/{self.digest}", "../" if site else None)

    def page(self, request) -> Response:
        """Return a page, with the application's URL in its examples; raises HTTPNotFound."""
        html = self._pages.html(request.matchdict.get("name", ""))
        if html is None:
            raise HTTPNotFound
        return _answer(request, html)

    def search(self, request) -> Response:
        """Return the page with the search results for `q`."""
        return _answer(request, self._pages.search(request.GET.get("q", "")[:QUERY_LENGTH_MAX]))

    def static(self, context, request) -> Response:
        """Return a static file; its URL contains the digest of all files."""
        if request.subpath == (SHEET,):
            response = Response(self._sheet, content_type="text/css", charset="utf-8")
        else:
            response = self._static(context, request)
        current = request.matchdict["digest"] == self.digest
        response.headers["Cache-Control"] = IMMUTABLE if current else "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def _answer(request, html: str) -> Response:
    if request.method in READ_METHODS:
        body = html.replace(BASE, escape(request.application_url)).encode()
        response = Response(body, content_type="text/html", charset="utf-8")
        response.etag = hashlib.sha256(body).hexdigest()[:24]
        if response.etag in request.if_none_match:  # cheaper than Pyramid's own check
            response = Response(status=304, etag=response.etag)
    else:
        response = Response("Method not allowed.", 405, content_type="text/plain", allow=READ_METHODS)
    response.headers.update(HEADERS)
    return response


def redirect_to_slash(request):
    """Redirect to the URL with a slash."""
    return HTTPMovedPermanently(request.route_path("docs"))


def includeme(config):
    """Add the pages, their files, and the redirect to the canonical URL."""
    reference = DocsViews(config.registry)
    config.add_route("docs", PATH)
    config.add_view(throttled_view(reference.page), route_name="docs", require_csrf=False)
    config.add_route("docs.static", f"{PATH}static/{{digest}}/*subpath", request_method=READ_METHODS)
    config.add_view(reference.static, route_name="docs.static")
    config.add_route("docs.search", f"{PATH}{SEARCH}/")
    config.add_view(throttled_view(reference.search), route_name="docs.search", require_csrf=False)
    config.add_route("docs.section", f"{PATH}{{name:[A-Za-z0-9_-]+}}/")
    config.add_view(throttled_view(reference.page), route_name="docs.section", require_csrf=False)
    config.add_route("docs.bare", PATH.rstrip("/"), request_method=READ_METHODS)
    config.add_view(redirect_to_slash, route_name="docs.bare")
