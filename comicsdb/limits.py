"""Rate limits: at most so many events of one client in any period of some seconds, exactly (api.md 6.2).

The time of every event in the period is kept, in this process's memory, or in Redis where several processes
count together.
"""

from collections.abc import Collection
from typing import NamedTuple

from comicsdb.limits_memory import Asked, Limit, Standing, TimesInMemory

__all__ = ["Limit", "Limiter", "Standing", "Taken"]


class Taken(NamedTuple):
    """An event as its limits judged it, and the store that keeps its places."""

    standings: tuple[Standing, ...]
    store: TimesInMemory

    @property
    def refused(self) -> list[Standing]:
        """The limits that refused it."""
        return [each for each in self.standings if each.refused]


class Limiter:
    """Judges events by limits, for any number of threads, and with the `url` of a Redis for all processes.

    While Redis fails, each process counts for itself. Raises ValueError for a wrong address and ImportError
    if the library for Redis is not installed; a Redis that does not answer raises nothing.
    """

    def __init__(self, url: str = "", prefix: str = "comicsdb"):
        self._memory = TimesInMemory()
        self._shared = None
        if url:
            from comicsdb.limits_redis import TimesInRedis  # noqa: PLC0415  (needs the extra `redis`)
            from comicsdb.redis_access import Circuit  # noqa: PLC0415

            # Not below the prefix of the cache, which may be emptied at any time.
            self._shared = TimesInRedis(url, f"{prefix}-limits")
            self._circuit = Circuit("each process counts for itself")

    def take(self, asked: Asked, *, together: bool = True, free: Collection[str] = ()) -> Taken:
        """Judge an event by limits, each paired with the client whose events it counts.

        Each limit that lets it through counts it; with `together` only if all of them do. The limits named in
        `free` judge without counting it.
        """
        if self._shared is not None:
            standings = self._circuit.attempt(self._shared.take, asked, together, free)
            if standings is not None:
                return Taken(standings, self._shared)
        return Taken(self._memory.take(asked, together, free), self._memory)

    def give_back(self, taken: Taken, name: str) -> Taken:
        """Take an event's place at one limit back, this very event's; and how its client stands then."""

        def without(standing: Standing) -> Standing:
            if standing.limit.name != name or not standing.placed:
                return standing
            if taken.store is self._memory:
                return self._memory.give_back(standing)
            return self._circuit.attempt(self._shared.give_back, standing) or standing

        return taken._replace(standings=tuple(without(each) for each in taken.standings))

    def forget(self) -> None:
        """Forget what this process has counted; what is in Redis stays."""
        self._memory.reset()


def from_settings(settings: dict) -> Limiter:
    """The limiter of a site: in the Redis of its cache, unless it has none or each process counts alone."""
    url = settings["comicsdb.cache.url"] if settings["comicsdb.limits.shared"] else ""
    return Limiter(url, settings["comicsdb.cache.prefix"])


def includeme(config):
    """`request.registry["comicsdb.limiter"]`, made once per process."""
    config.registry["comicsdb.limiter"] = from_settings(config.get_settings())
