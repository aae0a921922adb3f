"""Answers to what cannot be answered: unknown, gone, forbidden, and our own faults (web.md 2.8)."""

import logging

from pyramid.exceptions import PredicateMismatch
from pyramid.httpexceptions import (
    HTTPBadRequest,
    HTTPClientError,
    HTTPForbidden,
    HTTPMethodNotAllowed,
    HTTPMovedPermanently,
    HTTPNotFound,
    HTTPSeeOther,
)
from pyramid.renderers import render
from pyramid.response import Response
from pyramid.tweens import INGRESS
from pyramid_retry import is_error_retryable

from comicsdb.catalog import Gone, Moved, NotFound
from comicsdb_web.fragments import fragment
from comicsdb_web.locales import _
from comicsdb_web.routing import READ, is_api, with_query

log = logging.getLogger(__name__)

TITLES = {
    400: _("That request makes no sense to us"),
    403: _("This page is not for you"),
    404: _("This page is not in our collection"),
    405: _("That is not possible here"),
    410: _("This page was taken out of the collection"),
    500: _("Something broke on our side"),
}
TEXTS = {
    400: _("The address or the form holds something that we cannot read. Go back and try again."),
    403: _("You are not allowed to see or do this."),
    404: _("Perhaps it was moved or never existed. The address may also be mistyped."),
    405: _("The address exists, but it does not answer this kind of request."),
    410: _("It was deleted on purpose, and its address will not be used again."),
    500: _("This is a server error, not your fault. We have been told; please try again in a while."),
}


def error_page(request, status: int, text: str | None = None, **values) -> Response:
    """The page for a status, or a fragment that shows the message where the reader is.

    A server error is rendered without looking at session, account or messages.
    """
    values = {"status": status, "title": TITLES[status], "text": text or TEXTS[status], "label": ""} | values
    if request.is_fragment:
        return fragment(request, "error", values, status=status)
    values["bare"] = status >= 500
    body = render("error.jinja2", values, request=request)
    response = Response(body, status=status, content_type="text/html", charset="utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


def notfound(error, request):
    """404; first the other trailing-slash form is tried, and the method of an address that exists."""
    if isinstance(error, PredicateMismatch) and request.matched_route is not None:
        return _wrong_method(request)
    path = request.path_info
    if request.method in READ and not path.endswith("/") and _page_at(request, f"{path}/"):
        return HTTPMovedPermanently(with_query(request, f"{request.path}/"))
    return error_page(request, 404, getattr(error, "detail", None) if error.code == 404 else None)


def _page_at(request, path: str) -> bool:
    """Whether a path is the address of one of our pages."""
    ours = request.registry["comicsdb_web.methods"]
    routes = request.registry.getUtility(_IRoutesMapper).get_routes()
    return any(route.name in ours and "GET" in ours[route.name] for route in routes if route.match(path) is not None)


def _wrong_method(request):
    methods = request.registry["comicsdb_web.methods"].get(request.matched_route.name, READ)
    response = error_page(request, 405)
    response.allow = methods
    return response


def unknown(_error, request):
    """The catalogue has no such object, and never had."""
    return error_page(request, 404)


def gone(error, request):
    """The object was deleted."""
    return error_page(request, 410, label=error.tombstone.label)


def moved(error, request):
    """The object is to be found elsewhere: the same page there."""
    entity, route = error.entity, request.matched_route.name
    words = dict(request.matchdict)
    if route.startswith(f"{entity.__tablename__}."):
        words["slug"] = entity.slug
    else:
        words[entity.__tablename__] = entity.slug
    return HTTPMovedPermanently(with_query(request, request.route_path(route, **words)))


def forbidden(_error, request):
    """403, or the way to the log-in form for somebody who might be allowed once known (web.md 1)."""
    if request.identity is not None or request.matched_route is None:
        return error_page(request, 403, _detail(_error))
    target = with_query(request, request.path) if request.method in READ else "/"
    if request.is_fragment:
        response = Response(status=204)
        response.headers["X-Location"] = request.route_path("login")
        return response
    return HTTPSeeOther(request.route_path("login", _query={"next": target}))


def _detail(error):
    return None


def bad_request(error, request):
    """400: a form without its token, an offset that is none, bytes that are no text."""
    return error_page(request, 400, getattr(error, "detail", None))


def client_error(error, request):
    """Any other fault of the caller's."""
    return error_page(request, error.code) if error.code in TITLES else error


def server_error(error, request):
    """500: the fault is logged with its trace, and the page needs nothing that may be broken."""
    if not is_error_retryable(request, error):
        log.error("Server error at %s %s", request.method, request.path, exc_info=error)
    return error_page(request, 500)
