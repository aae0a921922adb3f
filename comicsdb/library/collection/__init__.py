"""The collection: the issues a reader owns, when they read them, and their ratings.

Every function works for one account, `user_id`; items of others raise NotFoundError. Writers of a collection
are serialised (`locks.lock_account`), so that `is_read`, `date_read` and the read dates always agree, and the
ratings of item and issue are equal. Nothing is committed here.

`today` is the business day: ratings of unreleased issues do not count before their release.
"""

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

import orjson
from sqlalchemy import ARRAY, BigInteger, any_, cast, delete, func, select, text
from sqlalchemy import update as changing
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.library import ratings
from comicsdb.library.locks import check_account, lock_account, moved
from comicsdb.models import CollectionItem, Issue, ReadDate, Series
from comicsdb.models.base import BIG_MAX, INTEGER_MAX
from comicsdb.models.choices import BookFormat, Currency

KEEP = object()  # no rating given: the present one stays
# The writable fields of an item, each with its default and its PostgreSQL type.
FIELDS = {
    "quantity": (1, "smallint"),
    "book_format": (BookFormat.PRINT.value, "text"),
    "grade": (None, "numeric"),
    "grading_company": ("", "text"),
    "purchase_date": (None, "date"),
    "purchase_price": (None, "numeric"),
    "purchase_currency": (Currency.USD.value, "text"),
    "purchase_store": ("", "text"),
    "storage_location": ("", "text"),
    "notes": ("", "text"),
}
_COLUMNS = ", ".join(FIELDS)
_TYPES = ", ".join(f"{name} {type_}" for name, (_, type_) in FIELDS.items())
_FRESH = {"synchronize_session": False, "populate_existing": True}


def item(session: Session, user_id: int, item_id: int, *options) -> CollectionItem:
    """An item, reloaded, with loader options; raises NotFoundError, also for those of other accounts."""
    return _one(session, user_id, item_id, select(CollectionItem).options(*options))


def lock(session: Session, user_id: int, item_id: int, *, rating: bool = False) -> CollectionItem:
    """An item, reloaded and locked, to compare before a write.

    With `rating` its issue is locked against deletion as well, which has to come first.
    """
    lock_account(session, user_id)
    if rating and 0 < item_id <= BIG_MAX:
        rated = select(Issue.id).join(CollectionItem).where(CollectionItem.id == item_id)
        session.execute(rated.with_for_update(read=True, key_share=True, of=Issue))
    return _one(session, user_id, item_id, select(CollectionItem).with_for_update(key_share=True))


def _one(session: Session, user_id: int, item_id: int, rows) -> CollectionItem:
    found = None
    if 0 < item_id <= BIG_MAX:
        rows = rows.where(CollectionItem.id == item_id, CollectionItem.user_id == user_id)
        found = session.scalar(rows.execution_options(populate_existing=True))
    if found is None:
        raise NotFoundError("collection_item", item_id)
    return found


def add(
    session: Session, user_id: int, issue_id: int, values: dict, *, today: date
) -> tuple[CollectionItem, bool]:
    """Add an issue to the collection; returns the item and whether it is new. A present item is not changed.

    `values` as `FIELDS` names them, as `CollectionItemSchema` gives them; also `rating`, `is_read` (True: it
    was read now) and `read_dates` (moments with their zone). Without a rating the item takes over the stars
    that the account gave the issue. Raises NotFoundError for an issue that is not there, and InvalidError for
    stars.
    """
    _check_issue(issue_id)
    made = add_many(session, user_id, [(issue_id, values)], today=today)
    found = session.scalar(
        select(CollectionItem)
        .where(CollectionItem.user_id == user_id, CollectionItem.issue_id == issue_id)
        .execution_options(populate_existing=True)
    )
    if found is None:
        raise NotFoundError("issue", issue_id)
    return found, bool(made)


def _check_issue(issue_id: int) -> None:
    if not 0 < issue_id <= INTEGER_MAX:
        raise NotFoundError("issue", issue_id)


def add_many(
    session: Session, user_id: int, rows: Iterable[tuple[int, dict]], *, today: date
) -> dict[int, int]:
    """Add issues to the collection, (issue id, values as for `add`) each; returns the new item ids by issue.

    Owned issues are not changed; unknown ones are left out. The number of
    statements does not depend on how many there are. Raises InvalidError for stars, and then writes nothing.
    """
    lock_account(session, user_id)
    return _add_many(session, user_id, rows, today=today)


def _add_many(
    session: Session, user_id: int, rows: Iterable[tuple[int, dict]], *, today: date
) -> dict[int, int]:
    """Add issues for an account that is locked."""
    wanted: dict[int, dict] = {}
    for issue_id, values in rows:
        wanted.setdefault(issue_id, values)
    new = _not_owned(session, user_id, list(wanted))
    stars = {each: wanted[each]["rating"] for each in new if wanted[each].get("rating") is not None}
    if stars:
        ratings.give(session, user_id, stars, today=today)
    now = clock.now()
    dates = {each: _dates(wanted[each], now) for each in new}
    made = _insert(session, user_id, [_record(each, wanted[each], dates[each]) for each in new])
    _insert_dates(session, [(made[each], moment) for each in made for moment in dates[each]])
    return made


def _not_owned(session: Session, user_id: int, issue_ids: list[int]) -> list[int]:
    """The existing issues that are not in the collection; all are locked against deletion."""
    there = session.execute(
        text(
            "SELECT i.id, c.id IS NOT NULL FROM issue i JOIN user_account u ON u.id = :user"
            " LEFT JOIN collection_item c ON c.user_id = :user AND c.issue_id = i.id"
            " WHERE i.id = ANY(:ids) ORDER BY i.id FOR KEY SHARE OF i, u"
        ),
        {"user": user_id, "ids": [each for each in issue_ids if 0 < each <= INTEGER_MAX]},
    ).all()
    if not there:
        check_account(session, user_id)
    missing = {issue_id for issue_id, owned in there if not owned}
    return [each for each in issue_ids if each in missing]


def _dates(values: dict, now: datetime) -> list[datetime]:
    """The read dates in the values of a new item."""
    return list(values.get("read_dates") or ([now] if values.get("is_read") else []))


def _record(issue_id: int, values: dict, dates: list[datetime]) -> dict:
    """The columns of a new item, for JSON."""
    record = {name: values.get(name, default) for name, (default, _) in FIELDS.items()}
    record["purchase_price"] = record["purchase_price"] or None  # a price of 0 is no price
    return record | {
        "issue_id": issue_id,
        "rating": values.get("rating"),
        "date_read": max(dates, default=None),
    }


def _insert(session: Session, user_id: int, records: list[dict]) -> dict[int, int]:
    """Store new items; returns their ids by issue."""
    if not records:
        return {}
    made = session.execute(
        text(
            f"INSERT INTO collection_item (user_id, issue_id, {_COLUMNS}, rating, is_read, date_read)"
            f" SELECT :user, r.issue_id, {', '.join(f'r.{name}' for name in FIELDS)},"
            " coalesce(r.rating, s.rating), r.date_read IS NOT NULL, r.date_read"
            f" FROM json_to_recordset(cast(:records AS json)) AS r(issue_id integer, {_TYPES},"
            " rating smallint, date_read timestamptz)"
            " LEFT JOIN issue_rating s ON s.issue_id = r.issue_id AND s.user_id = :user"
            " ON CONFLICT DO NOTHING RETURNING issue_id, id"
        ),
        {"user": user_id, "records": _json(records)},
    )
    return dict(made.all())


def _insert_dates(session: Session, dates: list[tuple[int, datetime]]) -> None:
    """Store read dates: (item id, time) each."""
    if dates:
        session.execute(
            text(
                "INSERT INTO read_date (collection_item_id, read_date) SELECT r.item, r.moment"
                " FROM json_to_recordset(cast(:records AS json)) AS r(item bigint, moment timestamptz)"
            ),
            {"records": _json([{"item": each, "moment": moment} for each, moment in dates])},
        )


def _json(records: list[dict]) -> str:
    return orjson.dumps(records, default=_plain).decode()


def _plain(value):
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(type(value))


def update(session: Session, user_id: int, item_id: int, values: dict, *, today: date) -> CollectionItem:
    """Change the fields in `values`, as for `add`; returns the item.

    `is_read`: True adds the current time if there is no read date, False removes all. The rating of the issue
    follow those of the item only if these change. Raises NotFoundError and InvalidError.
    """
    owned = lock(session, user_id, item_id, rating="rating" in values)
    changes = {name: values[name] for name in FIELDS if name in values}
    if "purchase_price" in changes:
        changes["purchase_price"] = changes["purchase_price"] or None
    stars = values.get("rating", owned.rating)
    if stars != owned.rating:
        ratings.give(session, user_id, {owned.issue_id: stars}, today=today)
        changes["rating"] = stars
    wanted = values.get("is_read", owned.is_read)
    if wanted and not owned.is_read:
        _insert_dates(session, [(item_id, clock.now())])
    elif owned.is_read and not wanted:
        session.execute(delete(ReadDate).where(ReadDate.collection_item_id == item_id))
    return _write(session, item_id, changes)


def remove(session: Session, user_id: int, item_id: int) -> None:
    """Remove an item with its read dates; the rating of the issue stays. Raises NotFoundError."""
    lock(session, user_id, item_id)
    session.execute(delete(CollectionItem).where(CollectionItem.id == item_id))


def rate(session: Session, user_id: int, item_id: int, stars: int | None, *, today: date) -> CollectionItem:
    """Set or (None) remove the rating of an item and of its issue.

    Raises NotFoundError and InvalidError.
    """
    owned = lock(session, user_id, item_id, rating=True)
    ratings.give(session, user_id, {owned.issue_id: stars}, today=today)
    return _write(session, item_id, {"rating": stars})


def touch(session: Session, user_id: int, item_id: int) -> CollectionItem:
    """Move the stamp of an item, as an update without changes does."""
    lock(session, user_id, item_id)
    return _write(session, item_id, {})


def read_on(session: Session, user_id: int, item_id: int, moment: datetime | None) -> ReadDate:
    """Add a read date, None for now; duplicates are allowed."""
    lock(session, user_id, item_id)
    noted = ReadDate(collection_item_id=item_id, read_date=moment or clock.now())
    session.add(noted)
    session.flush()
    _write(session, item_id, {})
    return noted


def unread(session: Session, user_id: int, item_id: int, read_date_id: int) -> CollectionItem:
    """Remove a read date; the item stays read while there are others. Raises NotFoundError."""
    lock(session, user_id, item_id)
    chosen = delete(ReadDate).where(ReadDate.id == read_date_id, ReadDate.collection_item_id == item_id)
    known = 0 < read_date_id <= BIG_MAX
    if not known or session.scalar(chosen.returning(ReadDate.id)) is None:
        raise NotFoundError("read_date", read_date_id)
    return _write(session, item_id, {})


def scrobble(
    session: Session,
    user_id: int,
    issue_id: int,
    moment: datetime | None,
    stars: int | object = KEEP,
    *,
    today: date,
) -> tuple[int, bool]:
    """Record that an issue was read, None for now; returns the id of its item and whether it is new.

    An issue that is not owned comes into the collection as one digital copy. Stars replace those there are;
    None takes them back, KEEP leaves them. Raises NotFoundError for an issue that is not there, and
    InvalidError.
    """
    _check_issue(issue_id)
    if stars is not KEEP:
        ratings.give(session, user_id, {issue_id: stars}, today=today)
    moment = moment or clock.now()
    lock_account(session, user_id)
    own = {"user": user_id, "issue": issue_id, "moment": moment}
    rated = {"rated": stars is not KEEP, "rating": None if stars is KEEP else stars}
    item_id = session.scalar(_READ_AGAIN, own | rated)
    if item_id is not None:
        return item_id, False
    values = {"book_format": BookFormat.DIGITAL.value, "read_dates": [moment]}
    made = _add_many(session, user_id, [(issue_id, values)], today=today)  # with the rating of the issue
    if issue_id not in made:
        raise NotFoundError("issue", issue_id)
    return made[issue_id], True


# `date_read` is the latest of the read dates.
_READ_AGAIN = text("""
WITH item AS (
    SELECT id FROM collection_item WHERE user_id = :user AND issue_id = :issue FOR NO KEY UPDATE
), dates AS (
    INSERT INTO read_date (collection_item_id, read_date)
    SELECT id, CAST(:moment AS timestamptz) FROM item
)
UPDATE collection_item c SET is_read = true,
    date_read = greatest(c.date_read, CAST(:moment AS timestamptz)),
    rating = CASE WHEN :rated THEN CAST(:rating AS smallint) ELSE c.rating END,
    modified_before = c.modified,
    modified = greatest(clock_timestamp(), c.modified + interval '1 microsecond')
FROM item WHERE c.id = item.id
RETURNING c.id
""")


def add_series(
    session: Session,
    user_id: int,
    series_id: int,
    *,
    first: str = "",
    last: str = "",
    book_format: str = BookFormat.PRINT.value,
    read: bool = False,
    today: date,
) -> tuple[int, int]:
    """Add the issues of a series, all or a range of numbers, both ends included.

    Issues stand in the order of cover dates, and a number is meant exactly as it is written. Gives how many
    were added, and how many were owned already. Raises NotFoundError for a series that is not there, and
    InvalidError for a number it has not ("first", "last") or if `last` comes before `first` ("last").
    """
    order = (Issue.cover_date, Issue.store_date, Issue.number, Issue.id)
    issues = session.execute(
        select(Issue.id, Issue.number).where(Issue.series_id == series_id).order_by(*order)
    ).all()
    if not issues and session.get(Series, series_id) is None:
        raise NotFoundError("series", series_id)
    places = {number: place for place, (_, number) in enumerate(issues)}
    errors = {
        name: [f"This series has no issue with the number {number}."]
        for name, number in (("first", first), ("last", last))
        if number and number not in places
    }
    if errors:
        raise InvalidError(errors)
    begin, end = places.get(first, 0), places.get(last, len(issues) - 1)
    if first and last and end < begin:
        raise InvalidError(
            {"last": [f"Issue {last} comes before issue {first}: give the earlier one first."]}
        )
    chosen = [issue_id for issue_id, _ in issues[begin : end + 1]]
    values = {"book_format": book_format, "is_read": read}
    made = add_many(session, user_id, [(each, values) for each in chosen], today=today)
    return len(made), len(chosen) - len(made)


def mark_read(session: Session, user_id: int, item_ids: Iterable[int]) -> int:
    """Mark items without read date as read now; returns how many.

    Unknown ids and those of other accounts are ignored. The number of statements is constant.
    """
    lock_account(session, user_id)
    ids = [each for each in item_ids if 0 < each <= BIG_MAX]
    unread_ones = (
        select(CollectionItem.id)
        .where(
            CollectionItem.user_id == user_id,
            CollectionItem.id == any_(cast(ids, ARRAY(BigInteger))),
            CollectionItem.is_read.is_(False),
        )
        .order_by(CollectionItem.id)
    )
    chosen = session.scalars(unread_ones.with_for_update(key_share=True)).all()
    if chosen:
        now = clock.now()
        _insert_dates(session, [(each, now) for each in chosen])
        session.execute(
            changing(CollectionItem)
            .where(CollectionItem.id == any_(cast(chosen, ARRAY(BigInteger))))
            .values(is_read=True, date_read=now, **moved(CollectionItem))
        )
    return len(chosen)


def _write(session: Session, item_id: int, changes: dict) -> CollectionItem:
    """Write changes, derive `is_read` and `date_read`, and move the stamp; returns the item."""
    latest = (
        select(func.max(ReadDate.read_date)).where(ReadDate.collection_item_id == item_id).scalar_subquery()
    )
    values = changes | {"is_read": latest.is_not(None), "date_read": latest}
    return session.scalar(
        changing(CollectionItem)
        .where(CollectionItem.id == item_id)
        .values(**values, **moved(CollectionItem))
        .returning(CollectionItem),
        execution_options=_FRESH,
    )
