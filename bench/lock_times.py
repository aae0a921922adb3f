"""Measures how long acts on large objects hold the lock of the catalog's writers.

    python bench/lock_times.py [--issues 20000] [--only WORDS] [--folder FOLDER]

Each act runs on a copy of a generated catalog (tests/large.py) in which nearly all issues belong to series
1. Printed are the longest time in milliseconds that a transaction holds the lock; the most CPU time that one
takes in this process and in PostgreSQL, which does not depend on other work on the machine; the number of
transactions that held the lock; and the time of the whole act. With --folder, the database is kept there for
other runs.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Engine, create_engine, event, select, text
from sqlalchemy.orm import Session, sessionmaker

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are not an installed package

from comicsdb.admin import catalog_objects, unfinished
from comicsdb.catalog import Catalog
from comicsdb.catalog.kinds import KINDS
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.models import Issue, User
from comicsdb.models.base import SYSTEM_USER_ID
from tests import large

LONG, SHORT = 1, 2  # ids of series
CHOSEN_OBJECTS = 500  # objects chosen in a list of the staff
PREPARATION = (
    "SET LOCAL session_replication_role = replica",
    "UPDATE issue SET series_id = 1, number = id::text, cover_date = date '1900-01-01' + id"
    " WHERE series_id = 1 OR series_id > 20",
    "UPDATE issue SET number = 'S' || id WHERE series_id = 2",
    "DELETE FROM series_genre WHERE series_id = 1",
)


def _system_account(session: Session) -> tuple[Catalog, User]:
    return Catalog(session, SYSTEM_USER_ID), session.get_one(User, SYSTEM_USER_ID)


def rename(kind: str, object_id: int, **values) -> Callable[[Session], object]:
    """An edit of one object."""

    def act(session: Session) -> None:
        catalog, _actor = _system_account(session)
        entity = session.get_one(KINDS[kind].model, object_id)
        catalog.update(entity, values or {"name": f"{entity.name} again"})

    return act


def merge(kind: str, kept: int, other: int) -> Callable[[Session], object]:
    """A merge by the staff."""

    def act(session: Session) -> None:
        catalog, actor = _system_account(session)
        both = (catalog_objects.find(catalog, kind, each) for each in (kept, other))
        catalog_objects.merge_objects(catalog, actor, *both, "Twice")

    return act


def delete(kind: str, object_id: int) -> Callable[[Session], object]:
    """A deletion by the staff."""

    def act(session: Session) -> None:
        catalog, actor = _system_account(session)
        catalog_objects.delete_object(catalog, actor, catalog_objects.find(catalog, kind, object_id), "Twice")

    return act


def delete_many(kind: str) -> Callable[[Session], object]:
    """A deletion of objects chosen in a list of the staff: the smallest ids, which others refer to."""

    def act(session: Session) -> None:
        catalog, actor = _system_account(session)
        model = KINDS[kind].model
        chosen = session.scalars(select(model.id).order_by(model.id).limit(CHOSEN_OBJECTS)).all()
        catalog_objects.delete_objects(catalog, actor, model, chosen, "Twice")

    return act


def on_issues(act: Callable, *more) -> Callable[[Session], object]:
    """An act on issues chosen in a list of the staff."""

    def run(session: Session) -> None:
        catalog, actor = _system_account(session)
        chosen = session.scalars(
            select(Issue.id).where(Issue.rating_id == 1).order_by(Issue.id).limit(CHOSEN_OBJECTS)
        ).all()
        act(catalog, actor, chosen, *more)

    return run


def on_series(act: Callable, *more) -> Callable[[Session], object]:
    """A repair of the long series."""

    def run(session: Session) -> None:
        catalog, actor = _system_account(session)
        act(catalog, actor, catalog_objects.find(catalog, "series", LONG), *more)

    return run


def move(session: Session) -> None:
    """A publisher becomes an imprint."""
    catalog, actor = _system_account(session)
    session.execute(text("DELETE FROM imprint WHERE publisher_id = 1"))
    both = (catalog_objects.find(catalog, "publisher", each) for each in (1, 2))
    catalog_objects.move(catalog, actor, *both, with_children=True)


def _add_universe(catalog: Catalog, actor: User, series) -> None:
    universe = catalog_objects.find(catalog, "universe", 4000)
    catalog_objects.add_universe(catalog, actor, series, universe, characters=True)


def _repair_anthology(catalog: Catalog, actor: User, series) -> None:
    catalog_objects.repair_anthology(catalog, actor, series, roles=True, descriptions=True)


EXECUTIVES = dict.fromkeys(range(1, 601), ((4000, "Writer"),))

OPERATIONS = {
    "edit of an issue": rename("issue", 5, title="Changed"),
    "rename the long series": rename("series", LONG),
    "description of the long series": rename("series", LONG, desc="Changed"),
    "rename the publisher of most": rename("publisher", 1),
    "rename the genre of the long series": rename("genre", 1),
    "rename a series type": rename("series_type", 11),
    "rename the most frequent role": rename("role", 1),
    "rename the most frequent creator": rename("creator", 1),
    "rename the most frequent character": rename("character", 1),
    "merge the long series into a short one": merge("series", SHORT, LONG),
    "merge a short series into the long one": merge("series", LONG, SHORT),
    "merge two publishers": merge("publisher", 2, 1),
    "merge two frequent characters": merge("character", 2, 1),
    "merge two frequent creators": merge("creator", 2, 1),
    "delete the long series": delete("series", LONG),
    "delete the publisher of most": delete("publisher", 1),
    "delete the most frequent character": delete("character", 1),
    "delete the most frequent creator": delete("creator", 1),
    "delete 500 issues": delete_many("issue"),
    "delete 500 series": delete_many("series"),
    "delete 500 characters": delete_many("character"),
    "delete 500 creators": delete_many("creator"),
    "delete 500 publishers": delete_many("publisher"),
    "add a universe to the long series and its characters": on_series(_add_universe),
    "repair the long series as an anthology": on_series(_repair_anthology),
    "make the publisher of most an imprint": move,
    "add the credits of executives to 500 issues": on_issues(catalog_objects.add_executives, EXECUTIVES),
    "rate 500 issues Teen": on_issues(catalog_objects.edit_issues, "rate teen"),
    "remove 500 covers": on_issues(catalog_objects.edit_issues, "remove covers"),
    "rebuild the slugs of the long series": on_series(catalog_objects.rebuild_slugs),
    "correct the first year of the long series": on_series(catalog_objects.fix_start_year, 1901),
}


@dataclass
class LockTimer:
    """Measures the transactions of a factory that hold the lock."""

    found: list[tuple[float, float, float]] = field(default_factory=list)  # seconds, CPU, CPU of PostgreSQL
    begun: dict = field(default_factory=dict)

    def watch(self, engine: Engine) -> None:
        """Listen to the connections of an engine."""
        event.listen(engine, "after_cursor_execute", self.executed)
        for ended in ("commit", "rollback"):
            event.listen(engine, ended, self.ended)

    def executed(self, connection, _cursor, statement, *_rest) -> None:
        """Note when a connection gets the lock."""
        if "pg_advisory_xact_lock" in statement and connection not in self.begun:
            self.begun[connection] = self._now(connection)

    def ended(self, connection) -> None:
        """Note when a connection releases the lock; the event comes just before the commit."""
        if connection in self.begun:
            times = zip(self._now(connection), self.begun.pop(connection), strict=True)
            self.found.append(tuple(now - then for now, then in times))

    def _now(self, connection) -> tuple[float, float, float]:
        pid = connection.connection.dbapi_connection.info.backend_pid
        ran = int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[0])
        return time.perf_counter(), time.process_time(), ran / 1e9


def measure(factory: sessionmaker, engine: Engine, act: Callable[[Session], object]) -> str:
    """Run an act and return the figures as text."""
    holds = LockTimer()
    holds.watch(engine)
    begun = time.perf_counter()
    with factory() as session:
        act(session)
        session.commit()
    unfinished.run_unfinished(factory)
    took = time.perf_counter() - begun
    _seconds, own, database = max(holds.found, key=lambda each: each[1] + each[2])
    most = max(each[0] for each in holds.found)
    cpu = f"{1000 * (own + database):8.0f} CPU ms ({1000 * own:5.0f} + {1000 * database:5.0f})"
    return f"{1000 * most:8.0f} ms {cpu} {len(holds.found):5} times {took:7.1f} s"


def main() -> None:
    """Fill the database, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--issues", type=int, default=20_000)
    parser.add_argument("--only", default="", help="only acts with these words")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o755)  # for the user that runs PostgreSQL
        cluster = dev_cluster.start((options.folder or Path(scratch)) / "postgres", durable=False)
        try:
            filled = f"locks_{options.issues}"
            if cluster.ensure_database(filled):
                engine = create_engine(cluster.url(filled))
                upgrade(engine)
                with engine.connect() as connection:
                    large.fill(connection, options.issues)
                    for statement in PREPARATION:
                        connection.execute(text(statement))
                    connection.commit()
                with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.execute(text("VACUUM ANALYZE"))
                engine.dispose()
            for words, act in OPERATIONS.items():
                if options.only in words:
                    cluster.drop_database("act")
                    cluster.clone_database(filled, "act")
                    engine = create_engine(cluster.url("act"))
                    print(f"{measure(session_factory(engine), engine, act)}  {words}", flush=True)
                    engine.dispose()
                    cluster.drop_database("act")
        finally:
            (cluster.release if options.folder else cluster.discard)()


if __name__ == "__main__":
    main()
