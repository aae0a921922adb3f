"""Answers: JSON bodies, and the headers that every answer of the API carries."""

import re
from collections.abc import Container
from http import HTTPStatus

import orjson
from pyramid.response import Response

PATH_PREFIX = "/api/"
ROUTE_PREFIX = "api."
READS = ("GET", "HEAD", "OPTIONS")
WRITES = ("POST", "PUT", "PATCH", "DELETE")
METHOD_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
HEADERS = (
    ("Vary", "Accept, Accept-Language, Cookie"),
    ("Content-Language", "en"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "private, no-cache"),  # or browsers guess from dates how long a copy is good
)
# Scripts of other sites may read, and see all headers (`cors.py`).
CROSS_ORIGIN = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "*"))
HEADERS_OF_READS = (*HEADERS, *CROSS_ORIGIN)
PROBLEM = "application/problem+json"
SEVERAL_ERRORS = "The request has errors; `errors` tells which, by field or parameter."
CHANGED = "The object is not as a condition of the request wants it."
REFUSED_QUALITY = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*", re.IGNORECASE)


def headers(environ) -> tuple[tuple[str, str], ...]:
    """The headers of every answer to a request."""
    return HEADERS_OF_READS if environ["REQUEST_METHOD"] in READS else HEADERS


def is_api_route(name: str | None) -> bool:
    """Whether a route belongs to the API: the one thing by which the surfaces tell each other apart."""
    return name is not None and name.startswith(ROUTE_PREFIX)


def is_api_path(environ) -> bool:
    """Whether a request is for the API, judged by its raw path, which need not be proper text."""
    path = environ.get("PATH_INFO", "")
    return path.startswith(PATH_PREFIX) or path == "/api"


def to_json(value) -> bytes:
    """A body: compact UTF-8, instants of UTC written with Z."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z)


def respond(request, value, status: int = 200, headers=()) -> Response:
    """An answer with a JSON body made of plain values, dates and UTC instants."""
    return answer(request, to_json(value), status, (("Content-Type", "application/json"), *headers))


def too_soon(request, sentence: str, seconds: int, route: str | None = None) -> Response:
    """429: a sentence, and how long to wait, for programs and in words."""
    words = f"{seconds} second{'' if seconds == 1 else 's'}"
    body = to_json({"detail": f"{sentence} Expected available in {words}."})
    headers = (("Content-Type", "application/json"), ("Retry-After", str(seconds)))
    return answer(request, body, 429, headers, route)


def accepts(header: str, media_types: Container[str]) -> bool:
    """Whether an Accept header names one of some media types, or ranges, and not to refuse it."""
    for offer in header.split(","):
        kind, *details = offer.split(";")
        named = kind.strip().lower() in media_types
        if named and not any(REFUSED_QUALITY.fullmatch(each) for each in details):
            return True
    return False


def wants_problem(environ) -> bool:
    """Whether errors are to come as problem details (RFC 9457): only where Accept names these."""
    return accepts(environ.get("HTTP_ACCEPT", ""), (PROBLEM,))


def problem(status: int, body: bytes) -> bytes:
    """Problem details that say what the body of an error says in its usual form.

    A sentence under `detail` stays there, with what stands beside it; messages by field come under `errors`.
    """
    said = orjson.loads(body) if body else {"detail": CHANGED}
    if not (isinstance(said, dict) and isinstance(said.get("detail"), str)):
        said = {"detail": SEVERAL_ERRORS, "errors": said}
    return to_json({"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status} | said)


def answer(request, body: bytes, status: int, more=(), route: str | None = None) -> Response:
    """An answer with a body as it is, the common headers and `more`, and Allow where the route is known.

    An error comes as problem details where that is asked for.
    """
    if status >= 400 and wants_problem(request.environ):
        body = problem(status, body)
        more = [("Content-Type", PROBLEM), *((name, each) for name, each in more if name != "Content-Type")]
    allow = _allowed(request, route)
    return Response(
        body=body,
        status=status,
        headerlist=[*more, *headers(request.environ), *((("Allow", allow),) if allow else ())],
    )


def _allowed(request, route: str | None) -> str | None:
    if route is None:
        matched = getattr(request, "matched_route", None)
        route = matched.name if matched is not None else None
    return request.registry["comicsdb_api.allow"].get(route)


def addresses(request) -> dict[str, str]:
    """What addresses in bodies begin with: those of the site's pages, and those of pictures."""
    return {"base": request.application_url, "media": request.media_base}


def allow(config, route_name: str, methods) -> None:
    """Note which methods a route offers, irrespective of the caller's rights."""
    offered = [method for method in METHOD_ORDER if method in methods]
    config.registry["comicsdb_api.allow"][route_name] = ", ".join(offered)


def includeme(config):
    """The table of methods by route."""
    config.registry["comicsdb_api.allow"] = {}
