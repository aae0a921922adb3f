"""Rate limits: at most so many events of one client in any period of some seconds.

They are counted in PostgreSQL, or in Redis where one is set; either way all processes of an installation
count together.
"""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from comicsdb.db.read_pool import ReadPool
from comicsdb.ratelimit.postgres import PostgresStore
from comicsdb.ratelimit.types import Asked, Limit, WindowState

__all__ = ["Decision", "Limit", "Limiter", "WindowState"]


class Store(Protocol):
    """Where events are counted."""

    def take(self, asked: Asked, together: bool, free: Collection[str]) -> tuple[WindowState, ...]:
        """Judge an event, as `Limiter.take`."""

    def give_back(self, state: WindowState) -> WindowState:
        """Take out the very event after which a client stood so, and how it stands without."""


class Decision(NamedTuple):
    """An event as its limits judged it, and the store that keeps its places."""

    states: tuple[WindowState, ...]
    store: Store

    @property
    def refused(self) -> list[WindowState]:
        """The limits that refused it."""
        return [each for each in self.states if each.refused]


class Limiter:
    """Judges events by limits, for any number of threads and processes.

    With the `url` of a Redis that counts; PostgreSQL does while it fails. Raises ValueError for a wrong
    address and ImportError if the library for Redis is not installed; a Redis that does not answer raises
    nothing.
    """

    def __init__(self, read_pool: ReadPool, url: str = "", prefix: str = "comicsdb"):
        self._postgres = PostgresStore(read_pool)
        self._redis = None
        if url:
            from comicsdb.db.redis_access import Circuit  # noqa: PLC0415
            from comicsdb.ratelimit.redis_store import TimesInRedis  # noqa: PLC0415  (needs the extra `redis`)

            # Not below the prefix of the cache, which may be emptied at any time.
            self._redis = TimesInRedis(url, f"{prefix}-limits")
            self._circuit = Circuit("limits are counted in PostgreSQL")

    def take(self, asked: Asked, *, together: bool = True, free: Collection[str] = ()) -> Decision:
        """Judge an event by limits, each paired with the client whose events it counts.

        Each limit that lets it through counts it; with `together` only if all of them do. The limits named in
        `free` judge without counting it. Raises psycopg.Error where PostgreSQL is asked and fails.
        """
        if self._redis is not None:
            states = self._circuit.attempt(self._redis.take, asked, together, free)
            if states is not None:
                return Decision(states, self._redis)
        return Decision(self._postgres.take(asked, together, free), self._postgres)

    def give_back(self, taken: Decision, name: str) -> Decision:
        """Take back this very event's places at the limits with one name; and how its clients stand then."""

        def without(state: WindowState) -> WindowState:
            if state.limit.name != name or not state.placed:
                return state
            if taken.store is self._postgres:
                return self._postgres.give_back(state)
            return self._circuit.attempt(self._redis.give_back, state) or state

        return taken._replace(states=tuple(without(each) for each in taken.states))

    def forget(self) -> None:
        """Forget what is counted in PostgreSQL; what is in Redis stays."""
        self._postgres.forget()


def includeme(config):
    """`request.registry["comicsdb.limiter"]`, made once per process."""
    settings = config.get_settings()
    config.registry["comicsdb.limiter"] = Limiter(
        config.registry["comicsdb.read_pool"],
        settings["comicsdb.cache.url"],
        settings["comicsdb.cache.prefix"],
    )
