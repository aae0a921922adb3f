"""The in-memory cache of a process: keeps to its size, drops the least recently used, is thread-safe."""

import os
import random
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from dogpile.cache.api import NO_VALUE, CachedValue

from comicsdb.readcache.memory import ENTRY_BYTES, Lru, store_value
from comicsdb.readcache.regions import Cache, get_or_create

SIZE = 10_000  # bytes of a payload, much larger than the overhead


def value(payload: bytes = b"x" * SIZE, age: float = 0) -> CachedValue:
    """A value made `age` seconds ago."""
    return CachedValue(payload, {"ct": time.time() - age, "v": 2})


@pytest.fixture
def lru():
    """A cache with room for three and a half values."""
    return Lru(int(SIZE * 3.5) + 3 * ENTRY_BYTES)


def test_the_least_recently_used_goes_first(lru):
    for key in "abc":
        store_value(lru, key, value(), 60)
    assert lru.get("a")
    store_value(lru, "d", value(), 60)
    assert [key for key in "abcd" if lru.get(key)] == ["a", "c", "d"]


def test_a_large_value_moves_as_many_as_it_must(lru):
    for key in "abc":
        store_value(lru, key, value(), 60)
    store_value(lru, "large", value(b"x" * 2 * SIZE), 60)
    assert [key for key in ("a", "b", "c", "large") if lru.get(key)] == ["c", "large"]


def test_what_is_too_large_is_not_kept_and_moves_nobody(lru):
    for key in "abc":
        store_value(lru, key, value(), 60)
    store_value(lru, "c", value(b"x" * 4 * SIZE), 60)
    assert [key for key in "abc" if lru.get(key)] == ["a", "b"]
    assert lru.size < 2 * (SIZE + ENTRY_BYTES) + 200


def test_setting_again_and_clearing_keep_the_account(lru):
    for _ in range(100):
        store_value(lru, "a", value(), 60)
    assert lru.size < SIZE + ENTRY_BYTES + 100
    assert len(lru) == 1
    lru.clear()
    assert (lru.size, len(lru), lru.get("a")) == (0, 0, None)


def test_a_value_whose_time_has_passed_frees_its_room(lru):
    store_value(lru, "old", value(age=61), 60)
    assert len(lru) == 0
    with time_machine.travel(time.time()) as clock:
        store_value(lru, "short", value(age=30), 60)
        assert len(lru) == 1
        clock.shift(30)
        assert lru.get("short") is None
    assert (lru.size, len(lru)) == (0, 0)


def test_a_value_from_a_clock_that_is_ahead_is_kept_no_longer(lru):
    with time_machine.travel(time.time()) as clock:
        store_value(lru, "a", value(age=-1e9), 60)
        assert lru.get("a")
        clock.shift(60)
        assert lru.get("a") is None


def test_without_room_nothing_is_kept():
    cache = Cache(memory_mb=0)
    assert get_or_create(cache.detail, "a", lambda: b"x") == (b"x", False)
    assert get_or_create(cache.detail, "a", lambda: b"y") == (b"y", False)
    assert cache.detail.get("a") is NO_VALUE


@pytest.mark.parametrize("size", [10, 6_000, 40_000])
def test_the_interpreter_needs_no_more_than_was_allowed(size):
    """Both regions together, measured by `tracemalloc`."""
    cache = Cache(memory_mb=1)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(3 * 2**20 // (size + ENTRY_BYTES)):
            key = f"issue:retrieve:{number}:2026-11-21T00:00:00.000001:{number:032x}"
            region = cache.detail if number % 2 else cache.list
            get_or_create(region, key, lambda: os.urandom(size))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.5 * 2**20 < after - before < 1.1 * 2**20


def test_threads_do_not_confuse_the_account(lru):
    def hammer(seed):
        dice = random.Random(seed)
        for _ in range(5_000):
            key = dice.choice("abcdefgh")
            found = lru.get(key)
            assert found is None or found.payload.startswith(key.encode())
            if dice.random() < 0.5:
                store_value(lru, key, value(key.encode() * dice.randrange(1, SIZE)), dice.choice([60, 0]))
            assert lru.size <= lru.limit

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hammer, range(8)))
    for key in "abcdefgh":
        store_value(lru, key, value(b"x" * 4 * SIZE), 60)  # too large: only removes the key's old value
    assert (lru.size, len(lru)) == (0, 0)
