"""Server processes share rate limits through PostgreSQL or Redis: 20 calls pass in total, not per process."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from comicsdb.accounts.passwords import digest
from tests.redis_server import RedisServer
from tests.serving import add_account, connected, fetch, free_port, pserve, serving, write_ini
from tests.waiting import wait_until

ROOT = str(Path(__file__).parent.parent.parent)


class Caller:
    """An account with a token, which makes requests."""

    def __init__(self, database: str, username: str):
        token = "cdb_" + digest(username)[:64]
        self.identity, self.headers = f"user:{username}", {"Authorization": f"Bearer {token}"}
        add_account(database, username)
        with connected(database) as connection:
            user = connection.scalar(text("SELECT id FROM user_account WHERE username = :n"), {"n": username})
            connection.execute(
                text("INSERT INTO api_token (digest, token_key, user_id) VALUES (:digest, 'x', :user)"),
                {"digest": digest(token), "user": user},
            )

    def ask(self, address: str, **headers: str) -> tuple[int, dict, bytes]:
        """Status, headers by lower-case names, and body."""
        status, told, body = fetch(address, **self.headers, **headers)
        return status, {name.lower(): value for name, value in told.items()}, body

    def statuses(self, addresses: list[str]) -> Counter:
        """How often each status was returned when all addresses were requested concurrently."""
        with ThreadPoolExecutor(8) as pool:
            return Counter(status for status, *_ in pool.map(self.ask, addresses))


@pytest.fixture(scope="module")
def site(cluster, template, tmp_path_factory):
    """What the servers of this module share: a database's address, settings that name a Redis, a folder."""
    cluster.clone_database(template, "limits")
    redis = RedisServer()
    redis.start()
    settings = {"COMICSDB_CACHE_URL": redis.url, "COMICSDB_API_THROTTLE": "on", "PYTHONPATH": ROOT}
    settings |= {"COMICSDB_THROTTLE_BURST": "20"}
    yield cluster.url("limits"), settings, tmp_path_factory.mktemp("limits")
    redis.remove()
    cluster.drop_database("limits")


@contextmanager
def started(site, name: str):
    """A server that stores its counters every second; yields its base address."""
    database, settings, folder = site
    (folder / name).mkdir(exist_ok=True)
    port = free_port()
    ini = write_ini(folder / name, database, includes="comicsdb_api", port=port)
    with pserve(ini, port, **settings, COMICSDB_COUNTERS_SECONDS="1") as base:
        yield base


@pytest.fixture(scope="module")
def bases(site):
    """The addresses of two servers."""
    with started(site, "one") as one, started(site, "other") as other:
        yield one, other


def test_what_was_served_and_refused_is_counted_by_day_for_all_processes(bases, site):
    database, caller = site[0], Caller(site[0], "ann")
    days = {datetime.now(UTC).date()}
    assert caller.statuses([f"{base}/api/" for base in bases * 12]) == {200: 20, 429: 4}
    days.add(datetime.now(UTC).date())
    wanted = {("authmethod:token", ""): 20, ("throttled:burst", caller.identity): 4}
    wait_until(lambda: counts(database) == wanted)
    with connected(database) as connection:
        used = connection.scalar(text("SELECT last_used FROM api_token"))
    assert used.astimezone(UTC).date() in days


def counts(database: str) -> dict:
    """The counts of all days."""
    with connected(database) as connection:
        rows = connection.execute(text("SELECT counter, identity, sum(count) FROM daily_count GROUP BY 1, 2"))
        return {(counter, identity): int(count) for counter, identity, count in rows}


def test_twenty_calls_pass_in_total_and_not_per_process(bases, site):
    caller = Caller(site[0], "ben")
    addresses = [f"{base}/api/{kind}" for base in bases for kind in ("", "arc/", "role/")] * 6
    assert caller.statuses(addresses) == {200: 20, 429: 16}
    for base in bases:
        status, headers, body = caller.ask(f"{base}/api/arc/")
        assert status == 429
        assert 1 <= int(headers["retry-after"]) <= 60
        assert headers["x-ratelimit-burst-remaining"] == "0"
        assert headers["x-ratelimit-sustained-remaining"] == "4980"
        assert b"Expected available in" in body


def test_the_day_is_counted_for_all_processes_and_without_304(bases, site):
    caller = Caller(site[0], "cat")
    tag = caller.ask(f"{bases[0]}/api/arc/")[1]["etag"]
    for base in bases * 3:
        assert caller.ask(f"{base}/api/arc/", **{"If-None-Match": tag})[0] == 304
        assert caller.ask(f"{base}/api/role/", **{"If-None-Match": "*"})[0] == 304
    asked = [caller.ask(f"{base}/api/arc/")[1] for base in bases * 2]
    left = [each["x-ratelimit-sustained-remaining"] for each in asked]
    assert left == ["4998", "4997", "4996", "4995"]


def test_workers_of_production_count_together_without_redis_and_across_a_restart(database, tmp_path):
    """Also, counters of served and refused requests are stored when the server stops."""
    caller, port = Caller(database, "ann"), free_port()
    ini = write_ini(tmp_path, database, includes="comicsdb_api", port=port)
    granian = ini.read_text().replace("egg:waitress#main", "egg:comicsdb#granian\nworkers = 2")
    ini.write_text(granian)
    environment = {
        "COMICSDB_COUNTERS_SECONDS": "3600",
        "COMICSDB_API_THROTTLE": "on",
        "COMICSDB_THROTTLE_BURST": "20",
        "PYTHONPATH": ROOT,
    }
    base = f"http://127.0.0.1:{port}"
    with serving(ini, port, **environment):
        assert caller.statuses([f"{base}/api/"] * 30) == {200: 20, 429: 10}
        assert counts(database) == {}
    assert counts(database) == {("authmethod:token", ""): 20, ("throttled:burst", "user:ann"): 10}
    ini.write_text(granian.replace("workers = 2", "workers = 1"))
    with serving(ini, port, **environment):
        status, headers, _ = caller.ask(f"{base}/api/")
        day = headers["x-ratelimit-sustained-remaining"]
        assert (status, day) in {(429, "4980"), (200, "4979")}  # the minute may be over by now
