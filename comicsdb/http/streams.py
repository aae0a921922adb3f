"""Responses that are sent slowly, piece by piece, and requests that wait for changes."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

# Set by the production server for each request: returns a context in which another request may run.
RELEASE: ContextVar[Callable[[], AbstractContextManager]] = ContextVar("RELEASE", default=nullcontext)
# Requests of a process that wait for pictures, in all the rooms of `media.waiting` together.
PICTURE_WAITERS_MAX = 64
STOPPING = threading.Event()  # set when the server stops, which ends all waiting


def released_slot() -> AbstractContextManager:
    """A context in which this request only waits, so that another one may run.

    It must not hold anything then that other requests wait for.
    """
    return RELEASE.get()()


def wait(seconds: float) -> bool:
    """Wait without blocking other requests; returns whether the server stops in the meantime."""
    with released_slot():
        return STOPPING.wait(seconds)


class Body:
    """The body of a response in pieces; each of `on_close` is called once, whoever closes it."""

    def __init__(self, pieces: Iterable[bytes], *on_close: Callable[[], object]):
        self._pieces = pieces
        self._on_close = on_close

    def __iter__(self) -> Iterator[bytes]:
        """The pieces."""
        return iter(self._pieces)

    def close(self) -> None:
        """Close the body; the WSGI server calls this last."""
        on_close, self._on_close = self._on_close, ()
        for each in on_close:
            each()


class Stream(Body):
    """A body whose pieces are sent as they come, so that a server does not buffer it."""
