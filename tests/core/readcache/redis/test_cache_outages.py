"""The cache if Redis dies, hangs or refuses commands, or if something else listens at its address."""

import socket
import threading
from contextlib import contextmanager

import pytest
from dogpile.cache.api import NO_VALUE

from comicsdb.db import redis_access
from comicsdb.readcache.regions import Cache, get_or_create
from tests.core.readcache.redis.redis_commands import STORED_KEY, command_counts
from tests.core.readcache.test_cache import KEY, CountingCreator, never, run_in_threads


@pytest.mark.parametrize("address", ["url", "socket_url"])
def test_without_redis_everything_goes_on_and_when_it_is_back_it_is_used(
    redis, address, immediate_retry, logged
):
    cache = Cache(getattr(redis, address))
    get_or_create(cache.detail, KEY, lambda: b"x")
    redis.kill()
    assert cache.detail.get(KEY) == b"x"  # from memory
    for number in range(5):
        assert cache.detail.get(f"new:{number}") is NO_VALUE
        assert get_or_create(cache.detail, f"new:{number}", lambda: b"y") == (b"y", False)
        assert get_or_create(cache.detail, f"new:{number}", never) == (b"y", True)
    assert len(logged()) == 1
    assert logged()[0].startswith("Redis does not answer")
    redis.start()
    assert get_or_create(cache.detail, "after", lambda: b"z") == (b"z", False)
    assert redis.client.exists("comicsdb:detail:after")


def test_redis_dies_while_a_value_is_made(redis, immediate_retry):
    cache = Cache(redis.url)

    def create():
        redis.kill()
        return b"x"

    assert get_or_create(cache.detail, KEY, create) == (b"x", False)
    assert get_or_create(cache.detail, KEY, never) == (b"x", True)
    redis.start()
    assert get_or_create(cache.detail, "next", lambda: b"y") == (b"y", False)
    assert redis.client.exists("comicsdb:detail:next")


def test_without_redis_one_of_many_creates_in_each_process(redis):
    cache = Cache(redis.url)
    redis.kill()
    creator = CountingCreator()
    answers = run_in_threads(10, lambda: get_or_create(cache.detail, KEY, creator))
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
    get_or_create(redis_only_cache.detail, KEY, lambda: b"x")
    hurried = Cache(redis.url.replace("=30", "=0.25"), memory_mb=0)
    redis.freeze()
    try:
        assert hurried.detail.get(KEY) is NO_VALUE
    finally:
        redis.thaw()
    redis.client.config_resetstat()
    assert hurried.detail.get(KEY) is NO_VALUE
    assert get_or_create(hurried.detail, "new", lambda: b"y") == (b"y", False)
    assert not {"get", "set"} & set(command_counts(redis))
    assert len(logged()) == 1


def test_a_redis_that_is_full_is_read_from_and_told_of_once(redis, redis_only_cache, logged):
    get_or_create(redis_only_cache.detail, KEY, lambda: b"x")
    redis.client.config_set("maxmemory", 1)
    for number in range(5):
        assert get_or_create(redis_only_cache.list, f"issue:{number}", lambda: b"y") == (b"y", False)
    assert get_or_create(redis_only_cache.detail, KEY, never) == (b"x", True)
    assert len(logged()) == 1
    assert "maxmemory" in logged()[0]
    redis.client.config_set("maxmemory", 0)
    get_or_create(redis_only_cache.list, "issue:1", lambda: b"y")
    assert get_or_create(redis_only_cache.list, "issue:1", never) == (b"y", True)


def test_a_redis_that_wants_a_password_is_used_with_it_only(redis, immediate_retry):
    redis.client.config_set("requirepass", "secret")
    without = Cache(redis.url)
    assert get_or_create(without.detail, KEY, lambda: b"x") == (b"x", False)
    with_it = Cache(redis.url.replace("//", "//:secret@"))
    assert with_it.detail.get(KEY) is NO_VALUE
    get_or_create(with_it.detail, KEY, lambda: b"y")
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
        assert cache.detail.get(KEY) is NO_VALUE
        assert get_or_create(cache.detail, KEY, lambda: b"x") == (b"x", False)
