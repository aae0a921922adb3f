"""Reading a data set: each file is checked line by line and copied into a temporary table.

Nothing of a file is kept in memory. A staged table has the columns of its file, `line`, `id` (the set's),
`db_id` (the database's, at first the same), `found` (whether the database has the row already), and for
pictures `image_path`, the path below images/, beside `image`, the storage key to be.
"""

from collections.abc import Iterator
from pathlib import Path

import orjson
from psycopg import sql

from comicsdb.exchange.fields import REQUIRED, File
from comicsdb.exchange.format import FILES
from comicsdb.exchange.problems import Problems
from comicsdb.exchange.report import Report
from comicsdb.exchange.run import Run
from comicsdb.imaging.picture import Picture, PictureError, check_length
from comicsdb.media.decoding import place
from comicsdb.media.storage import Batch, StorageDownError, new_key

PICTURE_KINDS = {"variant": "variants"}  # the folder of a kind's pictures, where it is not its name
REMEMBERED = 10_000  # picture files


class Pictures:
    """The picture files of a set; each is decoded once, however many rows in a row use it."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._known: dict[str, Picture | str] = {}
        self._stored: dict[str, str] = {}  # path: key of the first row

    def file(self, path: str) -> Path:
        """The file of a path as records give it."""
        return self._folder / path

    def look(self, path: str) -> Picture:
        """What the picture is; raises ValueError where it is missing or unsound."""
        if path not in self._known:
            remember(self._known, path, self._inspect(path))
        known = self._known[path]
        if isinstance(known, str):
            raise ValueError(known)
        return known

    def store(self, batch: Batch, path: str, key: str) -> None:
        """Store a picture under a key: a copy for the first row that has it, a link for the others."""
        if path in self._stored:
            batch.put_link(key, self._stored[path])
        else:
            remember(self._stored, path, batch.put(key, self.file(path)))

    def _inspect(self, path: str) -> Picture | str:
        file = self.file(path)
        try:
            if not file.resolve().is_relative_to(self._folder.resolve()):
                return f"the file images/{path} lies outside the folder"
            if not file.is_file():
                return f"there is no file images/{path}"
            check_length(file.stat().st_size)
            with place() as decoder:
                return decoder.inspect(file.read_bytes())
        except PictureError as error:
            return f"the file images/{path} {error}"
        except StorageDownError:
            raise
        except OSError as error:
            return f"the file images/{path} cannot be read: {error.strerror}"


def remember(known: dict, key, value) -> None:
    """Add to a dictionary that forgets its oldest entries, so that memory stays bounded."""
    if len(known) >= REMEMBERED:
        del known[next(iter(known))]
    known[key] = value


def records(folder: Path, file: File, problems: Problems, progress) -> Iterator[tuple[int, dict]]:
    """The records of a file with the numbers of their lines; a file that is not there has none."""
    path = folder / file.file_name
    if not path.is_file():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            progress.read(len(line))
            try:
                record = orjson.loads(line)
                if not isinstance(record, dict):
                    raise ValueError
            except ValueError:
                if line.strip():
                    problems.add(file.file_name, number, "", "is not a JSON object on one line")
                continue
            yield number, record


class Reader:
    """Reads the records of one file into rows for its staged table."""

    def __init__(self, file: File, pictures: Pictures, problems: Problems, report: Report):
        self._file = file
        self._pictures = pictures
        self._problems = problems
        self._report = report
        self._plan = [(field.key, field.read, field.default) for field in file.fields]
        self._keys = {field.key for field in file.fields}
        self._picture_at = next((at for at, field in enumerate(file.fields) if field.picture), None)
        self._folder = PICTURE_KINDS.get(file.kind, file.kind)

    def row(self, number: int, record: dict) -> list | None:
        """The values for `columns`, or None when something was wrong with the record."""
        wrong = False
        values = []
        for key, read, default in self._plan:
            value = record.get(key, default)
            try:
                if value is REQUIRED:
                    raise ValueError("is missing")
                values.append(read(value))
            except ValueError as error:
                self._problems.add(self._file.file_name, number, key, str(error))
                wrong = True
        if record.get("currency") == "" and record.get("price") is not None:
            self._problems.add(self._file.file_name, number, "currency", "is missing for the price")
            wrong = True
        if len(record) > len(self._plan) or not self._keys >= record.keys():
            for key in record.keys() - self._keys:
                self._report.advise("unknown field, not read", self._file.file_name, number, key)
        if not wrong and self._picture_at is not None:
            wrong = not self._add_picture(number, values)
        if wrong:
            self._problems.broken(self._file.name, record.get("id"))
            return None
        return [number, values[0], *values]

    def _add_picture(self, number: int, values: list) -> bool:
        path = values[self._picture_at]
        if not path:
            values += ["", None, None]
            return True
        try:
            picture = self._pictures.look(path)
        except ValueError as error:
            self._problems.add(self._file.file_name, number, "image", str(error))
            return False
        values[self._picture_at] = new_key(self._folder, picture.suffix)
        values += [path, picture.width, picture.height]
        return True


def columns(file: File) -> list[tuple[str, str]]:
    """The columns that COPY fills, with their types, in the order of `Reader.row`."""
    listed = [("line", "integer"), ("db_id", "integer")]
    listed += [(field.column, field.type) for field in file.fields]
    if file.has_picture:
        listed += [("image_path", "text"), ("image_width", "smallint"), ("image_height", "smallint")]
    return listed


def create_table(cursor, file: File, more: tuple[tuple[str, str], ...] = ()) -> None:
    """Make the empty staged table of a file; it lasts until the transaction ends."""
    listed = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in (*columns(file), *more)
    )
    cursor.execute(sql.SQL("DROP TABLE IF EXISTS pg_temp.{}").format(sql.Identifier(file.staged)))
    cursor.execute(
        sql.SQL("CREATE TEMP TABLE {} ({}, found boolean NOT NULL DEFAULT false) ON COMMIT DROP").format(
            sql.Identifier(file.staged), listed
        )
    )


def copy_statement(file: File, more: tuple[tuple[str, str], ...] = ()) -> sql.Composed:
    """The COPY that fills a staged table."""
    names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in (*columns(file), *more))
    return sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(file.staged), names)


def finish_table(cursor, file: File) -> None:
    """Let the planner know what was copied."""
    cursor.execute(sql.SQL("CREATE INDEX ON {} (id)").format(sql.Identifier(file.staged)))
    cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(file.staged)))


def stage(run: Run, file: File, pictures: Pictures) -> None:
    """Check a file and copy it into its staged table, a record at a time."""
    reader = Reader(file, pictures, run.problems, run.report)
    create_table(run.cursor, file)
    with run.cursor.copy(copy_statement(file)) as copy:
        for number, record in records(run.folder, file, run.problems, run.progress):
            row = reader.row(number, record)
            if row is not None:
                run.report.count(file.name, "read")
                copy.write_row(row)
    finish_table(run.cursor, file)


def drop_tables(cursor) -> None:
    """Remove the staged tables, for a connection whose transaction goes on."""
    for file in FILES:
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS pg_temp.{}").format(sql.Identifier(file.staged)))
    cursor.execute("DROP TABLE IF EXISTS pg_temp.staged_library")
