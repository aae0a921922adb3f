"""Waiting for other threads or processes."""

import time

from sqlalchemy import text

TIMEOUT = 120  # seconds; a busy machine may be slow, and each failure takes this long
POLL = 0.02  # seconds between two checks; servers of the standard library notice a stop at their next one
SLOW_POLL = 0.1  # seconds between checks of what takes longer, as they slow down what is waited for


def wait_until(condition) -> None:
    """Wait until a condition holds, checking it less and less often."""
    until, pause = time.monotonic() + TIMEOUT, POLL
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(pause)
        pause = min(1.2 * pause, SLOW_POLL)


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
