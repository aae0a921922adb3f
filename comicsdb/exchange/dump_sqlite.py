"""The SQLite file of a dump: all public tables, with keys, indexes and full-text search of names.

Values are those of JSON (`catalog.public_tables.json_value`), but arrays and objects are JSON text, and
booleans are 0 and 1. `read_rows` returns rows in the form that `catalog.public_tables.insert_rows` takes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
from psycopg import Connection
from sqlalchemy import ARRAY, JSON, Boolean, Column, Integer

from comicsdb.catalog.public_tables import PUBLIC_COLUMNS, PUBLIC_KINDS, json_value, public_rows
from comicsdb.models import metadata
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import sql_type

CHUNK = 5000
VALUE_MAX = 64 << 20  # bytes of a value in somebody else's file
# Indexes in addition to those of primary keys and foreign keys, which are all indexed.
INDEXES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(OWNERS, ("slug", "cv_id", "gcd_id", "name")),
    "issue": (
        "slug",
        "cv_id",
        "gcd_id",
        "series_id, number",
        "cover_date",
        "store_date",
        "isbn",
        "upc",
        "sku",
    ),
    "variant": ("upc", "sku"),
    "external_id": ("source, external_id",),
    "former_slug": ("kind, object_id",),
    "picture_hash": ("phash",),
    "change_log": ("kind, object_id",),
}
# Full-text search of names: the columns with the name and with other names (JSON) of each kind.
_NAMES = {
    "publisher": ("name", "alt_names"),
    "creator": ("name", "alias"),
    "character": ("name", "alias"),
    "series": ("name", "alt_names"),
    "issue": ("title", "name"),
}


def write(connection: Connection, path: Path, about: dict) -> dict[str, int]:
    """Write the file from the snapshot of a connection; returns the number of rows by table.

    The table `meta` holds the entries of `about`; values other than text are JSON.
    """
    meta = [
        (key, value if isinstance(value, str) else orjson.dumps(value).decode())
        for key, value in about.items()
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        # The file is renamed when it is complete, so nothing needs to survive a crash.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            target.execute(f"PRAGMA {pragma}")
        for statement in schema():
            target.execute(statement)
        target.execute("BEGIN")
        target.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        counts = {table: _copy(connection, target, table) for table in PUBLIC_COLUMNS}
        for statement in (*_searched(), *indexes()):
            target.execute(statement)
        target.execute("COMMIT")
        target.execute("ANALYZE")
    return counts


def open_read_only(file: Path) -> sqlite3.Connection:
    """Open the file of somebody else's dump; raises ValueError unless all public tables are as in our own.

    A view, a virtual table or a computed column could keep its reader busy for ever, and SQLite takes the
    quoted name of a missing column for a text.
    """
    database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX)
    stored = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    tables = {name for (name,) in database.execute(stored)}
    for table, columns in PUBLIC_COLUMNS.items():
        listed = database.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
        if table not in tables or listed != [(name, 0) for name in columns]:
            database.close()
            raise ValueError(f"no table {table} with the columns {', '.join(columns)}")
    return database


def read_rows(database: sqlite3.Connection, table: str) -> Iterator[dict]:
    """The rows of a public table with the values they have in JSON, in the order of its primary key."""
    columns = PUBLIC_COLUMNS[table]
    types = {name: _column(table, name).type for name in columns}
    parsers = {name: orjson.loads for name in columns if isinstance(types[name], ARRAY | JSON)}
    parsers |= {name: bool for name in columns if isinstance(types[name], Boolean)}
    names = ", ".join(f'"{name}"' for name in columns)
    rows = database.execute(f'SELECT {names} FROM "{table}" ORDER BY {", ".join(_key(table))}')
    for row in rows:
        record = dict(zip(columns, row, strict=True))
        for name, parse in parsers.items():
            record[name] = None if record[name] is None else parse(record[name])
        yield record


def schema() -> list[str]:
    """The statements that create the tables."""
    return [
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        *map(_table, PUBLIC_COLUMNS),
        "CREATE VIRTUAL TABLE search USING fts5(name, other_names, kind UNINDEXED, id UNINDEXED,"
        " tokenize = 'unicode61 remove_diacritics 2')",
    ]


def indexes() -> list[str]:
    """The statements that create the indexes."""
    found = []
    for table, columns in PUBLIC_COLUMNS.items():
        key, declared = _key(table), list(INDEXES.get(table, ()))
        leading = {key[0].strip('"'), *(each.split(",")[0] for each in declared)}
        declared += [name for name in columns if _column(table, name).foreign_keys and name not in leading]
        for each in declared:
            names = each.split(", ")
            listed = ", ".join(f'"{name}"' for name in names)
            found.append(f'CREATE INDEX "{table}_{"_".join(names)}" ON "{table}" ({listed})')
    return found


def _column(table: str, name: str) -> Column:
    return metadata.tables[table].columns[name]


def _key(table: str) -> list[str]:
    return [f'"{column.name}"' for column in metadata.tables[table].primary_key]


def _table(name: str) -> str:
    key = _key(name)
    one = metadata.tables[name].primary_key.columns[0] if len(key) == 1 else None
    is_rowid = one is not None and isinstance(one.type, Integer)
    columns = [_column(name, each) for each in PUBLIC_COLUMNS[name]]
    lines = [_declaration(column, is_rowid=is_rowid and column is one) for column in columns]
    lines += [] if is_rowid else [f"PRIMARY KEY ({', '.join(key)})"]
    for column in columns:
        # Only references to primary keys: a credit's role also repeats two columns of its credit.
        for to in (key.column for key in column.foreign_keys if key.column.primary_key):
            lines.append(f'FOREIGN KEY ("{column.name}") REFERENCES "{to.table.name}" ("{to.name}")')
    ending = "" if is_rowid else " WITHOUT ROWID"
    return f'CREATE TABLE "{name}" (\n  ' + ",\n  ".join(lines) + f"\n){ending}"


def _declaration(column: Column, *, is_rowid: bool) -> str:
    kind = "INTEGER" if isinstance(column.type, Integer | Boolean) else "TEXT"
    null = "" if column.nullable else " NOT NULL"
    return f'"{column.name}" {kind}{" PRIMARY KEY" if is_rowid else null}'


def _expression(column: Column) -> str:
    """The SQL expression that converts a column of rows r to its value in the file."""
    name = f'r."{column.name}"'
    match column.type:
        case ARRAY() | JSON():
            return f"to_json({name})::text"
        case Boolean():
            return f"{name}::integer"
    return json_value(name, sql_type(column))


def _copy(connection: Connection, target: sqlite3.Connection, table: str) -> int:
    """Copy the public rows of a table in chunks; returns their number."""
    columns, count = [_column(table, name) for name in PUBLIC_COLUMNS[table]], 0
    places = ", ".join("?" * len(columns))
    with connection.cursor("dump") as rows:
        rows.execute(f"SELECT {', '.join(map(_expression, columns))} {public_rows(table)}")
        while chunk := rows.fetchmany(CHUNK):
            target.executemany(f'INSERT INTO "{table}" VALUES ({places})', chunk)
            count += len(chunk)
    return count


def _searched() -> Iterator[str]:
    """The statements that fill the full-text index and make it as small as possible."""
    for kind in PUBLIC_KINDS:
        name, others = _NAMES.get(kind, ("name", ""))
        other = (
            f"(SELECT coalesce(group_concat(value, ' / '), '') FROM json_each(t.{others}))"
            if others
            else "''"
        )
        yield (
            f"INSERT INTO search (name, other_names, kind, id) SELECT * FROM (SELECT t.{name} AS name,"
            f" {other} AS others, '{kind}', t.id FROM \"{kind}\" t) WHERE name <> '' OR others <> ''"
        )
    yield "INSERT INTO search (search) VALUES ('optimize')"
