"""The cache in Redis, with checksums; failures and damaged values count as misses."""

import struct
import threading
import zlib

import redis
from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CachedValue
from dogpile.cache.backends.redis import RedisBackend
from dogpile.cache.region import value_version

from comicsdb.db.redis_access import RedisCalls, open_pool
from comicsdb.readcache.memory import CreationLock, Lru, store_value

BATCH = 1000  # keys per step of a scan

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
        self._calls: RedisCalls = arguments["calls"]
        self._thread = threading.local()

    def get(self, key):
        """The value, or NO_VALUE."""
        value = self._lru.get(key)
        if value is not None:
            return value
        if getattr(self._thread, "missing_key", None) == key:
            self._thread.missing_key = None
            return NO_VALUE
        stored = self._calls.call(self.reader_client.get, key)
        value = unpack(key, stored) if stored is not None else None
        if value is None:
            return NO_VALUE
        store_value(self._lru, key, value, self.redis_expiration_time)
        return value

    def set(self, key, value):
        """Store a value in memory and, if possible, in Redis."""
        store_value(self._lru, key, value, self.redis_expiration_time)
        packed, seconds = pack(key, value), self.redis_expiration_time
        self._calls.call(lambda: self.writer_client.set(key, packed, ex=seconds))

    def get_mutex(self, key):
        """The lock for creating a value.

        With the lock, dogpile asks for the value again. Redis has just been asked, and is only asked once
        more if another thread had the lock.
        """
        return CreationLock(lambda: setattr(self._thread, "missing_key", key))


def connect(url: str) -> dict:
    """The arguments of the backend for a Redis; opens no connection. Raises ValueError for an invalid URL."""
    return {"connection_pool": open_pool(url), "calls": RedisCalls("the cache does without")}


def clear(pool: redis.ConnectionPool, prefix: str) -> None:
    """Remove all values below a prefix; raises RedisError if Redis is unavailable."""
    client = redis.Redis(connection_pool=pool)
    cursor = None
    while cursor != 0:
        cursor, keys = client.scan(cursor or 0, match=f"{prefix}:*", count=BATCH)
        if keys:
            client.unlink(*keys)


register_backend("comicsdb.redis", __name__, "SharedBackend")
