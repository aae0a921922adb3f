"""A reader's collection and reads: writes, their stamps, and ratings shared by items and issues."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import NoResultFound
from sqlalchemy.orm import object_session

from comicsdb import clock
from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import collection, ratings, reads
from comicsdb.models import CollectionItem, Issue, IssueRating, ReadDate
from tests.cases import for_each
from tests.conftest import record_statements

TODAY = date(2026, 3, 4)
EARLY, LATE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, 20, tzinfo=UTC)


@pytest.fixture
def user(make):
    return make.user().id


@pytest.fixture
def issue(make):
    return make.issue()


@pytest.fixture
def owned(session, user, issue):
    """An item with default values."""
    return collection.add(session, user, issue.id, {})[0]


def community(session, issue, user):
    """The rating that an account gave an issue."""
    found = select(IssueRating.rating).where(IssueRating.issue_id == issue.id, IssueRating.user_id == user)
    return session.scalar(found)


def dates(session, item):
    """The read dates of an item's issue, earliest first."""
    found = select(ReadDate.read_on).where(
        ReadDate.user_id == item.user_id, ReadDate.issue_id == item.issue_id
    )
    return session.scalars(found.order_by(ReadDate.read_on, ReadDate.id)).all()


def moved(item, write):
    """The result of a write, which must change the item's stamp and keep the previous one."""
    before = item.modified
    answer = write()
    object_session(item).refresh(item)
    assert item.modified > before
    assert item.modified_before is not None
    return answer


# Adding.


def test_an_item_has_what_is_said_of_it(session, user, issue):
    values = {
        "quantity": 2,
        "book_format": "BOTH",
        "grade": Decimal("9.8"),
        "grading_company": "CGC",
        "purchase_date": date(2026, 1, 2),
        "purchase_price": Decimal("4.50"),
        "purchase_currency": "ITL",
        "purchase_store": "Corner Shop",
        "storage_location": "Box 3",
        "tags": ["signed"],
        "notes": "'\"\\ é 漫 \n",
    }
    item, created = collection.add(session, user, issue.id, values)
    assert created
    assert {name: getattr(item, name) for name in values} == values
    assert (item.user_id, item.issue_id, item.rating) == (user, issue.id, None)
    assert (item.is_read, item.date_read, item.modified_before) == (False, None, None)


def test_an_item_that_is_there_stays_as_it_is(session, user, issue, owned):
    stamps = owned.modified, owned.modified_before
    values = {"quantity": 9, "is_read": True}
    assert collection.add(session, user, issue.id, values) == (owned, False)
    assert (owned.quantity, owned.is_read) == (1, False)
    assert (owned.modified, owned.modified_before) == stamps


def test_an_issue_or_an_account_that_is_not_there_is_not_found(session, user, issue):
    for missing in (issue.id + 1000, 0, -1, 2**40, 2**70):
        with pytest.raises(NotFoundError):
            collection.add(session, user, missing, {})
    with pytest.raises(NoResultFound):  # the request is retried then
        collection.add(session, user + 1000, issue.id, {})


@pytest.mark.parametrize("price", [None, Decimal("0.00"), 0])
def test_nothing_paid_is_no_price(session, user, issue, price):
    item, _ = collection.add(session, user, issue.id, {"purchase_price": price})
    assert item.purchase_price is None
    collection.update(session, user, item.id, {"purchase_price": Decimal(1)})
    assert item.purchase_price == 1
    collection.update(session, user, item.id, {"purchase_price": price})
    assert item.purchase_price is None


def test_many_issues_come_at_once_each_with_its_own(session, make, user, owned):
    issues = [make.issue() for _ in range(4)]
    ratings.rate(session, issues[3], user, 2, today=TODAY)
    rows = [
        (owned.issue_id, {"quantity": 7}),
        (issues[0].id, {"read_dates": [LATE, EARLY]}),
        (issues[1].id, {"is_read": True, "notes": "first"}),
        (issues[1].id, {"notes": "second"}),
        (issues[2].id + 1000, {}),
        (issues[3].id, {}),
    ]
    made = collection.add_many(session, user, rows)
    assert set(made) == {issues[0].id, issues[1].id, issues[3].id}
    first, second, third = (collection.item(session, user, each) for each in made.values())
    assert (first.rating, first.date_read, dates(session, first)) == (None, LATE, [EARLY, LATE])
    assert (second.notes, second.is_read, len(dates(session, second))) == ("first", True, 1)
    assert (third.rating, third.is_read) == (2, False)
    assert owned.quantity == 1


# Reading.


def test_the_latest_date_counts_whatever_comes_and_goes(session, user, owned):
    late = moved(owned, lambda: collection.add_read(session, user, owned.id, LATE))
    assert (owned.is_read, owned.date_read) == (True, LATE)
    early = moved(owned, lambda: collection.add_read(session, user, owned.id, EARLY))
    again = collection.add_read(session, user, owned.id, LATE)
    assert (owned.date_read, len(dates(session, owned))) == (LATE, 3)
    moved(owned, lambda: collection.remove_read(session, user, owned.id, late.id))
    assert owned.date_read == LATE
    collection.remove_read(session, user, owned.id, again.id)
    assert (owned.is_read, owned.date_read) == (True, EARLY)
    moved(owned, lambda: collection.remove_read(session, user, owned.id, early.id))
    assert (owned.is_read, owned.date_read) == (False, None)


def test_a_date_is_taken_back_once_and_only_from_its_own_item(session, make, user, owned):
    elsewhere, _ = collection.add(session, user, make.issue().id, {"is_read": True})
    its = session.scalar(
        select(ReadDate.id).where(
            ReadDate.user_id == elsewhere.user_id, ReadDate.issue_id == elsewhere.issue_id
        )
    )
    for wrong in (its, its + 1000, 0, 2**70):
        with pytest.raises(NotFoundError):
            collection.remove_read(session, user, owned.id, wrong)
    assert elsewhere.is_read
    collection.remove_read(session, user, elsewhere.id, its)
    with pytest.raises(NotFoundError):
        collection.remove_read(session, user, elsewhere.id, its)


def test_the_form_reads_now_where_there_is_no_date_and_forgets_all(session, user, owned):
    before = datetime.now(UTC)
    collection.update(session, user, owned.id, {"is_read": True})
    (now,) = dates(session, owned)
    assert before <= now == owned.date_read
    collection.add_read(session, user, owned.id, EARLY)
    collection.update(session, user, owned.id, {"is_read": True, "quantity": 2})
    assert dates(session, owned) == [EARLY, now]
    moved(owned, lambda: collection.update(session, user, owned.id, {"is_read": False}))
    assert (dates(session, owned), owned.is_read, owned.date_read) == ([], False, None)


def test_a_scrobble_leaves_the_rest_of_an_item(session, user, issue, owned):
    values = {"quantity": 3, "notes": "Mine"}
    collection.update(session, user, owned.id, values)
    moved(owned, lambda: collection.scrobble(session, user, issue.id, LATE, today=TODAY))
    found, created = collection.scrobble(session, user, issue.id, EARLY, 2, today=TODAY)
    assert (found, created) == (owned.id, False)
    session.refresh(owned)
    assert (owned.quantity, owned.book_format, owned.notes) == (3, "PRINT", "Mine")
    assert (owned.date_read, owned.rating, community(session, issue, user)) == (LATE, 2, 2)


def test_many_are_read_at_once_each_that_was_not(session, make, user, owned):
    read, _ = collection.add(session, user, make.issue().id, {"read_dates": [EARLY]})
    foreign, _ = collection.add(session, make.user().id, make.issue().id, {})
    stamp = read.modified
    ids = [owned.id, read.id, foreign.id, owned.id, 0, 2**70]
    assert moved(owned, lambda: collection.mark_read(session, user, ids, clock.now())) == 1
    assert dates(session, owned) == [owned.date_read]
    assert (dates(session, read), read.modified) == ([EARLY], stamp)
    assert not foreign.is_read
    assert collection.mark_read(session, user, ids, clock.now()) == 0
    assert collection.mark_read(session, user, [], None) == 0


# Stars.


def test_stars_of_item_and_issue_are_always_the_same(session, user, issue, owned):
    moved(owned, lambda: collection.rate(session, user, owned.id, 4, today=TODAY))
    assert (owned.rating, community(session, issue, user)) == (4, 4)
    moved(owned, lambda: ratings.rate(session, issue, user, 2, today=TODAY))
    assert (owned.rating, community(session, issue, user)) == (2, 2)
    moved(owned, lambda: ratings.rate(session, issue, user, None, today=TODAY))
    assert (owned.rating, community(session, issue, user)) == (None, None)
    collection.rate(session, user, owned.id, 1, today=TODAY)
    collection.rate(session, user, owned.id, None, today=TODAY)
    assert (owned.rating, community(session, issue, user)) == (None, None)
    assert (issue.rating_count, issue.rating_sum) == (0, 0)


def test_no_other_write_touches_the_stars_of_the_issue(session, make, user, issue):
    ratings.rate(session, issue, user, 3, today=TODAY)
    rated = select(Issue.rated).where(Issue.id == issue.id)
    stamp = session.scalar(rated)
    item, _ = collection.add(session, user, issue.id, {})
    assert item.rating == 3
    collection.update(session, user, item.id, {"notes": "x"})
    collection.scrobble(session, user, issue.id, None, today=TODAY)
    collection.touch(session, user, item.id)
    collection.remove(session, user, item.id)
    assert stamp is not None
    assert (community(session, issue, user), session.scalar(rated)) == (3, stamp)


def test_stars_of_one_account_are_no_business_of_another(session, make, user, issue, owned):
    other = make.user().id
    ratings.rate(session, issue, other, 1, today=TODAY)
    theirs, _ = collection.add(session, other, issue.id, {})
    collection.rate(session, user, owned.id, 5, today=TODAY)
    collection.rate(session, user, owned.id, None, today=TODAY)
    assert (theirs.rating, community(session, issue, other)) == (1, 1)


def test_the_same_stars_from_the_page_of_the_issue_leave_the_item_alone(session, user, issue, owned):
    collection.rate(session, user, owned.id, 4, today=TODAY)
    stamp = owned.modified
    assert ratings.rate(session, issue, user, 4, today=TODAY) is False
    assert owned.modified == stamp


def test_stars_before_the_release_are_kept_however_they_are_given(session, make, user):
    issues = [make.issue(store_date=TODAY + timedelta(days=1)) for _ in range(2)]
    added, _ = collection.add(session, user, issues[0].id, {})
    collection.rate(session, user, added.id, 4, today=TODAY)
    item_id, _ = collection.scrobble(session, user, issues[1].id, EARLY, 3, today=TODAY)
    read = session.get_one(CollectionItem, item_id)
    assert (added.rating, read.rating, dates(session, read)) == (4, 3, [EARLY])
    collection.update(session, user, added.id, {"quantity": 2})
    collection.rate(session, user, read.id, 2, today=TODAY)
    assert (added.rating, added.quantity, read.rating) == (4, 2, 2)
    collection.scrobble(session, user, issues[1].id, LATE, 1, today=TODAY)
    session.refresh(read)
    assert (read.rating, dates(session, read)) == (1, [EARLY, LATE])
    for issue, own in zip(issues, (4, 1), strict=True):
        session.refresh(issue)
        assert (issue.rating_count, community(session, issue, user)) == (0, own)


def test_stars_of_an_issue_that_was_put_off_stay_and_can_be_taken_back(session, catalog, user, issue, owned):
    collection.rate(session, user, owned.id, 4, today=TODAY)
    catalog.update(issue, {"store_date": TODAY + timedelta(days=30)})
    collection.scrobble(session, user, issue.id, None, 4, today=TODAY)
    collection.update(session, user, owned.id, {"notes": "late"})
    assert (owned.rating, owned.notes, community(session, issue, user)) == (4, "late", 4)
    collection.rate(session, user, owned.id, None, today=TODAY)
    assert (owned.rating, community(session, issue, user)) == (None, None)


@for_each("wrong", [0, 6, True, 4.0, "5"])
def test_stars_are_whole_numbers_from_1_to_5(session, user, issue, owned, wrong):
    with pytest.raises(InvalidError) as caught:
        collection.rate(session, user, owned.id, wrong, today=TODAY)
    assert list(caught.value.errors) == ["rating"]
    assert (owned.rating, community(session, issue, user)) == (None, None)


# Ownership and removal.


def test_the_items_of_others_are_not_there(session, make, user, owned):
    other, before = make.user().id, owned.modified
    for write in (
        lambda: collection.item(session, other, owned.id),
        lambda: collection.lock(session, other, owned.id),
        lambda: collection.update(session, other, owned.id, {"quantity": 2}),
        lambda: collection.rate(session, other, owned.id, 4, today=TODAY),
        lambda: collection.touch(session, other, owned.id),
        lambda: collection.add_read(session, other, owned.id, None),
        lambda: collection.remove_read(session, other, owned.id, 1),
        lambda: collection.remove(session, other, owned.id),
        lambda: collection.item(session, user, 2**70),
    ):
        with pytest.raises(NotFoundError) as caught:
            write()
        assert caught.value.kind == "collection_item"
    assert collection.item(session, user, owned.id).modified == before


def test_an_item_goes_and_dates_and_stars_of_the_issue_stay(session, user, issue, owned):
    collection.scrobble(session, user, issue.id, LATE, 4, today=TODAY)
    collection.remove(session, user, owned.id)
    assert [each.read_on for each in reads.of_issue(session, user, issue.id)] == [LATE]
    assert community(session, issue, user) == 4
    again, created = collection.add(session, user, issue.id, {"is_read": True})
    assert (created, again.rating, again.date_read) == (True, 4, LATE)
    with pytest.raises(NotFoundError):
        collection.remove(session, user, owned.id)


# Bulk writes: their number of statements is constant.


@pytest.mark.parametrize("size", [2, 20])
def test_what_many_cost_does_not_depend_on_how_many(session, make, user, connection, size):
    series = make.series()
    issues = [make.issue(series=series, number=str(number)) for number in range(size)]
    rows = [(each.id, {"is_read": True}) for each in issues]

    def cost(write) -> int:
        with record_statements(connection) as statements:
            write()
        return len(statements)

    added = cost(lambda: collection.add_many(session, user, rows))
    ids = session.scalars(select(CollectionItem.id)).all()
    session.execute(text("DELETE FROM read_date"))
    session.execute(text("UPDATE collection_item SET is_read = false, date_read = NULL"))
    read = cost(lambda: collection.mark_read(session, user, ids, clock.now()))
    session.execute(text("DELETE FROM collection_item"))
    of_series = cost(lambda: collection.add_series(session, user, series.id, read=True))
    assert len(ids) == size
    assert (added, read, of_series) == (5, 3, 6)
