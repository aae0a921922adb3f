"""`comicsdb cache --clear` with a real Redis, and without one."""

import pytest

from comicsdb.readcache.regions import Cache
from tests.core.cli.conftest import run


@pytest.fixture
def address(redis, monkeypatch):
    """The address of a Redis server, which the command reads from its environment."""
    monkeypatch.setenv("COMICSDB_CACHE_URL", redis.url)
    return redis.url


def test_the_cache_is_emptied_by_command(ini, address, redis):
    cache = Cache(address)
    for region in (cache.detail, cache.list, cache.figures):
        region.set("issue:1", b"x")
    redis.client.set("theirs", 1)
    result = run("-c", ini, "cache", "--clear")
    assert result.exit_code == 0
    assert "Restart the servers" in result.output
    assert list(redis.client.scan_iter()) == [b"theirs"]


def test_cache_without_option_empties_nothing(ini, address, redis):
    redis.client.set("comicsdb:detail:1", 1)
    result = run("-c", ini, "cache")
    assert (result.exit_code, "--clear" in result.output) == (2, True)
    assert redis.client.exists("comicsdb:detail:1")


def test_without_redis_there_is_nothing_to_empty(ini):
    result = run("-c", ini, "cache", "--clear")
    assert result.exit_code == 0
    assert "each server process" in result.output


def test_a_redis_that_does_not_answer_is_told_clearly(ini, address, redis):
    redis.kill()
    result = run("-c", ini, "cache", "--clear")
    assert result.exit_code == 1
    assert result.output.startswith("Error: Redis does not answer: ")
    assert result.output.count("\n") == 2
    assert "Run `comicsdb cache --clear` when" in result.output
