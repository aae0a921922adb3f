"""Merges and deletions in readers' libraries: nothing is lost that can be kept."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from comicsdb.catalog.maintenance.deletion_preview import preview_deletion
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.library import collection, pull_list, ratings, wish_list
from comicsdb.models import (
    CollectionItem,
    IssueRating,
    Publisher,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    Review,
    Series,
    WishList,
    WishListItem,
)
from tests.lists import make_list

TODAY = date(2026, 3, 4)


def day(number):
    return datetime(2026, 1, number, 12, tzinfo=UTC)


@pytest.fixture
def reader(make):
    return make.user()


@pytest.fixture
def two(make):
    """Two entries of the same issue: the one that a merge keeps, and the other."""
    series = make.series()
    return make.issue(series=series, number="1"), make.issue(series=series, number="1B")


def owned(session, reader):
    """A reader's only item and the dates of its readings; readings and stars must agree with the item."""
    item = session.scalars(
        select(CollectionItem)
        .where(CollectionItem.user_id == reader.id)
        .execution_options(populate_existing=True)
    ).one()
    dates = session.scalars(
        select(ReadDate.read_on).where(ReadDate.user_id == item.user_id, ReadDate.issue_id == item.issue_id)
    ).all()
    assert (item.is_read, item.date_read) == (bool(dates), max(dates, default=None))
    stars = session.scalar(
        select(IssueRating.rating).where(
            IssueRating.user_id == reader.id, IssueRating.issue_id == item.issue_id
        )
    )
    assert item.rating == stars
    return item, sorted(dates)


def add(session, reader, issue, *, rating=None, **values):
    ratings.rate_issues(session, reader.id, {issue.id: rating}, today=TODAY)
    found, _new = collection.add(session, reader.id, issue.id, values)
    session.commit()
    return found


def test_an_item_of_the_other_issue_becomes_one_of_the_issue_that_stays(session, catalog, make, two, reader):
    kept, other = two
    before = add(session, reader, other, rating=4, notes="mine", read_dates=[day(1)])
    stamp = before.modified
    merge(catalog, kept, other)
    session.commit()
    item, dates = owned(session, reader)
    assert (item.id, item.issue_id, item.rating, item.notes, dates) == (
        before.id,
        kept.id,
        4,
        "mine",
        [day(1)],
    )
    assert item.modified > stamp


def test_of_two_items_the_one_that_stays_gets_what_it_lacks_and_all_readings(
    session, catalog, make, two, reader
):
    kept, other = two
    priced = {"purchase_price": Decimal("3.50"), "purchase_currency": "EUR"}
    graded = {"grade": Decimal("9.8"), "grading_company": "CGC"}
    mine = add(session, reader, kept, notes="kept", read_dates=[day(2), day(3)], tags=["Gift"])
    add(
        session,
        reader,
        other,
        notes="lost",
        read_dates=[day(3), day(5)],
        quantity=2,
        tags=["a", "gift", "signed"],
        rating=3,
        purchase_store="Corner",
        **priced,
        **graded,
    )
    stamp = mine.modified
    merge(catalog, kept, other)
    session.commit()
    item, dates = owned(session, reader)
    assert (item.id, item.notes, item.quantity, item.rating) == (mine.id, "kept", 2, 3)
    assert (item.purchase_price, item.purchase_currency) == (Decimal("3.50"), "EUR")
    assert (item.grade, item.grading_company, item.purchase_store) == (Decimal("9.8"), "CGC", "Corner")
    assert item.tags == ["a", "Gift", "signed"]
    assert dates == [day(2), day(3), day(5)]
    assert item.modified > stamp


def test_what_the_item_that_stays_has_is_not_mixed_with_the_other(session, catalog, make, two, reader):
    kept, other = two
    add(session, reader, kept, grade=Decimal("9.0"), purchase_price=Decimal(1), rating=5)
    add(
        session,
        reader,
        other,
        grade=Decimal("9.8"),
        grading_company="CGC",
        purchase_price=Decimal(2),
        purchase_currency="ITL",
        rating=1,
    )
    merge(catalog, kept, other)
    session.commit()
    item, dates = owned(session, reader)
    assert (item.grade, item.grading_company, item.rating, dates) == (Decimal("9.0"), "", 5, [])
    assert (item.purchase_price, item.purchase_currency) == (Decimal("1.00"), "USD")


def test_stars_of_items_follow_those_that_stay(session, catalog, make, two):
    kept, other = two
    rated_both, rated_other = make.user(), make.user()
    ratings.rate(session, kept, rated_both.id, 5, today=TODAY)
    add(session, rated_both, other, rating=2)
    stamp = add(session, rated_other, kept).modified
    ratings.rate(session, other, rated_other.id, 1, today=TODAY)
    session.commit()
    merge(catalog, kept, other)
    session.commit()
    assert owned(session, rated_both)[0].rating == 5
    item = owned(session, rated_other)[0]
    assert (item.rating, item.modified > stamp) == (1, True)


def test_items_of_other_readers_are_left_alone(session, catalog, make, two, reader):
    kept, other = two
    stranger = make.user()
    theirs = add(session, stranger, kept, read_dates=[day(1)])
    add(session, reader, other)
    stamp = theirs.modified
    merge(catalog, kept, other)
    session.commit()
    assert owned(session, stranger)[0].modified == stamp


def lists_of(session, reading_list):
    """The issues of a reading list in order; their positions must be 1 to n."""
    rows = session.execute(
        select(ReadingListItem.issue_id, ReadingListItem.order)
        .where(ReadingListItem.reading_list_id == reading_list.id)
        .order_by(ReadingListItem.order)
    ).all()
    assert [place for _issue, place in rows] == list(range(1, len(rows) + 1))
    return [issue for issue, _place in rows]


def stamps(session):
    """The stamps of all reading lists, wish lists and pull lists."""
    models = (ReadingList, WishList, PullList)
    return [each for model in models for each in session.scalars(select(model.modified).order_by(model.id))]


def test_lists_stay_dense_and_their_stamps_move_in_a_merge(session, catalog, make, two, reader):
    kept, other = two
    more = [make.issue() for _ in range(2)]
    both = make_list(session, reader, [other, more[0], kept, more[1]])
    one = make_list(session, reader, [more[0], other], next=both.id)
    for each in (kept, other):
        wish_list.add(session, reader.id, each.id, {})
    session.commit()
    before = stamps(session)
    merge(catalog, kept, other)
    session.commit()
    assert lists_of(session, both) == [more[0].id, kept.id, more[1].id]
    assert lists_of(session, one) == [more[0].id, kept.id]
    assert session.scalars(select(WishListItem.issue_id)).all() == [kept.id]
    after = stamps(session)
    assert all(now > then for now, then in zip(after, before, strict=True))


def test_a_wish_that_is_led_over_has_a_new_stamp(session, catalog, make, two, reader):
    kept, other = two
    wished, _new = wish_list.add(session, reader.id, other.id, {})
    session.commit()
    stamp = wished.modified
    merge(catalog, kept, other)
    session.commit()
    now = session.get_one(WishListItem, wished.id, populate_existing=True)
    assert now.issue_id == kept.id
    assert now.modified > stamp


def test_series_that_are_followed_are_followed_once_after_a_merge(session, catalog, make, reader):
    kept, other, follower = make.series(), make.series(), make.user()
    for series in (kept, other):
        pull_list.add(session, reader.id, series.id)
    pull_list.add(session, follower.id, other.id)
    session.commit()
    before = stamps(session)
    merge(catalog, kept, other)
    session.commit()
    assert session.scalars(select(PullListSeries.series_id)).all() == [kept.id, kept.id]
    assert all(now > then for now, then in zip(stamps(session), before, strict=True))


# Deletions.


@pytest.mark.parametrize("kind", ["issue", "series", "publisher"])
def test_a_deletion_is_counted_before_and_leaves_lists_dense(session, catalog, make, two, reader, kind):
    doomed, stays = two[0], make.issue()
    series = session.get_one(Series, doomed.series_id)
    publisher = session.get_one(Publisher, series.publisher_id)
    goes = {"issue": doomed, "series": series, "publisher": publisher}[kind]
    found = make_list(session, reader, [doomed, stays, two[1]])
    neighbour = make_list(session, reader, previous=found.id)
    add(session, reader, doomed, read_dates=[day(1)], rating=4)
    wish_list.add(session, reader.id, doomed.id, {})
    pull_list.add(session, reader.id, series.id)
    session.add(Review(user_id=reader.id, issue_id=doomed.id, text="Good."))
    session.add(Review(user_id=make.user().id, issue_id=doomed.id, text="", hidden=day(1)))  # deleted
    session.commit()
    numbers = 1 if kind == "issue" else 2
    followed = {} if kind == "issue" else {"pull_list_series": 1}
    assert (
        preview_deletion(session, goes).reader_rows
        == {
            "rating": 1,
            "collection_item": 1,
            "read_date": 1,
            "wish_list_item": 1,
            "reading_list_item": numbers,
            "review": 1,
        }
        | followed
    )
    before = stamps(session)
    catalog.delete(goes)
    session.commit()
    assert lists_of(session, found) == [stays.id] if numbers == 2 else [stays.id, two[1].id]
    assert preview_deletion(session, stays).reader_rows == {"reading_list_item": 1}
    for table in ("collection_item", "read_date", "wish_list_item", "issue_rating", "review"):
        assert session.scalar(text(f"SELECT count(*) FROM {table}")) == 0
    after = stamps(session)
    moved = [now > then for now, then in zip(after, before, strict=True)]
    assert moved == [True, True, True, kind != "issue"]
    assert neighbour.previous_id == found.id


@pytest.mark.parametrize("newer", ["of the one that stays", "of the other"])
def test_of_two_reviews_the_newer_one_stays(session, catalog, make, two, reader, newer):
    kept, other = two
    bob = make.user("bob")
    older, latest = (kept, other) if newer == "of the other" else (other, kept)
    for issue, text_, written in ((older, "Old.", day(1)), (latest, "New.", day(2))):
        session.add(Review(user_id=reader.id, issue_id=issue.id, text=text_, modified=written))
    session.add(Review(user_id=bob.id, issue_id=other.id, text="Bob's."))
    session.commit()
    merge(catalog, kept, other)
    session.commit()
    found = session.execute(select(Review.issue_id, Review.text).order_by(Review.text)).all()
    assert found == [(kept.id, "Bob's."), (kept.id, "New.")]


def test_of_two_reviews_one_that_was_hidden_and_deleted_goes(session, catalog, two, reader):
    kept, other = two
    session.add(Review(user_id=reader.id, issue_id=kept.id, text="", modified=day(2), hidden=day(1)))
    session.add(Review(user_id=reader.id, issue_id=other.id, text="Good.", modified=day(1)))
    session.commit()
    merge(catalog, kept, other)
    session.commit()
    assert session.execute(select(Review.issue_id, Review.text)).all() == [(kept.id, "Good.")]
