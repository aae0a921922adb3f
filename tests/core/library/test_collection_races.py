"""Concurrent writes of one reader, on real connections: no errors, duplicates or inconsistencies."""

from contextlib import nullcontext
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import func, select

from comicsdb import clock
from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.catalog.issue_parts import update_variant
from comicsdb.library import collection, ratings, wish_list
from comicsdb.models import CollectionItem, Issue, IssueRating, ReadDate, WishListItem
from tests.concurrency import run_concurrently, second_waits
from tests.factories import Factories

TODAY = date(2026, 3, 4)
MOMENT = datetime(2026, 2, 1, 20, tzinfo=UTC)
AT_ONCE = 6


@pytest.fixture
def factory(shared_factory):
    return shared_factory


@pytest.fixture
def ids(factory):
    """The ids of an account, an issue, and the account's item of another issue."""
    with factory() as session:
        make = Factories(Catalog(session))
        user, series = make.user().id, make.series()
        issue, owned = (make.issue(series=series, number=number).id for number in "12")
        item, _ = collection.add(session, user, owned, {"is_read": True})
        session.commit()
        return user, issue, item.id


def gone_or(write):
    """A job that returns the result of a write, or "gone" if there is nothing to write to any more."""

    def job(catalog):
        try:
            return write(catalog.session)
        except NotFoundError:
            return "gone"

    return job


def agreed(factory, user):
    """The items of an account; checks that read dates, ratings and totals agree with each of them."""
    with factory() as session:
        items = session.scalars(select(CollectionItem).where(CollectionItem.user_id == user)).all()
        for item in items:
            latest = select(func.max(ReadDate.read_on)).where(
                ReadDate.user_id == item.user_id, ReadDate.issue_id == item.issue_id
            )
            assert item.date_read == session.scalar(latest)
            assert item.is_read is (item.date_read is not None)
            stars = select(IssueRating.rating).where(
                IssueRating.issue_id == item.issue_id, IssueRating.user_id == user
            )
            given = session.scalar(stars)
            assert item.rating == given
            issue = session.get(Issue, item.issue_id)
            assert (issue.rating_count, issue.rating_sum) == ((1, given) if given else (0, 0))
        return items


def test_one_issue_is_added_once(factory, ids):
    user, issue, _ = ids

    def add(catalog):
        return collection.add(catalog.session, user, issue, {"is_read": True})[1]

    assert sorted(run_concurrently(factory, *[add] * AT_ONCE)) == [False] * (AT_ONCE - 1) + [True]
    assert len(agreed(factory, user)) == 2


def test_every_scrobble_counts_and_one_made_the_item(factory, ids):
    user, issue, _ = ids

    def scrobble(stars):
        def job(catalog):
            return collection.scrobble(catalog.session, user, issue, MOMENT, stars, today=TODAY)[1]

        return job

    given = (collection.KEEP_RATING, 1, collection.KEEP_RATING, 2, None, collection.KEEP_RATING)
    assert sum(run_concurrently(factory, *map(scrobble, given))) == 1
    _, item = sorted(agreed(factory, user), key=lambda each: each.id)
    with factory() as session:
        dates = select(func.count()).where(
            ReadDate.user_id == item.user_id, ReadDate.issue_id == item.issue_id
        )
        assert session.scalar(dates) == len(given)


def test_stars_from_both_sides_and_a_first_copy_agree(factory, ids):
    user, issue, _ = ids

    def rate(stars):
        def job(catalog):
            return ratings.rate(catalog.session, catalog.get(Issue, issue), user, stars, today=TODAY)

        return job

    def add(catalog):
        return collection.add(catalog.session, user, issue, {})[0].id

    for _ in range(3):
        run_concurrently(factory, rate(4), add, rate(2), add)
        items = agreed(factory, user)
        assert len(items) == 2
        with factory() as session:
            collection.remove(session, user, max(item.id for item in items))
            session.commit()


@pytest.mark.parametrize("first", ["rate", "add"])
def test_who_adds_and_who_rates_wait_for_one_another_and_agree(factory, ids, first):
    user, issue, _ = ids
    writes = {
        "rate": lambda session: ratings.rate(session, session.get(Issue, issue), user, 4, today=TODAY),
        "add": lambda session: collection.add(session, user, issue, {}),
    }
    second = "add" if first == "rate" else "rate"
    second_waits(factory, writes[first], writes[second]).result()
    assert [item.rating for item in agreed(factory, user) if item.issue_id == issue] == [4]


def test_dates_come_and_go_and_the_item_follows(factory, ids):
    user, _, item = ids
    with factory() as session:
        first = session.scalar(select(ReadDate.id).where(ReadDate.user_id == user))
    jobs = (
        lambda session: collection.remove_read(session, user, item, first).id,
        lambda session: collection.remove_read(session, user, item, first).id,
        lambda session: collection.mark_read(session, user, [item], clock.now()),
        lambda session: collection.update(session, user, item, {"is_read": False}).id,
        lambda session: collection.add_read(session, user, item, MOMENT) and item,
        lambda session: collection.rate(session, user, item, 5, today=TODAY).id,
    )
    answers = run_concurrently(factory, *map(gone_or, jobs))
    assert "gone" in answers[:2]
    assert set(answers[3:]) == {item}
    assert [each.rating for each in agreed(factory, user)] == [5]


def test_who_comes_after_the_removal_finds_nothing(factory, ids):
    user, _, item = ids
    jobs = (
        lambda session: collection.remove(session, user, item),
        lambda session: collection.remove(session, user, item),
        lambda session: collection.rate(session, user, item, 4, today=TODAY).id,
        lambda session: collection.add_read(session, user, item, None) and item,
        lambda session: collection.update(session, user, item, {"quantity": 2}).id,
    )
    answers = run_concurrently(factory, *map(gone_or, jobs))
    assert sorted(map(str, answers[:2])) == ["None", "gone"]
    assert set(answers[2:]) <= {"gone", item}
    assert agreed(factory, user) == []


def test_an_issue_that_is_deleted_meanwhile_is_not_there_or_goes_with_its_item(factory, ids):
    user, issue, _ = ids
    jobs = (
        lambda session: Catalog(session).delete(session.get(Issue, issue)),
        lambda session: collection.add(session, user, issue, {})[1],
        lambda session: collection.scrobble(session, user, issue, None, today=TODAY)[1],
        lambda session: len(collection.add_many(session, user, [(issue, {})])),
    )
    run_concurrently(factory, *map(gone_or, jobs))
    assert len(agreed(factory, user)) == 1


READING = {
    "scrobble": lambda session, user, issue, _: collection.scrobble(
        session, user, issue, MOMENT, today=TODAY
    ),
    "read_on": lambda session, user, _, item: collection.add_read(session, user, item, MOMENT),
    "update": lambda session, user, _, item: collection.update(session, user, item, {"is_read": True}),
}


@pytest.mark.parametrize("read", READING.values(), ids=READING)
def test_a_read_of_an_owned_issue_waits_for_its_deletion_and_finds_nothing(factory, ids, read):
    user, _, item = ids
    with factory() as session:
        issue = session.get(CollectionItem, item).issue_id
        collection.update(session, user, item, {"is_read": False})
        session.commit()
    done = second_waits(
        factory,
        lambda session: Catalog(session).delete(session.get(Issue, issue)),
        lambda session: read(session, user, issue, item),
    )
    with pytest.raises(NotFoundError):
        done.result()
    assert agreed(factory, user) == []


@pytest.mark.parametrize("first", ["add", "move"])
def test_a_copy_or_wish_of_a_variant_that_moves_meanwhile_is_of_its_issue(factory, ids, first):
    user, issue, item = ids
    with factory() as session:
        other = session.get(CollectionItem, item).issue_id
        make = Factories(Catalog(session))
        foil = make.variant(session.get(Issue, issue), name="Foil").id
    chosen = {"variant_id": foil}

    def add(session):
        collection.add(session, user, issue, chosen)
        wish_list.add(session, user, issue, chosen)

    writes = {"add": add, "move": lambda session: update_variant(Catalog(session), foil, {"issue": other})}
    done = second_waits(factory, writes[first], writes["move" if first == "add" else "add"])
    with nullcontext() if first == "add" else pytest.raises(InvalidError):
        done.result()
    wanted = [(other, foil)] if first == "add" else []
    with factory() as session:
        for model in (CollectionItem, WishListItem):
            found = select(model.issue_id, model.variant_id).where(model.variant_id == foil)
            assert [tuple(each) for each in session.execute(found)] == wanted, model


def test_bulk_and_single_writes_do_not_get_into_each_others_way(factory, ids):
    user, issue, item = ids
    with factory() as session:
        series = session.get(Issue, issue).series_id
    jobs = (
        lambda session: collection.add_series(session, user, series, read=True),
        lambda session: collection.add_series(session, user, series),
        lambda session: collection.scrobble(session, user, issue, MOMENT, 3, today=TODAY)[1],
        lambda session: collection.mark_read(session, user, [item], clock.now()),
        lambda session: Catalog(session).update(session.get(Issue, issue), {"desc": "x"}).id,
    )
    answers = run_concurrently(factory, *map(gone_or, jobs))
    assert "gone" not in answers
    assert len(agreed(factory, user)) == 2
