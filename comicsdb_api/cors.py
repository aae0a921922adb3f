"""Cross-origin requests: scripts of any other site may read with a token, and do nothing else (CORS).

Answers to reads carry `responses.CROSS_ORIGIN`, whoever asks, so that a copy which a browser keeps serves
every site. Browsers show no script an answer with `*` that was asked for with cookies. Answers to writes
carry nothing, and a browser that asks beforehand whether it may write is not told that it may.
"""

from pyramid.response import Response

from comicsdb.http.execution_policies import wrap_execution_policy
from comicsdb_api import responses

PREFLIGHT = (
    ("Access-Control-Allow-Methods", ", ".join(responses.READS)),
    ("Access-Control-Allow-Headers", "Authorization, If-None-Match, If-Modified-Since"),
    ("Access-Control-Max-Age", "86400"),
)


class Preflights:
    """Pyramid's execution policy: answers preflights of reads, and hands on everything else.

    All of them get the same few bytes, whoever asks for whatever address: nobody is looked up, and nothing is
    counted, as browsers send them without credentials.
    """

    def __init__(self, registry, usual):  # noqa: ARG002  (it is made as all policies are)
        self._usual = usual

    def __call__(self, environ, router):
        """The response to a request."""
        if environ["REQUEST_METHOD"] == "OPTIONS" and _asks_to_read(environ):
            return Response(status=204, headerlist=[*responses.headers(environ), *PREFLIGHT])
        return self._usual(environ, router)


def _asks_to_read(environ) -> bool:
    """Whether a request is a preflight of a read through the API."""
    asked = environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD")
    return asked in responses.READS and "HTTP_ORIGIN" in environ and responses.is_api_path(environ)


def includeme(config):
    """Before anything else of the API is done."""
    wrap_execution_policy(config, Preflights)
