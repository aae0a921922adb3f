"""Requests that wait for news: long polls (`Prefer: wait`, RFC 7240) and streams."""

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
POLL_INTERVAL = 1.0  # seconds between queries, which hold a connection only briefly
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_KEY = "comicsdb_api.waiting"


def preferred_wait(request) -> int:
    """The number of seconds that a client prefers to wait, at most `WAIT_MAX`; 0 by default."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found[1]), WAIT_MAX) if found else 0


class WaitingSlots:
    """Slots of this process for requests that wait, limited in total and for each client.

    `on_change` is called with the number of slots taken whenever that changes.
    """

    def __init__(self, number: int, per_client: int, on_change: Callable[[int], None]):
        self._number = number
        self._per_client = per_client
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._on_change = on_change

    def acquire(self, client: str) -> bool:
        """Take a slot for a client; returns whether one was free."""
        with self._lock:
            is_free = self._taken.total() < self._number and self._taken[client] < self._per_client
            if is_free:
                self._taken[client] += 1
                self._on_change(self._taken.total())
            return is_free

    def release(self, client: str) -> None:
        """Free a client's slot."""
        with self._lock:
            self._taken[client] -= 1
            self._taken += Counter()  # drops clients without a slot
            self._on_change(self._taken.total())


def waiting_slots(request) -> WaitingSlots:
    """The slots of this process."""
    return request.registry[_KEY]


def client_key(request) -> str:
    """The client that a slot is counted for: the account, else the network address."""
    identity = request.identity
    return network(client_ip(request)) if identity is None else f"user:{identity.user_id}"


@contextmanager
def waiting_slot(request):
    """Take a slot until the end of the block; yields whether one was free."""
    client = client_key(request)
    is_free = waiting_slots(request).acquire(client)
    try:
        yield is_free
    finally:
        if is_free:
            waiting_slots(request).release(client)


def wait_for_change(request, query, before: tuple, until: float) -> bool:
    """Wait until the row of a query changes; returns whether it has.

    It gives up at `until` (monotonic clock), or when the server stops.
    """
    while (left := until - time.monotonic()) > 0:
        if wait(request.environ, min(POLL_INTERVAL, left)):
            return False
        if tuple(request.read_pool.first(query, {})) != tuple(before):
            return True
    return False


def includeme(config):
    """Create the slots that the settings allow, and export the number taken if metrics are enabled."""
    settings = config.get_settings()
    watch = instruments().waiting.set if settings["comicsdb.metrics.token"] else lambda _number: None
    number, per_client = settings["comicsdb_api.waiting"], settings["comicsdb_api.waiting.client"]
    config.registry[_KEY] = WaitingSlots(number, per_client, watch)
