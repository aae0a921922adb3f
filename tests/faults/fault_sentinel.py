"""Redis with Sentinel: after a failover, cache and rate limits continue with the new master."""

import gc
import subprocess

import pytest
from redis import Connection, Redis
from redis.exceptions import RedisError

from comicsdb.db.redis_access import open_pool
from comicsdb.ratelimit import Limit, Limiter
from comicsdb.ratelimit.postgres import PostgresStore
from comicsdb.ratelimit.redis_store import RedisStore
from comicsdb.readcache import usage
from comicsdb.readcache.regions import Cache
from tests.needs import redis_server
from tests.redis_server import RedisServer
from tests.serving import free_port
from tests.waiting import wait_until

CONFIG = """
port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor pages 127.0.0.1 {master} 1
sentinel auth-pass pages hush
sentinel down-after-milliseconds pages 200
sentinel failover-timeout pages 2000
"""


@pytest.fixture
def servers(tmp_path):
    """A master, a replica, and the address of both through a sentinel."""
    master, replica, port = RedisServer(), RedisServer(), free_port()
    options = "--requirepass", "hush", "--masterauth", "hush"
    for server in (master, replica):
        server.client = Redis(port=server.port, socket_timeout=30, password="hush")
    master.start(*options)
    replica.start(*options, "--replicaof", f"127.0.0.1 {master.port}", "--repl-diskless-sync-delay", "0")
    config = tmp_path / "sentinel.conf"
    config.write_text(CONFIG.format(port=port, folder=tmp_path, master=master.port))
    sentinel = subprocess.Popen([redis_server(), str(config), "--sentinel"], stdout=subprocess.DEVNULL)
    asked = Redis(port=port, socket_timeout=30)
    wait_until(lambda: replica.client.info("replication")["master_link_status"] == "up")
    wait_until(lambda: known(asked) == 1)
    address = f"redis+sentinel://:hush@localhost:1,127.0.0.1:{port}/pages/0?socket_timeout=30"
    yield master, replica, address
    for each in gc.get_objects():  # those that caches and limits keep open
        if isinstance(each, Connection):
            each.disconnect()
    sentinel.kill()
    sentinel.wait()
    asked.close()
    for server in (master, replica):
        server.remove()


def known(sentinel: Redis) -> int:
    """The number of replicas that the sentinel knows; 0 until it answers."""
    try:
        return sentinel.sentinel_master("pages")["num-slaves"]
    except RedisError:
        return 0


def test_cache_and_limits_go_on_with_the_next_master(servers, independent_read_pool):
    master, replica, address = servers
    cache, limiter = Cache(address, memory_mb=0), Limiter(independent_read_pool, address)
    cache.detail.get_or_create("one", lambda: b"1")
    assert master.client.exists("comicsdb:detail:one")
    limit = Limit("sign-ups", 5, 60)
    limiter.take([(limit, "ann")])
    assert usage.measure(address, "comicsdb", sample=1, batch=10).server["role"] == "master"
    wait_until(lambda: replica.client.exists("comicsdb:detail:one") and replica.client.dbsize() >= 2)

    master.kill()
    assert cache.detail.get_or_create("two", lambda: b"2") == (b"2", False)  # no wait for the election
    assert isinstance(limiter.take([(limit, "ann")]).store, PostgresStore)
    wait_until(lambda: replica.client.info("replication")["role"] == "master")

    wait_until(lambda: cache.detail.get("one") == b"1")
    wait_until(lambda: isinstance(limiter.take([(limit, "ann")]).store, RedisStore))
    assert replica.client.llen("comicsdb-limits:sign-ups:ann") == 2  # one of before, one of now
    assert cache.detail.get_or_create("three", lambda: b"3") == (b"3", False)
    wait_until(lambda: cache.detail.get_or_create("four", lambda: b"4")[0] == b"4")
    assert replica.client.exists("comicsdb:detail:four")


@pytest.mark.parametrize("options", ["?wrong=1", "?decode_responses=true"])
def test_an_address_that_cannot_be_meant_is_refused(options):
    with pytest.raises(ValueError, match=r"option|bytes"):
        open_pool(f"redis+sentinel://127.0.0.1:26379/pages{options}")
