"""The cache if Redis dies, hangs or refuses commands, or if something else listens at its address."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from redis import exceptions

from comicsdb.db import redis_access
from comicsdb.readcache.regions import Cache
from tests.core.readcache.redis.redis_commands import STORED_KEY, command_counts
from tests.core.readcache.test_cache import KEY, CountingCreator, never, run_in_threads
from tests.waiting import wait_until


@pytest.mark.parametrize("address", ["url", "socket_url"])
def test_without_redis_everything_goes_on_and_when_it_is_back_it_is_used(
    redis, address, immediate_retry, logged
):
    cache = Cache(getattr(redis, address))
    cache.detail.get_or_create(KEY, lambda: b"x")
    redis.kill()
    assert cache.detail.get(KEY) == b"x"  # from memory
    for number in range(5):
        assert cache.detail.get(f"new:{number}") is None
        assert cache.detail.get_or_create(f"new:{number}", lambda: b"y") == (b"y", False)
        assert cache.detail.get_or_create(f"new:{number}", never) == (b"y", True)
    assert len(logged()) == 1
    assert logged()[0].startswith("Redis does not answer")
    redis.start()
    assert cache.detail.get_or_create("after", lambda: b"z") == (b"z", False)
    assert redis.client.exists("comicsdb:detail:after")
    assert logged()[1:] == ["Redis answers again."]
    redis.kill()
    assert cache.detail.get("new") is None
    assert len(logged()) == 3  # a second outage is logged too


def test_redis_dies_while_a_value_is_made(redis, immediate_retry):
    cache = Cache(redis.url)

    def create():
        redis.kill()
        return b"x"

    assert cache.detail.get_or_create(KEY, create) == (b"x", False)
    assert cache.detail.get_or_create(KEY, never) == (b"x", True)
    redis.start()
    assert cache.detail.get_or_create("next", lambda: b"y") == (b"y", False)
    assert redis.client.exists("comicsdb:detail:next")


def test_without_redis_one_of_many_creates_in_each_process(redis):
    cache = Cache(redis.url)
    redis.kill()
    creator = CountingCreator()
    answers = run_in_threads(10, lambda: cache.detail.get_or_create(KEY, creator))
    assert creator.calls == 1
    assert sorted(answers) == [(b"made", False)] + [(b"made", True)] * 9


def test_redis_has_little_time_to_answer_unless_its_address_says_more():
    kept = redis_access.open_pool("redis://localhost").connection_kwargs
    assert kept["socket_timeout"] == kept["socket_connect_timeout"] == 0.25
    assert (
        redis_access.open_pool("redis://localhost?socket_timeout=3").connection_kwargs["socket_timeout"] == 3
    )


def test_a_redis_that_hangs_is_left_alone_for_a_while(redis, redis_only_cache, monkeypatch, logged):
    monkeypatch.setattr(redis_access, "PAUSE", 3600.0)
    redis_only_cache.detail.get_or_create(KEY, lambda: b"x")
    hurried = Cache(redis.url.replace("=30", "=0.25"), memory_mb=0)
    redis.freeze()
    try:
        assert hurried.detail.get(KEY) is None
    finally:
        redis.thaw()
    redis.client.config_resetstat()
    assert hurried.detail.get(KEY) is None
    assert hurried.detail.get_or_create("new", lambda: b"y") == (b"y", False)
    assert not {"get", "set"} & set(command_counts(redis))
    assert len(logged()) == 1


def test_after_the_pause_one_call_tries_again_and_the_others_do_not_wait_for_it(monkeypatch):
    circuit, asked, may_end = redis_access.CircuitBreaker("the test"), [], threading.Event()

    def fail():
        asked.append(threading.get_ident())
        may_end.wait(30)
        raise exceptions.ConnectionError

    monkeypatch.setattr(redis_access, "PAUSE", 0.05)
    may_end.set()
    assert circuit.call(fail) is None
    time.sleep(0.06)
    monkeypatch.setattr(redis_access, "PAUSE", 3600.0)
    may_end.clear()
    with ThreadPoolExecutor(10) as pool:
        calls = [pool.submit(circuit.call, fail) for _ in range(10)]
        wait_until(lambda: sum(call.done() for call in calls) == 9 or len(asked) > 2)
        may_end.set()
    assert [call.result() for call in calls] == [None] * 10
    assert len(asked) == 2


def test_a_redis_that_is_full_is_read_from_and_told_of_once(redis, redis_only_cache, logged):
    redis_only_cache.detail.get_or_create(KEY, lambda: b"x")
    redis.client.config_set("maxmemory", 1)
    for number in range(5):
        assert redis_only_cache.list.get_or_create(f"issue:{number}", lambda: b"y") == (b"y", False)
    assert redis_only_cache.detail.get_or_create(KEY, never) == (b"x", True)
    assert len(logged()) == 1
    assert "maxmemory" in logged()[0]
    redis.client.config_set("maxmemory", 0)
    redis_only_cache.list.get_or_create("issue:1", lambda: b"y")
    assert redis_only_cache.list.get_or_create("issue:1", never) == (b"y", True)


def test_a_redis_that_wants_a_password_is_used_with_it_only(redis, immediate_retry):
    redis.client.config_set("requirepass", "secret")
    without = Cache(redis.url)
    assert without.detail.get_or_create(KEY, lambda: b"x") == (b"x", False)
    with_it = Cache(redis.url.replace("//", "//:secret@"))
    assert with_it.detail.get(KEY) is None
    with_it.detail.get_or_create(KEY, lambda: b"y")
    assert redis.client.get(STORED_KEY).endswith(b"y")


@contextmanager
def answering(answer: bytes):
    """A port that gives the same response to everything."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xff\xfe\x00" * 50,
        b"$-7\r\n",
        b"-ERR \xff\r\n",
        b"*-5\r\n",
        b":x\r\n",
    ],
)
def test_something_else_at_the_address_is_as_good_as_nothing(answer, immediate_retry):
    with answering(answer) as port:
        cache = Cache(f"redis://127.0.0.1:{port}", memory_mb=0)
        assert cache.detail.get(KEY) is None
        assert cache.detail.get_or_create(KEY, lambda: b"x") == (b"x", False)
