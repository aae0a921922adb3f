"""Measures the CPU time that requests take: in this process, in the database, in child processes.

Costs are CPU time, never wall-clock time, and are compared with a loop of a fixed amount of work that is
measured in the same run: on a slow or busy machine both grow together.
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO

import psutil
from psycopg.pq import ExecStatus
from webob import Request

from tests.conftest import forget_attempts
from tests.cpu import cpu_seconds, loop

# A loop takes some 25 ms on a machine of 2026.
PROCESS_LIMIT = 10  # loops that a request may take in this process, which handles no other meanwhile
LIMIT_PER_MEGABYTE = 1  # additional loops for each megabyte of the body
DATABASE_LIMIT = 20  # loops in PostgreSQL
CHILDREN_LIMIT = 80  # loops in child processes, where large pictures delay no other request
TOO_LONG_STATUSES = {413, 414, 431}
TOO_MANY_REQUESTS = 429
DENIED_STATUSES = {401, 403}
CREDENTIAL_HEADERS = {"Authorization", "Cookie", "X-Csrftoken"}  # spelled as in `Survey.headers`
MEASUREMENTS = 3  # attempts, if a request seems to cost too much
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"


@dataclass(frozen=True)
class Cost:
    """CPU seconds, by where they were spent."""

    process: float
    database: float
    children: float


@dataclass
class Case:
    """A request, with the place, shape and size of the text in it."""

    method: str
    path: str
    place: str = ""
    shape: str = ""
    size: int = 0
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    member: bool = False
    uploads: bool = False  # whether child processes may work on it: they decode pictures

    def __str__(self):
        path = self.path if len(self.path) < 80 else f"{self.path[:77]}..."
        who = "member" if self.member else "anybody"
        return f"{self.method} {path} ({who}), {self.place}: {self.shape}, {self.size:,} characters"


class MeasuringClient:
    """Sends cases to an application, rolls back what they write, and measures their cost.

    `problems` has a line for each case that failed or cost too much.
    """

    def __init__(self, app, connection, session: str, token: str = ""):
        self.app = app
        self.connection = connection
        self.session = session
        self.token = token  # the CSRF token, without which a session may not write
        self.loop = 0.0  # seconds
        self.undo_each = True
        self.status, self.location = 0, None  # of the last response
        driver = connection.connection.driver_connection
        self._postgres = driver.pgconn
        self._backend = os.open(f"/proc/{driver.info.backend_pid}/schedstat", os.O_RDONLY)

    def close(self) -> None:
        """Close the file from which the CPU time of PostgreSQL is read."""
        os.close(self._backend)

    def reset(self) -> None:
        """Forget earlier requests. The loop is only measured again when a cost seems too high."""
        self.loop = self.loop or cpu_seconds(loop)
        self.problems: list[str] = []
        self.request_count = 0
        self.total_seconds = 0.0

    def check(self) -> None:
        """Raise AssertionError with all problems."""
        sys.stdout.write(
            f"\n{self.request_count} requests, {self.total_seconds:.1f} s of CPU,"
            f" a loop {self.loop * 1000:.0f} ms\n"
        )
        assert self.request_count
        assert not self.problems, "\n".join(
            (f"{len(self.problems)} of {self.request_count} requests:", *self.problems)
        )

    def try_longer(self, case: Case, sizes: Iterable[int], made: Callable[[int], dict]) -> None:
        """Send a case with increasing sizes, until it is refused as too long, or is a problem.

        `made` returns the fields of the case that depend on the size.
        """
        for size in sizes:
            before = len(self.problems)
            self.try_one(replace(case, size=size, **made(size)))
            if self.status in TOO_LONG_STATUSES or len(self.problems) > before:
                return

    def try_one(self, case: Case) -> None:
        """Send a case, again if it seems to cost too much, and record it if it does."""
        self.request_count += 1
        for attempt in range(1, MEASUREMENTS + 1):
            before = None if self.undo_each else self.connection.begin_nested()
            status, cost = self.send(case)
            if status == TOO_MANY_REQUESTS:
                forget_attempts(self.app)
                status, cost = self.send(case)
            problem = self._problem(case, status, cost)
            if problem is None or status >= 500 or attempt == MEASUREMENTS:
                if before:
                    before.commit()
                break
            if before:
                before.rollback()
            self.loop = max(self.loop, cpu_seconds(loop))  # has the machine become slower?
        if problem:
            self.problems.append(f"{problem}: {case}")

    def _problem(self, case: Case, status: int, cost: Cost) -> str | None:
        if status >= 500 and status not in (501, 503):  # oEmbed uses 501 for unknown formats
            return f"answered {status}"
        if case.member and status in DENIED_STATUSES and case.place not in CREDENTIAL_HEADERS:
            return f"answered {status}, before anything looked at what was sent"
        for name, spent, most in (
            ("here", cost.process, PROCESS_LIMIT + LIMIT_PER_MEGABYTE * len(case.body) / 1e6),
            ("in the database", cost.database, DATABASE_LIMIT),
            ("in children", cost.children, CHILDREN_LIMIT),
        ):
            if spent > most * self.loop:
                return f"{spent * 1000:,.0f} ms of CPU {name}, at most {most * self.loop * 1000:,.0f}"
        return None

    @contextmanager
    def undone_together(self):
        """Roll back what is written in the block only at its end."""
        undo = self.connection.begin_nested()
        self.undo_each = False
        try:
            yield
        finally:
            self.undo_each = True
            undo.rollback()

    def send(self, case: Case) -> tuple[int, Cost]:
        """The status of the response, and its cost."""
        environ = self._environ(case)
        self._clear_caches(case)
        self._execute(b"SAVEPOINT asked")

        def start_response(status, headers, exc_info=None):
            self.status, self.location = int(status[:3]), dict(headers).get("Location")

        gc.collect(0)
        gc.disable()  # going through the objects of earlier tests takes longer than any request
        before = self._cpu_times(children=case.uploads)
        try:
            pieces = self.app(environ, start_response)
            try:
                for _piece in pieces:
                    pass
            finally:
                if hasattr(pieces, "close"):
                    pieces.close()
            after = self._cpu_times(children=case.uploads)
        finally:
            gc.enable()
        self._execute(b"ROLLBACK TO asked; RELEASE asked" if self.undo_each else b"RELEASE asked")
        cost = Cost(*(end - start for end, start in zip(after, before, strict=True)))
        self.total_seconds += cost.process
        return self.status, cost

    def get(self, path: str, *, member: bool):
        """WebOb's response to a GET request, whose writes are rolled back."""
        undo = self.connection.begin_nested()
        try:
            return Request(self._environ(Case("GET", path, member=member))).get_response(self.app)
        finally:
            undo.rollback()

    def _environ(self, case: Case) -> dict:
        path, _, query = case.path.partition("?")
        environ = Request.blank("/", method=case.method, body=case.body or None).environ
        environ["PATH_INFO"] = path.encode().decode("latin-1")
        environ["QUERY_STRING"] = query
        environ["HTTP_HOST"] = "localhost"
        if case.member:
            environ["HTTP_COOKIE"] = f"session={self.session}"
            environ["HTTP_X_CSRFTOKEN"] = self.token  # forms of the site also contain it
        for name, value in case.headers.items():
            key = name.upper().replace("-", "_")
            if key not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
                key = f"HTTP_{key}"
            environ[key] = value.encode().decode("latin-1")
        if case.body:
            environ["wsgi.input"], environ["CONTENT_LENGTH"] = BytesIO(case.body), str(len(case.body))
        return environ

    def _execute(self, statements: bytes) -> None:
        """Send statements without SQLAlchemy, which would take longer than many requests."""
        result = self._postgres.exec_(statements)
        assert result.status == ExecStatus.COMMAND_OK, result.error_message

    def _clear_caches(self, case: Case) -> None:
        """Clear caches of what was rolled back, and reset limits; for GET requests, `try_one` does that."""
        registry = self.app.registry
        registry["comicsdb.cache"].clear()
        registry["comicsdb.validator_cache"].clear()
        if case.method != "GET":
            forget_attempts(self.app)

    def _cpu_times(self, *, children: bool) -> tuple[float, float, float]:
        database = int(os.pread(self._backend, 100, 0).split()[0]) / 1e9
        return time.process_time(), database, _children() if children else 0.0


def _children() -> float:
    """The CPU seconds of this process's children, including those that have ended, but not PostgreSQL."""
    ended = os.times()
    total = ended.children_user + ended.children_system
    for child in psutil.Process().children(recursive=True):
        try:
            if "postgres" not in child.name():
                total += sum(child.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue
    return total


def form(fields: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """The body of a form and its headers."""
    texts = {*fields, *fields.values()}  # many are equal
    sent = {each: quoted(each, b" ").replace(" ", "+") for each in texts}
    body = "&".join(f"{sent[name]}={sent[value]}" for name, value in fields.items()).encode()
    return body, {"Content-Type": "application/x-www-form-urlencoded"}


def quoted(text: str, more: bytes = b"") -> str:
    """Like `urllib.parse.quote` with `more` safe bytes, but faster: that goes through a text byte by byte.

    The texts here are repetitive and have few different bytes, each of which is replaced at once.
    """
    data = text.encode()
    for byte in sorted(set(escaped(data, more)), key=lambda byte: byte != ord("%")):
        data = data.replace(bytes([byte]), b"%%%02X" % byte)
    return data.decode()


def escaped(data: bytes, more: bytes = b"") -> bytes:
    """The bytes that take three characters when they are quoted."""
    return data.translate(None, UNRESERVED + more)
