"""Turns a mirror into a site of its own: all covers, a first history, and ids after those of the origin."""

import time
from collections.abc import Callable, Iterable

from sqlalchemy import Connection, Engine, select, text

from comicsdb.catalog.history.snapshots import snapshot_expression
from comicsdb.catalog.public_tables import PUBLIC_COLUMNS, PUBLIC_KINDS
from comicsdb.exchange import dump_covers
from comicsdb.mirror.covers import CoverCache
from comicsdb.mirror.origin import BusyError, OriginError, UnreadableError
from comicsdb.models import Mirror, metadata
from comicsdb.models.attribution import OWNERS
from comicsdb.models.record import CREATED

NEXT_STEPS = """\
This is now a site of its own. It continues with its ini file:
    comicsdb -c {ini} account create NAME ADDRESS --superuser
    comicsdb -c {ini} serve"""


def promote(
    engine: Engine, covers: CoverCache, report: Callable[[str], object], *, without_origin: bool = False
) -> None:
    """Fetch the missing covers, and make the database independent of its origin.

    Raises OriginError if the origin does not respond; pictures fetched so far are kept. With
    `without_origin`, none are fetched.
    """
    with engine.connect() as connection:
        origin = connection.scalar(select(Mirror.origin))
        wanted = _pictures(connection)
    if origin is None:
        raise OriginError("Nothing is mirrored here yet, so there is nothing to promote.")
    covers.disable_eviction()
    missing = [key for key in wanted if not covers.exists(key)]
    if without_origin:
        small = sum(covers.exists(key, dump_covers.SIZE) for key in missing)
        report(
            f"{len(missing):,} of {len(wanted):,} pictures were never fetched from {origin};"
            f" of {small:,} there is a thumbnail."
        )
    else:
        report(f"{len(missing):,} of {len(wanted):,} pictures are to be fetched from {origin} ...")
        try:
            _fetch(covers, missing, report)
        except OriginError as error:
            raise OriginError(f"{error}\nIf it is gone for good, add --without-origin.") from error
    with engine.begin() as connection:
        _make_independent(connection, origin)


def _fetch(covers: CoverCache, missing: list[str], report: Callable[[str], object]) -> None:
    gone, unreadable = fetch_all(covers, missing)
    if unreadable:  # the reason may have passed meanwhile
        more, unreadable = fetch_all(covers, unreadable)
        gone += more
    if gone:
        report(f"{len(gone):,} pictures are no longer at the origin: their objects will have none.")
    if unreadable:
        report("The origin cannot return these pictures. Put them into the folder of pictures later:")
        report("\n".join(unreadable))


def fetch_all(covers: CoverCache, keys: Iterable[str]) -> tuple[list[str], list[str]]:
    """Fetch pictures; returns the keys that the origin does not have, and those that it cannot return."""
    gone, unreadable = [], []
    for key in keys:
        while True:
            try:
                covers.fetch(key)
            except BusyError as error:
                time.sleep(error.seconds)
                continue
            except FileNotFoundError:
                gone.append(key)
            except UnreadableError:
                unreadable.append(key)
            break
    return gone, unreadable


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
