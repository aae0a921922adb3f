"""Merges and deletions in pieces: others write in between, and a crash only delays the end."""

from datetime import date, timedelta

import pytest
from sqlalchemy import event, func, insert, select, text

from comicsdb.admin import catalogue
from comicsdb.admin.unfinished import resume
from comicsdb.catalog import Catalog, InvalidError
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance.pieces import FEW, delete_below
from comicsdb.catalog.piecewise import FIRST
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
from tests.factories import Make
from tests.lists import many_issues

ISSUES = FEW + 3 * FIRST
NOW = timedelta(0)


class Killed(BaseException):
    """What ends a process in the middle of its work."""


@pytest.fixture
def world(factory):
    """Ids: of somebody of the staff, of a long series with stars, and of a short one of another publisher."""
    with factory() as session:
        make = Make(Catalog(session))
        user = make.user("Boss", is_staff=True)
        long, short = make.series(name="Long"), make.series(name="Short")
        issues = many_issues(session, long, ISSUES)
        make.issue(series=short, number="0")
        ratings.give(session, user.id, {issues[0].id: 4, issues[-1].id: 2}, today=date(2026, 3, 4))
        Catalog(session).update(issues[0], {"reprints": [issues[-1].id]})
        session.commit()
        return user.id, long.id, short.id


def delete(session, world):
    boss, long, _short = world
    catalog = Catalog(session, boss)
    entity = catalogue.find(catalog, "series", long)
    catalogue.delete_object(catalog, session.get(User, boss), entity, "Twice")
    session.commit()


def merge(session, world):
    boss, long, short = world
    catalog = Catalog(session, boss)
    kept, other = (catalogue.find(catalog, "series", each) for each in (short, long))
    catalogue.merge_objects(catalog, session.get(User, boss), kept, other, "Twice")
    session.commit()


ACTS = {"delete": delete, "merge": merge}


def after_commits(factory, number, work):
    """Do some work after so many commits of a process, until it ends."""
    counted = []

    def committed(session):
        if not session.in_nested_transaction():
            counted.append(session)
            if len(counted) == number:
                work()

    event.listen(factory, "after_commit", committed)
    return lambda: event.remove(factory, "after_commit", committed)


def state(factory):
    """What an act leaves: objects, tombstones, history and log of the issues, figures, and the audit log."""
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


@pytest.mark.parametrize("act", ACTS)
def test_what_was_interrupted_ends_as_if_done_in_one_go(factory, world, act):
    def kill():
        raise Killed

    stop = after_commits(factory, 3, kill)
    with factory() as session, pytest.raises(Killed):
        ACTS[act](session, world)
    stop()
    with factory() as session:
        left = session.scalar(select(func.count()).where(Issue.series_id == world[1]))
        assert 0 < left < ISSUES
        assert session.scalars(select(StaffAction)).all() == []
    assert resume(factory) == 0  # somebody may be at it
    assert resume(factory, idle=NOW) == 1
    issues, gone, told, _lines, series, audit = state(factory)
    assert resume(factory, idle=NOW) == 0
    if act == "delete":
        assert (issues, series) == ([f"({world[2]}, 1)"], [f"({world[2]}, 0, 0)"])
        assert gone == [f"('issue', 'Twice', None, {ISSUES})", "('series', 'Twice', None, 1)"]
        assert f"('issue', '-', 'Twice', {world[0]}, {ISSUES})" in told
    else:
        assert (issues, series) == ([f"({world[2]}, {ISSUES + 1})"], [f"({world[2]}, 2, 6)"])
        assert gone == [f"('series', 'Twice', {world[2]}, 1)"]
        assert sum(each.startswith("('issue', '+'") or "'Twice'" in each for each in told) >= 1
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

    stop = after_commits(factory, 3, edit)
    with factory() as session:
        ACTS[act](session, world)
    stop()
    with factory() as session:
        assert session.get_one(Series, world[2]).desc == "Meanwhile."
        lines = session.scalars(select(Change.kind).order_by(Change.seq)).all()
        assert "issue" in lines[lines.index("publisher") :]
    assert len(state(factory)[5]) == 1


def test_an_act_that_has_become_impossible_is_given_up(factory, world):
    boss, long, short = world
    with factory() as session:
        act = UnfinishedAct(kind="series", object_id=long, survivor_id=short, user_id=boss, audited=True)
        session.add(act)
        Catalog(session).create(Issue, {"series": short, "number": "7", "cover_date": date(2020, 1, 1)})
        session.commit()
    assert resume(factory, idle=NOW) == 1
    with factory() as session:
        assert session.scalar(select(func.count()).where(Issue.series_id == long)) == ISSUES
    assert state(factory)[5] == []


def test_a_publisher_goes_with_the_issues_of_its_series_first(factory, world):
    with factory() as session:
        publisher = session.get_one(Publisher, session.get_one(Series, world[1]).publisher_id)
        delete_below(Catalog(session), publisher)
        assert session.get(Series, world[1]) is None
        assert session.get(Publisher, publisher.id) is publisher


def test_nothing_moves_where_both_have_what_must_not_be_there_twice(factory, world):
    with factory() as session:
        Catalog(session).create(Issue, {"series": world[2], "number": "7", "cover_date": date(2020, 1, 1)})
        session.commit()
        with pytest.raises(InvalidError):
            merge(session, world)
        session.rollback()
        assert session.scalar(select(func.count()).where(Issue.series_id == world[1])) == ISSUES


@pytest.fixture
def cast(factory, world):
    """Ids of two characters and two creators: the first of each in all issues, the second in one of them."""
    with factory() as session:
        make = Make(Catalog(session))
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
        catalog = Catalog(session, world[0])
        entities = (catalogue.find(catalog, kind, each) for each in (kept, gone))
        catalogue.merge_objects(catalog, session.get(User, world[0]), *entities, "Twice")
        session.commit()
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
        catalog = Catalog(session, world[0])
        delete_below(catalog, catalogue.find(catalog, kind, gone), "Twice")
        table = issue_character if kind == "character" else Credit.__table__
        assert session.scalar(select(func.count()).where(table.c[f"{kind}_id"] == gone)) == 0
        told = select(func.count()).where(History.kind == "issue", History.reason == "Twice")
        assert session.scalar(told) == ISSUES + 1
        catalogue.delete_object(catalog, session.get(User, world[0]), session.get(KINDS[kind].model, gone))
        session.commit()
    assert len(state(factory)[5]) == 1


def test_chosen_objects_are_deleted_in_pieces_even_after_a_crash(factory, world):
    def kill():
        raise Killed

    stop = after_commits(factory, 2, kill)
    with factory() as session:
        catalog, boss = Catalog(session, world[0]), session.get(User, world[0])
        chosen = session.scalars(select(Issue.id).where(Issue.series_id == world[1])).all()
        with pytest.raises(Killed):
            catalogue.delete_objects(catalog, boss, Issue, chosen, "Twice")
    stop()
    with factory() as session:
        left = session.scalar(select(func.count()).where(Issue.series_id == world[1]))
        assert 0 < left < ISSUES
    assert resume(factory, idle=NOW) == left
    issues, gone, *_rest, audit = state(factory)
    assert issues == [f"({world[2]}, 1)"]
    assert gone == [f"('issue', 'Twice', None, {ISSUES})"]
    assert audit == ["('delete', 'Boss', None)"]
