"""The cache: regions of dogpile.cache with bytes, whose keys contain their validators.

Stored values never become outdated, so there is no invalidation; lifetimes only limit memory. Only figures of
the whole catalog may be as old as the lifetime of their region, and pages show their age.
"""

from collections.abc import Callable

from dogpile.cache import make_region
from dogpile.cache.api import NO_VALUE
from dogpile.cache.proxy import ProxyBackend
from dogpile.cache.region import CacheRegion

from comicsdb.config import SettingsError
from comicsdb.readcache.memory import Lru

DETAIL_SECONDS = 86_400
LIST_SECONDS = 120
FIGURES_SECONDS = 1800
MEGABYTE = 2**20


def get_or_create(region: CacheRegion, key: str, create: Callable[[], bytes]) -> tuple[bytes, bool]:
    """The value of a key, created if it is missing, and whether it was a hit."""
    is_hit = True

    def create_missing() -> bytes:
        nonlocal is_hit
        is_hit = False
        return create()

    return region.get_or_create(key, create_missing), is_hit


class Watched(ProxyBackend):
    """Calls a function for each hit, and another one for each value that was missing."""

    def __init__(self, on_hit: Callable[[], None], on_miss: Callable[[], None]):
        super().__init__()
        self._on_hit, self._on_miss = on_hit, on_miss

    def get(self, key):
        """The value, or NO_VALUE."""
        value = self.proxied.get(key)
        if value is not NO_VALUE:
            self._on_hit()
        return value

    def set(self, key, value):
        """Store a value."""
        self.proxied.set(key, value)
        self._on_miss()


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
        self.lru = Lru(int(memory_mb * MEGABYTE))
        self._prefix = prefix
        self._arguments = {"lru": self.lru}
        if url:
            from comicsdb.readcache import redis_store  # noqa: PLC0415  (needs the extra `redis`)

            self._arguments |= redis_store.connect(url)
        end = f":{build_fingerprint}" if build_fingerprint else ""
        stored_in = "comicsdb.redis" if url else "comicsdb.memory"
        self.detail = self._region(stored_in, f"{prefix}:detail:", end, detail_seconds)
        self.list = self._region(stored_in, f"{prefix}:list:", end, list_seconds)
        self.figures = self._region(stored_in, f"{prefix}:figures:", end, FIGURES_SECONDS)
        # In memory only: most values take less time to compute than a round trip to Redis.
        self.counts = self._region("comicsdb.memory", "counts:", "", list_seconds)

    def _region(self, backend: str, start: str, end: str, lifetime: int) -> CacheRegion:
        return make_region(key_mangler=lambda key: f"{start}{key}{end}").configure(
            backend,
            expiration_time=lifetime,
            arguments={**self._arguments, "redis_expiration_time": lifetime},
        )

    def clear(self) -> None:
        """Remove all values in this process and in Redis, but not in the memory of other processes.

        Raises RedisError if Redis is unavailable.
        """
        self.lru.clear()
        if "connection_pool" in self._arguments:
            from comicsdb.readcache import redis_store  # noqa: PLC0415

            redis_store.clear(self._arguments["connection_pool"], self._prefix)


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
