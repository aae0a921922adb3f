"""The log: lines as JSON where the settings say so, each with the id of the request that it belongs to."""

import json
import logging
import re
import secrets
import threading
import time
from contextvars import ContextVar
from datetime import UTC, datetime

from comicsdb.http.client_address import is_trusted
from comicsdb.http.execution_policies import OUTERMOST, ROUTE_KEY, wrap_execution_policy

log = logging.getLogger(__name__)

ID_KEY = "comicsdb.request_id"  # in the environment of a request
ID_HEADER = "HTTP_X_REQUEST_ID"
# What every record has; all else was given with `extra`.
STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime", "taskName"}

OUTAGE_PAUSE = 60.0  # seconds between two lines about an outage of the same kind

_environ: ContextVar[dict | None] = ContextVar("environ", default=None)
_json = False


def current() -> dict | None:
    """The environment of the request that this thread answers, None outside of one."""
    return _environ.get()


def request_id() -> str | None:
    """The id of the request that this thread answers; it is made when somebody first asks for it."""
    environ = _environ.get()
    if environ is None:
        return None
    if ID_KEY not in environ:
        environ[ID_KEY] = secrets.token_hex(8)
    return environ[ID_KEY]


class JsonFormatter(logging.Formatter):
    """One JSON object on one line: `time`, `level`, `logger`, `message`, and where there is one `request`,
    `exception`, and what else the line tells (`user`, `ip` and so on)."""

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
        return json.dumps(more | line, default=str, skipkeys=True)  # not orjson: texts may be no Unicode


class OutageLog:
    """Tells the log of one kind of outage: one line a minute, with the number of those left out since.

    While something is away, every request fails in the same way, and lines by the hundred thousand would hide
    all else. There is one of these for a kind and process.
    """

    def __init__(self, logger: logging.Logger, level: int = logging.ERROR):
        self._logger = logger
        self._level = level
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Tell the next one, whenever the last was."""
        self._next, self._left_out = 0.0, 0

    def report(self, error: BaseException, message: str, *arguments) -> None:
        """Write a line without trace, unless there was one a moment ago.

        `error` goes to the deployer's function for error reports with the line.
        """
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                self._left_out += 1
                return
            left_out, self._left_out, self._next = self._left_out, 0, now + OUTAGE_PAUSE
        if left_out:
            message, arguments = (
                f"{message} (and %s more like it meanwhile)",
                (*arguments, left_out),
            )
        self._logger.log(self._level, message, *arguments, extra={"_error": error})


def in_one_line(error: BaseException) -> str:
    """An error's class and the first line of its text, without the SQL and values that a database's has."""
    cause = getattr(error, "orig", None) or error
    return f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0]}"


def use(log_format: str) -> None:
    """Write the log as `plain` lines, as the ini file says, or as `json`; of all handlers that there are."""
    global _json  # noqa: PLW0603  (like the log, there is one for a process)
    _json = log_format == "json"
    use_again()


def use_again() -> None:
    """Do the same for handlers that were made since."""
    if not _json:
        return
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    for handler in {each for logger in loggers for each in logger.handlers}:
        handler.setFormatter(JsonFormatter())


def log_failure(logger: logging.Logger, error: BaseException, message: str, *arguments) -> None:
    """Write that a request failed: with a trace, or among the lines of an outage if the database is away."""
    from comicsdb.db import DATABASE_OUTAGE, is_away  # noqa: PLC0415  (brings all tables)

    if is_away(error):
        DATABASE_OUTAGE.report(
            error, f"{message}: the database cannot be used: %s", *arguments, in_one_line(error)
        )
    else:
        logger.error(message, *arguments, exc_info=error)


class Known:
    """An execution policy within which the log knows whose request it is."""

    def __init__(self, registry, usual):
        self._proxies = registry.settings["comicsdb.trusted_proxies"]
        self._usual = usual

    def __call__(self, environ, router):
        """The response; one that tells of a fault names the request."""
        said = environ.get(ID_HEADER)
        if said and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", said) and is_trusted(environ, self._proxies):
            environ[ID_KEY] = said
        before = _environ.set(environ)
        try:
            response = self._usual(environ, router)
            if response.status_code >= 500:
                response.headers["X-Request-ID"] = request_id()
            return response
        except Exception as error:
            log_failure(
                log, error, "%s at the route %s failed", environ["REQUEST_METHOD"], environ.get(ROUTE_KEY)
            )
            raise
        finally:
            _environ.reset(before)


def includeme(config):
    """The form of the log, from here on, and ids of requests."""
    use(config.get_settings()["comicsdb.log.format"])
    wrap_execution_policy(config, Known, OUTERMOST)
