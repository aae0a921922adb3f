"""Export of the catalog as a data set, in the format of import.

Files are written row by row from one snapshot of the database, ordered by id. Without accounts, users,
ratings and libraries are left out, and the system account becomes the author of everything. Passwords and
tokens are never exported, so imported accounts have no usable password.
"""

import hashlib
import shutil
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from psycopg import Connection
from sqlalchemy.orm import Session

from comicsdb.catalog.public_tables import json_value
from comicsdb.exchange import compression
from comicsdb.exchange.format import (
    FILES,
    OF_ACCOUNTS,
    OWNED_ROWS,
    VERSION,
    Field,
    File,
)
from comicsdb.exchange.staging import put_in_cache
from comicsdb.exchange.storing import AUTHOR_COLUMNS
from comicsdb.media.storage import BadKeyError, Storage
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.picture_hash import HASHES

CHUNK = 1000
COVER_HASHES = "(SELECT json_build_object({}) FROM picture_hash h WHERE h.picture = t.image)".format(
    ", ".join(f"'{kind}', lpad(to_hex(h.{kind}), 16, '0')" for kind in HASHES)
)


class ExportFailedError(Exception):
    """The data set cannot be written; the text says why."""


@dataclass
class ExportResult:
    """The result: rows per file, the number of pictures, and the keys of missing pictures."""

    counts: dict[str, int] = field(default_factory=dict)
    pictures: int = 0
    missing: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The result as text."""
        lines = [f"{count:>10,}  {name}" for name, count in self.counts.items()]
        lines.append(f"{self.pictures:>10,}  picture files")
        lines += [f"The picture {key} has no file: its row is written without it." for key in self.missing]
        return lines


def export_set(session: Session, folder: Path, storage: Storage, *, accounts: bool = False) -> ExportResult:
    """Write a data set into a new or empty folder, which appears when it is complete.

    Raises ExportFailedError if the folder is not empty or cannot be written.
    """
    folder = Path(folder).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportFailedError(f"{folder} is not an empty folder: name one that is empty or not there yet.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        connection = session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        driver = connection.connection.driver_connection
        result = _Export(driver, unfinished, storage, accounts=accounts).run()
        unfinished.rename(folder)
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        if isinstance(error, OSError):  # such as a full disk, which names no file
            raise ExportFailedError(f"Nothing was exported to {folder}: {error}") from error
        raise
    return result


def export_rows(connection: Connection, folder: Path) -> None:
    """Write the files of a data set without accounts and pictures, compressed, from a snapshot.

    `image` is the key of a picture; the folder does not contain its file.
    """
    export = _Export(connection, folder)
    for file in FILES:
        if not file.owner and file not in OF_ACCOUNTS:
            path = folder / f"{file.file_name}{compression.SUFFIX}"
            with compression.create(path) as stream:
                stream.writelines(export.lines(file))


class _Export:
    """An export in progress; without a storage, pictures are named but not copied."""

    def __init__(
        self, connection: Connection, folder: Path, storage: Storage | None = None, *, accounts: bool = False
    ):
        self._connection = connection
        self._folder = folder
        self._storage = storage
        self._accounts = accounts
        self._result = ExportResult()
        self._shared: dict[Hashable, tuple[str, str]] = {}  # path and SHA-256 by identity of a picture

    def run(self) -> ExportResult:
        """Write all files and the summary."""
        digests = {}
        for file in FILES:
            if not file.owner and (self._accounts or file not in OF_ACCOUNTS):
                self._result.counts[file.name], digests[file.name] = self._write(file)
        meta = {"format": VERSION, "counts": self._result.counts, "sha256": digests}
        (self._folder / "meta.json").write_bytes(orjson.dumps(meta, option=orjson.OPT_INDENT_2) + b"\n")
        return self._result

    def _write(self, file: File) -> tuple[int, str]:
        """Write a file; returns the number of its lines and its digest."""
        digest, count = hashlib.sha256(), 0
        with (self._folder / file.file_name).open("wb") as stream:
            for line in self.lines(file):
                stream.write(line)
                digest.update(line)
                count += 1
        return count, digest.hexdigest()

    def lines(self, file: File) -> Iterator[bytes]:
        """The lines of a file; pictures are copied along the way."""
        keys = [each.key for each in file.exported_fields]
        picture = next((each.key for each in file.fields if each.picture and self._storage), None)
        keys += ["image_hashes"] if self._tells_hashes(file) else []
        with self._connection.cursor("export") as rows:
            rows.itersize = CHUNK
            rows.execute(self._query(file))
            for row in rows:
                record = dict(zip(keys, row, strict=True))
                hashes = record.pop("image_hashes", None)
                if picture and record[picture]:
                    record[picture], sha256 = self._add_picture(record[picture])
                    if sha256 and (hashes or not file.has_cover):
                        record |= {"image_sha256": sha256} | ({"image_hashes": hashes} if hashes else {})
                yield orjson.dumps(record) + b"\n"

    def _tells_hashes(self, file: File) -> bool:
        return self._storage is not None and file.has_cover

    def _query(self, file: File) -> str:
        source = OWNED_ROWS.get(file, file.kind)
        columns = [
            *map(self._expression, file.exported_fields),
            *([COVER_HASHES] if self._tells_hashes(file) else []),
        ]
        return f'SELECT {", ".join(columns)} FROM {source} t ORDER BY t."{file.order}"'

    def _expression(self, each: Field, row: str = "t") -> str:
        """The SQL expression of a field."""
        if each.export_sql:
            return each.export_sql
        if each.nested:
            nested = each.nested
            pairs = ", ".join(f"'{field.key}', {self._expression(field, 'x')}" for field in nested.fields)
            return (
                f"(SELECT coalesce(json_agg(json_build_object({pairs}) ORDER BY x.\"{nested.order}\"), '[]')"
                f" FROM {nested.kind} x WHERE x.{nested.parent} = t.id)"
            )
        if each.column in AUTHOR_COLUMNS and not self._accounts:
            return str(SYSTEM_USER_ID)
        if link := each.link:
            return (
                f"ARRAY(SELECT x.{link.other} FROM {link.table.name} x WHERE x.{link.own} = t.id ORDER BY 1)"
            )
        return json_value(f'{row}."{each.column}"', each.type)

    def _add_picture(self, key: str) -> tuple[str, str]:
        """Copy a picture, once for keys that share a file; returns its path below images/ and its SHA-256."""
        try:
            identity = self._storage.identity(key)
            if identity in self._shared:
                return self._shared[identity]
            picture = self._storage.open(key)
        except (BadKeyError, FileNotFoundError):
            self._result.missing.append(key)
            return "", ""
        target = self._folder / "images" / key
        target.parent.mkdir(parents=True, exist_ok=True)
        with picture as source, target.open("w+b") as copied:
            shutil.copyfileobj(source, copied)
            copied.seek(0)
            digest = hashlib.file_digest(copied, "sha256").hexdigest()
        self._result.pictures += 1
        put_in_cache(self._shared, identity, (key, digest))
        return key, digest
