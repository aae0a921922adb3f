"""Adding a whole series, or a range of its issues, to a collection."""

from datetime import date

import pytest
from sqlalchemy import select

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import collection
from comicsdb.models import CollectionItem, Issue
from tests.cases import for_each

TODAY = date(2026, 3, 4)


@pytest.fixture
def user(make):
    return make.user().id


@pytest.fixture
def series(make):
    """Numbers 0, 10, 9, 1/2 and 11 by cover date: 10 was early, and 1/2 came between."""
    series = make.series()
    for month, number in enumerate(("0", "10", "9", "1/2", "11"), 1):
        make.issue(series=series, number=number, cover_date=date(2020, month, 1))
    return series


def numbers(session, user):
    """The numbers of the owned issues, in order."""
    rows = select(Issue.number).join(CollectionItem, CollectionItem.issue_id == Issue.id)
    return " ".join(session.scalars(rows.where(CollectionItem.user_id == user).order_by(Issue.series_order)))


@for_each(
    "asked,came",
    [
        ({}, "0 9 10 1/2 11"),
        ({"first": "#09"}, "9 10 1/2 11"),
        ({"last": "10.0"}, "0 9 10"),
        ({"first": "10", "last": "½"}, "10 1/2"),
        ({"first": "9", "last": "9"}, "9"),
        ({"but": "9 - 1/2; #0,"}, "11"),
        ({"first": "9", "but": "10-10, 10-0.5"}, "9 11"),
        ({"but": " "}, "0 9 10 1/2 11"),
    ],
)
def test_add_series_numbers_of_a_stretch_in_order(session, user, series, asked, came):
    added = collection.add_series(session, user, series.id, **asked)
    assert added == (len(came.split()), 0)
    assert numbers(session, user) == came
    session.rollback()


def test_what_is_owned_stays_and_is_counted_apart(session, make, user, series):
    issue_id = session.scalar(select(Issue.id).where(Issue.number == "9"))
    owned, _ = collection.add(session, user, issue_id, {"quantity": 4})
    stamp = owned.modified
    found = collection.add_series(session, user, series.id, book_format="DIGITAL", read=True)
    assert found == (4, 1)
    assert (owned.quantity, owned.book_format, owned.is_read, owned.modified) == (4, "PRINT", False, stamp)
    others = session.scalars(select(CollectionItem).where(CollectionItem.id != owned.id)).all()
    assert {(each.book_format, each.is_read) for each in others} == {("DIGITAL", True)}
    assert len({each.date_read for each in others}) == 1
    assert collection.add_series(session, user, series.id) == (0, 5)


@for_each(
    "asked,named",
    [
        ({"first": "1"}, ["first"]),
        ({"first": "08", "last": "1"}, ["first", "last"]),
        ({"first": "10", "last": "9"}, ["last"]),
        ({"but": "10-9"}, ["but"]),
        ({"but": "9, 77"}, ["but"]),
        ({"but": "9-77"}, ["but"]),
    ],
)
def test_numbers_that_make_no_stretch_are_named(session, user, series, asked, named):
    with pytest.raises(InvalidError) as caught:
        collection.add_series(session, user, series.id, **asked)
    assert list(caught.value.errors) == named
    assert numbers(session, user) == ""


def test_an_empty_series_adds_nothing_and_one_that_is_not_there_is_not_found(session, make, user):
    empty = make.series().id
    assert collection.add_series(session, user, empty) == (0, 0)
    with pytest.raises(NotFoundError):
        collection.add_series(session, user, empty + 1000)
