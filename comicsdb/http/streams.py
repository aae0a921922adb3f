"""Answers that come slowly: the server sends each piece at once, and requests that wait for news."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext

RELEASE_KEY = "comicsdb.release"  # in the environment: gives a context in which another request may run
STOPPING = threading.Event()  # set when the server stops: whoever waits ends


def wait(environ: dict, seconds: float) -> bool:
    """Wait without keeping other requests from the application; gives whether the server stops meanwhile."""
    with environ.get(RELEASE_KEY, nullcontext)():
        return STOPPING.wait(seconds)


class Stream:
    """The body of such an answer; `on_close` is called once, whoever ends it."""

    def __init__(self, pieces: Iterable[bytes], on_close: Callable[[], None]):
        self._pieces = pieces
        self._on_close: Callable[[], None] | None = on_close

    def __iter__(self) -> Iterator[bytes]:
        """The pieces."""
        return iter(self._pieces)

    def close(self) -> None:
        """End it; the WSGI server calls this last."""
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()
