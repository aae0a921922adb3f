"""The cache in Redis: values as checked bytes; a Redis that fails or is damaged is like an empty one."""

import struct
import time
import zlib
from hashlib import sha1

import redis
from dogpile.cache import register_backend
from dogpile.cache.api import NO_VALUE, CachedValue
from dogpile.cache.backends.redis import RedisBackend
from dogpile.cache.proxy import ProxyBackend
from dogpile.cache.region import CacheRegion, value_version
from redis.exceptions import LockNotOwnedError
from redis.lock import Lock

from comicsdb.db.redis_access import Circuit, Direct, open_pool
from comicsdb.readcache import memory
from comicsdb.readcache.memory import Lru, MemoryStore, Mutex

LOCK_POLL = 0.005  # seconds between two looks at a lock that another process holds
LOCK_EXPIRY = 10.0  # seconds after which the lock of a process that died is free
BATCH = 1000  # keys for one step through all keys
COUNTED_TOGETHER = 50  # values after which a process adds its counts to those in Redis

MARK = b"cdb1"
HEADER = struct.Struct("<4sId")  # mark, checksum, clock time at which the value was made


def _checksum(key: str, made: float, payload: bytes) -> int:
    # The key counts too: an answer that belongs to another question is a wrong answer.
    return zlib.crc32(payload, zlib.crc32(struct.pack("<d", made), zlib.crc32(key.encode())))


def pack(key: str, value: CachedValue) -> bytes:
    """A value as it is stored: a header of sixteen bytes, and the payload as it is."""
    made = value.metadata["ct"]
    return HEADER.pack(MARK, _checksum(key, made, value.payload), made) + value.payload


def unpack(key: str, stored: bytes) -> CachedValue | None:
    """The value that was stored under a key; None if the bytes are not those that `pack` made for it."""
    if len(stored) < HEADER.size:
        return None
    mark, checksum, made = HEADER.unpack_from(stored)
    payload = stored[HEADER.size :]
    if mark != MARK or checksum != _checksum(key, made, payload):
        return None
    return CachedValue(payload, {"ct": made, "v": value_version})


class DirectLock(Lock):
    """The library's lock, asked for and given back past its client."""

    DIGEST = sha1(Lock.LUA_RELEASE_SCRIPT.encode(), usedforsecurity=False).hexdigest().encode()

    def __init__(self, direct: Direct, client: redis.Redis, name: str):
        # thread_local: only the one thread that holds the process's own lock comes here
        super().__init__(client, name, timeout=LOCK_EXPIRY, sleep=LOCK_POLL, thread_local=False)
        self._direct = direct

    def do_acquire(self, token) -> bool:
        """Try once; raises RedisError."""
        milliseconds = b"%d" % (self.timeout * 1000)
        return self._direct.call(b"SET", self.name.encode(), token, b"NX", b"PX", milliseconds) is not None

    def do_release(self, expected_token) -> None:
        """Give it back; raises LockNotOwnedError where it has expired, and RedisError."""
        key = self.name.encode()
        if not self._direct.run(self.DIGEST, self.LUA_RELEASE_SCRIPT, b"1", key, expected_token):
            raise LockNotOwnedError(self.name)


class CheckedBackend(RedisBackend):
    """dogpile's backend for Redis, with values packed by us: no pickle, and nothing damaged comes out."""

    serializer = None
    deserializer = None

    def __init__(self, arguments):
        super().__init__(arguments)
        self._direct = Direct(arguments["connection_pool"])

    def get(self, key):
        """The value, or NO_VALUE; raises RedisError."""
        stored = self._direct.call(b"GET", key.encode())
        if stored is None:
            return NO_VALUE
        return unpack(key, stored) or NO_VALUE

    def set(self, key, value):
        """Store a value for the lifetime; raises RedisError."""
        self._direct.call(b"SET", key.encode(), pack(key, value), b"EX", b"%d" % self.redis_expiration_time)

    def get_mutex(self, key):
        """A lock among processes; it expires, in case that its holder dies."""
        return DirectLock(self._direct, self.writer_client, f"{key}:lock")


class SharedMutex(Mutex):
    """One key's lock among threads and processes; without Redis, among the threads of this process."""

    def __init__(self, circuit: Circuit, lock: Lock):
        super().__init__()
        self._circuit = circuit
        self._shared = lock
        self._is_shared = False

    def acquire(self) -> bool:
        """Wait for this process's lock, then for that of all processes, together for `LOCK_WAIT` at most."""
        until = time.monotonic() + memory.LOCK_WAIT
        if not super().acquire():
            return False
        try:
            left = max(until - time.monotonic(), 0)
            self._is_shared = self._circuit.attempt(self._acquire_shared, left, otherwise=False)
        except BaseException:
            super().release()
            raise
        return True

    def _acquire_shared(self, seconds: float) -> bool:
        return self._shared.acquire(blocking_timeout=seconds)

    def release(self) -> None:
        """Give both locks back."""
        try:
            if self._is_shared:
                self._is_shared = False
                self._circuit.attempt(self._shared.release)
        finally:
            super().release()


class Forgiving(ProxyBackend):
    """Makes every failure of Redis a value that is not there or was not stored."""

    def __init__(self, circuit: Circuit):
        super().__init__()
        self._circuit = circuit

    def get(self, key):
        """The value, or NO_VALUE."""
        return self._circuit.attempt(self.proxied.get, key, otherwise=NO_VALUE)

    def set(self, key, value):
        """Store a value, if Redis takes it."""
        self._circuit.attempt(self.proxied.set, key, value)

    def get_mutex(self, key):
        """The lock under which the value of a key is made."""
        return SharedMutex(self._circuit, self.proxied.get_mutex(key))


class Remembering(ProxyBackend):
    """Keeps in this process's memory what went through; right, because a value never becomes wrong."""

    def __init__(self, lru: Lru, lifetime: float):
        super().__init__()
        self._lru = lru
        self._lifetime = lifetime

    def get(self, key):
        """The value, or NO_VALUE."""
        value = self._lru.get(key)
        if value is None:
            value = self.proxied.get(key)
            if value is not NO_VALUE:
                self._lru.set(key, value, self._lifetime)
        return value

    def set(self, key, value):
        """Keep a value here and there."""
        self._lru.set(key, value, self._lifetime)
        self.proxied.set(key, value)


def counts_key(prefix: str) -> str:
    """The key of the counts of all processes: a hash of `hits` and `misses`."""
    return f"{prefix}:counts"


class RedisStore(MemoryStore):
    """A cache in Redis, shared by all processes, with a memory of this process before it.

    Raises ValueError for an address that cannot be meant; a Redis that does not answer raises nothing.
    """

    def __init__(self, url: str, prefix: str, lru: Lru):
        super().__init__(lru)
        self._prefix = prefix
        self._client = redis.Redis(connection_pool=open_pool(url))
        self._circuit = Circuit("the cache does without")

    def configure(self, region: CacheRegion, lifetime: int) -> None:
        """Give a region its backend and the layers before it."""
        region.configure(
            "comicsdb.redis",
            expiration_time=lifetime,
            arguments={
                "connection_pool": self._client.connection_pool,
                "redis_expiration_time": lifetime,
            },
            wrap=[Remembering(self._lru, lifetime), Forgiving(self._circuit)],
        )

    def count(self, *, hit: bool) -> None:
        """Count one value, now and then in Redis too."""
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
        """Forget everything, here and in Redis; raises RedisError if it does not answer."""
        super().clear()
        cursor = None
        while cursor != 0:
            cursor, keys = self._client.scan(cursor or 0, match=f"{self._prefix}:*", count=BATCH)
            if keys:
                self._client.unlink(*keys)


register_backend("comicsdb.redis", __name__, "CheckedBackend")
