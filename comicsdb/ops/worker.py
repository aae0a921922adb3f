"""Threads of the server that look for work again and again."""

import logging
import threading

from sqlalchemy.exc import SQLAlchemyError

LONG_PAUSE = 30.0  # seconds after a failure

log = logging.getLogger(__name__)


class Worker:
    """A thread that works until the process ends, or `stop`; subclasses say what it does."""

    def __init__(self, name: str):
        self._name = name
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def work(self) -> float:
        """Do what is waiting; returns the seconds until the next look."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the work that is being done."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            try:
                pause = self.work()
            except SQLAlchemyError as error:
                log.warning(
                    "The database does not answer the worker for %s: %s", self._name, type(error).__name__
                )
                pause = LONG_PAUSE
            except Exception:  # the thread must not end: no later work would be done
                log.exception("The worker for %s failed.", self._name)
                pause = LONG_PAUSE
