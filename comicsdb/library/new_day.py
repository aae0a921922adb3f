"""What a new day brings: stars given before an issue was out count from its store date on.

The first request that a process gets on a business day looks after that before it is answered, so it needs
no job, and nobody is shown the figures of the day before. All other requests compare two dates.
"""

import logging
import threading
import time

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from comicsdb import clock
from comicsdb.http.execution_policies import LAST, wrap_execution_policy
from comicsdb.library.ratings import count_due

log = logging.getLogger(__name__)

PAUSE = 60.0  # seconds until the next attempt, after one that failed
PATIENCE = "1s"  # for which requests wait while somebody writes much, such as an import


class NewDay:
    """An execution policy: `day` is the business day that has begun for this process."""

    def __init__(self, registry, usual):
        self._registry = registry
        self._usual = usual
        self._lock = threading.Lock()
        self._not_before = 0.0
        self.day = None

    def __call__(self, environ, router):
        """The response, by the policy within."""
        today = clock.business_day(self._registry.settings["comicsdb.timezone"])
        if today != self.day:
            with self._lock:
                if today != self.day and time.monotonic() >= self._not_before:
                    self._begin(today)
        return self._usual(environ, router)

    def _begin(self, today) -> None:
        try:
            with self._registry["comicsdb.session_factory"]() as session:
                session.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}'"))
                counted = count_due(session, today)
                session.commit()
        except SQLAlchemyError as error:  # a request that needs the database tells of an outage itself
            log.info("Stars that are due since %s cannot be counted: %s", today, type(error).__name__)
            self._not_before = time.monotonic() + PAUSE
            return
        if counted:
            log.info("%d stars count since their issues are out", counted)
        self.day = today


def includeme(config):
    """Around the caches: what they hold may be outdated by the new day."""
    wrap_execution_policy(config, NewDay, LAST + 1)
