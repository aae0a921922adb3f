"""The cache in the memory of one process: bounded by bytes, least recently used out first; a lock per key."""

import sys
import threading
import time
from collections import OrderedDict
from typing import NamedTuple

from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CacheBackend, CachedValue
from dogpile.cache.region import CacheRegion

# What an entry takes beside key and payload: two tuples, the metadata, numbers, a place in the table.
ENTRY_BYTES = 600
LOCK_WAIT = 5.0  # seconds after which a waiter computes for itself


class Entry(NamedTuple):
    """A value, the clock time at which it expires, and its size in bytes."""

    value: CachedValue
    expires: float
    size: int


class Lru:
    """Values by key, together never larger than `limit` bytes; every operation takes the same short time.

    A value larger than the limit is not stored. Safe for threads.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self.size = 0
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> CachedValue | None:
        """The value, if it is there and its time has not passed."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.expires <= time.time():
                self._remove(key)
                return None
            self._entries.move_to_end(key)
        return entry.value

    def set(self, key: str, value: CachedValue, lifetime: float) -> None:
        """Store a value until `lifetime` seconds after it was made, or until others need the room."""
        now = time.time()
        made = min(now, value.metadata["ct"])  # another machine's clock may be ahead
        size = sys.getsizeof(key) + sys.getsizeof(value.payload) + ENTRY_BYTES
        with self._lock:
            self._remove(key)
            if size > self.limit or made + lifetime <= now:
                return
            self._entries[key] = Entry(value, made + lifetime, size)
            self.size += size
            while self.size > self.limit:
                self._remove(next(iter(self._entries)))

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size


class Mutex:
    """One key's lock among the threads of this process; nobody waits for it longer than `LOCK_WAIT`.

    The library gives back what it waited for in vain too: that changes nothing.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._owner: int | None = None

    def acquire(self, wait: bool = True) -> bool:
        """Take the lock; False if somebody else has it, for too long if it was waited for."""
        if not self._lock.acquire(timeout=LOCK_WAIT if wait else 0):
            return False
        self._owner = threading.get_ident()
        return True

    def release(self) -> None:
        """Give the lock back, if this thread has it."""
        if self._owner == threading.get_ident():
            self._owner = None
            self._lock.release()


class MemoryBackend(CacheBackend):
    """A dogpile backend whose values lie in an `Lru`: arguments `lru` and `lifetime` in seconds.

    It has what a region here needs; values are never deleted one by one.
    """

    def __init__(self, arguments):
        self.lru: Lru = arguments["lru"]
        self.lifetime: float = arguments["lifetime"]

    def get(self, key):
        """The value as it was set, or NO_VALUE."""
        return self.lru.get(key) or NO_VALUE

    def set(self, key, value):
        """Store a value for the lifetime."""
        self.lru.set(key, value, self.lifetime)

    def get_mutex(self, key):  # noqa: ARG002  (dogpile passes it)
        """The lock under which the value of a key is made."""
        return Mutex()


class MemoryStore:
    """A cache in this process alone, with counts of the values that were found (hits) and made (misses)."""

    def __init__(self, lru: Lru):
        self.hits = 0
        self.misses = 0
        self._lru = lru

    def configure(self, region: CacheRegion, lifetime: int) -> None:
        """Give a region its backend."""
        arguments = {"lru": self._lru, "lifetime": lifetime}
        region.configure("comicsdb.memory", expiration_time=lifetime, arguments=arguments)

    def count(self, *, hit: bool) -> None:
        """Count one value; among threads one may be lost, which is cheaper than a lock."""
        if hit:
            self.hits += 1
        else:
            self.misses += 1

    def clear(self) -> None:
        """Forget everything."""
        self._lru.clear()


register_backend("comicsdb.memory", __name__, "MemoryBackend")
