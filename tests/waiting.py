"""Waiting for other threads or processes."""

import time

TIMEOUT = 120  # seconds; a busy machine may be slow, and each failure takes this long
POLL = 0.02  # seconds between two checks; servers of the standard library notice a stop at their next one


def wait_until(condition, *, every: float = POLL) -> None:
    """Wait until a condition holds, checking it `every` so many seconds."""
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(every)
