"""A separate PostgreSQL server on a TCP port, which tests can stop, crash and start again."""

import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg
from sqlalchemy import create_engine, text

from comicsdb.cli.database import upgrade
from comicsdb.db.dev_cluster import _server_account
from comicsdb.db.dev_cluster.programs import find_binaries, run
from tests.serving import free_port

OPTIONS = "-c listen_addresses=127.0.0.1 -c min_wal_size=2MB -c max_wal_size=8MB -c max_connections=60"


class PostgreSQL:
    """A cluster in a new folder, or in the given one, which must be empty."""

    def __init__(self, folder: Path | None = None):
        self.folder = folder or Path(tempfile.mkdtemp(prefix="postgresql-", dir="/var/tmp"))
        self.port = free_port()
        self._account = _server_account()
        self._programs = find_binaries(account=self._account)
        if self._account:
            shutil.chown(self.folder, self._account.pw_uid, self._account.pw_gid)
        self._run(
            "initdb", "-U", "comicsdb", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "--wal-segsize=1"
        )

    def _run(self, name: str, *arguments: str) -> str:
        done = run([self._programs / name, "-D", str(self.folder / "data"), *arguments], self._account)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"{OPTIONS} -p {self.port} -k {self.folder}"
        self._run("pg_ctl", "-w", "-o", options, "-l", str(self.folder / "log"), "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast` ends sessions, `immediate` is a crash."""
        self._run("pg_ctl", "-m", mode, "stop")

    @property
    def runs(self) -> bool:
        """Whether it is running."""
        done = run([self._programs / "pg_ctl", "-D", str(self.folder / "data"), "status"], self._account)
        return done.returncode == 0

    def revive(self) -> None:
        """Wait until it answers, and start it if it has stopped."""
        until = time.monotonic() + 120
        while True:
            if not self.runs:
                with suppress(AssertionError):
                    self.start()
            try:
                psycopg.connect(host="127.0.0.1", port=self.port, user="comicsdb", dbname="postgres").close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < until, (self.folder / "log").read_text()[-3000:]
                time.sleep(0.5)

    def url(self, name: str = "comicsdb", port: int | None = None) -> str:
        """The address of a database."""
        return f"postgresql+psycopg://comicsdb@127.0.0.1:{port or self.port}/{name}"

    def make(self, name: str = "comicsdb", *, migrate: bool = True) -> str:
        """Create a database and return its address."""
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        if migrate:
            engine = create_engine(self.url(name))
            upgrade(engine)
            engine.dispose()
        return self.url(name)

    def remove(self) -> None:
        """Stop it, and delete its data."""
        if self.runs:
            self.stop("immediate")
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        with suppress(OSError):  # a mount point
            shutil.rmtree(self.folder)
