"""Read replicas: streaming replicas that serve catalog reads on cache misses.

One rule keeps reads up to date: the primary is first asked for the few values that the response depends on,
and a replica is used only if it shows the same values. The request then reads in the very transaction in
which they were compared, on one connection, its lease. An error ends the lease, and the primary serves the
request.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import psycopg
from psycopg.pq import ExecStatus
from pyramid_retry import IBeforeRetry, mark_error_retryable
from sqlalchemy import Connection, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from comicsdb.db import LEASE_KEY, timed_out, timeouts
from comicsdb.db.read_pool import (
    CompiledQuery,
    ReadConnection,
    ReadPool,
    autocommit_engine,
    open_connection,
)
from comicsdb.log_lines import in_one_line

log = logging.getLogger(__name__)

CHECK_INTERVAL = 1.0  # seconds between checks of a replica
PAUSE = 10.0  # seconds for which a replica is excluded
MEGABYTE = 2**20
LAG_MAX = 16 * MEGABYTE  # bytes of the write-ahead log, beyond which a replica is excluded
# libpq's options: seconds to connect, and milliseconds without acknowledgement after which a server is dead.
CONNECT_OPTIONS = {"connect_timeout": "2", "tcp_user_timeout": "3000"}

_SAME = "current_database()::text, (SELECT system_identifier FROM pg_control_system())"
WRITTEN = "(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint"  # bytes since the cluster was created
REPLAYED = "(pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint"
PRIMARY_STATE = CompiledQuery(f"SELECT {WRITTEN}, {_SAME}", (), {})
REPLICA_STATE = CompiledQuery(f"SELECT pg_is_in_recovery(), {REPLAYED}, {_SAME}", (), {})


class UnusableError(Exception):
    """A server responds, but cannot be used as a replica now."""


class Lease(ReadConnection):
    """A connection to a replica; the request that holds it uses it as `read_pool` and for its session."""

    def __init__(self, replica: "Replica", connection: Connection):
        super().__init__(connection)
        self.replica = replica

    def row(self, text: str, values: list, *, prepared: bool = True) -> tuple | None:
        """Like that of any read connection; requests that fail here are repeated on the primary."""
        try:
            return super().row(text, values, prepared=prepared)
        except psycopg.Error as error:
            _retry_on_primary(error)
            raise

    def begin(self) -> None:
        """Begin the transaction of a request, whose statements all see the same snapshot."""
        begun = self.driver.pgconn.exec_(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._check(begun, ExecStatus.COMMAND_OK)

    def end(self) -> None:
        """End the transaction, unless a session has done so."""
        self.sqlalchemy.rollback()
        self.driver.rollback()


class Replica:
    """One replica: its idle connections, and whether it is in use."""

    def __init__(self, address: str, limits: dict[str, str], lag: int):
        url = make_url(address)
        self._engine = autocommit_engine(url.update_query_dict(CONNECT_OPTIONS | dict(url.query)))
        event.listen(
            self._engine, "handle_error", lambda context: _retry_on_primary(context.sqlalchemy_exception)
        )
        self._limits = limits
        self._lag = lag
        self._idle: deque[Lease] = deque()
        self._lock = threading.Lock()
        self._next_check = 0.0
        self._used = True
        self.name = f"{url.host or url.query.get('host', '')}:{url.port or url.query.get('port', 5432)}"
        self.on_change: Callable[[bool], None] | None = None  # called with whether the replica is used
        self.on_read: Callable[[str], None] | None = None  # called for each read: used, behind, failed

    def acquire(self, primary: ReadPool, is_current: Callable[[Lease], bool]) -> Lease | None:
        """A connection in a transaction that shows the same as the primary, or None.

        `is_current` begins the transaction and compares.
        """
        due = self._is_due()
        if not (self._used or due):
            return None
        written = primary.fetch(PRIMARY_STATE, {}) if due else None
        lease = None
        try:
            lease = self._take()
            if written is not None:
                self._check(lease, written)
            current = is_current(lease)
            if not current:
                lease.end()
        except (psycopg.Error, DBAPIError, UnusableError) as error:
            self._leave_out(error)
            if lease is not None:
                lease.close()
            return None
        self._report_read("used" if current else "behind")
        if current:
            return lease
        self._idle.append(lease)
        return None

    def release(self, lease: Lease) -> None:
        """Keep a connection for other requests, or exclude the replica if the connection was lost."""
        try:
            if not lease.broken:
                lease.end()
                self._idle.append(lease)
                return
            self._leave_out(psycopg.OperationalError("the connection was lost"))
        except (psycopg.Error, DBAPIError) as error:
            self._leave_out(error)
        lease.close()

    def _is_due(self) -> bool:
        """Whether this request has to check the replica; other requests do not wait for that."""
        now = time.monotonic()
        if now < self._next_check:
            return False
        with self._lock:
            due = now >= self._next_check
            self._next_check = now + (CHECK_INTERVAL if self._used else PAUSE)
        return due

    def _take(self) -> Lease:
        try:
            return self._idle.pop()
        except IndexError:
            return Lease(self, open_connection(self._engine, self._limits))

    def _check(self, lease: Lease, primary: tuple) -> None:
        """Raise UnusableError for a server that is not a replica of the primary, or lags too far behind."""
        written, *same = primary
        in_recovery, replayed, *shown = lease.fetch(REPLICA_STATE, {})
        if shown != same:
            raise UnusableError("it is not a replica of this database")
        if not in_recovery:
            raise UnusableError("it is not a replica any more: it accepts writes")
        behind = written - replayed
        if behind > self._lag:
            raise UnusableError(f"it is {behind / MEGABYTE:.0f} MB behind")
        with self._lock:
            returns, self._used = not self._used, True
        if returns:
            log.info("The replica %s is used again.", self.name)
        self._report_state()

    def _leave_out(self, error: Exception) -> None:
        with self._lock:
            first, self._used = self._used, False
            self._next_check = time.monotonic() + PAUSE
        if first:
            log.warning(
                "The replica %s is left out, and the primary answers: %s", self.name, in_one_line(error)
            )
        self.close()
        self._report_read("failed")
        self._report_state()

    def _report_read(self, result: str) -> None:
        if self.on_read is not None:
            self.on_read(result)

    def _report_state(self) -> None:
        if self.on_change is not None:
            self.on_change(self._used)

    def close(self) -> None:
        """Close the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


class Replicas:
    """The configured replicas, which are used in turn."""

    def __init__(self, replicas: list[Replica]):
        self._replicas = replicas
        self._turns = count()

    def acquire(self, environ, primary: ReadPool, is_current: Callable[[Lease], bool]) -> None:
        """Let a request read from the next replica that shows the same as the primary, if there is one."""
        for _each in self._replicas:
            replica = self._replicas[next(self._turns) % len(self._replicas)]
            lease = replica.acquire(primary, is_current)
            if lease is not None:
                environ[LEASE_KEY] = lease
                return

    def release(self, environ) -> None:
        """End the lease of a request, if it has one."""
        lease = environ.pop(LEASE_KEY, None)
        if lease is not None:
            lease.replica.release(lease)

    def __iter__(self) -> Iterator[Replica]:
        return iter(self._replicas)


def _retry_on_primary(error: Exception | None) -> None:
    """Let pyramid_retry repeat the request, except after a timeout, which the primary would also exceed."""
    if error is not None and not timed_out(error):
        mark_error_retryable(error)


def includeme(config):
    """Add `registry["comicsdb.replicas"]`, None if no replicas are configured."""
    settings = config.get_settings()
    limits = timeouts(settings)
    found = [Replica(address, limits, LAG_MAX) for address in settings["comicsdb.database.replica_urls"]]
    config.registry["comicsdb.replicas"] = replicas = Replicas(found) if found else None
    if replicas is not None:
        config.add_subscriber(lambda retry: replicas.release(retry.environ), IBeforeRetry)
