"""Decoding untrusted pictures in child processes with limits on time and memory.

A process has at most one child for uploads and one for thumbnails, started on demand. A child that was killed
by a picture, or has decoded many, is replaced. However this process ends, their sockets are closed, so that
they exit.
"""

import atexit
import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

from comicsdb.children import environment
from comicsdb.imaging.picture import Picture, PictureError, TooComplexError, check_length, too_complex_error
from comicsdb.media.waiting import BusyError, WaitingRoom

UPLOADS_MAX = 4  # uploads of a server process that are decoded or wait for that
MEMBER_MAX = 2  # of them, those of one member
THUMBNAILS_MAX = 12  # thumbnails that are made or wait: a page may need dozens of new ones at once
CPU_SECONDS = 10  # for one picture; the largest accepted ones need three
MEMORY_BYTES = 3 * 512 * 1024**2  # address space of a child; the largest WebP pictures need 1.05 GB
ANSWER_SECONDS = 40.0  # for one job; the child's own limit of CPU seconds is lower
JOBS_PER_PROCESS = 1000  # limits the effect of memory leaks in decoders
ANSWER_BYTES = 64 * 1024  # of a response, without the picture
RESULT_BYTES = 64 * 1024**2  # of a returned picture


class _ProcessDiedError(Exception):
    """A child exited during a job; `code` is its return code."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


class CleanedPicture(NamedTuple):
    """A picture without metadata: bytes, facts, and its hashes and thumbnails if requested and possible."""

    data: bytes
    picture: Picture
    hashes: dict[str, str]
    thumbnails: dict[str, bytes]  # by size


class _DecoderProcess:
    """One child process and the socket to it."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "comicsdb.imaging.decoder",
                    str(theirs.fileno()),
                    str(MEMORY_BYTES),
                ],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment(),
            )
        self._connection = Connection(ours.detach())
        self.jobs = 0

    def ask(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        """The child's response; raises _ProcessDiedError, or BusyError after ANSWER_SECONDS."""
        self.jobs += 1
        try:
            self._connection.send_bytes(json.dumps(job | {"cpu": CPU_SECONDS}).encode())
            self._connection.send_bytes(data)
            if not self._connection.poll(ANSWER_SECONDS):
                raise BusyError("A picture was not decoded in time.")
            answer = json.loads(self._connection.recv_bytes(ANSWER_BYTES))
            return answer, self._connection.recv_bytes(RESULT_BYTES)
        except (EOFError, ConnectionError) as error:
            raise _ProcessDiedError(self._exit_code()) from error

    def _exit_code(self) -> int:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(1)
        self._process.kill()
        return self._process.wait()

    @property
    def is_alive(self) -> bool:
        """Whether the child can take a job."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the child."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


class Decoder(WaitingRoom):
    """A child process that decodes pictures one after the other, for at most `places` waiting requests."""

    def __init__(self, places: int):
        super().__init__(places, turns=1, member_places=MEMBER_MAX)
        self._idle: deque[_DecoderProcess] = deque()

    def clean(self, data: bytes, *, hashed: bool = False, sizes: Sequence[str] = ()) -> CleanedPicture:
        """A picture without its metadata, with thumbnails of these sizes; raises PictureError."""
        answer, result = self._run({"job": "clean", "hashed": hashed, "sizes": list(sizes)}, data)
        stream = io.BytesIO(result)
        cleaned, *thumbnails = (stream.read(length) for length in answer["lengths"])
        made = dict(zip(sizes, thumbnails, strict=False))  # none if they failed
        return CleanedPicture(cleaned, _picture(answer), answer.get("hashes", {}), made)

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
        return self.cover(data)[1]

    def thumbnail(self, data: bytes, size: str) -> bytes:
        """A thumbnail as WebP, of one of the sizes `imaging.picture.SIZES`; raises PictureError."""
        return self._run({"job": "thumbnail", "size": size}, data)[1]

    def share(self, title: str, lines: list[str], covers: list[bytes], **brand: str) -> bytes:
        """The picture for a link as JPEG, for a `site` and its `accent` (see `imaging.share`)."""
        job = {"job": "share", "title": title, "lines": lines, "lengths": [len(each) for each in covers]}
        return self._run(job | brand, b"".join(covers) or b"-")[1]

    def _run(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        check_length(len(data))
        try:
            answer, result = self._ask(job, data)
        except _ProcessDiedError as error:
            if error.code == -signal.SIGXCPU:
                raise too_complex_error() from error
            try:  # perhaps something else killed it
                answer, result = self._ask(job, data)
            except _ProcessDiedError as again:
                raise too_complex_error() from again
        if "problem" in answer:
            error = TooComplexError if answer["complex"] else PictureError
            raise error(answer["problem"], **answer["mapping"])
        return answer, result

    def _ask(self, job: dict, data: bytes) -> tuple[dict, bytes]:
        child = self._take()
        try:
            found = child.ask(job, data)
        except BaseException:
            child.kill()
            raise
        if child.jobs < JOBS_PER_PROCESS:
            self._idle.append(child)
        else:
            child.kill()
        return found

    def _take(self) -> _DecoderProcess:
        with suppress(IndexError):
            while True:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.kill()
        return _DecoderProcess()

    def close(self) -> None:
        """Stop the idle children."""
        with suppress(IndexError):
            while True:
                self._idle.pop().kill()


def _picture(answer: dict) -> Picture:
    return Picture(answer["width"], answer["height"], answer["format"])


UPLOADS, THUMBNAILS = Decoder(UPLOADS_MAX), Decoder(THUMBNAILS_MAX)


@atexit.register
def _close() -> None:
    for decoder in (UPLOADS, THUMBNAILS):
        decoder.close()


def _reset_after_fork() -> None:
    """Start without children in a forked process."""
    UPLOADS.__init__(UPLOADS_MAX)
    THUMBNAILS.__init__(THUMBNAILS_MAX)


os.register_at_fork(after_in_child=_reset_after_fork)
