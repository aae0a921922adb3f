"""Filters and order of a collection."""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import ColumnElement, Select, Text, case, exists, func, literal, select
from sqlalchemy.orm import contains_eager, joinedload

from comicsdb.catalog import search
from comicsdb.issue_numbers import clean_number, number_key
from comicsdb.models import CollectionItem, Imprint, Issue, Publisher, Series

ORDER = (*search.order_columns(Issue), CollectionItem.id)


@dataclass(frozen=True)
class CollectionFilters:
    """The filters of a collection; blank texts and None do not filter.

    Each word of `q` must occur in the names of the series or in the notes. Names, store and location match
    parts of texts, ignoring case and accents; `issue_number` is the whole number or alternative number, `tag`
    a whole tag.
    """

    q: str = ""
    series_name: str = ""
    series_id: int | None = None
    series_type: int | None = None
    issue_number: str = ""
    publisher_name: str = ""
    publisher_id: int | None = None
    imprint_name: str = ""
    imprint_id: int | None = None
    book_format: str = ""
    is_read: bool | None = None
    storage_location: str = ""
    purchase_store: str = ""
    tag: str = ""
    grade: Decimal | None = None
    grading_company: str = ""
    rating: int | None = None

    def conditions(self, user_id: int) -> list[ColumnElement[bool]]:
        """The conditions, for a statement that joins an account's items with their issue and series."""
        # few items have notes
        notes = case((CollectionItem.notes != "", _folded(CollectionItem.notes)), else_="")
        asked = {
            "q": lambda q: search.names_match((Series.folded, Series.alt_folded, notes), q),
            "series_name": lambda name: search.names_match((Series.folded, Series.alt_folded), name),
            "series_id": lambda key: Series.id == key,
            "series_type": lambda key: Series.series_type_id == key,
            "issue_number": lambda number: search.has_number(number_key(clean_number(number))),
            "publisher_name": lambda name: _named(Publisher, Series.publisher_id, name),
            "publisher_id": lambda key: Series.publisher_id == key,
            "imprint_name": lambda name: _named(Imprint, Series.imprint_id, name),
            "imprint_id": lambda key: Series.imprint_id == key,
            "book_format": lambda code: CollectionItem.book_format == code,
            "is_read": CollectionItem.is_read.is_,
            "storage_location": lambda part: _contains(user_id, CollectionItem.storage_location, part),
            "purchase_store": lambda part: _contains(user_id, CollectionItem.purchase_store, part),
            "tag": lambda name: has_tag(CollectionItem.tags, name),
            "grade": lambda grade: CollectionItem.grade == grade,
            "grading_company": lambda code: CollectionItem.grading_company == code,
            "rating": lambda stars: CollectionItem.rating == stars,
        }
        values = ((condition, getattr(self, name)) for name, condition in asked.items())
        return [condition(value) for condition, value in values if value not in ("", None)]


def has_tag(column, name: str) -> ColumnElement[bool]:
    """The condition that a column of tags contains this tag, ignoring case."""
    each = func.unnest(column).column_valued("tag")
    return exists(literal(1)).where(func.lower(each) == func.lower(name))


def _folded(column) -> ColumnElement[str]:
    return func.fold(column, type_=Text)


def _contains(user_id: int, column, part: str) -> ColumnElement[bool]:
    """The condition that a text contains a part; each of the few distinct texts is folded only once."""
    texts = select(column.label("text")).where(CollectionItem.user_id == user_id).distinct()
    texts = texts.correlate(None).subquery()
    return column.in_(select(texts.c.text).where(search.contains(_folded(texts.c.text), part)))


def _named(model, column, name: str) -> ColumnElement[bool]:
    """The condition that the publisher or imprint of a series matches these words."""
    found = search.names_match(search.search_columns(model), name)
    return exists().where(model.id == column, found).correlate(Series)


def items() -> Select:
    """Items with what their rows show (issue, series, its type, publisher), to be filtered and ordered."""
    return (
        select(CollectionItem)
        .join(CollectionItem.issue)
        .join(Issue.series)
        .options(
            contains_eager(CollectionItem.issue)
            .contains_eager(Issue.series)
            .options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
    )


def item_ids(user_id: int, wanted: CollectionFilters) -> Select:
    """The ids of an account's items that match the filters, unordered."""
    return (
        select(CollectionItem.id)
        .join(CollectionItem.issue)
        .join(Issue.series)
        .where(CollectionItem.user_id == user_id, *wanted.conditions(user_id))
    )
