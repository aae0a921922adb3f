"""Dumps: all public data at one moment, as files that outlive the server.

A dump is a folder named by its time in UTC. It holds the public tables as SQLite, the catalog as a data set
of compressed JSON lines, the crosswalk of ids as CSV, and a signed manifest that names all files with their
digests. docs/data.md describes them.
"""

import csv
import hashlib
import io
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import orjson
from sqlalchemy import Connection, Engine, select, text

from comicsdb.catalog import crosswalk
from comicsdb.catalog.history.change_log import EPOCH
from comicsdb.exchange import compression, dump_covers, dump_sqlite, minisign
from comicsdb.exchange.downloads import COVERS, MANIFEST, SIGNATURE, dumps
from comicsdb.exchange.exporting import export_rows
from comicsdb.exchange.format import VERSION as DATA_SET
from comicsdb.media.storage import Storage, StorageDownError
from comicsdb.ops import dated_folders
from comicsdb.ops.dated_folders import TIME_FORMAT

FORMAT = 1  # format of the manifest and of the files that it names
SQLITE = "comicsdb.sqlite"
CROSSWALK = "crosswalk.csv"


class DumpError(Exception):
    """A dump cannot be written, is incomplete, or is not what its site signed."""


@dataclass(frozen=True)
class SiteInfo:
    """The site as a manifest describes it: name and address, version, and the licence of the data."""

    name: str
    url: str
    version: str
    licence: dict[str, str]


def make(
    engine: Engine,
    folder: Path,
    key: minisign.Key,
    source: SiteInfo,
    *,
    covers: Storage | None = None,
    report: Callable[[str], object] = print,
) -> Path:
    """Write a dump into a new folder below `folder`, which appears when it is complete; returns it.

    Writers are not blocked: all data comes from one snapshot. If `covers` is given, a pack of them is added.
    Raises DumpError if a file cannot be written, and StorageDownError if the covers cannot be read.
    """
    made, partial = dated_folders.begin(folder)
    try:
        with tempfile.TemporaryFile() as keys:
            with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
                manifest = _manifest_head(connection, source, made)
                manifest["counts"] = _write(connection, partial, manifest, report)
                if covers is not None:
                    dump_covers.write_keys(connection.connection.driver_connection, keys)
            if covers is not None:  # slow, so the snapshot has been released by now
                report("Packing covers ...")
                keys.seek(0)
                manifest["covers"] = dump_covers.write(partial / COVERS, covers, keys)
        manifest["public_key"] = key.public
        manifest["files"] = [_file_entry(path) for path in sorted(partial.iterdir())]
        content = orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n"
        (partial / MANIFEST).write_bytes(content)
        (partial / SIGNATURE).write_text(key.sign(content, f"comicsdb dump {made.strftime(TIME_FORMAT)}"))
        whole = partial.with_suffix("")
        partial.rename(whole)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        is_of_folder = isinstance(error, OSError | sqlite3.OperationalError)  # such as a full disk
        if is_of_folder and not isinstance(error, StorageDownError):
            raise DumpError(f"The dump cannot be written to {folder}: {error}") from error
        raise
    return whole


def verify(manifest: bytes, signature: str, public_key: str) -> dict:
    """Check the signature of a manifest's bytes; returns the manifest.

    Raises minisign.VerificationError, or DumpError if the format is unknown to this version.
    """
    minisign.verify(manifest, signature, public_key)
    found = orjson.loads(manifest)
    if found["format"] != FORMAT:
        raise DumpError(f"The dump has format {found['format']}, and this version reads {FORMAT}: update it.")
    return found


def check_file(path: Path, described: dict) -> None:
    """Check the size and digest of a file against its manifest entry; raises DumpError."""
    if not path.is_file():
        raise DumpError(f"{path} is missing.")
    if path.stat().st_size != described["bytes"] or _digest(path) != described["sha256"]:
        raise DumpError(f"{path} is damaged: it is not what the manifest says.")


def delete_older(folder: Path, days: int) -> list[Path]:
    """Remove dumps older than `days` days, but never the newest; returns their folders."""
    return dated_folders.delete_older(dumps(folder), days)


def _manifest_head(connection: Connection, source: SiteInfo, made: datetime) -> dict:
    """The part of a manifest that is known before the files are written."""
    return {
        "format": FORMAT,
        "data_set": DATA_SET,
        "name": source.name,
        "url": source.url,
        "version": source.version,
        "licence": source.licence,
        "made": made.isoformat(timespec="seconds").replace("+00:00", "Z"),
        **_position(connection),
    }


def _position(connection: Connection) -> dict:
    """The schema's version, and where the feed of changes continues after the snapshot.

    `touched` is the oldest transaction that the snapshot may not have seen.
    """
    after = text("(SELECT coalesce(max(seq), (SELECT seq FROM feed_horizon), 0) FROM change_log)")
    touched = text("CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text)")
    epoch, after, touched = connection.execute(select(EPOCH, after, touched)).one()
    schema = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return {"schema": schema, "feed": {"epoch": epoch, "after": after, "touched": touched}}


def _write(
    connection: Connection, folder: Path, manifest: dict, report: Callable[[str], object]
) -> dict[str, int]:
    """Write all files but the manifest; returns the number of rows by table."""
    driver = connection.connection.driver_connection
    report("Writing SQLite ...")
    counts = dump_sqlite.write(driver, folder / SQLITE, manifest)
    _compress(folder / SQLITE)
    report("Writing JSON lines ...")
    export_rows(driver, folder)
    report("Writing the crosswalk ...")
    with (
        compression.create(folder / f"{CROSSWALK}{compression.SUFFIX}") as stream,
        io.TextIOWrapper(stream, "utf-8", newline="") as lines,
        driver.cursor("crosswalk") as rows,
    ):
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(crosswalk.COLUMNS)
        rows.itersize = dump_sqlite.CHUNK
        writer.writerows(rows.execute(crosswalk.SELECT_ALL))
    return counts


def _compress(path: Path) -> None:
    with (
        path.open("rb") as plain,
        compression.create(path.with_name(path.name + compression.SUFFIX)) as target,
    ):
        shutil.copyfileobj(plain, target, 1 << 20)
    path.unlink()


def _file_entry(path: Path) -> dict:
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": _digest(path)}


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
