"""Daily counters: no count is lost, and those of several processes add up.

The last use of Basic is written once a day, that of a token once an hour.
"""

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import select, text

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, DailyCount, User
from comicsdb.ratelimit.counters import Counters
from tests.waiting import TIMEOUT, wait_until

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
HERE = "192.0.2.7"


@pytest.fixture
def bind(factory):
    """The engine of the test's own database."""
    return factory.kw["bind"]


@pytest.fixture
def counters(bind):
    """Counters that write only when told to."""
    return Counters(bind, 0)


def counted(bind) -> dict:
    """The counts in the database: (day, counter, identity) → count."""
    with bind.connect() as connection:
        rows = connection.execute(
            select(DailyCount.day, DailyCount.counter, DailyCount.identity, DailyCount.count)
        )
        return {tuple(row[:3]): row[3] for row in rows}


def test_counts_are_added_to_those_of_the_day(bind, counters):
    with time_machine.travel(NOON, tick=False) as traveller:
        for _ in range(3):
            counters.count_served("token")
        counters.count_served("basic")
        assert counted(bind) == {}
        counters.write()
        assert counted(bind) == {(TODAY, "authmethod:token", ""): 3, (TODAY, "authmethod:basic", ""): 1}
        counters.count_served("token")
        counters.write()
        counters.write()
        traveller.shift(12 * 3600)
        counters.count_served("token")
        counters.write()
    assert counted(bind) == {
        (TODAY, "authmethod:token", ""): 4,
        (TODAY, "authmethod:basic", ""): 1,
        (date(2027, 3, 2), "authmethod:token", ""): 1,
    }


def test_a_request_belongs_to_the_day_on_which_it_came(bind, counters):
    with time_machine.travel(NOON, tick=False) as traveller:
        counters.count_served("token")
        traveller.shift(86_400)
        counters.write()
    assert counted(bind) == {(TODAY, "authmethod:token", ""): 1}


def test_the_days_are_those_of_utc(bind, counters):
    with time_machine.travel(datetime(2027, 3, 1, 23, 30, tzinfo=UTC), tick=False):
        counters.count_refused("burst", "user:ann")
        counters.write()
    assert counted(bind) == {(TODAY, "throttled:burst", "user:ann"): 1}


def test_a_refusal_is_told_which_of_the_day_it_is(bind, counters):
    with time_machine.travel(NOON, tick=False) as traveller:
        assert [counters.count_refused("burst", "user:ann") for _ in range(3)] == [1, 2, 3]
        assert counters.count_refused("sustained", "user:ann") == 1
        assert counters.count_refused("burst", "ip:192.0.2.1") == 1
        counters.write()
        assert counters.count_refused("burst", "user:ann") == 4
        traveller.shift(86_400)
        assert counters.count_refused("burst", "user:ann") == 1


def test_processes_count_together(bind, counters):
    other = Counters(bind, 0)
    with time_machine.travel(NOON, tick=False):
        for _ in range(5):
            counters.count_refused("burst", "user:ann")
        counters.write()
        # A process that has just started knows the earlier counts.
        assert other.count_refused("burst", "user:ann") == 6
        other.write()
        assert counters.count_refused("burst", "user:ann") == 6  # counts of other processes are added ...
        counters.write()
        assert counters.count_refused("burst", "user:ann") == 8  # ... with the next write
        counters.write()
    assert counted(bind) == {(TODAY, "throttled:burst", "user:ann"): 8}


def test_threads_lose_nothing(bind, counters):
    def work(number):
        counters.count_served("token")
        told = counters.count_refused("burst", "user:ann")
        if number % 10 == 0:
            counters.write()
        return told

    with time_machine.travel(NOON, tick=False), ThreadPoolExecutor(8) as pool:
        told = list(pool.map(work, range(200)))
        counters.write()
    assert sorted(told) == list(range(1, 201))
    assert counted(bind) == {
        (TODAY, "authmethod:token", ""): 200,
        (TODAY, "throttled:burst", "user:ann"): 200,
    }


def test_what_the_database_does_not_take_is_kept(bind, counters, caplog, factory):
    caplog.set_level(logging.WARNING, "comicsdb")
    user, token = account(factory)
    with time_machine.travel(NOON, tick=False):
        _rename(bind, "daily_count", "away")
        counters.count_served("token")
        counters.note_token_use(token, HERE)
        assert counters.count_refused("burst", "user:ann") == 1
        counters.write()
        counters.count_served("token")
        counters.write()
        _rename(bind, "away", "daily_count")
        assert counters.count_refused("burst", "user:ann") == 2
        counters.write()
        assert counters.count_refused("burst", "user:ann") == 3
    assert counted(bind) == {(TODAY, "authmethod:token", ""): 2, (TODAY, "throttled:burst", "user:ann"): 2}
    assert used(factory, ApiToken, token).last_used == NOON
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert user


def _rename(bind, table: str, name: str) -> None:
    with bind.begin() as connection:
        connection.execute(text(f"ALTER TABLE {table} RENAME TO {name}"))


def test_counts_are_kept_for_35_days(bind, counters):
    with bind.begin() as connection:
        for days in (34, 35, 36, 400):
            row = {"day": TODAY - timedelta(days=days), "counter": "x", "identity": "", "count": 1}
            connection.execute(DailyCount.__table__.insert(), row)
    with time_machine.travel(NOON, tick=False):
        counters.count_served("token")
        counters.write()
    assert sorted(day for day, *_ in counted(bind)) == [
        TODAY - timedelta(days=35),
        TODAY - timedelta(days=34),
        TODAY,
    ]


# Last uses.


def account(factory) -> tuple[int, int]:
    """The ids of an account and of its token."""
    with factory() as session:
        user = User(username="ann", email="ann@example.org", password="!")
        session.add(user)
        session.flush()
        token = ApiToken(digest=digest("x"), token_key="x", user_id=user.id)
        session.add(token)
        session.commit()
        return user.id, token.id


def used(factory, model, row: int):
    """A row as it is now."""
    with factory() as session:
        return session.get(model, row)


def test_the_last_day_of_basic_and_the_last_hour_of_a_token_are_written_once(bind, counters, factory):
    user, token = account(factory)
    other = Counters(bind, 0)

    def use(counts, address):
        counts.note_basic_use(user, address)
        counts.note_token_use(token, address)
        counts.write()

    with time_machine.travel(NOON, tick=False) as traveller:
        use(counters, HERE)
        written = version(bind, user, token)
        traveller.shift(3599)
        for each in (counters, other):
            use(each, "2001:db8::1")
        assert version(bind, user, token) == written
        account_row = used(factory, User, user)
        assert (account_row.basic_used, account_row.basic_address) == (TODAY, HERE)
        row = used(factory, ApiToken, token)
        assert (row.last_used, row.last_address) == (NOON, HERE)
        traveller.shift(1)
        use(counters, "2001:db8::1")
        assert version(bind, user, token)[0] == written[0]  # the account's row: the day is the same
        row = used(factory, ApiToken, token)
        assert (row.last_used, row.last_address) == (NOON + timedelta(hours=1), "2001:db8::1")
        traveller.shift(86_400)
        use(other, HERE)
    assert used(factory, User, user).basic_used == TODAY + timedelta(days=1)
    assert used(factory, ApiToken, token).last_used == NOON + timedelta(days=1, hours=1)


def version(bind, user: int, token: int) -> list:
    """The `xmin` of both rows, which every update of a row changes."""
    with bind.connect() as connection:
        asked = (
            "SELECT xmin::text FROM user_account WHERE id = :user UNION ALL SELECT xmin::text FROM api_token"
        )
        return list(connection.scalars(text(asked + " WHERE id = :token"), {"user": user, "token": token}))


def test_an_account_that_has_gone_is_no_trouble(bind, counters):
    counters.note_basic_use(2**31 - 1, HERE)
    counters.note_token_use(2**31 - 1, HERE)
    counters.count_served("token")
    counters.write()
    assert list(counted(bind).values()) == [1]


# Automatic writes.


def test_they_are_written_every_few_seconds(bind):
    counters = Counters(bind, 0.1)
    counters.count_served("token")
    wait_until(lambda: counted(bind))


# Ends a process in each of the given ways, and one that multiprocessing has begun, as servers do; all are
# forked from one that has done the slow imports.
AT_THE_END = """
import multiprocessing, os, sys
from sqlalchemy import create_engine
from comicsdb.ratelimit.counters import Counters
for end in sys.argv[2:]:
    if not os.fork():
        Counters(create_engine(sys.argv[1]), 3600).count_served(end)
        exec(end)
        raise SystemExit
    print(os.waitstatus_to_exitcode(os.wait()[1]))

def work():
    Counters(create_engine(sys.argv[1]), 3600).count_served("worker")

worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
print(worker.exitcode)
"""


def test_they_are_written_when_the_process_ends(database, bind):
    ends = {"pass": 0, "raise SystemExit(3)": 3, "1 / 0": 1}
    command = [sys.executable, "-c", AT_THE_END, database, *ends]
    done = subprocess.run(command, check=True, timeout=TIMEOUT, capture_output=True)
    assert list(map(int, done.stdout.split())) == [*ends.values(), 0]
    assert {counter: count for (_, counter, _), count in counted(bind).items()} == {
        f"authmethod:{end}": 1 for end in [*ends, "worker"]
    }
