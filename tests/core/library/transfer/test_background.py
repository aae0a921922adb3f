"""Background imports of large files: batches, choices by series, resuming after a kill, and undo."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from comicsdb.catalog import Catalog
from comicsdb.library import collection
from comicsdb.library.transfer import background, imports, reader, review
from comicsdb.library.undo import UndoResult, queue_if_large, undo
from comicsdb.models import LibraryImport, LibraryImportRow, User
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of
from tests.serving import clean_environment
from tests.waiting import wait_until

ROWS = 1000
TODAY = date(2026, 11, 23)
SETTINGS = {
    "comicsdb.imports.rows": 100_000,
    "comicsdb.imports.megabytes": 10,
    "comicsdb.timezone": ZoneInfo("Europe/Rome"),
    "comicsdb.official_account": OFFICIAL,
}
# A worker process that only runs imports, to be killed.
WORKER = f"""
import sys, time, zoneinfo
from sqlalchemy import create_engine
from comicsdb.db import session_factory
from comicsdb.library.transfer import background
background.STORE_BATCH, background.LARGE_ROWS = 50, 0
factory = session_factory(create_engine(sys.argv[1]))
while background.work(factory, {SETTINGS}):
    time.sleep(0.05)
"""


def finish(factory):
    while background.work(factory, SETTINGS):
        pass


def found(factory) -> LibraryImport:
    with factory() as session:
        return session.scalars(select(LibraryImport)).one()


def file_of(rows) -> bytes:
    return ("Series,Series year,Number,Grade,Notes\n" + "".join(rows)).encode()


def confirm(session, sent, **choices):
    """Confirm an import as it is proposed, but for some choices."""
    choices.setdefault("series", review.decisions(sent, review.load_page(session, sent).groups))
    owner = identity_of(session.get_one(User, sent.user_id))
    imports.confirm(session, owner, OFFICIAL, sent.id, review.Choices(**choices), TODAY)


@pytest.fixture
def no_small_files(monkeypatch):
    """Import all files in the background."""
    for limit in ("LARGE", "LARGE_ROWS"):
        monkeypatch.setattr(background, limit, 0)


def test_a_killed_import_goes_on_and_is_undone_as_one(factory, database, monkeypatch, no_small_files):
    monkeypatch.setattr(background, "MATCH_BATCH", ROWS - 100)  # two batches
    with factory() as session:
        make = Factories(Catalog(session))
        long = make.series(name="The Long Run", year_began=2001)
        twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
        session.execute(
            text(
                "INSERT INTO issue (series_id, number, slug, cover_date)"
                " SELECT :long, n::text, 'long-' || n, '2001-01-01' FROM generate_series(1, :rows) AS n"
            ),
            {"long": long.id, "rows": ROWS},
        )
        for twin in twins:
            make.issue(series=twin, number="1")
        reader = make.user()
        session.commit()
        rows = [f"The Long Run,2001,{n},9.8,{'note' * 10}\n" for n in range(1, ROWS + 1)]
        rows += ["The Long Run,2001,7,,\n", "Twins,,1,,\n", "=Nobody,,1,,\n"]
        sent = imports.upload(
            session, reader.id, "mine.csv", file_of(rows), currency="USD", rows=100_000, megabytes=10
        )
        assert sent.state == background.READING
        session.commit()
    finish(factory)
    with factory() as session:
        sent = session.get_one(LibraryImport, sent.id)
        assert (sent.state, sent.total, sent.progress) == (background.REVIEW, ROWS + 3, ROWS + 3)
        page = review.load_page(session, sent)
        assert page.counts == {"matched": ROWS + 1, "ambiguous": 1, "unknown": 1}
        (group,) = [group for group in page.groups if group.kind == "ambiguous"]
        assert (group.series, group.rows) == ("Twins", 1)
        assert set(group.candidates) == {each.id for each in twins}
        assert [row.says for row in review.unmatched_rows(session, sent)] == ["=Nobody #1"]
        confirm(session, sent, series={"Twins": twins[1].id})
        session.commit()
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, database], env=clean_environment(), cwd=os.getcwd()
    )
    wait_until(lambda: found(factory).progress > 0)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    cut = found(factory)
    assert cut.state == background.STORING
    assert 0 < cut.progress < ROWS
    finish(factory)
    done = found(factory)
    assert (done.state, done.progress) == (background.DONE, ROWS + 2)
    assert done.counted == {"collection_added": ROWS + 1}
    with factory() as session:
        owned = dict(session.execute(text("SELECT issue_id, quantity FROM collection_item")).all())
        assert len(owned) == ROWS + 1
        assert sum(owned.values()) == ROWS + 2  # one issue is in two rows
        assert session.scalar(select(LibraryImportRow.stored).where(LibraryImportRow.index == ROWS + 1))
        who = identity_of(session.get_one(User, reader.id))
        undone = undo(session, who, OFFICIAL, done.act_id, today=TODAY)
        session.commit()
        assert undone == UndoResult(ROWS + 1, changed=0, gone=0)
        assert session.scalar(text("SELECT count(*) FROM collection_item")) == 0


def test_a_small_file_with_many_rows_is_read_at_once_and_matched_in_the_background(factory):
    with factory() as session:
        reader = Factories(Catalog(session)).user()
        session.commit()
        states = []
        for rows in (background.LARGE_ROWS, background.LARGE_ROWS + 1):
            data = b"Series,Number\n" + b"A,1\n" * rows
            sent = imports.upload(session, reader.id, "a.csv", data, currency="USD", rows=10_000, megabytes=1)
            states.append(sent.state)
        assert states == [background.REVIEW, background.MATCHING]
        session.commit()
    finish(factory)
    with factory() as session:
        found = session.get_one(LibraryImport, sent.id)
        assert (found.state, found.total) == (background.REVIEW, background.LARGE_ROWS + 1)


def test_a_decision_about_thousands_of_rows_takes_no_time(factory):
    many = 6000
    with factory() as session:
        make = Factories(Catalog(session))
        twins = [make.series(name="Twins", year_began=year) for year in (1990, 1995)]
        issues = [make.issue(series=twin, number="1") for twin in twins]
        reader = make.user()
        session.commit()
    for name in ("Nobody", "Twins"):  # the statistics of PostgreSQL only know the rows of the first file
        with factory() as session:
            rows = [f"{name},,1,,{'note' * 10}{n}\n" for n in range(many)]
            sent = imports.upload(
                session, reader.id, "a.csv", file_of(rows), currency="USD", rows=10_000, megabytes=1
            )
            session.commit()
        finish(factory)
        if name == "Nobody":
            execute(factory, "ANALYZE library_import_row")
    with factory() as session:
        sent = session.get_one(LibraryImport, sent.id)
        assert review.load_page(session, sent).counts["ambiguous"] == many
        session.execute(text("SET LOCAL statement_timeout = '4s'"))
        confirm(session, sent, series={"Twins": twins[1].id})
        chosen = select(LibraryImportRow.match_id).where(LibraryImportRow.import_id == sent.id).distinct()
        assert session.scalars(chosen).all() == [issues[1].id]


def test_an_import_that_is_undone_while_it_is_stored_leaves_nothing(factory, monkeypatch, no_small_files):
    monkeypatch.setattr(background, "STORE_BATCH", 2)
    with factory() as session:
        make = Factories(Catalog(session))
        series, reader = make.series(name="The Long Run"), make.user()
        numbers = range(1, 7)
        for number in numbers:
            make.issue(series=series, number=str(number))
        rows = [f"The Long Run,,{number},,\n" for number in numbers]
        imports.upload(session, reader.id, "a.csv", file_of(rows), currency="USD", rows=10, megabytes=1)
        session.commit()
    finish(factory)
    with factory() as session:
        confirm(session, session.scalars(select(LibraryImport)).one())
        session.commit()
    background.work(factory, SETTINGS)
    with factory() as session, ThreadPoolExecutor(1) as pool:
        assert session.scalar(text("SELECT count(*) FROM collection_item")) == 2
        who = identity_of(session.get_one(User, reader.id))
        undone = undo(session, who, OFFICIAL, found(factory).act_id, today=TODAY)
        assert undone == UndoResult(2, changed=0, gone=0)
        next_piece = pool.submit(background.work, factory, SETTINGS)
        waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        wait_until(lambda: session.scalar(waiting))
        session.commit()
        next_piece.result()
    finish(factory)
    assert found(factory).state == background.DONE
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM collection_item")) == 0


def test_a_file_that_cannot_be_read_is_told_in_the_language_of_the_account(factory):
    with factory() as session:
        reader = Factories(Catalog(session)).user(language="it")
        session.commit()
        imports.upload(
            session, reader.id, "x.csv", b"whatever\n" * 40_000, currency="USD", rows=100_000, megabytes=10
        )
        session.commit()
    finish(factory)
    failed = found(factory)
    assert failed.state == background.FAILED
    assert failed.payload["error"].startswith("Le colonne di questa tabella non sono state riconosciute.")


def queue_two(factory, *, language: str) -> list[int]:
    """Two readers upload a file each, of which only the first names a series Nobody; returns the imports."""
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series(name="The Long Run")
        make.issue(series=series, number="1")
        sent = [
            imports.upload(
                session,
                make.user(name, language=language).id,
                "a.csv",
                file_of(["The Long Run,,1,,fine\n", last]),
                currency="USD",
                rows=10,
                megabytes=1,
            )
            for name, last in (("Ann", "Nobody,,2,,\n"), ("Ben", "The Long Run,,1,,\n"))
        ]
        session.commit()
        return [each.id for each in sent]


def states(factory) -> list[str]:
    with factory() as session:
        return list(session.scalars(select(LibraryImport.state).order_by(LibraryImport.id)))


def execute(factory, *statements: str) -> None:
    with factory() as session:
        for each in statements:
            session.execute(text(each))
        session.commit()


def test_a_file_that_cannot_be_stored_does_not_hold_up_others(factory, no_small_files):
    queue_two(factory, language="it")
    execute(factory, "ALTER TABLE library_import_row ADD CONSTRAINT refused CHECK (series <> 'Nobody')")
    finish(factory)
    assert states(factory) == [background.FAILED, background.REVIEW]
    with factory() as session:
        failed, _other = session.scalars(select(LibraryImport).order_by(LibraryImport.id)).all()
        assert failed.payload["error"].startswith("Un errore di questo sito ha interrotto l'importazione.")
        assert failed.file is None


def test_an_outage_only_delays_an_import(factory, no_small_files):
    queue_two(factory, language="en")
    execute(
        factory,
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END$$",
        "CREATE TRIGGER refuse BEFORE INSERT ON library_import_row"
        " FOR EACH ROW WHEN (NEW.series = 'Nobody') EXECUTE FUNCTION refuse()",
    )
    finish(factory)
    assert states(factory) == [background.READING, background.REVIEW]
    execute(factory, "DROP TRIGGER refuse ON library_import_row")
    finish(factory)
    assert states(factory)[0] == background.READING  # not yet
    retry(factory)
    assert states(factory) == [background.REVIEW, background.REVIEW]


def retry(factory) -> None:
    """Do the work that was postponed."""
    execute(factory, "UPDATE library_import SET payload = payload - 'retry_at'")
    finish(factory)


def test_a_confirmed_import_that_fails_is_tried_again_after_others(factory, no_small_files):
    first, _second = queue_two(factory, language="en")
    finish(factory)
    with factory() as session:
        for each in session.scalars(select(LibraryImport)):
            confirm(session, each)
        ann = session.get_one(LibraryImport, first).user_id
        session.commit()
    execute(factory, f"ALTER TABLE collection_item ADD CONSTRAINT refused CHECK (user_id <> {ann})")
    finish(factory)
    assert states(factory) == [background.STORING, background.DONE]
    with factory() as session:  # meanwhile it can be discarded, and the daily job removes it some day
        session.execute(text("UPDATE library_import SET created_on = created_on - interval '2 days'"))
        assert imports.clean(session) == 2
        session.rollback()
        assert imports.discard(session, ann, first).id == first
        session.rollback()
    execute(factory, "ALTER TABLE collection_item DROP CONSTRAINT refused")
    retry(factory)
    assert states(factory) == [background.DONE, background.DONE]
    with factory() as session:
        assert session.get_one(LibraryImport, first).counted == {"collection_added": 1}


def test_a_large_undo_does_not_wait_for_an_import_that_fails(factory, monkeypatch, no_small_files):
    monkeypatch.setattr("comicsdb.library.undo.LARGE", 1)
    first, second = queue_two(factory, language="en")
    finish(factory)
    with factory() as session:
        made = session.get_one(LibraryImport, second)
        confirm(session, made)
        session.commit()
        finish(factory)
        assert queue_if_large(session, made.user_id, made.act_id)
        failing = session.get_one(LibraryImport, first)
        confirm(session, failing)
        session.commit()
        execute(
            factory,
            f"ALTER TABLE collection_item ADD CONSTRAINT refused CHECK (user_id <> {failing.user_id})",
        )
        importer = background.Importer(factory, SETTINGS)
        while importer.work() < background.POLL_SECONDS:
            pass
        assert session.scalar(text("SELECT count(*) FROM collection_item")) == 0
        assert session.scalar(text(f"SELECT undone FROM library_act WHERE id = {made.act_id}"))


def test_a_large_undo_that_fails_does_not_hold_up_others(factory, monkeypatch):
    monkeypatch.setattr("comicsdb.library.undo.LARGE", 1)
    with factory() as session:
        make = Factories(Catalog(session))
        readers, issue = [make.user().id for _ in range(2)], make.issue()
        for reader in readers:
            item, _new = collection.add(session, reader, issue.id, {})
            session.commit()
            collection.remove(session, reader, item.id)
            session.commit()
            act_id = session.scalar(text("SELECT max(id) FROM library_act"))
            assert queue_if_large(session, reader, act_id)
            session.commit()
        refused = f"ALTER TABLE collection_item ADD CONSTRAINT refused CHECK (user_id <> {readers[0]})"
        execute(factory, refused)
        importer = background.Importer(factory, SETTINGS)
        with pytest.raises(IntegrityError):
            importer.work()
        importer.work()
        assert session.scalars(text("SELECT user_id FROM collection_item")).all() == readers[1:]
        waiting = "SELECT user_id FROM library_act WHERE undo_asked IS NOT NULL"
        assert session.scalars(text(waiting)).all() == readers[:1]


def test_a_version_that_the_database_cannot_hold_is_told_without_it(factory, no_small_files):
    with factory() as session:
        reader = Factories(Catalog(session)).user()
        sent = b'{"format": "comicsdb-library", "version": "2\\u0000"}'
        imports.upload(session, reader.id, "a.json", sent, currency="USD", rows=10, megabytes=1)
        session.commit()
    finish(factory)
    told = found(factory).payload["error"]
    assert told == "This file has version 2 of the format; this site reads version 1."


def test_an_import_that_is_confirmed_twice_is_stored_once(factory, no_small_files):
    first, _second = queue_two(factory, language="en")
    finish(factory)
    with factory() as session, factory() as other:
        shown = [each.get_one(LibraryImport, first) for each in (session, other)]
        confirm(session, shown[0])
        with ThreadPoolExecutor(1) as pool:
            again = pool.submit(confirm, other, shown[1], take_file=True)
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            wait_until(lambda: again.done() or session.scalar(waiting))
            session.commit()
            again.result()
        other.commit()
    finish(factory)
    with factory() as session:
        stored = session.get_one(LibraryImport, first)
        assert session.scalar(text("SELECT array_agg(id) FROM library_act")) == [stored.act_id]
        assert (stored.state, stored.progress, stored.payload["take_file"]) == (background.DONE, 1, False)


@pytest.mark.parametrize(
    ("content", "limits", "words"),
    [
        (
            b'{"format": "comicsdb-library", "x": [' + b"[]," * 3_000_000 + b"[]]}",
            {},
            "more than 100000 rows",
        ),
        (b"Series,Number\n" + b"Salt,1\n" * 99_000, {"CPU_SECONDS": 1}, "too long or too much memory"),
        (
            b"Series,Number\n" + b"Salt,1\n" * 99_000,
            {"MEMORY_BYTES": 150_000_000},
            "too long or too much memory",
        ),
    ],
    ids=["empty lists", "time", "memory"],
)
def test_costly_file_ends_neither_this_process_nor_its_import_without_a_reason(
    factory, monkeypatch, content, limits, words
):
    for name, most in limits.items():
        monkeypatch.setattr(reader, name, most)
    with factory() as session:
        owner = Factories(Catalog(session)).user("reader")
        imports.upload(session, owner.id, "a", content, currency="USD", rows=100_000, megabytes=10)
        session.commit()
    begun = process_time()
    finish(factory)
    assert process_time() - begun < 1  # of this process; the child took longer
    sent = found(factory)
    assert sent.state == background.FAILED
    assert words in sent.payload["error"]


def test_piece_that_ends_its_processes_is_given_up(factory, monkeypatch):
    monkeypatch.setitem(background._STEPS, background.READING, lambda *_: os._exit(9))
    with factory() as session:
        owner = Factories(Catalog(session)).user("reader")
        content = file_of([f"Salt,2020,{number},,\n" for number in range(20_000)])
        imports.upload(session, owner.id, "a", content, currency="USD", rows=100_000, megabytes=10)
        session.commit()
    for _ in range(background.ATTEMPTS_MAX):
        if (pid := os.fork()) == 0:
            background.work(factory, SETTINGS)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert background.work(factory, SETTINGS)
    assert found(factory).state == background.FAILED
