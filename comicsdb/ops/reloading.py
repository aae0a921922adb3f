"""Replacing the workers of the server one by one (SIGHUP), so that the port is served all the time.

granian starts a worker and at once asks its predecessor to stop. A predecessor therefore goes on serving
until as many others as there should be answer. A reload begins when the one before has ended, and only if
another process could load the application: otherwise the workers stay.
"""

import logging
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.synchronize import Event
from pathlib import Path

from granian import Granian

from comicsdb.ops.slow_clients import is_listening
from comicsdb.ops.watchdog import is_alive

SUCCESSOR_SECONDS = 120  # seconds that a worker waits for its successor
PAUSE = 0.05  # seconds between two looks

log = logging.getLogger(__name__)


class AnsweringMarks:
    """Marks of the workers that answer: files, as a worker that is killed would not release a lock."""

    SUFFIX = ".answering"

    def __init__(self, folder: Path):
        self._folder = folder

    def set_when_listening(self, port: int) -> None:
        """Mark this process, in a thread, as soon as it accepts connections."""
        threading.Thread(target=self._set_when_listening, args=[port], daemon=True).start()

    def _set_when_listening(self, port: int) -> None:
        while not is_listening(port):
            time.sleep(PAUSE)
        self._own.touch()

    def clear(self) -> None:
        """Remove the mark of this process."""
        self._own.unlink(missing_ok=True)

    def count_others(self) -> int:
        """The number of other processes that answer."""
        pids = {int(mark.stem) for mark in self._folder.glob(f"*{self.SUFFIX}")} - {os.getpid()}
        return sum(map(is_alive, pids))

    @property
    def _own(self) -> Path:
        return self._folder / f"{os.getpid()}{self.SUFFIX}"


def wait_for_successor(marks: AnsweringMarks, workers: int, is_reloading: Event) -> None:
    """In a worker that is asked to stop: during a reload, wait until `workers` others answer."""
    parent, until = multiprocessing.parent_process(), time.monotonic() + SUCCESSOR_SECONDS
    while is_reloading.is_set() and parent.is_alive() and marks.count_others() < workers:
        if time.monotonic() > until:
            log.error("The successor of a worker does not answer after %d seconds.", SUCCESSOR_SECONDS)
            break
        time.sleep(PAUSE)


class Reloader:
    """In the main process: reloads on SIGHUP, one after the other.

    `try_application` runs in a process of its own, whose exit code is 0 if the application can be loaded.
    """

    def __init__(
        self, server: Granian, is_reloading: Event, try_application: Callable[[], None], patience: int
    ):
        self._server = server
        self._is_reloading = is_reloading
        self._try_application = try_application
        self._patience = patience
        self._requests = queue.SimpleQueue()  # its `put` may be called by a signal handler

    def start(self) -> None:
        """Handle SIGHUP from now on."""
        threading.Thread(target=self._run, name="reloader", daemon=True).start()
        signal.signal(signal.SIGHUP, lambda *_: self._requests.put(None))

    def _run(self) -> None:
        while True:
            self._requests.get()
            with suppress(queue.Empty):  # one reload does for all signals until now
                while True:
                    self._requests.get_nowait()
            try:
                self._reload()
            except Exception:
                log.exception("The workers could not be replaced.")

    def _reload(self) -> None:
        trial = multiprocessing.Process(target=self._try_application, daemon=True)
        trial.start()
        trial.join()
        if trial.exitcode != 0:
            log.error("The workers stay as they are, as new ones could not load the application.")
            return
        old = [worker.inner.pid for worker in self._server.wrks]
        self._is_reloading.set()
        self._server.workers_kill_timeout = SUCCESSOR_SECONDS + self._patience
        try:
            self._server.signal_handler_reload()
            while any(map(is_alive, old)) and not self._server.interrupt_signal:
                time.sleep(PAUSE)
        finally:
            self._is_reloading.clear()
            self._server.workers_kill_timeout = self._patience
        log.info("All workers have been replaced.")
