"""Storing the collection of an import: new items, blanks filled in, dates of reading put together."""

from datetime import UTC, date, datetime
from decimal import Decimal

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.library import collection
from comicsdb.library.transfer.combine import Storing, merge, packed, plain
from comicsdb.models.base import SMALL_MAX

_TYPES = ", ".join(f"{name} {type_}" for name, (_, type_) in collection.FIELDS.items())
_MADE_TYPES = {"purchase_date": date.fromisoformat, "purchase_price": Decimal, "grade": Decimal}


def store_collection(storing: Storing, rows: list) -> None:
    """Store rows of the collection; their stars were given before, and new items take them over."""
    session, user_id = storing.session, storing.user_id
    said = _by_issue(rows, storing.add_up)
    if not said:
        return
    present = session.execute(
        text(
            f"SELECT id, issue_id, is_read, {', '.join(collection.FIELDS)},"
            " ARRAY(SELECT read_date FROM read_date WHERE collection_item_id = c.id) AS reads"
            " FROM collection_item c WHERE user_id = :user AND issue_id = ANY(:ids) ORDER BY id FOR UPDATE"
        ),
        {"user": user_id, "ids": list(said)},
    ).mappings()
    known = {row["issue_id"]: dict(row) for row in present}
    new = {issue_id: values for issue_id, values in said.items() if issue_id not in known}
    made = collection.add_many(
        session, user_id, [(issue_id, _made(values)) for issue_id, values in new.items()], today=storing.today
    )
    _date_back(session, {made[each]: new[each]["added"] for each in made if "added" in new[each]})
    changes = [_change(row, said[issue_id], storing.take_file) for issue_id, row in known.items()]
    changed = [(row, reads) for row, reads in filter(None, changes)]
    _write(session, changed)
    storing.counted["collection_added"] += len(made)
    storing.counted["collection_changed"] += len(changed)


def _by_issue(rows: list, add_up: bool) -> dict[int, dict]:
    """What the rows say of each issue: the first that says something counts; copies and dates add up."""
    said: dict[int, dict] = {}
    for row in rows:
        values = said.setdefault(row.id, {})
        if add_up:
            copies = values.get("quantity", 0) + row.values.get("quantity", 1)
            values["quantity"] = min(copies, SMALL_MAX)
        reads = {*values.get("read_dates", ()), *row.values.get("read_dates", ())}
        is_read = values.get("is_read") or row.values.get("is_read") or bool(reads)
        for name, value in row.values.items():
            values.setdefault(name, value)
        values |= {"read_dates": sorted(reads), "is_read": is_read}
    return said


def _made(values: dict) -> dict:
    """The values of a new item, as `collection.add_many` takes them."""
    made = {name: _MADE_TYPES.get(name, lambda value: value)(value) for name, value in values.items()}
    made["read_dates"] = [datetime.fromisoformat(each) for each in values["read_dates"]]
    made.pop("rating", None)  # the issue has them by now
    return made


def _date_back(session: Session, added: dict[int, str]) -> None:
    """New items came into the library when the file says they did."""
    if added:
        session.execute(
            text(
                "UPDATE collection_item c SET created_on = said.added"
                " FROM json_to_recordset(CAST(:rows AS json)) AS said (id bigint, added timestamptz)"
                " WHERE c.id = said.id"
            ),
            {"rows": packed([{"id": each, "added": at} for each, at in added.items()])},
        )


def _change(row: dict, said: dict, take_file: bool) -> tuple[dict, list[datetime]] | None:
    """What a file changes of an item: the row as it will be, and new dates of reading; None for nothing."""
    had = set(row.pop("reads"))
    reads = {datetime.fromisoformat(each) for each in said["read_dates"]} - had
    if said["is_read"] and not had and not reads:
        reads = {clock.now()}
    price = said.get("purchase_price")
    if price is not None and not Decimal(price):  # nothing paid is no price
        said = {name: value for name, value in said.items() if name != "purchase_price"}
    merged = merge(row, said, collection.FIELDS, take_file)
    if merged == plain(row) and not reads:
        return None
    latest = max(had | reads, default=None)
    return merged | {"date_read": latest and latest.astimezone(UTC).isoformat()}, sorted(reads)


def _write(session: Session, changed: list[tuple[dict, list[datetime]]]) -> None:
    """Write items and their new dates; whether and when they were read follows from the dates."""
    if not changed:
        return
    dates = [{"item": row["id"], "moment": each} for row, reads in changed for each in reads]
    session.execute(
        text(
            "INSERT INTO read_date (collection_item_id, read_date) SELECT said.item, said.moment"
            " FROM json_to_recordset(CAST(:rows AS json)) AS said (item bigint, moment timestamptz)"
        ),
        {"rows": packed(dates)},
    )
    columns = ", ".join(f"{name} = said.{name}" for name in collection.FIELDS)
    session.execute(
        text(
            f"UPDATE collection_item c SET {columns}, is_read = said.date_read IS NOT NULL,"
            " date_read = said.date_read, modified_before = c.modified,"
            " modified = greatest(clock_timestamp(), c.modified + interval '1 microsecond')"
            " FROM json_to_recordset(CAST(:rows AS json))"
            f" AS said (id bigint, date_read timestamptz, {_TYPES}) WHERE c.id = said.id"
        ),
        {"rows": packed([row for row, _reads in changed])},
    )
