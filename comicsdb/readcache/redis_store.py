"""The cache in Redis, with checksums; failures and damaged values count as missing values."""

import struct
import time
import zlib

import redis

from comicsdb.db.redis_access import Circuit, open_pool
from comicsdb.readcache.memory import Lru, MemoryStore, Value

BATCH = 1000  # keys per step of a scan
COUNTED_TOGETHER = 50  # counted values after which a process updates the counts in Redis

MARK = b"cdb1"
HEADER = struct.Struct("<4sId")  # magic number, checksum, creation time


def _checksum(key: str, made: float, payload: bytes) -> int:
    # Includes the key, so that a value under another key counts as damaged.
    return zlib.crc32(payload, zlib.crc32(struct.pack("<d", made), zlib.crc32(key.encode())))


def pack(key: str, value: Value) -> bytes:
    """The stored form of a value: a header of sixteen bytes, and the payload."""
    return HEADER.pack(MARK, _checksum(key, value.made, value.payload), value.made) + value.payload


def unpack(key: str, stored: bytes) -> Value | None:
    """The value of a key from its stored form; None for damaged bytes."""
    if len(stored) < HEADER.size:
        return None
    mark, checksum, made = HEADER.unpack_from(stored)
    payload = stored[HEADER.size :]
    if mark != MARK or checksum != _checksum(key, made, payload):
        return None
    return Value(payload, made)


def counts_key(prefix: str) -> str:
    """The key of the counts of all processes, a hash of `hits` and `misses`."""
    return f"{prefix}:counts"


class RedisStore(MemoryStore):
    """A cache in Redis, shared by all processes, with the memory of this process before it.

    Raises ValueError for an invalid URL, but not if Redis does not answer: then values are missing or stored
    in this process only.
    """

    def __init__(self, url: str, prefix: str, lru: Lru):
        super().__init__(lru)
        self._prefix = prefix
        self._client = redis.Redis(connection_pool=open_pool(url))
        self._circuit = Circuit("the cache does without")

    def get(self, key: str, lifetime: int) -> bytes | None:
        """The value, unless it is missing or expired."""
        payload = self.remembered(key)
        if payload is not None:
            return payload
        stored = self._circuit.attempt(self._client.get, key)
        value = unpack(key, stored) if stored is not None else None
        if value is None or not value.made + lifetime > time.time():  # `made` may be NaN
            return None
        self.lru.set(key, value, lifetime)
        return value.payload

    def set(self, key: str, payload: bytes, lifetime: int) -> None:
        """Store a value in memory and, if possible, in Redis."""
        value = Value(payload, time.time())
        self.lru.set(key, value, lifetime)
        self._circuit.attempt(lambda: self._client.set(key, pack(key, value), ex=lifetime))

    def count(self, *, hit: bool) -> None:
        """Count a hit or miss, every now and then in Redis too."""
        super().count(hit=hit)
        if self.hits + self.misses >= COUNTED_TOGETHER:
            hits, misses, self.hits, self.misses = self.hits, self.misses, 0, 0
            self._circuit.attempt(self._add_counts, hits, misses)

    def _add_counts(self, hits: int, misses: int) -> None:
        pipe = self._client.pipeline(transaction=False)
        pipe.hincrby(counts_key(self._prefix), "hits", hits)
        pipe.hincrby(counts_key(self._prefix), "misses", misses)
        pipe.execute()

    def clear(self) -> None:
        """Remove all values, also in Redis; raises RedisError if it does not answer."""
        super().clear()
        cursor = None
        while cursor != 0:
            cursor, keys = self._client.scan(cursor or 0, match=f"{self._prefix}:*", count=BATCH)
            if keys:
                self._client.unlink(*keys)
