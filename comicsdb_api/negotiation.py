"""Content negotiation before views: format suffixes, trailing slashes and the Accept header."""

import re
from collections.abc import Container, Sequence
from urllib.parse import parse_qsl

from pyramid.tweens import INGRESS
from webob.acceptparse import create_accept_header

from comicsdb.http import READ_METHODS
from comicsdb.tags import TagFormat
from comicsdb_api.errors import NOT_ACCEPTABLE, NOT_FOUND, RefusedError
from comicsdb_api.responses import FORMAT_KEY, JSON_FORMATS, accepts, is_api_path, is_api_route

TAGS_KEY = "comicsdb_api.tags"  # the TagFormat that was chosen
# A suffix starts with a letter: 1.5 is an invalid id, not id 1 in the format 5.
SUFFIX = re.compile(r"(/api/(?:[^/.]+/)*[^/.]+)\.([A-Za-z][A-Za-z0-9]*)/?")
COMMON_PARAMETERS = ("format", "page", "strict")  # parameters of all lists, besides their filters
JSON = "application/json"
JSON_MEDIA_RANGES = {"*/*", "application/*", JSON, "text/*", "text/html"}


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
            elif not path.endswith("/") and environ["REQUEST_METHOD"] not in READ_METHODS:
                environ["PATH_INFO"] = path + "/"
        return handler(request)

    return tween


def parameters(request, known: Container[str] | None = None) -> list[tuple[str, str]]:
    """Return the query parameters in the order sent or, with `known`, only those names, sorted by name."""
    query = request.environ.get("QUERY_STRING")
    found = parse_qsl(query, keep_blank_values=True) if query else []
    if known is None:
        return found
    return sorted((pair for pair in found if pair[0] in known), key=lambda pair: pair[0])


def parameter(request, name: str) -> str | None:
    """Return the last value of a query parameter, or None."""
    return dict(parameters(request)).get(name)


def negotiate(request, offered: Sequence[TagFormat] = ()) -> None:
    """Choose JSON or, for a read, one of the other formats that the URL offers; raises RefusedError.

    A suffix or `format` takes precedence over the Accept header.
    """
    environ = request.environ
    offered = offered if environ["REQUEST_METHOD"] in READ_METHODS else ()
    by_name = {each.name: each for each in offered}
    names = [name for name in (environ.get(FORMAT_KEY), parameter(request, "format")) if name is not None]
    if any(name not in JSON_FORMATS and name not in by_name for name in names):
        raise RefusedError(404, NOT_FOUND)
    header = environ.get("HTTP_ACCEPT", "")
    named = [by_name.get(name) for name in names if name]
    chosen = environ[TAGS_KEY] = named[0] if named else _accepted_format(header, offered)
    if chosen is None and not accepts_json(header):
        raise RefusedError(406, NOT_ACCEPTABLE)


def tag_format(request) -> TagFormat | None:
    """The format that `negotiate` chose, None for JSON."""
    return request.environ.get(TAGS_KEY)


def _accepted_format(header: str, offered: Sequence[TagFormat]) -> TagFormat | None:
    """The tag format that an Accept header names and prefers to JSON; None for JSON."""
    by_type = {each.media_type: each for each in offered if each.media_type in header.lower()}
    return by_type.get(preferred_media_type(header, [JSON, *by_type])) if by_type else None


def preferred_media_type(header: str, offers: list[str]) -> str | None:
    """The offer that an Accept header prefers; of equals the one most specifically named, then the first."""
    if not header:
        return offers[0]
    ranges = create_accept_header(header).parsed or []
    wanted = {kind.partition(";")[0].lower(): quality for kind, quality, *_ in ranges}
    chosen, best = None, (0.0, 0)
    for offer in offers:
        names = (offer, f"{offer.partition('/')[0]}/*", "*/*")  # the most specific match decides
        name = next((name for name in names if name in wanted), None)
        if name is not None and wanted[name] and (wanted[name], -names.index(name)) > best:
            chosen, best = offer, (wanted[name], -names.index(name))
    return chosen


def accepts_json(header: str) -> bool:
    """Whether an Accept header allows JSON; text/html also gets JSON."""
    return header in {"", "*/*"} or accepts(header, JSON_MEDIA_RANGES)


def negotiated_view(view, info):
    """View deriver: negotiate before everything else, including authentication."""
    if info.exception_only or not is_api_route(info.options.get("route_name")):
        return view

    route = info.options["route_name"]
    offered = info.registry["comicsdb_api.formats"].get(route, ())
    negotiator = info.registry["comicsdb_api.negotiators"].get(route)

    def negotiated(context, request):
        if negotiator is None:
            negotiate(request, offered)
        else:
            negotiator(request)
        return view(context, request)

    return negotiated


def includeme(config):
    """Add tween, view deriver, `request.api_parameters`, and the registries of formats and negotiators."""
    config.registry["comicsdb_api.formats"] = {}
    config.registry["comicsdb_api.negotiators"] = {}
    config.add_request_method(parameters, "api_parameters", reify=True)
    config.add_tween("comicsdb_api.negotiation.tween_factory", under=INGRESS)
    config.add_view_deriver(negotiated_view, "negotiated_view", under=INGRESS, over="secured_view")
