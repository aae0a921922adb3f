"""Export of an account's library as JSON or CSV."""

from collections import defaultdict
from collections.abc import Iterable

import orjson
from sqlalchemy import ColumnElement, Integer, Select, any_, case, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by
from sqlalchemy.orm import Session, aliased
from sqlalchemy.types import DateTime

from comicsdb import clock
from comicsdb.library.transfer.format import (
    COLLECTION,
    COLUMNS,
    FORMAT,
    ITEMS,
    LIST_FIELDS,
    LISTS,
    PULL,
    RATINGS,
    READS,
    VALUE_FIELDS,
    VERSION,
    WISHES,
)
from comicsdb.library.transfer.pending import ids_of, in_order
from comicsdb.library.transfer.tables import archive, csv_text
from comicsdb.library.transfer.values import escape_formula
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    PendingEntry,
    Publisher,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    Series,
    Variant,
    WishList,
    WishListItem,
)
from comicsdb.models.choices import ID_COLUMNS
from comicsdb.values import partial_day_text

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
    Issue.cover_date_precision,
    Issue.upc,
)


_MODELS = {
    COLLECTION: CollectionItem,
    PULL: PullListSeries,
    WISHES: WishListItem,
    RATINGS: IssueRating,
    ITEMS: ReadingListItem,
}
_DATES = func.array_agg(
    aggregate_order_by(ReadDate.read_on, ReadDate.read_on),  # oldest first
    type_=ARRAY(DateTime(timezone=True)),
).filter(ReadDate.read_on.is_not(None))
_OF_ITEM = (ReadDate.user_id == CollectionItem.user_id, ReadDate.issue_id == CollectionItem.issue_id)
_READ_DATES = select(_DATES).where(*_OF_ITEM).scalar_subquery()


def _copy() -> ColumnElement[int]:
    """The position of an item among those of its issue, null for the first."""
    item, other = CollectionItem, aliased(CollectionItem)
    earlier = (other.user_id == item.user_id, other.issue_id == item.issue_id, other.id <= item.id)
    return func.nullif(select(func.count()).where(*earlier).correlate(item).scalar_subquery(), 1)


def _value_columns(part: str) -> list:
    """The columns with the values of a part, labelled with the names in `VALUE_FIELDS`."""
    model, columns = _MODELS[part], []
    for name in VALUE_FIELDS[part]:
        if name == "added":
            columns.append((model.created_on if hasattr(model, "created_on") else model.added_on).label(name))
        elif name == "read_dates":
            columns.append(_READ_DATES.label(name))
        elif name == "copy":
            columns.append(_copy().label(name))
        elif name == "variant":
            named = select(Variant.name).where(Variant.id == model.variant_id).correlate(model)
            columns.append(named.scalar_subquery().label(name))
        elif name.endswith("_currency"):  # only with an amount
            amount = getattr(model, name.replace("currency", "price"))
            columns.append(case((amount.is_not(None), getattr(model, name))).label(name))
        else:
            columns.append(getattr(model, name))
    return columns


def _collection(user_id: int, conditions: tuple[ColumnElement[bool], ...] = ()) -> Select:
    item = CollectionItem
    rows = select(item.issue_id, *_value_columns(COLLECTION)).where(item.user_id == user_id, *conditions)
    if conditions:
        rows = rows.join(Issue, Issue.id == item.issue_id).join(Series, Series.id == Issue.series_id)
    return rows.order_by(item.issue_id, item.id)


def _selects(user_id: int) -> dict[str, Select]:
    listed, item, rated, wish = ReadingList, ReadingListItem, IssueRating, WishListItem
    ids = (
        Series.id.label("series_id"),
        Series.cv_id.label("series_cv_id"),
        Series.gcd_id.label("series_gcd_id"),
    )
    of_list = [getattr(listed, name) for name in LIST_FIELDS if name not in ("previous", "next")]
    return {
        COLLECTION: _collection(user_id),
        PULL: select(*ids, *_SERIES, *_value_columns(PULL))
        .select_from(PullListSeries)
        .join(PullList, PullList.id == PullListSeries.pull_list_id)
        .join(Series, Series.id == PullListSeries.series_id)
        .join(Publisher, Publisher.id == Series.publisher_id)
        .where(PullList.user_id == user_id)
        .order_by(Series.id),
        WISHES: select(wish.issue_id, *_value_columns(WISHES))
        .join(WishList, WishList.id == wish.wish_list_id)
        .where(WishList.user_id == user_id)
        .order_by(wish.issue_id, wish.variant_id.nulls_first()),
        RATINGS: select(rated.issue_id, *_value_columns(RATINGS))
        .where(rated.user_id == user_id)
        .order_by(rated.issue_id),
        READS: _reads(user_id),
        LISTS: select(
            listed.id.label("list"),
            *of_list,
            listed.previous_id.label("previous"),
            listed.next_id.label("next"),
        )
        .where(listed.user_id == user_id)
        .order_by(listed.name, listed.attribution_source),
        ITEMS: select(
            item.issue_id,
            *_value_columns(ITEMS),
            item.reading_list_id.label("list"),
            listed.name.label("list_name"),
            item.order.label("position"),
        )
        .join(ReadingList, listed.id == item.reading_list_id)
        .where(listed.user_id == user_id)
        .order_by(listed.name, listed.attribution_source, item.order),
    }


def _reads(user_id: int) -> Select:
    """The issues that were read but are not in the collection, whose rows already have the dates."""
    item = CollectionItem
    return (
        select(ReadDate.issue_id, _DATES.label("read_dates"))
        .where(ReadDate.user_id == user_id, ~select(item.id).where(*_OF_ITEM).correlate(ReadDate).exists())
        .group_by(ReadDate.issue_id)
        .order_by(ReadDate.issue_id)
    )


def _rows(session: Session, selects: dict[str, Select]) -> dict[str, list[dict]]:
    """The rows of some parts: one statement for each part, and one for all of their issues."""
    found = {part: [dict(row) for row in session.execute(rows).mappings()] for part, rows in selects.items()}
    ids = {row["issue_id"] for rows in found.values() for row in rows if "issue_id" in row}
    issues = {}
    for row in map(dict, session.execute(_issues(ids)).mappings()):
        row["cover_date"] = partial_day_text(row["cover_date"], row.pop("cover_date_precision")) or None
        issues[row["issue_id"]] = row
    for part, rows in found.items():
        if rows and "issue_id" in rows[0]:  # an issue may have been deleted in the meantime
            found[part] = [{**issues[row["issue_id"]], **row} for row in rows if row["issue_id"] in issues]
    return found


def _issues(ids: set[int]) -> Select:
    wanted = literal(sorted(ids), ARRAY(Integer))
    return select(*_ISSUE).join(Issue.series).join(Series.publisher).where(Issue.id == any_(wanted))


def library(session: Session, user_id: int) -> dict[str, list[dict]]:
    """The whole library of an account: rows by part, with lists numbered from 1."""
    found = _rows(session, _selects(user_id))
    numbers = {row["list"]: number for number, row in enumerate(found[LISTS], 1)}
    for row in found[LISTS]:  # the file does not contain lists of other accounts
        row |= {side: numbers.get(row[side]) for side in ("list", "previous", "next")}
    found[ITEMS] = [  # a list may have been created in the meantime
        {**row, "list": numbers[row["list"]]}
        for row in _with_pending(session, user_id, found[ITEMS])
        if row["list"] in numbers
    ]
    return found


def _with_pending(session: Session, user_id: int, rows: list[dict]) -> list[dict]:
    """Items of lists and pending entries in their common order."""
    pending = select(PendingEntry, ReadingList.name, ReadingList.attribution_source)
    pending = pending.join(ReadingList, ReadingList.id == PendingEntry.reading_list_id)
    pending = pending.where(ReadingList.user_id == user_id)
    order = (ReadingList.name, ReadingList.attribution_source, PendingEntry.position, PendingEntry.id)
    items_of, entries_of = defaultdict(list), defaultdict(list)
    for row in rows:
        items_of[row["list"]].append(row)
    names = {}
    for entry, name, _source in session.execute(pending.order_by(*order)):
        names[entry.reading_list_id] = name
        entries_of[entry.reading_list_id].append(entry)
    return [
        (part if isinstance(part, dict) else _pending_row(part, names[list_id])) | {"position": position}
        for list_id in dict.fromkeys([*items_of, *entries_of])
        for position, part in enumerate(in_order(items_of[list_id], entries_of[list_id]), 1)
    ]


def _pending_row(entry: PendingEntry, list_name: str) -> dict:
    """An entry as a row of COLUMNS[ITEMS], without an id of ours."""
    ids = ids_of(entry)
    main = {f"issue_{column}": ids.pop(source, None) for source, column in ID_COLUMNS.items()}
    return dict.fromkeys(COLUMNS[ITEMS]) | {
        **main,
        "issue_ids": " ".join(f"{source} {number}" for source, number in ids.items()) or None,
        "series": entry.series,
        "series_volume": entry.volume,
        "series_year": entry.year_began,
        "publisher": entry.publisher,
        "number": entry.number,
        "cover_date": partial_day_text(entry.cover_date, entry.cover_date_precision) or entry.year,
        "upc": entry.upc,
        "issue_type": entry.issue_type,
        "added": entry.added_on,
        "list": entry.reading_list_id,
        "list_name": list_name,
    }


def collection_rows(
    session: Session, user_id: int, conditions: Iterable[ColumnElement[bool]] = ()
) -> dict[str, list[dict]]:
    """The items of a collection that meet conditions on CollectionItem, Issue and Series."""
    return _rows(session, {COLLECTION: _collection(user_id, tuple(conditions))})


def as_json(parts: dict[str, list[dict]]) -> bytes:
    """Parts of a library as one JSON document; null and blank values are left out."""
    document = {"format": FORMAT, "version": VERSION, "written": clock.now()}
    items: dict[int, list] = {}
    for row in parts.get(ITEMS, ()):
        items.setdefault(row["list"], []).append(_without_blanks(row, {"list", "list_name", "position"}))
    for part, rows in parts.items():
        if part == LISTS:
            document[part] = [
                _without_blanks(row, {"list"}) | {"items": items.get(row["list"], [])} for row in rows
            ]
        elif part != ITEMS:
            document[part] = [_without_blanks(row) for row in rows]
    return orjson.dumps(document, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)


def _without_blanks(row: dict, without: frozenset | set = frozenset()) -> dict:
    return {name: value for name, value in row.items() if value not in (None, "", []) and name not in without}


def as_csv(part: str, rows: list[dict]) -> bytes:
    """One part of a library as CSV in UTF-8, with a header line."""
    cells = ([_cell(row.get(name)) for name in COLUMNS[part]] for row in rows)
    return csv_text(COLUMNS[part], cells).encode("utf-8-sig")  # the BOM lets spreadsheets detect UTF-8


def as_archive(parts: dict[str, list[dict]]) -> bytes:
    """Parts of a library as a ZIP archive of CSV files."""
    return archive({f"{part}.csv": as_csv(part, rows) for part, rows in parts.items()})


def _cell(value) -> str:
    """A value as a cell, escaped, as it may contain names chosen by other users."""
    if value is None:
        return ""
    if isinstance(value, list):
        is_text = value and isinstance(value[0], str)
        return escape_formula(", ".join(value)) if is_text else " ".join(map(_cell, value))
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape_formula(str(value))
