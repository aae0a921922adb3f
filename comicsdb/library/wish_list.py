"""The wish list: the issues an account is looking for, and moving them to its collection."""

from decimal import Decimal

from sqlalchemy import (
    Select,
    delete,
    exists,
    literal,
    not_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import _
from comicsdb.library import collection
from comicsdb.library.locks import default_list, find_row, lock_account, lock_issue, lock_rows, stamp_values
from comicsdb.models import CollectionItem, Issue, Series, WishList, WishListItem
from comicsdb.models.choices import WishStatus
from comicsdb.models.currencies import Currency

KIND = WishListItem.__tablename__
UNIQUE_COLUMNS = ("wish_list_id", "issue_id", "variant_id")
ORDER = (
    WishListItem.priority,
    Series.sort_folded,
    Series.sort_name,
    Issue.cover_date,
    WishListItem.id,
)
NO_ISSUE = _("This issue no longer exists: choose another.")
WISHED_ALREADY = _("This issue is already on your wish list: edit that entry instead.")


def wish_list(session: Session, user_id: int) -> WishList:
    """The wish list of an account, created on first use."""
    return default_list(session, WishList, user_id)


def add(session: Session, user_id: int, issue_id: int, values: dict) -> tuple[WishListItem, bool]:
    """Add an issue, or a variant of it if `values` names one; returns the item and whether it is new.

    An existing item for the same issue or variant is not changed.

    `values` are columns of the item, validated by `WishSchema`. Raises NotFoundError for an unknown issue,
    and InvalidError for a variant of another issue. A trigger updates the stamp of the list. Nothing is
    committed here.
    """
    lock_account(session, user_id)
    if not lock_issue(session, issue_id):
        raise NotFoundError("issue", issue_id)
    collection.check_variant(session, issue_id, values)
    collection.check_price(values, "max_price", "max_currency")
    wishes = wish_list(session, user_id)
    adding = insert(WishListItem).values(
        wish_list_id=wishes.id, issue_id=issue_id, **_priced(values, Currency.USD)
    )
    adding = adding.on_conflict_do_nothing(index_elements=UNIQUE_COLUMNS)
    created = session.scalar(adding.returning(WishListItem.id)) is not None
    found = _same_item(wishes.id, issue_id, values.get("variant_id"))
    return session.scalars(found.execution_options(populate_existing=True)).one(), created


def _same_item(list_id: int, issue_id: int, variant_id: int | None) -> Select:
    """The item of a list for an issue, or for one of its variants."""
    item = WishListItem
    rows = select(item).where(item.wish_list_id == list_id, item.issue_id == issue_id)
    return rows.where(item.variant_id.is_not_distinct_from(variant_id))


def change(session: Session, user_id: int, item_id: int, values: dict) -> WishListItem:
    """Change fields of an item and update its stamp.

    `values` are as for `add`, plus `issue_id` to change the issue. Raises NotFoundError for an item that the
    account does not have, and InvalidError naming "issue_id" for an unknown issue, or "variant_id" for a
    variant of another issue, and either for one that is already on the list.
    """
    lock_account(session, user_id)
    issue_id = values.get("issue_id")
    if issue_id is not None and not lock_issue(session, issue_id):
        raise InvalidError({"issue_id": [NO_ISSUE]})
    item = _lock_item(session, user_id, item_id)
    is_moved = issue_id not in (None, item.issue_id)
    if is_moved:
        values = {"variant_id": None, **values}  # the variant was one of the former issue
    wanted = (issue_id or item.issue_id, values.get("variant_id", item.variant_id))
    collection.check_variant(session, wanted[0], values)
    if "max_price" in values:
        collection.check_price(values, "max_price", "max_currency", item)
    if session.scalar(_same_item(item.wish_list_id, *wanted)) not in (None, item):
        raise InvalidError({"issue_id" if is_moved else "variant_id": [WISHED_ALREADY]})
    return _write(session, item, _priced(values, item.max_currency))


def remove(session: Session, user_id: int, item_id: int) -> bool:
    """Remove an item; False if the account has no such item."""
    try:
        item = _lock_item(session, user_id, item_id)
    except NotFoundError:
        return False
    session.execute(delete(WishListItem).where(WishListItem.id == item.id))
    return True


def set_wished(session: Session, user_id: int, issue_id: int, wanted: bool) -> bool:
    """Set whether an issue is on the list; False removes all its items. Returns whether anything changed."""
    lock_account(session, user_id)
    if wanted:
        return first_item(session, user_id, issue_id) is None and add(session, user_id, issue_id, {})[1]
    wishes = select(WishList.id).where(WishList.user_id == user_id).scalar_subquery()
    removed = delete(WishListItem).where(
        WishListItem.issue_id == issue_id, WishListItem.wish_list_id == wishes
    )
    return session.execute(removed).rowcount > 0


def wish_many(session: Session, user_id: int, issue_ids: list[int]) -> int:
    """Add issues that are not on the list yet, in any cover; returns how many. Unknown ones are skipped."""
    lock_account(session, user_id)
    found = lock_rows(session, Issue, issue_ids)
    wishes = wish_list(session, user_id)
    if not found:
        return 0
    known = exists().where(WishListItem.wish_list_id == wishes.id, WishListItem.issue_id == Issue.id)
    new = select(literal(wishes.id), Issue.id).where(Issue.id.in_(found), not_(known)).order_by(Issue.id)
    adding = insert(WishListItem).from_select(["wish_list_id", "issue_id"], new)
    return len(session.scalars(adding.returning(WishListItem.id)).all())


def first_item(session: Session, user_id: int, issue_id: int) -> WishListItem | None:
    """The first item of an account for an issue or one of its variants."""
    found = select(WishListItem).join(WishList).where(WishList.user_id == user_id)
    found = found.where(WishListItem.issue_id == issue_id)
    return session.scalar(found.order_by(WishListItem.id).limit(1))


def acquire(
    session: Session, user_id: int, item_id: int, values: dict
) -> tuple[WishListItem, CollectionItem, bool]:
    """Mark an item as acquired and add its issue or variant to the collection, unless it is already there.

    `values` are those of the purchase: date, price, currency, store and notes, as columns of the collection
    item. Its grade is the desired one unless they name another. Returns both items, and whether the one of
    the collection is new. Raises NotFoundError for an item that the account does not have.
    """
    item = _lock_item(session, user_id, item_id)
    owned, created = collection.add(
        session,
        user_id,
        item.issue_id,
        {"variant_id": item.variant_id, "grade": item.desired_grade, **values},
    )
    return _write(session, item, {"status": WishStatus.ACQUIRED}), owned, created


def find_item(session: Session, user_id: int, item_id: int) -> WishListItem:
    """An item of an account, reloaded; raises NotFoundError if there is none."""
    mine = select(WishListItem).join(WishList).where(WishList.user_id == user_id)
    rows = mine.execution_options(populate_existing=True)
    return find_row(session, rows, WishListItem.id, item_id, KIND)


def ordered_ids(user_id: int, *, status: str = "", priority: int | None = None) -> Select:
    """The ids of an account's items in the order of the list, optionally of one status or priority."""
    rows = (
        select(WishListItem.id)
        .join(WishList)
        .join(WishListItem.issue)
        .join(Issue.series)
        .where(WishList.user_id == user_id)
        .order_by(*ORDER)
    )
    if status:
        rows = rows.where(WishListItem.status == status)
    return rows if priority is None else rows.where(WishListItem.priority == priority)


def items() -> Select:
    """A statement that selects items with issue, series, its type and publisher, to be filtered."""
    series = contains_eager(WishListItem.issue).contains_eager(Issue.series)
    return (
        select(WishListItem)
        .join(WishListItem.issue)
        .join(Issue.series)
        .options(
            series.options(joinedload(Series.series_type), joinedload(Series.publisher)),
            joinedload(WishListItem.variant),
        )
        .order_by(*ORDER)
    )


def _lock_item(session: Session, user_id: int, item_id: int) -> WishListItem:
    """An item of an account, reloaded and locked; raises NotFoundError."""
    lock_account(session, user_id)
    lock_issue(session, find_item(session, user_id, item_id).issue_id)
    return find_item(session, user_id, item_id)


def _write(session: Session, item: WishListItem, values: dict) -> WishListItem:
    session.execute(
        update(WishListItem)
        .where(WishListItem.id == item.id)
        .values(values | stamp_values(WishListItem))
        .execution_options(synchronize_session=False)
    )
    session.refresh(item)
    return item


def _priced(values: dict, currency: str) -> dict:
    """The values, with a price of 0 replaced by no price in USD."""
    price: Decimal | None = values.get("max_price")
    if "max_price" not in values:
        return {name: value for name, value in values.items() if name != "max_currency"}
    if not price:
        return {**values, "max_price": None, "max_currency": Currency.USD}
    return {**values, "max_currency": values.get("max_currency") or currency}
