"""Changes of library items and reviews when issues are merged, or a variant goes to another issue.

References to the merged issue are moved to the canonical one, or deleted if the reader already has one to
it. Before that, the collection item of the canonical issue takes over missing values from that of the
other, which is deleted. If one of them is of a variant or there are more than two, all stay, as copies of the
canonical issue.
"""

from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from comicsdb.library.locks import stamp_values
from comicsdb.models import CollectionItem, IssueRating, WishListItem

# Equal reads of both issues count once.
_DELETE_SHARED_READS = """
    DELETE FROM read_date theirs USING read_date mine
    WHERE theirs.issue_id = :other AND mine.issue_id = :kept AND mine.user_id = theirs.user_id
        AND mine.read_on IS NOT DISTINCT FROM theirs.read_on
"""
# Pairs of items of readers with exactly one item of each issue, neither of a variant: they stand for the same
# copies. All other items stay separate.
_ITEM_PAIRS = """(
    SELECT min(id) FILTER (WHERE issue_id = :kept) AS mine_id,
        min(id) FILTER (WHERE issue_id = :other) AS theirs_id
    FROM collection_item WHERE issue_id IN (:kept, :other) GROUP BY user_id
    HAVING count(*) = 2 AND count(DISTINCT issue_id) = 2 AND count(variant_id) = 0
) pair"""
# A grade is copied with its company, a price with its currency; tags are merged. Quantities are not added.
_MERGE_ITEMS = f"""
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
        tags = ARRAY(
            SELECT DISTINCT ON (lower(tag)) tag
            FROM unnest(mine.tags || theirs.tags) WITH ORDINALITY each (tag, place) ORDER BY lower(tag), place
        ),
        notes = coalesce(nullif(mine.notes, ''), theirs.notes)
    FROM {_ITEM_PAIRS} JOIN collection_item mine ON mine.id = pair.mine_id
    JOIN collection_item theirs ON theirs.id = pair.theirs_id
    WHERE item.id = mine.id
"""
# If a reader reviewed both issues, the newer review stays, but never one whose text was deleted.
_DELETE_OLDER_REVIEWS = """
    DELETE FROM review mine USING review theirs
    WHERE mine.issue_id = :kept AND theirs.issue_id = :other AND theirs.user_id = mine.user_id
        AND (theirs.text <> '', theirs.modified) > (mine.text <> '', mine.modified)
"""
_DELETE_MERGED_ITEMS = f"DELETE FROM collection_item item USING {_ITEM_PAIRS} WHERE item.id = pair.theirs_id"


def merge_items(session: Session, kept: int, other: int) -> None:
    """Merge items of both issues that stand for the same copies; must be called before references are moved.

    Updates the stamps of all items that change or will be moved.
    """
    pair = {"kept": kept, "other": other}
    owners = text("SELECT user_id FROM collection_item WHERE issue_id = :other")
    readers = list(session.scalars(owners, pair))
    for model, which in (
        (CollectionItem, CollectionItem.issue_id.in_((kept, other)) & CollectionItem.user_id.in_(readers)),
        (WishListItem, WishListItem.issue_id == other),
    ):
        touched = update(model).where(which).values(stamp_values(model))
        session.execute(touched.execution_options(synchronize_session=False))
    session.execute(text(_DELETE_SHARED_READS), pair)
    session.execute(text(_DELETE_OLDER_REVIEWS), pair)
    session.execute(text(_MERGE_ITEMS), pair)
    session.execute(text(_DELETE_MERGED_ITEMS), pair)


def follow_variant(session: Session, variant_id: int, issue_id: int) -> None:
    """Let collection items and wishes of a variant follow it to another issue; items get its rating."""
    stars = select(IssueRating.rating).where(
        IssueRating.user_id == CollectionItem.user_id, IssueRating.issue_id == issue_id
    )
    for model, more in ((CollectionItem, {"rating": stars.scalar_subquery()}), (WishListItem, {})):
        moved = update(model).where(model.variant_id == variant_id)
        moved = moved.values(issue_id=issue_id, **more, **stamp_values(model))
        session.execute(moved.execution_options(synchronize_session=False))
