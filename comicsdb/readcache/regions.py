"""The cache: regions of bytes whose keys contain their validators.

Stored values never become outdated, so there is no invalidation; lifetimes only bound memory. Only figures of
the whole catalogue may be as old as the lifetime of their region, and pages show their age.
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
    """A region of the cache: bytes by key, with a lifetime."""

    def __init__(self, region: CacheRegion, store: MemoryStore):
        self._region = region
        self._store = store
        self.watch: Callable[[bool], None] | None = None  # called for each value with whether it was a hit

    def get(self, key: str) -> bytes | None:
        """The value, or None."""
        value = self._region.get(key)
        if value is NO_VALUE:
            return None
        self._count(hit=True)
        return value

    def get_or_create(self, key: str, create: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The value, created by `create` if it is missing, and whether it was a hit.

        Of concurrent callers with the same missing key, one creates the value and the others wait for it. If
        that raises an exception, only that caller gets it, and another one creates the value. After
        `LOCK_WAIT` seconds of waiting, a caller creates the value itself.
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
    """The cache of a site, with the regions `detail` (objects), `list` (lists) and `figures` (statistics).

    Without `url` it is in the memory of this process; with one, in Redis, with that memory before it. The
    regions share at most `memory_mb` MB of memory. Values of code with another `build_fingerprint` are
    ignored. Raises ValueError for an invalid URL and ImportError if the library for Redis is not installed,
    but nothing if Redis does not answer.
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
        """Remove all values in this process and in Redis, but not in the memory of other processes.

        Raises RedisError if Redis does not answer.
        """
        self._store.clear()


def from_settings(settings: dict, build_fingerprint: str = "") -> Cache:
    """The cache of the settings; raises SettingsError for an invalid URL."""
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
