"""Mirrors: a read-only copy of the public catalogue of another site, which follows its feed.

`origin.py` speaks with the other site, `following.py` keeps the database equal to its, `covers.py` holds the
pictures that were asked for. The command is `comicsdb mirror` (`comicsdb/cli/mirror.py`).
"""

from pyramid.response import Response

from comicsdb.http.execution_policies import LAST, wrap_execution_policy
from comicsdb.http.request_checks import Refusal, answer_with

ORIGIN = "comicsdb.mirror.origin"
ORDER = LAST + 3  # inside of the checks of requests, outside of everything that reads credentials
READS = ("GET", "HEAD", "OPTIONS")
# What is sent by POST, but writes nothing of ours.
QUESTIONS = ("/api/match/", "/i18n/setlang/", "/theme/", "/collection/scan/")
ACCOUNTS = "/accounts/"


class ReadOnly:
    """An execution policy without accounts: credentials are ignored, and what would write is refused."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._inner = inner
        self._origin = registry.settings[ORIGIN]

    def __call__(self, environ, router):
        """The response."""
        environ.pop("HTTP_AUTHORIZATION", None)
        path = environ.get("PATH_INFO", "")
        if path.startswith(ACCOUNTS) and environ["REQUEST_METHOD"] in READS:
            return Response(status=302, location=f"{self._origin}{path}")
        if environ["REQUEST_METHOD"] not in READS and path not in QUESTIONS:
            reason = f"This is a read-only mirror. Accounts and changes are at {self._origin}."
            return answer_with(self._registry, environ, Refusal(403, reason))
        return self._inner(environ, router)


def includeme(config):
    """Where the settings name an origin, serve without accounts and writes."""
    if config.get_settings()[ORIGIN]:
        wrap_execution_policy(config, ReadOnly, ORDER)
