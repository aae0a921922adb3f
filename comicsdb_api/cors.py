"""Cross-origin requests (CORS): scripts of any origin may read, with or without a token, but not write.

All responses to reads have the headers `responses.CROSS_ORIGIN`, so that cached copies work for every origin.
With `*`, browsers do not expose responses to requests with cookies. Responses to writes have no such headers,
and their preflights are not granted.
"""

from pyramid.response import Response

from comicsdb.http import SAFE_METHODS
from comicsdb.http.execution_policies import wrap_execution_policy
from comicsdb_api import responses

PREFLIGHT = (
    ("Access-Control-Allow-Methods", ", ".join(SAFE_METHODS)),
    (
        "Access-Control-Allow-Headers",
        "Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since,"
        " Last-Event-ID, Prefer, Range",
    ),
    ("Access-Control-Max-Age", "86400"),
)


class PreflightPolicy:
    """Execution policy of Pyramid: answers preflights of reads, and passes on all other requests.

    All preflights get the same response, regardless of the URL. Nothing is looked up or counted, as browsers
    send them without credentials.
    """

    def __init__(self, registry, inner):  # noqa: ARG002  (the signature of all policies)
        self._inner = inner

    def __call__(self, environ, router):
        """Return the response to a request."""
        if environ["REQUEST_METHOD"] == "OPTIONS" and _is_preflight_of_read(environ):
            return Response(status=204, headerlist=[*responses.headers(environ), *PREFLIGHT])
        return self._inner(environ, router)


def _is_preflight_of_read(environ) -> bool:
    """Whether a request is a preflight of a read through the API."""
    method = environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD")
    return method in SAFE_METHODS and "HTTP_ORIGIN" in environ and responses.is_api_path(environ)


def includeme(config):
    """Add the execution policy."""
    wrap_execution_policy(config, PreflightPolicy)
