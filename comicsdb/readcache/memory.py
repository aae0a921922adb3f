"""The cache in the memory of a process: an LRU cache bounded by bytes."""

import sys
import threading
import time
from collections import OrderedDict
from typing import NamedTuple

# Bytes of an entry besides key and payload: two tuples, the metadata, numbers, a slot of the dictionary.
ENTRY_BYTES = 600


class Value(NamedTuple):
    """A cached value, and when it was made, in seconds since 1970."""

    payload: bytes
    made: float


class Entry(NamedTuple):
    """A value, its expiry time, and its size in bytes."""

    value: Value
    expires: float
    size: int


class Lru:
    """Values by key of at most `limit` bytes in total; all operations take constant time.

    Larger values are not stored. Thread-safe.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self.size = 0
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Value | None:
        """The value, unless it is missing or expired."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.expires <= time.time():
                self._remove(key)
                return None
            self._entries.move_to_end(key)
        return entry.value

    def set(self, key: str, value: Value, lifetime: float) -> None:
        """Store a value until `lifetime` seconds after its creation, or until it is evicted."""
        now = time.time()
        made = min(now, value.made)  # another machine's clock may be ahead
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
        """Remove all values."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size


class MemoryStore:
    """A cache in this process only, with counts of hits and misses."""

    def __init__(self, lru: Lru):
        self.hits = 0
        self.misses = 0
        self.lru = lru

    def remembered(self, key: str) -> bytes | None:
        """The value in the memory of this process, unless it is missing or expired."""
        value = self.lru.get(key)
        return value.payload if value is not None else None

    def get(self, key: str, lifetime: int) -> bytes | None:  # noqa: ARG002  (of values in Redis)
        """The value, unless it is missing or expired."""
        return self.remembered(key)

    def set(self, key: str, payload: bytes, lifetime: int) -> None:
        """Store a value that was made now."""
        self.lru.set(key, Value(payload, time.time()), lifetime)

    def count(self, *, hit: bool) -> None:
        """Count a hit or miss; without a lock, concurrent counts may be lost."""
        if hit:
            self.hits += 1
        else:
            self.misses += 1

    def clear(self) -> None:
        """Remove all values."""
        self.lru.clear()
