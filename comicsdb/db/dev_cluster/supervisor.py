"""The supervisor of a private PostgreSQL: it runs the server until the last process that uses it has ended.

Every such process holds a shared lock on `users.lock` in the cluster's folder. The supervisor, detached from
all of them, has PostgreSQL as its child. When it gets that lock exclusively, all users have ended (possibly
by `kill -9`), and it stops PostgreSQL. `control.lock` is held while the server is started or stopped, so that
the two never overlap; `supervisor.lock` is held by a living supervisor. The kernel releases the locks of
killed processes, so there are no stale locks.

It is run by its path, not as a module, and only needs the standard library, so that nothing else is loaded.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PORT = "5432"  # only part of the socket's name; always given, so that PGPORT is ignored
# Fast and immediate shutdown, SIGKILL; seconds to wait after each.
STOPS = ((signal.SIGINT, 15), (signal.SIGQUIT, 5), (signal.SIGKILL, 5))
INTERVAL = 0.2  # seconds between checks of the locks


def open_lock(home: Path, name: str) -> int:
    """Open a lock file. It is not inherited by programs, and not a symbolic link, as root opens it too."""
    return os.open(home / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def try_lock(file: int, kind: int) -> bool:
    """Try to lock an open file."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until `condition()` is true; False after a timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def state(home: Path) -> str | None:
    """None if there is no supervisor; otherwise "" or, once it has started the server, both process ids."""
    file = open_lock(home, "supervisor")
    try:
        return None if try_lock(file, fcntl.LOCK_SH) else os.read(file, 64).decode()
    finally:
        os.close(file)


def supervise(home: Path, socket: Path, programs: Path, user: str, durable: bool) -> None:
    """Run PostgreSQL until its last user has ended; switches from root to `user` ("uid:gid") if given.

    The calling process exits as soon as the detached one holds the supervisor's lock.
    """
    control, users, own = (open_lock(home, name) for name in ("control", "users", "supervisor"))
    if not wait_until(lambda: try_lock(own, fcntl.LOCK_EX), 2):
        raise SystemExit(f"{home} has a supervisor already")
    os.ftruncate(own, 0)
    if user:  # only now: that user may be unable to read this program, and cannot open root's locks
        uid, gid = map(int, user.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if os.fork():
        os._exit(0)
    asked = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.append(True))
    _end_leftovers(home / "data", socket)
    server = subprocess.Popen(_command(home, socket, programs, durable), stdin=subprocess.DEVNULL)
    os.write(own, f"{os.getpid()} {server.pid}\n".encode())
    while server.poll() is None and not asked:
        if try_lock(control, fcntl.LOCK_EX):
            if try_lock(users, fcntl.LOCK_EX):
                break  # it keeps both locks: new users wait until this process has exited
            fcntl.flock(control, fcntl.LOCK_UN)
        time.sleep(INTERVAL)
    for number, seconds in STOPS:
        with suppress(subprocess.TimeoutExpired):
            server.send_signal(number)
            server.wait(seconds)
            break
    if socket.parent != home:
        with suppress(OSError):
            socket.rmdir()


def _command(home: Path, socket: Path, programs: Path, durable: bool) -> list[str | Path]:
    settings = {
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": f'"{socket}"',
        "unix_socket_permissions": "0700",
        "max_connections": "100",
    }
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [programs / "postgres", "-D", home / "data", *options]


def _end_leftovers(data: Path, socket: Path) -> None:
    """End the processes that a killed supervisor or server left working on the data, and remove stale files.

    A file with a process id blocks a start if the id was reused or belongs to a zombie.
    """
    left_behind = (data / "postmaster.pid", socket / f".s.PGSQL.{PORT}.lock")
    server = _process_in(left_behind[0])
    for number, seconds in STOPS:
        left = _processes_of(data, server)
        # The children of a dead server exit by themselves, and SIGINT means something else to them.
        targets = [server] if server in left else left if number != signal.SIGINT else []
        for pid in targets:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if wait_until(lambda: not _processes_of(data, server), seconds):
            break
    else:
        raise SystemExit(f"The processes {_processes_of(data, server)} will not let go of {data}")
    for file in left_behind:
        if _lives(_process_in(file)):
            file.unlink(missing_ok=True)


def _process_in(file: Path) -> int | None:
    try:
        return int(file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _lives(pid: int | None) -> bool:
    """Whether PostgreSQL would consider a process id to be that of a living server."""
    try:
        if pid is not None:
            os.kill(pid, 0)
        return pid is not None
    except (ProcessLookupError, PermissionError):
        return False


def _processes_of(data: Path, server: int | None) -> list[int]:
    """The processes working in a data folder; without /proc, the server's own if it lives."""
    if not Path("/proc/self").exists():
        return [server] if _lives(server) else []
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(data):
                found.append(int(pid))
    return found


if __name__ == "__main__":
    home, socket, programs, user, mode = sys.argv[1:]
    supervise(Path(home), Path(socket), Path(programs), user, mode == "durable")
