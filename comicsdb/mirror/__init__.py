"""Mirrors: a read-only copy of the public catalog of another site, which follows its feed.

`origin.py` is the client of the other site, `following.py` keeps the database equal to that of the origin,
`covers.py` caches requested pictures. The command is `comicsdb mirror` (`comicsdb/cli/mirroring.py`).
"""

from pyramid.request import Request
from pyramid.response import Response

from comicsdb.http import SAFE_METHODS
from comicsdb.http.execution_policies import wrap_execution_policy
from comicsdb.http.request_checks import Refusal, refusal_response

ORIGIN = "comicsdb.mirror.origin"
# POST requests that write nothing to the database.
READ_ONLY_POSTS = (
    *("/api/match/", "/api/cover/", "/api/crosswalk/"),
    *("/i18n/setlang/", "/theme/", "/collection/scan/"),
)
ACCOUNTS_PATH = "/accounts/"


class ReadOnlyPolicy:
    """An execution policy without accounts: credentials are ignored, and writes are rejected."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._inner = inner
        self._origin = registry.settings[ORIGIN]

    def __call__(self, environ, router):
        """The response: a redirect to the origin's accounts, a rejection, or that of the inner policy."""
        environ.pop("HTTP_AUTHORIZATION", None)
        path = environ.get("PATH_INFO", "")
        if path.startswith(ACCOUNTS_PATH) and environ["REQUEST_METHOD"] in SAFE_METHODS:
            return Response(status=302, location=f"{self._origin}{Request(environ).path_qs}")
        if environ["REQUEST_METHOD"] not in SAFE_METHODS and f"{path.rstrip('/')}/" not in READ_ONLY_POSTS:
            reason = f"This is a read-only mirror. Accounts and changes are at {self._origin}."
            return refusal_response(self._registry, environ, Refusal(403, reason))
        return self._inner(environ, router)


def includeme(config):
    """Serve without accounts and writes if the settings name an origin."""
    if config.get_settings()[ORIGIN]:
        wrap_execution_policy(config, ReadOnlyPolicy)
