"""The harness of the benchmarks: a private PostgreSQL with data, Redis, and servers with production.ini.

Everything is started in a temporary folder, and stopped at the end of the block.
"""

import base64
import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from configparser import RawConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, create_engine, text

from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.cli.database import upgrade
from comicsdb.config import COUNT_MAX
from comicsdb.db import dev_cluster, session_factory
from comicsdb.exchange.importing import import_set
from comicsdb.media.storage import FolderStorage
from tests.large import fill
from tests.redis_server import RedisServer
from tests.serving import free_port

ROOT = Path(__file__).parent.parent
NAME = "bench"
PASSWORD = "a password of the bench"  # noqa: S105
TIMEOUT = 300  # seconds; long, as the machine may be busy
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Server:
    """A server to be measured."""

    port: int
    process: subprocess.Popen
    log: Path

    def get(self, path: str, headers: dict[str, str]) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return status, headers and body of a response; any status is accepted."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, [(name.lower(), value) for name, value in answer.getheaders()], body

    @property
    def cpu(self) -> float:
        """Return the CPU seconds used by its processes."""
        return cpu_seconds(self.process.pid)


class Harness:
    """The database, Redis and the account shared by all servers."""

    def __init__(self, stack: ExitStack, folder: Path, data: Path | None, issues: int):
        self.stack, self.folder = stack, folder
        self.cluster = dev_cluster.start(folder / "postgres", durable=False)
        stack.callback(self.cluster.discard)
        self.cluster.ensure_database("bench")
        self.url = self.cluster.url("bench")
        self.engine = create_engine(self.url)
        stack.callback(self.engine.dispose)
        upgrade(self.engine)
        _load_data(self.engine, folder, data, issues)
        self.token = _create_account(self.engine)
        self.redis = RedisServer()
        self.redis.start("--maxmemory", "256mb", "--maxmemory-policy", "allkeys-lru")
        stack.callback(self.redis.remove)

    @property
    def database_cpu(self) -> float:
        """Return the CPU seconds used by PostgreSQL."""
        postmaster = (self.cluster.home / "data" / "postmaster.pid").read_text().split()[0]
        return cpu_seconds(int(postmaster))

    @property
    def credentials(self) -> dict[str, str]:
        """Return the Authorization header with the token."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def password(self) -> dict[str, str]:
        """Return the Authorization header with name and password."""
        pair = base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}

    def column(self, statement: str) -> list:
        """Return the first column of a query."""
        with self.engine.connect() as connection:
            return list(connection.scalars(text(statement)))

    def serve(
        self, name: str, app: dict[str, str], server: dict[str, str] | None = None, command=None
    ) -> Server:
        """Serve an application with production.ini, changed by the given settings.

        `command` starts another server program: a list in which INI and PORT are placeholders.
        """
        port = free_port()
        ini = self.ini(name, app, {"listen": f"127.0.0.1:{port}", **(server or {})})
        command = command or [sys.executable, "-W", "ignore", "-m", "pyramid.scripts.pserve", "INI"]
        return self.stack.enter_context(_running_server(command, ini, port))

    def ini(self, name: str, app: dict[str, str], server: dict[str, str]) -> Path:
        """Write production.ini with other settings and return its path."""
        parser = RawConfigParser()
        parser.optionxform = str
        parser.read(ROOT / "production.ini")
        if app["use"].startswith("call:"):
            parser.remove_section("app:main")
            parser.add_section("app:main")
        if server.get("use", parser["server:main"]["use"]) != parser["server:main"]["use"]:
            parser.remove_section("server:main")
            parser.add_section("server:main")
        for section, values in (("app:main", app), ("server:main", server)):
            for key, value in values.items():
                parser.set(section, key, value)
        path = self.folder / f"{name}.ini"
        with path.open("w") as file:
            parser.write(file)
        return path

    def app_settings(self, **more: str) -> dict[str, str]:
        """Return the settings of comicsdb for this harness."""
        return {
            "use": "egg:comicsdb",
            "sqlalchemy.url": self.url.replace("%", "%%"),
            "comicsdb.secret": "for the bench only: it guards nothing but made up rows",
            "comicsdb.base_url": "http://127.0.0.1",
            "comicsdb.media.folder": str(self.folder / "media"),
            "comicsdb.cache.url": self.redis.url,
            # Enabled, but never reached.
            "comicsdb_api.throttle": "on",
            "comicsdb_api.throttle.burst": str(COUNT_MAX),
            "comicsdb_api.throttle.sustained": str(COUNT_MAX),
            **more,
        }


@contextmanager
def running_harness(data: Path | None, issues: int) -> Iterator[Harness]:
    """Provide a harness with the data set in a folder, or a generated catalog; 0 `issues` for none."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        os.chmod(folder, 0o755)  # noqa: S103  (for the user that runs PostgreSQL)
        yield Harness(stack, Path(folder), data, issues)


def _load_data(engine: Engine, folder: Path, data: Path | None, issues: int) -> None:
    if data is None and not issues:
        return
    if data is None:
        with engine.connect() as connection:
            fill(connection, issues=issues)
        return
    with session_factory(engine)() as session:
        import_set(session, data, FolderStorage(folder / "media"), Passwords())
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def _create_account(engine: Engine) -> str:
    """Create the account for requests and return its token."""
    token = secrets.token_hex(32)
    with engine.begin() as connection:
        user_id = connection.scalar(
            text(
                "INSERT INTO user_account (username, email, password)"
                " VALUES (:name, 'bench@example.org', :password) RETURNING id"
            ),
            {"name": NAME, "password": Passwords().hash(PASSWORD)},
        )
        connection.execute(
            text("INSERT INTO api_token (digest, token_key, user_id) VALUES (:digest, :key, :user_id)"),
            {"digest": digest(token), "key": token[:8], "user_id": user_id},
        )
    return token


@contextmanager
def _running_server(command: list[str], ini: Path, port: int) -> Iterator[Server]:
    log = ini.with_suffix(".log")
    given = {"INI": str(ini), "PORT": str(port)}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [given.get(part, part).replace("{port}", str(port)) for part in command],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "BENCH_INI": str(ini)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for_port(process, port, log)
        server = Server(port, process, log)
        server.get("/", {})  # waits until the application is loaded
        yield server
    finally:
        process.terminate()
        try:
            process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for_port(process: subprocess.Popen, port: int, log: Path) -> None:
    until = time.monotonic() + TIMEOUT
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"The server did not start:\n{log.read_text()[-3000:]}")


def cpu_seconds(root: int) -> float:
    """Return user and system time of a process and its descendants in seconds, from /proc."""
    parents, used = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # the process has ended
                continue
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(map(int, fields[11:15]))
    total = 0
    for pid, ticks in used.items():
        above = pid
        while above not in (root, 0):
            above = parents.get(above, 0)
        total += ticks if above == root else 0
    return total / TICKS
