"""Redis: connections with short timeouts, and calls that may fail."""

import logging
import time
from collections.abc import Callable

import redis
from redis.exceptions import RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig

from comicsdb.log_lines import OutageLog

log = logging.getLogger(__name__)

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
    pool = redis.ConnectionPool.from_url(url, **options)
    try:
        pool.connection_class(**pool.connection_kwargs)  # raises for unknown options in the URL
    except TypeError as error:
        raise ValueError(f"an option in it is unknown: {error}") from error
    if pool.get_encoder().decode_responses:
        raise ValueError("values are bytes, so decode_responses is not possible")
    return pool


class RedisCalls:
    """Calls of Redis that may fail: after a failure there are none for a while.

    `meanwhile` describes in the log what happens without Redis.
    """

    def __init__(self, meanwhile: str):
        self._meanwhile = meanwhile
        self._paused_until = 0.0
        self._outage = OutageLog(log, logging.WARNING)

    def call(self, function: Callable, *arguments):
        """The function's result, or None if Redis fails, rejects the call, or has just failed."""
        if time.monotonic() < self._paused_until:
            return None
        try:
            return function(*arguments)
        except ResponseError as error:  # out of memory, not permitted, wrong type: other calls may work
            self._outage.report(error, "Redis refuses; %s: %s", self._meanwhile, error)
        except (RedisError, OSError) as error:
            self._paused_until = time.monotonic() + PAUSE
            self._outage.report(error, "Redis does not answer; %s: %s", self._meanwhile, error)
        return None
