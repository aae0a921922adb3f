"""What a member has of an issue, for its page: stars, copy, wish and reading lists."""

from dataclasses import dataclass, field

from sqlalchemy import select

from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    ReadingList,
    ReadingListItem,
    WishList,
    WishListItem,
)
from comicsdb_web.lists.parts import rows_of
from comicsdb_web.rendering.row_views import RowView, shown

SHOWN = 12  # shown lists that contain an issue
OFFERED = 100  # offered lists, most recently changed


@dataclass(frozen=True)
class OwnParts:
    """The ids of the collection item and the wish, the stars, and lists with slug and name."""

    rating: int | None = None
    item_id: int | None = None
    wish_id: int | None = None
    in_lists: list[RowView] = field(default_factory=list)  # those with the issue that the member may see
    own_lists: list[RowView] = field(default_factory=list)  # those that the member could add it to


def of_issue(request, issue: Issue) -> OwnParts:
    """What the reader has of an issue; one statement, for members only."""
    identity = request.identity
    if identity is None:
        return OwnParts()
    user_id, official = identity.user_id, request.registry.settings["comicsdb.official_account"]
    rating = select(IssueRating.rating).where(
        IssueRating.issue_id == issue.id, IssueRating.user_id == user_id
    )
    item = select(CollectionItem.id).where(
        CollectionItem.issue_id == issue.id, CollectionItem.user_id == user_id
    )
    wish = select(WishListItem.id).join(WishList)
    wish = wish.where(WishListItem.issue_id == issue.id, WishList.user_id == user_id)
    seen = figures.with_issue(issue.id, reading_lists.visible_to(identity, official), SHOWN)
    holding = select(ReadingListItem.reading_list_id).where(ReadingListItem.issue_id == issue.id)
    columns = ReadingList.slug, ReadingList.name
    offered = (
        select(*columns)
        .where(reading_lists.manageable_by(identity, official), ReadingList.id.not_in(holding))
        .order_by(ReadingList.modified.desc(), ReadingList.id)
        .limit(OFFERED)
    )
    ids = (each.scalar_subquery() for each in (rating, item, wish))
    lists = (rows_of(each) for each in (seen.with_only_columns(*columns), offered))
    *found, in_lists, own_lists = request.dbsession.execute(select(*ids, *lists)).one()
    views = ([shown("reading_list", each) for each in rows] for rows in (in_lists, own_lists))
    return OwnParts(*found, *views)
