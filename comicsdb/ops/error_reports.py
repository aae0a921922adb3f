"""Error reports: exceptions that the log tells of, given to a function of the deployer's, without secrets."""

import logging
import threading
from collections.abc import Callable
from urllib.parse import parse_qsl

from pyramid.interfaces import IRoutesMapper

from comicsdb.http.execution_policies import ROUTE_KEY
from comicsdb.ops import logs

log = logging.getLogger(__name__)

HIDDEN = "***"
SECRET_HEADERS = {"HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_PROXY_AUTHORIZATION", "HTTP_X_CSRF_TOKEN"}
SECRET_WORDS = ("secret", "token", "password", "key", "uid")  # in names of parameters and parts of paths


class Reporter(logging.Handler):
    """Calls `report(exception, where)` for each record with an exception, once for each.

    `where` is a dict of texts: `logger`, and within a request `request` (its id), `method`, `route`, `path`,
    `query` and `headers` (a dict), without what proves who somebody is; elsewhere `message`. What the
    function raises is logged and goes no further.
    """

    def __init__(
        self, report: Callable[[BaseException, dict], object], patterns: Callable[[str], str | None]
    ):
        super().__init__(logging.ERROR)
        self._report = report
        self._patterns = patterns
        self._own = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Report it."""
        error = record.exc_info[1] if record.exc_info else getattr(record, "_error", None)
        if error is None or getattr(self._own, "busy", False) or getattr(error, "_reported", False):
            return
        self._own.busy = True
        try:
            error._reported = True
            self._report(error, self.where(record))
        except Exception:
            log.exception("The function of comicsdb.errors.report failed.")
        finally:
            self._own.busy = False

    def where(self, record: logging.LogRecord) -> dict:
        """What is said of the place."""
        found = {"logger": record.name, "message": record.getMessage()}
        environ = logs.current()
        if environ is None:
            return found
        return {
            "logger": record.name,
            "request": logs.request_id(),
            "method": environ["REQUEST_METHOD"],
            "route": environ.get(ROUTE_KEY),
            "path": self._path(environ),
            "query": "&".join(f"{name}={_shown(name, value)}" for name, value in _query(environ)),
            "headers": {
                name.removeprefix("HTTP_").replace("_", "-").title(): value
                for name, value in environ.items()
                if name.startswith("HTTP_") and name not in SECRET_HEADERS
            },
        }

    def _path(self, environ: dict) -> str:
        """The path; where a part of it is a secret, the pattern instead."""
        pattern = self._patterns(environ.get(ROUTE_KEY)) or ""
        secret = any(f"{{{word}" in pattern for word in SECRET_WORDS)
        return pattern if secret else environ.get("PATH_INFO", "")


def _query(environ: dict) -> list[tuple[str, str]]:
    return parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True, errors="replace")


def _shown(name: str, value: str) -> str:
    return HIDDEN if any(word in name.lower() for word in SECRET_WORDS) else value


def includeme(config):
    """Report to the function that the settings name, if they name one."""
    report = config.get_settings()["comicsdb.errors.report"]
    if report is None:
        return
    registry = config.registry

    def pattern(name: str | None) -> str | None:
        route = name and registry.getUtility(IRoutesMapper).get_route(name)
        return route.pattern if route else None

    logging.getLogger().addHandler(Reporter(report, pattern))
