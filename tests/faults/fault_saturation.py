"""32 connections that are never idle send reads, writes, nonsense and requests that once froze workers.

Nothing may fail, 99 of 100 reads take less than a second, and the memory of workers must not grow once their
caches are full.

It takes FAULT_MINUTES, by default 4.
"""

import http.client
import os
import random
import string
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from statistics import median
from urllib.parse import quote, urlencode

import psutil
import pytest
from sqlalchemy import text

from tests.faults.balanced import HOST, Node
from tests.faults.fault_balancer import LIMITS, catalog
from tests.faults.freezing import (
    FORM,
    PROFILE,
    Client,
    RawRequest,
    costly_cover,
    crowded_descriptor,
    crowded_import,
    crowded_parts,
    event_stream,
    long_cookie,
    picture_of_many_scans,
)
from tests.faults.postgresql import PostgreSQL
from tests.serving import add_account, connected
from tests.site.test_plugin import MAKE_EDITOR
from tests.worst.test_headers import EXTREMES

MINUTES = float(os.environ.get("FAULT_MINUTES", "4"))
EVERY = 10  # seconds between samples
CONNECTIONS = 32
WRITES = 0.15
ODD = 0.4  # of reads
FREEZING = 0.002
READ_SECONDS = 1.0  # that 99 of 100 reads may take
# How much a worker's memory may grow from the third quarter of the time to the last; more while caches fill.
GROWTH = 0.04 if MINUTES >= 15 else 0.15
CACHE = "16"  # megabytes of cache for each worker, which are full after the first half of the time
KINDS = ("publisher", "series", "issue", "arc", "character", "creator", "team", "universe", "imprint")
PAGES = ("", "create/", "search?q=a", "1/", "?page=1", "nobody/", "nobody/history/")
PARAMETERS = (
    "page",
    "q",
    "sort",
    "name",
    "series_name",
    "cv_id",
    "modified_gt",
    "ordering",
    "format",
    "next",
)
CONDITIONS = (
    "If-Modified-Since",
    "If-Unmodified-Since",
    "If-None-Match",
    "If-Match",
    "If-Range",
    "Range",
    "Accept",
)
MEGABYTE = 1024 * 1024


@pytest.fixture
def site(tmp_path):
    """A production server with two workers, and the address of its database."""
    postgresql = PostgreSQL()
    postgresql.start()
    url = postgresql.make()
    node = Node(
        tmp_path / "node",
        url,
        2,
        COMICSDB_BASE_URL=f"https://{HOST}",
        COMICSDB_CACHE_MEMORY_MB=CACHE,
        **LIMITS,
    )
    try:
        node.start()
        yield node, url
    finally:
        node.stop()
        postgresql.remove()


class Sender:
    """A client that sends a request as soon as it has the last response."""

    def __init__(self, number: int, port: int, basic: str, freezing: list[RawRequest], page: str):
        self.chance = random.Random(f"sender {number}")
        self.number, self.basic, self.freezing, self.page = number, basic, freezing, page
        self.client = Client(lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=120))
        self.answers: Counter[tuple[str, object]] = Counter()
        self.wrong: list[tuple] = []
        self.written = 0
        self.read_seconds: list[float] = []

    def run(self, ended: threading.Event) -> None:
        """Send requests until the end."""
        while not ended.is_set() and not self.wrong:
            draw = self.chance.random()
            if draw < WRITES:
                self.send("write", self._write())
            elif draw < WRITES + FREEZING:
                self.send("freezing", self.chance.choice(self.freezing))
            elif self.chance.random() < ODD:
                self.send("odd", self._odd())
            else:
                self.send("read", self._read())
        self.client.leave()

    def send(self, sort: str, sent: RawRequest) -> None:
        """Send a request, and record a wrong response."""
        begin = time.monotonic()
        try:
            status, headers, body = self.client.ask(sent)
        except (OSError, http.client.HTTPException) as error:
            self.answers[sort, "closed"] += 1
            if sort != "freezing":  # the server does not read the rest if a request is too large
                self.wrong.append((sent.method, sent.path, repr(error)))
            return
        self.answers[sort, status] += 1
        if sort == "read":
            self.read_seconds.append(time.monotonic() - begin)
        if status >= 500 and not (status == 503 and headers["Retry-After"]):
            self.wrong.append((sent.method, sent.path, status, body[:1000]))
        if sort == "write" and status not in {200, 201, 503}:
            self.wrong.append((sent.method, sent.path, status, body[:1000]))

    def _write(self) -> RawRequest:
        """A request for a new publisher, or for another text of the one that all senders share."""
        headers = FORM | {"Authorization": self.basic}
        self.written += 1
        if self.written % 2:
            fields = urlencode({"name": f"Publisher {self.number} {self.written}"}).encode()
            key = {"Idempotency-Key": f"{self.number}-{self.written}"}
            return RawRequest("POST", "/api/publisher/", headers | key, fields)
        fields = urlencode({"desc": f"revision {self.written} of {self.number}"}).encode()
        return RawRequest("PATCH", "/api/publisher/1/", headers, fields)

    def _read(self) -> RawRequest:
        kind = self.chance.choice(KINDS)
        if self.chance.random() < 0.5:
            path = f"/api/{kind}/{self.chance.choice(('', '1/'))}"
            return RawRequest("GET", path, {"Authorization": self.basic})
        return RawRequest(
            "GET", self.chance.choice((f"/{kind}/", self.page, "/", f"/{kind}/search?q=publisher")), {}
        )

    def _odd(self) -> RawRequest:
        """A request with random path, parameters and headers."""
        kind = self.chance.choice(KINDS)
        path = self.chance.choice(
            (
                f"/{kind}/{self._word()}/",
                f"/{kind}/",
                f"/api/{kind}/",
                f"/{self._word()}/",
                "/search/",
                "/media/thumb/card/",
            )
        )
        if path.endswith("/thumb/card/"):
            path += f"{self._word()}.webp"
        query = urlencode(
            [
                (
                    self.chance.choice((*PARAMETERS, self._word())),
                    self.chance.choice((self._word(), self.chance.randint(0, 9**6))),
                )
                for _ in range(self.chance.randint(0, 4))
            ]
        )
        headers = {"User-Agent": self._word(), "Accept-Language": f"{self._word()[:8]},it;q=0.5"}
        if self.chance.random() < 0.3:
            headers["Authorization"] = f"Token {self._word()}"
        if self.chance.random() < 0.3:
            headers["Cookie"] = f"session={self._word()}; theme={self._word()}"
        if self.chance.random() < 0.3:
            headers["X-Real-IP"] = f"10.{self.chance.randint(0, 255)}.{self.chance.randint(0, 255)}.1"
        if self.chance.random() < 0.3:
            headers["If-None-Match"] = f'"{self._word()}"'
        if self.chance.random() < 0.3:
            for name in self.chance.sample(CONDITIONS, 2):
                headers[name] = self.chance.choice(EXTREMES).encode("latin-1", "replace").decode("latin-1")
        return RawRequest("GET", f"{path}?{query}" if query else path, headers)

    def _word(self) -> str:
        letters = string.ascii_letters + string.digits + "-_é"
        return quote("".join(self.chance.choices(letters, k=self.chance.randint(1, 40))))


def test_nothing_fails_and_nothing_grows(site):
    node, url = site
    _issues, page = catalog(url)
    basic = add_account(url, "ed")
    add_account(url, "mia", "secret")
    with connected(url) as connection:
        connection.execute(text(MAKE_EDITOR))
    member = Client(lambda: http.client.HTTPConnection("127.0.0.1", node.port, timeout=120))
    member.log_in("mia", "secret")
    token = member.token(PROFILE)
    cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in member.cookies.items())}
    member.leave()
    as_member = [picture_of_many_scans(token), crowded_import(token)]
    as_program = [costly_cover(), crowded_descriptor(), event_stream()]
    freezing = [long_cookie(30_000), crowded_parts()]
    freezing += [sent._replace(headers=sent.headers | cookies) for sent in as_member]
    freezing += [sent._replace(headers=sent.headers | {"Authorization": basic}) for sent in as_program]
    senders = [Sender(number, node.port, basic, freezing, page) for number in range(CONNECTIONS)]
    workers, ended = node.workers(), threading.Event()
    threads = [threading.Thread(target=each.run, args=(ended,)) for each in senders]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    samples = []
    while time.monotonic() - begun < MINUTES * 60 and not any(each.wrong for each in senders):
        time.sleep(EVERY)
        samples.append((time.monotonic() - begun, *(memory_of(pid) for pid in workers)))
    ended.set()
    for thread in threads:
        thread.join()
    told(samples, senders)
    assert [each.wrong[0] for each in senders if each.wrong] == []
    assert node.workers() == workers  # none was replaced
    assert "Traceback" not in node.log.read_text()
    assert slowest(senders) < READ_SECONDS
    assert (
        sum(number for each in senders for (sort, _), number in each.answers.items() if sort == "write") > 100
    )
    for place in range(len(workers)):
        grown, size = growth([each[1 + place][0] for each in samples])
        assert grown <= GROWTH * size, f"worker {place + 1} grew by {grown:.1f} of {size:.0f} MB"


def memory_of(pid: int) -> tuple[float, float]:
    """Memory of a process in megabytes: unique set size and resident set size."""
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(pid).memory_full_info()
        return found.uss / MEGABYTE, found.rss / MEGABYTE
    return 0.0, 0.0


def growth(samples: list[float]) -> tuple[float, float]:
    """The growth of memory from the third quarter of the time to the last, and its size in the third.

    Medians are compared, so that a large body being read does not count as growth.
    """
    quarter = len(samples) // 4
    before, last = median(samples[-2 * quarter : -quarter]), median(samples[-quarter:])
    return last - before, before


def slowest(senders: list[Sender]) -> float:
    """The seconds that 99 of 100 reads took at most."""
    seconds = sorted(taken for sender in senders for taken in sender.read_seconds)
    return seconds[len(seconds) * 99 // 100]


def told(samples, senders) -> None:
    """Print the counts of responses, and the memory of each worker over time."""
    answers = sum((each.answers for each in senders), Counter())
    seconds = samples[-1][0]
    lines = [
        f"{answers.total():,} answers in {seconds:.0f} s: {dict(sorted(answers.items(), key=str))}",
        f"99 of 100 reads took less than {slowest(senders):.2f} s",
        "seconds"
        + "".join(f" | {name} of worker {number}" for number in (1, 2) for name in ("own MB", "all MB")),
    ]
    for at, *found in samples[:: max(1, len(samples) // 40)]:
        lines.append(f"{at:7.0f}" + "".join(f" | {size:18.1f}" for pair in found for size in pair))
    sys.stdout.write("\n" + "\n".join(lines) + "\n")
