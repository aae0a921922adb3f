"""Fixtures for all tests: a real, private PostgreSQL, the whole application, and factories.

Most tests run inside one outer transaction that is rolled back. The application's commits end in
savepoints, so everything that happens at a commit happens, but nothing remains. A test that needs real
concurrent connections uses the fixture `database`, a fresh copy of the migrated template.
"""

import gc
import itertools
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
import webtest
from hypothesis import HealthCheck, settings
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, TransactionStatus
from sqlalchemy import Connection, NullPool, create_engine, event
from sqlalchemy.orm import Session

from comicsdb import accounts, main
from comicsdb.accounts import Guard
from comicsdb.catalog import Catalog
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.db.dev_cluster import supervisor
from comicsdb.db.read_pool import CompiledQuery, ReadConnection, ReadPool, connector
from comicsdb.ratelimit import Limiter
from tests import engines
from tests.factories import Factories
from tests.needs import CHROMIUM_ARGUMENTS, chromium, install_programs, memory_folder
from tests.redis_server import RedisServer
from tests.serving import SECRET, free_port
from tests.soak import SOAK

# Tests must not fail because the machine is busy, or at random: `make soak` looks for new failures.
settings.register_profile(
    "comicsdb",
    deadline=None,
    derandomize=not SOAK,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("comicsdb")

# A shell that starts tests in the background makes them ignore Ctrl-C; their servers must not inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that tests write, mainly databases, are kept in memory if there is room for them.
if memory := memory_folder():
    os.environ["TMPDIR"] = tempfile.tempdir = str(memory)

# A failed assertion in a helper shows the values, as in a test.
pytest.register_assert_rewrite(
    *(f"tests.{each}" for each in ("api", "core", "machines", "site", "web", "worst"))
)

gc.disable()  # until all tests are collected: nearly all objects created until then are kept

CLUSTER_PREFIX = "comicsdb-tests-"  # prefix of the folders with the PostgreSQL of a test process

SETTINGS = {
    "pyramid.includes": "comicsdb_api comicsdb_web",
    "comicsdb.secret": SECRET,
    "comicsdb.password_cost": "fast",
    "comicsdb.secure_cookies": "false",
    "comicsdb.base_url": "http://localhost",
    "comicsdb.hosts": "localhost",  # for tests that change the address
    "comicsdb.mail.sender": "command",
    "comicsdb.acts.worker": "command",
    "comicsdb.webhooks.sender": "off",
    "comicsdb.imports.worker": "off",
    "comicsdb.signup.per_address": "0",
    "comicsdb.signup.fastest": "0",
    "comicsdb_api.throttle": "off",
    "comicsdb_api.throttle.burst": "20",  # so that tests reach it soon
    "comicsdb.counters.seconds": "0",
    "jinja2.bytecode_caching": "true",  # compiling templates takes longer than creating an application
}

FORGET = CompiledQuery("WITH gone AS (DELETE FROM rate_limit RETURNING 1) SELECT count(*) FROM gone", (), {})
API_ONLY = {"pyramid.includes": "comicsdb_api"}  # takes a third of the time to create

# Slow files run first: otherwise, a single worker would still be busy with them at the end.
SLOW_FILES = (
    "tests/worst/",
    "tests/site/",
    "tests/api/resource/test_filters_plans.py",
    "tests/api/resource/test_filters_random.py",
    "tests/machines/",
    "tests/api/cached/test_read_policy.py",
    "tests/core/db/dev_cluster/",
    "tests/core/mail/test_delivery.py",
    "tests/core/cli/",
    "tests/core/exchange/",
    "tests/web/account/test_browser.py",
    "tests/web/attacks/",
    "tests/web/test_axe.py",
    "tests/web/test_browser.py",
    "tests/web/account/test_person.py",
)


def pytest_sessionstart(session):
    """In a run of all tests on a fresh machine, install missing programs while the first tests run."""
    config = session.config
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not hasattr(config, "workerinput"):
        install_programs()


def pytest_collection_modifyitems(items):
    """Move slow files to the front, and otherwise keep the order."""
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW_FILES))


def pytest_collection_finish():
    """Freeze existing objects: they live until the end, so the garbage collector need not traverse them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)  # tests leave little garbage that only the collector finds
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    """Collect the garbage of the tests once: pytest would traverse all of it five times."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    """With --durations, list the slowest files, too."""
    if config.option.durations is None:
        return
    seconds = Counter()
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("slowest 10 files")
    for file, duration in seconds.most_common(10):
        terminalreporter.line(f"{duration:.2f}s {file}")


@pytest.fixture(scope="session")
def worker():
    """A name for this test process that can be part of a database name."""
    return os.environ.get("PYTEST_XDIST_WORKER", "main")


@pytest.fixture(scope="session")
def cluster():
    """A PostgreSQL server for this test process only, without the cost of durability."""
    delete_stale_clusters()
    folder = Path(tempfile.mkdtemp(prefix=CLUSTER_PREFIX))
    folder.chmod(0o755)  # as root, the server runs as another user, who needs access
    cluster = dev_cluster.start(folder / "data", durable=False)
    # After a rollback, autovacuum finds the tables empty. With plans for empty tables, the statements of the
    # next test can take a hundred times as long as with plans for tables without statistics.
    engine = create_engine(cluster.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET autovacuum = off")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    yield cluster
    cluster.discard()
    shutil.rmtree(folder)


def delete_stale_clusters():
    """Delete what killed runs have left behind: it may occupy memory."""
    for left in Path(tempfile.gettempdir()).glob(f"{CLUSTER_PREFIX}*"):
        with suppress(OSError):  # another process is deleting it, too
            old = time.time() - left.stat().st_mtime > 3600
            if old and supervisor.state(left / "data" / "server") is None:
                shutil.rmtree(left)


@pytest.fixture(scope="session")
def template(cluster, worker):
    """The name of a migrated database that contains only the reference data."""
    name = f"template_{worker}"
    cluster.ensure_database(name)
    engine = create_engine(cluster.url(name))
    upgrade(engine)
    engine.dispose()
    return name


_numbers = itertools.count(1)


@pytest.fixture
def database(cluster, template):
    """The address of a fresh, migrated database, in which every commit is real."""
    yield from database_copy(cluster, template)


def database_copy(cluster, template: str):
    """Yield the address of a copy of a database."""
    name = f"copy_{next(_numbers)}"
    cluster.clone_database(template, name)
    yield cluster.url(name)
    close_sessions()
    cluster.drop_database(name)


@pytest.fixture
def factory(database):
    """A factory of sessions on real connections to a database for this test only."""
    engine = engines.acquire(database)
    yield session_factory(engine)
    engines.release(engine)


@pytest.fixture(scope="session")
def shared_database(cluster, template):
    """One copy of the template for all tests that are rolled back."""
    cluster.clone_database(template, "shared")
    return cluster.url("shared")


@pytest.fixture(scope="session")
def media_folder(tmp_path_factory) -> Path:
    """The folder in which the application under test stores pictures."""
    return tmp_path_factory.mktemp("media")


def build_app(url: str, media_folder: Path, **more):
    """The whole WSGI application on a database."""
    settings = {**SETTINGS, "sqlalchemy.url": url, "comicsdb.media.folder": str(media_folder), **more}
    app = main({}, **settings)
    gc.freeze()  # it lives until the end
    return app


def rollback_engine(url: str):
    """An engine for tests that are rolled back, which send more different statements than an application.

    Every session is a savepoint, which a cursor would take four times as long to begin and to end. Prepared
    statements survive rollbacks, but psycopg discards them when it sees one. They are planned once, for all
    values: with few rows, planning for specific values takes longer than it saves.
    """
    options = {"prepare_threshold": 1, "options": "-c plan_cache_mode=force_generic_plan"}
    engine = create_engine(url, query_cache_size=10_000, connect_args=options)
    engine.dialect.do_savepoint = partial(_send_savepoint, "SAVEPOINT")
    engine.dialect.do_release_savepoint = partial(_send_savepoint, "RELEASE SAVEPOINT")
    engine.dialect.do_rollback_to_savepoint = partial(_send_savepoint, "ROLLBACK TO SAVEPOINT")
    engine.dialect.do_rollback = _roll_back
    event.listen(engine, "connect", _keep_prepared_statements)
    return engine


def rollback_engine_on_copy(cluster, template: str, name: str):
    """Yield an engine for tests that are rolled back, on a copy of a database shared by all of them."""
    cluster.clone_database(template, name)
    engine = rollback_engine(cluster.url(name))
    yield engine
    engine.dispose()


def _send_savepoint(command: str, connection: Connection, savepoint: str) -> None:
    _execute(connection.connection.driver_connection.pgconn, f"{command} {savepoint}")


def _roll_back(driver) -> None:
    if driver.pgconn.transaction_status != TransactionStatus.IDLE:
        _execute(driver.pgconn, "ROLLBACK")


def _execute(pgconn, command: str) -> None:
    result = pgconn.exec_(command.encode())
    if result.status != ExecStatus.COMMAND_OK:
        raise error_from_result(result)


def _keep_prepared_statements(driver, _record) -> None:
    driver.prepared_max = 1_000
    driver.cursor_factory = Cursor


class Cursor(psycopg.Cursor):
    """A cursor that hides a DROP from psycopg, which would deallocate all prepared statements after it."""

    def execute(self, query, *parameters, **options):
        if "DROP" not in query or any(parameters):
            return super().execute(query, *parameters, **options)
        _execute(self.connection.pgconn, query)
        return self


@pytest.fixture(scope="session")
def engine(shared_database):
    """The engine of all tests that are rolled back in an empty database."""
    engine = rollback_engine(shared_database)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def independent_read_pool(engine):
    """Connections outside the transaction of the test, on which each statement is a separate transaction."""
    read_pool = ReadPool(connector(engine))
    yield read_pool
    read_pool.close()


@pytest.fixture
def limiter(independent_read_pool):
    """Unused rate limits in PostgreSQL; as in production, they commit independently."""
    limiter = Limiter(independent_read_pool)
    forget_limits(limiter)
    return limiter


@pytest.fixture
def connection(engine):
    """One connection in an outer transaction, used by everything in the test."""
    yield from rolled_back_connection(engine)


def rolled_back_connection(engine):
    """Yield one connection in an outer transaction that is rolled back."""
    with engine.connect() as connection:
        outer = connection.begin()
        connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")  # no commit will check them
        yield connection
        close_sessions()
        outer.rollback()


@contextmanager
def connection_with_data(engine, create):
    """A connection in an outer transaction for all tests of a file, and the result of `create`."""
    with contextmanager(rolled_back_connection)(engine) as connection:
        factory = session_factory(connection)
        factory.configure(**SAVEPOINT_MODE)
        with factory() as session:
            made = create(session, Factories(Catalog(session)))
        yield connection, made


def connection_in_savepoint(connection):
    """Yield a connection, and roll back to its previous state afterwards."""
    savepoint = connection.begin_nested()
    yield connection
    close_sessions()
    savepoint.rollback()


_open_sessions: set[Session] = set()  # SQLAlchemy's own list includes sessions that await garbage collection


@event.listens_for(Session, "after_transaction_create")
def _track_session(session, _transaction):
    _open_sessions.add(session)


def close_sessions():
    """Close all sessions that have begun a transaction since this was last called."""
    while _open_sessions:
        _open_sessions.pop().close()


@event.listens_for(Session, "after_transaction_end")
def _reset_transaction_settings(session, transaction):
    """Reset the local settings of a transaction at its end, even if it is only a savepoint."""
    if transaction.parent is None and isinstance(session.bind, Connection) and not session.bind.closed:
        # Not with a cursor, as this is not a statement of the application.
        session.bind.connection.driver_connection.pgconn.exec_(
            b"SELECT set_config('comicsdb.account', '', true), set_config('comicsdb.act', '', true)"
        )


SAVEPOINT_MODE = {"join_transaction_mode": "create_savepoint"}


@pytest.fixture
def session(connection):
    """A session of the core, whose commits end in savepoints of the test's connection."""
    factory = session_factory(connection)
    factory.configure(**SAVEPOINT_MODE)
    with factory() as session:
        yield session


@pytest.fixture
def catalog(session):
    """The catalog service, acting for the system account."""
    return Catalog(session)


@pytest.fixture
def make(catalog):
    """Factories: `make.issue(number="2")` creates the issue with everything it requires and commits."""
    return Factories(catalog)


@pytest.fixture(scope="session")
def wsgi(shared_database, media_folder):
    """The whole application, site and API, created once.

    The first request of a day, which also counts ratings that are due, is made here.
    """
    app = build_app(shared_database, media_folder)
    webtest.TestApp(app).get("/favicon.ico")
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture
def testapp(wsgi, connection):
    """A browser without JavaScript, or an API client, against the whole application.

    Its requests use the test's connection: they see what `make` has created, and are rolled back with it.
    """
    with client_on(wsgi, connection) as app:
        yield app


class ReadPoolOfTests(ReadPool):
    """A pool that knows which statements earlier tests have prepared on its connection, to reuse them."""

    def _open(self) -> ReadConnection:
        opened = super()._open()
        opened._prepared = opened.sqlalchemy.info.setdefault("prepared", opened._prepared)
        return opened


@contextmanager
def client_on(wsgi, connection):
    """A client of an application whose requests all go through one connection."""
    factory = wsgi.registry["comicsdb.session_factory"]
    before = {"bind": factory.kw["bind"], "join_transaction_mode": "conditional_savepoint"}
    factory.configure(bind=connection, **SAVEPOINT_MODE)
    own, wsgi.registry["comicsdb.read_pool"] = (
        wsgi.registry["comicsdb.read_pool"],
        ReadPoolOfTests(lambda: connection),
    )
    wsgi.registry["comicsdb.cache"].clear()  # after a rollback, versions are reused
    wsgi.registry["comicsdb.validator_cache"].clear()
    forget_attempts(wsgi)
    yield webtest.TestApp(wsgi, parser_features="lxml")
    factory.configure(**before)
    wsgi.registry["comicsdb.read_pool"] = own


def session_account(session, identifier):
    """The account of a browser session, as seen by the transaction of a database session."""
    session.flush()
    return accounts.session_account(ReadPool(session.connection), identifier)


def forget_limits(limiter):
    """Delete the counts of rate limits in PostgreSQL; those in Redis stay."""
    limiter._read_pool.fetch(FORGET, {})


def forget_attempts(wsgi):
    """Reset all limits: their counts are not rolled back with a test."""
    limiter = wsgi.registry["comicsdb.limiter"]
    forget_limits(limiter)
    wsgi.registry["comicsdb.guard"] = Guard(limiter)


@pytest.fixture(scope="session")
def browser():
    """A real browser, shared by all tests; each uses its own contexts."""
    from playwright.sync_api import expect, sync_playwright  # slow to import and rarely needed

    expect.set_options(timeout=30_000)  # the default of 5 s is too short on a busy machine
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def redis():
    """A Redis server for this test only."""
    server = RedisServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def unreachable_storage(monkeypatch, wsgi):
    """A storage whose server does not exist, instead of the application's."""
    from comicsdb.media.s3 import S3Storage  # slow to import and rarely needed

    address = f"http://127.0.0.1:{free_port()}"
    storage = S3Storage("none", endpoint=address, region="x", access_key="a", secret_key="b")
    monkeypatch.setitem(wsgi.registry, "comicsdb.media", storage)
    return storage


class Statements(list):
    """Recorded SQL statements, without savepoints."""

    def __str__(self):
        return f"{len(self)} statements:\n" + "\n".join(
            f"-- {number}\n{sql}" for number, sql in enumerate(self, 1)
        )


@contextmanager
def record_statements(connection):
    """Record all statements sent on a connection: `with record_statements(connection) as statements`."""
    statements = Statements()

    execute, row = psycopg.Cursor.execute, ReadConnection.row
    driver = connection.connection.driver_connection

    def recorded(cursor, query, *rest, **options):
        if cursor.connection is driver and not query.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            statements.append(query)
        return execute(cursor, query, *rest, **options)

    def recorded_row(line, query, values, **options):
        if line.driver is driver:
            statements.append(query)
        return row(line, query, values, **options)

    psycopg.Cursor.execute, ReadConnection.row = recorded, recorded_row
    try:
        yield statements
    finally:
        psycopg.Cursor.execute, ReadConnection.row = execute, row
