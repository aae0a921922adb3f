"""The collection: the copies of issues that a reader owns, when they read them, and their ratings.

An item is one or several identical copies of an issue, or of one of its variants; copies that differ are
separate items. Data about the issue rather than the copy (`is_read`, read dates, rating) is the same in all
of its items.

Every function works for one account, `user_id`; items of others raise NotFoundError. Writers of a collection
are serialised (`locks.lock_account`), so that the ratings of item and issue stay equal. Nothing is committed
here.

`today` is the business day: ratings of unreleased issues do not count before their release.
"""

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

import orjson
from sqlalchemy import ARRAY, BigInteger, ColumnElement, any_, cast, delete, select, text
from sqlalchemy import update as changing
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import _
from comicsdb.library import ratings, reads, runs
from comicsdb.library.locks import check_account, find_row, lock_account, lock_variant, stamp_values
from comicsdb.models import CollectionItem, Issue, ReadDate, WishListItem
from comicsdb.models.base import BIG_MAX, INTEGER_MAX
from comicsdb.models.choices import BookFormat
from comicsdb.models.currencies import Currency
from comicsdb.schemas.collection import WHOLE_DIGITS
from comicsdb.schemas.types import amount_problem

NO_VARIANT = _("This is not a variant of the issue.")
KEEP_RATING = object()  # no rating is given: keep the current one
# The writable fields of an item, each with its default and its PostgreSQL type.
FIELDS = {
    "variant_id": (None, "integer"),
    "quantity": (1, "smallint"),
    "book_format": (BookFormat.PRINT.value, "text"),
    "grade": (None, "numeric"),
    "grading_company": ("", "text"),
    "purchase_date": (None, "date"),
    "purchase_price": (None, "numeric"),
    "purchase_currency": (Currency.USD.value, "text"),
    "purchase_store": ("", "text"),
    "storage_location": ("", "text"),
    "tags": ((), "text[]"),
    "notes": ("", "text"),
}
PRICE_COLUMNS = ("purchase_price", "purchase_currency")
_COLUMNS = ", ".join(FIELDS)
_TYPES = ", ".join(f"{name} {type_}" for name, (_, type_) in FIELDS.items())
_REFRESH = {"synchronize_session": False, "populate_existing": True}


def item(session: Session, user_id: int, item_id: int, *options) -> CollectionItem:
    """An item, reloaded, with loader options; raises NotFoundError, also for items of other accounts."""
    return _load_item(session, user_id, item_id, select(CollectionItem).options(*options))


def lock(session: Session, user_id: int, item_id: int, *, issue: bool = False) -> CollectionItem:
    """An item, reloaded and locked, to compare before a write.

    With `issue`, its issue is first locked against deletion as well. Writes of ratings and reads need that,
    as they refer to the issue.
    """
    lock_account(session, user_id)
    if issue and 0 < item_id <= BIG_MAX:
        owned = select(Issue.id).join(CollectionItem).where(CollectionItem.id == item_id)
        session.execute(owned.with_for_update(read=True, key_share=True, of=Issue))
    return _load_item(session, user_id, item_id, select(CollectionItem).with_for_update(key_share=True))


def _load_item(session: Session, user_id: int, item_id: int, rows) -> CollectionItem:
    rows = rows.where(CollectionItem.user_id == user_id).execution_options(populate_existing=True)
    return find_row(session, rows, CollectionItem.id, item_id, "collection_item")


def add(
    session: Session, user_id: int, issue_id: int, values: dict, *, another_copy: bool = False
) -> tuple[CollectionItem, bool]:
    """Add an issue to the collection; returns the item and whether it is new.

    If the account has an item of the issue, or of the variant in `values`, the first one is returned
    unchanged; with `another_copy` a second item is added. `values` are the `FIELDS` as deserialized by
    `CollectionItemSchema`; also `is_read` (True: read now, unless it was read before) and `read_dates` (times
    with their zone). The item gets the account's rating of the issue. Raises NotFoundError for an unknown
    issue, and InvalidError for a variant of another issue and a price that is not valid in its currency.
    """
    _check_issue(issue_id)
    lock_account(session, user_id)
    present = None if another_copy else _first(session, user_id, issue_id, values.get("variant_id"))
    if present is not None:
        return present, False
    check_variant(session, issue_id, values)
    check_price(values, *PRICE_COLUMNS)
    made = _add_many(session, user_id, [(issue_id, values)], another_copy=True)
    if not made:
        raise NotFoundError("issue", issue_id)
    return _load_item(session, user_id, made[0][1], select(CollectionItem)), True


def _first(
    session: Session, user_id: int, issue_id: int, variant_id: int | None = None
) -> CollectionItem | None:
    """The first item of an issue, or of one of its variants."""
    rows = select(CollectionItem).where(*_of_issue(user_id, issue_id))
    if variant_id is not None:
        rows = rows.where(CollectionItem.variant_id == variant_id)
    rows = rows.order_by(CollectionItem.id).limit(1)
    return session.scalar(rows.execution_options(populate_existing=True))


def _of_issue(user_id: int, issue_id: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions for the items of an issue."""
    return CollectionItem.user_id == user_id, CollectionItem.issue_id == issue_id


def _check_issue(issue_id: int) -> None:
    if not 0 < issue_id <= INTEGER_MAX:
        raise NotFoundError("issue", issue_id)


def check_variant(session: Session, issue_id: int, values: dict) -> None:
    """Raise InvalidError for a variant of another issue; the variant is locked against deletion."""
    variant_id = values.get("variant_id")
    if variant_id is not None and not lock_variant(session, issue_id, variant_id):
        raise InvalidError({"variant_id": [NO_VARIANT]})


def check_price(
    values: dict, amount: str, currency: str, present: CollectionItem | WishListItem | None = None
) -> None:
    """Raise InvalidError for a price that is not valid in its currency, for a new or an existing item.

    `amount` and `currency` are the names of the columns; those not in `values` keep their current value.
    """
    price, code = (values.get(name, getattr(present, name, None)) for name in (amount, currency))
    wrong = price and amount_problem(Decimal(str(price)), code or Currency.USD, whole=WHOLE_DIGITS)
    if wrong and (amount in values or currency in values):
        raise InvalidError({amount: [wrong]})


def add_many(session: Session, user_id: int, rows: Iterable[tuple[int, dict]]) -> dict[int, int]:
    """Add issues to the collection, given as (issue id, values as for `add`); returns new item ids by issue.

    Owned issues are not changed; unknown ones are skipped. The number of statements does not depend on the
    number of issues.
    """
    lock_account(session, user_id)
    wanted: dict[int, dict] = {}
    for issue_id, values in rows:
        wanted.setdefault(issue_id, values)
    return dict(_add_many(session, user_id, list(wanted.items())))


def add_copies(session: Session, user_id: int, rows: list[tuple[int, dict]]) -> int:
    """Add items like `add_many`, also of issues that are owned or given several times; returns how many."""
    lock_account(session, user_id)
    return len(_add_many(session, user_id, rows, another_copy=True))


def _add_many(
    session: Session, user_id: int, rows: list[tuple[int, dict]], *, another_copy: bool = False
) -> list[tuple[int, int]]:
    """Add issues for an account that is already locked; returns the issue id and item id of the new items."""
    there = _lock_issues(session, user_id, [issue_id for issue_id, _ in rows])
    new = [
        (issue_id, values)
        for issue_id, values in rows
        if issue_id in there and (another_copy or not there[issue_id])
    ]
    # Reads come first, as a new item shows those of its issue.
    reads.insert_many(
        session,
        user_id,
        [(each, moment) for each, values in new for moment in values.get("read_dates") or ()],
    )
    is_read = [each for each, values in new if values.get("is_read")]
    if is_read:
        reads.mark_read(session, user_id, is_read, clock.now())
    return _insert(session, user_id, [_record(each, values) for each, values in new])


def _lock_issues(session: Session, user_id: int, issue_ids: list[int]) -> dict[int, bool]:
    """Lock issues against deletion; returns whether each is in the collection, omitting unknown issues."""
    there = session.execute(
        text(
            "SELECT i.id, EXISTS"
            " (SELECT FROM collection_item c WHERE c.user_id = :user AND c.issue_id = i.id)"
            " FROM issue i JOIN user_account u ON u.id = :user"
            " WHERE i.id = ANY(:ids) ORDER BY i.id FOR KEY SHARE OF i, u"
        ),
        {"user": user_id, "ids": [each for each in issue_ids if 0 < each <= INTEGER_MAX]},
    ).all()
    if not there:
        check_account(session, user_id)
    return dict(there)


def _record(issue_id: int, values: dict) -> dict:
    """The columns of a new item, for JSON."""
    record = {name: values.get(name, default) for name, (default, _) in FIELDS.items()}
    record["purchase_price"] = record["purchase_price"] or None  # a price of 0 means no price
    return record | {"issue_id": issue_id, "added": values.get("added")}


def _insert(session: Session, user_id: int, records: list[dict]) -> list[tuple[int, int]]:
    """Store new items; returns pairs of issue id and item id."""
    if not records:
        return []
    made = session.execute(
        text(
            f"INSERT INTO collection_item (user_id, issue_id, {_COLUMNS}, rating, created_on)"
            f" SELECT :user, r.issue_id, {', '.join(f'r.{name}' for name in FIELDS)},"
            " s.rating, coalesce(r.added, clock_timestamp())"
            f" FROM json_to_recordset(cast(:records AS json)) AS r(issue_id integer, {_TYPES},"
            " added timestamptz)"
            " LEFT JOIN issue_rating s ON s.issue_id = r.issue_id AND s.user_id = :user"
            " RETURNING issue_id, id"
        ),
        {"user": user_id, "records": orjson.dumps(records, default=_json_default).decode()},
    )
    return [tuple(each) for each in made]


def _json_default(value):
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(type(value))


def update(session: Session, user_id: int, item_id: int, values: dict) -> CollectionItem:
    """Change the fields in `values`, as for `add`; returns the item.

    `is_read`: True adds a read at the current time if the issue was not read, False removes all its reads.
    Raises NotFoundError and InvalidError.
    """
    owned = lock(session, user_id, item_id, issue="is_read" in values)
    changes = {name: values[name] for name in FIELDS if name in values}
    check_variant(session, owned.issue_id, changes)
    check_price(changes, *PRICE_COLUMNS, owned)
    if "purchase_price" in changes:
        changes["purchase_price"] = changes["purchase_price"] or None
    was_read = owned.is_read
    wanted = values.get("is_read", was_read)
    if wanted and not was_read:
        reads.insert_many(session, user_id, [(owned.issue_id, clock.now())])
    elif was_read and not wanted:
        reads.clear(session, user_id, [owned.issue_id])
    return _write(session, item_id, changes, update_stamp=wanted == was_read)


def remove(session: Session, user_id: int, item_id: int) -> None:
    """Remove an item; the rating of the issue and its reads stay. Raises NotFoundError."""
    lock(session, user_id, item_id)
    session.execute(delete(CollectionItem).where(CollectionItem.id == item_id))


def rate(session: Session, user_id: int, item_id: int, stars: int | None, *, today: date) -> CollectionItem:
    """Set the rating of an item, of its issue and of the issue's other items; None removes it.

    Raises NotFoundError and InvalidError.
    """
    owned = lock(session, user_id, item_id, issue=True)
    ratings.rate_issues(session, user_id, {owned.issue_id: stars}, today=today)
    ratings.copy_to_items(session, *_of_issue(user_id, owned.issue_id), CollectionItem.id != item_id)
    return _write(session, item_id, {"rating": stars})


def touch(session: Session, user_id: int, item_id: int) -> CollectionItem:
    """Update the stamp of an item, like an update without changes."""
    lock(session, user_id, item_id)
    return _write(session, item_id, {})


def add_read(session: Session, user_id: int, item_id: int, moment: datetime | None) -> ReadDate:
    """Add a read of the item's issue, None for an unknown date; duplicates are allowed."""
    owned = lock(session, user_id, item_id, issue=True)
    return reads.insert_one(session, user_id, owned.issue_id, moment)


def remove_read(session: Session, user_id: int, item_id: int, read_id: int) -> CollectionItem:
    """Remove a read of the item's issue, which stays read if there are others. Raises NotFoundError."""
    owned = lock(session, user_id, item_id)
    reads.remove(session, user_id, read_id, owned.issue_id)
    return item(session, user_id, item_id)


def scrobble(
    session: Session,
    user_id: int,
    issue_id: int,
    moment: datetime | None,
    stars: int | object = KEEP_RATING,
    *,
    today: date,
) -> tuple[int, bool]:
    """Record that an issue was read, by default now; returns the id of its first item and whether it is new.

    An issue that is not owned is added to the collection as one digital copy. `stars` replace the current
    rating; None removes it, KEEP_RATING keeps it. Raises NotFoundError for an unknown issue, and
    InvalidError.
    """
    _check_issue(issue_id)
    if stars is not KEEP_RATING:
        ratings.rate_issues(session, user_id, {issue_id: stars}, today=today)
    moment = moment or clock.now()
    lock_account(session, user_id)
    item_id = session.scalar(_READ_AGAIN, {"user": user_id, "issue": issue_id, "moment": moment})
    if item_id is not None:
        if stars is not KEEP_RATING:
            ratings.copy_to_items(session, *_of_issue(user_id, issue_id), update_stamps=False)
        return item_id, False
    values = {"book_format": BookFormat.DIGITAL.value, "read_dates": [moment]}
    made = _add_many(session, user_id, [(issue_id, values)])  # with the issue's rating
    if not made:
        raise NotFoundError("issue", issue_id)
    return made[0][1], True


_READ_AGAIN = text("""
WITH item AS (
    SELECT c.id FROM collection_item c JOIN issue i ON i.id = c.issue_id
    WHERE c.user_id = :user AND c.issue_id = :issue ORDER BY c.id LIMIT 1
    FOR KEY SHARE OF i
), noted AS (
    INSERT INTO read_date (user_id, issue_id, read_on)
    SELECT :user, :issue, CAST(:moment AS timestamptz) FROM item
)
SELECT id FROM item
""")


def add_series(
    session: Session,
    user_id: int,
    series_id: int,
    *,
    book_format: str = BookFormat.PRINT.value,
    read: bool = False,
    **which: str,
) -> tuple[int, int]:
    """Add the issues of a series that `which` selects (see `runs.issues`, also for exceptions).

    Returns how many were added, and how many were already owned.
    """
    chosen = runs.issues(session, series_id, **which)
    values = {"book_format": book_format, "is_read": read}
    made = add_many(session, user_id, [(each, values) for each in chosen])
    return len(made), len(chosen) - len(made)


def mark_read(session: Session, user_id: int, item_ids: Iterable[int], moment: datetime | None) -> int:
    """Mark the unread issues of items as read, None for an unknown date; returns how many.

    Unknown ids and those of other accounts are ignored. The number of statements is constant.
    """
    ids = [each for each in item_ids if 0 < each <= BIG_MAX]
    issues = select(CollectionItem.issue_id).where(
        CollectionItem.user_id == user_id, CollectionItem.id == any_(cast(ids, ARRAY(BigInteger)))
    )
    return len(reads.mark_read(session, user_id, session.scalars(issues).all(), moment))


def _write(session: Session, item_id: int, changes: dict, *, update_stamp: bool = True) -> CollectionItem:
    """Write changes and, with `update_stamp`, the stamp; returns the item."""
    values = changes | (stamp_values(CollectionItem) if update_stamp else {})
    if not values:
        return session.get_one(CollectionItem, item_id, populate_existing=True)
    return session.scalar(
        changing(CollectionItem)
        .where(CollectionItem.id == item_id)
        .values(**values)
        .returning(CollectionItem),
        execution_options=_REFRESH,
    )
