"""The cache with Redis: what it stores and shares between processes, and how it treats corrupt values."""

import pickle
import struct
import time
from pathlib import Path

import time_machine
from dogpile.cache.api import NO_VALUE

from comicsdb.readcache import redis_store
from comicsdb.readcache.regions import Cache, get_or_create
from tests.core.readcache.redis.redis_commands import STORED_KEY, command_counts
from tests.core.readcache.test_cache import KEY, never

# What is stored.


def test_a_payload_is_stored_as_it_is_under_the_prefix_with_its_lifetime(redis):
    cache = Cache(redis.url, prefix="other.site-1")
    payload = b'{"id": 42}' * 10
    get_or_create(cache.detail, KEY, lambda: payload)
    get_or_create(cache.list, "issue:7", lambda: payload)
    assert sorted(redis.client.scan_iter()) == [
        f"other.site-1:detail:{KEY}".encode(),
        b"other.site-1:list:issue:7",
    ]
    stored = redis.client.get(f"other.site-1:detail:{KEY}")
    assert stored.endswith(payload)
    assert len(stored) == len(payload) + 16
    assert 86_390 < redis.client.ttl(f"other.site-1:detail:{KEY}") <= 86_400
    assert 110 < redis.client.ttl("other.site-1:list:issue:7") <= 120


def test_processes_share_what_one_of_them_made(redis):
    assert get_or_create(Cache(redis.url).detail, KEY, lambda: b"x") == (b"x", False)
    assert get_or_create(Cache(redis.socket_url).detail, KEY, never) == (b"x", True)
    assert Cache(redis.url, prefix="other").detail.get(KEY) is NO_VALUE


def test_another_build_reads_nothing_of_what_this_one_has_made(redis):
    old, new = (Cache(redis.url, build_fingerprint=each) for each in ("old", "new"))
    for cache in (old, new):
        for region in (cache.detail, cache.list, cache.figures):
            assert get_or_create(region, "issue:7", lambda: b"x") == (b"x", False)
    assert redis.client.exists("comicsdb:list:issue:7:old", "comicsdb:list:issue:7:new") == 2
    new.clear()
    assert list(redis.client.scan_iter()) == []


def test_a_hit_in_memory_asks_nobody_and_a_hit_in_redis_asks_once(redis, redis_only_cache):
    cache = Cache(redis.url)
    get_or_create(cache.detail, KEY, lambda: b"x")
    redis.client.config_resetstat()
    for _ in range(10):
        assert get_or_create(cache.detail, KEY, never) == (b"x", True)
    assert set(command_counts(redis)) <= {"config|resetstat", "info"}
    for _ in range(10):
        assert get_or_create(redis_only_cache.detail, KEY, never) == (b"x", True)
    asked = command_counts(redis)
    assert asked.pop("get") == 10
    assert "set" not in asked


def test_get_or_create_of_missing_value_asks_redis_once_and_tells_it_once(redis):
    cache = Cache(redis.url)
    redis.client.config_resetstat()
    assert cache.detail.get(KEY) is NO_VALUE
    assert get_or_create(cache.detail, KEY, lambda: b"x") == (b"x", False)
    assert get_or_create(cache.list, KEY, lambda: b"x") == (b"x", False)
    asked = command_counts(redis)
    assert (asked["get"], asked["set"]) == (3, 2)
    assert set(asked) <= {"get", "set", "config|resetstat", "info", "hello", "client|setinfo"}


def test_what_redis_told_is_remembered(redis):
    reader = Cache(redis.url)
    get_or_create(Cache(redis.url).detail, KEY, lambda: b"x")
    assert reader.detail.get(KEY) == b"x"
    redis.client.flushall()
    assert reader.detail.get(KEY) == b"x"


def test_what_memory_took_from_redis_is_forgotten_when_its_time_is_over(redis):
    maker, reader = (Cache(redis.url, list_seconds=60) for _ in range(2))
    with time_machine.travel(time.time()) as clock:
        get_or_create(maker.list, KEY, lambda: b"x")
        clock.shift(30)
        assert reader.list.get(KEY) == b"x"
        redis.client.flushall()
        clock.shift(30)
        assert maker.list.get(KEY) is NO_VALUE
        assert reader.list.get(KEY) is NO_VALUE


def test_a_value_without_expiry_in_redis_is_not_given_out_after_its_lifetime(redis):
    cache = Cache(redis.url, list_seconds=60, memory_mb=0)
    with time_machine.travel(time.time()) as clock:
        get_or_create(cache.list, KEY, lambda: b"x")
        redis.client.persist(f"comicsdb:list:{KEY}")
        assert cache.list.get(KEY) == b"x"
        clock.shift(60)
        assert cache.list.get(KEY) is NO_VALUE
    assert redis.client.exists(f"comicsdb:list:{KEY}")


def test_clearing_leaves_what_belongs_to_others(redis):
    redis.client.set("comicsdbx:detail:1", "theirs")
    mine, theirs = Cache(redis.url), Cache(redis.url, prefix="theirs")
    for cache in (mine, theirs):
        get_or_create(cache.detail, KEY, lambda: b"x")
    mine.clear()
    assert mine.detail.get(KEY) is NO_VALUE
    assert sorted(redis.client.scan_iter()) == [b"comicsdbx:detail:1", f"theirs:detail:{KEY}".encode()]


# Corrupt values in Redis.


class PickleWithSideEffect:
    """An object whose pickle creates a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_a_pickle_in_redis_is_not_loaded(redis, redis_only_cache, tmp_path):
    fuse = tmp_path / "exploded"
    bomb = pickle.dumps(PickleWithSideEffect(fuse))
    pickle.loads(bomb)  # noqa: S301
    assert fuse.exists()
    fuse.unlink()
    header = b'{"ct": %f, "v": 2}|' % time.time()
    for poison in (bomb, header + bomb, b"cdb1" + bomb):
        redis.client.set(STORED_KEY, poison)
        assert redis_only_cache.detail.get(KEY) is NO_VALUE
    assert not fuse.exists()


def test_a_damaged_value_is_a_miss_and_is_replaced(redis, redis_only_cache):
    get_or_create(redis_only_cache.detail, KEY, lambda: b"the whole value")
    whole = redis.client.get(STORED_KEY)
    cut = [whole[:length] for length in range(len(whole))]
    flipped = [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(len(whole))]
    foreign = redis_store.pack("comicsdb:detail:another", redis_store.unpack(STORED_KEY, whole))
    for damaged in [*cut, *flipped, foreign, whole + b"!", b"\x00" * 16, b"null", "é".encode()]:
        redis.client.set(STORED_KEY, damaged)
        assert redis_only_cache.detail.get(KEY) is NO_VALUE, damaged
    assert get_or_create(redis_only_cache.detail, KEY, lambda: b"the whole value") == (
        b"the whole value",
        False,
    )
    assert redis_only_cache.detail.get(KEY) == b"the whole value"


def test_an_odd_time_in_a_value_keeps_it_no_longer_than_its_lifetime(redis):
    for made in (float("inf"), float("nan"), time.time() + 1e9, -1.0):
        checksum = redis_store._checksum(STORED_KEY, made, b"x")
        redis.client.set(STORED_KEY, struct.pack("<4sId", b"cdb1", checksum, made) + b"x")
        cache = Cache(redis.url, detail_seconds=60)
        with time_machine.travel(time.time()) as clock:
            cache.detail.get(KEY)  # into memory, if at all
            redis.client.delete(STORED_KEY)
            clock.shift(60)
            assert cache.detail.get(KEY) is NO_VALUE


def test_a_key_of_another_type_is_a_miss_and_is_replaced(redis, redis_only_cache, logged):
    redis.client.lpush(STORED_KEY, "a list")
    assert redis_only_cache.detail.get(KEY) is NO_VALUE
    assert get_or_create(redis_only_cache.detail, KEY, lambda: b"x") == (b"x", False)
    assert redis_only_cache.detail.get(KEY) == b"x"
    assert len(logged()) == 1  # logged once, though it happened three times
    assert "WRONGTYPE" in logged()[0]
