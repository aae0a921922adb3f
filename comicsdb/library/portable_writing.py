"""Writing files: everything in an account's library as JSON or as tables, for its owner to take along."""

import csv
import io
import zipfile
from collections.abc import Iterable

import orjson
from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by
from sqlalchemy.orm import Session
from sqlalchemy.types import DateTime

from comicsdb import clock
from comicsdb.library.portable import (
    COLLECTION,
    COLUMNS,
    FORMAT,
    ITEMS,
    LISTS,
    PULL,
    RATINGS,
    VERSION,
    WISHES,
)
from comicsdb.library.portable_values import guarded
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    Publisher,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    Series,
    WishList,
    WishListItem,
)

_SERIES = (
    Series.name.label("series"),
    Series.volume.label("series_volume"),
    Series.year_began.label("series_year"),
    Publisher.name.label("publisher"),
)
_ISSUE = (
    Issue.id.label("issue_id"),
    Issue.cv_id.label("issue_cv_id"),
    Issue.gcd_id.label("issue_gcd_id"),
    *_SERIES,
    Issue.number,
    Issue.cover_date,
    Issue.upc,
)


def _reads():
    """The dates on which an item was read, the first first."""
    dates = aggregate_order_by(ReadDate.read_date, ReadDate.read_date)
    return (
        select(func.array_agg(dates, type_=ARRAY(DateTime(timezone=True))))
        .where(ReadDate.collection_item_id == CollectionItem.id)
        .correlate(CollectionItem)
        .scalar_subquery()
    )


def _of_issue(model, *said) -> Select:
    """Rows that say something of an issue."""
    return (
        select(*_ISSUE, *said)
        .select_from(model)
        .join(Issue, Issue.id == model.issue_id)
        .join(Series, Series.id == Issue.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .order_by(Issue.id)
    )


def _collection(user_id: int, conditions: Iterable[ColumnElement[bool]]) -> Select:
    item = CollectionItem
    said = (
        item.quantity,
        item.book_format,
        item.grade,
        item.grading_company,
        item.purchase_date,
        item.purchase_price,
        _with_amount(item.purchase_price, item.purchase_currency),
        item.purchase_store,
        item.storage_location,
        item.notes,
        item.is_read,
        _reads().label("read_dates"),
        item.rating,
        item.created_on.label("added"),
    )
    return _of_issue(item, *said).where(item.user_id == user_id, *conditions)


def _with_amount(amount, currency):
    """A currency, where there is an amount that it says something of."""
    return case((amount.is_not(None), currency)).label(currency.key)


def _selects(user_id: int) -> dict[str, Select]:
    wish = WishListItem
    listed, item = ReadingList, ReadingListItem
    return {
        COLLECTION: _collection(user_id, ()),
        PULL: select(
            Series.id.label("series_id"),
            Series.cv_id.label("series_cv_id"),
            Series.gcd_id.label("series_gcd_id"),
            *_SERIES,
            PullListSeries.added_on.label("added"),
        )
        .select_from(PullListSeries)
        .join(PullList, PullList.id == PullListSeries.pull_list_id)
        .join(Series, Series.id == PullListSeries.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .where(PullList.user_id == user_id)
        .order_by(Series.id),
        WISHES: _of_issue(
            wish,
            wish.status,
            wish.priority,
            wish.desired_grade,
            wish.max_price,
            _with_amount(wish.max_price, wish.max_currency),
            wish.notes,
            wish.added_on.label("added"),
        )
        .join(WishList, WishList.id == wish.wish_list_id)
        .where(WishList.user_id == user_id),
        RATINGS: _of_issue(IssueRating, IssueRating.rating, IssueRating.created_on.label("added")).where(
            IssueRating.user_id == user_id
        ),
        LISTS: select(
            listed.id.label("list"),
            listed.name,
            listed.desc,
            listed.is_private,
            listed.list_type,
            listed.attribution_source,
            listed.attribution_url,
            listed.previous_id.label("previous"),
            listed.next_id.label("next"),
        )
        .where(listed.user_id == user_id)
        .order_by(listed.name, listed.attribution_source),
        ITEMS: _of_issue(item, item.issue_type, item.added_on.label("added"))
        .add_columns(
            item.reading_list_id.label("list"), listed.name.label("list_name"), item.order.label("position")
        )
        .join(ReadingList, listed.id == item.reading_list_id)
        .where(listed.user_id == user_id)
        .order_by(None)
        .order_by(listed.name, listed.attribution_source, item.order),
    }


def library(session: Session, user_id: int) -> dict[str, list[dict]]:
    """Everything in an account's library: rows by part, lists numbered from 1; a statement for each part."""
    found = {
        part: [dict(row) for row in session.execute(rows).mappings()]
        for part, rows in _selects(user_id).items()
    }
    numbers = {row["list"]: number for number, row in enumerate(found[LISTS], 1)}
    for row in found[LISTS]:  # a neighbour of somebody else is none that a file can name
        row |= {side: numbers.get(row[side]) for side in ("list", "previous", "next")}
    for row in found[ITEMS]:
        row["list"] = numbers[row["list"]]
    return found


def collection_rows(
    session: Session, user_id: int, conditions: Iterable[ColumnElement[bool]] = ()
) -> dict[str, list[dict]]:
    """The collection alone, those items that meet the conditions; these may speak of issue and series."""
    rows = session.execute(_collection(user_id, conditions)).mappings()
    return {COLLECTION: [dict(row) for row in rows]}


def as_json(parts: dict[str, list[dict]]) -> bytes:
    """Parts of a library as one JSON document; values that say nothing are left out."""
    document = {"format": FORMAT, "version": VERSION, "written": clock.now()}
    items: dict[int, list] = {}
    for row in parts.get(ITEMS, ()):
        items.setdefault(row["list"], []).append(_said(row, {"list", "list_name", "position"}))
    for part, rows in parts.items():
        if part == LISTS:
            document[part] = [_said(row, {"list"}) | {"items": items.get(row["list"], [])} for row in rows]
        elif part != ITEMS:
            document[part] = [_said(row) for row in rows]
    return orjson.dumps(document, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)


def _said(row: dict, without: frozenset | set = frozenset()) -> dict:
    return {name: value for name, value in row.items() if value not in (None, "") and name not in without}


def as_csv(part: str, rows: list[dict]) -> bytes:
    """One part of a library as a table in UTF-8, with a line of titles."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(COLUMNS[part])
    writer.writerows([_cell(row[name]) for name in COLUMNS[part]] for row in rows)
    return written.getvalue().encode("utf-8-sig")  # so that spreadsheets see that it is UTF-8


def as_archive(parts: dict[str, list[dict]]) -> bytes:
    """Parts of a library as a ZIP archive with a table of each."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, rows in parts.items():
            archive.writestr(f"{part}.csv", as_csv(part, rows))
    return packed.getvalue()


def _cell(value) -> str:
    """A value as a cell that no spreadsheet takes for a formula: names in it may come from anybody."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guarded(str(value))
