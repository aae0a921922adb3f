"""Concurrent writers on real connections: each gets one result, and no change is lost."""

import itertools
import threading
from datetime import date

from sqlalchemy import select, text

from comicsdb import models
from comicsdb.catalog import Catalog, ConflictError, InvalidError
from comicsdb.models import Change, History
from tests.concurrency import run_concurrently
from tests.factories import Factories

WRITERS = 6


def test_writers_of_one_name_get_a_slug_each(factory):
    made = run_concurrently(
        factory, *[lambda catalog: catalog.create(models.Arc, {"name": "Salt"}).slug] * WRITERS
    )
    assert sorted(made) == ["salt", "salt-1", "salt-2", "salt-3", "salt-4", "salt-5"]


def test_writers_of_one_number_get_one_issue_and_conflicts(factory):
    with factory() as session:
        series = Factories(Catalog(session)).series().id
    values = {"series": series, "number": "1", "cover_date": date(2020, 1, 1)}
    answers = run_concurrently(factory, *[lambda catalog: catalog.create(models.Issue, values).id] * WRITERS)
    refused = [answer for answer in answers if isinstance(answer, ConflictError)]
    assert len(refused) == WRITERS - 1
    assert {answer.fields for answer in refused} == {("series", "number")}
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM issue")) == 1
        assert session.scalar(text("SELECT count(*) FROM history WHERE kind = 'issue'")) == 1


def test_renames_of_one_series_follow_one_another_and_none_is_lost(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        series_id, issue = series.id, make.issue(series=series)
        issue_id, before = issue.id, issue.modified

    def change(**values):
        return lambda catalog: catalog.update(catalog.get(models.Series, series_id), values).id

    names = [f"Name {number}" for number in range(WRITERS - 1)]
    answers = run_concurrently(factory, *(change(name=name) for name in names), change(desc="A description"))
    assert answers == [series_id] * WRITERS
    with factory() as session:
        states = session.scalars(
            select(History.snapshot).where(History.kind == "series").order_by(History.id)
        ).all()
        assert {state["name"] for state in states[1:]} >= set(names)
        series = session.get(models.Series, series_id)
        assert (series.name, series.desc) == (states[-1]["name"], "A description")
        assert session.get(models.Issue, issue_id).modified > before


def test_edits_of_issues_and_renames_of_their_series_do_not_block_one_another_for_ever(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        issues = [make.issue(series=series, number=str(number)).id for number in range(3)]
        series_id = series.id
    jobs = [
        (lambda catalog: catalog.update(catalog.get(models.Series, series_id), {"name": "Other"}).id),
        *(
            (lambda catalog, each=each: catalog.update(catalog.get(models.Issue, each), {"desc": "x"}).id)
            for each in issues
        ),
    ]
    for _ in range(5):
        assert run_concurrently(factory, *jobs) == [series_id, *issues]


def test_log_order_is_commit_order(factory):
    """A reader that has seen a number of the log never sees a smaller one appear later."""
    done = threading.Event()
    seen: list[list[int]] = []

    def read():
        with factory() as session:
            while not done.is_set():
                seen.append(list(session.scalars(select(Change.seq).order_by(Change.seq))))
                session.rollback()

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(4):
        run_concurrently(
            factory, *[lambda catalog: catalog.create(models.Arc, {"name": "Tide"}).id] * WRITERS
        )
    done.set()
    reader.join()
    for earlier, later in itertools.pairwise(seen):
        assert later[: len(earlier)] == earlier
    assert len(seen[-1]) <= 4 * WRITERS
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM change_log")) == 4 * WRITERS


def test_a_version_is_seen_exactly_with_its_data(factory):
    with factory() as writer, factory() as reader:
        version = text("SELECT value FROM version WHERE kind = 'arc'")
        names = text("SELECT count(*) FROM arc")
        before = (reader.scalar(version), reader.scalar(names))
        reader.rollback()
        Catalog(writer).create(models.Arc, {"name": "Tide"})
        assert (reader.scalar(version), reader.scalar(names)) == before
        reader.rollback()
        writer.commit()
        assert (reader.scalar(version), reader.scalar(names)) == (before[0] + 1, before[1] + 1)


def test_two_edits_of_one_issue_keep_both_changes(factory):
    with factory() as session:
        issue_id = Factories(Catalog(session)).issue().id

    def change(**values):
        return lambda catalog: catalog.update(catalog.get(models.Issue, issue_id), values).id

    run_concurrently(factory, change(desc="text"), change(page=32), change(title="T"), change(upc="123"))
    with factory() as session:
        issue = session.get(models.Issue, issue_id)
        assert (issue.desc, issue.page, issue.title, issue.upc) == ("text", 32, "T", "123")
        assert session.scalar(text("SELECT count(*) FROM history WHERE kind = 'issue'")) == 5


def test_two_credits_for_one_pair_end_as_one(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        issue_id, creator_id = make.issue().id, make.creator().id

    def credit(role):
        values = {"credits": [{"creator": creator_id, "roles": [role]}]}
        return lambda catalog: catalog.update(catalog.get(models.Issue, issue_id), values).id

    assert run_concurrently(factory, credit(1), credit(2)) == [issue_id] * 2
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM credit")) == 1
        assert session.scalar(text("SELECT count(*) FROM credit_role")) == 1


def test_a_reference_deleted_meanwhile_is_named_not_a_server_error(factory):
    """Once a new link has found its row, the row is locked against deletion; before that, it is missing."""
    with factory() as session:
        make = Factories(Catalog(session))
        arc_id, issue_id = make.arc().id, make.issue().id

    def link(catalog):
        try:
            catalog.update(catalog.get(models.Issue, issue_id), {"arcs": [arc_id]})
        except InvalidError as error:
            return list(error.errors)
        return "linked"

    def remove(catalog):
        catalog.delete(catalog.get(models.Arc, arc_id))
        return "removed"

    answers = run_concurrently(factory, link, remove)
    assert answers in (["linked", "removed"], [["arcs"], "removed"])
    with factory() as session:
        assert session.scalar(text("SELECT count(*) FROM issue_arc")) == 0


def test_who_only_asks_what_is_wrong_keeps_nobody_waiting(factory):
    """`find_errors` locks nothing: a form calls it before it stores pictures, and writes only after that."""
    with factory() as session:
        make = Factories(Catalog(session))
        issue_id, creator_id, team_id = make.issue().id, make.creator().id, make.team().id
    wanted = {"teams": [team_id], "credits": [{"creator": creator_id, "roles": [1]}]}
    with factory() as asking, factory() as writing:
        issue = asking.get(models.Issue, issue_id)
        assert Catalog(asking).find_errors(models.Issue, issue, wanted) == ({}, [])
        writing.execute(text("SET LOCAL lock_timeout = '1s'"))
        catalog = Catalog(writing)
        catalog.update(writing.get(models.Creator, creator_id), {"name": "Renamed"})
        catalog.delete(writing.get(models.Team, team_id))
        writing.commit()
