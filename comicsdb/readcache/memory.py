"""The cache in the memory of a process: an LRU cache bounded by bytes."""

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CacheBackend, CachedValue

# Bytes of an entry besides key and payload: two tuples, the metadata, numbers, a slot of the dictionary.
ENTRY_BYTES = 600
LOCK_WAIT = 5.0  # seconds after which a waiting caller creates the value itself


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
    if not isinstance(value.payload, bytes):
        raise TypeError(f"A cached value is bytes, not {type(value.payload).__name__}.")
    created = min(time.time(), value.metadata["ct"])  # another machine's clock may be ahead
    size = sys.getsizeof(key) + sys.getsizeof(value.payload) + ENTRY_BYTES
    lru.set(key, value, size, created + lifetime)


class CreationLock:
    """The lock of those who create the value of one key; those who wait for too long get it as well."""

    def __init__(self, on_free: Callable[[], None] = lambda: None):
        self._lock = threading.RLock()
        self._on_free = on_free  # called if nobody else had it

    def acquire(self, wait: bool = True) -> bool:
        """Take the lock; False if somebody else has it."""
        if self._lock.acquire(blocking=False):
            self._on_free()
            return True
        return wait and self._lock.acquire(timeout=LOCK_WAIT)

    def release(self) -> None:
        """Return the lock, unless waiting for it was given up."""
        with suppress(RuntimeError):
            self._lock.release()


class MemoryBackend(CacheBackend):
    """A dogpile backend on an `Lru`, with the arguments `lru` and `redis_expiration_time` in seconds.

    It only has the methods that our regions need; single values are never deleted.
    """

    def __init__(self, arguments):
        self._lru: Lru = arguments["lru"]
        self._lifetime: float = arguments["redis_expiration_time"]

    def get(self, key):
        """The value, or NO_VALUE."""
        return self._lru.get(key) or NO_VALUE

    def set(self, key, value):
        """Store a value for its lifetime."""
        store_value(self._lru, key, value, self._lifetime)

    def get_mutex(self, key):  # noqa: ARG002
        """The lock for creating a value."""
        return CreationLock()


register_backend("comicsdb.memory", __name__, "MemoryBackend")
