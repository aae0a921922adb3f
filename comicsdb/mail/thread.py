"""The thread that sends mail from within a server process, where the settings want one."""

import logging
import threading
from collections.abc import Mapping

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from comicsdb.mail.carriers import carrier
from comicsdb.mail.delivery import send_due

log = logging.getLogger(__name__)

PAUSE = 3.0  # seconds between two looks at the outbox
LONG_PAUSE = 60.0  # after a failure: every other mail would fail as well


class Sender:
    """Looks at the outbox every few seconds until the process ends, or `stop`.

    Each process has one; a row is sent by the one that claims it first.
    """

    def __init__(self, engine: Engine, settings: Mapping):
        self._engine = engine
        self._carrier = carrier(settings)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mail", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End when the mail under way has left."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            try:
                pause = LONG_PAUSE if send_due(self._engine, self._carrier)["unreachable"] else PAUSE
            except SQLAlchemyError as error:
                log.warning("The outbox cannot be read: %s", type(error).__name__)
                pause = LONG_PAUSE
            except Exception:  # a thread that ends would take all later mails with it
                log.exception("Sending mail failed.")
                pause = LONG_PAUSE
