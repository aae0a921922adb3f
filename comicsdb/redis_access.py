"""What all who use Redis share: connections that do not wait for long, and how to do without it."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

import redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import LockError, NoScriptError, RedisError, ResponseError

log = logging.getLogger(__name__)

TIMEOUT = 0.25  # seconds to connect or to wait for an answer; the database is faster than a slow Redis
PAUSE = 1.0  # seconds for which a Redis that failed is left alone
QUIET = 60.0  # seconds in which refusals are told once


def open_pool(url: str) -> redis.ConnectionPool:
    """Connections to a Redis; none is opened yet. Raises ValueError for an address that cannot be meant."""
    pool = redis.ConnectionPool.from_url(url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT)
    try:
        pool.connection_class(**pool.connection_kwargs)  # an unknown option in the address shows here only
    except TypeError as error:
        raise ValueError(f"an option in it is unknown: {error}") from error
    if pool.get_encoder().decode_responses:
        raise ValueError("values are bytes, so decode_responses is not possible")
    return pool


class Direct:
    """Single commands on connections of a pool, past the library's client.

    The client takes several times what Redis itself does; what every request asks goes by here.
    """

    def __init__(self, pool: redis.ConnectionPool):
        self._pool = pool
        self._idle: deque[redis.Connection] = deque()  # as many as there are askers at one time

    def call(self, *words: bytes):
        """The answer to a command; raises RedisError.

        It is sent once more on a new connection where an idle one turns out to be closed.
        """
        try:
            connection = self._idle.pop()
        except IndexError:
            return self._ask(self._pool.get_connection(), words)
        try:
            return self._ask(connection, words)
        except NoConnection:
            return self._ask(self._pool.get_connection(), words)

    def run(self, sha: bytes, script: str, *words: bytes):
        """The answer of a script with a known digest, which is loaded if need be; raises RedisError."""
        try:
            return self.call(b"EVALSHA", sha, *words)
        except NoScriptError:
            return self.call(b"EVAL", script.encode(), *words)

    def _ask(self, connection, words: tuple[bytes, ...]):
        try:
            connection.send_packed_command(connection.pack_command(*words), check_health=False)
            answer = connection.read_response()
        except ResponseError:
            self._idle.append(connection)
            raise
        except BaseException:  # an answer may still come, and would be taken for that of another command
            connection.disconnect()
            self._pool.release(connection)
            raise
        self._idle.append(connection)
        return answer


class Circuit:
    """Whether Redis is worth asking: one that failed is left alone for a while, then one call tries again.

    `meanwhile` tells the log what is done without it.
    """

    def __init__(self, meanwhile: str):
        self._meanwhile = meanwhile
        self._lock = threading.Lock()
        self._down = False
        self._try_again = 0.0
        self._told_refusal = -QUIET

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
        with self._lock:
            now = time.monotonic()
            first = now >= self._told_refusal + QUIET
            if first:
                self._told_refusal = now
        if first:
            log.warning("Redis refuses; %s: %s", self._meanwhile, error)
