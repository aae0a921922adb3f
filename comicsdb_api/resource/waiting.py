"""Long polls: answers that wait until there is something new (`Prefer: wait=SECONDS`, RFC 7240)."""

import re
import threading
import time
from contextlib import contextmanager

WAIT_MAX = 30  # seconds
PAUSE = 1.0  # seconds between looks; each takes a connection for a moment only
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_KEY = "comicsdb_api.waiting"


def preferred(request) -> int:
    """How many seconds a client prefers to wait, at most `WAIT_MAX`; 0 if it does not say."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found[1]), WAIT_MAX) if found else 0


@contextmanager
def place(registry):
    """Take one of the places of this process for requests that wait; gives whether there was one."""
    is_free = registry[_KEY].acquire(blocking=False)
    try:
        yield is_free
    finally:
        if is_free:
            registry[_KEY].release()


def for_news(request, query, before: tuple, until: float) -> bool:
    """Wait until the row of a query is another one, or until a moment of the monotonic clock.

    Gives whether it is another one.
    """
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(PAUSE, left))
        if tuple(request.read_pool.first(query, {})) != tuple(before):
            return True
    return False


def includeme(config):
    """Make the places of the settings."""
    number = config.get_settings()["comicsdb_api.waiting"]
    config.registry[_KEY] = threading.BoundedSemaphore(number) if number else threading.Semaphore(0)
