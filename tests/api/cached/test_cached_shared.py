"""Cached reads of several servers that share a Redis, and outages of Redis or PostgreSQL."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import webtest
from sqlalchemy import create_engine

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.models import Arc
from tests.api.conftest import PASSWORD, Client, basic_auth
from tests.conftest import API_ONLY, build_app
from tests.factories import Factories
from tests.redis_server import RedisServer
from tests.waiting import TIMEOUT, wait_until

AWAY = {"detail": "The database is unavailable at the moment; please try again later."}


class Site:
    """A database with an account that may read it, and servers that use it."""

    def __init__(self, url, folder, **settings):
        self.url, self.folder, self.settings = url, folder, settings
        self.engine = create_engine(url, pool_pre_ping=True)
        self.session = session_factory(self.engine)()
        self.make = Factories(Catalog(self.session))
        self.apps = []
        self.make.user("reader", password=PASSWORD, passwords=Passwords("fast"))

    def serve(self):
        """Start one more server; returns a client of it."""
        app = build_app(self.url, self.folder, **API_ONLY, **self.settings)
        self.apps.append(app)
        return Client(webtest.TestApp(app), basic_auth("reader", PASSWORD))

    def close(self):
        """Close all connections to the database."""
        self.session.close()
        for app in self.apps:
            app.registry["comicsdb.read_pool"].close()
            app.registry["comicsdb.engine"].dispose()
        self.engine.dispose()


@pytest.fixture(scope="module")
def redis():
    """A Redis server, which is empty before each test that uses `site`."""
    server = RedisServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def shared(cluster, template, redis, tmp_path_factory):
    """A site with two servers that share a Redis; shared by all tests, as servers take long to start."""
    cluster.clone_database(template, "cached_shared")
    folder = tmp_path_factory.mktemp("cached_shared")
    site = Site(cluster.url("cached_shared"), folder, **{"comicsdb.cache.url": redis.url})
    clients = [site.serve(), site.serve()]
    yield site, clients
    site.close()
    cluster.drop_database("cached_shared")


@pytest.fixture
def site(shared):
    """The site, with empty caches in its servers."""
    site, _ = shared
    for app in site.apps:
        app.registry["comicsdb.cache"].clear()
        app.registry["comicsdb.validator_cache"].clear()
    return site


@pytest.fixture
def clients(shared):
    """A client of each of the two servers."""
    return shared[1]


def read(client, path):
    """Whether a read was a HIT or a MISS, and its body."""
    answer = client.get(path)
    return answer.headers["X-Cache"], answer.json


def bodies(redis):
    """The keys of the bodies in Redis, without the surveys of lists."""
    return [key for key in redis.client.scan_iter() if b":survey:" not in key]


# Redis.


def test_what_one_server_made_the_other_serves(site, clients):
    one, other = clients
    arc = site.make.arc(name="First")
    paths = [f"/api/arc/{arc.id}/", f"/api/arc/{arc.id}/issue_list/", "/api/arc/", "/api/arc/?name=first"]
    for path in paths:
        made = read(one, path)
        assert made[0] == "MISS"
        assert read(other, path) == ("HIT", made[1])
        assert one.get(path).headers["ETag"] == other.get(path).headers["ETag"]
    site.make.catalog.update(arc, {"name": "Second"})
    site.session.commit()
    for path in paths:
        assert b"First" not in other.get(path).body


def test_nothing_but_whole_answers_is_stored(site, clients, redis):
    client, _ = clients
    arc = site.make.arc()
    for path, status in (
        ("/api/arc/?page=2", 404),
        ("/api/arc/?page=9", 404),
        ("/api/arc/?page=x", 404),
        ("/api/arc/999/", 404),
        ("/api/arc/999/issue_list/", 404),
        (f"/api/arc/{arc.id}/issue_list/?page=2", 404),
        ("/api/issue/?series_id=x", 400),
        ("/api/issue/?format=xml", 404),
        ("/api/", 200),
        ("/api/role/", 200),
        ("/api/series_type/", 200),
    ):
        for _ in range(2):
            client.get(path, status)
    assert bodies(redis) == []
    for path in (f"/api/arc/{arc.id}/", "/api/arc/", "/api/arc/?page=last"):
        client.get(path)
    assert len(bodies(redis)) == 3


def test_what_is_not_committed_is_in_no_cache(site, clients):
    one, other = clients
    arc = site.make.arc(name="Old")
    paths = [f"/api/arc/{arc.id}/", "/api/arc/"]
    for path in paths:
        one.get(path)
    site.make.catalog.update(arc, {"name": "New"})
    site.session.flush()
    fresh = [f"/api/arc/0{arc.id}/", "/api/arc/?name="]
    for path in (*paths, *fresh):  # some are read for the first time during the write
        for client in (one, other):
            assert b'"Old"' in client.get(path).body
    site.session.commit()
    for path in (*paths, *fresh):
        for client in (one, other):
            assert b'"New"' in client.get(path).body


def test_a_reader_who_is_late_does_not_store_the_old_under_the_new_version(site, clients):
    client, late = clients
    arc = site.make.arc(name="Old")
    app = late.testapp.app
    detail = app.registry["comicsdb_api.reads"]["api.arc"]
    begun, go_on = threading.Event(), threading.Event()
    fetch = app.registry["comicsdb.read_pool"].fetch

    def slow(query, parameters):
        if query is detail._query:  # the stamps have been read, the body has not
            begun.set()
            assert go_on.wait(TIMEOUT)
        return fetch(query, parameters)

    app.registry["comicsdb.read_pool"].fetch = slow
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(late.get, f"/api/arc/{arc.id}/")
        assert begun.wait(TIMEOUT)
        site.make.catalog.update(arc, {"name": "New"})
        site.session.commit()
        assert read(client, f"/api/arc/{arc.id}/")[1]["name"] == "New"
        go_on.set()
        answer = reading.result(TIMEOUT)
    del app.registry["comicsdb.read_pool"].fetch
    assert answer.json["name"] == "New"
    tag = answer.headers["ETag"]
    assert client.get(f"/api/arc/{arc.id}/").headers["ETag"] == tag
    assert late.get(f"/api/arc/{arc.id}/").headers["ETag"] == tag


def test_without_redis_everything_is_answered_and_with_it_shared_again(site, clients, redis):
    one, other = clients
    arc, second = site.make.arc(name="First"), site.make.arc()
    paths = [f"/api/arc/{arc.id}/", "/api/arc/"]
    for client in (one, other):
        for path in paths:
            client.get(path)
    redis.kill()
    for client in (one, other):
        for path in (*paths, f"/api/arc/{second.id}/", "/api/role/", "/api/"):
            client.get(path)
        client.get("/api/arc/999/", 404)
    site.make.catalog.update(arc, {"name": "Second"})
    site.session.commit()
    for client in (one, other):
        for path in paths:
            assert b"First" not in client.get(path).body
    redis.start()
    numbers = iter(range(10**6))

    def shared():
        path = f"/api/arc/?name=arc {next(numbers)}"
        return read(one, path)[0] == "MISS" and read(other, path)[0] == "HIT"

    wait_until(shared)


def test_a_redis_that_hung_and_comes_back_has_nothing_stale(database, redis, tmp_path):
    url = redis.url.replace("=30", "=1")  # seconds for which each request waits
    site = Site(database, tmp_path, **{"comicsdb.cache.url": url})
    client = site.serve()
    client.testapp.app.registry["comicsdb.cache"].clear()
    arc = site.make.arc(name="First")
    paths = [f"/api/arc/{arc.id}/", "/api/arc/"]
    for path in paths:
        client.get(path)
    assert len(bodies(redis)) == 2
    redis.freeze()
    for name in ("Second", "Third"):
        site.make.catalog.update(arc, {"name": name})
        site.session.commit()
        for path in paths:
            assert f'"{name}"' in client.get(path).text
    redis.thaw()
    fresh = site.serve()  # with nothing in its memory
    for path in paths:
        for each in (client, fresh):
            assert '"Third"' in each.get(path).text
    site.make.catalog.delete(arc)
    site.session.commit()
    for each in (client, fresh):
        each.get(paths[0], 404)
        assert each.json(paths[1])["count"] == 0
    site.close()


def test_of_many_who_miss_at_once_on_two_servers_all_get_the_same(site, clients):
    arcs = [site.make.arc() for _ in range(5)]
    for arc in arcs:
        path = f"/api/arc/{arc.id}/"
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n, path=path: read(clients[n % 2], path), range(16)))
        assert {body["id"] for _, body in answers} == {arc.id}
        assert 1 <= sum(found == "MISS" for found, _ in answers) <= len(clients)


# PostgreSQL.


def test_connections_that_the_server_ended_are_not_noticed(site, clients):
    client, _ = clients
    arc = site.make.arc()
    paths = [f"/api/arc/{arc.id}/", "/api/arc/", "/api/arc/?name=arc", "/api/role/", "/api/"]
    for end in (False, True, True):
        if end:
            with psycopg.connect(psycopg_url(site.url), autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        for path in paths:
            for sent in ({}, {"If-None-Match": "*"}):
                client.get(path, 304 if sent else 200, sent)


def psycopg_url(url):
    """The URL of a database in the form that psycopg accepts."""
    return url.replace("postgresql+psycopg://", "postgresql://")


@pytest.fixture
def own_cluster(tmp_path_factory):
    """A PostgreSQL server that the test may stop, with a database."""
    folder = tmp_path_factory.mktemp("stopped") / "data"
    cluster = dev_cluster.start(folder, durable=False)
    cluster.ensure_database("site")
    engine = create_engine(cluster.url("site"))
    upgrade(engine)
    engine.dispose()
    yield cluster
    dev_cluster.start(folder, durable=False).discard()


def test_while_the_database_is_gone_so_is_everything_and_then_it_is_back(own_cluster, tmp_path):
    site = Site(own_cluster.url("site"), tmp_path)
    client = site.serve()
    arc = site.make.arc(name="First")
    paths = [f"/api/arc/{arc.id}/", "/api/arc/", "/api/role/"]
    for path in paths:
        client.get(path)
    site.session.close()
    process = int((own_cluster.data / "postmaster.pid").read_text().split()[0])
    os.kill(process, signal.SIGINT)
    wait_until(lambda: not (own_cluster.data / "postmaster.pid").exists())
    for path in paths:
        for sent in ({}, {"If-None-Match": "*"}):
            answer = client.get(path, 503, sent)
            assert answer.json == AWAY
            assert "X-Cache" not in answer.headers
    dev_cluster.start(own_cluster.folder, durable=False)
    assert [client.get(path).status_int for path in paths] == [200] * 3
    assert read(client, paths[0])[0] == "HIT"
    site.make.catalog.update(site.session.get(Arc, arc.id), {"name": "Second"})
    site.session.commit()
    assert read(client, paths[0])[1]["name"] == "Second"
    site.close()
