"""Decoding untrusted pictures in child processes with limits on time and memory.

A process has at most `DECODERS` children, started on demand. A child that was killed by a picture, or has
decoded many, is replaced. When this process ends in any way, their sockets are closed and they exit.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

from comicsdb.imaging.picture import Picture, PictureError, TooComplexError, check_length, too_much
from comicsdb.media.storage import StorageDownError

DECODERS = 1  # children of one process; a request that waits for one occupies a thread
CPU_SECONDS = 10  # for one picture; the largest accepted ones need three
MEMORY = 3 * 512 * 1024**2  # bytes of a child's address space; the largest WebP pictures need 1.05 GB
PATIENCE = 5.0  # seconds to wait for a free child; a page may need dozens of new thumbnails at once
UPLOAD_PATIENCE = 1.0  # the same for uploads, which can be retried
DEADLINE = 40.0  # seconds for an answer; the child's own limit of CPU seconds is lower
JOBS = 1000  # jobs of one child, which bounds memory leaks of decoders
ANSWER = 64 * 1024  # bytes, without the picture
RESULT = 64 * 1024**2  # bytes of a returned picture
# Variables of the environment that a child gets; the others may be secrets.
ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_", "LD_", "DYLD_", "PYTHON", "VIRTUAL_ENV", "TMPDIR", "TZ")


class DecoderBusyError(StorageDownError):
    """All decoders are busy, or another picture of this member is being decoded."""

    retry_after = 3  # seconds


class _DiedError(Exception):
    """A child exited during a job; `code` is its return code."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


class Cleaned(NamedTuple):
    """A picture without metadata: bytes, facts, and its perceptual hashes if requested and possible."""

    data: bytes
    picture: Picture
    hashes: dict[str, str]


class _Child:
    """One child process and the socket to it."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "comicsdb.imaging.decoder", str(theirs.fileno()), str(MEMORY)],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={name: value for name, value in os.environ.items() if name.startswith(ENVIRONMENT)},
            )
        self._connection = Connection(ours.detach())
        self.jobs = 0

    def ask(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        """The child's answer; raises _DiedError, or DecoderBusyError after DEADLINE."""
        self.jobs += 1
        try:
            self._connection.send_bytes(json.dumps(job | {"cpu": CPU_SECONDS}).encode())
            self._connection.send_bytes(data)
            if not self._connection.poll(DEADLINE):
                raise DecoderBusyError("A picture was not decoded in time.")
            answer = json.loads(self._connection.recv_bytes(ANSWER))
            return answer, self._connection.recv_bytes(RESULT)
        except (EOFError, ConnectionError) as error:
            raise _DiedError(self._ended()) from error

    def _ended(self) -> int:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(1)
        self._process.kill()
        return self._process.wait()

    @property
    def lives(self) -> bool:
        """Whether the child can take a job."""
        return self._process.poll() is None

    def end(self) -> None:
        """Kill the child."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


class Decoder:
    """The children of this process."""

    def __init__(self, number: int = DECODERS):
        self._places = threading.BoundedSemaphore(number)
        self._idle: deque[_Child] = deque()

    @contextmanager
    def place(self, patience: float | None = None) -> Iterator["Decoder"]:
        """Wait up to `seconds`, or PATIENCE, for a free child; raises DecoderBusyError."""
        if not self._places.acquire(timeout=PATIENCE if patience is None else patience):
            raise DecoderBusyError("Too many pictures are being decoded.")
        try:
            yield self
        finally:
            self._places.release()

    def clean(self, data: bytes, *, hashed: bool = False) -> Cleaned:
        """A picture without its metadata; raises PictureError."""
        answer, result = self._run({"job": "clean", "hashed": hashed}, data)
        return Cleaned(result, _picture(answer), answer.get("hashes", {}))

    def inspect(self, data: bytes) -> Picture:
        """Facts about a picture; raises PictureError."""
        return _picture(self._run({"job": "measure"}, data)[0])

    def describe(self, data: bytes) -> Picture:
        """Facts about a picture that was decoded before, from its header; raises PictureError."""
        return _picture(self._run({"job": "describe"}, data)[0])

    def cover(self, data: bytes) -> tuple[Picture, dict[str, str]]:
        """Facts about a picture, and its perceptual hashes; raises PictureError."""
        answer = self._run({"job": "measure", "hashed": True}, data)[0]
        return _picture(answer), answer["hashes"]

    def hashes(self, data: bytes) -> dict[str, str]:
        """The perceptual hashes of a picture (see `imaging.hashes`); raises PictureError."""
        return self._run({"job": "hash"}, data)[0]["hashes"]

    def thumbnail(self, data: bytes, size: str) -> bytes:
        """A thumbnail as WebP, of one of the sizes `imaging.picture.SIZES`; raises PictureError."""
        return self._run({"job": "thumbnail", "size": size}, data)[1]

    def share(self, title: str, lines: list[str], covers: list[bytes]) -> bytes:
        """The picture of a link as JPEG (see `imaging.share`)."""
        job = {"job": "share", "title": title, "lines": lines, "lengths": [len(each) for each in covers]}
        return self._run(job, b"".join(covers) or b"-")[1]

    def _run(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        check_length(len(data))
        try:
            answer, result = self._ask(job, data)
        except _DiedError as error:
            if error.code == -signal.SIGXCPU:
                raise too_much() from error
            try:  # perhaps killed by something else
                answer, result = self._ask(job, data)
            except _DiedError as again:
                raise too_much() from again
        if "problem" in answer:
            error = TooComplexError if answer["complex"] else PictureError
            raise error(answer["problem"], **answer["mapping"])
        return answer, result

    def _ask(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        child = self._take()
        try:
            found = child.ask(job, data)
        except BaseException:
            child.end()
            raise
        if child.jobs < JOBS:
            self._idle.append(child)
        else:
            child.end()
        return found

    def _take(self) -> _Child:
        with suppress(IndexError):
            while True:
                child = self._idle.pop()
                if child.lives:
                    return child
                child.end()
        return _Child()

    def close(self) -> None:
        """Stop the idle children."""
        with suppress(IndexError):
            while True:
                self._idle.pop().end()


def _picture(answer: dict) -> Picture:
    return Picture(answer["width"], answer["height"], answer["format"])


_decoder = Decoder()
atexit.register(_decoder.close)


def _begin_anew() -> None:
    """Start without children in a forked process."""
    _decoder.__init__()


os.register_at_fork(after_in_child=_begin_anew)


def place(patience: float | None = None):
    """Wait for a decoder: `with place() as decoder`; see `Decoder.place`."""
    return _decoder.place(patience)
