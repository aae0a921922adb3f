"""The status of an issue in a member's library, for its page: rating, copy, wish and reading lists."""

from dataclasses import dataclass, field
from functools import lru_cache

from sqlalchemy import Integer, bindparam, func, not_, or_, select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    ReadDate,
    ReadingList,
    ReadingListItem,
    WishList,
    WishListItem,
)
from comicsdb.security import Permission
from comicsdb_web.rendering.json_columns import rows_of
from comicsdb_web.rendering.row_views import RowView, row_view
from comicsdb_web.rendering.track_bar import Marks

LISTS_SHOWN = 12  # lists that contain the issue
LISTS_OFFERED = 100  # lists it can be added to, most recently changed first


@dataclass(frozen=True)
class LibraryStatus:
    """An issue in a library; `item_id` is the first copy, `wish_id` the entry of the wish list."""

    rating: int | None = None
    item_id: int | None = None
    wish_id: int | None = None
    read_count: int = 0
    in_lists: list[RowView] = field(default_factory=list)  # visible lists that contain the issue
    own_lists: list[RowView] = field(default_factory=list)  # lists of the member that do not contain it

    @property
    def marks(self) -> Marks:
        """The state of the issue's track bar."""
        return Marks(self.item_id is not None, self.read_count > 0, self.wish_id is not None, self.rating)


@lru_cache
def _query(official: str | None) -> CompiledQuery:
    """The statement for members who manage the lists of the `official` account, or only their own."""
    issue_id, user_id = bindparam("issue_id", type_=Integer), bindparam("user_id", type_=Integer)
    rating = select(IssueRating.rating).where(
        IssueRating.issue_id == issue_id, IssueRating.user_id == user_id
    )
    item = select(func.min(CollectionItem.id)).where(
        CollectionItem.issue_id == issue_id, CollectionItem.user_id == user_id
    )
    wish = select(func.min(WishListItem.id)).join(WishList)
    wish = wish.where(WishListItem.issue_id == issue_id, WishList.user_id == user_id)
    read = select(func.count()).where(ReadDate.issue_id == issue_id, ReadDate.user_id == user_id)
    managed = reading_lists.managed_by(user_id, official)
    seen = figures.with_issue(issue_id, or_(not_(ReadingList.is_private), managed), LISTS_SHOWN)
    holding = select(ReadingListItem.reading_list_id).where(ReadingListItem.issue_id == issue_id)
    columns = ReadingList.slug, ReadingList.name
    offered = (
        select(*columns)
        .where(managed, ReadingList.id.not_in(holding))
        .order_by(ReadingList.modified.desc(), ReadingList.id)
        .limit(LISTS_OFFERED)
    )
    ids = (each.scalar_subquery() for each in (rating, item, wish, read))
    lists = (rows_of(each) for each in (seen.with_only_columns(*columns), offered))
    return CompiledQuery.of(select(*ids, *lists))


def library_status(request, issue: Issue) -> LibraryStatus:
    """The status of an issue in the reader's library; one statement for members, none for others."""
    if request.identity is None:
        return LibraryStatus()
    officially = request.has_permission(Permission.OFFICIAL_LISTS)
    query = _query(request.registry.settings["comicsdb.official_account"] if officially else None)
    parameters = {"issue_id": issue.id, "user_id": request.identity.user_id}
    *found, in_lists, own_lists = request.read_pool.fetch(query, parameters)
    views = ([row_view("reading_list", each) for each in rows] for rows in (in_lists, own_lists))
    return LibraryStatus(*found, *views)
