"""Rate limits in PostgreSQL: a row for each client, written only in the version that was judged by.

A process remembers the row as it last saw it, judges an event by that, and writes the row with the event in
one statement. Where another process has written the row meanwhile, the statement changes nothing and returns
the newer row, by which the event is judged again. So all processes count as one, mostly with one statement. A
refusal writes nothing and is given only by the newest version. The statement can be told an epoch
(`comicsdb.db.epoch`), so that a cached answer and its request's count are one round trip. The clock is that
of the process, as everywhere; machines that share a database keep theirs by NTP.
"""

import time
from collections.abc import Callable, Collection
from functools import partial
from random import getrandbits
from threading import Lock
from typing import NamedTuple

from sqlalchemy import delete
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.db.epoch import EpochMovedError
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import RateLimit
from comicsdb.ratelimit.types import SECOND, Asked, Limit, WindowState
from comicsdb.ratelimit.window import Window, pack, unpack

READ = CompiledQuery(
    "SELECT epoch.value, coalesce(version, 0), CASE WHEN version <> $2 THEN windows END"
    " FROM epoch LEFT JOIN rate_limit ON client = $1",
    ("client", "known"),
    {},
)
INSERT = CompiledQuery(
    "INSERT INTO rate_limit (client, version, windows, expires)"
    " VALUES ($1, $2, $3, to_timestamp($4)) ON CONFLICT DO NOTHING RETURNING version",
    ("client", "version", "windows", "expires"),
    {},
)
# One row: whether the row was written, and else the epoch, the newest version, and its windows if others.
UPDATE = CompiledQuery(
    "WITH written AS (UPDATE rate_limit SET version = $2, windows = $3, expires = to_timestamp($4)"
    " WHERE client = $1 AND version = $5 AND coalesce((SELECT value FROM epoch) = $6::bigint, true)"
    " RETURNING 1) SELECT EXISTS (SELECT FROM written), epoch.value, coalesce(version, 0),"
    " CASE WHEN version <> $5 THEN windows END FROM epoch LEFT JOIN rate_limit ON client = $1",
    ("client", "version", "windows", "expires", "known", "epoch"),
    {},
)
FORGET = CompiledQuery("WITH gone AS (DELETE FROM rate_limit RETURNING 1) SELECT count(*) FROM gone", (), {})
LOCKS = 64  # of which clients share each
REMEMBERED = 5_000  # clients; one takes up to some KB

Windows = dict[str, Window]


class Row(NamedTuple):
    """A row as it was at some time. A version is a random number, so none comes twice; 0 means no row."""

    version: int
    windows: Windows


ABSENT = Row(0, {})


class PostgresStore:
    """Counts by connections that commit by themselves: a request that is rolled back was one all the same."""

    def __init__(self, read_pool: ReadPool):
        self._read_pool = read_pool
        self._rows: dict[str, Row] = {}
        self._locks = [Lock() for _ in range(LOCKS)]

    def take(
        self, asked: Asked, together: bool, free: Collection[str], epoch: int | None = None
    ) -> tuple[WindowState, ...]:
        """Judge an event by several limits and keep its time for each that admits it.

        With `together` it is kept only if all limits of a client admit it; for the limits named in `free` it
        is not kept. Raises psycopg.Error, and EpochMovedError where an epoch is given and is over.
        """
        clients: dict[str, list[tuple[Limit, str]]] = {}
        for limit, who in asked:
            clients.setdefault(_client(who), []).append((limit, who))
        states = {}
        for client, limits in clients.items():
            judge = partial(_judge, limits, together, free)
            states.update(zip(limits, self._change(client, judge, epoch), strict=True))
        return tuple(states[each] for each in asked)

    def give_back(self, state: WindowState) -> WindowState:
        """Take out the very event after which a client stood so, and how it stands without."""
        limit, name = state.limit, _name(state.limit, state.who)

        def without(windows: Windows) -> tuple[WindowState, Windows | None]:
            before = _window(windows, limit, name)
            window = before.minus(state.now)
            given = state._replace(
                placed=False, count=sum(window.counts), free=window.free(limit.most, state.now)
            )
            return given, None if window is before else {**windows, name: window}

        return self._change(_client(state.who), without)

    def forget(self) -> None:
        """Forget all events."""
        self._rows.clear()
        self._read_pool.fetch(FORGET, {})

    def _change(self, client: str, judge: Callable[[Windows], tuple], epoch: int | None = None):
        """What `judge` says of the windows of a client; it also gives the changed ones, or None."""
        # Threads take turns, as only one of them could write the version that all know.
        with self._locks[hash(client) % LOCKS]:
            row = self._rows.get(client, ABSENT)
            if not row.version:  # an INSERT does not compare the epoch
                row, epoch = self._read(client, row, epoch), None
            while True:
                result, windows = judge(row.windows)
                if windows is None:
                    newest = self._read(client, row, epoch)
                    if newest is row:
                        return result
                else:
                    newest = self._write(client, row, windows, epoch)
                    if newest is None:
                        return result
                row = newest

    def _read(self, client: str, row: Row, epoch: int | None) -> Row:
        """The newest version of a row, `row` if that is the newest; raises EpochMovedError."""
        found = self._read_pool.fetch(READ, {"client": client, "known": row.version})
        return self._newest(client, row, epoch, *found)

    def _newest(self, client: str, row: Row, epoch: int | None, now: int, version: int, packed) -> Row:
        if epoch is not None and epoch != now:
            raise EpochMovedError
        return row if version == row.version else self._remember(client, Row(version, unpack(packed or b"")))

    def _write(self, client: str, row: Row, windows: Windows, epoch: int | None) -> Row | None:
        """Write a row, or give the newest version where another process wrote it; raises EpochMovedError."""
        version = getrandbits(62) + 1  # no secret
        values = {
            "client": client,
            "known": row.version,
            "version": version,
            "windows": pack(windows),
            "expires": -(-max(window.end for window in windows.values()) // SECOND),
            "epoch": epoch,
        }
        if row.version:
            written, *found = self._read_pool.fetch(UPDATE, values)
        else:
            written = self._read_pool.fetch(INSERT, values)
            found = () if written else self._read_pool.fetch(READ, {"client": client, "known": 0})
        if not written:
            return self._newest(client, row, epoch, *found)
        self._remember(client, Row(version, windows))
        return None

    def _remember(self, client: str, row: Row) -> Row:
        if len(self._rows) >= REMEMBERED:
            self._rows.clear()
        self._rows[client] = row
        return row


def remove_expired(session: Session) -> None:
    """Remove the rows of clients whose events are all over; commit soon, as those who come again wait."""
    session.execute(delete(RateLimit).where(RateLimit.expires <= clock.now()))


def _judge(
    limits: Asked, together: bool, free: Collection[str], windows: Windows
) -> tuple[list[WindowState], Windows | None]:
    """How the limits of a client judge an event, and its windows with it, None if it counts for none."""
    named = [(_name(limit, who), limit, who) for limit, who in limits]
    # Should the clock be set back, it stands still until it has caught up.
    latest = (windows[name].latest for name, _, _ in named if name in windows)
    now = max(time.time_ns() // 1000, *latest, 0)
    current = [_window(windows, limit, name).after(now) for name, limit, _ in named]
    counts = [sum(window.counts) for window in current]
    none = together and any(count >= limit.most for count, (limit, _) in zip(counts, limits, strict=True))
    states, changed = [], {}
    for (name, limit, who), window, count in zip(named, current, counts, strict=True):
        refused = count >= limit.most
        placed = not (refused or none or limit.name in free)
        if placed:
            changed[name] = window = window.plus(now)  # noqa: PLW2901
        free_at = window.free(limit.most, now)
        states.append(WindowState(limit, who, refused, placed, now, count + placed, free_at))
    if not changed:
        return states, None
    return states, {name: window for name, window in windows.items() if window.end > now} | changed


def _window(windows: Windows, limit: Limit, name: str) -> Window:
    found = windows.get(name)
    return Window(limit.seconds * SECOND) if found is None else found


def _client(who: str) -> str:
    return who.partition(" ")[0]


def _name(limit: Limit, who: str) -> str:
    """What the window of a limit is called in the row of a client: different for each part of it."""
    return f"{limit.name} {who.partition(' ')[2]}"
