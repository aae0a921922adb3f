"""Turns a mirror into a site of its own: all covers, a first history, and ids after those of the origin."""

from collections.abc import Callable

from sqlalchemy import Connection, Engine, select, text

from comicsdb.catalog.history.snapshots import snapshot_expression
from comicsdb.catalog.public_tables import PUBLIC_COLUMNS, PUBLIC_KINDS
from comicsdb.media.storage import StorageDownError
from comicsdb.mirror.covers import CoverCache
from comicsdb.models import Mirror, metadata
from comicsdb.models.attribution import OWNERS
from comicsdb.models.record import CREATED

NEXT_STEPS = """\
This is now a site of its own. It continues with its ini file:
    comicsdb -c {ini} account create NAME ADDRESS --superuser
    comicsdb -c {ini} serve"""


def promote(engine: Engine, covers: CoverCache, report: Callable[[str], object]) -> None:
    """Fetch the missing covers, and make the database independent of its origin.

    Raises StorageDownError if the origin does not respond; pictures fetched so far are kept.
    """
    with engine.connect() as connection:
        origin = connection.scalar(select(Mirror.origin))
        wanted = _pictures(connection)
    if origin is None:
        raise StorageDownError("Nothing is mirrored here yet, so there is nothing to promote.")
    covers.disable_eviction()
    missing = [key for key in wanted if not covers.exists(key)]
    report(f"{len(missing):,} of {len(wanted):,} pictures are to be fetched from {origin} ...")
    gone = 0
    for key in missing:
        try:
            covers.fetch(key)
        except FileNotFoundError:
            gone += 1
    if gone:
        report(f"{gone:,} pictures are no longer at the origin: their objects will have none.")
    with engine.begin() as connection:
        _make_independent(connection, origin)


def _pictures(connection: Connection) -> list[str]:
    named = " UNION ".join(
        f"SELECT image FROM \"{table}\" WHERE image <> ''"
        for table, columns in PUBLIC_COLUMNS.items()
        if "image" in columns
    )
    return list(connection.scalars(text(f"SELECT image FROM ({named}) x ORDER BY image")))


def _make_independent(connection: Connection, origin: str) -> None:
    """Store the first snapshot of every object, and let sequences continue after the greatest ids."""
    for kind in PUBLIC_KINDS:
        connection.execute(
            text(
                "INSERT INTO history (kind, object_id, type, reason, snapshot)"
                f" SELECT '{kind}', t.id, '{CREATED}', :reason, {snapshot_expression(kind)}"
                f' FROM "{kind}" t ORDER BY t.id'
            ),
            {"reason": f"mirrored from {origin}"[:100]},
        )
    for table in PUBLIC_COLUMNS:
        for column in metadata.tables[table].primary_key:
            sequence = connection.scalar(
                text("SELECT pg_get_serial_sequence(:table, :column)"),
                {"table": f'"{table}"', "column": column.name},
            )
            if sequence is None:
                continue
            greatest = f'SELECT max("{column.name}") FROM "{table}"'
            if table in OWNERS:  # ids of deleted objects are not reused
                greatest += f" UNION SELECT max(object_id) FROM tombstone WHERE kind = '{table}'"
            connection.execute(
                text(
                    f"SELECT setval(:sequence, (SELECT coalesce(max(max), 0) + 1 FROM ({greatest}) x), false)"
                ),
                {"sequence": sequence},
            )
    for table in ("received_state", "received_line", "mirror"):
        connection.execute(text(f"DELETE FROM {table}"))
    connection.execute(text("UPDATE epoch SET installation = gen_random_uuid() WHERE id = 1"))
    connection.execute(text("SELECT begin_epoch()"))
