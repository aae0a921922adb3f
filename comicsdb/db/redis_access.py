"""Redis: connections that do not wait for long, and a circuit breaker."""

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
from comicsdb.ops.logs import OutageLog

log = logging.getLogger(__name__)

SENTINEL = "redis+sentinel://"

TIMEOUT = 0.25  # seconds to connect or to wait for an answer; the database is faster than a slow Redis
PAUSE = 1.0  # seconds for which a Redis that failed is left alone


def open_pool(url: str, timeout: float = TIMEOUT) -> redis.ConnectionPool:
    """Connections to a Redis; none is opened yet. Raises ValueError for an address that cannot be meant."""
    options = {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        # Announcements of Redis Enterprise; their handler and the pool would refer to each other.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    if url.startswith(SENTINEL):
        pool = _open_sentinel_pool(url, options)
    else:
        pool = redis.ConnectionPool.from_url(url, **options)
    try:
        pool.connection_class(**pool.connection_kwargs)  # an unknown option in the address shows here only
    except TypeError as error:
        raise ValueError(f"an option in it is unknown: {error}") from error
    if pool.get_encoder().decode_responses:
        raise ValueError("values are bytes, so decode_responses is not possible")
    return pool


def _open_sentinel_pool(url: str, timeouts: dict) -> redis.ConnectionPool:
    """Connections to whichever Redis the sentinels call the master; they are asked for each new connection.

    User, password and options of the address are those of Redis; `sentinel_username`, `sentinel_password`
    those of the sentinels, and `ssl=true` is for both.
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
    sentinels = Sentinel(list(map(_place, hosts.split(","))), sentinel_kwargs=asked)
    return SentinelConnectionPool(service, sentinels, db=int(number or 0), **options)


def _place(text: str) -> tuple[str, int]:
    """Host and port of a sentinel."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


class Circuit:
    """A circuit breaker: a Redis that failed is left alone for a while, then one call tries again.

    `meanwhile` tells the log what is done without it.
    """

    def __init__(self, meanwhile: str):
        self._meanwhile = meanwhile
        self._lock = threading.Lock()
        self._down = False
        self._try_again = 0.0
        self._refusals = OutageLog(log, logging.WARNING)

    def attempt(self, ask: Callable, *arguments, otherwise=None):
        """What `ask` answers; `otherwise` if Redis fails, refuses, or is being left alone."""
        trying = self._down
        if trying and not self._may_try():
            return otherwise
        try:
            answer = ask(*arguments)
        except LockError:
            return otherwise  # given back after it had expired
        except ResponseError as error:
            self._refused(error)
            return otherwise
        except (RedisError, OSError) as error:
            self._failed(error)
            return otherwise
        if trying:  # an answer to a question from before the failure proves nothing
            self._works()
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

    def _works(self) -> None:
        with self._lock:
            first = self._down
            self._down = False
        if first:
            log.info("Redis answers again.")

    def _refused(self, error: Exception) -> None:
        # A living server refuses at once (out of memory, not permitted, wrong type): no reason to pause.
        self._refusals.report(error, "Redis refuses; %s: %s", self._meanwhile, error)
