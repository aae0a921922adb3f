"""Stamps that move after the commit of their change: nothing cached is out of date in between."""

from datetime import timedelta
from email.utils import formatdate

import pytest
from sqlalchemy import delete, event, insert, select, text
from webob import Request

from comicsdb import clock
from comicsdb.accounts.passwords import Passwords
from comicsdb.admin.unfinished import run_unfinished
from comicsdb.catalog import Catalog, piecewise, unit_of_work
from comicsdb.models import Character, Issue, LateStamps, Publisher, Series
from tests.api.conftest import PASSWORD, basic_auth
from tests.conftest import build_app
from tests.factories import Factories

ISSUES = 3


class ProcessKilled(BaseException):
    """Simulates a process that is killed in the middle of its work."""


@pytest.fixture
def world(factory, monkeypatch):
    """A series, its issues and a character in them; if several stamps move, they move late, one by one."""
    with factory() as session:
        make = Factories(Catalog(session))
        make.user("reader", password=PASSWORD, passwords=Passwords("fast"))
        series, character = make.series(name="Before"), make.character(name="Hero")
        for number in range(ISSUES):
            make.issue(series=series, number=str(number), characters=[character.id])
        session.commit()
        found = series.id, session.scalars(select(Issue.id).order_by(Issue.id)).all(), character.id
    monkeypatch.setattr(unit_of_work, "IMMEDIATE_MAX", 1)
    monkeypatch.setattr(piecewise, "SIZE_MIN", 1)
    monkeypatch.setattr(piecewise, "SIZE_MAX", 1)
    return found


def rename(factory, world):
    with factory() as session:
        Catalog(session).update(session.get_one(Series, world[0]), {"name": "Afterwards"})
        session.commit()


def on_commits(factory, work):
    """Call `work` after each commit, with the number of the commit."""
    counted = []

    def committed(session):
        if not session.in_nested_transaction():
            counted.append(session)
            work(len(counted))

    event.listen(factory, "after_commit", committed, insert=True)


def moved(factory, world):
    """The issues whose stamps have moved, recognised by their former stamp."""
    with factory() as session:
        return set(session.scalars(select(Issue.id).where(Issue.modified_before.is_not(None))))


def test_cached_answers_show_the_change_from_its_commit_on(factory, world, database, tmp_path):
    series, issues, character = world
    app = build_app(database, tmp_path)
    with factory() as session:
        slugs = session.scalars(select(Issue.slug).order_by(Issue.id)).all()
    paths = [f"/api/issue/{each}/" for each in issues] + [f"/issue/{slug}/" for slug in slugs]
    paths += [f"/api/series/{series}/issue_list/", f"/api/character/{character}/issue_list/"]

    def ask(path, **headers):
        request = Request.blank(
            path, headers=basic_auth("reader", PASSWORD) | headers if "/api/" in path else headers
        )
        return request.get_response(app)

    known = {}
    for path in paths:
        assert "Before" in ask(path).text
        known[path] = ask(path)
        if "/api/" in path:
            assert known[path].headers["X-Cache"] == "HIT"
    seen = []

    def look(number):
        seen.append(len(moved(factory, world)))
        for path in paths:
            now = ask(path)
            assert "Afterwards" in now.text, (number, path)
            tag = known[path].headers["ETag"]
            assert ask(path, **{"If-None-Match": tag}).status_int == 200
            # A date from before the change: the second of the first answer
            if "Last-Modified" in now.headers:
                since = formatdate(known[path].last_modified.timestamp(), usegmt=True)
                assert ask(path, **{"If-Modified-Since": since}).status_int == 200

    on_commits(factory, look)
    rename(factory, world)
    assert seen[0] == 0
    assert set(range(ISSUES + 1)) <= set(seen)
    with factory() as session:
        assert session.scalars(select(LateStamps)).all() == []
    app.registry["comicsdb.engine"].dispose()


def test_dates_decide_nothing_while_stamps_are_late(factory, world, database, tmp_path):
    app = build_app(database, tmp_path)
    _, (issue, other, *_), _ = world

    def ask(**headers):
        return Request.blank(
            f"/api/issue/{issue}/", headers=basic_auth("reader", PASSWORD) | headers
        ).get_response(app)

    def note(statement):
        with factory() as session:
            session.execute(statement)
            unit_of_work.UnitOfWork.of(session).record_outdated("issue")
            session.commit()

    date = ask().headers["Last-Modified"]
    assert ask(**{"If-Modified-Since": date}).status_int == 304
    note(insert(LateStamps).values(kind="issue", ids=[other], at=clock.now() + timedelta(hours=1)))
    answer = ask(**{"If-Modified-Since": date})
    # Not the time of the note: a later change in the same second would go unnoticed.
    assert (answer.status_int, answer.headers["Last-Modified"]) == (200, date)
    assert ask(**{"If-Unmodified-Since": date}).status_int == 412
    note(delete(LateStamps))
    assert ask(**{"If-Modified-Since": date}).status_int == 304
    app.registry["comicsdb.engine"].dispose()


def test_others_write_between_the_pieces(factory, world):
    def edit(number):
        if number == 3:
            with factory() as other:
                other.execute(text("SET LOCAL lock_timeout = '2s'"))
                Catalog(other).create(Publisher, {"name": "New"})
                other.commit()

    on_commits(factory, edit)
    rename(factory, world)
    assert moved(factory, world) == set(world[1])


def test_pieces_are_not_noted_again(factory, world, monkeypatch):
    """However large pieces may become, their stamps move in the transaction that writes them."""
    monkeypatch.setattr(piecewise, "SIZE_MAX", 2)
    monkeypatch.setattr(piecewise, "TARGET_SECONDS", 60)
    notes = []

    def look(_number):
        with factory() as other:
            notes.append(len(other.scalars(select(LateStamps.id)).all()))

    on_commits(factory, look)
    rename(factory, world)
    assert moved(factory, world) == set(world[1])
    assert max(notes) == 1


def test_what_was_interrupted_is_finished(factory, world):
    def kill(number):
        if number == 3:
            raise ProcessKilled

    on_commits(factory, kill)
    with pytest.raises(ProcessKilled):
        rename(factory, world)
    assert 0 < len(moved(factory, world)) < ISSUES
    run_unfinished(factory)  # another process may still be working on it
    assert len(moved(factory, world)) < ISSUES
    run_unfinished(factory, idle=timedelta(0))
    assert moved(factory, world) == set(world[1])
    with factory() as session:
        assert session.scalars(select(LateStamps)).all() == []


def test_a_failure_after_the_commit_leaves_the_note(factory, world, caplog):
    with factory() as session:
        session.execute(
            text(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'no'; END $$;"
                "CREATE TRIGGER fail BEFORE UPDATE ON issue EXECUTE FUNCTION fail()"
            )
        )
        session.commit()
    rename(factory, world)
    assert "will move later" in caplog.text
    with factory() as session:
        assert session.get_one(Series, world[0]).name == "Afterwards"
        assert session.scalars(select(LateStamps.ids)).all() == [sorted(world[1])]


def test_issues_that_were_edited_themselves_have_new_stamps_at_once(factory, world):
    _series, issues, character = world
    with factory() as session:
        catalog = Catalog(session)
        catalog.update(session.get_one(Character, character), {"name": "Heroine"})
        edited = session.get_one(Issue, issues[0])
        before = edited.modified
        catalog.update(edited, {"title": "New"})
        assert edited.modified > before
        session.rollback()
    assert moved(factory, world) == set()
