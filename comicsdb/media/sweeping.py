"""Pictures and rows held against each other: files that no row names, and rows whose file is missing.

What lies in the storage is copied, a chunk at a time, into a temporary table, and PostgreSQL compares: memory
is bounded however many pictures there are.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, text

from comicsdb import clock
from comicsdb.media.storage import Entry, Storage
from comicsdb.models.base import metadata

CHUNK = 10_000  # names copied at once
REMOVED_AT_ONCE = 200  # between two looks at the rows
PICTURE = "image"


class Owner(NamedTuple):
    """A row and the key of its picture."""

    table: str
    id: int
    key: str


def owners() -> list[str]:
    """The tables whose rows have pictures: each has the column `image`."""
    return sorted(table.name for table in metadata.tables.values() if PICTURE in table.columns)


def orphans(connection: Connection, storage: Storage, older_than: timedelta) -> Iterator[list[Entry]]:
    """What no row names and was stored longer ago than that, some at a time.

    The connection must not be in a transaction and commit each statement: rows are looked at anew for each
    list, just before it is given, so that what was named in the meantime is not in it.
    """
    limit = clock.now() - older_than
    _note(connection, storage)
    last = ""
    while True:
        named = " UNION ALL ".join(f"SELECT {PICTURE} FROM {table}" for table in owners())
        found = connection.execute(
            text(
                "SELECT name, key, modified FROM stored s WHERE name > :last AND modified < :limit"
                f" AND NOT EXISTS (SELECT FROM ({named}) n WHERE n.{PICTURE} = s.key AND s.key <> '')"
                " ORDER BY name LIMIT :number"
            ),
            {"last": last, "limit": limit, "number": REMOVED_AT_ONCE},
        ).all()
        if not found:
            return
        yield [Entry(*row) for row in found]
        last = found[-1].name


def sweep(
    connection: Connection, storage: Storage, older_than: timedelta, *, dry_run: bool
) -> Iterator[Entry]:
    """Remove orphans, and tell each; with `dry_run` only tell. A connection as for `orphans`."""
    for some in orphans(connection, storage, older_than):
        for entry in some:
            if not dry_run:
                storage.remove(entry.name)
            yield entry


def missing(connection: Connection, storage: Storage) -> Iterator[Owner]:
    """Rows whose picture is not in the storage. A connection as for `orphans`."""
    _note(connection, storage)
    for table in owners():
        lost = text(
            f"SELECT id, {PICTURE} FROM {table} t WHERE {PICTURE} <> ''"
            f" AND NOT EXISTS (SELECT FROM stored s WHERE s.name = t.{PICTURE}) ORDER BY id"
        )
        for row in connection.execute(lost):
            if not storage.exists(row.image):  # it may have come since we looked
                yield Owner(table, row.id, row.image)


def _note(connection: Connection, storage: Storage) -> None:
    """Fill the temporary table `stored` with what lies in the storage now."""
    connection.execute(text("DROP TABLE IF EXISTS pg_temp.stored"))
    connection.execute(
        text(
            'CREATE TEMP TABLE stored (name text COLLATE "C", key text COLLATE "C", modified timestamptz)'
            " ON COMMIT PRESERVE ROWS"
        )
    )
    entries = storage.entries()
    cursor = connection.connection.cursor()
    while some := list(islice(entries, CHUNK)):
        with cursor.copy("COPY stored FROM STDIN") as copy:
            for entry in some:
                copy.write_row(entry)
    for statement in ("CREATE UNIQUE INDEX ON stored (name)", "ANALYZE stored"):
        connection.execute(text(statement))
