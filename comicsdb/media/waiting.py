"""Waiting for pictures: for a decoder, object storage, or the origin of a mirror.

Waiting requests release their slots, so that a stalled server stalls no other pages. Few may wait.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from comicsdb.http.streams import released_slot
from comicsdb.media.storage import StorageDownError

WAIT_SECONDS = 5.0  # for a turn
READ_TURNS, READ_PLACES = 16, 40  # requests of a process that read from another server, or wait for that
# Those that write there or remove something: they hold a connection to the database.
WRITE_TURNS = WRITE_PLACES = 3


class BusyError(StorageDownError):
    """Too many requests, or too many of this member, wait already."""

    retry_after = 3  # seconds


class WaitingRoom:
    """A queue of at most `places` requests, `member_places` of them of one member, which take `turns`."""

    def __init__(self, places: int, turns: int, member_places: int | None = None):
        self._places = places
        self._member_places = places if member_places is None else member_places
        self._queued: Counter[int | None] = Counter()  # by member
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(turns)

    @contextmanager
    def queue(self, member: int | None = None) -> Iterator[None]:
        """Take a place in the queue until the end of the block; meanwhile, other requests may run.

        Raises BusyError if there is none.
        """
        with self._lock:
            is_full = self._queued.total() >= self._places
            if is_full or (member is not None and self._queued[member] >= self._member_places):
                raise BusyError("Too many requests are waiting for pictures.")
            self._queued[member] += 1
        try:
            with released_slot():
                yield
        finally:
            with self._lock:
                self._queued[member] -= 1
                self._queued += Counter()  # drops members without a place

    @contextmanager
    def turn(self) -> Iterator["WaitingRoom"]:
        """Wait up to WAIT_SECONDS for a turn, with a place in the queue; raises BusyError."""
        if not self._turns.acquire(timeout=WAIT_SECONDS):
            raise BusyError("The requests for other pictures take too long.")
        try:
            yield self
        finally:
            self._turns.release()

    @contextmanager
    def acquire(self) -> Iterator["WaitingRoom"]:
        """Take a place in the queue and wait for a turn; raises BusyError."""
        with self.queue(), self.turn():
            yield self
