"""Log lines: untrusted text and errors on one line, and outages, which are not logged too often."""

import logging
import threading
import time

OUTAGE_PAUSE = 60.0  # seconds between two lines about an outage of the same kind


def printable(text: str) -> str:
    """An untrusted text with spaces in place of line breaks and other control characters."""
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


def escaped(text: str) -> str:
    """A text that others chose, such as a file's name, on one line: its control characters are escaped."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def in_one_line(error: BaseException) -> str:
    """The class and first line of an error, without SQL and bound values."""
    cause = getattr(error, "orig", None) or error
    return f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0]}"


class OutageLog:
    """Logs one kind of outage at most once a minute, with the number of suppressed lines.

    During an outage every request fails in the same way, and would flood the log. There is one instance for
    each kind in a process.
    """

    def __init__(self, logger: logging.Logger, level: int = logging.ERROR):
        self._logger = logger
        self._level = level
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Log the next outage in any case."""
        self._next, self._left_out = 0.0, 0

    def report(self, error: BaseException, message: str, *arguments) -> None:
        """Log a line without traceback, unless there was one within the last minute.

        `error` is passed with the line to the function in the setting `comicsdb.errors.report`.
        """
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                self._left_out += 1
                return
            left_out, self._left_out, self._next = self._left_out, 0, now + OUTAGE_PAUSE
        if left_out:
            message, arguments = (
                f"{message} (and %s more like it meanwhile)",
                (*arguments, left_out),
            )
        self._logger.log(self._level, message, *arguments, extra={"_error": error})
