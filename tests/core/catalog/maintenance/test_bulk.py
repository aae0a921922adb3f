"""Bulk changes: which objects each changes, all or none, and the effects on stamps, history and logs."""

from datetime import date

import pytest
from sqlalchemy import func, select

from comicsdb.admin import catalog_objects
from comicsdb.catalog import Catalog, InvalidError
from comicsdb.catalog.maintenance import bulk
from comicsdb.catalog.parts import credits_of
from comicsdb.models import (
    AgeRating,
    Arc,
    Change,
    FormerSlug,
    Series,
    SeriesType,
    StaffAction,
    Tombstone,
    Version,
)
from tests.conftest import record_statements
from tests.factories import history_of

COVER = {"image": "issue/2026/01/02/x.png", "image_width": 2, "image_height": 3, "cover_hash": "0f" * 8}


@pytest.fixture
def boss(make, session):
    """An account of the staff; `boss.catalog` is the catalog that acts for it."""
    user = make.user("Boss", is_staff=True)
    user.catalog = Catalog(session, user.id, actor_name="Boss")
    return user


def issues(make, *values):
    """Create issues of one series, one from each dictionary."""
    with make.single_commit():
        series = make.series(name="Run")
        return [make.issue(series=series, number=str(place), **each) for place, each in enumerate(values, 1)]


def version(session, kind) -> int:
    return session.scalar(select(Version.value).where(Version.kind == kind))


def written(session, issue) -> list[tuple]:
    """The history of an issue after its first version: editors, and the changed fields."""
    fields = select(Change.fields).where(Change.kind == "issue", Change.object_id == issue.id)
    users = [each.user_id for each in history_of(session, "issue", issue.id)]
    return list(zip(users, session.scalars(fields.order_by(Change.seq)).all(), strict=True))[1:]


def log(session) -> list[tuple]:
    lines = session.scalars(select(StaffAction).order_by(StaffAction.id))
    return [(each.actor_name, each.action, each.kind, each.target, each.change) for each in lines]


def test_what_is_unknown_becomes_teen_and_the_rest_follows(make, session, boss):
    unknown, mature, another = issues(make, {}, {"rating": 5}, {})
    stamps, lists = (unknown.modified, mature.modified, unknown.series_id), version(session, "issue")
    series = session.get(Series, unknown.series_id)
    moved = series.modified
    done = catalog_objects.edit_issues(
        boss.catalog, boss, [unknown.id, mature.id, another.id, unknown.id], "rate teen"
    )
    session.commit()
    assert done == bulk.BulkResult((unknown.id, another.id), 1)
    session.expire_all()
    assert [each.rating_id for each in (unknown, mature, another)] == [3, 5, 3]
    assert [each.edited_by_id for each in (unknown, mature)] == [boss.id, 1]
    assert unknown.modified > stamps[0]
    assert mature.modified == stamps[1]
    assert series.modified > moved
    assert version(session, "issue") > lists
    assert written(session, unknown) == [(boss.id, ["rating"])]
    assert written(session, mature) == []
    assert log(session) == [
        ("Boss", "rate teen", "issue", "2 objects", {"objects": ["", [unknown.id, another.id]]})
    ]
    assert catalog_objects.edit_issues(boss.catalog, boss, [unknown.id], "rate teen") == bulk.BulkResult(
        (), 1
    )
    assert len(log(session)) == 1


def test_a_rating_that_is_not_there_is_told(make, session, boss):
    session.get(AgeRating, 3).name = "T"
    session.flush()
    (issue,) = issues(make, {})
    with pytest.raises(InvalidError, match="no age rating"):
        bulk.set_teen(boss.catalog, [issue.id])


def test_covers_go_with_their_hash_and_their_files(make, session, boss):
    one, bare = issues(make, COVER, {})
    done = bulk.remove_covers(boss.catalog, [one.id, bare.id])
    assert done == bulk.BulkResult((one.id,), 1)
    assert boss.catalog.unit.changes.released_files == {COVER["image"]}
    session.commit()
    session.expire_all()
    assert (one.image, one.image_width, one.image_height, one.cover_hash) == ("", None, None, "")
    assert written(session, one) == [
        (boss.id, ["cover_hash", "image", "image_height", "image_width"]),
    ]


def test_executives_are_added_beside_those_who_are_there(make, session, boss):
    first, second = issues(make, {}, {})
    other = make.issue()
    chief, president = make.creator(), make.creator()
    make.credit(second, chief, "Writer")
    ids = {name: make.role(name).id for name in ("Editor In Chief", "President", "Writer")}
    publisher = session.scalar(select(Series.publisher_id).where(Series.id == first.series_id))
    setting = {
        publisher: ((chief.id, "Editor In Chief"), (president.id, "President"), (chief.id, "President"))
    }
    wanted = [first.id, second.id, other.id]
    done = catalog_objects.add_executives(boss.catalog, boss, wanted, setting)
    session.commit()
    assert done == bulk.BulkResult((first.id, second.id), 1)
    both = {ids["Editor In Chief"], ids["President"]}
    assert credits_of(session, first.id) == {chief.id: both, president.id: {ids["President"]}}
    assert credits_of(session, second.id)[chief.id] == both | {ids["Writer"]}
    assert credits_of(session, other.id) == {}
    assert written(session, first) == [(boss.id, ["credits"])]
    assert bulk.add_executives(boss.catalog, wanted, setting) == bulk.BulkResult((), 3)
    for wrong in (((chief.id, "Boss of All"),), ((999_999, "President"),)):
        with pytest.raises(InvalidError, match="names entries that do not exist"):
            bulk.add_executives(boss.catalog, wanted, setting | {publisher: wrong})


def test_contents_are_taken_from_reprints_where_that_can_be(make, session, boss):
    face = make.character()
    source, many = issues(
        make,
        {"name": ["A Spark"], "characters": [face]},
        {"name": ["One", "Two"], "cover_date": date(2021, 1, 1)},
    )
    book = make.series(series_type=10)
    taking = make.issue(series=book, number="1", reprints=[source, many])
    full = make.issue(series=book, number="2", reprints=[source], name=["Mine"])
    bare = make.issue(series=book, number="3")
    only_many = make.issue(series=book, number="4", reprints=[many])
    wanted = [each.id for each in (taking, full, bare, only_many, source)]
    done = bulk.copy_from_reprints(boss.catalog, wanted)
    session.commit()
    assert done == bulk.BulkResult((taking.id,), 4)
    session.expire_all()
    assert (taking.name, full.name, only_many.name) == (["A Spark"], ["Mine"], [])
    assert written(session, taking)[-1] == (boss.id, ["characters", "name"])


def test_slugs_of_issues_are_made_anew(make, session, boss):
    (issue,) = issues(make, {})
    series, tidy = session.get(Series, issue.series_id), make.series()
    make.catalog.update(issue, {"slug": "odd"})
    session.commit()
    done = catalog_objects.rebuild_many_slugs(boss.catalog, boss, [series.id, tidy.id])
    session.commit()
    assert done == bulk.BulkResult((series.id,), 1)
    assert issue.slug == "run-2020-1"
    assert session.get(FormerSlug, ("issue", "odd")).object_id == issue.id
    assert log(session)[0][1:4] == ("rebuild slugs", "series", "1 object")


def test_many_are_deleted_with_one_reason(make, session, boss):
    arcs = [make.arc() for _ in range(3)]
    ids = [each.id for each in arcs]
    done = catalog_objects.delete_objects(boss.catalog, boss, Arc, ids[:2], "Twice")
    session.commit()
    assert done == bulk.BulkResult(tuple(ids[:2]))
    assert session.scalars(select(Arc.id)).all() == ids[2:]
    assert {session.get(Tombstone, ("arc", each)).reason for each in ids[:2]} == {"Twice"}
    assert log(session) == [
        ("Boss", "delete", "arc", "2 objects", {"objects": ["", ids[:2]], "reason": ["", "Twice"]})
    ]


def test_all_are_done_or_none(make, session, boss):
    make.series()
    unused = SeriesType(name="Unused")
    session.add(unused)
    session.commit()
    for wanted, told in (
        ([], "Nothing is selected"),
        (range(1, 502), "Too many"),
        ([1, 999_999], "no longer exist"),
    ):
        with pytest.raises(InvalidError, match=told):
            bulk.validate_selection(boss.catalog, SeriesType, wanted)
    with pytest.raises(InvalidError, match="Some series have this type"), session.begin_nested():
        bulk.delete(boss.catalog, [13, unused.id], "series_type")
    session.commit()
    number = select(func.count()).select_from(SeriesType).where(SeriesType.id.in_([13, unused.id]))
    assert session.scalar(number) == 2
    assert log(session) == []


def test_a_rating_of_many_costs_little_more_than_of_few(make, connection, boss):
    found = issues(make, *({} for _ in range(12)))
    costs = []
    for some in (found[:2], found[2:]):
        with record_statements(connection) as statements:
            bulk.set_teen(boss.catalog, [each.id for each in some])
            boss.catalog.session.commit()
        costs.append(len(statements))
    assert costs[0] == costs[1], costs
