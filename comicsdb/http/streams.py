"""Answers that come slowly: the server sends each piece at once, and requests that wait for news."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext

ASIDE_KEY = "comicsdb.aside"  # in the environment: gives a context without a place of the application
STOPPING = threading.Event()  # set when the server stops: whoever waits ends


def wait(environ: dict, seconds: float) -> bool:
    """Wait without keeping other requests from the application; gives whether the server stops meanwhile."""
    with environ.get(ASIDE_KEY, nullcontext)():
        return STOPPING.wait(seconds)


class Stream:
    """The body of such an answer; `at_the_end` is called once, whoever ends it."""

    def __init__(self, pieces: Iterable[bytes], at_the_end: Callable[[], None]):
        self._pieces = pieces
        self._at_the_end: Callable[[], None] | None = at_the_end

    def __iter__(self) -> Iterator[bytes]:
        """The pieces."""
        return iter(self._pieces)

    def close(self) -> None:
        """End it; the WSGI server calls this last."""
        at_the_end, self._at_the_end = self._at_the_end, None
        if at_the_end is not None:
            at_the_end()
