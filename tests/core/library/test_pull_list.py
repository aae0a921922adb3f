"""The pull list: made at the first look, each series on it once, and what of it is to come."""

from datetime import date, timedelta

import pytest
from sqlalchemy import func, insert, select, text

from comicsdb.catalog import Catalog, NotFoundError
from comicsdb.library import pull_list
from comicsdb.models import Issue, PullList, PullListSeries, Series
from tests.concurrency import at_once
from tests.conftest import recording
from tests.factories import Make

WEDNESDAY = date(2026, 12, 30)
MONDAY = date(2026, 12, 28)


def ids(session, user_id):
    """The ids of the series on a list, in its order."""
    return [each.series_id for each in pull_list.entries(session, user_id)]


def stamps(session, user_id):
    """The stamps of a list as they are stored."""
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
    told = [pull_list.follow(session, reader, series, wanted) for wanted in (True, True, False, False)]
    assert told == [True, False, True, False]
    assert pull_list.follows(session, reader, series) is False


@pytest.mark.parametrize("number", [0, -1, 999_999, 2**31, 2**70])
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


def test_issues_by_week_from_monday_on(session, make, reader):
    followed, other = make.series(), make.series()
    pull_list.add(session, reader, followed.id)
    make.issue(series=other, store_date=WEDNESDAY)
    days = {"0": -3, "1": -2, "2": 0, "3": 1, "4": 4, "5": 5, "6": 12}
    for number, days_after in days.items():
        make.issue(series=followed, number=number, store_date=WEDNESDAY + timedelta(days=days_after))
    make.issue(series=followed, number="7")
    issues, total = pull_list.upcoming(session, reader, WEDNESDAY)
    weeks = [(monday, [each.number for each in found]) for monday, found in pull_list.by_week(issues)]
    assert weeks == [
        (date(2026, 12, 28), ["1", "2", "3", "4"]),
        (date(2027, 1, 4), ["5"]),
        (date(2027, 1, 11), ["6"]),
    ]
    assert total == 6


def test_at_most_fifty_are_to_come_at_once(session, make, reader):
    series = make.series()
    pull_list.add(session, reader, series.id)
    columns = (Issue.series_id, Issue.slug, Issue.number, Issue.cover_date, Issue.store_date)
    days = [MONDAY + timedelta(days=each) for each in range(51)]
    rows = [(series.id, f"i{n}", str(n), day, day) for n, day in enumerate(days)]
    names = [column.key for column in columns]
    session.execute(insert(Issue), [dict(zip(names, row, strict=True)) for row in rows])
    issues, total = pull_list.upcoming(session, reader, WEDNESDAY)
    assert (len(issues), total) == (50, 51)
    assert issues[-1].store_date == MONDAY + timedelta(days=49)


def test_a_page_of_many_series_costs_as_much_as_one_of_few(session, connection, make, reader):
    def cost():
        session.expire_all()
        with recording(connection) as statements:
            pull_list.entries(session, reader)
            pull_list.upcoming(session, reader, WEDNESDAY)
        return len(statements)

    for size in (1, 6):
        for number in range(size):
            series = make.series()
            make.issue(series=series, number=str(number), store_date=WEDNESDAY)
            pull_list.add(session, reader, series.id)
        session.commit()
        assert cost() == 3


# At the same time.


@pytest.fixture
def scene(factory):
    """A reader and two series that really are stored."""
    with factory() as session:
        make = Make(Catalog(session))
        return make.user().id, make.series().id, make.series().id


def test_many_first_looks_make_one_list(factory, scene):
    reader, _, _ = scene
    made = at_once(factory, *[lambda catalog: pull_list.pull_list(catalog.session, reader).id] * 8)
    assert len(set(made)) == 1


def test_many_who_add_one_series_add_it_once(factory, scene):
    reader, series, _ = scene
    told = at_once(factory, *[lambda catalog: pull_list.add(catalog.session, reader, series)[1]] * 6)
    assert sorted(told) == [False] * 5 + [True]


def test_two_series_added_at_once_are_both_there(factory, scene):
    reader, *series = scene
    for _ in range(5):
        jobs = [
            lambda catalog, each=each: pull_list.follow(catalog.session, reader, each, True)
            for each in series
        ]
        at_once(factory, *jobs)
        with factory() as session:
            assert sorted(ids(session, reader)) == sorted(series)
            for each in series:
                pull_list.remove(session, reader, each)
            session.commit()


def test_switches_that_meet_end_in_one_of_the_wanted_states(factory, scene):
    reader, series, _ = scene
    jobs = [
        lambda catalog, wanted=wanted: pull_list.follow(catalog.session, reader, series, wanted)
        for wanted in (True, False, True, False)
    ]
    told = at_once(factory, *jobs)
    with factory() as session:
        number = session.scalar(select(func.count()).select_from(PullListSeries))
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
    at_once(factory, add, delete)
    with factory() as session:
        assert ids(session, reader) == [other]
        assert session.scalar(text("SELECT count(*) FROM pull_list_series")) == 1
