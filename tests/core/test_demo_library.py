"""The library of the demo's reader: it is there, in order, and the same each time."""

from datetime import date
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from comicsdb.demo.library import READER, add_library
from comicsdb.models import CollectionItem, PullListSeries, ReadDate, WishListItem

TODAY, ZONE = date(2026, 11, 22), ZoneInfo("Europe/Rome")


def number(session, model) -> int:
    return session.scalar(select(func.count()).select_from(model))


def test_the_reader_owns_reads_follows_and_wishes(make, session):
    make.user(READER)
    series = make.series(name="Long Run")
    for n in range(1, 25):
        make.issue(series=series, number=str(n), cover_date=date(2024 + n // 12, 1 + n % 12, 1))
    made = add_library(session, TODAY, ZONE)
    items = session.scalars(select(CollectionItem)).all()
    assert made == len(items)
    assert 10 < made < 24
    assert number(session, PullListSeries) == 1
    assert number(session, WishListItem) == 24 - made
    assert number(session, ReadDate) >= sum(item.is_read for item in items) > 0
    assert all(item.is_read == (item.date_read is not None) for item in items)
    assert all(item.purchase_date <= TODAY for item in items)


def test_without_that_account_there_is_nothing(make, session):
    make.issue()
    assert add_library(session, TODAY, ZONE) == 0
    assert number(session, CollectionItem) == 0
