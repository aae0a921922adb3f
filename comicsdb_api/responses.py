"""JSON responses, and the headers common to all responses of the API."""

import re
from collections.abc import Container
from http import HTTPStatus

import orjson
from pyramid.response import Response

from comicsdb.exchange.downloads import data_url
from comicsdb.http import SAFE_METHODS

PATH_PREFIX = "/api/"
ROUTE_PREFIX = "api."
FORMAT_KEY = "comicsdb_api.format"  # in the environ: the suffix that was removed from the path
JSON_FORMATS = {"", "json", "api"}  # "api" requests a page for browsers, but gets JSON
WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
METHOD_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
HEADERS = (
    ("Vary", "Accept, Accept-Language, Cookie, Authorization"),
    ("Content-Language", "en"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "private, no-cache"),  # without it, browsers use heuristic freshness
)
# Cross-origin scripts may read, including all headers (`cors.py`).
CROSS_ORIGIN = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "*"))
HEADERS_OF_READS = (*HEADERS, *CROSS_ORIGIN)
PROBLEM = "application/problem+json"
SEE_ERRORS = "The request has errors; `errors` lists them by field or parameter."
PRECONDITION_FAILED = "A condition of the request is false."
ZERO_QUALITY = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*", re.IGNORECASE)


def headers(environ) -> tuple[tuple[str, str], ...]:
    """Return the common headers of responses to a request."""
    return HEADERS_OF_READS if environ["REQUEST_METHOD"] in SAFE_METHODS else HEADERS


def is_api_route(name: str | None) -> bool:
    """Whether a route belongs to the API."""
    return name is not None and name.startswith(ROUTE_PREFIX)


def is_api_path(environ) -> bool:
    """Whether a request is for the API, by its raw path, which may not be valid UTF-8."""
    path = environ.get("PATH_INFO", "")
    return path.startswith(PATH_PREFIX) or path == "/api"


def to_json(value) -> bytes:
    """Encode a body as compact UTF-8, with UTC timestamps ending in Z."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z)


def json_response(request, value, status: int = 200, headers=(), route: str | None = None) -> Response:
    """Return a response with a JSON body of plain values, dates and UTC timestamps."""
    return make_response(
        request, to_json(value), status, (("Content-Type", "application/json"), *headers), route
    )


def too_many_requests(request, sentence: str, seconds: int, route: str | None = None) -> Response:
    """Return 429 with a message, the seconds to wait, and where to get the data as files without a limit."""
    words = f"{seconds} second{'' if seconds == 1 else 's'}"
    files = data_url(request)
    body = to_json({"detail": f"{sentence} Expected available in {words}.", "data": files})
    headers = (
        ("Content-Type", "application/json"),
        ("Retry-After", str(seconds)),
        ("Link", f'<{files}>; rel="alternate"'),
    )
    return make_response(request, body, 429, headers, route)


def accepts(header: str, media_types: Container[str]) -> bool:
    """Whether an Accept header names one of some media types or ranges, with a quality above 0."""
    for offer in header.split(","):
        kind, *details = offer.split(";")
        named = kind.strip().lower() in media_types
        if named and not any(ZERO_QUALITY.fullmatch(each) for each in details):
            return True
    return False


def wants_problem(environ) -> bool:
    """Whether errors are sent as problem details (RFC 9457), which Accept must name."""
    return accepts(environ.get("HTTP_ACCEPT", ""), (PROBLEM,))


def problem(status: int, body: bytes) -> bytes:
    """Convert the usual body of an error to problem details.

    A body with `detail` keeps its members; messages by field are moved to `errors`.
    """
    members = orjson.loads(body) if body else {"detail": PRECONDITION_FAILED}
    if not (isinstance(members, dict) and isinstance(members.get("detail"), str)):
        members = {"detail": SEE_ERRORS, "errors": members}
    return to_json({"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status} | members)


def make_response(request, body: bytes, status: int, more=(), route: str | None = None) -> Response:
    """Return a response with an encoded body, the common headers, `more`, and Allow if the route is known.

    Errors are converted to problem details if the request accepts them.
    """
    if status >= 400 and wants_problem(request.environ):
        body = problem(status, body)
        more = [("Content-Type", PROBLEM), *((name, value) for name, value in more if name != "Content-Type")]
    allow = _allow_header(request, route)
    return Response(
        body=body,
        status=status,
        headerlist=[*more, *headers(request.environ), *((("Allow", allow),) if allow else ())],
    )


def _allow_header(request, route: str | None) -> str | None:
    if route is None:
        matched = getattr(request, "matched_route", None)
        route = matched.name if matched is not None else None
    return request.registry["comicsdb_api.allow"].get(route)


def base_urls(request) -> dict[str, str]:
    """Return the base URLs of the site's pages and of pictures, for URLs in bodies."""
    return {"base": request.application_url, "media": request.media_base}


def register_methods(config, route_name: str, methods) -> None:
    """Register the methods of a route, regardless of the caller's permissions."""
    offered = [method for method in METHOD_ORDER if method in methods]
    config.registry["comicsdb_api.allow"][route_name] = ", ".join(offered)


def includeme(config):
    """Add the registry of methods by route."""
    config.registry["comicsdb_api.allow"] = {}
