"""The client, with threads and with asyncio, against the real application."""

import asyncio
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from random import Random

import httpx
import pytest

from comicsdb.catalog.maintenance.merge import merge
from comicsdb_client import (
    ApiError,
    AsyncClient,
    BadRequestError,
    Cache,
    Client,
    ConnectionFailedError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    UnauthorizedError,
)
from comicsdb_client.core import ATTEMPTS_MAX, Core
from comicsdb_client.rate_limiter import RateLimiter
from tests.clients.conftest import ARCS, BURST
from tests.serving import free_port


@pytest.fixture
def cache(tmp_path):
    """An empty cache in a file."""
    cache = Cache(tmp_path / "some" / "answers.sqlite")
    yield cache
    cache.close()


def answer(status=200, body=None, **headers):
    """A response of a server."""
    return httpx.Response(
        status, json=body or {}, headers={key.replace("_", "-"): headers[key] for key in headers}
    )


def test_an_object_and_a_list(client, server):
    assert client.get("issue", server.single)["desc"] == "Tide & time."
    (found,) = client.items("issue", series_name="tidewater", number=7)
    assert (found["id"], found["number"]) == (server.single, "7")
    assert client.read("series_type/")["count"] == 9


def test_pages_come_one_after_the_other(client):
    pages = list(client.pages("arc"))
    assert [len(page.results) for page in pages] == [100, 100, ARCS - 200]
    assert [page.count for page in pages] == [ARCS] * 3
    names = [each["name"] for page in pages for each in page.results]
    assert (len(set(names)), client.calls) == (ARCS, 3)
    assert [each["name"] for each in islice(client.items("arc"), 3)] == names[:3]
    assert client.calls == 4  # pages are only requested when needed


def test_pages_by_cursor(server, token, cache):
    asked = {"cursor": "*", "page_size": 90, "sort": "-id", "fields": ["name"]}
    with Client(server.url, token=token, cache=cache) as client:
        pages = list(client.pages("arc", **asked))
        assert [(len(page.results), page.count) for page in pages] == [
            (90, None),
            (90, None),
            (ARCS - 180, None),
        ]
        assert [page.next is None for page in pages] == [False, False, True]
        names = [each["name"] for page in pages for each in page.results]
        assert names == [f"Arc {number:03}" for number in reversed(range(ARCS))]
        assert list(client.pages("arc", **asked)) == pages  # each with status 304
        assert client.calls == 6


def test_the_same_with_asyncio(server, token, cache):
    async def run():
        async with AsyncClient(server.url, token=token, cache=cache, longest_wait=0) as client:
            one, other = await asyncio.gather(
                client.get("issue", server.single), client.read("role/", page="last")
            )
            assert (one["id"], other["next"]) == (server.single, None)
            assert len([each async for each in client.items("arc")]) == ARCS
            (match,) = [each async for each in client.match([{"id": server.single}])]
            assert match.best.issue["id"] == server.single
            assert await client.get("issue", server.single) == one
            with pytest.raises(NotFoundError):
                await client.get("issue", 999_999)
            return client.calls

    with ThreadPoolExecutor() as apart:  # Playwright, in other tests, leaves an event loop in this thread
        assert apart.submit(lambda: asyncio.run(run())).result() == 8


def test_the_change_feed_is_followed_and_resumed(client, server, token):
    answers = list(client.changes())
    lines = [each for answer, _position in answers for each in answer["results"]]
    assert len(answers) == -(-len(lines) // 1000)
    assert [each["seq"] for each in lines] == sorted(each["seq"] for each in lines)
    assert any(each["kind"] == "issue" for answer, _position in answers for each in answer["objects"])
    _answer, position = answers[-1]
    assert position["after"] == str(lines[-1]["seq"])
    [(rest, again)] = client.changes(position)
    assert (rest["results"], again["after"], again["epoch"]) == ([], position["after"], position["epoch"])

    async def run():
        async with AsyncClient(server.url, token=token) as other:
            [(same, _position)] = [each async for each in other.changes(position)]
            with pytest.raises(GoneError) as gone:
                await anext(other.changes(position | {"epoch": "0" * 32}))
            return same, gone.value

    with ThreadPoolExecutor() as apart:  # Playwright, in other tests, leaves an event loop in this thread
        same, gone = apart.submit(lambda: asyncio.run(run())).result()
    assert (same["results"], same["last"]) == ([], True)
    assert (gone.status, gone.epoch, str(gone.after)) == (410, position["epoch"], position["after"])


def test_matches_come_in_order_a_hundred_with_each_call(client, server):
    wanted = [{"file_name": "Tidewater Tales 007 (2021).cbz"}, {"file_name": "Nothing 5.cbz"}, {"year": "x"}]
    found = list(client.match([*wanted, *wanted[1:2] * 98, wanted[0]], candidates=1))
    assert (len(found), client.calls) == (102, 2)
    for match in (found[0], found[-1]):
        assert match.certain
        assert match.best.issue["id"] == server.single
        assert match.best.score > 0.9
        assert "number" in match.best.reasons
    assert (found[1].best, found[1].certain, found[1].errors) == (None, False, {})
    assert list(found[2].errors) == ["year"]


def test_what_tells_candidates_apart(client):
    (match,) = client.match([{"series": "Harbor Lights", "number": "1"}])
    assert not match.certain
    assert "year_began" in match.ties
    assert {each.issue["series"]["year_began"] for each in match.candidates} >= {1988, 2019}


def test_objects_by_their_ids(client, server):
    make = server.make
    kept, other, gone = (make.team(name=f"Crew {number}") for number in range(3))
    ids = [other.id, gone.id, 999_999, *range(1_000_000, 1_000_098)]
    merge(make.catalog, kept, other)
    make.catalog.delete(gone)
    make.session.commit()
    first, second = client.ids("team", iter(ids), fields=["id", "name"])
    assert first.results == [{"id": kept.id, "name": kept.name}]
    assert (first.merged, first.deleted, first.missing) == ({ids[0]: kept.id}, [ids[1]], ids[2:100])
    assert (second.results, second.missing, client.calls) == ([], ids[100:], 2)
    assert client.get("team", ids[0])["id"] == kept.id  # the merged object redirects there


def test_errors_have_the_messages_of_the_server(client, server):
    with pytest.raises(BadRequestError) as caught:
        client.read("issue/", cv_id="x", store_date="never")
    assert caught.value.errors == {"cv_id": ["Enter a number."], "store_date": ["Enter a valid date."]}
    assert "cv_id: Enter a number." in str(caught.value)
    with pytest.raises(NotFoundError) as caught:
        client.get("issue", 999_999)
    assert caught.value.message
    with pytest.raises(ForbiddenError):
        client._run(client._core._request("POST", "arc/", {}, {"name": "Mine"}))
    with Client(server.url, token="cdb_wrong") as stranger, pytest.raises(UnauthorizedError):
        stranger.get("issue", 1)


def test_a_server_that_is_not_there(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    with Client(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(ConnectionFailedError):
        client.get("issue", 1)
    assert client.calls == ATTEMPTS_MAX


def test_what_has_not_changed_is_not_sent_again(server, token, cache):
    make, seen = server.make, []
    team = make.team(name="Salt")
    with Client(server.url, token=token, cache=cache, longest_wait=0) as client:
        client._http.event_hooks["response"].append(lambda response: seen.append(response.status_code))
        first = client.get("team", team.id)
        assert client.get("team", team.id) == first
        assert client.get("team", team.id, fields=None) == first
        make.catalog.update(team, {"name": "Brine"})
        make.session.commit()
        assert client.get("team", team.id)["name"] == "Brine"
        assert [page.next for page in client.pages("team", name="brine")] == [None]
        assert [page.count for page in client.pages("team", name="brine")] == [1]
    assert seen == [200, 304, 304, 200, 200, 304]


def test_the_cache_is_bounded_and_forgets_what_was_not_used(tmp_path):
    path = tmp_path / "answers.sqlite"
    cache = Cache(path, most=40_000)
    random = Random(1)
    bodies = {f"key {number}": random.randbytes(4000) for number in range(9)}
    for key, body in bodies.items():
        cache.put(key, '"tag"', {"content-type": "application/json"}, body)
        assert cache.get("key 0") is not None
    cache.put("too large", '"tag"', {}, random.randbytes(20_000))
    assert cache.get("too large") is None
    cache.put("key 9", '"tag"', {}, bodies["key 8"])
    assert [key for key in bodies if cache.get(key)] == [
        "key 0",
        *(f"key {number}" for number in range(4, 9)),
    ]
    assert cache.get("key 8").body == bodies["key 8"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cache.close()


def test_a_damaged_cache_does_no_harm(server, token, tmp_path):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    cache = Cache(path)
    with Client(server.url, token=token, cache=cache) as client:
        assert client.get("issue", server.single) == client.get("issue", server.single)
    cache.close()
    with pytest.raises(sqlite3.ProgrammingError):
        cache._file.execute("SELECT 1")


def test_no_request_is_sent_that_the_limits_refuse(client, server, token):
    for _ in range(BURST):
        client.get("issue", server.single)
    with pytest.raises(RateLimitedError) as caught:
        client.get("issue", server.single)
    assert client.calls == BURST
    assert 0 < caught.value.seconds <= 60
    with (
        Client(server.url, token=token, longest_wait=0) as unaware,
        pytest.raises(RateLimitedError) as caught,
    ):
        unaware.get("issue", server.single)
    assert "throttled" in caught.value.message
    assert 0 < caught.value.seconds <= 60


def test_it_waits_as_long_as_the_server_says():
    now = [100.0]
    limiter = RateLimiter(lambda: now[0])
    limiter.update({"RateLimit": '"burst";r=3;t=60, "sustained";r=4999;t=86400'})
    assert limiter.seconds_to_wait() == 0
    limiter.update({"RateLimit": '"burst";r=0;t=12, "sustained";r=4990;t=86400'})
    assert limiter.seconds_to_wait() == 12
    now[0] += 12
    assert limiter.seconds_to_wait() == 0
    limiter.update({"RateLimit": "something else"})
    assert limiter.seconds_to_wait() == 0


def test_the_change_feed_is_followed_although_the_day_is_used_up():
    core = Core("http://comics.example/", "", None, 0)
    day = {"RateLimit": '"burst";r=3;t=60, "sustained";r=0;t=3600'}
    page = {"results": [], "epoch": "e", "touched": "0", "last": True}
    steps = core.get("issue/1/", {})
    next(steps)
    with pytest.raises(StopIteration):
        steps.send(answer(200, {"id": 1}, **day))
    for headers in (day, day, {"RateLimit": '"burst";r=0;t=12, "sustained";r=0;t=3600'}):
        with pytest.raises(RateLimitedError) as caught:
            next(core.get("issue/1/", {}))
        assert 3500 < caught.value.seconds <= 3600
        steps = core.changes({})
        assert next(steps).url.path == "/api/change/"
        with pytest.raises(StopIteration):
            steps.send(answer(200, page, **headers))
    with pytest.raises(RateLimitedError) as caught:
        next(core.changes({}))
    assert 0 < caught.value.seconds <= 12


def test_it_tries_again_where_that_helps():
    core = Core("http://comics.example/", "", None, 100)
    steps = core.get("issue/1/", {"fields": ["id", "number"]})
    request = next(steps)
    assert str(request.url) == "http://comics.example/api/issue/1/?fields=id%2Cnumber"
    waits = [
        steps.send(answer(503, Retry_After="7")),
        steps.send(next(steps) and answer(429, Retry_After="9")),
    ]
    assert waits == [7, pytest.approx(9, abs=1)]
    core.rate_limiter = RateLimiter()
    assert next(steps) is request
    with pytest.raises(StopIteration) as done:
        steps.send(answer(200, {"id": 1}))
    assert done.value.value == {"id": 1}
    failing = core.get("issue/1/", {})
    next(failing)
    with pytest.raises(ServerError):
        failing.send(answer(500, {"detail": "no"}))


@pytest.mark.parametrize("content", [b"<!DOCTYPE html><title>Another program</title>", b"[]", b"\xff"])
def test_a_server_that_answers_without_json_is_an_error(content):
    core = Core("http://comics.example", "", None, 0)
    for steps in (
        core.get("issue/1/", {}),
        core.page("issue/", {}),
        core.match([{"id": 1}], {}),
        core.changes({}),
    ):
        request = next(steps)
        with pytest.raises(ApiError, match="has no JSON: is this a comicsdb site"):
            steps.send(httpx.Response(200, content=content, request=request))


class _Redirecting(BaseHTTPRequestHandler):
    """Redirects each request to the same address."""

    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", self.path)
        self.end_headers()

    def log_message(self, *arguments):
        """Nothing."""


def test_redirects_without_end_are_an_error():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Redirecting) as other, ThreadPoolExecutor() as apart:
        apart.submit(other.serve_forever)
        try:
            with (
                Client(f"http://127.0.0.1:{other.server_port}", longest_wait=0) as client,
                pytest.raises(ConnectionFailedError, match="redirects"),
            ):
                client.get("issue", 1)
            assert client.calls == 1
        finally:
            other.shutdown()


def test_a_page_elsewhere_is_not_asked_with_our_token():
    core = Core("http://comics.example", "secret", None, 0)
    steps = core.page("arc/", {})
    next(steps)
    with pytest.raises(StopIteration) as done:
        steps.send(answer(200, {"results": [], "count": 1, "next": "http://evil.example/api/arc/?page=2"}))
    following = core.page("arc/", done.value.value.next)
    assert str(next(following).url) == "http://comics.example/api/arc/?page=2"
