"""Waiting for what another thread or process does."""

import time

PATIENCE = 60  # seconds; a busy machine may be slow, and a failure takes as long


def await_that(condition) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)
