"""Checks of every request before anything else parses it: lengths, host and encoding.

They are an execution policy in all applications that include the core. After them, headers are short, path
and query are UTF-8, URLs in `Origin` and `Referer`, and dates and ranges can be parsed, and `Cookie` only has
well-formed pairs.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from pyramid.response import Response
from webob.byterange import Range
from webob.datetime_utils import parse_date

from comicsdb.http.execution_policies import wrap_execution_policy

# In bytes. Proxies and the server have the same limits, in deploy/ and comicsdb/ops/server.py.
HEADER_MAX = 4096  # including cookies
HEADERS_MAX = 32 * 1024  # all headers together
URL_MAX = 8192  # path and query
HOST_MAX = 255
# Monitoring may use any name or address of the server for this path.
HEALTH = "/health/"
DATE_HEADERS = ("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE")
# Hosts that only the local machine can reach; a base URL with one of them does not name the site.
LOCAL_HOSTS = {"", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"}  # noqa: S104  (names, not an address to bind)

_HOST = re.compile(r"(?:([a-z0-9._-]+)|\[([0-9a-f:.]+)\])(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
# Names and values that WebOb's pattern matches without backtracking: on others, its time may be quadratic.
_LEGAL = r"[\w~!@#$%^&*()+=`.?|:/{}<>'-]*"
_NAME, _VALUE = r"[\w!#$%&'*+.^`|~-]+", rf'(?:"{_LEGAL}"|{_LEGAL})'
_PAIR = re.compile(f"{_NAME}={_VALUE}", re.ASCII)
_PAIRS = re.compile(f"{_NAME}={_VALUE}(?:; {_NAME}={_VALUE})*", re.ASCII)


class Refusal(NamedTuple):
    """The rejection of a request: HTTP status and message."""

    status: int
    reason: str

    @property
    def line(self) -> str:
        """The status line."""
        return f"{self.status} {HTTPStatus(self.status).phrase}"


def well_formed_cookies(header: str) -> str:
    """The well-formed pairs of a `Cookie` header, in time linear in its length."""
    if _PAIRS.fullmatch(header):
        return header
    return "; ".join(pair for each in header.split(";") if _PAIR.fullmatch(pair := each.strip(" \t")))


@lru_cache(maxsize=1024)
def http_date(header: str) -> datetime | None:
    """The time in a header; None for one that is not a date, or not of the years 1 to 9999."""
    try:
        parsedate_to_datetime(header)  # unlike WebOb, it refuses days such as 31 February
        return parse_date(header)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def check_lengths(environ: Mapping) -> Refusal | None:
    """Reject overlong headers and URLs, and an invalid Content-Length."""
    total = 0
    for name, value in environ.items():
        if name[:5] == "HTTP_":
            size = len(value)
            total += size
            if size > HEADER_MAX and name != "HTTP_REFERER":  # browsers may send long ones
                return Refusal(431, f"The header {name[5:].replace('_', '-').title()[:40]} is too long.")
    if total > HEADERS_MAX:
        return Refusal(431, "The headers are too long.")
    if len(environ.get("CONTENT_TYPE") or "") > HEADER_MAX:
        return Refusal(431, "The header Content-Type is too long.")
    if len(environ.get("PATH_INFO", "")) + len(environ.get("QUERY_STRING", "")) > URL_MAX:
        return Refusal(414, "The URL is too long.")
    length = environ.get("CONTENT_LENGTH")
    if length:
        if not length.isascii() or not length.isdecimal() or len(length) > 15:
            return Refusal(400, "Content-Length must be a number.")
        if "HTTP_TRANSFER_ENCODING" in environ:
            return Refusal(400, "Send either Content-Length or Transfer-Encoding, not both.")
    return None


def remove_invalid_headers(environ: dict) -> None:
    """Remove optional headers, or parts of them, that cannot be parsed."""
    cookies = environ.get("HTTP_COOKIE")
    if cookies is not None:
        environ["HTTP_COOKIE"] = well_formed_cookies(cookies)
        if not environ["HTTP_COOKIE"]:
            del environ["HTTP_COOKIE"]
    referer = environ.get("HTTP_REFERER")
    if referer is not None and (len(referer) > HEADER_MAX or not is_url(referer)):
        del environ["HTTP_REFERER"]
    if "HTTP_ORIGIN" in environ and not is_url(environ["HTTP_ORIGIN"]):
        environ["HTTP_ORIGIN"] = "null"  # not removed, as the client would not look like a browser
    # WebOb evaluates conditions when the response is sent, and raises for dates that it cannot parse.
    for name in DATE_HEADERS:
        if name in environ and http_date(environ[name]) is None:
            del environ[name]
    if "HTTP_RANGE" in environ and not _has_range(environ):
        del environ["HTTP_RANGE"]
    if "HTTP_IF_RANGE" in environ and "HTTP_RANGE" not in environ:
        del environ["HTTP_IF_RANGE"]


def _has_range(environ: Mapping) -> bool:
    """Whether a part of the content is asked for, under a condition that can be parsed."""
    condition = environ.get("HTTP_IF_RANGE", "")
    if condition.endswith(" GMT") and http_date(condition) is None:
        return False
    try:
        return Range.parse(environ["HTTP_RANGE"]) is not None
    except ValueError:  # a number of thousands of digits
        return False


def check_url(environ: Mapping) -> Refusal | None:
    """Reject a path with NUL, and a URL that is not UTF-8; parameters with NUL are rejected elsewhere."""
    path, query = environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")
    if "\0" in path:
        return Refusal(400, "The URL contains a NUL character.")
    if path.isascii() and query.isascii() and "%" not in query:
        return None
    try:
        path.encode("latin-1").decode()
        unquote_to_bytes(query.encode("latin-1")).decode()
    except UnicodeError:
        return Refusal(400, "The URL is not valid UTF-8.")
    return None


def is_url(text: str) -> bool:
    """Whether `urlsplit` can parse a text."""
    try:
        _ = urlsplit(text).port
    except ValueError:
        return False
    return True


def hosts_of(settings: Mapping) -> frozenset[str]:
    """The host names of the site; none if it accepts any host."""
    named = (urlsplit(settings["comicsdb.base_url"]).hostname or "").lower()
    return frozenset() if named in LOCAL_HOSTS else frozenset({named, *settings["comicsdb.hosts"]})


def host_check(hosts: frozenset[str]) -> Callable[[str], Refusal | None]:
    """A function that checks a `Host` header. Ports are ignored, as proxies often omit them."""

    @lru_cache(maxsize=1024)
    def check(header: str) -> Refusal | None:
        found = _HOST.fullmatch(header) if len(header) <= HOST_MAX else None
        if found is None:
            return Refusal(400, "Send one Host header with a host name and, optionally, a port.")
        if hosts and (found[1] or found[2]).lower().removesuffix(".") not in hosts:
            return Refusal(421, "This site is not served under that host name.")
        return None

    return check


class RequestCheckPolicy:
    """An execution policy that passes on well-formed requests, and rejects all others."""

    def __init__(self, registry, inner):
        self._inner = inner
        self._registry = registry
        hosts = hosts_of(registry.settings)
        self._check_host, self._check_any_host = host_check(hosts), host_check(frozenset())

    def __call__(self, environ, router):
        """The response of the inner policy or, for an invalid request, a rejection."""
        refusal = self._check(environ)
        if refusal is not None:
            return refusal_response(self._registry, environ, refusal)
        return self._inner(environ, router)

    def _check(self, environ) -> Refusal | None:
        refusal = check_lengths(environ) or check_url(environ)
        if refusal is not None:
            return refusal
        remove_invalid_headers(environ)
        check_host = self._check_any_host if environ.get("PATH_INFO") == HEALTH else self._check_host
        return check_host(environ.get("HTTP_HOST", ""))


def refusal_response(registry, environ, refusal: Refusal) -> Response:
    """The response to a rejected request, formatted by the API or site below their paths, else plain text."""
    path = environ.get("PATH_INFO", "")
    for prefix, answer in sorted(registry["comicsdb.refusals"].items(), reverse=True):
        if path.startswith(prefix) and (response := answer(environ, refusal)):
            return response
    headers = [
        ("Content-Type", "text/plain; charset=UTF-8"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ]
    return Response(f"{refusal.reason}\n".encode(), status=refusal.line, headerlist=headers)


def answer_refusals(config, prefix: str, answer: Callable[[Mapping, Refusal], Response | None]) -> None:
    """Directive: `answer(environ, refusal)` creates the responses to rejected requests below `prefix`.

    The longest prefix decides; plain text is sent instead of None.
    """
    config.registry["comicsdb.refusals"][prefix] = answer


def includeme(config):
    """Add the policy, and the directive by which API and site format rejections."""
    config.registry["comicsdb.refusals"] = {}
    config.add_directive("answer_refusals", answer_refusals)
    wrap_execution_policy(config, RequestCheckPolicy)
