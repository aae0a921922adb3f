"""Concurrent random transactions: the change log is in commit order, and the epoch reveals every change.

Writers of the catalog and readers who rate issues have transactions open at the same time, each on its own
connection. When a series is renamed, the stamps of its issues move in pieces after the commit, or later if a
row is locked. After each transaction the change log is followed, and everything that a cached response can
depend on is read together with the epoch.
"""

from contextlib import contextmanager
from datetime import date, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from psycopg.errors import LockNotAvailable
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import OperationalError

from comicsdb.catalog import Catalog, late_stamps, piecewise, unit_of_work
from comicsdb.db import session_factory
from comicsdb.library import collection, ratings
from comicsdb.models import Issue, LateStamps, Series
from tests.factories import Factories
from tests.soak import sequences

PROFILE = sequences(10, 30)
TODAY = date(2026, 3, 4)
WRITERS, READERS, ISSUES = 2, 3, 3

# Waiting for a lock soon raises an error: whoever holds it waits for this thread.
SHORT_LOCK_TIMEOUT = {"options": "-c lock_timeout=10ms"}

# In one snapshot: the epoch, and all stamps and versions.
CACHEABLE_STATE = text("""
SELECT (SELECT sum(value) FROM epoch), (SELECT json_agg(v ORDER BY kind)::text FROM version v),
    (SELECT max(at) FROM late_stamps),
    (SELECT json_agg(json_build_array(id, modified, rated, rating_count, rating_sum) ORDER BY id)::text
        FROM issue),
    (SELECT json_agg(json_build_array(id, modified, issues_modified, rated, rating_count, rating_sum)
        ORDER BY id)::text FROM series)
""")
TOTALS_ARE_THE_RATINGS = text("""
SELECT (i.rating_count, i.rating_sum) = (count(r.id), coalesce(sum(r.rating), 0))
FROM issue i LEFT JOIN issue_rating r ON r.issue_id = i.id GROUP BY i.id
UNION ALL
SELECT (s.rating_count, s.rating_sum) = (count(r.id), coalesce(sum(r.rating), 0))
FROM series s LEFT JOIN issue i ON i.series_id = s.id LEFT JOIN issue_rating r ON r.issue_id = i.id
GROUP BY s.id
""")


@contextmanager
def rolled_back_if_locked(session):
    """Roll back the transaction if it would have to wait for another one."""
    try:
        yield
    except OperationalError as error:
        session.rollback()
        if not isinstance(error.orig, LockNotAvailable):
            raise


class Commits(RuleBasedStateMachine):
    """State machine of open transactions, with what a follower of the log and a cache have seen."""

    factory = None
    issues: tuple = ()
    users: tuple = ()

    def __init__(self):
        super().__init__()
        self.writers = [self.factory() for _ in range(WRITERS)]
        self.readers = [self.factory() for _ in range(READERS)]
        self.watcher = self.factory()
        self.followed = self.log()
        self.cached = {}

    def teardown(self):
        for session in (*self.writers, *self.readers):
            session.commit()
            session.close()
        self.move_late_stamps()
        assert self.read_now(select(LateStamps.id)).all() == []
        assert set(self.read_now(TOTALS_ARE_THE_RATINGS).scalars()) == {True}
        self.watcher.close()

    def read_now(self, statement):
        self.watcher.rollback()
        return self.watcher.execute(statement)

    def log(self, after=0):
        lines = self.read_now(text(f"SELECT seq FROM change_log WHERE seq > {after} ORDER BY seq"))
        return list(lines.scalars())

    @rule(
        writer=st.integers(0, WRITERS - 1), issue=st.integers(0, ISSUES - 1), words=st.text("abc", max_size=3)
    )
    def edit(self, writer, issue, words):
        """A writer edits an issue, unless another transaction has locked it."""
        session = self.writers[writer]
        catalog = Catalog(session)
        with rolled_back_if_locked(session):
            catalog.update(catalog.get(Issue, self.issues[issue]), {"desc": words})
            catalog.unit.finalize()  # the numbers of the log are taken long before the commit

    @rule(writer=st.integers(0, WRITERS - 1), name=st.text("abc", min_size=1, max_size=3))
    def rename(self, writer, name):
        """A writer renames the series; the stamps of its issues move after the commit."""
        session = self.writers[writer]
        catalog = Catalog(session)
        with rolled_back_if_locked(session):
            catalog.update(session.scalars(select(Series)).one(), {"name": name})
            catalog.unit.finalize()

    @rule()
    def move_late_stamps(self):
        """Move the stamps that could not be moved yet, unless their rows are still locked."""
        try:
            late_stamps.resume_interrupted(self.factory, timedelta(0))
        except OperationalError as error:
            if not isinstance(error.orig, LockNotAvailable):
                raise

    @rule(
        reader=st.integers(0, READERS - 1),
        issue=st.integers(0, ISSUES - 1),
        stars=st.one_of(st.none(), st.integers(1, 5)),
    )
    def give_stars(self, reader, issue, stars):
        """A reader adds or removes a rating, unless the issue or its series is locked."""
        session = self.readers[reader]
        with rolled_back_if_locked(session):
            ratings.rate_issues(session, self.users[reader], {self.issues[issue]: stars}, today=TODAY)

    @rule(reader=st.integers(0, READERS - 1), issue=st.integers(0, ISSUES - 1))
    def scrobble(self, reader, issue):
        """A reader scrobbles an issue, which waits for no lock."""
        session = self.readers[reader]
        collection.scrobble(session, self.users[reader], self.issues[issue], None, today=TODAY)

    @rule(place=st.integers(0, WRITERS + READERS - 1), kept=st.sampled_from((True, True, True, False)))
    def end(self, place, kept):
        """A transaction ends; then the log is followed, and the cached state is compared."""
        session = (*self.writers, *self.readers)[place]
        session.commit() if kept else session.rollback()
        self.followed += self.log(max(self.followed, default=0))
        assert self.followed == self.log(), "a line appeared before one that was read already"
        epoch, *seen = self.read_now(CACHEABLE_STATE).one()
        assert self.cached.setdefault(epoch, seen) == seen, "something changed, the epoch did not"


def test_the_log_is_in_the_order_of_commits_and_the_epoch_tells_every_change(factory, database, monkeypatch):
    monkeypatch.setattr(unit_of_work, "IMMEDIATE_MAX", 1)
    for size in ("SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(piecewise, size, 1)
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        Commits.issues = tuple(make.issue(series=series, number=str(n)).id for n in range(ISSUES))
        Commits.users = tuple(make.user().id for _ in range(READERS))
        session.commit()
    engine = create_engine(database, pool_size=10, connect_args=SHORT_LOCK_TIMEOUT)
    Commits.factory = staticmethod(session_factory(engine))
    run_state_machine_as_test(Commits, settings=PROFILE)
    engine.dispose()
