"""Rate limits in Redis: one round trip, one count for all processes, and outages of Redis."""

import logging
from functools import partial

import pytest

from comicsdb.db import redis_access
from comicsdb.ratelimit import Limit, Limiter
from comicsdb.ratelimit.types import SECOND
from comicsdb.readcache.regions import Cache

THREE = Limit("burst", 3, 60)
MANY = Limit("sustained", 5, 86_400)
BOTH = ((THREE, "7"), (MANY, "7"))


@pytest.fixture
def quick(monkeypatch):
    """Redis is tried again immediately after a failure."""
    monkeypatch.setattr(redis_access, "PAUSE", 0.0)


@pytest.fixture
def limiter_of(limiter, independent_read_pool):
    """`limiter_of(url)`: a limiter with Redis; nothing is counted in PostgreSQL yet."""
    return partial(Limiter, independent_read_pool)


def counts(limiter) -> list[int]:
    """How many events each limit counts."""
    return [each.count for each in limiter.take(BOTH, uncounted=("burst", "sustained")).states]


def commands(redis) -> dict[str, int]:
    """How often each EVAL command was called, without the commands that scripts call."""
    told = redis.client.info("commandstats")
    return {name[8:]: stat["calls"] for name, stat in told.items() if name.startswith("cmdstat_eval")}


def test_an_event_with_two_limits_is_one_trip(redis, limiter_of):
    limiter = limiter_of(redis.url)
    limiter.refund(limiter.take(BOTH), "sustained")
    redis.client.config_resetstat()
    for _ in range(5):
        taken = limiter.take(BOTH)
    assert commands(redis) == {"evalsha": 5}
    limiter.refund(limiter.take([(MANY, "8")]), "sustained")
    assert commands(redis)["evalsha"] == 7
    assert taken.refused


def test_all_who_use_the_same_redis_count_together(redis, limiter_of):
    one, other = limiter_of(redis.url), limiter_of(redis.socket_url)
    passed = [not limiter.take([(THREE, "7")]).refused for limiter in (one, other) * 3]
    assert passed == [True, True, True, False, False, False]
    assert counts(limiter_of(redis.url, prefix="another-site")) == [0, 0]


def test_what_one_took_another_can_give_back(redis, limiter_of):
    taken = limiter_of(redis.url).take(BOTH)
    other = limiter_of(redis.url)
    other.take(BOTH)
    other.refund(taken, "sustained")
    assert counts(other) == [2, 1]


def test_keys_go_when_their_window_is_over(redis, limiter_of):
    limiter_of(redis.url, prefix="site").take(BOTH)
    lifetimes = {key: redis.client.ttl(key) for key in redis.client.scan_iter()}
    assert set(lifetimes) == {b"site-limits:burst:7", b"site-limits:sustained:7"}
    assert 55 <= lifetimes[b"site-limits:burst:7"] <= 61
    assert 86_395 <= lifetimes[b"site-limits:sustained:7"] <= 86_401


def test_looking_leaves_nothing_behind(redis, limiter_of):
    assert counts(limiter_of(redis.url)) == [0, 0]
    assert redis.client.dbsize() == 0


def test_emptying_the_cache_leaves_the_counts(redis, limiter_of):
    limiter = limiter_of(redis.url)
    limiter.take(BOTH)
    Cache(redis.url).clear()
    assert counts(limiter) == [1, 1]


def test_a_client_whose_times_are_all_over_begins_anew(redis, limiter_of):
    limiter = limiter_of(redis.url)
    old = [1_000_000 + each for each in range(3000)]
    redis.client.rpush("comicsdb-limits:sustained:7", *old)
    assert [each.count for each in limiter.take(BOTH).states] == [1, 1]
    assert redis.client.llen("comicsdb-limits:sustained:7") == 1


def test_a_clock_that_is_set_back_stands_still(redis, limiter_of):
    limiter = limiter_of(redis.url)
    seconds, _ = redis.client.time()
    ahead = (seconds + 50) * 1_000_000
    redis.client.rpush("comicsdb-limits:burst:7", ahead)
    standing = limiter.take([(THREE, "7")]).states[0]
    assert (standing.now, standing.count, standing.retry_after) == (ahead, 2, 60)


def test_events_of_a_clock_that_was_far_ahead_do_not_count(redis, limiter_of):
    limiter = limiter_of(redis.url)
    seconds, _ = redis.client.time()
    for years in (1, 10):
        redis.client.rpush("comicsdb-limits:burst:7", *[(seconds + years * 31_536_000) * SECOND] * 3)
        state = limiter.take([(THREE, "7")]).states[0]
        assert (state.refused, state.count) == (False, 1)
        assert state.now < (seconds + 600) * SECOND


# Without Redis.


def test_while_redis_is_down_postgresql_counts_for_all_processes(redis, quick, caplog, limiter_of):
    caplog.set_level(logging.INFO, "comicsdb")
    one, other = limiter_of(redis.url), limiter_of(redis.url)
    for _ in range(3):
        one.take([(THREE, "7")])
    redis.kill()
    refused = [bool(limiter.take([(THREE, "7")]).refused) for limiter in (one, other) * 3]
    assert refused == [False, False, False, True, True, True]
    redis.start()
    assert [bool(one.take([(THREE, "7")]).refused) for _ in range(4)] == [False, False, False, True]
    assert [bool(other.take([(THREE, "7")]).refused) for _ in range(4)] == [True] * 4
    told = [record.getMessage() for record in caplog.records]
    assert told[0].startswith("Redis does not answer; limits are counted in PostgreSQL: ")
    assert len(told) == 2  # one for each process


def test_a_place_is_given_back_where_it_was_taken(redis, quick, limiter_of):
    limiter = limiter_of(redis.url)
    shared = limiter.take(BOTH)
    redis.kill()
    own = limiter.take(BOTH)
    assert limiter.refund(shared, "sustained") == shared  # it was counted in Redis, which is down
    assert [each.count for each in limiter.refund(own, "sustained").states] == [1, 0]
    redis.start()
    after = limiter.take(BOTH)
    assert [each.count for each in limiter.refund(own, "sustained").states] == [1, 0]
    assert [each.count for each in limiter.refund(after, "sustained").states] == [1, 0]


def test_a_redis_that_hangs_is_left_alone_for_a_while(redis, monkeypatch, limiter_of):
    monkeypatch.setattr(redis_access, "PAUSE", 3600.0)
    limiter = limiter_of(redis.url.replace("=30", "=0.25"))
    limiter.take(BOTH)
    redis.freeze()
    try:
        assert counts(limiter) == [0, 0]
    finally:
        redis.thaw()
    redis.client.config_resetstat()
    assert counts(limiter) == [0, 0]
    assert commands(redis) == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda client: client.set("comicsdb-limits:burst:7", "x"),
        lambda client: client.rpush("comicsdb-limits:burst:7", "no number"),
        lambda client: client.config_set("maxmemory", 1),
        lambda client: (
            client.config_set("requirepass", "secret") and client.execute_command("CLIENT KILL TYPE normal")
        ),
    ],
    ids=["wrong type", "no time", "full", "password"],
)
def test_a_redis_that_refuses_is_done_without(redis, damage, limiter_of):
    limiter = limiter_of(redis.url)
    limiter.take([(THREE, "8")])
    damage(redis.client)
    assert [bool(limiter.take([(THREE, "7")]).refused) for _ in range(4)] == [False, False, False, True]


def test_a_redis_that_forgot_the_scripts_gets_them_again(redis, limiter_of):
    limiter = limiter_of(redis.url)
    taken = limiter.take(BOTH)
    redis.client.script_flush()
    assert counts(limiter) == [1, 1]
    redis.client.script_flush()
    limiter.refund(taken, "sustained")
    assert counts(limiter) == [1, 0]
