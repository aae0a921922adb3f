"""Backups of the database and the pictures that its rows refer to, taken at one moment, and restoring them.

A backup is a folder named by its time in UTC, with `database.dump` (pg_dump's own format), `pictures/` and
`backup.json`. Pictures never change, so each backup shares those of the previous one by hard links. The
programs pg_dump, pg_restore and psql must be of the server's major version.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import orjson
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, Engine, text

from comicsdb.db.dev_cluster.programs import PG_BIN, SEARCH_PATHS, version_of, wheel_programs
from comicsdb.media.storage import FolderStorage, Storage
from comicsdb.media.sweeping import COLUMN, referenced_keys
from comicsdb.ops import dated_folders
from comicsdb.ops.dated_folders import NAME

__all__ = ["Backup", "BackupError", "NewBackup", "drop_older", "make", "restore"]

DUMP, PICTURES, LABEL = "database.dump", "pictures", "backup.json"
TRIES = 5  # attempts to copy all pictures of a snapshot before any is replaced
IN_USE = """
SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
"""
# Caches may hold responses from before the restore, so no epoch may recur, and clients that follow the
# changes must start again. An older dump gets its `installation` when it is upgraded.
RENEW_EPOCH = """
UPDATE public.epoch
SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
DO $$ BEGIN
    UPDATE public.epoch SET installation = gen_random_uuid();
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
DO $$ BEGIN -- numbers of transactions are those of another server
    DELETE FROM public.touched_object;
    UPDATE public.feed_horizon SET xid = 0;
EXCEPTION WHEN undefined_table THEN NULL;
END $$
"""

PROGRAM_NAMES = ("pg_dump", "pg_restore", "psql")
# Options of pg_restore: the restoring role owns everything, and comments need privileges on extensions.
ANYWHERE = ("--no-owner", "--no-privileges", "--no-comments")


@dataclass(frozen=True)
class Label:
    """The label of a backup: time, schema, server version, and the data needed to verify it."""

    made: str
    revision: str
    postgresql: int
    pictures: int
    dump_bytes: int
    dump_sha256: str


@dataclass(frozen=True)
class Backup:
    """A complete backup: its folder and label."""

    folder: Path
    label: Label

    @classmethod
    def open(cls, folder: Path) -> "Backup":
        """Open the backup in a folder; raises BackupError if there is none, or it is damaged."""
        try:
            label = Label(**orjson.loads((folder / LABEL).read_bytes()))
            found = _digest(folder / DUMP)
        except (OSError, TypeError, ValueError) as error:
            raise BackupError(f"There is no whole backup in {folder}: {error}") from error
        if found != label.dump_sha256:
            raise BackupError(f"The dump in {folder} is damaged: it is not what was written.")
        return cls(folder, label)

    @property
    def pictures(self) -> FolderStorage:
        """The storage of its pictures."""
        return FolderStorage(self.folder / PICTURES)


@dataclass(frozen=True)
class NewBackup:
    """A new backup, and the keys of pictures that rows refer to but the storage lacks."""

    backup: Backup
    lost: tuple[str, ...]


def make(
    engine: Engine, storage: Storage, folder: Path, *, tell: Callable[[str], object] = print
) -> NewBackup:
    """Back up into a new folder below `folder`; raises BackupError, and leaves no incomplete backup.

    Writers are not blocked: the backup is a snapshot, including pictures, taken after the start.
    """
    made, partial = dated_folders.begin(folder, mode=0o700)
    before = _backups(folder)
    try:
        pictures = PictureCopies(storage, partial / PICTURES, before[-1] / PICTURES if before else None)
        with engine.connect() as connection:
            pictures.copy(_keys(connection))  # most of them, before the snapshot
        tell("Writing the dump ...")
        label, lost = _dump_snapshot(engine, pictures, partial, made)
        (partial / LABEL).write_bytes(orjson.dumps(asdict(label), option=orjson.OPT_INDENT_2))
        whole = partial.with_suffix("")
        partial.rename(whole)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return NewBackup(Backup.open(whole), tuple(sorted(lost)))


def _dump_snapshot(
    engine: Engine, pictures: "PictureCopies", partial: Path, made: datetime
) -> tuple[Label, set[str]]:
    """Dump a snapshot whose pictures are all copied; also returns those that the storage lacks.

    A missing one may have been replaced before it was copied; later snapshots no longer refer to it then.
    """
    for _ in range(TRIES):
        with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
            snapshot = connection.scalar(text("SELECT pg_export_snapshot()"))
            known = set(pictures.missing)
            missing = pictures.copy(_keys(connection))
            if missing - known:
                continue
            programs = Programs.of(engine, connection)
            dump = partial / DUMP
            programs.dump(dump, snapshot)
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
        seconds = made.isoformat(timespec="seconds")
        size = dump.stat().st_size
        return Label(seconds, revision, programs.major, pictures.number, size, _digest(dump)), missing
    raise BackupError("Pictures are replaced faster than they can be copied: try again when less is done.")


class PictureCopies:
    """The pictures of a backup: linked from the previous backup or copied from the storage."""

    def __init__(self, storage: Storage, folder: Path, before: Path | None):
        self.number = 0
        self.missing: set[str] = set()  # in any call of `copy`
        self._storage = storage
        self._target = FolderStorage(folder)
        self._before = FolderStorage(before) if before else None

    def copy(self, keys: Iterable[str]) -> set[str]:
        """Copy pictures that are not in the backup yet; returns the keys of those that the storage lacks."""
        missing = set()
        with self._target.batch() as batch:
            for key in keys:
                if self._target.exists(key):
                    continue
                if not self._linked(key):
                    try:
                        batch.put(key, self._storage.read(key))
                    except FileNotFoundError:
                        missing.add(key)
                        continue
                self.number += 1
        self.missing |= missing
        return missing

    def _linked(self, key: str) -> bool:
        if self._before is None or not self._before.exists(key):
            return False
        target = self._target.path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(self._before.path(key), target)
        except OSError:  # another file system, or too many links
            return False
        return True


def restore(
    engine: Engine, storage: Storage, backup: Backup, *, force: bool, tell: Callable[[str], object] = print
) -> int:
    """Restore a backup into an empty database, or with `force` replace the contents of the database.

    Returns the number of pictures in the backup, which is too low if not all of it was copied. Raises
    BackupError, leaving the database unchanged.
    """
    with engine.connect() as connection:
        if connection.scalar(text(IN_USE)) and not force:
            raise BackupError("The database is not empty: name an empty one, or replace it with --force.")
        programs = Programs.of(engine, connection)
        connection.detach()  # so that it is closed now: an idle one may not last as long as the restore
    if programs.major < backup.label.postgresql:
        raise BackupError(
            f"The backup was made of PostgreSQL {backup.label.postgresql}, and the server is older:"
            f" {programs.major}."
        )
    if not force and next(storage.entries(), None) is not None:
        raise BackupError("There are pictures already: name an empty place for them, or add with --force.")
    with storage.batch() as batch:  # before the rows, which must always have their pictures
        tell(f"Storing {backup.label.pictures:,} pictures ...")
        found = 0
        for entry in backup.pictures.entries():
            found += 1
            if not storage.exists(entry.key):
                batch.put(entry.key, backup.pictures.path(entry.key))
        batch.sync()
        tell("Restoring the database ...")
        programs.restore(backup.folder / DUMP, replace=force, at_the_end=RENEW_EPOCH)
    return found


def drop_older(folder: Path, days: int) -> list[Path]:
    """Remove backups older than `days` days, but never the newest; returns their folders."""
    return dated_folders.delete_older(_backups(folder), days)


def _backups(folder: Path) -> list[Path]:
    """The backups in a folder, oldest first."""
    return sorted(each for each in folder.iterdir() if NAME.fullmatch(each.name) and (each / LABEL).is_file())


def _keys(connection: Connection) -> list[str]:
    named = text(f"SELECT DISTINCT {COLUMN} FROM ({referenced_keys()}) n WHERE {COLUMN} <> ''")
    return list(connection.scalars(named))


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class BackupError(Exception):
    """A backup or restore failed; the text says why and what to do."""


@dataclass(frozen=True)
class Programs:
    """PostgreSQL's programs in a folder, and their connection; the password is passed by the environment."""

    folder: Path
    major: int
    address: str
    environment: dict[str, str]

    @classmethod
    def of(cls, engine: Engine, connection: Connection) -> "Programs":
        """Find the programs of the same version as a connection's server; raises BackupError."""
        major = connection.connection.driver_connection.info.server_version // 10_000
        _, given = engine.dialect.create_connect_args(engine.url)
        known = {key: value for key, value in given.items() if key not in {"prepare_threshold", "context"}}
        password = known.pop("password", None)
        environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
        return cls(_find(major), major, make_conninfo(**known), environment)

    def dump(self, target: Path, snapshot: str) -> None:
        """Dump a snapshot of the database, and check that the dump can be read."""
        # Data of unlogged tables (rate limits) would not survive a crash either.
        given = "--format=custom", "--no-unlogged-table-data", f"--snapshot={snapshot}", f"--file={target}"
        self._run("pg_dump", *given, self.address)
        self._run("pg_restore", "--list", str(target))

    def restore(self, dump: Path, *, replace: bool, at_the_end: str) -> None:
        """Restore a dump in one transaction, in which `replace` first removes the current content."""
        reading = [self.folder / "pg_restore", *ANYWHERE, "--file=-", dump]
        writing = [self.folder / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", self.address]
        with (
            subprocess.Popen(reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as source,
            subprocess.Popen(
                writing,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            ) as target,
        ):
            try:
                target.stdin.write(b"BEGIN;\n")
                if replace:
                    target.stdin.write(b"DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n")
                while piece := source.stdout.read(1 << 20):
                    target.stdin.write(piece)
                if source.wait() == 0:  # if the dump is incomplete, there is no COMMIT
                    target.stdin.write(f"\n{at_the_end};\nCOMMIT;\n".encode())
                target.stdin.close()
            except BrokenPipeError:
                source.kill()
            output = target.stderr.read().decode(errors="replace")
            failed = source.stderr.read().decode(errors="replace") if source.wait() else ""
        if target.returncode or source.returncode:
            reason = (
                _first_error(output) or _first_error(failed) or f"pg_restore ended with {source.returncode}"
            )
            raise BackupError(f"Nothing was restored: {reason}")

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.folder / name, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise BackupError(f"{name} failed: {_first_error(done.stderr)}")


def _first_error(output: str) -> str:
    lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines()
    return lines[0].strip() if lines else ""


def _find(major: int) -> Path:
    """The folder of the programs of a major version."""
    for folder in _folders():
        with suppress(OSError, ValueError, subprocess.SubprocessError):  # not there, or not to be run
            complete = all((folder / name).is_file() for name in PROGRAM_NAMES)
            if complete and version_of(folder / "pg_dump") == major:
                return folder
    raise BackupError(
        f"The server is PostgreSQL {major}, and its programs pg_dump, pg_restore and psql were not found:"
        f" install them (apt install postgresql-client-{major}) or set {PG_BIN} to their folder."
    )


def _folders() -> Iterator[Path]:
    if chosen := os.environ.get(PG_BIN):
        yield Path(chosen).absolute()
    for place in SEARCH_PATHS:  # before PATH, where Debian has wrappers that choose a version
        yield from sorted(Path("/").glob(place.lstrip("/")))
    yield from (Path(each).absolute() for each in os.environ.get("PATH", "").split(os.pathsep))
    if package := wheel_programs():
        yield package
