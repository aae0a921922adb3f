"""The requests of the benchmark of reads, and the targets of its figures."""

import random
from dataclasses import dataclass, replace
from itertools import cycle, islice

from bench.harness import Harness, Server
from bench.loader import Load

HITS = 40  # URLs that are requested repeatedly
MISSES = 20_000
HIT, MISS = "HIT", "MISS"
ISSUES = "/api/issue/"
PER_PAGE = 100


@dataclass(frozen=True)
class Scenario:
    """A row of the table: a load on a server, and the expected responses."""

    name: str
    server: Server
    load: Load
    status: int = 200
    cache: str | None = None  # the expected X-Cache


@dataclass(frozen=True)
class Target:
    """A target for the ratio of two rows: of requests per second, or with `times` of times per request."""

    name: str
    over: str
    under: str
    limit: float
    times: bool = False

    def met(self, ratio: float) -> bool:
        """Whether a measured ratio meets the target."""
        return ratio <= self.limit if self.times else ratio >= self.limit


ALONE = ", one at a time"
DETAIL_STATEMENT, LIST_STATEMENT = "the database alone: detail", "the database alone: list"
CONSTANT_DETAIL, CONSTANT_LIST = "constant Cornice view, detail bytes", "constant Cornice view, list bytes"
BARE_DETAIL, BARE_LIST = "bare WSGI, detail bytes", "bare WSGI, list bytes"
BY_TOKEN, BY_PASSWORD, FROM_REDIS = "detail hit, token", "detail hit, Basic", "detail hit, from Redis"
COUNTED_IN_REDIS, UNCOUNTED = "detail hit, token, limits in Redis", "detail hit, token, no limits"
BY_TAG, BY_DATE, DETAIL_MISS = "detail 304 by ETag", "detail 304 by date", "detail miss"
LIST_HIT, LIST_MISS = "list hit", "list miss, page 1"
DEEP_PAGE = "list miss, a deep page"
SERIES_SEARCH, ISSUE_SEARCH = "series by name, miss", "issues by series name, miss"

TARGETS = (
    Target("detail hit with a token", BY_TOKEN, CONSTANT_DETAIL, 0.5),
    Target("detail hit with Basic", BY_PASSWORD, CONSTANT_DETAIL, 0.5),
    Target("detail hit from Redis", FROM_REDIS, CONSTANT_DETAIL, 0.3),
    Target("detail hit without limits", UNCOUNTED, CONSTANT_DETAIL, 0),
    Target("detail hit with limits in Redis", COUNTED_IN_REDIS, CONSTANT_DETAIL, 0),
    Target("detail miss to its statement", DETAIL_MISS + ALONE, DETAIL_STATEMENT, 3, times=True),
    Target("list miss to its statement", LIST_MISS + ALONE, LIST_STATEMENT, 2, times=True),
    Target("deep page to page 1", DEEP_PAGE + ALONE, LIST_MISS + ALONE, 1.5, times=True),
    Target("list hit to a constant view", LIST_HIT, CONSTANT_LIST, 0),
    Target("detail hit to bare WSGI", BY_TOKEN, BARE_DETAIL, 0),
    Target("constant view to bare WSGI", CONSTANT_DETAIL, BARE_DETAIL, 0),
)


def issue_paths(harness: Harness) -> list[str]:
    """Return the URLs of all issues, shuffled deterministically."""
    ids = sorted(harness.column("SELECT id FROM issue"))
    random.Random(1).shuffle(ids)
    return [f"{ISSUES}{each}/" for each in ids]


def scenarios(
    harness: Harness,
    *,
    ours: Server,
    free: Server,
    from_redis: Server,
    counted: Server,
    constant: Server,
    bare: Server,
) -> list[Scenario]:
    """Return all rows, in the order of output."""
    details = issue_paths(harness)
    few, many = tuple(details[:HITS]), tuple(islice(cycle(details), MISSES))
    pages = len(details) // PER_PAGE
    deep = tuple(f"{ISSUES}?page={each}" for each in range(max(1, pages - 100), pages + 1))
    names = harness.column("SELECT DISTINCT split_part(name, ' ', -1) FROM series ORDER BY 1 LIMIT 2000")
    words = [each for each in names if each.isalpha() and each.isascii() and len(each) > 3]
    token, password = harness.credentials, harness.password
    tag = dict(ours.get(few[0], token)[1])["etag"]
    dated = {"If-Modified-Since": "Wed, 01 Jan 2031 00:00:00 GMT"}

    def asked(server: Server, paths, headers=token, **more) -> dict:
        return {"server": server, "load": Load(server.port, tuple(paths), headers, **more)}

    hit, miss = {"cache": HIT}, {"cache": MISS}
    listed = [ISSUES]
    rows = [
        Scenario(BARE_DETAIL, **asked(bare, few)),
        Scenario(CONSTANT_DETAIL, **asked(constant, few)),
        Scenario(BY_TOKEN, **asked(ours, few), **hit),
        Scenario(UNCOUNTED, **asked(free, few), **hit),
        Scenario(BY_PASSWORD, **asked(ours, few, password), **hit),
        Scenario(FROM_REDIS, **asked(from_redis, few), **hit),
        Scenario(COUNTED_IN_REDIS, **asked(counted, few), **hit),
        Scenario(BY_TAG, **asked(ours, few[:1], {**token, "If-None-Match": tag}), status=304),
        Scenario(BY_DATE, **asked(ours, few, {**token, **dated}), status=304),
        Scenario(DETAIL_MISS, **asked(ours, many, fresh=True), **miss),
        Scenario(BARE_LIST, **asked(bare, listed)),
        Scenario(CONSTANT_LIST, **asked(constant, listed)),
        Scenario(LIST_HIT, **asked(ours, listed), **hit),
        Scenario(LIST_MISS, **asked(ours, listed, fresh=True), **miss),
        Scenario(DEEP_PAGE, **asked(ours, deep, fresh=True), **miss),
        Scenario(SERIES_SEARCH, **_search(asked, ours, "/api/series/?name=", words), **miss),
        Scenario(ISSUE_SEARCH, **_search(asked, ours, "/api/issue/?series_name=", words), **miss),
    ]
    alone = (BY_TOKEN, UNCOUNTED, COUNTED_IN_REDIS, DETAIL_MISS, LIST_MISS, DEEP_PAGE)
    return rows + [
        replace(each, name=each.name + ALONE, load=replace(each.load, connections=1))
        for each in rows
        if each.name in alone
    ]


def _search(asked, server: Server, address: str, words: list[str]) -> dict:
    return asked(server, [address + word for word in words], fresh=True)
