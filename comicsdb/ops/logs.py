"""Logging: plain or JSON lines with the id of their request, a log line at start, exception reports."""

import json
import logging
import multiprocessing
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from pyramid.events import ApplicationCreated
from pyramid.registry import Registry

from comicsdb.http import OUTAGE_RETRY_SECONDS
from comicsdb.http.client_address import is_trusted
from comicsdb.http.execution_policies import ROUTE_KEY, wrap_execution_policy
from comicsdb.http.request_checks import Refusal, refusal_response
from comicsdb.http.secret_paths import without_secret
from comicsdb.log_lines import in_one_line

log = logging.getLogger(__name__)

REQUEST_ID_KEY = "comicsdb.request_id"  # key in the WSGI environment
REQUEST_ID_HEADER = "HTTP_X_REQUEST_ID"
# The attributes of every record; any others come from `extra`.
STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime", "taskName"}

# The WSGI environment of this thread's request.
_environ: ContextVar[dict | None] = ContextVar("environ", default=None)

FAILED = Refusal(500, "A server error occurred.")
DATABASE_DOWN = Refusal(503, "The database is unavailable at the moment; please try again later.")

MASK = "***"
SECRET_WORDS = ("secret", "token", "password", "key", "authorization", "cookie")  # of parameters and headers


def request_id() -> str | None:
    """The id of this thread's request, created on first use."""
    environ = _environ.get()
    if environ is None:
        return None
    if REQUEST_ID_KEY not in environ:
        environ[REQUEST_ID_KEY] = secrets.token_hex(8)
    return environ[REQUEST_ID_KEY]


@contextmanager
def logging_for(environ: dict) -> Iterator[None]:
    """A context in which log lines and error reports belong to a request."""
    before = _environ.set(environ)
    try:
        yield
    finally:
        _environ.reset(before)


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object on one line.

    It has `time`, `level`, `logger`, `message` and, if present, `request`, `exception`, and the attributes
    given by `extra` (`user`, `ip` and so on).
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if identifier := request_id():
            line["request"] = identifier
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        more = {key: value for key, value in vars(record).items() if key not in STANDARD and key[0] != "_"}
        return json.dumps(more | line, default=str, skipkeys=True)  # orjson rejects lone surrogates


def set_format(log_format: str) -> None:
    """Set the format of all handlers: `plain`, as in the ini file, or `json`."""
    if log_format != "json":
        return
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    for handler in {each for logger in loggers for each in logger.handlers}:
        handler.setFormatter(JsonFormatter())


def log_failure(logger: logging.Logger, error: BaseException, message: str, *arguments) -> bool:
    """Log that a request failed: with a traceback, or as an outage if the database is unavailable.

    Returns whether it is an outage.
    """
    from comicsdb.db import DATABASE_OUTAGE, is_unavailable  # noqa: PLC0415  (imports all tables)

    is_outage = is_unavailable(error)
    if is_outage:
        DATABASE_OUTAGE.report(
            error, f"{message}: the database cannot be used: %s", *arguments, in_one_line(error)
        )
    else:
        logger.error(message, *arguments, exc_info=error)
    return is_outage


class RequestLogPolicy:
    """An execution policy that makes the request's environment available to the log."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._proxies = registry.settings["comicsdb.trusted_proxies"]
        self._inner = inner

    def __call__(self, environ, router):
        """Call the inner policy; server errors get a header with the request id.

        Without the site, no view responds if a route outside the API fails.
        """
        sent_id = environ.get(REQUEST_ID_HEADER)
        if sent_id and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", sent_id) and is_trusted(environ, self._proxies):
            environ[REQUEST_ID_KEY] = sent_id
        with logging_for(environ):
            response = self._answer(environ, router)
            if response.status_code >= 500:
                response.headers["X-Request-ID"] = request_id()
            return response

    def _answer(self, environ, router):
        try:
            return self._inner(environ, router)
        except Exception as error:
            is_outage = log_failure(
                log, error, "%s at the route %s failed", environ["REQUEST_METHOD"], environ.get(ROUTE_KEY)
            )
            if environ.get("paste.throw_errors"):  # set by WebTest, to show failures
                raise
            response = refusal_response(self._registry, environ, DATABASE_DOWN if is_outage else FAILED)
            if is_outage:
                response.headers["Retry-After"] = str(OUTAGE_RETRY_SECONDS)
            return response


def announce_start(registry: Registry, processes: int) -> None:
    """Log the line of a start, and the link of a first set-up."""
    from comicsdb.accounts.first_setup import log_setup_link  # noqa: PLC0415  (imports all tables)

    log_start(registry.settings, processes)
    log_setup_link(registry)


def log_start(settings: Mapping, processes: int) -> None:
    """Log the line of a start; `settings` are parsed ones."""
    number = "1 process" if processes == 1 else f"{processes} processes"
    text = f"{_limits(settings)} {_cache(settings)} {_mail(settings)}"
    log.info("comicsdb starts with %s. %s", number, text)


def _limits(settings: Mapping) -> str:
    place = "Redis" if settings["comicsdb.cache.url"] else "PostgreSQL"
    off = "" if settings["comicsdb_api.throttle"] else "; the API has none"
    return f"Limits are counted in {place}, for all processes together{off}."


def _cache(settings: Mapping) -> str:
    if settings["comicsdb.cache.url"]:
        return "The cache is in Redis, for all processes together, and in the memory of each."
    return "The cache is in the memory of each process."


def _mail(settings: Mapping) -> str:
    if folder := settings["comicsdb.mail.folder"]:
        place = f"is not sent but written into {folder}"
    else:
        place = f"goes to the SMTP server {settings['mail.host']}:{settings['mail.port']}"
    by_command = settings["comicsdb.mail.sender"] == "command"
    return f"Mail {place}{', when `comicsdb mail send` is run' if by_command else ''}."


def _announce_single_start(event) -> None:
    if multiprocessing.parent_process() is None:  # the production server logs it for all its workers
        announce_start(event.app.registry, 1)


class ErrorReporter(logging.Handler):
    """Calls `report(exception, where)` once for each exception in the log.

    `where` is a dict of texts: `logger`, and within a request `request` (its id), `method`, `route`, `path`,
    `query` and `headers` (a dict), without credentials; outside of requests `message`. Errors of the function
    are logged.
    """

    def __init__(self, report: Callable[[BaseException, dict], object]):
        super().__init__(logging.ERROR)
        self._report = report
        self._own = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Report the exception of a record, if it has one."""
        error = record.exc_info[1] if record.exc_info else getattr(record, "_error", None)
        if error is None or getattr(self._own, "busy", False) or getattr(error, "_reported", False):
            return
        self._own.busy = True
        try:
            error._reported = True
            self._report(error, self.context(record))
        except Exception:
            log.exception("The function of comicsdb.errors.report failed.")
        finally:
            self._own.busy = False

    def context(self, record: logging.LogRecord) -> dict:
        """The context of a record."""
        found = {"logger": record.name, "message": record.getMessage()}
        environ = _environ.get()
        if environ is None:
            return found
        return {
            "logger": record.name,
            "request": request_id(),
            "method": environ["REQUEST_METHOD"],
            "route": environ.get(ROUTE_KEY),
            "path": without_secret(environ.get("PATH_INFO", "")),
            "query": "&".join(f"{name}={_masked(name, value)}" for name, value in _query(environ)),
            "headers": {
                name.removeprefix("HTTP_").replace("_", "-").title(): _masked(name, value)
                for name, value in environ.items()
                if name.startswith("HTTP_")
            },
        }


def _query(environ: dict) -> list[tuple[str, str]]:
    return parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True, errors="replace")


def _masked(name: str, value: str) -> str:
    is_secret = any(word in name.lower() for word in SECRET_WORDS)
    return MASK if is_secret else without_secret(value)


def includeme(config):
    """Set the format of the log; add request ids, the log line of the start, and error reports."""
    set_format(config.get_settings()["comicsdb.log.format"])
    wrap_execution_policy(config, RequestLogPolicy)
    config.add_subscriber(_announce_single_start, ApplicationCreated)
    report = config.get_settings()["comicsdb.errors.report"]
    if report is not None:
        logging.getLogger().addHandler(ErrorReporter(report))
