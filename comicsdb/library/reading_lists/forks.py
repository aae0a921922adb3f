"""Copies of public reading lists in an account's own lists; they refer to the list they were copied from."""

from itertools import count

from sqlalchemy import insert, literal, select
from sqlalchemy.orm import Session, joinedload

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library.reading_lists import create, expire_stamps, lock_visible, visible_to
from comicsdb.models import PendingEntry, ReadingList, ReadingListItem
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb.security import Identity

OWN = _("This is one of your own lists.")
PRIVATE = _("A private list cannot be copied.")


def fork(session: Session, identity: Identity, official: str, reading_list: ReadingList) -> ReadingList:
    """Copy a public list with its issues into the lists of an account, private at first.

    The picture, source, neighbours, ratings and likes stay with the original. Raises InvalidError, naming
    "list", for one's own list and for a private one, and NotFoundError. Nothing is committed here.
    """
    found = lock_visible(session, identity, official, reading_list)
    if found.user_id == identity.user_id:
        raise InvalidError({"list": [OWN]})
    if found.is_private:
        raise InvalidError({"list": [PRIVATE]})
    values = {"desc": found.desc, "list_type": found.list_type, "is_private": True}
    made = create(
        session, identity, official, values | {"name": _free_name(session, identity.user_id, found.name)}
    )
    made.forked_from_id = found.id
    session.flush()
    item = ReadingListItem
    columns = (item.issue_id, item.order, item.issue_type)
    copied = select(literal(made.id), *columns).where(item.reading_list_id == found.id)
    session.execute(insert(item).from_select([item.reading_list_id, *columns], copied))
    entry = PendingEntry
    own = [
        column.key
        for column in entry.__table__.columns
        if column.key not in {"id", "reading_list_id", "added_on", "tried_on"}
    ]
    waiting = select(literal(made.id), *(getattr(entry, name) for name in own))
    waiting = waiting.where(entry.reading_list_id == found.id)
    session.execute(insert(entry).from_select(["reading_list_id", *own], waiting))
    expire_stamps(session)
    return made


def _free_name(session: Session, user_id: int, name: str) -> str:
    """The name, with a number appended if the account already has a list of that name."""
    own = select(ReadingList.name).where(ReadingList.user_id == user_id, ReadingList.attribution_source == "")
    taken = set(session.scalars(own))
    if name not in taken:
        return name
    numbered = (f"{name[: NAME_LENGTH - 8]} ({n})" for n in count(2))
    return next(each for each in numbered if each not in taken)


def original(
    session: Session, identity: Identity | None, official: str, reading_list: ReadingList
) -> ReadingList | None:
    """The list from which this one was copied, with its owner, if it is visible."""
    if reading_list.forked_from_id is None:
        return None
    wanted = select(ReadingList).where(
        ReadingList.id == reading_list.forked_from_id, visible_to(identity, official)
    )
    return session.scalar(wanted.options(joinedload(ReadingList.user, innerjoin=True)))
