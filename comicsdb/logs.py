"""The log: lines as JSON where the settings say so, each with the id of the request that it belongs to."""

import json
import logging
import re
import secrets
from contextvars import ContextVar
from datetime import UTC, datetime

from comicsdb.peers import is_trusted
from comicsdb.policies import OUTERMOST, ROUTE_KEY, surround

log = logging.getLogger(__name__)

ID_KEY = "comicsdb.request_id"  # in the environment of a request
ID_HEADER = "HTTP_X_REQUEST_ID"
# What every record has; all else was given with `extra`.
STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime", "taskName"}

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
        more = {key: value for key, value in vars(record).items() if key not in STANDARD}
        return json.dumps(more | line, default=str, skipkeys=True)  # not orjson: texts may be no Unicode


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
        except Exception:
            log.exception("%s at the route %s failed", environ["REQUEST_METHOD"], environ.get(ROUTE_KEY))
            raise
        finally:
            _environ.reset(before)


def includeme(config):
    """The form of the log, from here on, and ids of requests."""
    use(config.get_settings()["comicsdb.log.format"])
    surround(config, Known, OUTERMOST)
