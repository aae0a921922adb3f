"""Two server processes on one Redis count together: 20 calls pass, in total and not per process."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from comicsdb.passwords import digest
from tests.serving import add_account, connected, fetch, free_port, pserve, serving, write_ini

TOKEN = "cdb_" + "3e" * 32
WHO = {"Authorization": f"Bearer {TOKEN}"}
ROOT = str(Path(__file__).parent.parent.parent)
SURELY = 60  # seconds in which everything that ought to happen has happened


@pytest.fixture
def account(database):
    """An account with a token; gives its id."""
    add_account(database)
    with connected(database) as connection:
        user = connection.scalar(text("SELECT id FROM user_account WHERE username = 'ann'"))
        connection.execute(
            text("INSERT INTO api_token (digest, token_key, user_id) VALUES (:digest, 'x', :user)"),
            {"digest": digest(TOKEN), "user": user},
        )
    return user


@pytest.fixture
def server(database, redis, tmp_path):
    """`server("name", **environment)` starts one; gives its base address and the way to stop it."""
    with ExitStack() as stack:

        def start(name: str, **environment: str) -> tuple[str, ExitStack]:
            folder, port, own = tmp_path / name, free_port(), stack.enter_context(ExitStack())
            folder.mkdir(exist_ok=True)
            ini = write_ini(folder, database, includes="comicsdb_api", port=port)
            environment |= {"COMICSDB_CACHE_URL": redis.url, "LIMITS": "on", "PYTHONPATH": ROOT}
            return own.enter_context(pserve(ini, port, **environment)), own

        yield start


def ask(address: str, **headers: str) -> tuple[int, dict, bytes]:
    """Status, headers by their names in small letters, and body of what the account gets."""
    status, told, body = fetch(address, **WHO, **headers)
    return status, {name.lower(): value for name, value in told.items()}, body


def statuses(addresses: list[str]) -> Counter:
    """What comes of a call to each address, many at once."""
    with ThreadPoolExecutor(8) as pool:
        return Counter(status for status, *_ in pool.map(ask, addresses))


def test_twenty_calls_pass_in_total_and_not_per_process(server, account):
    (one, _), (other, stop) = server("one"), server("other")
    addresses = [f"{base}/api/{kind}" for base in (one, other) for kind in ("", "arc/", "role/")] * 6
    assert statuses(addresses) == {200: 20, 429: 16}
    for base in (one, other):
        status, headers, body = ask(f"{base}/api/arc/")
        assert status == 429
        assert 1 <= int(headers["retry-after"]) <= 60
        assert headers["x-ratelimit-burst-remaining"] == "0"
        assert headers["x-ratelimit-sustained-remaining"] == "4980"
        assert b"Expected available in" in body
    stop.close()
    other, _ = server("other")  # a process that was just started knows it as well
    assert ask(f"{other}/api/")[0] == 429


def test_the_day_is_counted_for_all_processes_and_without_304(server, account):
    limits = {"COMICSDB_THROTTLE_SUSTAINED": "6"}
    bases = [server(name, **limits)[0] for name in ("one", "other")]
    tag = ask(f"{bases[0]}/api/arc/")[1]["etag"]
    for base in bases * 3:
        assert ask(f"{base}/api/arc/", **{"If-None-Match": tag})[0] == 304
        assert ask(f"{base}/api/role/", **{"If-None-Match": "*"})[0] == 304
    left = [ask(f"{base}/api/arc/")[1]["x-ratelimit-sustained-remaining"] for base in bases * 2]
    assert left == ["4", "3", "2", "1"]


def test_what_was_served_and_refused_is_counted_by_day_for_all_processes(server, account, database):
    bases = [
        server(name, COMICSDB_COUNTERS_SECONDS="1", COMICSDB_THROTTLE_BURST="6")[0]
        for name in ("one", "other")
    ]
    days = {datetime.now(UTC).date()}
    assert statuses([f"{base}/api/" for base in bases * 5]) == {200: 6, 429: 4}
    days.add(datetime.now(UTC).date())
    wanted = {("authmethod:token", ""): 6, ("throttled:burst", "user:ann"): 4}
    until = time.monotonic() + SURELY
    while (found := counts(database)) != wanted:
        assert time.monotonic() < until, found
        time.sleep(0.1)
    with connected(database) as connection:
        used = connection.scalar(text("SELECT last_used FROM api_token"))
    assert used.astimezone(UTC).date() in days


def counts(database: str) -> dict:
    """The counts of all days."""
    with connected(database) as connection:
        rows = connection.execute(text("SELECT counter, identity, sum(count) FROM daily_count GROUP BY 1, 2"))
        return {(counter, identity): int(count) for counter, identity, count in rows}


def test_workers_of_production_count_together_and_write_it_down_at_the_end(
    database, redis, account, tmp_path
):
    port = free_port()
    ini = write_ini(tmp_path, database, includes="comicsdb_api", port=port)
    granian = ini.read_text().replace("egg:waitress#main", "egg:comicsdb#granian\nworkers = 2")
    ini.write_text(granian)
    environment = {"COMICSDB_CACHE_URL": redis.url, "COMICSDB_COUNTERS_SECONDS": "3600", "LIMITS": "on"}
    with serving(ini, port, PYTHONPATH=ROOT, **environment):
        assert statuses([f"http://127.0.0.1:{port}/api/"] * 30) == {200: 20, 429: 10}
        assert counts(database) == {}
    assert counts(database) == {("authmethod:token", ""): 20, ("throttled:burst", "user:ann"): 10}
