"""Redis: connections with short timeouts, and a circuit breaker."""

import logging
import threading
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, unquote, urlsplit

import redis
from redis.connection import URL_QUERY_ARGUMENT_PARSERS
from redis.exceptions import LockError, RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.sentinel import Sentinel, SentinelConnectionPool

from comicsdb.config.types import boolean
from comicsdb.log_lines import OutageLog

log = logging.getLogger(__name__)

SENTINEL = "redis+sentinel://"

TIMEOUT = 0.25  # seconds for connecting and for responses; the database is faster than a slow Redis
PAUSE = 1.0  # seconds without calls after a failure


def open_pool(url: str, timeout: float = TIMEOUT) -> redis.ConnectionPool:
    """A pool of connections to Redis; opens none yet. Raises ValueError for an invalid URL."""
    options = {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        # No maintenance notifications of Redis Enterprise, as their handler and the pool would form a cycle.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    if url.startswith(SENTINEL):
        pool = _open_sentinel_pool(url, options)
    else:
        pool = redis.ConnectionPool.from_url(url, **options)
    try:
        pool.connection_class(**pool.connection_kwargs)  # raises for unknown options in the URL
    except TypeError as error:
        raise ValueError(f"an option in it is unknown: {error}") from error
    if pool.get_encoder().decode_responses:
        raise ValueError("values are bytes, so decode_responses is not possible")
    return pool


def _open_sentinel_pool(url: str, timeouts: dict) -> redis.ConnectionPool:
    """A pool of connections to the current master, which the sentinels are asked for on each connection.

    User, password and options of the URL are for Redis, `sentinel_username` and `sentinel_password` for the
    sentinels, and `ssl=true` for both.
    """
    parts = urlsplit(url)
    given, _, hosts = parts.netloc.rpartition("@")
    username, _, password = given.partition(":")
    service, _, number = parts.path.strip("/").partition("/")
    options = dict(timeouts)
    for name, text in parse_qsl(parts.query):
        reader = boolean if name == "ssl" else URL_QUERY_ARGUMENT_PARSERS.get(name, str)
        options[name] = reader(text)
    asked = {**timeouts, **{key: options[key] for key in timeouts}, "ssl": options.get("ssl", False)}
    for name in ("username", "password"):
        if text := options.pop(f"sentinel_{name}", None):
            asked[name] = text
    options |= {
        name: unquote(text) for name, text in (("username", username), ("password", password)) if text
    }
    sentinels = Sentinel(list(map(_host_and_port, hosts.split(","))), sentinel_kwargs=asked)
    return SentinelConnectionPool(service, sentinels, db=int(number or 0), **options)


def _host_and_port(text: str) -> tuple[str, int]:
    """Host and port of a sentinel."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


class CircuitBreaker:
    """A circuit breaker: after a failure there are no calls for a while, then a single trial call.

    `meanwhile` describes in the log what happens without Redis.
    """

    def __init__(self, meanwhile: str):
        self._meanwhile = meanwhile
        self._lock = threading.Lock()
        self._down = False
        self._try_again = 0.0
        self._error_log = OutageLog(log, logging.WARNING)

    def call(self, function: Callable, *arguments):
        """The function's result, or None if Redis fails, rejects the call, or the circuit is open."""
        trying = self._down
        if trying and not self._may_try():
            return None
        try:
            answer = function(*arguments)
        except LockError:
            return None  # a lock was released after it had expired
        except ResponseError as error:
            self._rejected(error)
            return None
        except (RedisError, OSError) as error:
            self._failed(error)
            return None
        if trying:  # only a trial proves that Redis works again
            self._recovered()
        return answer

    def _may_try(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if now < self._try_again:
                return False
            self._try_again = now + PAUSE
            return True

    def _failed(self, error: Exception) -> None:
        with self._lock:
            first = not self._down
            self._down = True
            self._try_again = time.monotonic() + PAUSE
        if first:
            log.warning("Redis does not answer; %s: %s", self._meanwhile, error)

    def _recovered(self) -> None:
        with self._lock:
            first = self._down
            self._down = False
        if first:
            log.info("Redis answers again.")

    def _rejected(self, error: Exception) -> None:
        # Redis works, but rejects this call (out of memory, not permitted, wrong type), so there is no pause.
        self._error_log.report(error, "Redis refuses; %s: %s", self._meanwhile, error)
