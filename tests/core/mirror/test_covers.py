"""The pictures that a mirror keeps: fetched when first requested, and removed above a size limit."""

import os
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from comicsdb.mirror.covers import CoverCache

SIZE = 1000  # bytes of each picture


@pytest.fixture
def cache(tmp_path):
    """`cache(pictures)`: a cache for so many pictures of an origin that has every picture."""

    def make(pictures: int) -> CoverCache:
        origin = SimpleNamespace(url="https://comics.example", picture=lambda _key: b"x" * SIZE)
        return CoverCache(tmp_path, origin, pictures * SIZE)

    return make


def kept(cache: CoverCache) -> set[str]:
    return {entry.key for entry in cache.entries()}


def test_the_pictures_not_used_for_longest_are_removed(cache):
    covers, keys = cache(10), [f"issue/{number}.png" for number in range(11)]
    for age, key in enumerate(reversed(keys[:10]), 1):
        covers.fetch(key)
        os.utime(covers.path(key), (age, age))
    covers.read(keys[9])  # the oldest one is used again
    assert kept(covers) == set(keys[:10])
    covers.fetch(keys[10])
    assert kept(covers) == set(keys) - {keys[7], keys[8]}


def test_pictures_are_counted_while_others_are_stored(cache):
    """A file that is renamed or removed meanwhile is no reason to refuse a picture that was just stored."""
    covers = cache(100)
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(covers.fetch, [f"issue/{number}.png" for number in range(1500)]):
            pass  # an error is raised here
    assert 80 < len(kept(covers)) <= 100
