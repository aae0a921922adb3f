"""Requests that wait until there is something new: long polls (`Prefer: wait`, RFC 7240) and streams."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager

from comicsdb.http.client_address import client_ip, network
from comicsdb.http.streams import wait
from comicsdb.ops.metrics import instruments

WAIT_MAX = 30  # seconds
PAUSE = 1.0  # seconds between looks; each takes a connection for a moment only
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_KEY = "comicsdb_api.waiting"


def preferred(request) -> int:
    """How many seconds a client prefers to wait, at most `WAIT_MAX`; 0 if it does not say."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found[1]), WAIT_MAX) if found else 0


class Places:
    """The places of this process for requests that wait: so many, and so many of them for one client.

    `watch` is called with the number of places taken whenever it changes.
    """

    def __init__(self, number: int, of_client: int, watch: Callable[[int], None]):
        self._number = number
        self._of_client = of_client
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._watch = watch

    def take(self, client: str) -> bool:
        """Take a place for a client; gives whether there was one."""
        with self._lock:
            is_free = self._taken.total() < self._number and self._taken[client] < self._of_client
            if is_free:
                self._taken[client] += 1
                self._watch(self._taken.total())
            return is_free

    def give_back(self, client: str) -> None:
        """Give back a place that was taken."""
        with self._lock:
            self._taken[client] -= 1
            self._taken += Counter()  # forgets those without a place
            self._watch(self._taken.total())


def places(request) -> Places:
    """The places of this process."""
    return request.registry[_KEY]


def client_of(request) -> str:
    """Whose place it is: the account's, else the address's."""
    identity = request.identity
    return network(client_ip(request)) if identity is None else f"user:{identity.user_id}"


@contextmanager
def place(request):
    """Take a place until the end of the block; gives whether there was one."""
    client = client_of(request)
    is_free = places(request).take(client)
    try:
        yield is_free
    finally:
        if is_free:
            places(request).give_back(client)


def for_news(request, query, before: tuple, until: float) -> bool:
    """Wait until the row of a query is another one; gives whether it is.

    It ends at a moment of the monotonic clock, or when the server stops.
    """
    while (left := until - time.monotonic()) > 0:
        if wait(request.environ, min(PAUSE, left)):
            return False
        if tuple(request.read_pool.first(query, {})) != tuple(before):
            return True
    return False


def includeme(config):
    """Make the places of the settings, and count those taken if there are metrics."""
    settings = config.get_settings()
    watch = instruments().waiting.set if settings["comicsdb.metrics.token"] else lambda _number: None
    number, of_client = settings["comicsdb_api.waiting"], settings["comicsdb_api.waiting.client"]
    config.registry[_KEY] = Places(number, of_client, watch)
