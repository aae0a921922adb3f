"""Opens a dump: an SQLite file, the text that mysqldump writes, or a zip file with one of them.

Anything but an indexed SQLite file is converted to one in the working folder. It stays there until the import
is finished, so that a resumed import finds it. The published file itself is only read.
"""

import errno
import hashlib
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from comicsdb.exchange.gcd import mysqldump, schema

MAGIC = b"SQLite format 3\0"
ZIP_MAGIC = b"PK\3\4"
DAMAGED = " (download it again)"
NO_SPACE = "{working} has no space left for the copy of {name}: name a folder on another disk with --working."
EDGE = 1 << 20  # bytes at each end of a file that identify it
CACHE = -64_000  # SQLite's cache, in KiB
BUFFER = 1 << 20
EXPANSION_MAX = 100  # times the packed size; real dumps are six times as large


class DumpError(Exception):
    """A file cannot be read as a dump; the text says why."""


def fingerprint(path: Path) -> str:
    """Identifies a dump: a digest of the length and both ends of the file."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(EDGE))
        file.seek(max(0, size - EDGE))
        digest.update(file.read(EDGE))
    return digest.hexdigest()


class Dump:
    """An open dump, whose tables have the names and columns of `schema.TABLES`, without deleted rows."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self.connection = connection

    def rows(self, statement: str, *parameters) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement, parameters).fetchall()

    def fill_ids(self, table: str, ids) -> None:
        """Fill a temporary table with ids, for statements to join."""
        self.connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY)")
        self.connection.execute(f"DELETE FROM {table}")
        self.connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?)", ((each,) for each in ids))


@contextmanager
def open_dump(path: Path, working: Path, step: Callable[[str], None] = lambda _words: None):
    """Context manager that opens the dump in a file; `step` is called with the name of each slow step."""
    sqlite = _sqlite_copy(path, working, step)
    connection = sqlite3.connect(f"file:{_quoted(sqlite)}?mode=ro", uri=True, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
    try:
        connection.execute(f"PRAGMA cache_size = {CACHE}")
        connection.execute("PRAGMA temp_store = FILE")
        _view(connection)
        yield Dump(path, connection)
    except sqlite3.DatabaseError as error:
        raise _unreadable(path, error) from error
    finally:
        connection.close()


def remove_copy(path: Path, working: Path) -> None:
    """Remove the SQLite copy of a dump, after the import."""
    _copy_path(path, working).unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _copy_path(path: Path, working: Path) -> Path:
    return working / f"comicsdb-gcd-{fingerprint(path)[:16]}.sqlite"


def _sqlite_copy(path: Path, working: Path, step: Callable[[str], None]) -> Path:
    """The dump as an SQLite file with the indexes that are needed."""
    if not path.is_file():
        raise DumpError(f"There is no file {path}.")
    if _is_sqlite(path) and _is_indexed(path):
        return path
    made = _copy_path(path, working)
    if made.is_file():
        return made
    working.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        _make_copy(path, part, step)
        os.replace(part, made)
    except (OSError, sqlite3.DatabaseError) as error:
        if _is_full(error):
            raise DumpError(NO_SPACE.format(name=path.name, working=working)) from error
        if isinstance(error, OSError):
            raise
        raise _unreadable(path, error) from error
    finally:
        part.unlink(missing_ok=True)
    return made


def _unreadable(path: Path, error: sqlite3.DatabaseError) -> DumpError:
    is_damaged = getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return DumpError(f"{path.name} cannot be read{DAMAGED if is_damaged else ''}: {error}")


def _is_full(error: OSError | sqlite3.DatabaseError) -> bool:
    """Whether a disk had no space left."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL


def _make_copy(path: Path, part: Path, step: Callable[[str], None]) -> None:
    try:
        if not zipfile.is_zipfile(path) or _is_sqlite(path):
            with path.open("rb") as stream:
                if stream.peek(len(ZIP_MAGIC)).startswith(ZIP_MAGIC):
                    raise zipfile.BadZipFile("its end is missing")
                _convert(path, stream, part, step)
            return
        with zipfile.ZipFile(path) as archive:
            inside = [each for each in archive.infolist() if not each.is_dir()]
            if len(inside) != 1:
                raise DumpError(f"{path.name} contains {len(inside)} files; a dump is one.")
            if inside[0].file_size > EXPANSION_MAX * max(inside[0].compress_size, BUFFER):
                raise DumpError(f"{path.name} is more than {EXPANSION_MAX} times as large unpacked.")
            with archive.open(inside[0]) as stream:
                _convert(path, stream, part, step)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DumpError(f"{path.name} cannot be read{DAMAGED}: {error}") from error
    except (mysqldump.MalformedError, UnicodeError) as error:
        raise DumpError(f"{path.name} cannot be read: {error}") from error


def _convert(path: Path, stream, part: Path, step: Callable[[str], None]) -> None:
    beginning = stream.read(len(MAGIC))
    stream.seek(0)
    if beginning == MAGIC:
        step("copying the dump")
        with part.open("wb") as copy:
            shutil.copyfileobj(stream, copy, BUFFER)
        if not _is_indexed(part):
            step("indexing the dump")
            with _new_database(part) as connection:
                _index(connection)
    elif beginning[:2] in (b"--", b"/*", b"SE", b"DR", b"CR"):
        step("reading the dump of MySQL")
        with _new_database(part) as connection:
            mysqldump.convert(stream, connection)
    else:
        raise DumpError(f"{path.name} is neither an SQLite file nor a dump of MySQL.")


@contextmanager
def _new_database(path: Path):
    """A connection to a new file, without durability: the file is useless until it is complete."""
    connection = sqlite3.connect(path)
    try:
        for pragma in (
            "journal_mode = OFF",
            "synchronous = OFF",
            f"cache_size = {CACHE}",
            "temp_store = FILE",
        ):
            connection.execute(f"PRAGMA {pragma}")
        yield connection
        connection.commit()
    finally:
        connection.close()


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _is_indexed(path: Path) -> bool:
    connection = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        return not list(_unindexed(connection))
    except sqlite3.DatabaseError as error:
        raise _unreadable(path, error) from error
    finally:
        connection.close()


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _unindexed(connection: sqlite3.Connection):
    """The columns by which rows of the dump are looked up, but which have no index."""
    for table, column in schema.INDEXES:
        if column not in _columns(connection, table):
            continue
        indexes = connection.execute(f"PRAGMA index_list({table})").fetchall()
        first = {
            next(iter(connection.execute(f"PRAGMA index_info({name})")), (0, 0, None))[2]
            for _, name, *_ in indexes
        }
        if column not in first:
            yield table, column


def _index(connection: sqlite3.Connection) -> None:
    for table, column in list(_unindexed(connection)):
        connection.execute(f"CREATE INDEX comicsdb_{table}_{column} ON {table} ({column})")


def _view(connection: sqlite3.Connection) -> None:
    """Hide each table behind a view with the columns that are read, and without deleted rows."""
    for table, columns in schema.TABLES.items():
        known = _columns(connection, table)
        if not known and table in schema.REQUIRED:
            raise DumpError(f"The dump has no table {table}.")
        listed = ", ".join(
            f"{_value(column) if column.name in known else _literal(column.empty)} AS {column.name}"
            for column in columns
        )
        if not known:
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT 0 AS id, {listed} WHERE 0")
            continue
        condition = " WHERE NOT deleted" if "deleted" in known else ""
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT id, {listed} FROM main.{table}{condition}")


def _value(column: schema.Column) -> str:
    """The expression for a column, whose values may have any type, as in every SQLite file.

    Ids are as they are: an expression would have no index, and an id of another type refers to nothing.
    """
    name = column.name
    if column.type == "TEXT":
        return f"CASE typeof({name}) WHEN 'blob' THEN '' ELSE coalesce(CAST({name} AS TEXT), '') END"
    if column.type == "INTEGER" and not name.endswith("_id"):
        return f"coalesce(CAST({name} AS INTEGER), {_literal(column.empty)})"
    return name


def _literal(value: str | int | None) -> str:
    return "NULL" if value is None else repr(value)
