"""A streaming replica of the tests' PostgreSQL, which can lag, crash and come back."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import psycopg

from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import supervisor
from comicsdb.db.dev_cluster.programs import run
from tests.conftest import CLUSTER_PREFIX
from tests.waiting import wait_until


class Standby:
    """A replica of a whole cluster, started immediately; it ends with the test process."""

    def __init__(self, primary: dev_cluster.Cluster):
        folder = Path(tempfile.mkdtemp(prefix=CLUSTER_PREFIX))
        folder.chmod(0o755)  # as root, the server runs as another user, who needs access
        self._cluster = dev_cluster.Cluster(folder / "data")
        self._cluster.home.mkdir(mode=0o700)
        account = dev_cluster._server_account()
        if account:
            shutil.chown(self._cluster.home, account.pw_uid, account.pw_gid)
        major = int((primary.data / "PG_VERSION").read_text())
        program = dev_cluster.find_binaries(account=account, major=major) / "pg_basebackup"
        options = ["-c", "fast", "--write-recovery-conf", "--no-sync"]
        copied = run(
            [program, "-d", primary.conninfo("postgres"), "-D", self._cluster.data, *options], account
        )
        assert copied.returncode == 0, copied.stdout
        self._writer = psycopg.connect(primary.conninfo("postgres"), autocommit=True)
        self._writer.execute("SET synchronous_commit = on")
        self._reader = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it responds."""
        self._cluster = dev_cluster.start(self._cluster.folder, durable=False)

    def crash(self) -> None:
        """Stop it at once, without ending sessions."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """Kill the first process (kill -9), which ends the others."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        self._leave()
        _supervisor, server = supervisor.state(self._cluster.home).split()
        os.kill(int(server), number)
        wait_until(lambda: not self.runs())

    def runs(self) -> bool:
        """Whether it is running."""
        return supervisor.state(self._cluster.home) is not None

    def pause(self) -> None:
        """Stop replaying."""
        self._ask("SELECT pg_wal_replay_pause()")
        wait_until(lambda: self._ask("SELECT pg_get_wal_replay_pause_state()") == "paused")

    def resume(self) -> None:
        """Continue replaying."""
        self._ask("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Wait until it has replayed everything that the primary has written so far."""
        self._writer.execute("SELECT pg_logical_emit_message(true, '', '')")  # its commit flushes everything
        (written,) = self._writer.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        wait_until(lambda: self._ask("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", written))

    def _ask(self, statement: str, *values):
        if self._reader is None:
            self._reader = psycopg.connect(self._cluster.conninfo("postgres"), autocommit=True)
        return self._reader.execute(statement, values).fetchone()[0]

    def _leave(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def url(self, database: str) -> str:
        """The address of a database."""
        return self._cluster.url(database)

    def remove(self) -> None:
        """Stop it, and remove its files."""
        self._leave()
        self._writer.close()
        self._cluster.discard()
        shutil.rmtree(self._cluster.folder.parent)
