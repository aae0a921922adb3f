"""Acts in pieces: others can write in between, and after a crash an act is completed later."""

import time
from datetime import date, timedelta
from multiprocessing import get_context

import pytest
from sqlalchemy import create_engine, event, func, insert, select, text, update

from comicsdb.admin import catalog_objects
from comicsdb.admin.unfinished import ActWorker, has_unfinished, run_unfinished
from comicsdb.catalog import Catalog, InvalidError, piecewise
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import pieces
from comicsdb.db import session_factory
from comicsdb.library import ratings
from comicsdb.models import (
    Change,
    Credit,
    History,
    Issue,
    Publisher,
    Role,
    Series,
    StaffAction,
    Tombstone,
    UnfinishedAct,
    User,
    credit_role,
    issue_character,
)
from comicsdb.ops import jobs
from tests.conftest import database_copy
from tests.factories import Factories
from tests.lists import create_issues

FEW, PIECE, ISSUES = 5, 2, 10
NOW = timedelta(0)


def work(factory):
    """Do the acts that are noted; returns how many."""
    return len(run_unfinished(factory, idle=NOW))


class ProcessKilled(BaseException):
    """Simulates that the process is killed during its work."""


@pytest.fixture(scope="module")
def filled(cluster, template):
    """The name of a database, and the ids of what is in it: see `world`."""
    cluster.clone_database(template, "acts")
    engine = create_engine(cluster.url("acts"))
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        user = make.user("Boss", is_staff=True)
        long, short = make.series(name="Long"), make.series(name="Short")
        issues = create_issues(session, long, ISSUES)
        make.issue(series=short, number="0")
        ratings.rate_issues(session, user.id, {issues[0].id: 4, issues[-1].id: 2}, today=date(2026, 3, 4))
        Catalog(session).update(issues[0], {"reprints": [issues[-1].id]})
        session.commit()
        ids = user.id, long.id, short.id
    engine.dispose()
    yield "acts", ids
    cluster.drop_database("acts")


@pytest.fixture
def database(cluster, filled):
    """The address of a copy of the filled database."""
    yield from database_copy(cluster, filled[0])


@pytest.fixture
def world(filled, monkeypatch):
    """Ids of a staff account, of a long series with ratings, and of a short one of another publisher."""
    monkeypatch.setattr(pieces, "IMMEDIATE_MAX", FEW)
    for size in ("SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(piecewise, size, PIECE)
    return filled[1]


def staff(session, world):
    """The catalog acting for the boss, and the boss's account."""
    return Catalog(session, world[0], actor_name="Boss"), session.get(User, world[0])


def delete(session, world):
    catalog, boss = staff(session, world)
    assert not catalog_objects.delete_object(
        catalog, boss, catalog_objects.find(catalog, "series", world[1]), "Twice"
    )


def merge(session, world):
    catalog, boss = staff(session, world)
    kept, other = (catalog_objects.find(catalog, "series", each) for each in (world[2], world[1]))
    assert not catalog_objects.merge_objects(catalog, boss, kept, other, "Twice")


def chosen(session, world):
    return session.scalars(select(Issue.id).where(Issue.series_id == world[1]).order_by(Issue.id)).all()


def delete_chosen(session, world):
    assert catalog_objects.delete_objects(
        *staff(session, world), Issue, chosen(session, world), "Twice"
    ).postponed


def rate_teen(session, world):
    assert catalog_objects.edit_issues(*staff(session, world), chosen(session, world), "rate teen").postponed


def rebuild_slugs(session, world):
    assert catalog_objects.rebuild_many_slugs(*staff(session, world), [world[1], world[2]]).postponed


def fix_start_year(session, world):
    catalog, boss = staff(session, world)
    series = catalog_objects.find(catalog, "series", world[1])
    own, of_issues = catalog_objects.fix_start_year(catalog, boss, series, 1999)
    assert (list(own), of_issues) == ([world[1]], None)


def add_universe(session, world):
    catalog, boss = staff(session, world)
    series, universe = catalog_objects.find(catalog, "series", world[1]), Factories(catalog).universe()
    assert catalog_objects.add_universe(catalog, boss, series, universe, characters=True) is None


def repair_anthology(session, world):
    catalog, boss = staff(session, world)
    series = catalog_objects.find(catalog, "series", world[1])
    assert catalog_objects.repair_anthology(catalog, boss, series, roles=True, descriptions=True) is None


ACTS = {"delete": delete, "merge": merge}
# Acts on each of the chosen issues, and their actions in the audit log.
EDITS = {
    "delete": (delete_chosen, "delete"),
    "teen": (rate_teen, "rate teen"),
    "slugs": (rebuild_slugs, "rebuild slugs"),
    "year": (fix_start_year, "repair"),
    "universe": (add_universe, "repair"),
    "anthology": (repair_anthology, "repair"),
}


def ask(factory, world, act):
    """Commit the request for an act, which only notes it."""
    with factory() as session:
        act(session, world)
        session.commit()


def after_commits(factory, number, work):
    """Call `work` after the given number of commits; returns a function that stops counting."""
    counted = []

    def committed(session):
        if not session.in_nested_transaction():
            counted.append(session)
            if len(counted) == number:
                work()

    event.listen(factory, "after_commit", committed)
    return lambda: event.remove(factory, "after_commit", committed)


def kill():
    raise ProcessKilled


def interrupted(factory):
    """Begin the noted act, and simulate that the process is killed after some pieces."""
    stop = after_commits(factory, 4, kill)
    with pytest.raises(ProcessKilled):
        work(factory)
    stop()


def state(factory):
    """The results of an act: issues, tombstones, history, change log, ratings of series, and audit log."""
    with factory() as session:
        issues = select(Issue.series_id, func.count()).group_by(Issue.series_id)
        gone = select(Tombstone.kind, Tombstone.reason, Tombstone.survivor_id, func.count()).group_by(
            Tombstone.kind, Tombstone.reason, Tombstone.survivor_id
        )
        told = select(History.kind, History.type, History.reason, History.user_id, func.count()).group_by(
            History.kind, History.type, History.reason, History.user_id
        )
        lines = select(Change.kind, Change.action, func.count()).group_by(Change.kind, Change.action)
        series = select(Series.id, Series.rating_count, Series.rating_sum)
        audit = select(StaffAction.action, StaffAction.actor_name, StaffAction.target_id)
        assert session.scalars(select(UnfinishedAct)).all() == []
        return [
            sorted(map(str, session.execute(statement)))
            for statement in (issues, gone, told, lines, series, audit)
        ]


def work_alone(database):
    """Do the noted act with connections of one's own."""
    run_unfinished(session_factory(create_engine(database)))


def killed_process(factory, database, world):
    """Let a process do the noted act, and kill it while it waits for an issue that is locked here."""
    with factory() as session:
        late = select(func.max(Issue.id)).where(Issue.rating_count == 0, Issue.series_id == world[1])
        session.execute(select(Issue.id).where(Issue.id == late.scalar_subquery()).with_for_update())
        # Forked, as importing takes longest.
        process = get_context("fork").Process(target=work_alone, args=(database,))
        process.start()
        mine = session.scalar(select(func.pg_backend_pid()))
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE :mine = ANY(pg_blocking_pids(pid))")
        with factory() as other:
            while process.is_alive() and other.scalar(waiting, {"mine": mine}) == 0:
                other.rollback()
                time.sleep(0.05)
        assert process.is_alive()
        process.kill()
        process.join()
        session.rollback()


def work_after_a_crash(factory):
    """The same as `work`, once PostgreSQL has noticed that the other process has ended."""
    while True:
        try:
            return work(factory)
        except jobs.AlreadyRunningError:
            time.sleep(0.05)


@pytest.mark.parametrize("act", ACTS)
def test_what_was_interrupted_ends_as_if_done_in_one_go(factory, database, world, act):
    ask(factory, world, ACTS[act])
    with factory() as session:
        assert session.scalar(select(func.count()).where(Issue.series_id == world[1])) == ISSUES
    killed_process(factory, database, world)
    with factory() as session:
        left = session.scalar(select(func.count()).where(Issue.series_id == world[1]))
        assert 0 < left < ISSUES
        assert session.scalars(select(StaffAction)).all() == []
    assert work_after_a_crash(factory) == 1
    issues, gone, told, _lines, series, audit = state(factory)
    told = [each for each in told if "'Twice'" in each]
    assert work(factory) == 0
    if act == "delete":
        assert (issues, series) == ([f"({world[2]}, 1)"], [f"({world[2]}, 0, 0)"])
        assert gone == [f"('issue', 'Twice', None, {ISSUES})", "('series', 'Twice', None, 1)"]
        expected = [("issue", "-", ISSUES), ("issue", "~", 1), ("series", "-", 1)]
    else:
        assert (issues, series) == ([f"({world[2]}, {ISSUES + 1})"], [f"({world[2]}, 2, 6)"])
        assert gone == [f"('series', 'Twice', {world[2]}, 1)"]
        expected = [("issue", "~", ISSUES), ("series", "-", 1), ("series", "~", 1)]
    assert told == [f"('{kind}', '{sort}', 'Twice', {world[0]}, {number})" for kind, sort, number in expected]
    assert audit == [f"('{act}', 'Boss', {world[1] if act == 'delete' else world[2]})"]


@pytest.mark.parametrize("act", ACTS)
def test_others_write_between_the_pieces(factory, world, act):
    def edit():
        with factory() as other:
            other.execute(text("SET LOCAL lock_timeout = '2s'"))
            short = other.get_one(Series, world[2])
            Catalog(other).update(short, {"desc": "Meanwhile."})
            Catalog(other).create(Publisher, {"name": "New"})
            other.commit()

    ask(factory, world, ACTS[act])
    stop = after_commits(factory, 3, edit)
    work(factory)
    stop()
    with factory() as session:
        assert session.get_one(Series, world[2]).desc == "Meanwhile."
        lines = session.scalars(select(Change.kind).order_by(Change.seq)).all()
        assert "issue" in lines[lines.index("publisher") :]
    assert len(state(factory)[5]) == 1


def test_an_act_that_has_become_impossible_is_given_up(factory, world):
    ask(factory, world, merge)
    with factory() as session:
        values = {"series": world[2], "number": "7", "cover_date": date(2020, 1, 1)}
        Catalog(session).create(Issue, values)
        session.commit()
    assert work(factory) == 0
    with factory() as session:
        assert session.scalar(select(func.count()).where(Issue.series_id == world[1])) == ISSUES
    assert state(factory)[5] == []


def test_what_is_asked_for_twice_is_done_once(factory, world):
    for _ in range(2):
        ask(factory, world, delete)
    ask(factory, world, merge)
    assert work(factory) == 1
    assert len(state(factory)[5]) == 1


def test_one_process_at_a_time_works(factory, world):
    ask(factory, world, delete)
    bind = factory.kw["bind"]
    with jobs.job_lock(bind, jobs.ACTS), pytest.raises(jobs.AlreadyRunningError):
        work(factory)
    worker = ActWorker(bind, {"sqlalchemy.url": bind.url.render_as_string(hide_password=False)}, None)
    worker.start()
    with factory() as session:
        while has_unfinished(session):
            session.rollback()
            time.sleep(0.05)
    worker.stop()
    assert len(state(factory)[5]) == 1


def test_a_publisher_goes_with_the_issues_of_its_series_first(factory, world):
    with factory() as session:
        catalog, boss = staff(session, world)
        gone, kept = (session.get_one(Series, each).publisher_id for each in world[1:])
        publisher = session.get_one(Publisher, gone)
        catalog_objects.delete_object(catalog, boss, publisher)
        session.commit()
        assert work(factory) == 1
        assert session.scalars(select(Publisher.id)).all() == [kept]
        together = text(
            "SELECT string_agg(kind, ' ') FROM change_log WHERE action = 'delete'"
            " GROUP BY xmin::text ORDER BY min(seq)"
        )
        pieces_of_issues = ["issue issue"] * (ISSUES // PIECE)
        assert session.scalars(together).all() == [*pieces_of_issues, "series", "publisher"]
    assert len(state(factory)[5]) == 1


def test_nothing_moves_where_both_have_what_must_not_be_there_twice(factory, world):
    with factory() as session:
        Catalog(session).create(Issue, {"series": world[2], "number": "7", "cover_date": date(2020, 1, 1)})
        session.commit()
        with pytest.raises(InvalidError):
            merge(session, world)


@pytest.mark.parametrize("act", EDITS)
def test_issues_are_written_in_pieces_with_one_entry_in_the_audit_log(factory, world, act):
    with factory() as session:
        make, issues = Factories(Catalog(session)), chosen(session, world)
        who, odd = make.creator().id, func.concat("odd-", Issue.id)
        session.execute(update(Issue).where(Issue.id.in_(issues)).values(desc="Old.", slug=odd))
        writer = session.scalar(select(Role.id).where(Role.name == "Writer"))
        credit_ids = session.scalars(
            insert(Credit).returning(Credit.id), [{"creator_id": who, "issue_id": each} for each in issues]
        ).all()
        session.execute(insert(credit_role), [{"credit_id": each, "role_id": writer} for each in credit_ids])
        session.execute(
            insert(issue_character), [{"character_id": make.character().id, "issue_id": issues[-1]}]
        )
        session.commit()
        before = session.scalar(select(func.max(Change.seq)))
    write, action = EDITS[act]
    ask(factory, world, write)
    interrupted(factory)
    with factory() as session:
        (note,) = session.scalars(select(UnfinishedAct)).all()
        assert 0 < len(note.ids) < ISSUES
        assert session.scalars(select(StaffAction)).all() == []
    assert work(factory) == 1
    assert len(state(factory)[5]) == 1
    with factory() as session:
        (entry,) = session.scalars(select(StaffAction)).all()
        assert (entry.action, entry.actor_name) == (action, "Boss")
        assert (
            entry.change
            == {
                "delete": {"reason": ["", "Twice"], "objects": ["", issues]},
                "teen": {"objects": ["", issues]},
                "slugs": {"objects": ["", [world[1]]]},
                "year": {"year_began": [2020, 1999], "slugs": ["", ISSUES + 1]},
                "universe": entry.change | {"issue": ["", ISSUES], "character": ["", 1]},
                "anthology": {"credits": ["", ISSUES], "descriptions": ["", ISSUES]},
            }[act]
        )
        lines = select(Change.object_id).where(Change.kind == "issue", Change.seq > before)
        assert set(session.scalars(lines)) == set(issues)
        together = text("SELECT count(*) FROM change_log WHERE seq > :before GROUP BY xmin::text")
        assert max(session.scalars(together, {"before": before})) <= PIECE + 2


@pytest.fixture
def cast(factory, world):
    """Ids of two characters, two creators and two roles; the first are in all issues, the second in one."""
    with factory() as session:
        make = Factories(Catalog(session))
        issues = list(session.scalars(select(Issue.id).order_by(Issue.id)))
        found = [make.character().id, make.character().id, make.creator().id, make.creator().id]
        roles = [role.id for role in session.scalars(select(Role).order_by(Role.id).limit(2))]
        rows = [(found[0], each) for each in issues] + [(found[1], issues[0])]
        session.execute(
            insert(issue_character), [{"character_id": who, "issue_id": each} for who, each in rows]
        )
        rows = [(found[2], each) for each in issues] + [(found[3], issues[0])]
        credit_ids = session.scalars(
            insert(Credit).returning(Credit.id), [{"creator_id": who, "issue_id": each} for who, each in rows]
        ).all()
        session.execute(
            insert(credit_role),
            [{"credit_id": each, "role_id": roles[each == credit_ids[-1]]} for each in credit_ids],
        )
        session.commit()
        return found, roles


@pytest.mark.parametrize("kind", ["character", "creator"])
def test_links_with_many_issues_move_in_pieces(factory, world, cast, kind):
    (character, other_character, creator, other_creator), roles = cast
    gone, kept = (character, other_character) if kind == "character" else (creator, other_creator)
    commits = []
    stop = after_commits(factory, 2, lambda: commits.append(1))
    with factory() as session:
        catalog, boss = staff(session, world)
        entities = (catalog_objects.find(catalog, kind, each) for each in (kept, gone))
        catalog_objects.merge_objects(catalog, boss, *entities, "Twice")
        session.commit()
    work(factory)
    stop()
    assert commits
    with factory() as session:
        issues = list(session.scalars(select(Issue.id).order_by(Issue.id)))
        if kind == "character":
            rows = session.execute(select(issue_character.c.issue_id, issue_character.c.character_id))
            assert sorted(rows) == [(each, kept) for each in issues]
        else:
            rows = session.execute(
                select(Credit.issue_id, Credit.creator_id, func.array_agg(credit_role.c.role_id))
                .join(credit_role, credit_role.c.credit_id == Credit.id)
                .group_by(Credit.issue_id, Credit.creator_id)
            )
            found = {(issue, who): sorted(of) for issue, who, of in rows}
            assert found == {(each, kept): roles if each == issues[0] else roles[:1] for each in issues}
        assert session.scalars(select(Issue.id).where(Issue.modified_before.is_(None))).all() == []
        told = select(func.count(), func.count(func.distinct(History.object_id))).where(
            History.kind == "issue", History.reason == "Twice", History.user_id == world[0]
        )
        assert session.execute(told).one() == (len(issues), len(issues))
    assert len(state(factory)[5]) == 1


@pytest.mark.parametrize("kind", ["character", "creator"])
def test_links_with_many_issues_are_removed_in_pieces(factory, world, cast, kind):
    gone = cast[0][0 if kind == "character" else 2]
    with factory() as session:
        catalog, boss = staff(session, world)
        catalog_objects.delete_object(catalog, boss, catalog_objects.find(catalog, kind, gone), "Twice")
        session.commit()
    stop = after_commits(factory, 3, kill)
    with pytest.raises(ProcessKilled):
        work(factory)
    stop()
    table = issue_character if kind == "character" else Credit.__table__
    left = select(func.count()).where(table.c[f"{kind}_id"] == gone)
    with factory() as session:
        assert 0 < session.scalar(left) < ISSUES
        assert session.get(KINDS[kind].model, gone) is not None
    work(factory)
    with factory() as session:
        assert session.scalar(left) == 0
        told = select(func.count()).where(History.kind == "issue", History.reason == "Twice")
        assert session.scalar(told) == ISSUES + 1
    assert len(state(factory)[5]) == 1
