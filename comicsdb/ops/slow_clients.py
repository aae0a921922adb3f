"""Middleware of the production server, so that slow clients do not block others."""

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from itertools import chain
from queue import SimpleQueue
from stat import S_ISSOCK

from comicsdb.http.streams import RELEASE, Body, Stream
from comicsdb.ops.watchdog import Heartbeat

# Responses sent without the application.
TOO_LARGE = ("413 Content Too Large", "The request is too large.")
CUT_SHORT = ("400 Bad Request", "The request ended too early.")
FAILED = ("500 Internal Server Error", "A server error occurred.")
BUSY = ("503 Service Unavailable", "Too many slow requests at the same time: please try again.")
LARGE = 1024 * 1024  # bytes; smaller responses are buffered in memory for their client
LARGE_SHARE = 8  # one in this many slow clients may send a larger body, which is held in memory
SLOW_TIMEOUT = 0.2  # seconds to wait until another slow client is done


class _SlowBody(Body):
    """The body of a response that a client may take slowly."""


class SlowClientMiddleware:
    """Separates waiting for clients from running the application.

    Each request has a thread of the server's pool. The body is read before the application runs, and a long
    response is sent after it; at most `slow_clients` threads wait for clients, until their proxy ends them.
    The application runs in at most `threads` threads at a time, as more would only contend for the
    interpreter. Further requests wait in threads that the server has for those that wait for changes.
    Responses of this middleware have the `headers`.
    """

    def __init__(
        self,
        app: Callable,
        *,
        max_body: int,
        threads: int,
        slow_clients: int,
        headers: Iterable[tuple[str, str]] = (),
    ):
        self._app = app
        self._max_body = max_body
        self._headers = tuple(headers)
        self._slow = threading.Semaphore(slow_clients)
        self._large = threading.Semaphore(max(1, slow_clients // LARGE_SHARE))
        self._slots: SimpleQueue[int] = SimpleQueue()  # a semaphore whose wait is not implemented in Python
        for slot in range(threads):
            self._slots.put(slot)
        self._admissions: SimpleQueue[None] = SimpleQueue()  # likewise
        for _ in range(threads + slow_clients):
            self._admissions.put(None)
        self.heartbeat: Heartbeat | None = None

    def __call__(self, environ: dict, start_response: Callable) -> Iterable[bytes]:
        """The WSGI protocol."""
        answer: Iterable[bytes] = ()
        self._admissions.get()
        try:
            answer = self._answer(environ, start_response)
        finally:
            if not isinstance(answer, _SlowBody):
                self._admissions.put(None)
        return answer

    def _answer(self, environ: dict, start_response: Callable) -> Iterable[bytes]:
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        if chunked or environ.get("CONTENT_LENGTH", "0") != "0":
            problem = self._receive(environ, None if chunked else int(environ["CONTENT_LENGTH"]))
            if problem:
                return self._refuse(problem, start_response)
        held: list[int] = []
        self._acquire_slot(environ, held)
        release = RELEASE.set(partial(self._released, environ, held))
        try:
            answer = self._app(environ, start_response)
        finally:
            RELEASE.reset(release)
            self._release_slot(held)
        return answer if isinstance(answer, list) else self._send(answer, start_response)

    def _acquire_slot(self, environ: dict, held: list[int]) -> None:
        """Take one of the application's slots, and note the request for the watchdog."""
        held.append(self._slots.get())
        if self.heartbeat is not None:
            self.heartbeat.begin(held[0], environ)

    def _release_slot(self, held: list[int]) -> None:
        slot = held.pop()
        if self.heartbeat is not None:
            self.heartbeat.end(slot)
        self._slots.put(slot)

    @contextmanager
    def _released(self, environ: dict, held: list[int]) -> Iterator[None]:
        """Let another request have the slot while this one waits, unless it has released it already."""
        has_slot = bool(held)
        if has_slot:
            self._release_slot(held)
            self._admissions.put(None)
        try:
            yield
        finally:
            if has_slot:
                self._admissions.get()
                self._acquire_slot(environ, held)

    def _receive(self, environ: dict, length: int | None) -> tuple[str, str] | None:
        """Read the whole body into the environment; returns the rejection of an invalid one."""
        if length is not None and length > self._max_body:
            return TOO_LARGE
        semaphores = [self._slow, self._large] if length is None or length > LARGE else [self._slow]
        taken = [each for each in semaphores if each.acquire(timeout=SLOW_TIMEOUT)]
        try:
            if len(taken) < len(semaphores):
                return BUSY
            body = environ["wsgi.input"].read(self._max_body + 1 if length is None else length)
        finally:
            for each in taken:
                each.release()
        if len(body) > self._max_body:
            return TOO_LARGE
        if length is not None and len(body) < length:
            return CUT_SHORT
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = BytesIO(body)
        return None

    def _send(self, answer: Iterable[bytes], start_response: Callable) -> Iterable[bytes]:
        """Send a small response in one piece, others piece by piece; a stream is not buffered."""
        if isinstance(answer, Stream):  # the application limits how many there are
            return answer
        pieces, size, rest = [], 0, iter(answer)
        try:
            for piece in rest:
                pieces.append(piece)
                size += len(piece)
                if size > LARGE:
                    break
            else:
                _close(answer)
                return [b"".join(pieces)]
        except Exception:  # the application has logged it
            _close(answer)
            return self._refuse(FAILED, start_response)
        return self._send_slowly(pieces, rest, answer, start_response)

    def _send_slowly(self, pieces, rest, answer, start_response: Callable) -> Iterable[bytes]:
        """Send a response piece by piece, unless too many slow clients are already being served."""
        if self._slow.acquire(timeout=SLOW_TIMEOUT):
            finish = self._slow.release, partial(self._admissions.put, None)
            return _SlowBody(chain(pieces, rest), partial(_close, answer), *finish)
        _close(answer)
        return self._refuse(BUSY, start_response)  # nothing was sent yet

    def _refuse(self, problem: tuple[str, str], start_response: Callable) -> list[bytes]:
        status, text = problem
        headers = [*self._headers, ("Content-Type", "text/plain"), ("Content-Length", str(len(text)))]
        start_response(status, [*headers, *([("Retry-After", "1")] if problem is BUSY else [])])
        return [text.encode()]


def is_listening(port: int) -> bool:
    """Whether this process accepts connections on a port."""
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):  # closed meanwhile
            if not S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as connection:
                accepts = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
                if accepts and connection.getsockname()[1:2] == (port,):
                    return True
    return False


def _close(answer: Iterable[bytes]) -> None:
    if hasattr(answer, "close"):
        answer.close()
