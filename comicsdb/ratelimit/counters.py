"""Daily counts (UTC) of frequent events: kept in the process, and added to the database every few seconds.

Also the last day on which an account used HTTP Basic, and the last hour in which a token was used, each with
the address of the first request in that period. A killed process loses the counts of its last seconds.
"""

import logging
import threading
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from multiprocessing.util import Finalize
from typing import NamedTuple

from sqlalchemy import Connection, Engine, bindparam, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from comicsdb.clock import now
from comicsdb.models import ApiToken, DailyCount, User

log = logging.getLogger(__name__)

KEPT_DAYS = 35
SERVED, REFUSED = "authmethod:", "throttled:"  # followed by an authentication method; by the name of a limit

_count, _user, _token = DailyCount.__table__, User.__table__, ApiToken.__table__
_insert = insert(_count)
_ADD = _insert.on_conflict_do_update(
    index_elements=["day", "counter", "identity"],
    set_={"count": _count.c["count"] + _insert.excluded["count"]},
).returning(*_count.c)
# Each row is written at most once per period (a day or an hour), no matter how often it is used.
_BASIC_USED = (
    update(_user)
    .where(_user.c.id == bindparam("row"))
    .where(or_(_user.c.basic_used.is_(None), _user.c.basic_used < bindparam("day")))
    .values(basic_used=bindparam("day"), basic_address=bindparam("address"))
)
_TOKEN_USED = (
    update(_token)
    .where(_token.c.id == bindparam("row"))
    .where(or_(_token.c.last_used.is_(None), _token.c.last_used < bindparam("hour")))
    .values(last_used=bindparam("moment"), last_address=bindparam("address"))
)


class Key(NamedTuple):
    """The key of a count: a row of `daily_count`."""

    day: date
    counter: str
    identity: str


class FirstUse(NamedTuple):
    """The first use of a row in its period, as far as this process knows."""

    moment: datetime
    address: str


class Counters:
    """Counts for the threads of one process, written every `seconds` seconds; if 0, only by `write`."""

    def __init__(self, engine: Engine, seconds: float):
        self._engine = engine
        self._seconds = seconds
        self._lock = threading.Lock()  # only held briefly
        self._writing = threading.Lock()  # held while the database is written to
        self._counts: Counter[Key] = Counter()
        self._underway: Counter[Key] = Counter()
        self._stored: dict[Key, int] = {}  # last known counts of rejections in the database
        self._uses: dict[tuple[str, int], FirstUse] = {}  # not written yet
        # Uses by the start of their period, written or not.
        self._noted: set[tuple[str, int, datetime]] = set()
        self._cleaned: date | None = None
        self._failing = False
        self._thread: threading.Thread | None = None

    def count_served(self, method: str) -> None:
        """Count a successful request by its method of authentication."""
        self._add(Key(now().date(), SERVED + method, ""))

    def count_refused(self, limit: str, identity: str) -> int:
        """Count a request that a limit rejected; returns how many were rejected today.

        Counts of other processes are included within seconds.
        """
        key = Key(now().date(), REFUSED + limit, identity)
        if key not in self._stored:
            stored = self._read(key)
            with self._lock:
                self._stored.setdefault(key, stored)
        return self._add(key)

    def note_basic_use(self, user_id: int, address: str) -> None:
        """Note that an account uses HTTP Basic today, from an IP address."""
        moment = now()
        self._note("basic", user_id, midnight(moment), FirstUse(moment, address))

    def note_token_use(self, token_id: int, address: str) -> None:
        """Note that a token is used in this hour, from an IP address."""
        moment = now()
        self._note("token", token_id, hour(moment), FirstUse(moment, address))

    def _add(self, key: Key) -> int:
        with self._lock:
            self._counts[key] += 1
            self._run()
            return self._stored.get(key, 0) + self._underway[key] + self._counts[key]

    def _note(self, kind: str, row: int, period: datetime, use: FirstUse) -> None:
        if (kind, row, period) in self._noted:
            return
        with self._lock:
            self._noted.add((kind, row, period))
            self._uses[kind, row] = use
            self._run()

    def _run(self) -> None:
        """Start writing periodically; not before the first event, as a server may fork until then."""
        if self._seconds and self._thread is None:
            self._thread = threading.Thread(target=self._write_periodically, name="counters", daemon=True)
            self._thread.start()
            # Also write at the end of the process, even if multiprocessing started it.
            Finalize(None, self.write, exitpriority=1)

    def _write_periodically(self) -> None:
        pause = threading.Event()
        while not pause.wait(self._seconds):
            self.write()

    def _read(self, key: Key) -> int:
        wanted = select(_count.c["count"]).where(
            *(_count.c[name] == value for name, value in key._asdict().items())
        )
        try:
            with self._engine.connect() as connection:
                return connection.scalar(wanted) or 0
        except SQLAlchemyError:
            return 0  # the error is logged when counts are written

    def write(self) -> None:
        """Add everything to the database; anything that cannot be stored is kept for the next time."""
        moment = now()
        today, current = moment.date(), (midnight(moment), hour(moment))
        with self._writing:
            with self._lock:
                self._underway, self._counts = self._counts, Counter()
                uses, self._uses = self._uses, {}
                self._noted = {noted for noted in self._noted if noted[2] in current}
            counts, stored = self._underway, {}
            try:
                if counts or uses:
                    with self._engine.begin() as connection:
                        stored = self._store(connection, counts, uses, today)
                    self._cleaned = today
            except SQLAlchemyError as error:
                if not self._failing:
                    log.warning("Counts of the day cannot be written, and are kept: %s", error)
                self._failing = True
                with self._lock:
                    self._counts.update(counts)
                    self._uses = uses | self._uses
                    self._underway = Counter()
                return
            self._failing = False
            with self._lock:
                self._underway = Counter()
                known = {
                    **self._stored,
                    **{key: count for key, count in stored.items() if key in self._stored},
                }
                self._stored = {key: count for key, count in known.items() if key.day == today}

    def _store(self, connection: Connection, counts: Counter[Key], uses: dict, today: date) -> dict[Key, int]:
        """Write everything, in the same order in all processes; returns the current counts."""
        stored = {}
        if counts:
            rows = [key._asdict() | {"count": counts[key]} for key in sorted(counts)]
            stored = {Key(*row[:3]): row[3] for row in connection.execute(_ADD, rows)}
        for kind, statement in (("basic", _BASIC_USED), ("token", _TOKEN_USED)):
            used = sorted((row, use) for (each, row), use in uses.items() if each == kind)
            if used:
                connection.execute(statement, [_values(row, use) for row, use in used])
        if self._cleaned != today:
            connection.execute(delete(_count).where(_count.c.day < today - timedelta(days=KEPT_DAYS)))
        return stored


def midnight(moment: datetime) -> datetime:
    """The start of the day (UTC) of a time."""
    return datetime.combine(moment.date(), time(), UTC)


def hour(moment: datetime) -> datetime:
    """The start of the hour of a time."""
    return moment.replace(minute=0, second=0, microsecond=0)


def _values(row: int, use: FirstUse) -> dict:
    moment, address = use
    return {"row": row, "day": moment.date(), "hour": hour(moment), "moment": moment, "address": address}


def includeme(config):
    """Create `request.registry["comicsdb.counters"]`."""
    seconds = config.get_settings()["comicsdb.counters.seconds"]
    config.registry["comicsdb.counters"] = Counters(config.registry["comicsdb.engine"], seconds)
