"""The read pool: reads of one statement, one connection per concurrent reader, and lost connections."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import psycopg
import pytest
from sqlalchemy import (
    BigInteger,
    Date,
    Integer,
    Text,
    bindparam,
    cast,
    create_engine,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError, OperationalError

from comicsdb.db.read_pool import PREPARED_MAX, CompiledQuery, ReadPool, connector
from comicsdb.models import Role

PID = CompiledQuery.of(select(func.pg_backend_pid()))
WAIT = select(func.pg_backend_pid(), cast(func.pg_advisory_xact_lock_shared(literal(1, BigInteger)), Text))
GATE = CompiledQuery.of(WAIT)
WAITING = text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
BAD = CompiledQuery.of(select(literal(1, Integer) / bindparam("divisor", type_=Integer)))


@pytest.fixture
def engine(database):
    """An engine on a database for this test."""
    engine = create_engine(database)
    yield engine
    engine.dispose()


@pytest.fixture
def read_pool(engine):
    """A read pool with its own connections to the database of `engine`, which is left for the test."""
    read_pool = ReadPool(connector(engine))
    yield read_pool
    read_pool.close()


@pytest.fixture
def ask(engine):
    """A function that runs a statement on another connection, and returns the first column of all rows."""

    def run(statement, **values):
        with engine.connect() as connection:
            found = connection.execution_options(isolation_level="AUTOCOMMIT").execute(
                text(statement), values
            )
            return found.scalars().all() if found.returns_rows else None

    return run


OTHERS = (
    " FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
    " AND pid <> pg_backend_pid()"
)


def at_once(engine, read_pool, number):
    """The process ids behind so many concurrent readers: none gets an answer before all have asked."""
    with ThreadPoolExecutor(number) as pool, engine.connect() as gate:
        gate.execute(text("SELECT pg_advisory_lock(1)"))
        reading = [pool.submit(read_pool.fetch, GATE, {}) for _ in range(number)]
        while len(gate.scalars(WAITING).all()) < number:
            assert not any(each.done() for each in reading)
        gate.execute(text("SELECT pg_advisory_unlock(1)"))
        return sorted(each.result(30)[0] for each in reading)


def end_all(ask):
    """Terminate all other connections to the database, as an administrator does."""
    ask("SELECT pg_terminate_backend(pid, 10000)" + OTHERS)


# Reading.


def test_a_query_binds_what_varies_and_keeps_what_does_not(read_pool):
    role = Role.__table__
    query = select(role.c.name).where(role.c.id == bindparam("id"), role.c.name != "Nobody").limit(1)
    sentence = CompiledQuery.of(query)
    assert read_pool.fetch(sentence, {"id": 1}) == ("Writer",)
    assert read_pool.fetch(sentence, {"id": 2}) == ("Script",)
    assert read_pool.fetch(sentence, {"id": 0}) is None
    assert read_pool.first(query, {"id": 2}).name == "Script"
    assert read_pool.first(query, {"id": 0}) is None
    with pytest.raises(KeyError, match="id"):
        read_pool.fetch(sentence, {})


def test_values_come_back_with_their_types(read_pool):
    values = {
        "text": "Été 漫画",
        "number": -(2**31),
        "day": date(2026, 2, 3),
        "list": ["a", None],
        "none": None,
    }
    types = {"text": Text, "number": Integer, "day": Date, "list": ARRAY(Text), "none": Text}
    query = select(*(cast(bindparam(name), types[name]).label(name) for name in values), literal(True))
    assert read_pool.fetch(CompiledQuery.of(query), values) == (*values.values(), True)


def test_a_compiled_query_is_prepared_once_and_a_statement_never(read_pool):
    query = select(literal("x", Text) + bindparam("y", type_=Text))
    count = CompiledQuery.of(select(func.count()).select_from(text("pg_prepared_statements")))
    for _ in range(20):
        read_pool.first(query, {"y": "y"})
    assert read_pool.fetch(count, {}) == (1,)  # this query itself
    for _ in range(20):
        read_pool.fetch(CompiledQuery.of(query), {"y": "y"})
    assert read_pool.fetch(count, {}) == (2,)


def test_a_connection_keeps_only_so_many_statements_prepared(read_pool):
    sentences = [CompiledQuery.of(select(literal(number, Integer))) for number in range(3)]
    texts = [CompiledQuery(f"SELECT {number}", (), {}) for number in range(PREPARED_MAX + 10)]
    for number, sentence in enumerate([*texts, *texts[:5]]):
        assert read_pool.fetch(sentence, {}) == (number % len(texts),)
    count = CompiledQuery("SELECT count(*) FROM pg_prepared_statements", (), {})
    assert read_pool.fetch(count, {}) == (PREPARED_MAX,)
    assert [read_pool.fetch(sentence, {}) for sentence in sentences] == [(0,), (1,), (2,)]


def test_what_was_discarded_is_prepared_again(engine):
    connection = connector(engine)()
    read_pool = ReadPool(lambda: connection)
    role = CompiledQuery("SELECT name FROM role WHERE id = $1", ("id",), {})
    assert read_pool.fetch(role, {"id": 1}) == ("Writer",)
    connection.connection.driver_connection.execute("DISCARD ALL")
    assert read_pool.fetch(role, {"id": 2}) == ("Script",)
    read_pool.close()


def test_text_that_would_be_cut_off_is_refused(read_pool):
    echo = CompiledQuery.of(select(cast(bindparam("text", type_=Text), Text)))
    with pytest.raises(psycopg.DataError, match="NUL"):
        read_pool.fetch(echo, {"text": "a\0b"})
    assert read_pool.fetch(echo, {"text": "a'b\\"}) == ("a'b\\",)


def test_a_read_leaves_no_transaction_open(read_pool, ask):
    read_pool.fetch(PID, {})
    read_pool.first(select(func.pg_backend_pid()), {})
    assert ask("SELECT state" + OTHERS) == ["idle"]


def test_what_others_commit_is_seen_by_the_next_read(read_pool, ask):
    name = CompiledQuery.of(select(Role.__table__.c.name).where(Role.__table__.c.id == 1))
    assert read_pool.fetch(name, {}) == ("Writer",)
    ask("UPDATE role SET name = 'Author' WHERE id = 1")
    assert read_pool.fetch(name, {}) == ("Author",)


# Connections.


def test_one_reader_uses_one_connection(read_pool, ask):
    assert len({read_pool.fetch(PID, {}) for _ in range(20)}) == 1
    assert len(ask("SELECT pid" + OTHERS)) == 1


def test_readers_at_one_time_have_a_connection_each_and_share_them_later(engine, read_pool, ask):
    first, second = at_once(engine, read_pool, 4), at_once(engine, read_pool, 4)
    assert len(set(first)) == 4
    assert set(first) == set(second) <= set(ask("SELECT pid" + OTHERS))
    assert read_pool.fetch(PID, {})[0] in first


def test_no_two_readers_ever_share_a_connection_at_one_time(read_pool):
    query = select(cast(bindparam("mine", type_=Integer), Integer))
    echo = CompiledQuery.of(query)

    def read(number):
        return [read_pool.fetch(echo, {"mine": number})[0] for _ in range(50)] + [
            read_pool.first(query, {"mine": number})[0] for _ in range(50)
        ]

    with ThreadPoolExecutor(8) as pool:
        for number, found in enumerate(pool.map(read, range(32))):
            assert set(found) == {number}


def test_closing_closes_what_is_idle_and_reading_goes_on(read_pool, ask):
    first = read_pool.fetch(PID, {})
    read_pool.close()
    assert ask("SELECT pid" + OTHERS) == []
    assert read_pool.fetch(PID, {}) != first


# Errors.


def test_an_error_of_a_statement_is_the_callers_and_the_connection_stays(read_pool):
    pid = read_pool.fetch(PID, {})
    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            read_pool.fetch(BAD, {"divisor": 0})
        with pytest.raises(DBAPIError):
            read_pool.first(select(literal(1, Integer) / bindparam("divisor", type_=Integer)), {"divisor": 0})
    assert read_pool.fetch(BAD, {"divisor": 1}) == (1,)
    assert read_pool.fetch(PID, {}) == pid


def test_a_statement_that_is_cancelled_is_not_run_twice(read_pool, ask):
    ask("CREATE SEQUENCE runs")
    (name,) = ask("SELECT current_database()")
    ask(f"ALTER DATABASE {name} SET statement_timeout = 300")
    read_pool.fetch(PID, {})
    with pytest.raises(psycopg.errors.QueryCanceled):
        read_pool.fetch(CompiledQuery.of(text("SELECT nextval('runs'), pg_sleep(60)").columns()), {})
    assert ask("SELECT nextval('runs')") == [2]


@pytest.mark.parametrize("way", ["fetch", "first"])
@pytest.mark.parametrize("readers", [1, 4])
def test_connections_that_the_server_ended_are_replaced_unseen(engine, read_pool, ask, way, readers):
    before = at_once(engine, read_pool, readers)
    end_all(ask)
    query = select(func.pg_backend_pid())
    after = {
        (read_pool.fetch(PID, {}) if way == "fetch" else read_pool.first(query, {}))[0] for _ in range(5)
    }
    assert len(after) == 1
    assert not after & set(before)


@pytest.mark.parametrize("way", ["fetch", "first"])
def test_a_server_that_goes_in_the_middle_of_a_read_is_asked_once_more(engine, read_pool, way):
    read_pool.fetch(PID, {})
    read, query = (read_pool.fetch, GATE) if way == "fetch" else (read_pool.first, WAIT)
    with ThreadPoolExecutor(1) as pool, engine.connect() as gate:
        gate.execute(text("SELECT pg_advisory_lock(1)"))
        reading = pool.submit(read, query, {})
        while not (busy := gate.scalars(WAITING).all()):
            assert not reading.done()
        gate.execute(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": busy[0]})
        gate.execute(text("SELECT pg_advisory_unlock(1)"))
        assert reading.result(30)[0] not in busy


def test_without_a_server_every_read_says_so_and_later_works_again(cluster, database, read_pool):
    read_pool.fetch(PID, {})
    name = database.split("/")[-1].partition("?")[0]
    with psycopg.connect(cluster.conninfo("postgres"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute(
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        for _ in range(3):
            with pytest.raises(OperationalError):
                read_pool.fetch(PID, {})
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert read_pool.fetch(PID, {})
