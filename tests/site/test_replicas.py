"""Tests of read replicas: what clients get while a real streaming replica lags, dies and comes back."""

import logging
import re
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from random import Random
from zoneinfo import ZoneInfo

import psycopg
import pytest
from pyramid_retry import IRetryableError
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from webob import Request
from webtest import TestApp

from comicsdb import clock, models
from comicsdb.catalog import Catalog
from comicsdb.db import LEASE_KEY, replicas, session_factory
from comicsdb.db.read_pool import CompiledQuery, ReadConnection, ReadPool, connector
from comicsdb.db.replicas import MEGABYTE, Replica, Replicas
from tests.conftest import build_app
from tests.factories import Factories
from tests.redis_server import RedisServer
from tests.serving import add_account
from tests.site.test_two_processes import WrittenNumbers, write
from tests.site.topics import WrittenObjects
from tests.soak import SOAK
from tests.standby import Standby
from tests.waiting import wait_until

NUMBERS = count(1)
NAME = "replicated"
UNREACHABLE = "postgresql+psycopg://nobody@127.0.0.1:1/replicated"  # nobody listens there
IS_IN_RECOVERY = CompiledQuery("SELECT pg_is_in_recovery()", (), {})


@pytest.fixture(scope="module")
def address(cluster, template):
    """The address of a separate database, in which every commit is real."""
    cluster.clone_database(template, NAME)
    yield cluster.url(NAME)
    cluster.drop_database(NAME)


@pytest.fixture(scope="module")
def replicated(address, cluster):
    """A streaming replica."""
    standby = Standby(cluster)
    yield standby
    standby.remove()


@pytest.fixture
def standby(replicated):
    """The replica, which is running and replaying again after each test."""
    yield replicated
    if not replicated.runs():
        replicated.start()
    replicated.resume()


@pytest.fixture(scope="module")
def factory(address):
    """Sessions on the primary."""
    engine = create_engine(address)
    yield session_factory(engine)
    engine.dispose()


@pytest.fixture(autouse=True)
def checked_at_every_request(monkeypatch):
    """Check replicas at every request, so that results do not depend on timing."""
    monkeypatch.setattr(replicas, "CHECK_INTERVAL", 0)
    monkeypatch.setattr(replicas, "PAUSE", 0)


class Site:
    """An application that reads from the replica, with a catalog of a few objects."""

    def __init__(self, application, factory, headers, standby):
        self.standby = standby
        self.client = TestApp(application)
        self.headers = headers
        self.application = application
        [self.replica] = application.registry["comicsdb.replicas"]
        self.counts = Counter()
        self.replica.on_read = lambda result: self.counts.update([result])
        self.factory = factory
        with factory() as session:
            make = Factories(Catalog(session))
            series = make.series(name=f"Old {next(NUMBERS)}")
            self.issue = make.issue(
                series=series.id, store_date=clock.business_day(ZoneInfo("America/New_York"))
            ).id
            self.series, self.slug, self.name = series.id, series.slug, series.name

    def rename(self, name: str) -> None:
        """Rename the series, as another process would."""
        with self.factory() as session:
            catalog = Catalog(session)
            catalog.update(catalog.get(models.Series, self.series), {"name": name, "sort_name": name})
            session.commit()

    def get(self, path: str, **headers: str):
        """A response; requests to the API are authenticated."""
        sent = self.headers | headers if path.startswith("/api/") else headers
        return self.client.get(path, headers=sent)

    def get_and_count(self, path: str, **headers: str) -> tuple[str, dict]:
        """The text of a response, and how often the replica was asked for it, by result."""
        self.counts.clear()
        body = self.get(path, **headers).text
        return body, dict(self.counts)

    def await_use(self, path: str) -> None:
        """Repeat a request until the replica answers it, as PostgreSQL itself sometimes writes to the WAL."""

        def used() -> bool:
            self.standby.catch_up()
            return self.get_and_count(path)[1] == {"used": 1}

        wait_until(used)

    @property
    def uncached(self) -> list[str]:
        """The paths that are not cached."""
        return self.paths[2:4]

    @property
    def paths(self) -> list[str]:
        """Paths of all sorts that show the name of the series, and that a replica may answer."""
        return [
            f"/series/{self.slug}/",
            "/series/",
            f"/search/?q={self.name.replace(' ', '+')}",
            f"/feeds/series/{self.slug}.atom",
            f"/api/series/{self.series}/",
            f"/api/issue/{self.issue}/",
            "/api/series/",
        ]


@pytest.fixture(scope="module")
def settings(address, replicated):
    """The settings of a site with a replica, and a Redis that several processes share."""
    redis = RedisServer()
    redis.start()
    yield {"comicsdb.database.replica_urls": replicated.url(NAME), "comicsdb.cache.url": redis.url}
    redis.remove()


@pytest.fixture(scope="module")
def application(address, settings, media_folder):
    """The whole application."""
    app = build_app(address, media_folder, **settings)
    yield app
    close(app)


def close(app) -> None:
    """Close the connections of an application."""
    for replica in app.registry["comicsdb.replicas"]:
        replica.close()
    app.registry["comicsdb.read_pool"].close()
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def site(application, factory, account, standby):
    """A site whose replica has replayed everything."""
    site = Site(application, factory, account, standby)
    site.get("/api/role/")  # the password is verified and cached
    site.await_use("/sitemap.xml")  # the replica is in use
    return site


@pytest.fixture(scope="module")
def account(address):
    """The Authorization header of an account."""
    return {"Authorization": add_account(address)}


@pytest.fixture
def primary(address):
    """A pool of read connections to the primary."""
    pool = ReadPool(connector(create_engine(address)))
    yield pool
    pool.close()


@contextmanager
def before_read(standby: Standby, number: int, act):
    """Call `act` before the statement with this number that a request sends to the replica.

    The first statement checks the replica, the second compares it with the primary; the others read data.
    """
    row, execute, left = ReadConnection.row, psycopg.Cursor.execute, [number]
    host = make_url(standby.url(NAME)).query["host"]

    def count(driver):
        if driver.info.host == host:
            left[0] -= 1
            if left[0] == 0:
                act(driver)

    def counted_row(connection, *given, **options):
        count(connection.driver)
        return row(connection, *given, **options)

    def counted_execute(cursor, *given, **options):
        count(cursor.connection)
        return execute(cursor, *given, **options)

    ReadConnection.row, psycopg.Cursor.execute = counted_row, counted_execute
    try:
        yield
    finally:
        ReadConnection.row, psycopg.Cursor.execute = row, execute
    assert left[0] <= 0


def test_what_visitors_and_the_api_read_of_the_catalog_comes_from_the_replica(site):
    for path in site.paths:
        if path in site.uncached:
            site.await_use(path)
            continue
        body, counts = site.get_and_count(path)
        assert site.name in body
        assert counts == {"used": 1}, path
        assert site.get_and_count(path) == (body, {}), path  # from the cache


def test_what_is_of_somebody_or_not_of_the_catalog_comes_from_the_primary(site):
    for path in ("/api/collection/", "/api/role/", "/statistics/", "/accounts/login/", "/health/"):
        assert site.get_and_count(path)[1] == {}, path
    for path in site.paths[:4]:
        assert site.get_and_count(path, Cookie="session=of-somebody")[1] == {}, path


def test_nobody_gets_or_caches_what_a_lagging_replica_has(site, standby):
    standby.pause()
    new = site.name.replace("Old", "New")
    site.rename(new)
    for path in site.paths:
        body, counts = site.get_and_count(path)
        assert site.name not in body or "search" in path, path  # where the query is shown
        assert new in body or "search" in path, path
        assert counts == {"behind": 1}, path
    standby.resume()
    standby.catch_up()
    for path in site.paths:
        body, counts = site.get_and_count(path)
        assert new in body or "search" in path, path
        assert path in site.uncached or counts == {}, path  # responses from the primary are cached


def test_a_replica_that_replays_a_write_while_it_answers_shows_what_was_compared(site, standby):
    path, new = site.paths[1], site.name.replace("Old", "New")

    def act(_driver):
        site.rename(new)
        standby.catch_up()

    with before_read(standby, 3, act):
        assert site.name in site.get(path).text
    assert new in site.get(path).text


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("page", ["series", "home", "api"])
def test_a_replica_that_is_lost_before_any_statement_costs_nobody_an_answer(
    site, standby, page, number, caplog
):
    path = {"series": f"/series/{site.slug}/", "home": "/", "api": f"/api/issue/{site.issue}/"}[page]

    def lose(driver):
        with psycopg.connect(driver.info.dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", [driver.info.backend_pid])

    with before_read(standby, number, lose), caplog.at_level(logging.INFO, "comicsdb"):
        site.get(path)
    lines = [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]
    assert len(lines) == 1
    assert "is left out, and the primary answers: " in lines[0]
    site.await_use("/sitemap.xml")


def test_a_replica_that_crashes_and_comes_back(site, standby, caplog):
    caplog.set_level(logging.INFO, "comicsdb.db")
    with before_read(standby, 3, lambda _driver: standby.crash()):
        assert site.name in site.get(site.paths[0]).text
    new = site.name.replace("Old", "New")
    site.rename(new)
    for path in site.paths[3:]:
        body, counts = site.get_and_count(path)
        assert new in body
        assert counts == {"failed": 1}, path
    standby.start()
    site.await_use("/sitemap.xml")
    standby.kill()
    assert site.get_and_count("/sitemap.xml")[1] == {"failed": 1}
    lines = [line.getMessage() for line in caplog.records]
    assert ["is left out" in line for line in lines] == [True, False, True]


def test_a_replica_is_left_out_for_a_while_and_asked_by_one_request_afterwards(primary, monkeypatch, caplog):
    replica = Replica(UNREACHABLE, {}, MEGABYTE)
    seen, counts = [], Counter()
    replica.on_change, replica.on_read = seen.append, lambda result: counts.update([result])
    monkeypatch.setattr(replicas, "PAUSE", 1000)
    for _ in range(3):
        assert replica.acquire(primary, lambda _lease: True) is None
    assert (seen, counts) == ([False], {"failed": 1})
    monkeypatch.setattr(replicas.time, "monotonic", lambda before=time.monotonic: before() + 1000)
    together = threading.Barrier(4)

    def ask(_number):
        together.wait()
        return replica.acquire(primary, lambda _lease: True)

    with ThreadPoolExecutor(together.parties) as pool:
        assert list(pool.map(ask, range(together.parties))) == [None] * together.parties
    assert (seen, counts) == ([False, False], {"failed": 2})
    assert [line.levelname for line in caplog.records] == ["WARNING"]
    assert "The replica 127.0.0.1:1 is left out" in caplog.text


def test_several_replicas_take_turns_and_stand_in_for_one_that_is_not_there(primary, standby, monkeypatch):
    monkeypatch.setattr(replicas, "PAUSE", 1000)
    addresses = [standby.url(NAME), UNREACHABLE, standby.url(NAME)]
    several = Replicas([Replica(address, {}, 16 * MEGABYTE) for address in addresses])
    counts = Counter()
    for number, replica in enumerate(several):
        replica.on_read = lambda result, number=number: counts.update([(number, result)])
    for _ in range(6):
        environ = {}
        several.acquire(environ, primary, lambda _lease: True)
        assert environ[LEASE_KEY].fetch(IS_IN_RECOVERY, {}) == (True,)
        several.release(environ)
        assert environ == {}
    assert counts.keys() == {(0, "used"), (1, "failed"), (2, "used")}
    assert counts[(1, "failed")] == 1
    for replica in several:
        replica.close()


def test_what_fails_on_a_replica_is_tried_on_the_primary_unless_it_takes_too_long(primary, standby):
    replica = Replica(standby.url(NAME), {"statement_timeout": "20ms"}, MEGABYTE)
    lease = replica.acquire(primary, lambda _lease: True)
    for read in (lambda asked: lease.row(asked, []), lambda asked: lease.first(text(asked), {})):
        for asked, again in (("SELECT 1 / 0", True), ("SELECT pg_sleep(60)", False)):
            with pytest.raises((psycopg.Error, DBAPIError)) as failed:
                read(asked)
            assert IRetryableError.providedBy(failed.value) is again, asked
    replica.release(lease)
    replica.close()


def test_a_server_that_is_no_replica_of_the_database_is_not_used(address, primary, standby, caplog):
    for url, reason in (
        (f"{address}&application_name=x", "it accepts writes"),
        (standby.url("postgres"), "not a replica of this database"),
    ):
        replica = Replica(url, {}, MEGABYTE)
        assert replica.acquire(primary, lambda _lease: True) is None
        assert reason in caplog.records[-1].getMessage()


def test_a_replica_too_far_behind_is_left_out_until_it_has_caught_up(
    address, primary, factory, standby, caplog
):
    caplog.set_level(logging.INFO, "comicsdb")
    replica = Replica(standby.url(NAME), {}, MEGABYTE)
    standby.catch_up()
    standby.pause()
    with factory() as session:
        session.execute(text("SELECT pg_logical_emit_message(true, '', repeat('x', 3000000))"))
        session.commit()
    assert replica.acquire(primary, lambda _lease: True) is None
    standby.resume()
    standby.catch_up()
    lease = replica.acquire(primary, lambda _lease: True)
    assert lease.fetch(IS_IN_RECOVERY, {}) == (True,)
    replica.release(lease)
    first, second = (line.getMessage() for line in caplog.records)
    assert "is left out, and the primary answers: UnusableError: it is 3 MB behind" in first
    assert second.endswith("is used again.")
    replica.close()


class Readers:
    """Read random addresses from either of two applications, and check what each response shows."""

    def __init__(
        self,
        numbers: WrittenNumbers,
        objects: WrittenObjects,
        slugs: dict[str, str],
        apps: list,
        headers: dict[str, str],
    ):
        self.numbers, self.apps, self.headers = numbers, apps, headers
        self.addresses = dict.fromkeys(self.pages(slugs), _named_on_page)
        self.addresses |= {path: _in_body(shows) for path, shows in objects.addresses().items()}

    @staticmethod
    def pages(slugs: dict[str, str]) -> list[str]:
        """Pages that show the names of objects that are renamed."""
        details = [f"/{kind}/{slug}/" for kind, slug in slugs.items()]
        return [*details, "/creator/", "/imprint/", "/search/?q=creator", "/search/?q=team"]

    def read(self, path: str, app) -> None:
        """Check that a response shows everything written before the request."""
        sent = self.headers if path.startswith("/api/") else {}
        minimums = self.numbers.minimums()
        answer = Request.blank(path, headers=sent).get_response(app)
        description = f"{path} {answer.status} {answer.headers.get('X-Cache')}"
        if answer.status_int != 200:
            self.numbers.problems.append(description)
            return
        for topic, number in self.addresses[path](answer):
            self.numbers.check(minimums, {topic: number}, description)
        self.numbers.counts["reads"] += 1

    def read_on(self, seed: int) -> None:
        """Read random addresses of either application until the test is over."""
        random, paths = Random(seed), list(self.addresses)
        while not self.numbers.over.is_set():
            self.read(random.choice(paths), random.choice(self.apps))
            time.sleep(0.01)  # lets the other threads of this process run


def _in_body(shows):
    return lambda answer: shows(answer.json).items()


def _named_on_page(answer) -> list[tuple[str, int]]:
    found = re.findall(r">\s*(Creator|Team|Arc|Imprint) (\d+)\s*<", answer.text)
    assert found, answer.text
    return [(topic, int(number)) for topic, number in found]


def test_what_was_written_before_a_read_is_in_its_answer_whatever_the_replica_does(
    application, address, settings, media_folder, factory, account, standby
):
    with factory() as session:
        objects = WrittenObjects(session)
        slugs = {
            kind: session.scalar(
                text(f"SELECT slug FROM {kind} WHERE id = :id"), {"id": getattr(objects, kind)}
            )
            for kind in ("issue", "creator", "publisher", "arc", "team")
        }
    numbers, apps = WrittenNumbers(), [application, build_app(address, media_folder, **settings)]
    results = Counter()
    for app in apps:
        for replica in app.registry["comicsdb.replicas"]:
            replica.on_read = lambda result: results.update([result])
    readers = Readers(numbers, objects, slugs, apps, account)
    topics = [topic for group in objects.topics() for topic in group]
    jobs = [
        lambda: write(numbers, factory, topics, "writes"),
        *(partial(readers.read_on, n) for n in range(2)),
    ]

    def run(job):
        try:
            job()
        except BaseException as error:
            numbers.problems.append(repr(error))
            raise

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    with ExitStack() as running:
        running.callback(lambda: [thread.join() for thread in threads])
        running.callback(numbers.over.set)
        for thread in threads:
            thread.start()
        random = Random(SOAK)
        for _ in range(SOAK or 4):
            numbers.wait("writes", "reads")
            standby.pause()
            numbers.wait("writes", "reads")
            if random.random() < 0.5:
                standby.crash()
                numbers.wait("writes", "reads")
                standby.start()
            else:
                standby.resume()
    assert numbers.problems == []
    assert {"used", "behind", "failed"} <= results.keys()
    standby.resume()
    standby.catch_up()
    for path in readers.addresses:
        for app in apps:
            readers.read(path, app)
    close(apps[1])
    assert numbers.problems == []
