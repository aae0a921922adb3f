"""PostgreSQL's own programs for backups: pg_dump, pg_restore and psql, of the server's major version."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, Engine

from comicsdb.db.dev_cluster.programs import PLACES, SETTING, wheel

NAMES = ("pg_dump", "pg_restore", "psql")
# What a dump is read back with: whoever restores owns everything, and comments need rights over extensions.
ANYWHERE = ("--no-owner", "--no-privileges", "--no-comments")


class BackupError(Exception):
    """A backup cannot be made or restored; the text says why and what to do."""


@dataclass(frozen=True)
class Programs:
    """The programs in a folder, and how they reach the database: no password is on their command line."""

    folder: Path
    major: int
    address: str
    environment: dict[str, str]

    @classmethod
    def of(cls, engine: Engine, connection: Connection) -> "Programs":
        """Those of the version of the server at the other end of a connection; raises BackupError."""
        major = connection.connection.driver_connection.info.server_version // 10_000
        _, given = engine.dialect.create_connect_args(engine.url)
        known = {key: value for key, value in given.items() if key not in {"prepare_threshold", "context"}}
        password = known.pop("password", None)
        environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
        return cls(_find(major), major, make_conninfo(**known), environment)

    def dump(self, target: Path, snapshot: str) -> None:
        """Write the database as a snapshot shows it, and look whether what was written can be read."""
        # What is unlogged (counts of rate limits) does not outlive a crash either.
        given = "--format=custom", "--no-unlogged-table-data", f"--snapshot={snapshot}", f"--file={target}"
        self._run("pg_dump", *given, self.address)
        self._run("pg_restore", "--list", str(target))

    def restore(self, dump: Path, *, replace: bool, at_the_end: str) -> None:
        """Read a dump into the database in one transaction, in which `replace` removes what is there before.

        Nothing has happened if it fails.
        """
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
                if source.wait() == 0:  # otherwise there is no COMMIT, whatever has come until now
                    target.stdin.write(f"\n{at_the_end};\nCOMMIT;\n".encode())
                target.stdin.close()
            except BrokenPipeError:
                source.kill()
            said = target.stderr.read().decode(errors="replace")
            failed = source.stderr.read().decode(errors="replace") if source.wait() else ""
        if target.returncode or source.returncode:
            told = _first_error(said) or _first_error(failed) or f"pg_restore ended with {source.returncode}"
            raise BackupError(f"Nothing was restored: {told}")

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


def _first_error(said: str) -> str:
    lines = [line for line in said.splitlines() if "error" in line.lower()] or said.splitlines()
    return lines[0].strip() if lines else ""


def _find(major: int) -> Path:
    """The folder of the programs of a major version."""
    for folder in _folders():
        if all((folder / name).is_file() for name in NAMES) and _version(folder) == major:
            return folder
    raise BackupError(
        f"The server is PostgreSQL {major}, and its programs pg_dump, pg_restore and psql were not found:"
        f" install them (apt install postgresql-client-{major}) or set {SETTING} to their folder."
    )


def _folders() -> Iterator[Path]:
    if chosen := os.environ.get(SETTING):
        yield Path(chosen)
    for place in PLACES:  # before PATH: there Debian has wrappers that choose a version themselves
        yield from sorted(Path("/").glob(place.lstrip("/")))
    yield from map(Path, os.environ.get("PATH", "").split(os.pathsep))
    if package := wheel():
        yield package


def _version(folder: Path) -> int | None:
    try:
        said = subprocess.run(
            [folder / "pg_dump", "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except OSError:
        return None
    found = re.search(r"\(PostgreSQL\) (\d+)", said.stdout)
    return int(found[1]) if found else None
