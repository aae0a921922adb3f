"""Compares storage and rows: files that no row refers to, rows without their file, missing thumbnails.

The names of the stored files are copied in chunks into a temporary table and compared by PostgreSQL, so that
memory is bounded for any number of pictures.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, text

from comicsdb import clock
from comicsdb.imaging.picture import DEFAULT_UPLOAD_SIZES, UPLOAD_SIZES
from comicsdb.media.storage import Entry, Storage
from comicsdb.models.base import metadata

CHUNK = 10_000  # names per COPY
BATCH = 200  # files removed between two comparisons with the rows
COLUMN = "image"


class PictureRow(NamedTuple):
    """A row and the key of its picture."""

    table: str
    id: int
    key: str


def tables_with_pictures() -> list[str]:
    """The tables whose rows have pictures: each has the column `image`."""
    return sorted(table.name for table in metadata.tables.values() if COLUMN in table.columns)


def orphans(connection: Connection, storage: Storage, older_than: timedelta) -> Iterator[list[Entry]]:
    """Files that no row refers to and that are older than `older_than`, in lists.

    The connection must be in autocommit mode: rows are compared again just before each list is yielded, so
    that it contains no file that has been referenced in the meantime.
    """
    limit = clock.now() - older_than
    _load_stored(connection, storage)
    last = ""
    while True:
        found = connection.execute(
            text(
                "SELECT name, key, modified FROM stored s WHERE name > :last AND modified < :limit"
                " AND NOT EXISTS ("
                f"SELECT FROM ({referenced_keys()}) n WHERE n.{COLUMN} = s.key AND s.key <> '')"
                " ORDER BY name LIMIT :number"
            ),
            {"last": last, "limit": limit, "number": BATCH},
        ).all()
        if not found:
            return
        yield [Entry(*row) for row in found]
        last = found[-1].name


def sweep(
    connection: Connection, storage: Storage, older_than: timedelta, *, dry_run: bool
) -> Iterator[Entry]:
    """Remove orphans and yield each; with `dry_run` only yield them. Needs a connection like `orphans`.

    The hashes of removed pictures are removed as well.
    """
    for some in orphans(connection, storage, older_than):
        for entry in some:
            if not dry_run:
                storage.remove(entry.name)
            yield entry
    if not dry_run:
        unused = f"picture NOT IN (SELECT {COLUMN} FROM ({referenced_keys()}) n)"
        connection.execute(text(f"DELETE FROM picture_hash WHERE {unused}"))


def referenced_keys() -> str:
    """A query for the column `image` of all rows, and for what it would be after an undo; some are empty."""
    remembered = f"SELECT before ->> '{COLUMN}' FROM library_change WHERE before ? '{COLUMN}'"
    return " UNION ALL ".join(
        [*(f"SELECT {COLUMN} FROM {table}" for table in tables_with_pictures()), remembered]
    )


def missing(connection: Connection, storage: Storage) -> Iterator[PictureRow]:
    """Rows whose picture is not in the storage. Needs a connection like `orphans`."""
    _load_stored(connection, storage)
    for table in tables_with_pictures():
        lost = text(
            f"SELECT id, {COLUMN} FROM {table} t WHERE {COLUMN} <> ''"
            f" AND NOT EXISTS (SELECT FROM stored s WHERE s.name = t.{COLUMN}) ORDER BY id"
        )
        for row in connection.execute(lost):
            if not storage.exists(row.image):  # it may have been stored in the meantime
                yield PictureRow(table, row.id, row.image)


def without_thumbnails(connection: Connection, storage: Storage) -> Iterator[str]:
    """Keys of stored pictures that lack a thumbnail of those made with uploads, such as imported ones.

    Needs a connection like `orphans`.
    """
    _load_stored(connection, storage)
    numbers = " ".join(f"WHEN '{folder}' THEN {len(sizes)}" for folder, sizes in UPLOAD_SIZES.items())
    lacking = text(
        "SELECT key FROM stored s WHERE key > :last"
        f" AND key IN (SELECT {COLUMN} FROM ({referenced_keys()}) n)"
        " GROUP BY key HAVING bool_or(name = key) AND count(*) - 1 <"
        f" CASE split_part(key, '/', 1) {numbers} ELSE {len(DEFAULT_UPLOAD_SIZES)} END"
        " ORDER BY key LIMIT :number"
    )
    last = ""
    while keys := connection.scalars(lacking, {"last": last, "number": BATCH}).all():
        yield from keys
        last = keys[-1]


def _load_stored(connection: Connection, storage: Storage) -> None:
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
