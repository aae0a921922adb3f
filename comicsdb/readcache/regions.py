"""The cache: regions of bytes under keys that contain the validators of what they hold.

A stored value never becomes wrong, so nothing is ever invalidated: lifetimes only bound memory. Only figures
of the whole catalogue may be as old as the lifetime of their region, and say so.
"""

from collections.abc import Callable

from dogpile.cache import make_region
from dogpile.cache.api import NO_VALUE
from dogpile.cache.region import CacheRegion

from comicsdb.config import SettingsError
from comicsdb.readcache.memory import Lru, MemoryStore

DETAIL_SECONDS = 86_400
LIST_SECONDS = 120
FIGURES_SECONDS = 1800
MEGABYTE = 2**20


class Region:
    """One part of the cache: bytes by key, for the region's lifetime at most."""

    def __init__(self, region: CacheRegion, store: MemoryStore):
        self._region = region
        self._store = store
        self.watch: Callable[[bool], None] | None = None  # called for each value: whether it was there

    def get(self, key: str) -> bytes | None:
        """The value, or None if it is not there."""
        value = self._region.get(key)
        if value is NO_VALUE:
            return None
        self._count(hit=True)
        return value

    def get_or_create(self, key: str, create: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The value, and whether it was there already; `create` makes it if not.

        Of many callers who miss the same key at once, one creates and the others wait for its value. If it
        fails, its exception is its own caller's alone, and another creates. Who has waited `LOCK_WAIT`
        seconds creates for itself.
        """
        hit = True

        def made() -> bytes:
            nonlocal hit
            value, hit = create(), False
            if not isinstance(value, bytes):
                raise TypeError(f"A cached value is bytes, not {type(value).__name__}.")
            return value

        value = self._region.get_or_create(key, made)
        self._count(hit=hit)
        return value, hit

    def _count(self, *, hit: bool) -> None:
        self._store.count(hit=hit)
        if self.watch is not None:
            self.watch(hit)


class Cache:
    """The cache of a site: `detail` for single objects, `list` for lists, `figures` of the whole catalogue.

    Without `url` it lies in this process's memory; with one, in Redis and in a memory before it. The regions
    share that memory: `memory_mb` times 1024 KB at most. What code with another `build_fingerprint` has
    stored is not seen. Raises ValueError for a wrong address and ImportError if the library for Redis is not
    installed; a Redis that does not answer raises nothing.
    """

    def __init__(
        self,
        url: str = "",
        *,
        prefix: str = "comicsdb",
        build_fingerprint: str = "",
        memory_mb: float = 64,
        detail_seconds: int = DETAIL_SECONDS,
        list_seconds: int = LIST_SECONDS,
        figures_seconds: int = FIGURES_SECONDS,
    ):
        lru = Lru(int(memory_mb * MEGABYTE))
        if url:
            from comicsdb.readcache.redis_store import RedisStore  # noqa: PLC0415  (needs the extra `redis`)

            self._store = RedisStore(url, prefix, lru)
        else:
            self._store = MemoryStore(lru)
        end = f":{build_fingerprint}" if build_fingerprint else ""
        self.detail = self._region(f"{prefix}:detail:", end, detail_seconds)
        self.list = self._region(f"{prefix}:list:", end, list_seconds)
        self.figures = self._region(f"{prefix}:figures:", end, figures_seconds)

    def _region(self, start: str, end: str, lifetime: int) -> Region:
        region = make_region(key_mangler=lambda key: f"{start}{key}{end}")
        self._store.configure(region, lifetime)
        return Region(region, self._store)

    def clear(self) -> None:
        """Forget everything, in this process and in Redis; other processes keep what they remember.

        Raises RedisError if Redis does not answer.
        """
        self._store.clear()


def from_settings(settings: dict, build_fingerprint: str = "") -> Cache:
    """The cache that the settings describe; raises SettingsError for an address that cannot be used."""
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
    """`request.cache`, made once per process from the settings."""
    config.registry["comicsdb.cache"] = from_settings(
        config.get_settings(), config.registry["comicsdb.build_fingerprint"]
    )
    config.add_request_method(lambda request: request.registry["comicsdb.cache"], "cache", reify=True)
