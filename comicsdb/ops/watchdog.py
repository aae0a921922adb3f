"""A watchdog that replaces unresponsive workers: each writes a heartbeat, which the main process checks.

A worker stuck in C code holds the GIL: none of its threads and Python signal handlers run. So it is watched
from outside, by a memory-mapped file with a count that one of its threads increments, and the requests that
the others are processing. This file and the traceback written by `faulthandler` are in a folder of the main
process.
"""

import faulthandler
import logging
import mmap
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from comicsdb.http.execution_policies import NOTE_ROUTE_KEY

log = logging.getLogger(__name__)

SHOW_STACK = signal.SIGUSR2  # makes a worker write its traceback, even when stuck
COUNT_BYTES = 8  # bytes of the count
NOTE_BYTES = 120  # bytes of each note
STACK_SECONDS = 0.5  # seconds for writing a traceback
HEALTH = "/health/"


class Heartbeat:
    """The worker's side: a thread that increments the count each second, and notes of current requests."""

    def __init__(self, folder: Path, slots: int):
        path, size = folder / str(os.getpid()), COUNT_BYTES + slots * NOTE_BYTES
        path.write_bytes(bytes(size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)
        self._stack = path.with_suffix(".stack").open("w")
        faulthandler.register(SHOW_STACK, file=self._stack, all_threads=True)

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def _run(self) -> None:
        count = 0
        while True:
            count += 1
            self._map[:COUNT_BYTES] = count.to_bytes(COUNT_BYTES)
            time.sleep(1)

    def begin(self, slot: int, environ: dict) -> None:
        """Note a request: its method and, until its route is known, only the start of its path.

        The rest of the path may be secret.
        """
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        self._note(slot, method, f"{'/'.join(path.split('/', 3)[:3])}/…")
        environ[NOTE_ROUTE_KEY] = partial(self._note, slot, method)

    def _note(self, slot: int, method: str, where: str) -> None:
        at = COUNT_BYTES + slot * NOTE_BYTES
        self._map[at : at + NOTE_BYTES] = f"{method} {where}".encode(errors="replace")[:NOTE_BYTES].ljust(
            NOTE_BYTES, b"\0"
        )

    def end(self, slot: int) -> None:
        """Clear the note of a finished request."""
        self._map[COUNT_BYTES + slot * NOTE_BYTES] = 0


class Watchdog:
    """The main process's side: replaces workers whose count has not changed for `seconds` seconds.

    `workers` returns the processes of `multiprocessing`. With `seconds` = 0 none is replaced.
    """

    def __init__(self, workers: Callable[[], list], seconds: int):
        self._workers = workers
        self._seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="comicsdb-")
        self.folder = Path(self._folder.name)
        self._seen: dict[int, tuple[bytes, int]] = {}  # by process id: count, and how often it was seen
        self.answering = 0

    def start(self) -> None:
        """Check each second, in a thread."""
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(1)
            try:
                self.check()
            except Exception:
                log.exception("The workers could not be checked")

    def check(self) -> None:
        """Check once.

        Checks are counted instead of seconds, so that suspending the machine replaces no worker.
        """
        before, self._seen, answering = self._seen, {}, 0
        for worker in self._workers():
            if not is_alive(worker.pid):
                continue  # a reload may delay the replacement of one that has died
            count = self._read(worker.pid)[:COUNT_BYTES]
            if not count.strip(b"\0"):
                continue  # it is still loading the application
            known, times = before.get(worker.pid, (b"", 0))
            times = times + 1 if count == known else 0
            self._seen[worker.pid] = count, times
            if times < (self._seconds or 10):
                answering += 1
            elif self._seconds:
                self._replace(worker)
        self.answering = answering
        with suppress(FileNotFoundError):  # the folder is removed when the process ends
            for path in self.folder.iterdir():
                if int(path.stem) not in self._seen and not is_alive(int(path.stem)):
                    path.unlink()

    def _read(self, pid: int) -> bytes:
        try:
            return (self.folder / str(pid)).read_bytes()
        except FileNotFoundError:
            return b""

    def _replace(self, worker) -> None:
        pid = worker.pid
        os.kill(pid, SHOW_STACK)
        time.sleep(STACK_SECONDS)
        notes = self._read(pid)[COUNT_BYTES:]
        at = (notes[start : start + NOTE_BYTES].rstrip(b"\0") for start in range(0, len(notes), NOTE_BYTES))
        requests = ", ".join(each.decode(errors="replace") for each in at if each[:1] > b"\0") or "nothing"
        stack = (self.folder / f"{pid}.stack").read_text(errors="replace")
        log.error(
            "Worker %d has not responded for %d seconds and is replaced. It was processing: %s\n%s",
            pid, self._seconds, requests, stack, extra={"worker": pid, "at": requests},
        )  # fmt: skip
        worker.kill()  # SIGKILL: a stuck process does not handle SIGTERM


def is_alive(pid: int) -> bool:
    """Whether an id is that of a process of this user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the id now belongs to another user's process
        return False
    return True


def serve_health(host: str, port: int, watchdog: Watchdog) -> None:
    """Serve `/health/` in a thread of this process: 200 while a worker is alive, else 503. Raises OSError."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self):
            status, text = (200, b"ok\n") if watchdog.answering else (503, b"no worker answers\n")
            if self.path != HEALTH:
                status, text = 404, b"only /health/ is here\n"
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(text)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *args):
            """Log nothing: health checks are frequent."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    server = Server((host, port), Handler)
    threading.Thread(target=server.serve_forever, name="health", daemon=True).start()
