"""Reading lists: who may see and manage them; creating, changing and deleting them.

Everybody sees public lists, accounts also their own, and holders of Permission.OFFICIAL_LISTS those of the
official account, which the setting `comicsdb.official_account` names. `visible_to` and `manageable_by` define
that for API and site. `identity` is None for anonymous readers, `official` is the setting. Writes lock the
list and its neighbours, in the order of their ids.

The slug of a public list is readable, that of a private one random, so that trying names does not reveal it.
Former slugs redirect to the list for those who may see it. The readable former slug of a private list is free
for other lists: if a new list got a number instead, that would reveal that the name is taken.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, false, func, not_, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from comicsdb import audit_log
from comicsdb.catalog import slugs
from comicsdb.catalog.errors import ForbiddenError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.reading_lists import links, rules
from comicsdb.models import FormerSlug, ReadingList, ReadingListLike, ReadingListRating, User
from comicsdb.models.base import INTEGER_MAX
from comicsdb.security import Identity, Permission, has_permission

KIND = ReadingList.__tablename__
SAME_NAME = _("Its owner already has a list with this name from the same source: choose another name.")
_UNIQUE_NAME = "uq_reading_list_user_id_name_attribution_source"
_UNIQUE_SLUG = "uq_reading_list_slug"
# A condition on former slugs: their lists are now private.
_RELEASED = "EXISTS (SELECT FROM reading_list l WHERE l.id = former_slug.object_id AND l.is_private)"


# Who may see and manage lists.


def visible_to(identity: Identity | None, official: str, of=ReadingList) -> ColumnElement[bool]:
    """The condition on ReadingList, or an alias `of` it, that `identity` may see a list."""
    public = not_(of.is_private)
    return public if identity is None else or_(public, manageable_by(identity, official, of))


def manageable_by(identity: Identity | None, official: str, of=ReadingList) -> ColumnElement[bool]:
    """The condition that `identity` may change a list; staff have no rights over others' lists."""
    if not has_permission(identity, Permission.LIBRARY):  # anonymous, or a token without write scope
        return false()
    return managed_by(
        identity.user_id, official if has_permission(identity, Permission.OFFICIAL_LISTS) else None, of
    )


def managed_by(user_id, official: str | None, of=ReadingList) -> ColumnElement[bool]:
    """The condition that a list belongs to an account or, with `official`, to the account of that name.

    `user_id` may be a parameter of a compiled statement.
    """
    own = of.user_id == user_id
    if official is None:
        return own
    named = select(User.id).where(func.lower(User.username) == func.lower(official))
    return or_(own, of.user_id == named.correlate(None).scalar_subquery())


def manages(identity: Identity | None, official: str, reading_list: ReadingList) -> bool:
    """Whether `identity` may change a list from `find`."""
    if not has_permission(identity, Permission.LIBRARY):
        return False
    if reading_list.user_id == identity.user_id:
        return True
    return has_permission(identity, Permission.OFFICIAL_LISTS) and is_official(official, reading_list)


def is_official(official: str, reading_list: ReadingList) -> bool:
    """Whether a list from `find` belongs to the official account."""
    return reading_list.user.username.lower() == official.lower()


# Finding lists.


def find(session: Session, identity: Identity | None, official: str, key: int | str) -> ReadingList:
    """The list with an id (int) or a slug (str), with its owner.

    Raises NotFoundError for unknown or invisible lists, and MovedError for a former slug.
    """
    seen = select(ReadingList).where(visible_to(identity, official)).options(joinedload(ReadingList.user))
    if isinstance(key, int):
        found = session.scalar(seen.where(ReadingList.id == key)) if 0 < key <= INTEGER_MAX else None
    elif "\0" in key:
        found = None
    else:
        found = session.scalar(seen.where(ReadingList.slug == key))
        if found is None:  # one statement, whether or not it is a former slug
            is_former = (FormerSlug.kind == KIND, FormerSlug.object_id == ReadingList.id)
            moved = session.scalar(seen.join(FormerSlug, and_(*is_former)).where(FormerSlug.slug == key))
            if moved is not None:
                raise MovedError(moved)
    if found is None:
        raise NotFoundError(KIND, key)
    return found


def neighbours(
    session: Session, identity: Identity | None, official: str, reading_list: ReadingList
) -> tuple[ReadingList | None, ReadingList | None]:
    """The previous and next list, each None if it is not visible."""
    ids = (reading_list.previous_id, reading_list.next_id)
    wanted = select(ReadingList).where(ReadingList.id.in_(ids), visible_to(identity, official))
    found = {each.id: each for each in session.scalars(wanted)} if any(ids) else {}
    return found.get(ids[0]), found.get(ids[1])


def lock_visible(
    session: Session,
    identity: Identity | None,
    official: str,
    reading_list: ReadingList,
    ids: Iterable[int] | None = None,
) -> ReadingList:
    """Reload and lock a list, or the lists with these ids; raises NotFoundError if it is not visible."""
    links.lock(session, {reading_list.id} if ids is None else ids)
    session.expire(reading_list)
    return find(session, identity, official, reading_list.id)


class LockedList(NamedTuple):
    """A list that is locked for changes by an account."""

    session: Session
    row: ReadingList


def lock_list(
    session: Session,
    identity: Identity | None,
    official: str,
    reading_list: ReadingList,
    partners: Iterable[int] = (),
) -> LockedList:
    """Reload a list and lock it for changes, with its neighbours, `partners` and theirs.

    Raises NotFoundError if it was deleted or is no longer visible, ForbiddenError if it may be seen but not
    changed.
    """
    ids = links.with_neighbours(session, {reading_list.id, *partners})
    found = lock_visible(session, identity, official, reading_list, ids)
    if not manages(identity, official, found):
        raise ForbiddenError(f"{KIND} {found.id} is another's")
    acts.begin(session, identity.user_id)
    return LockedList(session, found)


# Writing.


def create(session: Session, identity: Identity, official: str, values: dict) -> ReadingList:
    """Create a list from values (`rules.FIELDS`), with a new slug.

    Raises InvalidError. Like everything in this module, this does not commit.
    """
    partners = rules.check(session, identity, visible_to(identity, official), None, values)
    acts.begin(session, identity.user_id)
    made = ReadingList(user_id=identity.user_id, **rules.columns(values))
    _insert(session, made)
    UnitOfWork.of(session).retain_files([made.image])
    if any(partners.values()):
        links.set_neighbours(session, made.id, partners, manageable_by(identity, official))
    return _reload(session, made)


def update(
    session: Session, identity: Identity, official: str, reading_list: ReadingList, values: dict
) -> ReadingList:
    """Change values of a list; its `modified` changes even if none differs.

    The slug changes only when the list becomes private or public. Ratings and likes of a private list are
    kept, but not shown. Raises InvalidError, NotFoundError, ForbiddenError.
    """
    _session, found = lock_list(session, identity, official, reading_list, rules.partner_ids(values))
    partners = rules.check(session, identity, visible_to(identity, official), found, values)
    changed = {name: value for name, value in rules.columns(values).items() if getattr(found, name) != value}
    unit = UnitOfWork.of(session)
    if "image" in changed:
        unit.retain_files([changed["image"]])

    def write(**slug):
        links.update_with_stamp(session, ReadingList.id == found.id, changed | slug)

    if "is_private" in changed:
        name, before = changed.get("name", found.name), found.slug
        slug = _write_with_slug(session, name, found.id, bool(changed["is_private"]), write)
        slugs.redirect_former(session, KIND, {found.id: (before, slug)})
    else:
        _write_unless_taken(session, write)
    if {"name", "is_private"} & set(changed):
        links.update_with_stamp(session, links.has_neighbour(found.id))
    links.set_neighbours(session, found.id, partners, manageable_by(identity, official))
    return _reload(session, found)


def remove(session: Session, identity: Identity, official: str, reading_list: ReadingList) -> None:
    """Delete a list with its items, ratings and likes, and unlink its neighbours and copies.

    Its picture is kept as long as the deletion can be undone. Raises NotFoundError, ForbiddenError.
    """
    _session, found = lock_list(session, identity, official, reading_list)
    former = delete(FormerSlug).where(FormerSlug.kind == KIND, FormerSlug.object_id == found.id)
    session.execute(former)
    session.execute(delete(ReadingList).where(ReadingList.id == found.id))
    expire_stamps(session)


def assign_to_official(
    session: Session, identity: Identity, official: str, reading_list: ReadingList
) -> ReadingList:
    """Transfer a visible list to the official account; recorded in the audit log.

    Needs Permission.OFFICIAL_LISTS. Raises NotFoundError, ForbiddenError, and InvalidError if the official
    account already has the list or one of that name, or if there is no such account.
    """
    if not has_permission(identity, Permission.OFFICIAL_LISTS):
        raise ForbiddenError(f"{identity.username} gives no lists to {official}")
    ids = links.with_neighbours(session, {reading_list.id})
    found = lock_visible(session, identity, official, reading_list, ids)
    owner = session.scalar(select(User).where(func.lower(User.username) == func.lower(official)))
    if owner is None:
        raise InvalidError({"__all__": [_("There is no account named ${name}.", mapping={"name": official})]})
    if found.user_id == owner.id:
        belongs = _("The list already belongs to ${name}.", mapping={"name": owner.username})
        raise InvalidError({"__all__": [belongs]})
    before = found.user.username
    _write_unless_taken(
        session, lambda: links.update_with_stamp(session, ReadingList.id == found.id, {"user_id": owner.id})
    )
    links.update_with_stamp(session, links.has_neighbour(found.id))
    for given in (ReadingListRating, ReadingListLike):  # accounts cannot rate or like their own lists
        own = (given.reading_list_id == found.id, given.user_id == owner.id)
        session.execute(delete(given).where(*own))
    audit_log.record(
        session, identity, "assign", KIND, found.id, found.name, {"user": [before, owner.username]}
    )
    return _reload(session, found)


def _insert(session: Session, made: ReadingList) -> None:
    if not slugs.slugify(made.name):  # the slug will contain the id
        made.id = session.scalar(select(func.nextval(func.pg_get_serial_sequence(KIND, "id"))))

    def write(slug):
        made.slug = slug
        session.add(made)
        session.flush()

    _write_with_slug(session, made.name, made.id, bool(made.is_private), write)
    session.execute(delete(FormerSlug).where(FormerSlug.kind == KIND, FormerSlug.slug == made.slug))


def slugs_for(session: Session, name: str, list_id: int | None, *, private: bool) -> Iterator[str]:
    """Candidates for the slug of a list, in order."""
    while private:
        yield f"p{secrets.token_hex(10)}"
    yield from slugs.candidates(session, KIND, slugs.base_slug(KIND, name, list_id), _RELEASED)


def _write_with_slug(
    session: Session, name: str, list_id: int | None, private: bool, write: Callable[..., None]
) -> str:
    """Call `write(slug=...)` with candidates until one is free; returns it."""
    candidates = slugs_for(session, name, list_id, private=private)
    return next(slug for slug in candidates if _write_unless_taken(session, partial(write, slug=slug)))


def _write_unless_taken(session: Session, write: Callable[[], object]) -> bool:
    """Write in a savepoint; False if somebody else has just taken the slug. Raises InvalidError."""
    try:
        with session.begin_nested():
            write()
    except IntegrityError as error:
        violated = getattr(getattr(error.orig, "diag", None), "constraint_name", None)
        if violated == _UNIQUE_NAME:
            raise InvalidError({"name": [SAME_NAME]}) from error
        if violated != _UNIQUE_SLUG:
            raise
        return False
    return True


def _reload(session: Session, reading_list: ReadingList) -> ReadingList:
    """The list, reloaded with its owner."""
    expire_stamps(session)
    session.expire(reading_list)
    statement = select(ReadingList).where(ReadingList.id == reading_list.id)
    return session.scalars(statement.options(joinedload(ReadingList.user, innerjoin=True))).one()


def expire_stamps(session: Session) -> None:
    """Expire the attributes that triggers and SQL change: stamps, neighbours and figures."""
    moved = ("modified", "modified_before", "previous_id", "next_id", *rules.FIGURES)
    for entity in list(session.identity_map.values()):
        if isinstance(entity, ReadingList):
            session.expire(entity, moved)
