"""A private PostgreSQL for development, tests and demonstrations.

`start` starts the server of a folder or joins a running one; it runs until the last process that uses it has
ended (see `supervisor.py`). It listens only on a unix socket, in a folder closed to other users.
"""

import atexit
import fcntl
import hashlib
import logging
import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, quote

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

from comicsdb.db.dev_cluster import supervisor
from comicsdb.db.dev_cluster.programs import (
    EmbeddedError,
    copy_wheel,
    environment,
    find_binaries,
    run,
    unsuitable_reason,
    version_of,
    wheel_programs,
)

__all__ = ["Cluster", "EmbeddedError", "find_binaries", "resolve_url", "start"]

log = logging.getLogger(__name__)

ROLE = "comicsdb"
PATIENCE = 30.0  # seconds to wait for a start
RESTARTS = 5  # as many restarts within a minute are a failure
SOCKET_LIMIT = 100  # bytes; the kernel's limit is 104 (macOS) or 108 (Linux)
LOG_LIMIT = 10_000_000  # bytes; a larger log is truncated at the next start
# pg_trgm uses the operating system's locale even with PostgreSQL's builtin collation (from 17 on); in plain C
# only ASCII letters count, and titles in other scripts would have no trigrams.
LOCALES = (["--locale=C.UTF-8"], ["--locale=C", "--lc-ctype=en_US.UTF-8"], ["--locale=C"])
BUILTIN = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

_clusters: dict[Path, "Cluster"] = {}
_guard = threading.RLock()


def start(folder: Path, *, binaries: Path | None = None, durable: bool = True) -> "Cluster":
    """Start the cluster of a folder, or join it; it runs until the last process using it has ended.

    A process has one Cluster per folder. `durable=False` gives up crash safety for speed (tests); the process
    that starts the server decides. Raises EmbeddedError.
    """
    with _guard:
        try:
            folder = Path(folder).expanduser().resolve()
            cluster = _clusters.get(folder) or Cluster(folder)
            cluster._join(binaries, durable)
        except (OSError, subprocess.SubprocessError) as error:
            raise EmbeddedError(f"The PostgreSQL of {folder} cannot be started: {error}") from error
        _clusters[folder] = cluster
        return cluster


def resolve_url(url: str) -> str:
    """The SQLAlchemy URL for `embedded:<folder>?database=<name>`; any other URL is returned unchanged.

    The folder is absolute or relative to the current one, and taken literally (no %-escapes). The cluster is
    started or joined, and the database created if missing. A further key is `durable` (yes, or no: see
    `start`). Raises EmbeddedError, naming the key, for anything else.
    """
    if not url.startswith("embedded:"):
        return url
    cluster, name = _cluster_of(url)
    cluster.ensure_database(name)
    return cluster.url(name)


def keep_running(url: str, failed: Callable[[EmbeddedError], None]) -> None:
    """Restart the server of an `embedded:` URL whenever it ends, as long as this process lives.

    If a restart fails, `failed` is called from another thread, and there are no further attempts. Does
    nothing for any other URL.
    """
    if url.startswith("embedded:"):
        cluster, _name = _cluster_of(url)
        threading.Thread(target=cluster.watch, args=[failed], name="embedded", daemon=True).start()


def _cluster_of(url: str) -> tuple["Cluster", str]:
    """The running cluster and the database name of an `embedded:` URL."""
    folder, _, query = url.removeprefix("embedded:").partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := sorted(options.keys() - {"database", "durable"}):
        raise EmbeddedError(f"{url}: unknown key {', '.join(unknown)}; the keys are database and durable.")
    if options.get("durable", "yes") not in ("yes", "no"):
        raise EmbeddedError(f"{url}: durable must be yes or no, not {options['durable']!r}.")
    if not folder or folder.startswith("//"):
        raise EmbeddedError(f"{url}: write embedded:<folder>?database=<name>, without // before the folder.")
    name = _name(options.get("database", ""))
    return start(Path(folder), durable=options.get("durable") != "no"), name


class Cluster:
    """A private PostgreSQL used by this process.

    `folder` is the requested folder, `home` the one with data, locks and log, `socket` the folder of its unix
    socket.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._account = _server_account()
        self.home = _home(folder, self._account)
        self.data = self.home / "data"
        self.socket = self.home / "socket"
        length = len(os.fsencode(self.socket / f".s.PGSQL.{supervisor.PORT}"))
        if length > SOCKET_LIMIT or any(mark in str(self.socket) for mark in ',"\n'):
            # Too long for the kernel, or libpq would take it for a list because of a comma. Not below TMPDIR:
            # every process must find the same path.
            owner = self._account.pw_uid if self._account else os.geteuid()
            self.socket = Path("/tmp") / f"comicsdb-{owner}-{_digest(self.data)}"  # noqa: S108
        self._users: int | None = None
        self._started: tuple[Path | None, bool] = (None, True)  # programs and durability

    def conninfo(self, database: str) -> str:
        """The libpq connection string of a database, for psycopg."""
        _name(database)
        return make_conninfo(host=str(self.socket), port=supervisor.PORT, user=ROLE, dbname=database)

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        host = quote(str(self.socket), safe="")
        return f"postgresql+psycopg://{ROLE}@/{_name(database)}?host={host}&port={supervisor.PORT}"

    def ensure_database(self, name: str) -> bool:
        """Create a database unless it exists; returns whether it was created."""
        create = sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(_name(name)))
        with self._maintenance() as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                return False
            try:
                connection.execute(create)
            except (errors.DuplicateDatabase, errors.UniqueViolation):  # by another process
                return False
            return True

    def drop_database(self, name: str) -> None:
        """Drop a database if it exists, closing its connections."""
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(_name(name)))
        with self._maintenance() as connection:
            connection.execute(drop)

    def clone_database(self, template: str, name: str) -> None:
        """Create a database as a copy of another, which must have no connections.

        Raises EmbeddedError if the template is in use or missing, or the new database exists.
        """
        names = [sql.Identifier(_name(name)), sql.Identifier(_name(template))]
        with self._maintenance() as connection:
            try:
                # FILE_COPY is several times as fast for a small database.
                copy = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(*names)
                connection.execute(copy)
            except (errors.ObjectInUse, errors.InvalidCatalogName, errors.DuplicateDatabase) as error:
                raise EmbeddedError(f"The database {template} cannot be copied to {name}: {error}") from error

    def watch(self, failed: Callable[[EmbeddedError], None]) -> None:
        """Check every second whether the server runs, and restart it: see `keep_running`."""
        recent: deque[float] = deque(maxlen=RESTARTS)
        while self._users is not None:
            time.sleep(1)
            if supervisor.state(self.home) is not None:
                continue
            log.error("The PostgreSQL of %s has ended: it is started again.", self.folder)
            recent.append(time.monotonic())
            try:
                if not (self.data / "PG_VERSION").is_file():  # an empty database would replace it
                    raise EmbeddedError("its data are gone")
                if len(recent) == RESTARTS and recent[-1] - recent[0] < 60:
                    raise EmbeddedError("it ends again and again")
                with _guard:
                    if self._users is not None:
                        self._join(*self._started)
            except (EmbeddedError, OSError, subprocess.SubprocessError) as error:
                failed(EmbeddedError(f"The PostgreSQL of {self.folder} cannot be started again: {error}"))
                return
            log.warning("The PostgreSQL of %s runs again.", self.folder)

    def release(self) -> None:
        """Release this process's lock; the server stops when no process holds it."""
        with _guard:
            if _clusters.get(self.folder) is self:
                del _clusters[self.folder]
            if self._users is not None:
                # Not LOCK_UN, which would also release the lock of forked processes.
                os.close(self._users)
                self._users = None

    def discard(self) -> None:
        """Release, wait until the server has stopped, and delete all its data (for tests).

        Raises EmbeddedError if another process still uses it.
        """
        self.release()
        if self.home.is_dir():
            if not supervisor.wait_until(lambda: supervisor.state(self.home) is None, PATIENCE):
                raise EmbeddedError(f"The server in {self.home} is in use and cannot be deleted.")
            shutil.rmtree(self.home)

    def _maintenance(self) -> psycopg.Connection:
        return psycopg.connect(self.conninfo("postgres"), autocommit=True, connect_timeout=10)

    def _join(self, binaries: Path | None, durable: bool) -> None:
        self._started = binaries, durable
        _own_folder(self.home, self._account)
        with _control(self.home):
            new = self._users is None
            try:
                if new:
                    self._users = supervisor.open_lock(self.home, "users")
                    fcntl.flock(self._users, fcntl.LOCK_SH)  # never waits, as `control` is held
                self._await_server(binaries, durable)
            except BaseException:
                if new:
                    self.release()
                raise

    def _await_server(self, binaries: Path | None, durable: bool) -> None:
        deadline, launches, problem = time.monotonic() + PATIENCE, 0, "it ended"
        while True:
            state = supervisor.state(self.home)
            if state is None and launches < 2:  # the second launch is for a server killed before it was ready
                self._launch(binaries, durable)
                launches += 1
                continue
            if state:
                try:
                    self._maintenance().close()
                    return
                except psycopg.OperationalError as error:
                    problem = error
            if state is None or time.monotonic() > deadline:
                tail = (self.home / "server.log").read_text(errors="replace").splitlines()[-15:]
                ending = "\n".join(["Its log ends:", *tail])
                raise EmbeddedError(f"The server in {self.home} did not start: {problem}. {ending}")
            time.sleep(0.05)

    def _launch(self, binaries: Path | None, durable: bool) -> None:
        made_by = self.data / "PG_VERSION"
        major = int(made_by.read_text()) if made_by.is_file() else None
        programs = find_binaries(binaries, account=self._account, major=major)
        if programs == wheel_programs() and unsuitable_reason(programs, self._account, major):
            programs = copy_wheel(self.home, self._account)  # that user cannot access the wheel's folder
        if major is None:
            self._initdb(programs, durable)
        _own_folder(self.socket, self._account)
        user = f"{self._account.pw_uid}:{self._account.pw_gid}" if self._account else ""
        mode = "durable" if durable else "volatile"
        command = [sys.executable, "-P", supervisor.__file__, self.home, self.socket, programs, user, mode]
        log_file, flags = self.home / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        if log_file.exists() and log_file.stat().st_size > LOG_LIMIT:
            flags |= os.O_TRUNC
        with open(os.open(log_file, flags, 0o600), "wb") as out:
            subprocess.run(  # returns at once, leaving the supervisor running
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd="/",
                env=environment(),
                start_new_session=True,
                check=False,
            )

    def _initdb(self, programs: Path, durable: bool) -> None:
        # Renamed when complete, so that an interrupted start leaves no incomplete cluster.
        partial = self.home / "data.partial"
        command = [programs / "initdb", "-D", partial, "-U", ROLE, "-E", "UTF8"]
        command += ["--auth-local=trust", "--auth-host=reject", *([] if durable else ["--no-sync"])]
        command += BUILTIN if version_of(programs / "postgres", self._account) >= 17 else []
        for locale in LOCALES:
            shutil.rmtree(partial, ignore_errors=True)
            result = run([*command, *locale], self._account)
            if result.returncode == 0:
                partial.rename(self.data)
                return
        raise EmbeddedError(f"initdb could not make {self.data}: {result.stdout.strip()}")


@atexit.register
def _release_all() -> None:
    for cluster in list(_clusters.values()):
        cluster.release()


@contextmanager
def _control(home: Path):
    file = supervisor.open_lock(home, "control")
    try:
        if not supervisor.wait_until(lambda: supervisor.try_lock(file, fcntl.LOCK_EX), PATIENCE):
            raise EmbeddedError(f"Another process has been starting or stopping {home} for too long.")
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # also releases a copy in a process forked by another thread
        os.close(file)


def _name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name):
        raise EmbeddedError(
            f"database must be 1 to 63 characters of a-z, 0-9 and _, a letter first, not {name!r}."
        )
    return name


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _server_account() -> pwd.struct_passwd | None:
    """The user that runs PostgreSQL: None for the current one; for root, which it rejects, another one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedError("PostgreSQL does not run as root, and there is no user postgres or nobody to run it.")


def _home(folder: Path, account: pwd.struct_passwd | None) -> Path:
    """The home of a cluster: in `folder`, unless the server's user cannot enter that."""
    home, spare = folder / "server", Path("/var/tmp") / f"comicsdb-{_digest(folder)}"  # noqa: S108
    folder.mkdir(parents=True, exist_ok=True)
    if account is None:
        return home
    reachable = run(["/bin/sh", "-c", 'cd "$1"', "sh", folder], account).returncode == 0
    if reachable and ((home / "data").is_dir() or not (spare / "data").is_dir()):
        return home
    log.warning(
        "%s, who runs PostgreSQL for root, cannot enter %s: data in %s", account.pw_name, folder, spare
    )
    return spare


def _own_folder(path: Path, account: pwd.struct_passwd | None) -> None:
    """Create a folder that only the server's user (and root) can enter; raises if another user owns it."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    owner = account.pw_uid if account else os.geteuid()
    if account and found.st_uid == 0:  # just created by root: by this process or another one
        os.chown(path, owner, account.pw_gid, follow_symlinks=False)
    elif found.st_uid != owner:
        raise EmbeddedError(f"{path} belongs to user id {found.st_uid}, not to {owner}: name another folder.")
    if not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
        raise EmbeddedError(f"{path} must be a folder closed to others (mode 0700).")
