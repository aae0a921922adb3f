"""Threads of the server that poll for work."""

import logging
import threading
from collections.abc import Callable

from pyramid.events import ApplicationCreated
from sqlalchemy.exc import SQLAlchemyError

from comicsdb.db import DATABASE_OUTAGE, is_unavailable

HELD = threading.Event()  # set in a process that only tries to load the application
LONG_PAUSE = 30.0  # seconds after a failure

log = logging.getLogger(__name__)


class Worker:
    """A thread that works until the process ends or `stop` is called; subclasses define the work."""

    def __init__(self, name: str):
        self._name = name
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def work(self) -> float:
        """Do the work that is waiting; returns the seconds until the next poll."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the thread, unless workers are held."""
        if not HELD.is_set():
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current work."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            try:
                pause = self.work()
            except Exception as error:  # the thread must not end, or no more work would be done
                self.report(error)
                pause = LONG_PAUSE

    def report(self, error: Exception) -> None:
        """Log why work was not done."""
        message, name = "The database does not answer the worker for %s: %s", type(error).__name__
        if is_unavailable(error):
            DATABASE_OUTAGE.report(error, message, self._name, name)
        elif isinstance(error, SQLAlchemyError):
            log.warning(message, self._name, name)
        else:
            log.error("The worker for %s failed.", self._name, exc_info=error)


def add_worker(config, setting: str, make: Callable[..., Worker]) -> None:
    """Start the worker that `make(registry)` returns with the application, if the setting is `thread`."""
    if config.get_settings()[setting] == "thread":
        config.add_subscriber(lambda event: make(event.app.registry).start(), ApplicationCreated)
