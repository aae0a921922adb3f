"""Rate limits in PostgreSQL: one statement checks an event against all limits of a client.

It calls a function (`alembic/baseline/rate_limits.sql`), which can be given an epoch (`comicsdb.db.epoch`),
so that a cached response and the count of its request take one round trip. The times of 150 events are
stored. If there are more, those within one 96th of the period (a quarter of an hour of a day) share one time,
that of the last: no more events are admitted than the limit allows, but the next one may be admitted later by
as much. The clock is that of the process, as everywhere; machines that share a database synchronise theirs by
NTP.
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
CALLS_MAX = 2_000  # cached calls, of a few hundred bytes each


class PostgresStore:
    """Counts on autocommit connections: a request that is rolled back counts all the same."""

    def __init__(self, read_pool: ReadPool):
        self._read_pool = read_pool

    def take(
        self,
        client_limits: ClientLimits,
        all_or_none: bool,
        uncounted: Collection[str],
        epoch: int | None = None,
    ) -> tuple[WindowState, ...]:
        """Check an event against several limits, and store its time for each that admits it.

        With `all_or_none` it is stored only if all limits of a client admit it; for the limits named in
        `uncounted` it is not stored. Raises psycopg.Error, and EpochMovedError if an epoch is given that is
        no longer current.
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


def remove_expired(session: Session) -> None:
    """Remove the rows whose events have all expired; commit soon, as returning clients wait."""
    key = tuple_(RateLimit.client, RateLimit.name)
    # Locked rows are skipped: waiting for them could cause a deadlock.
    over = select(*key).where(RateLimit.expires <= _now()).with_for_update(skip_locked=True)
    session.execute(delete(RateLimit).where(key.in_(over)))


@lru_cache(CALLS_MAX)
def _calls(client_limits: tuple, all_or_none: bool, uncounted: tuple) -> list[tuple[ClientLimits, dict]]:
    """The calls of the function for an event, one per client: its limits, and the constant parameters.

    Each call locks the rows of a client in the same order, or two events could deadlock.
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
    """The name of a limit's row, in addition to the client; it differs for each part of a client."""
    return f"{limit.name} {client.partition(' ')[2]}".rstrip()


def _array(values: Iterable[str]) -> str:
    return f"{{{','.join(values)}}}"


def _now() -> int:
    return time.time_ns() // 1000
