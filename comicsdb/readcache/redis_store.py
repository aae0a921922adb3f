"""The cache in Redis, with checksums; failures and damaged values count as misses."""

import struct
import zlib

import redis
from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CachedValue
from dogpile.cache.backends.redis import RedisBackend
from dogpile.cache.region import CacheRegion, value_version

from comicsdb.db.redis_access import CircuitBreaker, open_pool
from comicsdb.readcache.memory import Lru, MemoryStore, store_value

BATCH = 1000  # keys per step of a scan
COUNT_BATCH = 50  # counts after which a process adds them to those in Redis

MAGIC = b"cdb1"
HEADER = struct.Struct("<4sId")  # magic number, checksum, creation time


def _checksum(key: str, made: float, payload: bytes) -> int:
    # Includes the key, so that a value under another key counts as damaged.
    return zlib.crc32(payload, zlib.crc32(struct.pack("<d", made), zlib.crc32(key.encode())))


def pack(key: str, value: CachedValue) -> bytes:
    """The stored form of a value: a header of sixteen bytes, followed by the payload."""
    made = value.metadata["ct"]
    return HEADER.pack(MAGIC, _checksum(key, made, value.payload), made) + value.payload


def unpack(key: str, stored: bytes) -> CachedValue | None:
    """The value of a key, parsed from its stored form; None for damaged bytes."""
    if len(stored) < HEADER.size:
        return None
    mark, checksum, made = HEADER.unpack_from(stored)
    payload = stored[HEADER.size :]
    if mark != MAGIC or checksum != _checksum(key, made, payload):
        return None
    return CachedValue(payload, {"ct": made, "v": value_version})


class SharedBackend(RedisBackend):
    """dogpile's backend for Redis, behind the memory of this process, as values never change.

    Values are packed by `pack` rather than pickled, and damaged ones are detected. If Redis fails, values are
    missing or not stored.
    """

    serializer = None
    deserializer = None

    def __init__(self, arguments):
        super().__init__(arguments)
        self._lru: Lru = arguments["lru"]
        self._circuit: CircuitBreaker = arguments["circuit"]

    def get(self, key):
        """The value, or NO_VALUE."""
        value = self._lru.get(key)
        if value is None:
            stored = self._circuit.call(self.reader_client.get, key)
            value = unpack(key, stored) if stored is not None else None
            if value is None:
                return NO_VALUE
            store_value(self._lru, key, value, self.redis_expiration_time)
        return value

    def set(self, key, value):
        """Store a value in memory and, if possible, in Redis."""
        store_value(self._lru, key, value, self.redis_expiration_time)
        packed, seconds = pack(key, value), self.redis_expiration_time
        self._circuit.call(lambda: self.writer_client.set(key, packed, ex=seconds))


def counts_key(prefix: str) -> str:
    """The key of the counts of all processes, a hash of `hits` and `misses`."""
    return f"{prefix}:counts"


class RedisStore(MemoryStore):
    """A cache in Redis, shared by all processes, behind the memory of this process.

    Raises ValueError for an invalid URL, but not if Redis is unavailable.
    """

    def __init__(self, url: str, prefix: str, lru: Lru):
        super().__init__(lru)
        self._prefix = prefix
        self._client = redis.Redis(connection_pool=open_pool(url))
        self._circuit = CircuitBreaker("the cache does without")

    def configure(self, region: CacheRegion, lifetime: int) -> None:
        """Configure a region with its backend."""
        region.configure(
            "comicsdb.redis",
            expiration_time=lifetime,
            arguments={
                "connection_pool": self._client.connection_pool,
                "redis_expiration_time": lifetime,
                "lru": self.lru,
                "circuit": self._circuit,
            },
        )

    def count(self, *, hit: bool) -> None:
        """Count a hit or miss; the counts are added to those in Redis every now and then."""
        super().count(hit=hit)
        if self.hits + self.misses >= COUNT_BATCH:
            hits, misses, self.hits, self.misses = self.hits, self.misses, 0, 0
            self._circuit.call(self._add_counts, hits, misses)

    def _add_counts(self, hits: int, misses: int) -> None:
        pipe = self._client.pipeline(transaction=False)
        pipe.hincrby(counts_key(self._prefix), "hits", hits)
        pipe.hincrby(counts_key(self._prefix), "misses", misses)
        pipe.execute()

    def clear(self) -> None:
        """Remove all values, including those in Redis; raises RedisError if it is unavailable."""
        super().clear()
        cursor = None
        while cursor != 0:
            cursor, keys = self._client.scan(cursor or 0, match=f"{self._prefix}:*", count=BATCH)
            if keys:
                self._client.unlink(*keys)


register_backend("comicsdb.redis", __name__, "SharedBackend")
