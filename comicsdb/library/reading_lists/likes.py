"""Likes of other readers' public reading lists, one per account; a trigger counts them."""

from typing import NamedTuple

from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.reading_lists import expire_stamps, lock_visible, visible_to
from comicsdb.models import PendingEntry, ReadingList, ReadingListLike
from comicsdb.security import Identity


class Reception(NamedTuple):
    """The number of copies of a list, whether the reader likes it, and the number of its pending entries."""

    copies: int
    liked: bool
    pending: int


OWN = _("You cannot like your own list.")
PRIVATE = _("A private list cannot be liked.")


def like(
    session: Session, identity: Identity, official: str, reading_list: ReadingList, *, liked: bool
) -> bool:
    """Set whether an account likes a list; returns whether anything changed.

    Raises InvalidError, naming "like", for one's own list and for a private one, and NotFoundError for a list
    that is not (or no longer) visible. No stamp changes. Nothing is committed here.
    """
    # The list is locked before the like, whose trigger changes it.
    found = lock_visible(session, identity, official, reading_list)
    if liked and found.user_id == identity.user_id:
        raise InvalidError({"like": [OWN]})
    if liked and found.is_private:
        raise InvalidError({"like": [PRIVATE]})
    acts.begin(session, identity.user_id)
    given, key = ReadingListLike, {"reading_list_id": found.id, "user_id": identity.user_id}
    statement = (
        insert(given).values(**key).on_conflict_do_nothing() if liked else delete(given).filter_by(**key)
    )
    changed = session.scalar(statement.returning(given.id)) is not None
    expire_stamps(session)
    return changed


def reception(session: Session, identity: Identity | None, official: str, list_id: int) -> Reception:
    """How a list was received, as far as `identity` may know: private copies count only for their owners."""
    fork = aliased(ReadingList)
    copies = select(func.count()).select_from(fork).where(fork.forked_from_id == list_id)
    copies = copies.where(visible_to(identity, official, fork))
    by = identity.user_id if identity else None
    liked = exists().where(ReadingListLike.reading_list_id == list_id, ReadingListLike.user_id == by)
    pending = select(func.count()).where(PendingEntry.reading_list_id == list_id)
    figures = select(copies.scalar_subquery(), liked, pending.scalar_subquery())
    return Reception(*session.execute(figures).one())
