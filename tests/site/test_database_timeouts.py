"""Requests that exceed a database timeout get 503 with Retry-After, without retries or partial writes."""

import pytest
import webtest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import DBAPIError

from comicsdb.catalog import Catalog
from comicsdb.db import is_unavailable, make_engine, session_factory
from comicsdb.models import Arc
from tests.conftest import build_app, forget_attempts
from tests.factories import Factories
from tests.serving import add_account
from tests.site.test_plugin import MAKE_EDITOR
from tests.web.conftest import log_in
from tests.web.forms.form_helpers import Form

LIMITS = {"comicsdb.database.statement_timeout": 1}
CODES = {"statement_timeout": "57014", "lock_timeout": "55P03", "idle_timeout": "25P03"}


@pytest.fixture(scope="module")
def address(cluster, template):
    """The address of a separate database, in which every commit is real."""
    cluster.clone_database(template, "timeouts")
    yield cluster.url("timeouts")
    cluster.drop_database("timeouts")


@pytest.fixture(scope="module")
def factory(address):
    """Sessions on this database without timeouts."""
    engine = create_engine(address)
    yield session_factory(engine)
    engine.dispose()


@pytest.fixture(scope="module")
def application(address, tmp_path_factory):
    """An application that waits for locks for at most a third of a second."""
    limits = {name: str(value) for name, value in LIMITS.items()}
    app = build_app(address, tmp_path_factory.mktemp("media"), **limits, **{"comicsdb_api.throttle": "on"})
    yield app
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture(scope="module")
def basic(address, factory):
    """The Authorization header of the editor `ed`."""
    basic = {"Authorization": add_account(address, "ed")}
    with factory() as session:
        session.execute(text(MAKE_EDITOR))
        session.commit()
    return basic


@pytest.fixture
def site(application, factory, basic):
    """The application, an arc in it, and the Authorization header of `ed`, whose rate limits are unused."""
    forget_attempts(application)
    with factory() as session:
        arc = Factories(Catalog(session)).arc()
    return application, arc, basic


def history(session) -> int:
    return session.scalar(text("SELECT count(*) FROM history"))


def test_a_write_that_waits_for_a_row_ends_with_503_after_one_attempt(site, factory):
    app, arc, basic = site
    failures = []
    listening = (app.registry["comicsdb.engine"], "handle_error", failures.append)
    event.listen(*listening)
    browser = webtest.TestApp(app)
    log_in(browser, "ed", "secret")
    form = Form(browser.get(f"/arc/{arc.slug}/update/"))
    fields = [*((name, value) for name, value in form.submit_fields() if name != "desc"), ("desc", "Late.")]
    with factory() as holder:
        before = history(holder)
        holder.execute(text("SELECT FROM arc FOR UPDATE"))
        told = webtest.TestApp(app).patch(f"/api/arc/{arc.id}/", {"desc": "Late."}, headers=basic, status=503)
        page = browser.post(form.action, fields, status=503)
    event.remove(*listening)
    assert [each.original_exception.sqlstate for each in failures] == ["55P03", "55P03"]  # no retry
    assert [each.headers["Retry-After"] for each in (told, page)] == ["5", "5"]
    assert "database is unavailable" in told.json["detail"]
    with factory() as session:
        assert history(session) == before
        assert session.get_one(Arc, arc.id).desc == ""
    browser.post(form.action, fields, status=303)  # as soon as the row is free


def test_a_read_that_waits_for_a_table_ends_with_503(site, factory):
    app, arc, basic = site
    with factory() as holder:
        holder.execute(text("LOCK TABLE arc IN ACCESS EXCLUSIVE MODE"))
        client = webtest.TestApp(app)
        for path, headers in ((f"/api/arc/{arc.id}/", basic), (f"/arc/{arc.slug}/", {})):
            answer = client.get(path, headers=headers, status=503)
            assert answer.headers["Retry-After"] == "5"
    client.get(f"/arc/{arc.slug}/", status=200)


def test_a_count_that_waits_for_its_table_ends_with_503(site, factory):
    """Also in the policy for cached reads, which already has the response at that point."""
    app, arc, basic = site
    client, path = webtest.TestApp(app), f"/api/arc/{arc.id}/"
    assert [client.get(path, headers=basic).headers["X-Cache"] for _ in range(2)] == ["MISS", "HIT"]
    with factory() as holder:
        holder.execute(text("LOCK TABLE rate_limit IN ACCESS EXCLUSIVE MODE"))
        answer = client.get(path, headers=basic, status=503)
    assert answer.headers["Retry-After"] == "5"
    assert client.get(path, headers=basic).headers["X-RateLimit-Burst-Remaining"] == "17"


def end(connection, limit: str) -> None:
    """Exceed one of the limits."""
    if limit == "lock_timeout":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(1)"))
    elif limit == "statement_timeout":
        connection.execute(text("SELECT pg_sleep(20)"))
    else:
        connection.execute(text("SELECT 1"))
        with connection.engine.connect() as other:
            other.execute(text("SET LOCAL statement_timeout = 0"))
            other.execute(text("SELECT pg_sleep(4.5)"))
        connection.execute(text("SELECT 1"))


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("limit", CODES)
def test_each_limit_ends_a_transaction_also_on_connections_that_are_lent(shared_database, limit, pooled):
    settings = {"sqlalchemy.url": shared_database, "comicsdb.database.pooled": pooled, **LIMITS}
    engine, free = make_engine(settings, limited=True), make_engine(settings)
    with free.connect() as holder, engine.connect() as connection:
        holder.execute(text("SELECT pg_advisory_xact_lock(1)"))
        with pytest.raises(DBAPIError) as caught:
            end(connection, limit)
    assert caught.value.orig.sqlstate == CODES[limit]
    assert is_unavailable(caught.value)
    with free.connect() as connection:  # as a command uses it, without limits
        assert connection.scalar(text("SHOW statement_timeout")) == "0"
    for each in (engine, free):
        each.dispose()


def test_a_proxy_is_left_with_connections_as_they_were(shared_database):
    settings = {"sqlalchemy.url": shared_database, "comicsdb.database.pooled": True, **LIMITS}
    engine = make_engine(settings, limited=True)
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW lock_timeout")) == "333ms"
        connection.rollback()
        raw = connection.connection.driver_connection
        raw.autocommit = True
        assert raw.execute("SHOW lock_timeout").fetchone() == ("0",)
        raw.autocommit = False
    engine.dispose()
