"""Rate limits: at most so many events of one client in any period of some seconds.

They are counted in PostgreSQL, or in Redis where one is set; either way all processes of an installation
count together.
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
    """An event as its limits judged it, and the store that counted it."""

    states: tuple[WindowState, ...]
    store: "PostgresStore | RedisStore"

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
        self._read_pool = read_pool
        self._postgres = PostgresStore(read_pool)
        self._redis = None
        if url:
            from comicsdb.db.redis_access import CircuitBreaker  # noqa: PLC0415
            from comicsdb.ratelimit.redis_store import RedisStore  # noqa: PLC0415  (needs the extra `redis`)

            # Not below the prefix of the cache, which may be emptied at any time.
            self._redis = RedisStore(url, f"{prefix}-limits")
            self._circuit = CircuitBreaker("limits are counted in PostgreSQL")

    def take(
        self,
        client_limits: ClientLimits,
        *,
        all_or_none: bool = True,
        uncounted: Collection[str] = (),
        epoch: int | None = None,
    ) -> Decision:
        """Judge an event by limits, each paired with the client whose events it counts.

        Each limit that admits the event counts it, as often as it is named; with `all_or_none` only if all of
        them do. The limits named in `uncounted` judge without counting it. Raises psycopg.Error where
        PostgreSQL is asked and fails, and EpochMovedError, having counted nothing, where an epoch is given
        and is over.
        """
        if self._redis is not None:
            check_epoch(self._read_pool, epoch)
            epoch = None
            states = self._circuit.call(self._redis.take, client_limits, all_or_none, uncounted)
            if states is not None:
                return Decision(states, self._redis)
        return Decision(self._postgres.take(client_limits, all_or_none, uncounted, epoch), self._postgres)

    def refund(self, decision: Decision, name: str) -> Decision:
        """Undo the counting of this very event by the limits with one name; gives the states after that."""
        # Of a limit that was named several times, the last state is the one after all.
        states = {(each.limit, each.client): self._refunded(decision, each, name) for each in decision.states}
        return decision._replace(states=tuple(states.values()))

    def _refunded(self, decision: Decision, state: WindowState, name: str) -> WindowState:
        if state.limit.name != name or not state.is_counted:
            return state
        if decision.store is self._postgres:
            return self._postgres.refund(state)
        return self._circuit.call(self._redis.refund, state) or state

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
