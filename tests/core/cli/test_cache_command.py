"""`comicsdb cache`: its report with a real Redis and a real database, and its output without Redis."""

import re

import pytest
from sqlalchemy import text

from comicsdb.readcache import usage
from comicsdb.readcache.regions import Cache
from tests.core.cli.conftest import run


@pytest.fixture
def address(redis, monkeypatch):
    """The address of a Redis server, which the command reads from its environment."""
    monkeypatch.setenv("COMICSDB_CACHE_URL", redis.url)
    return redis.url


def fill(url, details=25, lists=10, size=5000):
    """Fill the cache with details and lists of known number and size; returns the cache."""
    cache = Cache(url, memory_mb=0)
    for number in range(details):
        cache.detail.get_or_create(f"issue:retrieve:{number}:1:d", lambda: b"x" * size)
    for number in range(lists):
        cache.list.get_or_create(f"series:{number}:1:d", lambda: b"x" * 2 * size)
    cache.detail.get_or_create("arc:issue_list:1:1:d", lambda: b"x")
    return cache


def row(output: str, name: str) -> list[str]:
    """The columns of one line of the report."""
    (line,) = re.findall(rf"^{name}  +(.*)$", output, re.MULTILINE)
    return re.split(r"  +", line)


def test_the_report_counts_by_category(ini, address, redis, catalog):
    fill(address)
    redis.client.set("session:1", "of another application")
    redis.client.set("comicsdb:throttle:1", "of our own, but not of the cache")
    result = run("-c", ini, "cache", "--batch", "7")
    assert result.exit_code == 0, result.output
    assert row(result.output, "detail issue")[0] == "25"
    assert row(result.output, "detail arc")[0] == "1"
    assert row(result.output, "list series")[0] == "10"
    assert row(result.output, "other")[0] == "2"
    assert row(result.output, "total")[0] == "38"
    memory = float(row(result.output, "detail issue")[1].removesuffix(" KB"))
    assert 25 * 5000 / 1024 < memory < 25 * 6500 / 1024
    assert "no limit" in result.output


@pytest.mark.parametrize("memory_mb", [0, 64])
def test_the_hit_rate_is_that_of_all_processes_wherever_they_found_it(ini, address, memory_mb):
    for _process in range(2):
        cache = Cache(address, memory_mb=memory_mb)
        for number in range(100):
            cache.detail.get_or_create(f"issue:{number // 5}", lambda: b"x")
    output = run("-c", ini, "cache").output
    assert row(output, "hit rate") == ["90.0% (180 hits, 20 misses)"]


def test_a_sample_stands_for_all_of_its_category(address, redis):
    fill(address, details=200, lists=200)
    every = usage.measure(address, "comicsdb", sample=1000, batch=50).categories
    some = usage.measure(address, "comicsdb", sample=3, batch=1000).categories
    assert list(every) == list(some) == ["detail arc", "detail issue", "list series", "other"]
    for name, category in every.items():
        assert some[name].keys == category.keys
        assert len(some[name].sample) == min(3, category.keys)
        assert abs(some[name].memory - category.memory) <= category.memory * 0.05


def test_counters_are_rows_in_the_database(ini, address, factory):
    with factory() as session:
        before = session.scalar(text("SELECT count(*) FROM version"))
        assert row(run("-c", ini, "cache").output, "counters") == [str(before), "PostgreSQL"]
        session.execute(text("INSERT INTO version (kind) VALUES ('shop')"))
        session.commit()
    assert row(run("-c", ini, "cache").output, "counters") == [str(before + 1), "PostgreSQL"]


def test_evictions_and_the_limit_are_told(ini, address, redis):
    redis.client.config_set("maxmemory-policy", "allkeys-lru")
    redis.client.config_set("maxmemory", redis.client.info()["used_memory"] + 300_000)
    fill(address, details=300)
    output = run("-c", ini, "cache").output
    evicted = redis.client.info()["evicted_keys"]
    assert evicted > 50
    assert row(output, "evicted") == [str(evicted)]
    assert "allkeys-lru" in output
    assert "no limit" not in output


def test_an_empty_redis_has_an_empty_report(ini, address):
    output = run("-c", ini, "cache").output
    assert row(output, "total") == ["0", "0 B"]
    assert "hit rate   none yet" in output


def test_the_cache_is_emptied_by_command(ini, address, redis):
    fill(address)
    redis.client.set("theirs", 1)
    result = run("-c", ini, "cache", "--clear")
    assert result.exit_code == 0
    assert "Restart the servers" in result.output
    assert list(redis.client.scan_iter()) == [b"theirs"]


def test_a_password_is_not_printed(ini, redis, monkeypatch):
    redis.client.config_set("requirepass", "hidden")
    monkeypatch.setenv("COMICSDB_CACHE_URL", f"redis://:hidden@127.0.0.1:{redis.port}/0?socket_timeout=3")
    result = run("-c", ini, "cache")
    assert result.exit_code == 0, result.output
    assert "hidden" not in result.output
    assert f"redis://127.0.0.1:{redis.port}/0\n" in result.output


def test_without_redis_the_numbers_live_in_each_process(ini, monkeypatch):
    monkeypatch.setenv("COMICSDB_CACHE_MEMORY_MB", "12.5")
    result = run("-c", ini, "cache")
    assert result.exit_code == 0
    assert "each server process" in result.output
    assert "12.5 MB" in result.output


@pytest.mark.parametrize(
    ("options", "remedy"), [((), ""), (("--clear",), "Run `comicsdb cache --clear` when")]
)
def test_a_redis_that_does_not_answer_is_told_clearly(ini, address, redis, options, remedy):
    redis.kill()
    result = run("-c", ini, "cache", *options)
    assert result.exit_code == 1
    assert result.output.startswith("Error: Redis does not answer: ")
    assert result.output.count("\n") == (2 if remedy else 1)
    assert remedy in result.output
