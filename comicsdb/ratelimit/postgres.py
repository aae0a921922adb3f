"""Rate limits in PostgreSQL: one statement judges an event by all limits of a client.

It calls a function (`alembic/baseline/rate_limits.sql`), which can be given an epoch (`comicsdb.db.epoch`),
so that a cached answer and its request's count are one round trip. The times of 150 events are stored. Of
more, those within one 96th of the period (a quarter of an hour of a day) get one time, that of the last: no
more events are admitted than the limit says, but the next one may be admitted later by as much. The clock is
that of the process, as everywhere; machines that share a database keep theirs by NTP.
"""

import time
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import groupby

from sqlalchemy import delete, select, tuple_
from sqlalchemy.orm import Session

from comicsdb.db.epoch import EpochMovedError
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import RateLimit
from comicsdb.ratelimit.types import SECOND, ClientLimits, Limit, WindowState, arguments, states

TAKE = CompiledQuery(
    "SELECT take_limits($1::text, $2::text[], $3::bigint[], $4::bigint, $5::bigint)",
    ("client", "names", "arguments", "now", "epoch"),
    {},
)
GIVE_BACK = CompiledQuery(
    "SELECT give_back_limit($1::text, $2::text, $3::bigint, $4::bigint, $5::bigint)",
    ("client", "name", "most", "period", "now"),
    {},
)
FORGET = CompiledQuery("WITH gone AS (DELETE FROM rate_limit RETURNING 1) SELECT count(*) FROM gone", (), {})
CALLS_MAX = 2_000  # calls, of some hundred bytes each


class PostgresStore:
    """Counts by connections that commit by themselves: a request that is rolled back was one all the same."""

    def __init__(self, read_pool: ReadPool):
        self._read_pool = read_pool

    def take(
        self,
        client_limits: ClientLimits,
        all_or_none: bool,
        uncounted: Collection[str],
        epoch: int | None = None,
    ) -> tuple[WindowState, ...]:
        """Judge an event by several limits and keep its time for each that admits it.

        With `all_or_none` it is kept only if all limits of a client admit it; for the limits named in
        `uncounted` it is not kept. Raises psycopg.Error, and EpochMovedError where an epoch is given and is
        over.
        """
        found = {}
        for limits, parameters in _calls(tuple(client_limits), all_or_none, tuple(uncounted)):
            values = {**parameters, "now": _now(), "epoch": epoch}
            (answer,) = self._read_pool.fetch(TAKE, values)
            if answer is None:
                raise EpochMovedError
            found |= zip(limits, states(limits, answer), strict=True)
            epoch = None
        return tuple(found[each] for each in client_limits)

    def refund(self, state: WindowState) -> WindowState:
        """Remove the event that led to a state; returns the state without it."""
        limit = state.limit
        values = {
            "client": _client((limit, state.client)),
            "name": _name(limit, state.client),
            "most": limit.max_events,
            "period": limit.seconds * SECOND,
            "now": state.now,
        }
        ((count, free_at),) = self._read_pool.fetch(GIVE_BACK, values)
        return state._replace(is_counted=False, count=count, free_at=free_at)

    def forget(self) -> None:
        """Forget all events."""
        self._read_pool.fetch(FORGET, {})


def remove_expired(session: Session) -> None:
    """Remove the rows whose events are all over; commit soon, as clients who come again wait."""
    key = tuple_(RateLimit.client, RateLimit.name)
    # Rows that are locked are skipped: waiting for them could be a deadlock.
    over = select(*key).where(RateLimit.expires <= _now()).with_for_update(skip_locked=True)
    session.execute(delete(RateLimit).where(key.in_(over)))


@lru_cache(CALLS_MAX)
def _calls(client_limits: tuple, all_or_none: bool, uncounted: tuple) -> list[tuple[ClientLimits, dict]]:
    """The calls of the function for an event, one for each client: its limits, and what never varies.

    Each locks the rows of a client in one order, or two events could wait for each other.
    """
    calls = []
    for client, group in groupby(sorted(client_limits, key=_order), key=_client):
        limits = list(group)
        names = _array(f'"{_name(*each)}"' for each in limits)
        sent = _array(map(str, arguments(limits, all_or_none, uncounted)))
        calls.append((limits, {"client": client, "names": names, "arguments": sent}))
    return calls


def _client(limited: tuple[Limit, str]) -> str:
    return limited[1].partition(" ")[0]


def _order(limited: tuple[Limit, str]) -> tuple[str, str]:
    return limited[1], limited[0].name


def _name(limit: Limit, client: str) -> str:
    """What the row of a limit is called beside its client: different for each part of it."""
    return f"{limit.name} {client.partition(' ')[2]}".rstrip()


def _array(values: Iterable[str]) -> str:
    return f"{{{','.join(values)}}}"


def _now() -> int:
    return time.time_ns() // 1000
