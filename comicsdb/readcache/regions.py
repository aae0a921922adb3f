"""The cache: regions of bytes whose keys contain their validators.

Stored values never become outdated, so there is no invalidation; lifetimes only limit memory. Only figures of
the whole catalogue may be as old as the lifetime of their region, and pages show their age.
"""

import threading
from collections.abc import Callable

from dogpile.cache import make_region
from dogpile.cache.api import NO_VALUE
from dogpile.cache.region import CacheRegion
from dogpile.util import NameRegistry

from comicsdb.config import SettingsError
from comicsdb.readcache.memory import Lru, MemoryStore

DETAIL_SECONDS = 86_400
LIST_SECONDS = 120
FIGURES_SECONDS = 1800
MEGABYTE = 2**20
LOCK_WAIT = 5.0  # seconds after which a waiting caller creates the value itself


class Region:
    """A region of the cache: bytes by key, with a lifetime."""

    def __init__(self, region: CacheRegion, store: MemoryStore):
        self._region = region
        self._store = store
        self._locks = NameRegistry(lambda _key: threading.Lock())
        self.on_lookup: Callable[[bool], None] | None = None  # called with whether it was a hit

    def get(self, key: str) -> bytes | None:
        """The value, or None."""
        value = self._region.get(key)
        if value is NO_VALUE:
            return None
        self._count(hit=True)
        return value

    def get_or_create(
        self, key: str, create: Callable[[], bytes], *, missed: bool = False
    ) -> tuple[bytes, bool]:
        """The value, created by `create` if it is missing, and whether it was a hit.

        Of concurrent callers in this process with the same missing key, one creates the value and the others
        wait for it. If that raises an exception, only that caller gets it, and another one creates the value.
        After `LOCK_WAIT` seconds of waiting, a caller creates the value itself. With `missed`, after `get`
        has returned None, only the memory of this process is checked again.
        """
        # Not the region's own lock, which calls the backend twice before the value is created.
        lock = self._locks.get(key)
        locked = lock.acquire(timeout=LOCK_WAIT)
        try:
            value = self._get_from_memory(key) if missed else self._region.get(key)
            hit = value is not NO_VALUE
            if not hit:
                value = create()
                if not isinstance(value, bytes):
                    raise TypeError(f"A cached value is bytes, not {type(value).__name__}.")
                self._region.set(key, value)
        finally:
            if locked:
                lock.release()
        self._count(hit=hit)
        return value, hit

    def _get_from_memory(self, key: str):
        found = self._store.lru.get(self._region.key_mangler(key))
        return NO_VALUE if found is None else found.payload

    def _count(self, *, hit: bool) -> None:
        self._store.count(hit=hit)
        if self.on_lookup is not None:
            self.on_lookup(hit)


class Cache:
    """The cache of a site: `detail` (objects), `list`, `counts` (of lists) and `figures` (statistics).

    Without `url` it is in the memory of this process; with one, in Redis, behind that memory. The regions
    share at most `memory_mb` MB of memory. Values of code with another `build_fingerprint` are ignored.
    Raises ValueError for an invalid URL and ImportError if the library for Redis is not installed, but
    nothing if Redis is unavailable.
    """

    def __init__(
        self,
        url: str = "",
        *,
        prefix: str = "comicsdb",
        build_fingerprint: str = "",
        memory_mb: float = 32,
        detail_seconds: int = DETAIL_SECONDS,
        list_seconds: int = LIST_SECONDS,
    ):
        self.lru = lru = Lru(int(memory_mb * MEGABYTE))
        if url:
            from comicsdb.readcache.redis_store import RedisStore  # noqa: PLC0415  (needs the extra `redis`)

            self._store = RedisStore(url, prefix, lru)
        else:
            self._store = MemoryStore(lru)
        end = f":{build_fingerprint}" if build_fingerprint else ""
        self.detail = self._region(f"{prefix}:detail:", end, detail_seconds)
        self.list = self._region(f"{prefix}:list:", end, list_seconds)
        self.figures = self._region(f"{prefix}:figures:", end, FIGURES_SECONDS)
        # In memory only: most values take less time to compute than a round trip to Redis.
        self.counts = self._region("counts:", "", list_seconds, MemoryStore(lru))

    def _region(self, start: str, end: str, lifetime: int, store: MemoryStore | None = None) -> Region:
        region, store = make_region(key_mangler=lambda key: f"{start}{key}{end}"), store or self._store
        store.configure(region, lifetime)
        return Region(region, store)

    def clear(self) -> None:
        """Remove all values in this process and in Redis, but not in the memory of other processes.

        Raises RedisError if Redis is unavailable.
        """
        self._store.clear()


def from_settings(settings: dict, build_fingerprint: str = "") -> Cache:
    """The configured cache; raises SettingsError for an invalid URL."""
    try:
        return Cache(
            settings["comicsdb.cache.url"],
            prefix=settings["comicsdb.cache.prefix"],
            build_fingerprint=build_fingerprint,
            memory_mb=settings["comicsdb.cache.memory_mb"],
        )
    except ImportError as error:
        raise SettingsError(
            "The setting comicsdb.cache.url names a Redis, and its library is not installed:"
            " pip install 'comicsdb[redis]'."
        ) from error
    except ValueError as error:
        raise SettingsError(f"The setting comicsdb.cache.url is wrong: {error}") from error


def includeme(config):
    """Add `request.cache`, created once per process."""
    config.registry["comicsdb.cache"] = from_settings(
        config.get_settings(), config.registry["comicsdb.build_fingerprint"]
    )
    config.add_request_method(lambda request: request.registry["comicsdb.cache"], "cache", reify=True)
