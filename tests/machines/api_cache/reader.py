"""A reader of the API that compares every response with the uncached one, and with all earlier responses."""

import json
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256
from random import Random
from typing import NamedTuple

import psycopg
from webob import Request

HOSTS = ("http://localhost", "https://comics.example:8443")
TAGS = 2  # earlier tags of an address that are revalidated at a time
REREAD_PROBABILITY = 0.25  # of reads followed by a second one, or by conditional ones

STARS = {"average_rating", "rating_count"}


class Address(NamedTuple):
    """The address of a request: scheme and host, path, query."""

    base: str
    path: str
    query: str = ""

    def __str__(self):
        return self.base + self.path + ("?" + self.query if self.query else "")


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def cache(self) -> str | None:
        """HIT, MISS, or None if the response did not go through the cache."""
        return self.headers.get("X-Cache")

    @property
    def shown(self) -> dict[str, str]:
        """The headers that do not depend on the state of the cache."""
        return {name: value for name, value in self.headers.items() if name != "X-Cache"}


class ReceivedAnswers:
    """The digests of all bodies received from an address: by tag, and by date (without ratings)."""

    def __init__(self):
        self.tags: dict[str, bytes] = {}
        self.bodies: dict[bytes, str] = {}
        self.dates: dict[str, set[bytes]] = defaultdict(set)

    def add(self, answer: Answer) -> None:
        """Record a response by tag, by Last-Modified, and by the `modified` that mokkari sends back."""
        body = sha256(answer.body).digest()
        tag = answer.headers["ETag"]
        assert self.tags.setdefault(tag, body) == body, "two bodies with one tag"
        assert self.bodies.setdefault(body, tag) == tag, "one body with two tags"
        if "Last-Modified" in answer.headers:
            dated = without_stars(answer.body)
            self.dates[answer.headers["Last-Modified"]].add(dated)
            shown = json.loads(answer.body).get("modified")
            if shown:
                self.dates[format_datetime(datetime.fromisoformat(shown), usegmt=True)].add(dated)


def without_stars(body: bytes) -> bytes:
    """The digest of what Last-Modified covers: ratings change only the entity tag."""
    shown = json.loads(body)
    return sha256(
        json.dumps({name: shown[name] for name in shown.keys() - STARS}, sort_keys=True).encode()
    ).digest()


class Reader:
    """Sends requests to `app`, and to `uncached_app`, the same application without a cache.

    Each request takes one header of `credentials`; `counts` records how often each result occurred.
    """

    def __init__(self, app, uncached_app, credentials: list[dict[str, str]], counts: dict[str, int]):
        self.app = app
        self.uncached_app = uncached_app
        self.credentials = credentials
        self.counts = counts
        self.received: dict[Address, ReceivedAnswers] = defaultdict(ReceivedAnswers)

    def ask(self, app, address: Address, random: Random, method: str = "GET", **headers: str) -> Answer:
        """Send a request with one of the credentials, sometimes with a format suffix."""
        path = address.path
        if random.random() < 0.1 and path.count("/") > 2:
            path = path[:-1] + ".json"
        query = "?" + address.query if address.query else ""
        sent = {**random.choice(self.credentials), **headers}
        request = Request.blank(path + query, base_url=address.base, method=method, headers=sent)
        response = request.get_response(app)
        return Answer(response.status_int, dict(response.headers), response.body)

    def uncached(self, address: Address, random: Random) -> Answer:
        """The correct response at this moment."""
        answer = self.ask(self.uncached_app, address, random)
        assert answer.cache in (None, "MISS")
        return answer

    def read_and_check(self, address: Address, random: Random, status: int | None = None) -> Answer:
        """Read and check the response, which must have `status` if that is given."""
        answer = self.ask(self.app, address, random)
        truth = self.uncached(address, random)
        assert answer.status == truth.status, f"{address}: {answer.status}, not {truth.status}"
        assert answer.status == (status or answer.status), f"{address}: {answer.status}, not {status}"
        assert answer.body == truth.body, f"{address}: {answer.cache} {_difference(answer.body, truth.body)}"
        assert answer.shown == truth.shown, f"{address}: {answer.shown}, not {truth.shown}"
        self.counts[answer.cache or str(answer.status)] += 1
        if answer.status == 200:
            if answer.cache and random.random() < REREAD_PROBABILITY:
                self.check_second_read(address, random, answer)
            self.record(address, answer)
        if random.random() < REREAD_PROBABILITY:
            self.revalidate(address, random, truth)
        return answer

    def check_second_read(self, address: Address, random: Random, first: Answer) -> None:
        """An immediate second read is a cache hit and returns the same."""
        method = random.choice(("GET", "HEAD"))
        again = self.ask(self.app, address, random, method)
        assert again.cache == "HIT", f"{address}: {again.status} {again.cache}"
        assert again.shown == first.shown
        assert again.body == (first.body if method == "GET" else b"")

    def record(self, address: Address, answer: Answer) -> None:
        """Record a response for later revalidation."""
        self.received[address].add(answer)

    def revalidate(self, address: Address, random: Random, truth: Answer) -> None:
        """Revalidate earlier responses: 304 only if the body is the same (by date: except for ratings)."""
        given, present = self.received.get(address), sha256(truth.body).digest()
        if given is None:
            return
        for tag in random.sample(sorted(given.tags), min(TAGS, len(given.tags))):
            answer = self.ask(self.app, address, random, **{"If-None-Match": tag})
            unchanged = truth.status == 200 and given.tags[tag] == present
            expected = 304 if unchanged else truth.status
            assert answer.status == expected, f"{address}: {answer.status} to tag {tag}"
            self.counts[f"{answer.status} by tag"] += 1
            self.check_not_modified(answer, truth)
        dates = list(given.dates)
        for date in {*dates[-2:], *random.sample(dates, min(1, len(dates)))}:
            bodies = given.dates[date]
            answer = self.ask(self.app, address, random, **{"If-Modified-Since": date})
            if answer.status == 304:
                assert truth.status == 200
                assert bodies == {without_stars(truth.body)}, (
                    f"{address}: 304 to {date}, which other bodies were given with"
                )
                self.counts["304 by date"] += 1
            else:
                assert answer.status == truth.status
                assert answer.body == truth.body
            self.check_not_modified(answer, truth)

    @staticmethod
    def check_not_modified(answer: Answer, truth: Answer) -> None:
        """A 304 has no body, and only validators of the current body."""
        if answer.status == 304:
            assert answer.body == b""
            for name in {"ETag", "Last-Modified"} & answer.headers.keys():
                assert answer.headers[name] == truth.headers[name]

    def read_during_write(self, address: Address, random: Random, interrupted, status: int | None) -> Answer:
        """Read in the context `interrupted`, during which somebody else writes.

        The response must be that from before or after the write, and must not leave anything stale cached.
        """
        before = self.uncached(address, random)
        with interrupted:
            answer = self.ask(self.app, address, random)
        after = self.uncached(address, random)
        assert (answer.status, answer.body) in {each[::2] for each in (before, after)}, (
            f"{address}: {answer.status} {_difference(answer.body, after.body)}"
        )
        if answer.status == 200:
            self.record(address, answer)
        self.counts["interrupted"] += 1
        return self.read_and_check(address, random, status)

    def read_all_pages(self, address: Address, random: Random) -> None:
        """Follow a list from its first page to its last: it has each row once, as many as `count` says."""
        seen, pages, count = [], 0, None
        following: Address | None = address
        while following is not None:
            answer = self.read_and_check(following, random, 200)
            page = json.loads(answer.body)
            pages += 1
            assert page["count"] == (page["count"] if count is None else count)
            count = page["count"]
            seen += [row["id"] for row in page["results"]]
            path = (page["next"] or "").removeprefix(address.base)
            following = Address(address.base, *path.split("?", 1)) if path else None
            last = page["results"]
        assert len(seen) == len(set(seen)) == count
        parameters = [each for each in (address.query, "page=last") if each]
        final = self.read_and_check(address._replace(query="&".join(parameters)), random, 200)
        assert json.loads(final.body)["results"] == last
        self.counts["pages"] += pages


@contextmanager
def before_statement(connection, number: int, act: Callable[[], None]):
    """Call `act` before statement `number` of the connection in the block, or else at its end."""
    driver = connection.connection.driver_connection
    usual, left = driver.cursor_factory, [number]

    class Interrupted(psycopg.Cursor):
        """Calls `act` once before the chosen statement."""

        def execute(self, query, *rest, **options):
            left[0] -= 1
            if left[0] == 0:
                driver.cursor_factory = usual
                act()
            return super().execute(query, *rest, **options)

    driver.cursor_factory = Interrupted
    try:
        yield
    finally:
        driver.cursor_factory = usual
    if left[0] > 0:
        act()


def _difference(one: bytes, other: bytes) -> str:
    """The first difference of two bodies, with its context in each."""
    place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{one[max(0, place - 60) : place + 60]!r} is not {other[max(0, place - 60) : place + 60]!r}"
