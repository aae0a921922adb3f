"""Helpers for tests of collections: they create items, and read pages that show them."""

from datetime import UTC, date, datetime

from sqlalchemy import text

from comicsdb.library import collection, ratings
from comicsdb.models import CollectionItem, ReadDate
from tests.web.conftest import form_to, soup

TODAY = date(2030, 1, 1)  # all issues of the small catalog are released


def item_of_another_reader(make, session, issue) -> CollectionItem:
    """An item of another account, read, with stars, notes and a price."""
    return add_item(
        session,
        make.user("Otto"),
        issue,
        is_read=True,
        rating=5,
        notes="zebra",
        purchase_price=7,
        storage_location="Attic",
        purchase_store="Corner",
    )


def add_item(session, user, issue, *, rating=None, **values) -> CollectionItem:
    """Add an item to a collection, and rate its issue."""
    ratings.rate_issues(session, user.id, {issue.id: rating}, today=TODAY)
    item, made = collection.add(session, user.id, issue.id, values)
    assert made
    session.commit()
    return item


def add_items(session, user, series, count, **values) -> list[int]:
    """Create issues of a series, from 001, and add them to a collection; returns the ids of the items."""
    made = session.scalars(
        text(
            "INSERT INTO issue (series_id, slug, number, cover_date)"
            " SELECT :series, 'many-' || :series || '-' || n, (1000 + n)::text,"
            " date '1990-01-01' + n * interval '1 month' FROM generate_series(1, :count) n RETURNING id"
        ),
        {"series": series.id, "count": count},
    ).all()
    items = collection.add_many(session, user.id, [(each, values) for each in made])
    session.commit()
    return [items[each] for each in made]


def reload(session, item) -> CollectionItem:
    """The current state of an item."""
    return session.get(CollectionItem, item.id, populate_existing=True)


def read_dates(session, item) -> list[datetime]:
    """When an item was read, oldest first, in UTC."""
    found = (
        session.query(ReadDate)
        .filter_by(user_id=item.user_id, issue_id=item.issue_id)
        .order_by(ReadDate.read_on)
    )
    return [each.read_on.astimezone(UTC) for each in found.populate_existing()]


def listed_issues(page) -> list[str]:
    """The issues of a list, in order, whether it is shown as a table or as covers."""
    return [
        each.get_text(strip=True) for each in soup(page).select(".items tbody th a:not(.tag), .card-label")
    ]


def undo_form(page):
    """The form that undoes the act of the page's notice."""
    return form_to(page, soup(page).select_one('form[action*="/undo/"]')["action"])


def active_filters(page) -> dict[str, str]:
    """The active filters: their text, and the address that removes each."""
    found = soup(page).select(".chips a:not(.tag-clear)")
    return {each.span.get_text(" ", strip=True): each["href"] for each in found}
