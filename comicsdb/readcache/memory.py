"""The cache in the memory of a process: an LRU cache bounded by bytes."""

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import inf
from typing import Any, NamedTuple

from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CacheBackend, CachedValue
from dogpile.cache.region import CacheRegion

# Bytes of an entry besides key and payload: two tuples, the metadata, numbers, a slot of the dictionary.
ENTRY_BYTES = 600


class Entry(NamedTuple):
    """A value, its expiry time, and its size in bytes."""

    value: Any
    expires: float
    size: int


class Lru:
    """Values by key, of at most `limit` bytes in total; all operations take constant time.

    Larger values are not stored. `on_resize` is called with the number of bytes after each change. This class
    is thread-safe.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self.size = 0
        self.on_resize: Callable[[int], None] | None = None
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Any:
        """The value; None if it is missing or expired."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.expires <= time.time():
                self._remove(key)
                return None
            self._entries.move_to_end(key)
        return entry.value

    def set(self, key: Hashable, value: Any, size: int, expires: float = inf) -> None:
        """Store a value of `size` bytes until `expires` (seconds since 1970), or until it is evicted."""
        with self._lock:
            self._remove(key)
            if size <= self.limit and expires > time.time():
                self._entries[key] = Entry(value, expires, size)
                self.size += size
                while self.size > self.limit:
                    self._remove(next(iter(self._entries)))
        if self.on_resize is not None:
            self.on_resize(self.size)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _remove(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size


def store_value(lru: Lru, key: str, value: CachedValue, lifetime: float) -> None:
    """Store a value of a region until `lifetime` seconds after its creation."""
    made = min(time.time(), value.metadata["ct"])  # another machine's clock may be ahead
    size = sys.getsizeof(key) + sys.getsizeof(value.payload) + ENTRY_BYTES
    lru.set(key, value, size, made + lifetime)


class MemoryBackend(CacheBackend):
    """A dogpile backend on an `Lru`, with the arguments `lru` and `lifetime` in seconds.

    It only has the methods that our regions need; single values are never deleted.
    """

    def __init__(self, arguments):
        self.lru: Lru = arguments["lru"]
        self.lifetime: float = arguments["lifetime"]

    def get(self, key):
        """The value, or NO_VALUE."""
        return self.lru.get(key) or NO_VALUE

    def set(self, key, value):
        """Store a value for its lifetime."""
        store_value(self.lru, key, value, self.lifetime)


class MemoryStore:
    """A cache in this process only, with counts of hits and misses."""

    def __init__(self, lru: Lru):
        self.hits = 0
        self.misses = 0
        self.lru = lru

    def configure(self, region: CacheRegion, lifetime: int) -> None:
        """Configure a region with its backend."""
        arguments = {"lru": self.lru, "lifetime": lifetime}
        region.configure("comicsdb.memory", expiration_time=lifetime, arguments=arguments)

    def count(self, *, hit: bool) -> None:
        """Count a hit or miss; as there is no lock, concurrent counts may be lost."""
        if hit:
            self.hits += 1
        else:
            self.misses += 1

    def clear(self) -> None:
        """Remove all values."""
        self.lru.clear()


register_backend("comicsdb.memory", __name__, "MemoryBackend")
