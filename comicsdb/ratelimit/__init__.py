"""Rate limits: a maximum number of events of one client in any period of a given length.

They are counted in PostgreSQL, or in Redis if one is configured; in either case all processes of an
installation share the counts.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from comicsdb.db.epoch import check_epoch
from comicsdb.db.read_pool import ReadPool
from comicsdb.ratelimit.postgres import PostgresStore
from comicsdb.ratelimit.types import ClientLimits, Limit, WindowState

if TYPE_CHECKING:
    from comicsdb.ratelimit.redis_store import RedisStore

__all__ = ["Decision", "Limit", "Limiter", "WindowState"]


class Decision(NamedTuple):
    """The decision of all limits on an event, and the store that counted it."""

    states: tuple[WindowState, ...]
    store: "PostgresStore | RedisStore"

    @property
    def refused(self) -> list[WindowState]:
        """The limits that rejected the event."""
        return [each for each in self.states if each.refused]

    @property
    def wait(self) -> int:
        """The seconds until all limits admit the event, at least one; 0 if they have admitted it."""
        return max((max(1, each.retry_after) for each in self.refused), default=0)


class Limiter:
    """Checks events against limits, for any number of threads and processes.

    If the `url` of a Redis is given, it counts; PostgreSQL counts while it fails. Raises ValueError for an
    invalid URL and ImportError if the library for Redis is not installed; a Redis that does not respond
    raises nothing.
    """

    def __init__(self, read_pool: ReadPool, url: str = "", prefix: str = "comicsdb"):
        self._read_pool = read_pool
        self._postgres = PostgresStore(read_pool)
        self._redis = None
        if url:
            from comicsdb.db.redis_access import RedisCalls  # noqa: PLC0415
            from comicsdb.ratelimit.redis_store import RedisStore  # noqa: PLC0415  (needs the extra `redis`)

            # Not below the cache's prefix, as the cache may be emptied at any time.
            self._redis = RedisStore(url, f"{prefix}-limits")
            self._calls = RedisCalls("limits are counted in PostgreSQL")

    def take(
        self,
        client_limits: ClientLimits,
        *,
        all_or_none: bool = True,
        uncounted: Collection[str] = (),
        epoch: int | None = None,
    ) -> Decision:
        """Check an event against limits, each paired with the client whose events it counts.

        Each limit that admits the event counts it, as often as the limit is given; with `all_or_none` only if
        all of them admit it. The limits named in `uncounted` check it without counting it. Raises
        psycopg.Error if PostgreSQL is used and fails, and EpochMovedError, having counted nothing, if an
        epoch is given that is no longer current.
        """
        if self._redis is not None:
            check_epoch(self._read_pool, epoch)
            epoch = None
            states = self._calls.call(self._redis.take, client_limits, all_or_none, uncounted)
            if states is not None:
                return Decision(states, self._redis)
        return Decision(self._postgres.take(client_limits, all_or_none, uncounted, epoch), self._postgres)

    def refund(self, decision: Decision, name: str) -> Decision:
        """Undo the counting of this event by the limits with this name; returns the states after that."""
        # If a limit was given several times, its last state is the final one.
        states = {(each.limit, each.client): self._refunded(decision, each, name) for each in decision.states}
        return decision._replace(states=tuple(states.values()))

    def _refunded(self, decision: Decision, state: WindowState, name: str) -> WindowState:
        if state.limit.name != name or not state.is_counted:
            return state
        if decision.store is self._postgres:
            return self._postgres.refund(state)
        return self._calls.call(self._redis.refund, state) or state


def includeme(config):
    """Create `request.registry["comicsdb.limiter"]`, one per process."""
    settings = config.get_settings()
    config.registry["comicsdb.limiter"] = Limiter(
        config.registry["comicsdb.read_pool"],
        settings["comicsdb.cache.url"],
        settings["comicsdb.cache.prefix"],
    )
