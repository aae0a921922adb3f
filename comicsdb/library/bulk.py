"""Bulk changes of a collection or a wish list, each by a constant number of statements.

Functions take ids of items and ignore those that are deleted or belong to other accounts. They return the
number of changed items. A transaction's changes are one act, which can be undone. Nothing is committed here.
"""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    String,
    all_,
    any_,
    cast,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library.locks import default_list, lock_account, lock_rows, stamp_values
from comicsdb.library.wish_list import UNIQUE_COLUMNS
from comicsdb.models import CollectionItem, Issue, IssueRating, Variant, WishList, WishListItem
from comicsdb.models.base import BIG_MAX
from comicsdb.models.choices import WishStatus
from comicsdb.models.library import TAGS_MAX

ITEMS_MAX = 100_000  # maximum number of items per change
TOO_MANY_TAGS = _("An item can have at most ${most} tags.")
_NO_SYNC = {"synchronize_session": False}

Item = type[CollectionItem] | type[WishListItem]


def ids_of(session: Session, rows: Select) -> list[int]:
    """The ids that a statement selects, unordered; ITEMS_MAX + 1 if there are more than ITEMS_MAX."""
    return list(session.scalars(rows.order_by(None).limit(ITEMS_MAX + 1)))


def is_own_item(model: Item, user_id: int, ids: list[int]) -> ColumnElement[bool]:
    """The condition that an item is one of these and belongs to the account."""
    known = cast([each for each in ids if 0 < each <= BIG_MAX], ARRAY(BigInteger))
    if model is CollectionItem:
        mine = CollectionItem.user_id == user_id
    else:
        lists = select(WishList.id).where(WishList.user_id == user_id)
        mine = WishListItem.wish_list_id == lists.scalar_subquery()
    return mine & (model.id == any_(known))


def change(session: Session, model: Item, user_id: int, ids: list[int], values: dict) -> int:
    """Set columns of items; items that already have all values are not written."""
    lock_account(session, user_id)
    differs = or_(*(getattr(model, name).is_distinct_from(value) for name, value in values.items()))
    changed = (
        update(model).where(is_own_item(model, user_id, ids), differs).values(values | stamp_values(model))
    )
    return session.execute(changed, execution_options=_NO_SYNC).rowcount


def tags(
    session: Session, user_id: int, ids: list[int], added: list[str], removed: list[str]
) -> ColumnElement[list[str]]:
    """The value for `change` that adds and removes tags of items; raises InvalidError for too many tags."""
    column, gone = CollectionItem.tags, [name.lower() for name in removed]
    each = func.unnest(column.concat(cast(added, ARRAY(String))))
    each = each.table_valued("tag", with_ordinality="place", name="each").render_derived()
    key = func.lower(each.c.tag)
    kept = select(each.c.tag).where(key != all_(cast(gone, ARRAY(String)))).order_by(key, each.c.place)
    value = func.array(kept.ext(distinct_on(key)).scalar_subquery(), type_=column.type)
    full = select(CollectionItem.id).where(
        is_own_item(CollectionItem, user_id, ids), func.cardinality(value) > TAGS_MAX
    )
    if added and session.scalar(full.limit(1)) is not None:
        raise InvalidError({"tags": [TOO_MANY_TAGS % {"most": TAGS_MAX}]})
    return value


def remove(session: Session, model: Item, user_id: int, ids: list[int]) -> int:
    """Remove items; ratings and reads of their issues stay."""
    lock_account(session, user_id)
    return session.execute(
        delete(model).where(is_own_item(model, user_id, ids)), execution_options=_NO_SYNC
    ).rowcount


def move_to_wish_list(session: Session, user_id: int, ids: list[int]) -> int:
    """Remove items from the collection and wish for their issues or variants.

    Existing wishes keep their values, but their status becomes "wanted" again.
    """
    lock_account(session, user_id)
    chosen = is_own_item(CollectionItem, user_id, ids)
    _lock_issues(session, select(CollectionItem.issue_id, CollectionItem.variant_id).where(chosen))
    wishes = default_list(session, WishList, user_id)
    item = CollectionItem
    first = select(wishes.id, item.issue_id, item.variant_id).where(chosen)
    first = first.distinct()
    added = insert(WishListItem).from_select(["wish_list_id", "issue_id", "variant_id"], first)
    added = added.on_conflict_do_update(
        index_elements=UNIQUE_COLUMNS,
        set_={"status": WishStatus.WANTED, **stamp_values(WishListItem)},
        where=WishListItem.status != WishStatus.WANTED,
    )
    session.execute(added)
    return remove(session, item, user_id, ids)


def move_to_collection(session: Session, user_id: int, ids: list[int], purchase: dict) -> tuple[int, int]:
    """Mark wishes as acquired and add their issues or variants to the collection, unless they are in it.

    `purchase` are columns of the new items. Returns how many were added, and how many were already there.
    """
    lock_account(session, user_id)
    wish, item = WishListItem, CollectionItem
    chosen = is_own_item(wish, user_id, ids)
    wished = _lock_issues(session, select(wish.issue_id, wish.variant_id).where(chosen))
    owned = select(item.id).where(
        item.user_id == user_id,
        item.issue_id == wish.issue_id,
        or_(wish.variant_id.is_(None), item.variant_id == wish.variant_id),
    )
    stars = select(IssueRating.rating).where(
        IssueRating.user_id == user_id, IssueRating.issue_id == wish.issue_id
    )
    columns = {
        "user_id": user_id,
        "issue_id": wish.issue_id,
        "variant_id": wish.variant_id,
        "grade": wish.desired_grade,
        "rating": stars.scalar_subquery(),
    }
    columns |= {name: cast(value, item.__table__.c[name].type) for name, value in purchase.items()}
    new = select(*columns.values()).where(chosen, ~owned.exists()).order_by(wish.id)
    adding = insert(item).from_select(list(columns), new).returning(item.id)
    added = len(session.scalars(adding).all())
    change(session, wish, user_id, ids, {"status": WishStatus.ACQUIRED})
    return added, wished - added


def _lock_issues(session: Session, rows: Select) -> int:
    """Lock the issues and variants that rows refer to against deletion; returns the number of rows."""
    found = session.execute(rows).all()
    lock_rows(session, Issue, {row[0] for row in found})
    lock_rows(session, Variant, {row[1] for row in found} - {None})
    return len(found)
