"""What readers keep of two issues that are merged into one.

Whatever points to an issue is led to the one that stays, and goes where the reader has that one already
(`catalog.merge_references`). An item of the collection has more to it: here one that would go gives what the
one that stays lacks, and its dates of reading.
"""

from sqlalchemy import text, update
from sqlalchemy.orm import Session

from comicsdb.library.locks import moved
from comicsdb.models import CollectionItem, WishListItem

# Items of readers who have both issues.
_BOTH = (
    "collection_item theirs JOIN collection_item mine ON mine.user_id = theirs.user_id"
    " AND mine.issue_id = :kept AND theirs.issue_id = :other"
)
# A reading that is noted with both happened once.
_DATES = f"""
    UPDATE read_date SET collection_item_id = mine.id FROM {_BOTH}
    WHERE read_date.collection_item_id = theirs.id AND NOT EXISTS (
        SELECT 1 FROM read_date own
        WHERE own.collection_item_id = mine.id AND own.read_date = read_date.read_date)
"""
# A grade comes with who gave it, a price with its currency. Who noted both need not have two copies.
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
# Stars of an item are those of the issue, of which those given to the one that stays were kept.
_STARS = """
    UPDATE collection_item item SET rating = stars.rating FROM issue_rating stars
    WHERE stars.issue_id = :kept AND stars.user_id = item.user_id AND item.issue_id = :kept
        AND item.rating IS DISTINCT FROM stars.rating
"""


def unite(session: Session, kept: int, other: int) -> None:
    """Let items of the issue that stays take over from those of the other; before anything is led over.

    The stamps of all items that this changes, or that will be led over, move.
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
    """Let the stars of items be those of the issue that stays; after all was led over."""
    session.execute(text(_STARS), {"kept": kept})
