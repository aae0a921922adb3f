"""Comparing storage and rows: files that no row names, and rows whose file is missing.

The names of the stored files are copied in chunks into a temporary table, and PostgreSQL compares, so that
memory is bounded for any number of pictures.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, text

from comicsdb import clock
from comicsdb.media.storage import Entry, Storage
from comicsdb.models.base import metadata

CHUNK = 10_000  # names per COPY
REMOVED_AT_ONCE = 200  # files removed between two comparisons
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
    """Files that no row names and that are older than `age`, in lists.

    The connection must be in autocommit mode: rows are compared again just before each list is yielded, so
    that it has no file that was referenced meanwhile.
    """
    limit = clock.now() - older_than
    _note(connection, storage)
    last = ""
    while True:
        found = connection.execute(
            text(
                "SELECT name, key, modified FROM stored s WHERE name > :last AND modified < :limit"
                f" AND NOT EXISTS (SELECT FROM ({_named()}) n WHERE n.{PICTURE} = s.key AND s.key <> '')"
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
    """Remove orphans and yield each; with `dry_run` only yield. Needs a connection as for `orphans`.

    The hashes of removed pictures are removed as well.
    """
    for some in orphans(connection, storage, older_than):
        for entry in some:
            if not dry_run:
                storage.remove(entry.name)
            yield entry
    if not dry_run:
        connection.execute(
            text(f"DELETE FROM picture_hash WHERE picture NOT IN (SELECT {PICTURE} FROM ({_named()}) n)")
        )


def _named() -> str:
    """A query for all pictures that rows name, also as they were before what a reader may undo."""
    remembered = f"SELECT before ->> '{PICTURE}' FROM library_change WHERE before ? '{PICTURE}'"
    return " UNION ALL ".join([*(f"SELECT {PICTURE} FROM {table}" for table in owners()), remembered])


def missing(connection: Connection, storage: Storage) -> Iterator[Owner]:
    """Rows whose picture is not in the storage. Needs a connection as for `orphans`."""
    _note(connection, storage)
    for table in owners():
        lost = text(
            f"SELECT id, {PICTURE} FROM {table} t WHERE {PICTURE} <> ''"
            f" AND NOT EXISTS (SELECT FROM stored s WHERE s.name = t.{PICTURE}) ORDER BY id"
        )
        for row in connection.execute(lost):
            if not storage.exists(row.image):  # it may have been stored since
                yield Owner(table, row.id, row.image)


def _note(connection: Connection, storage: Storage) -> None:
    """Fill the temporary table `stored` with the entries of the storage."""
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
