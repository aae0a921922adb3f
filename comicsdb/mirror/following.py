"""Keeps a mirror's database equal to its origin: loads the tables of a dump, then follows the feed.

The feed returns the state that each changed object has at the time of the request, so states in one response
may refer to objects in later ones. They are stored (`received_state`) until a response is the last one, and
applied together: the catalog is then that of the origin at the moment of this response. Each response is
stored in the same transaction as the position after it, so a mirror may be killed at any moment.
"""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert

from comicsdb.catalog import public_tables
from comicsdb.catalog.public_tables import PUBLIC_COLUMNS, PUBLIC_KINDS
from comicsdb.exchange import dump_sqlite
from comicsdb.log_lines import OutageLog
from comicsdb.mirror import dumps
from comicsdb.mirror.covers import CoverCache
from comicsdb.mirror.origin import HorizonError, Origin, OriginError, Position, read_form
from comicsdb.models import Mirror, ReceivedLine, ReceivedState
from comicsdb.ops.worker import Worker

log = logging.getLogger(__name__)
ORIGIN_OUTAGE = OutageLog(log, logging.WARNING)
ROWS_BATCH = 5000  # rows, or states, per statement
TOUCHED_BATCH = 500  # ids per row of `touched_object`
POLL_SECONDS = 5.0  # between requests to an origin that does not support waiting
RETRY_SECONDS = 5.0  # after a failure; doubled after each further one
RETRY_SECONDS_MAX = 300.0
RELOAD_SECONDS = 600.0  # until the next attempt, if the newest dump is loaded, but older than the feed

_state, _line = ReceivedState.__table__, ReceivedLine.__table__


def batched(values: Iterable, size: int) -> Iterator[list]:
    """Split values into lists of up to `size`."""
    rest = iter(values)
    while found := list(islice(rest, size)):
        yield found


def position(connection: Connection) -> Position | None:
    """The position up to which the feed was received, None before the first dump is loaded."""
    row = connection.execute(select(Mirror.epoch, Mirror.after, Mirror.touched)).first()
    return Position(*row) if row else None


def load(connection: Connection, file: Path, origin: str, public_key: str, start: Position) -> None:
    """Replace the catalog with the tables of a dump; the feed is then followed from its position.

    `file` is the SQLite file of a dump. Everything happens in the caller's transaction.
    """
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    for table in (*reversed(PUBLIC_COLUMNS), "touched_object", "received_state", "received_line", "mirror"):
        connection.execute(text(f'DELETE FROM "{table}"'))
    source = dump_sqlite.open_read_only(file)
    try:
        for table in PUBLIC_COLUMNS:
            for rows in batched(dump_sqlite.read_rows(source, table), ROWS_BATCH):
                public_tables.insert_rows(connection, table, rows)
    finally:
        source.close()
    public_tables.remove_private_rows(connection)
    for kind in PUBLIC_KINDS:
        number = f'CASE WHEN version.number IS NOT NULL THEN (SELECT count(*) FROM "{kind}") END'
        connection.execute(
            text(
                "INSERT INTO version (kind) VALUES (:kind) ON CONFLICT (kind)"
                f" DO UPDATE SET value = version.value + 1, number = {number}"
            ),
            {"kind": kind},
        )
    # The origin may have removed the beginning of its log; then the mirror's feed says so, like the origin's.
    removed = """
        UPDATE feed_horizon SET seq = first - 1, at = CASE WHEN first > 1 THEN earliest END
        FROM (SELECT coalesce(min(seq), :after + 1) AS first, min(at) AS earliest FROM change_log) log
    """
    connection.execute(text(removed), {"after": start.after})
    connection.execute(
        insert(Mirror).values(
            id=1, origin=origin, public_key=public_key, **start._asdict(), current=func.clock_timestamp()
        )
    )
    # The mirror's own feed starts again, for clients that follow it.
    connection.execute(text("UPDATE epoch SET installation = gen_random_uuid() WHERE id = 1"))
    connection.execute(text("SELECT begin_epoch()"))


def reload(
    engine: Engine,
    origin: Origin,
    folder: Path,
    key: str | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    covers: CoverCache | None = None,
) -> None:
    """Download the newest dump of the origin into a folder and load it; `key` overrides the known key.

    If the dump has a pack of covers that fits into the cache, its thumbnails are stored there. Raises
    OriginError.
    """
    with engine.connect() as connection:
        key = key or connection.scalar(select(Mirror.public_key))
        schema = connection.scalar(text("SELECT version_num FROM alembic_version"))
        loaded = position(connection)
    most = covers.limit if covers else 0
    found = dumps.newest(origin, folder, key, progress, schema=schema, loaded=loaded, covers_most=most)
    if found.covers:
        log.info("Unpacking the covers of %s.", origin.url)
        with read_form(f"The pack of covers of {origin.url}"):
            covers.fill(found.covers)
    log.info("Loading the dump of %s.", origin.url)
    with engine.begin() as connection, read_form(f"The dump of {origin.url}"):
        load(connection, found.file, origin.url, found.public_key, found.start)
    shutil.rmtree(folder)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def receive(connection: Connection, answer: dict, asked: Position) -> Position:
    """Store a response of the feed; if it is the last one, apply everything that was received."""
    lines = [{"seq": line["seq"], "line": line} for line in answer["results"] if line["kind"] in PUBLIC_KINDS]
    states = [
        {"kind": each["kind"], "object_id": each["id"], "state": each["state"]} for each in answer["objects"]
    ]
    if lines:
        connection.execute(insert(_line).on_conflict_do_nothing(), lines)
    for each in batched(states, ROWS_BATCH):
        added = insert(_state)
        connection.execute(
            added.on_conflict_do_update(
                index_elements=[_state.c.kind, _state.c.object_id], set_={"state": added.excluded.state}
            ),
            each,
        )
    after = answer["results"][-1]["seq"] if answer["results"] else asked.after
    reached = Position(answer["epoch"], after, str(answer["touched"] or asked.touched))
    connection.execute(Mirror.__table__.update().values(**reached._asdict()))
    if answer["last"]:
        apply_received(connection)
        connection.execute(Mirror.__table__.update().values(current=func.clock_timestamp()))
    return reached


def apply_received(connection: Connection) -> None:
    """Write all received states and lines to the catalog; together they are the state of one moment."""
    found: dict[str, list[int]] = {}
    for kind in PUBLIC_KINDS:
        mine = select(_state.c.object_id).where(_state.c.kind == kind)
        ids = connection.scalars(mine.order_by(_state.c.object_id)).all()
        if ids:
            found[kind] = list(ids)
            gone = mine.where(func.json_array_length(_state.c.state[kind]) == 0)
            public_tables.remove_objects(connection, kind, found[kind], list(connection.scalars(gone)))
    for kind, ids in found.items():
        for some in batched(ids, ROWS_BATCH):
            chosen = select(_state.c.state).where(_state.c.kind == kind, _state.c.object_id.in_(some))
            public_tables.insert_objects(connection, kind, connection.scalars(chosen))
        for some in batched(ids, TOUCHED_BATCH):
            connection.execute(
                text("INSERT INTO touched_object (kind, ids) VALUES (:kind, :ids)"),
                {"kind": kind, "ids": some},
            )
    last = -1
    while lines := connection.execute(
        select(_line.c.seq, _line.c.line).where(_line.c.seq > last).order_by(_line.c.seq).limit(ROWS_BATCH)
    ).all():
        public_tables.insert_rows(connection, "change_log", [each.line for each in lines])
        last = lines[-1].seq
    if found or last >= 0:
        connection.execute(delete(_state))
        connection.execute(delete(_line))
        connection.execute(text("SELECT begin_epoch()"))


class Follower(Worker):
    """The thread that follows the feed; `reload` loads the newest dump, and may raise OriginError."""

    def __init__(self, engine: Engine, origin: Origin, reload, wait: int):
        super().__init__("mirror")
        self._engine = engine
        self._origin = origin
        self._reload = reload
        self._wait = wait
        self._pause = RETRY_SECONDS

    def work(self) -> float:
        """Receive one response of the feed."""
        try:
            with self._engine.connect() as connection:
                asked = position(connection)
            answer, has_waited = self._origin.changes(asked, self._wait)
            with self._engine.begin() as connection, read_form(f"The feed of {self._origin.url}"):
                receive(connection, answer, asked)
        except HorizonError as error:
            log.warning("The feed of the origin cannot be continued (%s): loading its newest dump.", error)
            return self._reload_dump()
        except OriginError as error:
            ORIGIN_OUTAGE.report(error, "The mirror is not kept up to date at the moment: %s", error)
            self._pause = min(self._pause * 2, RETRY_SECONDS_MAX)
            return self._pause
        self._pause = RETRY_SECONDS
        return 0.0 if has_waited or not answer["last"] else POLL_SECONDS

    def _reload_dump(self) -> float:
        try:
            self._reload()
        except OriginError as error:
            ORIGIN_OUTAGE.report(error, "The newest dump cannot be loaded: %s", error)
            return RELOAD_SECONDS
        return 0.0
