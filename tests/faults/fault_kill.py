"""`kill -9` at random moments of long work on a durable PostgreSQL, which crashes, too, every fourth time.

Four rounds of each kind of work, or as many as COMICSDB_SOAK says.
"""

import signal
import sqlite3
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest
from click.exceptions import ClickException
from sqlalchemy import NullPool, create_engine, func, select, text, update

from comicsdb import clock
from comicsdb.admin import catalog_objects
from comicsdb.catalog import Catalog
from comicsdb.catalog.history import horizon
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.config import parse_settings
from comicsdb.db import session_factory
from comicsdb.exchange import compression, dump
from comicsdb.exchange.downloads import MANIFEST, SIGNATURE, dumps
from comicsdb.exchange.minisign import Key
from comicsdb.library import bulk, collection
from comicsdb.library.transfer.background import Importer as ImportThread
from comicsdb.library.undo import LARGE
from comicsdb.models import Arc, CollectionItem, Creator, Issue, LibraryAct, Publisher
from comicsdb.ops.dated_folders import TIME_FORMAT
from comicsdb.ops.ini import ini_loader
from comicsdb.security import SESSION, make_identity
from tests.core.exchange.test_export_columns import full_set
from tests.factories import Factories
from tests.faults.killed import ROUNDS, KilledWork, command, contents
from tests.faults.postgresql import PostgreSQL
from tests.importer import Importer
from tests.lists import create_issues
from tests.serving import connected, free_port, serving, write_ini
from tests.site.test_mirror import MirrorProcess, Origin, await_equal, swap_cv_ids

ISSUES = 110  # of an act in pieces, which begin with 25 objects


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    server.start()
    server.make("template_of_kills")
    yield server
    server.remove()


@contextmanager
def copy_of(postgresql: PostgreSQL, name: str, of: str = "template_of_kills"):
    """The address of a copy of a database, which is dropped afterwards."""
    engine = create_engine(postgresql.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {of}"))
        # Otherwise, PostgreSQL 15 forgets in a crash which numbers the sequences of the copy have given.
        connection.execute(text("CHECKPOINT"))
    yield postgresql.url(name)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def session_of(url: str):
    """A session without a pool, as forked processes must not share connections."""
    with session_factory(create_engine(url, poolclass=NullPool))() as session:
        yield session


def tell(kind: str, work: KilledWork) -> None:
    """Print the figures of an attack."""
    sys.stdout.write(f"\n{kind}: {ROUNDS} rounds, {work.kills} kills at work\n")


def crash_sometimes(postgresql: PostgreSQL, number: int) -> None:
    """Let PostgreSQL crash after every fourth kill."""
    if number % 4 == 3:
        postgresql.stop("immediate")
        postgresql.start()


# Merges and deletions in pieces.


def ask_for_acts(url: str) -> None:
    """Note two merges and a deletion, each of several pieces."""
    with session_of(url) as session:
        make = Factories(Catalog(session))
        boss = make.user("Boss", is_staff=True)
        kept, other, gone = (make.series(name=name) for name in ("Kept", "Other", "Gone"))
        hero, same_hero = make.character(name="Hero"), make.character(name="Same hero")
        make.issue(series=kept, number="0")
        for series in (other, gone):
            issues = create_issues(session, series, ISSUES)
        linked = {"character": same_hero.id, "issues": [issue.id for issue in issues]}
        session.execute(
            text("INSERT INTO issue_character (character_id, issue_id) SELECT :character, unnest(:issues)"),
            linked,
        )
        session.execute(
            text(
                "INSERT INTO issue_character (character_id, issue_id)"
                " SELECT :hero, id FROM issue WHERE series_id = :other"
            ),
            {"hero": same_hero.id, "other": other.id},
        )
        session.commit()
        catalog = Catalog(session, boss.id, actor_name="Boss")
        assert not catalog_objects.merge_objects(catalog, boss, kept, other, "Twice")
        assert not catalog_objects.merge_objects(catalog, boss, hero, same_hero, "The same")
        assert not catalog_objects.delete_object(catalog, boss, gone, "Never was")
        session.commit()


def finish(ini) -> None:
    """`comicsdb finish`, once PostgreSQL has noticed that the process before has ended."""
    while True:
        command("-c", str(ini), "finish")
        with connected(ini_url(ini)) as connection:
            if not connection.scalar(text("SELECT count(*) FROM unfinished_act")):
                return
        time.sleep(0.05)


def ini_url(ini) -> str:
    """The address of the database in an ini file."""
    return ini_loader(ini).get_wsgi_app_settings()["sqlalchemy.url"]


def outcome(url: str) -> dict[str, object]:
    """All rows; of the log and the history, what was told about each object, as pieces have any size."""
    rows = contents(url, leave_out={"change_log", "history", "late_stamp"})
    with connected(url) as connection:
        rows["told"] = [
            connection.execute(text(statement)).all()
            for statement in (
                "SELECT DISTINCT kind, object_id, action FROM change_log ORDER BY 1, 2, 3",
                "SELECT kind, object_id, type, reason, user_id, count(*) FROM history"
                " WHERE kind = 'issue' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4",
                "SELECT DISTINCT kind, object_id, type, reason, user_id FROM history ORDER BY 1, 2, 3, 4",
            )
        ]
    return rows


def test_killed_acts_in_pieces_end_as_if_never_interrupted(postgresql, tmp_path):
    work = KilledWork(tmp_path / "log")
    with copy_of(postgresql, "asked") as asked:
        ask_for_acts(asked)
        with copy_of(postgresql, "uninterrupted", "asked") as url:
            work.complete(finish, write_ini(tmp_path, url))
            expected = outcome(url)
        for number in range(ROUNDS):
            with copy_of(postgresql, "interrupted", "asked") as url:
                ini = write_ini(tmp_path, url)
                for _ in range(3):  # the second and third continue
                    work.kill(finish, ini, share=0.5)
                crash_sometimes(postgresql, number)
                finish(ini)
                found = outcome(url)
                assert found.keys() == expected.keys()
                assert [table for table in found if found[table] != expected[table]] == []
    tell("acts in pieces", work)
    assert work.kills >= ROUNDS


# Undoing a large act.


def library(url: str) -> dict[str, list[str]]:
    """The rows of the reader's library."""
    rows = contents(url)
    return {
        table: rows[table] for table in ("collection_item", "read_date", "issue_rating", "wish_list_item")
    }


def undo_queued(url: str, settings: dict) -> None:
    """The work of the server's thread, until nothing is queued."""
    thread = ImportThread(session_factory(create_engine(url, poolclass=NullPool)), settings)
    while thread.work() < 1:
        pass


def test_killed_undos_are_whole(postgresql, tmp_path):
    work = KilledWork(tmp_path / "log")
    with copy_of(postgresql, "undone") as url:
        settings = parse_settings(dict(ini_loader(write_ini(tmp_path, url)).get_wsgi_app_settings()))
        with session_of(url) as session:
            make = Factories(Catalog(session))
            reader = make_identity(make.user("reader"), SESSION)
            issues = create_issues(session, make.series(), LARGE)
            collection.add_many(session, reader.user_id, [(issue.id, {}) for issue in issues])
            session.commit()
            session.info.clear()
        states = [library(url)]
        with session_of(url) as session:
            ids = session.scalars(select(CollectionItem.id)).all()
            bulk.change(
                session, CollectionItem, reader.user_id, ids[: LARGE // 2], {"storage_location": "Box"}
            )
            bulk.remove(session, CollectionItem, reader.user_id, ids[LARGE // 2 :])
            session.commit()
        states.append(library(url))
        # Each undo is undone next.
        for number in range(ROUNDS + 1):
            with session_of(url) as session:
                act = session.scalar(select(func.max(LibraryAct.id)))
                session.execute(
                    update(LibraryAct).where(LibraryAct.id == act).values(undo_asked=func.clock_timestamp())
                )
                session.commit()
            before, after = states[(number + 1) % 2], states[number % 2]
            if number:
                work.kill(undo_queued, url, settings)
                crash_sometimes(postgresql, number)
                with connected(url) as connection:  # once PostgreSQL has noticed that the process has ended
                    connection.execute(text("LOCK TABLE library_act IN ACCESS EXCLUSIVE MODE"))
                with session_of(url) as session:
                    is_done = session.get_one(LibraryAct, act).undone is not None
                assert library(url) == (after if is_done else before)
            work.complete(undo_queued, url, settings)
            assert library(url) == after
    tell(f"undos of {LARGE:,} rows", work)
    assert work.kills >= ROUNDS // 2


# Dumps.


def check_dumps(folder, key: str) -> list[str]:
    """All dumps that are offered are whole; returns the names of the arcs in the newest."""
    names = []
    for made in dumps(folder):
        manifest = dump.verify((made / MANIFEST).read_bytes(), (made / SIGNATURE).read_text(), key)
        for entry in manifest["files"]:
            dump.check_file(made / entry["name"], entry)
        assert {path.name for path in made.iterdir()} == {
            *(entry["name"] for entry in manifest["files"]),
            MANIFEST,
            SIGNATURE,
        }
    if dumps(folder):
        plain = folder.parent / "plain.sqlite"
        with compression.open_plain(dumps(folder)[0] / f"{dump.SQLITE}{compression.SUFFIX}") as stream:
            plain.write_bytes(stream.read())
        with sqlite3.connect(plain) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM arc ORDER BY id")]
    return names


def dump_again(*words: str) -> None:
    """Write a dump, once PostgreSQL has noticed that the process before has ended."""
    for _ in range(100):
        with suppress(ClickException):
            command(*words)
            return
        time.sleep(0.05)
    raise AssertionError("Another dump is being written.")


def test_killed_dumps_leave_the_one_before_and_nothing_else(postgresql, tmp_path):
    work, folder = KilledWork(tmp_path / "log"), tmp_path / "dumps"
    with copy_of(postgresql, "dumped") as url:
        importer = Importer(url, tmp_path)
        importer.run(full_set())
        importer.close()
        ini = write_ini(tmp_path, url)
        ini.write_text(
            ini.read_text().replace("[server:main]", f"comicsdb.dumps.key = {tmp_path}/key\n[server:main]")
        )
        words = ("-c", str(ini), "dump", str(folder), "--covers", "--keep", "1")
        work.complete(command, *words)
        key = Key.open(tmp_path / "key").public
        for number in range(ROUNDS):
            for made in dumps(folder):
                moment = datetime.strptime(made.name, TIME_FORMAT).replace(tzinfo=UTC) - timedelta(days=2)
                made.rename(made.with_name(moment.strftime(TIME_FORMAT)))  # to be deleted by the next
            with session_of(url) as session:
                Catalog(session).create(Arc, {"name": f"Arc {number}"})
                session.commit()
                arcs = session.scalars(select(Arc.name).order_by(Arc.id)).all()
            begun = (clock.now() - timedelta(hours=1)).strftime(TIME_FORMAT)
            work.kill(command, *words, share=0.9)
            crash_sometimes(postgresql, number)
            assert check_dumps(folder, key) in (arcs, arcs[:-1])
            work.complete(dump_again, *words)
            assert check_dumps(folder, key) == arcs
            left = sorted(path.name for path in folder.iterdir())
            assert left == sorted(path.name for path in dumps(folder))  # two if the process was not killed
            assert left[0] > begun
    tell("dumps", work)
    assert work.kills >= ROUNDS // 2


# Mirrors.


@pytest.fixture
def origin(postgresql, tmp_path):
    """A site with a dump, in which every field has a value."""
    with copy_of(postgresql, "origin") as url:
        importer = Importer(url, tmp_path)
        importer.run(full_set())
        site = Origin(importer, tmp_path, port := free_port())
        site.command("dump", "--covers")
        with serving(site.ini, port):
            yield site
        importer.close()


def write_all_sorts(origin: Origin, chance, number: int, ended: threading.Event) -> None:
    """Change the catalog until `ended`."""
    changes = [
        lambda catalog: catalog.update(newest(catalog, Publisher), {"name": f"Renamed in {number}"}),
        lambda catalog: merge(
            catalog, *catalog.session.scalars(select(Creator).order_by(Creator.id.desc()).limit(2))
        ),
        lambda catalog: catalog.update(newest(catalog, Issue), {"arcs": [newest(catalog, Arc).id]}),
        lambda catalog: catalog.delete(newest(catalog, Arc)),
        swap_cv_ids,
    ]
    while not ended.is_set():
        for model in (Arc, Creator):
            origin.write(lambda catalog, model=model: catalog.create(model, {"name": f"Of round {number}"}))
        origin.write(chance.choice(changes))
        ended.wait(0.05)


def outdate(origin: Origin) -> None:
    """Let the feed begin after all lines that a mirror may have, and write a dump that leads to it."""
    for _ in range(2):
        origin.write(lambda catalog: catalog.create(Arc, {"name": "Nobody will read this line"}))
        with origin.importer.factory() as session:
            horizon.remove_older(session, timedelta(0), timedelta(0))
            session.commit()
    origin.command("dump", "--covers")


def newest(catalog: Catalog, model):
    """The object with the greatest id."""
    return catalog.session.scalars(select(model).order_by(model.id.desc()).limit(1)).one()


def test_killed_mirrors_catch_up(origin, tmp_path):
    work = KilledWork(tmp_path / "log")
    mirror = MirrorProcess(tmp_path / "mirror", origin.url)
    try:
        mirror.start()
        for number in range(ROUNDS):
            ended = threading.Event()
            writer = threading.Thread(target=write_all_sorts, args=(origin, work.chance, number, ended))
            writer.start()
            try:
                time.sleep(work.chance.uniform(0, 2))
                mirror.end(signal.SIGKILL)
                if number % 4 == 2:  # it has to load another dump, and is killed meanwhile, too
                    outdate(origin)
                    mirror.start()
                    time.sleep(work.chance.uniform(0, 2))
                    mirror.end(signal.SIGKILL)
                    work.kills += 1
            finally:
                ended.set()
                writer.join()
            work.kills += 1
            mirror.start()
            await_equal(origin, mirror)
    finally:
        mirror.discard()
    tell("mirrors", work)
