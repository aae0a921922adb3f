"""Content negotiation before views: format suffixes, trailing slashes and the Accept header."""

import re
from collections.abc import Container
from urllib.parse import parse_qsl

from pyramid.tweens import INGRESS

from comicsdb_api.errors import NOT_ACCEPTABLE, NOT_FOUND, RefusedError
from comicsdb_api.responses import accepts, is_api_path, is_api_route

FORMAT_KEY = "comicsdb_api.format"
# A suffix starts with a letter: 1.5 is an invalid id, not id 1 in the format 5.
SUFFIX = re.compile(r"(/api/(?:[^/.]+/)*[^/.]+)\.([A-Za-z][A-Za-z0-9]*)/?")
COMMON = ("format", "page", "strict")  # parameters of all lists, beside their filters
FORMATS = {"", "json", "api"}  # "api" requests a page for browsers, but gets JSON
ACCEPTED = {"*/*", "application/*", "application/json", "text/*", "text/html"}


def tween_factory(handler, registry):  # noqa: ARG001  (Pyramid passes it)
    """Normalise paths of the API before routes are matched.

    A format suffix is removed and stored in the environ. A write without a trailing slash is served as if it
    had one; a read is redirected instead (`errors.not_found`).
    """

    def tween(request):
        environ = request.environ
        if is_api_path(environ):
            path = environ["PATH_INFO"]
            suffixed = SUFFIX.fullmatch(path)
            if suffixed:
                environ["PATH_INFO"], environ[FORMAT_KEY] = suffixed[1] + "/", suffixed[2]
            elif not path.endswith("/") and environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
                environ["PATH_INFO"] = path + "/"
        return handler(request)

    return tween


def parameters(request, known: Container[str] | None = None) -> list[tuple[str, str]]:
    """Return the query parameters in the order sent or, of those with `known` names, in that of the names."""
    query = request.environ.get("QUERY_STRING")
    found = parse_qsl(query, keep_blank_values=True) if query else []
    if known is None:
        return found
    return sorted((pair for pair in found if pair[0] in known), key=lambda pair: pair[0])


def parameter(request, name: str) -> str | None:
    """Return the last value of a query parameter, or None."""
    found = None
    for key, value in parameters(request):
        if key == name:
            found = value
    return found


def negotiate(request) -> None:
    """Raise RefusedError if the caller does not accept JSON."""
    formats = (request.environ.get(FORMAT_KEY), parameter(request, "format"))
    if any(name is not None and name not in FORMATS for name in formats):
        raise RefusedError(404, NOT_FOUND)
    if not accepts_json(request.environ.get("HTTP_ACCEPT", "")):
        raise RefusedError(406, NOT_ACCEPTABLE)


def accepts_json(header: str) -> bool:
    """Whether an Accept header allows JSON; text/html also gets JSON."""
    return header in {"", "*/*"} or accepts(header, ACCEPTED)


def negotiated_view(view, info):
    """View deriver: negotiate before everything else, including authentication."""
    if info.exception_only or not is_api_route(info.options.get("route_name")):
        return view

    negotiator = info.registry["comicsdb_api.negotiators"].get(info.options["route_name"], negotiate)

    def negotiated(context, request):
        negotiator(request)
        return view(context, request)

    return negotiated


def includeme(config):
    """Add the tween, the deriver, `request.api_parameters`, and the registry of negotiators by route."""
    config.registry["comicsdb_api.negotiators"] = {}
    config.add_request_method(parameters, "api_parameters", reify=True)
    config.add_tween("comicsdb_api.negotiation.tween_factory", under=INGRESS)
    config.add_view_deriver(negotiated_view, "negotiated_view", under=INGRESS, over="secured_view")
