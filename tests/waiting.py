"""Waiting for what another thread or process does."""

import time

PATIENCE = 60  # seconds; a busy machine may be slow, and a failure takes as long
POLL = 0.02  # seconds between two looks; a server of the standard library is stopped at its next one


def await_that(condition, *, every: float = POLL) -> None:
    """Wait until a condition holds; `every` so many seconds, if to look at it costs something."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(every)
