"""The pictures that a mirror keeps: fetched when first requested, and removed above a size limit."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import repeat
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, func, select

from comicsdb import clock
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.exchange import dump_covers
from comicsdb.media.storage import UNFINISHED, StorageDownError
from comicsdb.mirror import promotion
from comicsdb.mirror.covers import CoverCache
from comicsdb.mirror.origin import Origin, OriginError
from comicsdb.models import History, Mirror
from tests.factories import Factories
from tests.http_service import http_service
from tests.serving import free_port

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


def test_a_file_that_is_being_written_is_not_removed(cache):
    covers = cache(2)
    covers.fetch("issue/1.png")
    unfinished = covers.path("issue/2.png").with_name(f".2.png.ab{UNFINISHED}")
    unfinished.write_bytes(b"x" * SIZE)
    os.utime(unfinished, (1, 1))
    for number in range(3, 6):
        covers.fetch(f"issue/{number}.png")
    assert unfinished.exists()


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


def test_a_mirror_is_promoted_with_the_pictures_that_it_has_if_its_origin_is_gone(database, tmp_path):
    engine = create_engine(database)
    with pytest.raises(OriginError, match=r"nothing to promote\.$"):
        promotion.promote(engine, CoverCache(tmp_path, None, 0), print)
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        for name in ("whole", "small", "lost"):
            make.arc(image=f"arcs/{name}.png")
        state = {"public_key": "", "epoch": "", "after": 0, "touched": "", "loaded": clock.now()}
        session.add(Mirror(id=1, origin="https://comics.example", current=clock.now(), **state))
        session.commit()
    told = []
    with closing(Origin(f"http://127.0.0.1:{free_port()}")) as gone:
        covers = CoverCache(tmp_path, gone, 100 * SIZE)
        covers.write("arcs/whole.png", b"x")
        covers.write("arcs/small.png", b"x", dump_covers.SIZE)
        with pytest.raises(OriginError, match=r"does not answer: .*\nIf it is .* --without-origin\.$"):
            promotion.promote(engine, covers, told.append)
        told.clear()
        promotion.promote(engine, covers, told.append, without_origin=True)
    assert told == [
        "2 of 3 pictures were never fetched from https://comics.example; of 1 there is a thumbnail."
    ]
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(Mirror)) == 0
        first = History.reason == "mirrored from https://comics.example"
        assert connection.scalar(select(func.count()).where(History.kind == "arc", first)) == 3
    engine.dispose()
