"""Merging the library items of two issues that are merged.

References to the merged issue are moved to the canonical one, or deleted where the reader has that already.
Before, the collection item of the canonical issue takes over missing values and read dates from the other.
"""

from sqlalchemy import text, update
from sqlalchemy.orm import Session

from comicsdb.library.locks import moved
from comicsdb.models import CollectionItem, WishListItem

# Items of readers who own both issues.
_BOTH = (
    "collection_item theirs JOIN collection_item mine ON mine.user_id = theirs.user_id"
    " AND mine.issue_id = :kept AND theirs.issue_id = :other"
)
# A read date of both items counts once.
_DATES = f"""
    UPDATE read_date SET collection_item_id = mine.id FROM {_BOTH}
    WHERE read_date.collection_item_id = theirs.id AND NOT EXISTS (
        SELECT 1 FROM read_date own
        WHERE own.collection_item_id = mine.id AND own.read_date = read_date.read_date)
"""
# A grade is copied with its company, a price with its currency. Quantities are not added.
_ITEMS = f"""
    UPDATE collection_item item SET
        quantity = greatest(mine.quantity, theirs.quantity),
        grade = coalesce(mine.grade, theirs.grade),
        grading_company = (CASE WHEN mine.grade IS NULL AND theirs.grade IS NOT NULL
            THEN theirs ELSE mine END).grading_company,
        purchase_date = coalesce(mine.purchase_date, theirs.purchase_date),
        purchase_price = coalesce(mine.purchase_price, theirs.purchase_price),
        purchase_currency = (CASE WHEN mine.purchase_price IS NULL AND theirs.purchase_price IS NOT NULL
            THEN theirs ELSE mine END).purchase_currency,
        purchase_store = coalesce(nullif(mine.purchase_store, ''), theirs.purchase_store),
        storage_location = coalesce(nullif(mine.storage_location, ''), theirs.storage_location),
        notes = coalesce(nullif(mine.notes, ''), theirs.notes),
        is_read = last.read_date IS NOT NULL,
        date_read = last.read_date
    FROM {_BOTH} CROSS JOIN LATERAL (
        SELECT max(read_date) AS read_date FROM read_date WHERE collection_item_id = mine.id) last
    WHERE item.id = mine.id
"""
# The rating of an item is that of its issue, where that of the canonical one has precedence.
_STARS = """
    UPDATE collection_item item SET rating = stars.rating FROM issue_rating stars
    WHERE stars.issue_id = :kept AND stars.user_id = item.user_id AND item.issue_id = :kept
        AND item.rating IS DISTINCT FROM stars.rating
"""


def unite(session: Session, kept: int, other: int) -> None:
    """Copy missing values to the items of the canonical issue, before references are moved.

    Moves the stamps of all items that change or will be moved.
    """
    pair = {"kept": kept, "other": other}
    owners = text("SELECT user_id FROM collection_item WHERE issue_id = :other")
    readers = list(session.scalars(owners, pair))
    for model, which in (
        (CollectionItem, CollectionItem.issue_id.in_((kept, other)) & CollectionItem.user_id.in_(readers)),
        (WishListItem, WishListItem.issue_id == other),
    ):
        touched = update(model).where(which).values(moved(model))
        session.execute(touched.execution_options(synchronize_session=False))
    session.execute(text(_DATES), pair)
    session.execute(text(_ITEMS), pair)


def agree(session: Session, kept: int) -> None:
    """Set the ratings of items to those of the canonical issue, after references were moved."""
    session.execute(text(_STARS), {"kept": kept})
