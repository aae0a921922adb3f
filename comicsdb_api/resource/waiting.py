"""Requests that wait for news: long polls (`Prefer: wait`, RFC 7240) and streams."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

from comicsdb.http.client_address import client_ip, network
from comicsdb.http.streams import wait
from comicsdb.ops.metrics import instruments

WAIT_MAX = 30  # seconds
POLL_INTERVAL = 1.0  # seconds between queries, which hold a connection only briefly
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
PER_CLIENT = 4  # slots of one account, and of one address
ENDING_MAX = 8  # slots that were given away while their requests have not ended yet
_KEY = "comicsdb_api.waiting"


def preferred_wait(request) -> int:
    """The number of seconds that a client prefers to wait, at most `WAIT_MAX`; 0 by default."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found[1]), WAIT_MAX) if found else 0


@dataclass(eq=False)
class Slot:
    """The slot of a request; `is_given_away` if it must end, as another request has got the slot."""

    clients: tuple[str, ...]
    is_given_away: bool = False


class WaitingSlots:
    """Slots of this process for requests that wait, limited in total and for each client.

    A new request always gets a slot, except during a rush: an older one gives way, which polls answer and
    streams reconnect after. It is one of the same client if that has as many as it may, otherwise one of the
    client with most. `on_change` is called with the number of slots taken whenever that changes.
    """

    def __init__(self, number: int, per_client: int, on_change: Callable[[int], None]):
        self._number = number
        self._per_client = per_client
        self._slots: list[Slot] = []  # the oldest first
        self._ending = 0
        self._lock = threading.Lock()
        self._on_change = on_change

    def acquire(self, clients: tuple[str, ...]) -> Slot | None:
        """Take a slot for a request that counts for these clients; None if there is none."""
        with self._lock:
            rival = self._rival(clients)
            if not min(self._number, self._per_client) or (rival and self._ending >= ENDING_MAX):
                return None
            if rival:
                rival.is_given_away = True
                self._slots.remove(rival)
                self._ending += 1
            slot = Slot(clients)
            self._slots.append(slot)
            self._on_change(len(self._slots))
            return slot

    def _rival(self, clients: tuple[str, ...]) -> Slot | None:
        """The slot that a new request gets, None for a free one."""
        counts = Counter(client for slot in self._slots for client in slot.clients)
        for client in clients:
            if counts[client] >= self._per_client:
                return next((slot for slot in self._slots if client in slot.clients), None)
        if len(self._slots) < self._number:
            return None
        return max(self._slots, key=lambda slot: max(counts[client] for client in slot.clients), default=None)

    def release(self, slot: Slot) -> None:
        """Free the slot of a request that has ended."""
        with self._lock:
            if slot.is_given_away:
                self._ending -= 1
            else:
                self._slots.remove(slot)
            self._on_change(len(self._slots))


def waiting_slots(request) -> WaitingSlots:
    """The slots of this process."""
    return request.registry[_KEY]


def client_keys(request) -> tuple[str, ...]:
    """The clients that a slot is counted for: the network address and, if there is one, the account."""
    identity, address = request.identity, network(client_ip(request))
    return (address,) if identity is None else (f"user:{identity.user_id}", address)


@contextmanager
def waiting_slot(request):
    """Take a slot until the end of the block; yields it, or None if there is none."""
    slot = waiting_slots(request).acquire(client_keys(request))
    try:
        yield slot
    finally:
        if slot is not None:
            waiting_slots(request).release(slot)


def wait_for_change(request, slot: Slot, query, before: tuple, until: float) -> bool:
    """Wait until the row of a query changes; returns whether it has.

    It gives up at `until` (monotonic clock), when the slot is given away, or when the server stops.
    """
    while (left := until - time.monotonic()) > 0 and not slot.is_given_away:
        if wait(min(POLL_INTERVAL, left)):
            return False
        if tuple(request.read_pool.first(query, {})) != tuple(before):
            return True
    return False


def includeme(config):
    """Create the slots that the settings allow, and export the number taken if metrics are enabled."""
    settings = config.get_settings()
    watch = instruments().waiting.set if settings["comicsdb.metrics.token"] else lambda _number: None
    config.registry[_KEY] = WaitingSlots(settings["comicsdb_api.waiting"], PER_CLIENT, watch)
