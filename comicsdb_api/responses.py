"""Answers: JSON bodies, and the headers that every answer of the API carries (api.md 1.1, 1.2)."""

import orjson
from pyramid.response import Response

PATH_PREFIX = "/api/"
ROUTE_PREFIX = "api."
WRITES = ("POST", "PUT", "PATCH", "DELETE")
METHOD_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
HEADERS = (
    ("Vary", "Accept, Accept-Language, Cookie"),
    ("Content-Language", "en"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "private, no-cache"),  # or browsers guess from dates how long a copy is good
)


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


def answer(request, body: bytes, status: int, headers=(), route: str | None = None) -> Response:
    """An answer with a body as it is, the common headers, and Allow where the route is known."""
    allow = _allowed(request, route)
    return Response(
        body=body,
        status=status,
        headerlist=[*headers, *HEADERS, *((("Allow", allow),) if allow else ())],
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
