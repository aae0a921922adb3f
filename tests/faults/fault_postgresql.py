"""PostgreSQL restarts under load, its disk is full, or a migration is interrupted."""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from comicsdb.cli.database import is_current
from tests.faults.load import Load
from tests.faults.postgresql import PostgreSQL
from tests.serving import clean_environment, fetch, write_ini
from tests.site.test_production import served
from tests.waiting import wait_until


@pytest.fixture
def postgresql():
    """An empty server."""
    server = PostgreSQL()
    server.start()
    yield server
    server.remove()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_restarted_under_load(postgresql, tmp_path, mode):
    url = postgresql.make()
    with served(tmp_path, url) as (_process, port, log):
        load = Load([f"http://127.0.0.1:{port}"], url)
        with load.running():
            load.progress()
            for _ in range(2):
                postgresql.stop(mode)
                time.sleep(1)
                for path in ("/", "/api/publisher/"):
                    status, headers, _ = fetch(f"http://127.0.0.1:{port}{path}", Authorization=load.basic)
                    assert status == 503
                    assert {name.lower() for name in headers} >= {"retry-after"}
                postgresql.start()
                load.progress()
    load.check()
    assert "the database cannot be used" in log.read_text()


def test_disk_full(tmp_path):
    # Not below tmp_path, which PostgreSQL's user cannot access.
    folder = Path(tempfile.mkdtemp(prefix="disk-", dir="/var/tmp"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "none", folder], check=True)  # needs root
    postgresql = PostgreSQL(folder)
    ballast = folder / "ballast"
    try:
        postgresql.start()
        url = postgresql.make()
        with served(tmp_path, url) as (_process, port, _log):
            load = Load([f"http://127.0.0.1:{port}"], url)
            with load.running():
                load.progress()
                _fill(ballast)
                before = refusals(load)
                wait_until(lambda: refusals(load) > before)
                ballast.unlink()
                postgresql.revive()  # it may have stopped, as it could not write its WAL
                load.progress()
        load.check()
    finally:
        postgresql.remove()
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()


def refusals(load) -> int:
    """The number of unsuccessful responses."""
    return sum(count for (_, status), count in load.statuses.items() if status not in {200, 201})


def _fill(ballast) -> None:
    with ballast.open("wb") as stream:
        try:
            while True:
                stream.write(b"\0" * 65536)
        except OSError:
            pass


def test_a_migration_is_interrupted(postgresql, tmp_path):
    began = time.monotonic()
    whole = _schema(postgresql, postgresql.make("whole"))
    seconds = time.monotonic() - began
    seen = set()
    for number in range(4):
        url = postgresql.make(f"part_{number}", migrate=False)
        (tmp_path / str(number)).mkdir()
        ini = write_ini(tmp_path / str(number), url)
        command = [sys.executable, "-m", "comicsdb", "-c", str(ini), "db", "upgrade"]
        process = subprocess.Popen(command, env=clean_environment(), stdout=subprocess.DEVNULL)
        wait_until(lambda: _is_migrated(url) or process.poll() is not None)  # noqa: B023
        time.sleep(random.uniform(0, seconds))
        process.kill()
        process.wait()
        seen.add(_revision(url))
        done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        engine = create_engine(url)
        assert is_current(engine)
        engine.dispose()
        assert _schema(postgresql, url) == whole
    sys.stdout.write(f"\ninterrupted after {seen}\n")


def _is_migrated(url: str) -> bool:
    """Whether a migration is running, which holds an advisory lock."""
    held = "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory'"
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return connection.scalar(text(f"{held} AND datname = current_database()")) > 0
    finally:
        engine.dispose()


def _revision(url: str) -> str | None:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            if not connection.scalar(text("SELECT to_regclass('alembic_version')")):
                return None
            return connection.scalar(text("SELECT version_num FROM alembic_version"))
    finally:
        engine.dispose()


def _schema(postgresql, url: str) -> str:
    name = url.rpartition("/")[2]
    command = [
        "--schema-only",
        "--no-owner",
        f"--port={postgresql.port}",
        "--host=127.0.0.1",
        "--username=comicsdb",
    ]
    done = subprocess.run(
        [postgresql._programs / "pg_dump", *command, name], capture_output=True, text=True, check=True
    )
    return "\n".join(line for line in done.stdout.splitlines() if not line.startswith("\\"))
