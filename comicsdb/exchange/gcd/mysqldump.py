"""Converts a dump written by mysqldump, statement by statement, into an SQLite file.

Only mysqldump's own format is understood: `CREATE TABLE` with each column on a line of its own, and `INSERT`
statements of one line each, with many rows.
"""

import re
import sqlite3
from collections.abc import Iterator
from io import BufferedIOBase

from comicsdb.exchange.gcd import schema

CHUNK = 5000  # rows stored at once
LINE_MAX = 64 << 20  # bytes; mysqldump ends a statement after 16 MB
_CREATE = re.compile(r"CREATE TABLE `(\w+)`")
_COLUMN = re.compile(r"\s+`(\w+)` ")
_INSERT = re.compile(r"INSERT (?:IGNORE )?INTO `(\w+)`(?: \(([^)]*)\))? VALUES\s*")
_VALUE = re.compile(
    r"(?:_binary )?'((?:[^'\\]|\\.|'')*)'|(NULL)|(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)|(0x[0-9A-Fa-f]+)", re.S
)
_ESCAPED = re.compile(r"\\(.)|''", re.S)
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


class MalformedError(Exception):
    """A statement is not one that mysqldump writes; the text says which."""


def convert(stream: BufferedIOBase, connection: sqlite3.Connection) -> None:
    """Store those tables of a dump that are needed in an SQLite file, with their indexes."""
    columns: dict[str, list[str]] = {}
    creating = ""
    for number, raw in enumerate(iter(lambda: stream.readline(LINE_MAX + 1), b""), 1):
        if len(raw) > LINE_MAX:
            raise MalformedError(f"Line {number} of the dump has more than {LINE_MAX:,} bytes.")
        text = raw.decode("utf-8", errors="replace")
        if creating:
            if found := _COLUMN.match(text):
                columns[creating].append(found[1])
            creating = "" if text.startswith(")") else creating
        elif found := _CREATE.match(text):
            creating = found[1]
            columns[creating] = []
        elif (found := _INSERT.match(text)) and found[1] in schema.TABLES:
            try:
                _insert(connection, found, columns, rows(text, found.end()))
            except (MalformedError, ValueError) as error:
                raise MalformedError(f"Line {number} of the dump: {error}") from error
            except IndexError as error:  # beyond the end of the line
                raise MalformedError(f"Line {number} of the dump is cut off: download it again.") from error
    _complete(connection, columns)


def _insert(connection: sqlite3.Connection, found: re.Match, columns: dict[str, list[str]], listed) -> None:
    """Store the rows of an INSERT statement; the first one creates the table."""
    table = found[1]
    if not _exists(connection, table):
        schema.create(connection, table)
    given = re.findall(r"`(\w+)`", found[2]) if found[2] else columns.get(table, [])
    _store(connection, table, given, listed)


def _exists(connection: sqlite3.Connection, table: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())


def _complete(connection: sqlite3.Connection, columns: dict[str, list[str]]) -> None:
    """Create tables without rows, and the indexes; raises MalformedError if a required table is missing."""
    for table in schema.REQUIRED:
        if table not in columns:
            raise MalformedError(f"The dump has no table {table}.")
    for table in schema.TABLES:
        if not _exists(connection, table):
            schema.create(connection, table)
    schema.create_indexes(connection)
    connection.commit()


def _store(connection: sqlite3.Connection, table: str, given: list[str], found: Iterator[list]) -> None:
    """Store the columns that are read; missing columns and unexpected NULLs become empty values."""
    places = [
        (given.index(column.name) if column.name in given else None, column.empty)
        for column in schema.TABLES[table]
    ]
    if "id" not in given:
        raise MalformedError(f"{table} has no column id")
    key = given.index("id")
    marks = ", ".join("?" * (len(places) + 1))
    names = ", ".join(("id", *(column.name for column in schema.TABLES[table])))
    chunk = []
    for row in found:
        if len(row) != len(given):
            raise MalformedError(f"{table} has {len(given)} columns, but a row has {len(row)} values")
        values = (empty if place is None or row[place] is None else row[place] for place, empty in places)
        chunk.append((row[key], *values))
        if len(chunk) == CHUNK:
            connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", chunk)
            chunk.clear()
    connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", chunk)


def rows(text: str, place: int) -> Iterator[list]:
    """The rows of an INSERT statement, starting with the one at `place`."""
    while text[place] == "(":
        row = []
        while True:
            found = _VALUE.match(text, place + 1)
            if not found:
                raise MalformedError(f"no value at character {place + 1}: {text[place + 1 : place + 20]!r}")
            string, null, digits, binary = found.groups()
            if string is not None:
                value = _ESCAPED.sub(_unescaped, string) if "\\" in string or "''" in string else string
            elif null:
                value = None
            else:
                value = digits or bytes.fromhex(binary[2:])
            row.append(value)
            place = found.end()
            if text[place] == ")":
                break
            if text[place] != ",":
                raise MalformedError(f"no comma at character {place}")
        yield row
        place += 1
        if text[place] == ";":
            return
        place += 1  # the comma between rows
    raise MalformedError(f"no row at character {place}")


def _unescaped(found: re.Match) -> str:
    return "'" if found[1] is None else _ESCAPES.get(found[1], found[1])
