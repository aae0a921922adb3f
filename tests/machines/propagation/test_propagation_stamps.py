"""Propagation of ratings, attributions and issue lists, and general rules."""

from datetime import date

import pytest
from sqlalchemy import select, text

from comicsdb import models
from comicsdb.catalog import parts
from comicsdb.catalog.kinds import KINDS
from comicsdb.library.ratings import rate
from tests.machines.propagation.moved_stamps import keys
from tests.machines.propagation.world import World

TODAY = date(2026, 1, 1)


pytestmark = pytest.mark.usefixtures("bystanders")

# Ratings.


def test_rating_moves_the_rating_stamps_of_issue_and_series_and_no_modified(make, write, issue, series):
    after = write.run(rate, write.session, issue, make.user().id, 5, today=TODAY)
    assert after.rated == keys(issue, series)
    assert after.modified == after.lists == set()


def test_a_rated_issue_that_is_deleted_moves_its_series_figures(write, make, issue, series, sibling):
    rate(write.session, issue, make.user().id, 5, today=TODAY)
    assert write.delete(issue).rated == keys(series)
    assert series.average_rating is None
    assert write.delete(sibling).rated == set()  # nobody had rated it


def test_a_rated_issue_that_moves_takes_its_stars_along(write, make, issue, series, sibling):
    other = make.series()
    rate(write.session, issue, make.user().id, 5, today=TODAY)
    assert write.update(issue, {"series": other.id}).rated == keys(series, other)
    write.session.expire_all()
    assert (series.average_rating, other.average_rating) == (None, 5.0)
    assert write.update(sibling, {"series": other.id}).rated == set()


# Attributions.


@pytest.mark.parametrize("kind", [model.__tablename__ for model in models.CATALOG])
def test_attributions_touch_their_owner(write, make, kind):
    entity = getattr(make, kind)()
    own = keys(entity) | ({("series", entity.series_id)} if kind == "issue" else set())
    one, two = ({"source": "W", "url": f"https://{name}.example/"} for name in "ab")
    for wanted in ([one], [one, two], [two], []):
        assert write.update(entity, {"attributions": wanted}).modified == own


# Links and parts that are written without their owner, as an import writes them.


def written_alone(kind, make):
    """The field of each link and part of a kind, with a function of session and id that writes it."""
    source = {"source": "W", "url": "https://a.example/"}
    for link in KINDS[kind].links:
        if link.target is models.Genre:
            partner = make.session.scalar(select(models.Genre.id).limit(1))
        else:
            partner = getattr(make, link.target.__tablename__)().id
        yield (
            link.field,
            lambda session, each, link=link, partner=partner: parts.replace_links(
                session, kind, link, each, [partner]
            ),
        )
    if "attributions" in KINDS[kind].parts:
        yield "attributions", lambda session, each: parts.replace_attributions(session, kind, each, [source])
        other = {"source": "metron", "external_id": "7"}
        yield (
            "external_ids",
            lambda session, each: parts.replace_external_ids(session, kind, each, [other], None),
        )
    if "credits" in KINDS[kind].parts:
        credit = {"creator": make.creator().id, "roles": [1]}
        yield "credits", lambda session, each: parts.replace_credits(session, each, [credit])


@pytest.mark.parametrize("kind", [model.__tablename__ for model in models.CATALOG])
def test_links_and_parts_that_are_written_alone_touch_their_owner(write, make, kind):
    entity = getattr(make, kind)()
    for field, job in list(written_alone(kind, make)):

        def replace(job=job):
            job(write.session, entity.id)
            write.catalog.unit.propagate()

        assert keys(entity) <= write.run(replace).modified, field


# The stamps of issue lists.


def test_every_move_of_an_issue_moves_the_second_stamp_of_all_that_list_it(write, make, series):
    arc, character, team, universe = make.arc(), make.character(), make.team(), make.universe()
    creator = make.creator()
    issue = make.issue(
        series=series,
        number="2",
        arcs=[arc],
        characters=[character],
        teams=[team],
        universes=[universe],
        credits=[{"creator": creator.id, "roles": [1]}],
    )
    listing = keys(arc, character, team, series)
    assert write.update(issue, {"desc": "Words."}).lists == listing
    assert write.update(creator, {"name": "Renamed"}).lists == listing
    assert write.update(universe, {"name": "Renamed"}).lists == listing
    after = write.update(make.role("Writer"), {"name": "Renamed"})
    assert after.lists == listing
    assert after.modified & listing == set()


def test_an_arcs_own_modified_stays_when_one_of_its_issues_is_edited(write, make, issue, series):
    arc = make.arc()
    write.update(issue, {"arcs": [arc.id]})
    after = write.update(issue, {"number": "7"})
    assert after.modified == keys(issue, series)
    assert after.lists == keys(arc, series)


def test_renaming_a_series_moves_the_lists_its_issues_are_in(write, make, issue, series):
    arc, idle = make.arc(), make.arc()
    write.update(issue, {"arcs": [arc.id]})
    after = write.update(series, {"name": "Renamed"})
    assert after.lists == keys(arc, series)
    assert ("arc", idle.id) not in after.modified | after.lists


# General rules.


def test_a_change_in_one_series_touches_no_issue_of_another(make, write, series, issue):
    arc, character = make.arc(), make.character()
    elsewhere = make.issue(arcs=[arc], characters=[character])
    write.update(issue, {"arcs": [arc.id], "characters": [character.id]})
    for after in (
        write.update(issue, {"number": "8"}),
        write.update(series, {"name": "Renamed", "volume": 4}),
        write.run(make.issue, series=series, number="9"),
        write.delete(issue),
        write.delete(series),
    ):
        assert ("issue", elsewhere.id) not in after.modified


def test_a_stamp_that_lies_in_the_future_still_grows(write, session, issue):
    session.execute(text("UPDATE issue SET modified = '2100-01-01' WHERE id = :id"), {"id": issue.id})
    assert ("issue", issue.id) in write.update(issue, {"page": 3}).modified
    row = World(session).rows["issue"][issue.id]
    assert row["modified"].isoformat() == "2100-01-01T00:00:00.000001+00:00"
    assert row["modified_before"].isoformat() == "2100-01-01T00:00:00+00:00"


def test_what_a_savepoint_did_that_the_caller_rolled_back_did_not_happen(catalog, make, session):
    kept, gone = make.arc(), make.arc()
    session.commit()
    before = World(session)
    lines = session.scalar(text("SELECT count(*) FROM change_log"))
    savepoint = session.begin_nested()
    catalog.delete(gone)
    catalog.update(kept, {"name": "Regretted"})
    savepoint.rollback()
    session.commit()
    after = World(session)
    assert (after.rows, after.versions) == (before.rows, before.versions)
    assert session.scalar(text("SELECT count(*) FROM change_log")) == lines
    assert kept.modified == before.rows["arc"][kept.id]["modified"]


def test_what_a_released_savepoint_did_counts(catalog, make, session):
    gone = make.arc()
    before = World(session).versions["arc"]
    with session.begin_nested():
        catalog.delete(gone)
    session.commit()
    assert World(session).versions["arc"] == before + 1
    assert session.scalar(text("SELECT action FROM change_log ORDER BY seq DESC LIMIT 1")) == "delete"
