"""Waiting for other threads or processes."""

import time

from sqlalchemy import text

TIMEOUT = 120  # seconds; a busy machine may be slow, and each failure takes this long
POLL = 0.02  # seconds between two checks; servers of the standard library notice a stop at their next one


def wait_until(condition, *, every: float = POLL) -> None:
    """Wait until a condition holds, checking it `every` so many seconds."""
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(every)


def await_lock(factory) -> None:
    """Wait until a connection to the database of a factory of sessions is waiting for a lock.

    Each look is a new transaction, as PostgreSQL shows the same connections throughout one.
    """
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )

    def is_waiting() -> bool:
        with factory() as session:
            return session.scalar(waiting) > 0

    wait_until(is_waiting)
