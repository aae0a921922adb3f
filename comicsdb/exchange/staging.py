"""Reads a data set: each file is checked, copied into a temporary table, and checked against the others.

Files are streamed, not held in memory. A staging table has the columns of its file and `line`, `id` (of the
set), `db_id` (of the database, initially the same) and `found` (whether the row exists). For pictures,
`image` is the new storage key and `image_path` the path below images/; covers have a column for each hash.
Nested records also have the column that refers to their owner, which is set once its id is known.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import orjson

from comicsdb.exchange import readers
from comicsdb.exchange.compression import DAMAGED, SUFFIX, open_plain
from comicsdb.exchange.format import (
    BY_KIND,
    BY_NAME,
    EXTERNAL_IDS,
    FILES,
    OWNED,
    PICTURE_FACTS,
    PICTURE_SIZE,
    READING_LISTS,
    REQUIRED,
    VARIANTS,
    Field,
    File,
)
from comicsdb.exchange.run import ImportRun
from comicsdb.imaging.picture import Picture, PictureError, check_length
from comicsdb.media.decoding import UPLOADS
from comicsdb.media.storage import Batch, StorageDownError, new_key
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import sql_type
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.models.currencies import CURRENCY_COLUMNS, Currency
from comicsdb.models.picture_hash import HASHES, signed
from comicsdb.problems import EXAMPLES_MAX, Problems
from comicsdb.schemas.collection import WHOLE_DIGITS
from comicsdb.schemas.types import PRICE_DIGITS_MAX

PICTURE_KINDS = {"variant": "variants"}  # folders of pictures that are not named like their kind
CACHE_ENTRIES = 10_000  # entries of each cache of picture files
CHUNK = 2000
LINE_MAX = 16 << 20  # bytes; parsed, a line can take twenty times as much memory


class Pictures:
    """The picture files of a set; each is decoded only once if consecutive rows share it."""

    def __init__(self, folder: Path, *, complete: bool = True):
        self._folder = folder
        self._complete = complete
        self._known: dict[tuple[str, bool], tuple[Picture, list[int]] | str] = {}
        self._stored: dict[str, str] = {}  # storage key of the first row with each path

    def file(self, path: str) -> Path:
        """The file of a path in a record, or its thumbnail, which is all that a dump may have."""
        file = self._folder / path
        thumbnail = file.with_name(f"{file.name}.webp")
        return thumbnail if thumbnail.is_file() and not file.is_file() else file

    def is_thumbnail(self, path: str) -> bool:
        """Whether the set has only the thumbnail of a picture."""
        return self.file(path) != self._folder / path

    def is_left_out(self, path: str) -> bool:
        """Whether a dump lacks the file, so that the row is imported without a picture."""
        return not self._complete and not self.file(path).is_file()

    def inspect(
        self, path: str, *, hashed: bool, sha256: str, hashes: list[int]
    ) -> tuple[Picture, list[int]]:
        """The facts about a picture, and with `hashed` its hashes; ValueError if it is missing or invalid.

        It is fully decoded unless the file has the given digest, in which case the given `hashes` are
        returned.
        """
        key = path, hashed
        if key not in self._known:
            put_in_cache(self._known, key, self._inspect(path, hashed=hashed, sha256=sha256, hashes=hashes))
        known = self._known[key]
        if isinstance(known, str):
            raise ValueError(known)
        return known

    def store(self, run: ImportRun, file: File, batch: Batch) -> None:
        """Store the new pictures of rows: a file for each row, or a hard link if rows share a picture."""
        with run.cursor.connection.cursor("pictures") as rows:
            rows.itersize = CHUNK
            rows.execute(f"SELECT image_path, image FROM {file.staged} WHERE image_path <> ''")
            for path, key in rows:
                if path in self._stored:
                    batch.put_link(key, self._stored[path])
                else:
                    put_in_cache(self._stored, path, batch.put(key, self.file(path)))
                run.report.pictures += 1

    def _inspect(
        self, path: str, *, hashed: bool, sha256: str, hashes: list[int]
    ) -> tuple[Picture, list[int]] | str:
        file = self.file(path)
        try:
            if not file.resolve().is_relative_to(self._folder.resolve()):
                return f"the file images/{path} lies outside the folder"
            if not file.is_file():
                return f"there is no file images/{path}"
            check_length(file.stat().st_size)
            data = file.read_bytes()
            with UPLOADS.acquire() as decoder:
                if sha256 and hashlib.sha256(data).hexdigest() == sha256:
                    return decoder.describe(data), hashes
                if not hashed:
                    return decoder.inspect(data), []
                picture, found = decoder.cover(data)
                return picture, [signed(found[kind]) for kind in HASHES]
        except PictureError as error:
            return f"the file images/{path} {error}"
        except StorageDownError:
            raise
        except OSError as error:
            return f"the file images/{path} cannot be read: {error.strerror}"
        except RuntimeError:  # a loop of links, before Python 3.13
            return f"there is no file images/{path}"


def put_in_cache(known: dict, key, value) -> None:
    """Add an entry to a dictionary, removing its oldest entry if it is full."""
    if len(known) >= CACHE_ENTRIES:
        del known[next(iter(known))]
    known[key] = value


def records(run: ImportRun, file: File) -> Iterator[tuple[int, str, dict]]:
    """The records of a file: line number, path within the line, and record; none if there is no such file.

    Invalid JSON is reported once for the file, not again for the nested records.
    """
    if not run.has(file):
        return
    key = _nested_key(file)
    for number, line in _lines(run, file):
        try:
            record = orjson.loads(line)
            if not isinstance(record, dict):
                raise ValueError
        except ValueError:
            if line.strip() and not key:
                run.problems.add(file.file_name, number, "", "is not a JSON object on one line")
            continue
        if not key:
            yield number, "", record
        elif isinstance(record.get(key), list):
            for n, each in enumerate(record[key]):
                if isinstance(each, dict):
                    yield number, f"{key}[{n}].", each


def _lines(run: ImportRun, file: File) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file, up to one that is too long or cannot be read, which is a problem."""
    path, done, number = run.path(file), 0, 0
    try:
        with path.open("rb") as raw, open_plain(raw) if path.suffix == SUFFIX else raw as stream:
            while line := stream.readline(LINE_MAX + 1):
                number += 1
                run.progress.read(raw.tell() - done)
                done = raw.tell()
                if len(line) > LINE_MAX:
                    run.problems.add(file.file_name, number, "", f"is longer than {LINE_MAX:,} bytes")
                    break
                yield number, line
    except (OSError, *DAMAGED) as error:
        run.problems.add(path.name, number + 1, "", f"cannot be read from here on: {error}")


def _nested_key(file: File) -> str:
    """The key under which a file's records are listed in the records of its owner."""
    owner = BY_NAME[file.owner].fields if file.owner else ()
    return next((field.key for field in owner if field.nested is file), "")


class RecordReader:
    """Parses the records of a file into rows of its staging table."""

    def __init__(self, run: ImportRun, file: File, pictures: Pictures):
        self._run = run
        self._file = file
        self._pictures = pictures
        self._plan = [(field.key, field.read, field.default) for field in file.staged_fields]
        self._nested_fields = [field for field in file.fields if field.nested]
        self._keys = {field.key for field in file.fields} | (
            set(PICTURE_FACTS) if file.has_picture else set()
        )
        keys = {field.column: field.key for field in file.fields}
        self._amounts = [
            (keys[amount], keys[currency], PRICE_DIGITS_MAX if amount == "price" else WHOLE_DIGITS)
            for amount, currency in CURRENCY_COLUMNS.items()
            if amount in keys
        ]
        self._key = _nested_key(file)
        self._picture_at = next((at for at, field in enumerate(file.fields) if field.picture), None)
        self._folder = PICTURE_KINDS.get(file.kind, file.kind)

    def row(self, number: int, where: str, record: dict) -> list | None:
        """The values for `columns`, or None for an invalid record."""
        wrong = False
        values = []
        for key, read, default in self._plan:
            value = record.get(key, default)
            try:
                if value is REQUIRED:
                    raise ValueError("is missing")
                values.append(read(value))
            except ValueError as error:
                wrong = self._add_problem(number, f"{where}{key}", error)
        if self._nested_fields:
            wrong = not self._has_lists(number, record) or wrong
        if record.get("currency") == "" and record.get("price") is not None:
            wrong = self._add_problem(number, "currency", "is missing for the price")
        wrong = self._has_wrong_amounts(number, where, record) or wrong
        if not self._keys >= record.keys():
            for key in record.keys() - self._keys:
                words = f"{self._key}.{key}" if self._key else key
                self._run.report.advise("unknown field, not read", self._file.file_name, number, words)
        if not wrong and self._picture_at is not None:
            wrong = not self._add_picture(number, values, record)
        if wrong:
            self._run.problems.mark_broken(self._file.name, record.get("id"))
            return None
        return [number, values[0], *values]

    def _has_wrong_amounts(self, number: int, where: str, record: dict) -> bool:
        """Whether amounts have more digits than their currencies."""
        wrong = False
        for amount, currency, whole in self._amounts:
            try:
                readers.check_amount(record.get(amount), record.get(currency) or Currency.USD, whole)
            except ValueError as error:
                wrong = self._add_problem(number, f"{where}{amount}", error)
        return wrong

    def _has_lists(self, number: int, record: dict) -> bool:
        """Whether the fields that contain other records are valid lists."""
        wrong = False
        for field in self._nested_fields:
            try:
                field.read(record.get(field.key, []))
            except ValueError as error:
                wrong = self._add_problem(number, field.key, error)
        return not wrong

    def _add_problem(self, number: int, key: str, what) -> bool:
        self._run.problems.add(self._file.file_name, number, key, str(what))
        return True

    def _add_picture(self, number: int, values: list, record: dict) -> bool:
        path = values[self._picture_at]
        hashed = self._file.has_cover
        if not path or self._pictures.is_left_out(path):
            values[self._picture_at] = ""
            values += ["", None, None, *([None] * len(HASHES) if hashed else [])]
            return True
        try:
            sha256, hashes = readers.picture_facts(*map(record.get, PICTURE_FACTS), HASHES if hashed else ())
        except ValueError as error:
            return not self._add_problem(number, "image_sha256", error)
        try:
            picture, hashes = self._pictures.inspect(path, hashed=hashed, sha256=sha256, hashes=hashes)
        except ValueError as error:
            return not self._add_problem(number, "image", error)
        values[self._picture_at] = new_key(self._folder, picture.suffix)
        values += [path, picture.width, picture.height, *hashes]
        return True


def columns(file: File) -> list[tuple[str, str]]:
    """The columns for COPY with their types, in the order of `RecordReader.row`."""
    listed = [("line", "integer"), ("db_id", sql_type(file.model.id))]
    listed += [(field.column, field.type) for field in file.staged_fields]
    if file.has_picture:
        listed += [("image_path", "text"), *((name, "smallint") for name in PICTURE_SIZE)]
    if file.has_cover:
        listed += [(kind, "bigint") for kind in HASHES]
    return listed


def create_table(cursor, file: File, more: tuple[tuple[str, str], ...] = ()) -> None:
    """Create the staging table of a file, which lasts until the transaction ends."""
    added = (*more, (file.parent, "bigint")) if file.parent else more
    listed = ", ".join(f'"{name}" {kind}' for name, kind in (*columns(file), *added))
    if file is VARIANTS:  # data sets have no such field for variants
        listed += ", cover_hash varchar NOT NULL DEFAULT ''"
    cursor.execute(
        f"CREATE TEMP TABLE {file.staged} ({listed}, found boolean NOT NULL DEFAULT false) ON COMMIT DROP"
    )


def stage(
    run: ImportRun,
    file: File,
    pictures: Pictures,
    more: tuple[tuple[str, str], ...] = (),
    prepare: Callable[[Iterator[list]], Iterable[list]] = iter,
) -> None:
    """Check a file and copy it into its staging table, one record at a time.

    `prepare` can change the rows and add values for the columns `more`.
    """
    reader = RecordReader(run, file, pictures)
    create_table(run.cursor, file, more)
    names = ", ".join(f'"{name}"' for name, _ in (*columns(file), *more))
    rows = (reader.row(*each) for each in records(run, file))
    with run.cursor.copy(f"COPY {file.staged} ({names}) FROM STDIN") as copy:
        for row in prepare(row for row in rows if row is not None):
            if file.reported:
                run.report.count(file.reported, "read")
            copy.write_row(row)
    run.cursor.execute(
        f"CREATE INDEX ON {file.staged} ({'line' if file.owner else 'id'}); ANALYZE {file.staged}"
    )


def drop_tables(cursor, files: Iterable[File] = FILES) -> None:
    """Drop the staging tables, for a connection whose transaction continues."""
    cursor.execute(f"DROP TABLE {', '.join(f'pg_temp.{file.staged}' for file in files)}")


# Checks across rows and files.


def check(run: ImportRun, files: tuple[File, ...]) -> None:
    """Report duplicate ids and unique values, and references to missing rows."""
    cursor, problems = run.cursor, run.problems
    for file in filter(run.has, files):
        for words, expressions, *within in ((_nested_key(file) or "id", ("id",)), *file.unique):
            _check_unique(cursor, file, words, expressions, *within, problems=problems)
        for field in file.reference_fields:
            if BY_NAME[field.target] in files:
                _check_references(cursor, file, field, problems)
    for file in OWNED:
        for kind in OWNERS if file in files else ():
            _check_owned(cursor, file, BY_KIND[kind], problems)
    if EXTERNAL_IDS in files:
        _check_external_ids(cursor, problems)
    if READING_LISTS in files:
        _check_neighbours(cursor, problems)


def _check_unique(cursor, file: File, words: str, expressions, within: str = "", *, problems) -> None:
    """Report values of a unique set that an earlier line already has; nulls are not compared."""
    given = " AND ".join(f"{each} IS NOT NULL" for each in expressions)
    same = ", ".join((within, *expressions) if within else expressions)
    cursor.execute(
        f"SELECT EXISTS (SELECT FROM {file.staged} WHERE {given} GROUP BY {same} HAVING count(*) > 1)"
    )
    if not cursor.fetchone()[0]:
        return
    report(
        problems,
        cursor,
        (file.file_name, words),
        "{1} was used on line {2} already",
        f"SELECT line, value, earlier FROM (SELECT line, concat_ws(', ', {', '.join(expressions)}) AS value,"
        f" row_number() OVER w AS place, first_value(line) OVER w AS earlier FROM {file.staged} WHERE {given}"
        f" WINDOW w AS (PARTITION BY {same} ORDER BY line)) x WHERE place > 1",
    )


def report(
    problems: Problems, cursor, where: tuple[str, str], words: str, query: str, *values: object
) -> None:
    """Report the rows of a query, whose first column is the line; `where` is the file and the field.

    `words` is the message, with the numbers of columns in braces.
    """
    cursor.execute(f"SELECT *, count(*) OVER () FROM ({query}) q ORDER BY 1, 2 LIMIT {EXAMPLES_MAX}", values)
    rows = cursor.fetchall()
    if rows:
        problems.add_rows(*where, words, [(row[0], words.format(*row)) for row in rows], rows[0][-1])


def _check_references(cursor, file: File, field: Field, problems: Problems) -> None:
    """Report references to missing rows, and rows that link to themselves."""
    source = f"{file.staged} s, unnest(s.{field.column}) AS u (id)" if field.link else f"{file.staged} s"
    pointer = "u.id" if field.link else f"s.{field.column}"
    broken = problems.broken(field.target)
    if broken is not None:
        report(
            problems,
            cursor,
            (file.file_name, field.key),
            f"{field.target}.jsonl has no id {{1}}",
            f"SELECT s.line, {pointer} AS id FROM {source} WHERE {pointer} IS NOT NULL"
            f" AND {_is_missing(pointer, BY_NAME[field.target])}",
            broken,
        )
    if field.link and field.target == file.name:
        report(
            problems,
            cursor,
            (file.file_name, field.key),
            "names the row itself",
            f"SELECT line, id FROM {file.staged} WHERE id = ANY({field.column})",
        )


def _is_missing(pointer: str, target: File) -> str:
    """The condition that an id is that of no row, and of no broken row; these are a parameter."""
    return (
        f"NOT EXISTS (SELECT FROM {target.staged} t WHERE t.id = {pointer})"
        f" AND NOT EXISTS (SELECT FROM unnest(%s::integer[]) AS broken (id) WHERE broken.id = {pointer})"
    )


def _check_owned(cursor, file: File, owner: File, problems: Problems) -> None:
    broken = problems.broken(owner.name)
    if broken is not None:
        report(
            problems,
            cursor,
            (file.file_name, "entity_id"),
            f"{owner.file_name} has no id {{1}}",
            f"SELECT s.line, s.entity_id FROM {file.staged} s WHERE s.entity = '{owner.kind}'"
            f" AND {_is_missing('s.entity_id', owner)}",
            broken,
        )


def _check_external_ids(cursor, problems: Problems) -> None:
    for source, rules in EXTERNAL_SOURCES.items():
        report(
            problems,
            cursor,
            (EXTERNAL_IDS.file_name, "external_id"),
            f"{{1}} is no id of {rules.label}",
            f"SELECT line, external_id FROM {EXTERNAL_IDS.staged} WHERE source = %s AND external_id !~ %s",
            source,
            f"^({rules.pattern})$",
        )


def _check_neighbours(cursor, problems: Problems) -> None:
    report(
        problems,
        cursor,
        (READING_LISTS.file_name, "next_id"),
        "the list, the one before it and the one after it are three",
        f"SELECT line, id FROM {READING_LISTS.staged} WHERE id IN (previous_id, next_id)"
        " OR previous_id = next_id",
    )


def complete_symmetric(cursor, file: File, field: Field) -> int:
    """Add the missing direction of symmetric links; returns the number of changed rows."""
    table, column = file.staged, field.column
    cursor.execute(
        f"UPDATE {table} t SET {column} = t.{column} || lacking.ids FROM ("
        " SELECT u.id, array_agg(s.id ORDER BY s.id) AS ids"
        f" FROM {table} s, unnest(s.{column}) AS u (id) JOIN {table} o ON o.id = u.id"
        f" WHERE NOT s.id = ANY(o.{column}) GROUP BY u.id"
        ") lacking WHERE t.id = lacking.id"
    )
    return cursor.rowcount
