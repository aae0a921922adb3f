"""The pictures that a mirror keeps: fetched when first requested, and removed above a size limit."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import repeat
from types import SimpleNamespace

import pytest

from comicsdb.media.storage import StorageDownError
from comicsdb.mirror import promotion
from comicsdb.mirror.covers import CoverCache
from comicsdb.mirror.origin import Origin, OriginError
from tests.http_service import http_service

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


@pytest.fixture
def origin(tmp_path):
    """A cache of an origin that gives the `answers` of a key, an iterator, and then a picture."""
    answers = {}

    def answer(path: str):
        status, headers = next(answers.get(path.removeprefix("/media/"), iter(())), (200, {}))
        return status, headers, b"x" * SIZE

    with http_service(answer) as (url, asked), closing(Origin(url)) as origin:
        yield SimpleNamespace(cache=CoverCache(tmp_path, origin, 100 * SIZE), answers=answers, asked=asked)


def test_a_picture_that_the_origin_cannot_read_delays_no_other(origin):
    origin.answers["issue/broken.png"] = repeat((500, {}))
    with pytest.raises(StorageDownError):
        origin.cache.open("issue/broken.png")
    assert origin.cache.read("issue/whole.png") == b"x" * SIZE


@pytest.mark.parametrize("answer", [(503, {}), (429, {"Retry-After": "90"})])
def test_a_busy_origin_is_left_alone_for_a_while(origin, answer):
    origin.answers["issue/1.png"] = repeat(answer)
    for key in ("issue/1.png", "issue/2.png"):
        with pytest.raises(StorageDownError):
            origin.cache.open(key)
    assert origin.asked == ["/media/issue/1.png"]


def test_before_a_promotion_a_lost_or_unreadable_picture_stops_nothing_and_a_limit_is_waited_for(origin):
    origin.answers |= {
        "a.png": repeat((404, {})),
        "b.png": repeat((500, {})),
        "c.png": iter([(429, {"Retry-After": "1"})]),
        "e.png": repeat((502, {})),
    }
    assert promotion.fetch_all(origin.cache, ["a.png", "b.png", "c.png", "d.png"]) == (["a.png"], ["b.png"])
    assert kept(origin.cache) == {"c.png", "d.png"}
    with pytest.raises(OriginError):
        promotion.fetch_all(origin.cache, ["e.png"])
