"""The pull list: created on first access, no duplicate series, and the covers pulled of each."""

from datetime import date, timedelta

import pytest
from sqlalchemy import func, select

from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.library import collection, pull_list
from comicsdb.models import CollectionItem, PullList, PullListSeries, Series, Variant
from tests.cases import for_each
from tests.concurrency import run_concurrently
from tests.conftest import record_statements
from tests.factories import Factories

WEDNESDAY = date(2026, 12, 30)
MONDAY = date(2026, 12, 28)


def ids(session, user_id):
    """The ids of the series on a list, in its order."""
    return [each.series_id for each in pull_list.entries(session, user_id)]


def stamps(session, user_id):
    """The stored stamps of a list."""
    columns = select(PullList.modified, PullList.modified_before).where(PullList.user_id == user_id)
    return session.execute(columns).one()


@pytest.fixture
def reader(make):
    return make.user().id


def test_a_list_is_made_once(session, make, reader):
    made = pull_list.pull_list(session, reader)
    assert pull_list.pull_list(session, reader) is made
    assert pull_list.pull_list(session, make.user().id).id != made.id
    assert session.scalar(select(func.count()).select_from(PullList)) == 2


def test_a_series_is_followed_once_and_left_once(session, make, reader):
    series = make.series()
    entry, created = pull_list.add(session, reader, series.id)
    assert (entry.series_id, created) == (series.id, True)
    again, created = pull_list.add(session, reader, series.id)
    assert (again.id, created) == (entry.id, False)
    assert pull_list.remove(session, reader, series.id) is True
    assert pull_list.remove(session, reader, series.id) is False
    assert ids(session, reader) == []


def test_the_wanted_state_counts_whatever_was_before(session, make, reader):
    series = make.series().id
    told = [pull_list.set_followed(session, reader, series, wanted) for wanted in (True, True, False, False)]
    assert told == [True, False, True, False]
    assert pull_list.follows(session, reader, series) is False


@for_each("number", [0, -1, 999_999, 2**31, 2**70])
def test_a_series_that_is_not_there(session, reader, number):
    with pytest.raises(NotFoundError) as caught:
        pull_list.add(session, reader, number)
    assert (caught.value.kind, caught.value.key) == ("series", number)
    assert pull_list.remove(session, reader, number) is False


def test_lists_of_others_are_theirs(session, make, reader):
    other, series = make.user().id, make.series().id
    pull_list.add(session, reader, series)
    assert pull_list.follows(session, other, series) is False
    assert pull_list.remove(session, other, series) is False
    assert (ids(session, reader), ids(session, other)) == ([series], [])


def test_every_change_moves_the_stamp_and_nothing_else_does(session, catalog, make, reader):
    one, two = make.series(), make.series()
    pull_list.pull_list(session, reader)
    seen = [stamps(session, reader)]
    for change in (
        lambda: pull_list.add(session, reader, one.id),
        lambda: pull_list.add(session, reader, two.id),
        lambda: pull_list.remove(session, reader, one.id),
        lambda: catalog.delete(two),
    ):
        change()
        session.commit()
        seen.append(stamps(session, reader))
        assert seen[-1].modified > seen[-2].modified
        assert seen[-1].modified_before == seen[-2].modified
    three = make.series()
    pull_list.add(session, reader, three.id)
    before = stamps(session, reader)
    pull_list.add(session, reader, three.id)
    pull_list.remove(session, reader, one.id)
    catalog.update(three, {"name": "Other"})
    assert stamps(session, reader) == before


def test_a_list_that_was_read_shows_its_new_stamp(session, make, reader):
    before = pull_list.pull_list(session, reader).modified
    pull_list.add(session, reader, make.series().id)
    assert pull_list.pull_list(session, reader).modified > before


def pulls(session, reader, monday=MONDAY):
    """The number, variant and whether it is owned, of each pull of a week."""
    found = pull_list.week(session, reader, monday)
    return [(each.issue.number, each.variant and each.variant.name, each.owned) for each in found]


def test_the_pulls_of_a_week_are_what_was_chosen(session, make, reader):
    """The choices are the main cover, all covers, variants by whole words, or nothing."""
    chosen = (
        ("COVER", ""),
        ("ALL", ""),
        ("VARIANTS", " foil ,1:25,, foil"),
        ("NONE", ""),
    )
    names = ("1:25 Ann Lee", "1:250 Bo Ito", "Gold-FOIL: cover", "Foils")
    all_series = [make.series(name=f"S{place}") for place in range(4)]
    for series, (what, words) in zip(all_series, chosen, strict=True):
        pull_list.add(session, reader, series.id)
        pull_list.set_pulled(session, reader, series.id, what, words)
        issue = make.issue(series=series, number=what, store_date=WEDNESDAY)
        for name in names:
            make.variant(issue, name=name)
    make.issue(series=all_series[0], number="0", store_date=MONDAY - timedelta(days=1))
    make.issue(series=all_series[0], number="2", store_date=MONDAY + timedelta(days=6))
    for number in ("3", "4"):
        make.issue(series=all_series[0], number=number, store_date=MONDAY + timedelta(days=7))
    make.issue(series=all_series[3], number="5", store_date=MONDAY + timedelta(days=7))
    make.issue(series=all_series[2], number="6", store_date=MONDAY + timedelta(days=7))
    make.issue(store_date=WEDNESDAY)
    session.flush()
    expected = [
        ("COVER", None, False),
        ("ALL", None, False),
        *(("ALL", name, False) for name in names),
        ("VARIANTS", names[0], False),
        ("VARIANTS", names[2], False),
        ("2", None, False),
    ]
    assert pulls(session, reader) == expected
    assert pulls(session, make.user().id) == []
    assert pull_list.weeks_ahead(session, reader, MONDAY) == [(MONDAY + timedelta(days=7), 2)]
    assert [each[0] for each in pulls(session, reader, MONDAY - timedelta(days=7))] == ["0"]
    # A copy without a variant is the main cover; each cover is added once.
    foil = session.scalars(select(Variant).where(Variant.name == names[2]).order_by(Variant.id)).all()[2]
    collection.add(session, reader, foil.issue_id, {"variant_id": foil.id})
    assert pull_list.add_week(session, reader, MONDAY) == 8
    assert pull_list.add_week(session, reader, MONDAY) == 0
    assert pulls(session, reader) == [(*each[:2], True) for each in expected]
    rows = session.execute(select(CollectionItem.variant_id, CollectionItem.quantity)).all()
    assert len(rows) == 9
    assert sum(variant is not None for variant, _ in rows) == 6


def test_what_cannot_be_chosen(session, make, reader):
    series = make.series().id
    with pytest.raises(NotFoundError):
        pull_list.set_pulled(session, reader, series, "ALL", "")
    pull_list.add(session, reader, series)
    for what, words, field in (
        ("SOME", "", "pulled"),
        ("VARIANTS", " , ", "variant_words"),
        ("VARIANTS", "x" * 201, "variant_words"),
        *(("VARIANTS", f"foil{each}", "variant_words") for each in ("\0", "\ud800", "\ufffe")),
    ):
        with pytest.raises(InvalidError) as caught:
            pull_list.set_pulled(session, reader, series, what, words)
        assert list(caught.value.errors) == [field]
    with pytest.raises(NotFoundError):
        pull_list.entry(session, make.user().id, series)


def test_a_week_of_many_series_costs_as_much_as_one_of_few(session, connection, make, reader):
    def cost():
        session.expire_all()
        with record_statements(connection) as statements:
            pull_list.entries(session, reader)
            pull_list.week(session, reader, MONDAY)
            pull_list.weeks_ahead(session, reader, MONDAY)
            pull_list.add_week(session, reader, MONDAY)
        return len(statements)

    costs = []
    for size in (1, 6):
        for number in range(size):
            series = make.series()
            make.issue(series=series, number=str(number), store_date=WEDNESDAY)
            pull_list.add(session, reader, series.id)
        session.commit()
        costs.append(cost())
    assert costs == [10, 10]


# Concurrent writes.


@pytest.fixture
def factory(shared_factory):
    return shared_factory


@pytest.fixture
def scene(factory):
    """A reader and two series, committed."""
    with factory() as session:
        make = Factories(Catalog(session))
        return make.user().id, make.series().id, make.series().id


def test_many_first_looks_make_one_list(factory, scene):
    reader, _, _ = scene
    made = run_concurrently(factory, *[lambda catalog: pull_list.pull_list(catalog.session, reader).id] * 8)
    assert len(set(made)) == 1


def test_many_who_add_one_series_add_it_once(factory, scene):
    reader, series, _ = scene
    told = run_concurrently(factory, *[lambda catalog: pull_list.add(catalog.session, reader, series)[1]] * 6)
    assert sorted(told) == [False] * 5 + [True]


def test_two_series_added_at_once_are_both_there(factory, scene):
    reader, *series = scene
    for _ in range(5):
        jobs = [
            lambda catalog, each=each: pull_list.set_followed(catalog.session, reader, each, True)
            for each in series
        ]
        run_concurrently(factory, *jobs)
        with factory() as session:
            assert sorted(ids(session, reader)) == sorted(series)
            for each in series:
                pull_list.remove(session, reader, each)
            session.commit()


def test_switches_that_meet_end_in_one_of_the_wanted_states(factory, scene):
    reader, series, _ = scene
    jobs = [
        lambda catalog, wanted=wanted: pull_list.set_followed(catalog.session, reader, series, wanted)
        for wanted in (True, False, True, False)
    ]
    told = run_concurrently(factory, *jobs)
    with factory() as session:
        number = len(ids(session, reader))
    assert number == sum(told[::2]) - sum(told[1::2])
    assert number in (0, 1)


def test_a_series_that_goes_while_it_is_added_is_not_there_or_not_found(factory, scene):
    reader, series, other = scene

    def add(catalog):
        try:
            return pull_list.add(catalog.session, reader, series)[1]
        except NotFoundError:
            return None

    def delete(catalog):
        catalog.delete(catalog.get(Series, series))

    with factory() as session:
        pull_list.add(session, reader, other)
        session.commit()
    run_concurrently(factory, add, delete)
    with factory() as session:
        assert ids(session, reader) == [other]
        rows = select(func.count()).where(PullListSeries.series_id.in_((series, other)))
        assert session.scalar(rows) == 1
