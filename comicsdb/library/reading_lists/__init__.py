"""Reading lists: who may see and manage them; creating, changing and deleting them.

Everybody sees public lists, accounts also their own, and holders of Permission.OFFICIAL_LISTS those of the
official account, which the setting `comicsdb.official_account` names. `visible_to` and `manageable_by` define
that for API and site. `identity` is None for anonymous readers, `official` is the setting. Writes of lists
are serialised, as those of the catalogue, to avoid deadlocks.

The slug of a public list is readable, that of a private one random, so that trying names does not reveal it.
Former slugs redirect to the list for those who may see it. The readable former slug of a private list is free
for other lists: a numbered one would reveal that it is taken.
"""

import secrets
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, false, func, not_, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from comicsdb.admin import audit_log
from comicsdb.catalog import slugs
from comicsdb.catalog.errors import ForbiddenError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import _
from comicsdb.library.reading_lists import links, rules
from comicsdb.models import FormerSlug, ReadingList, ReadingListRating, User
from comicsdb.models.base import INTEGER_MAX
from comicsdb.security import Identity, Permission, may

KIND = ReadingList.__tablename__
SAME_NAME = _("Its owner has a list of this name from the same source: choose another name.")
_UNIQUE = "uq_reading_list_user_id_name_attribution_source"
# Former slugs of lists that are private now.
_RELEASED = "EXISTS (SELECT FROM reading_list l WHERE l.id = former_slug.object_id AND l.is_private)"


# Who may see and manage.


def visible_to(identity: Identity | None, official: str, of=ReadingList) -> ColumnElement[bool]:
    """The condition on ReadingList, or an alias `of` it, that `identity` may see a list."""
    public = not_(of.is_private)
    return public if identity is None else or_(public, manageable_by(identity, official, of))


def manageable_by(identity: Identity | None, official: str, of=ReadingList) -> ColumnElement[bool]:
    """The condition that `identity` may change a list; staff have no rights over others' lists."""
    if not may(identity, Permission.LIBRARY):  # anonymous, or a token without write scope
        return false()
    own = of.user_id == identity.user_id
    if not may(identity, Permission.OFFICIAL_LISTS):
        return own
    named = select(User.id).where(func.lower(User.username) == func.lower(official))
    return or_(own, of.user_id == named.correlate(None).scalar_subquery())


def manages(identity: Identity | None, official: str, reading_list: ReadingList) -> bool:
    """Whether `identity` may change a list from `find`."""
    if not may(identity, Permission.LIBRARY):
        return False
    if reading_list.user_id == identity.user_id:
        return True
    return may(identity, Permission.OFFICIAL_LISTS) and is_official(official, reading_list)


def is_official(official: str, reading_list: ReadingList) -> bool:
    """Whether a list from `find` is the official account's."""
    return reading_list.user.username.lower() == official.lower()


# Finding.


def find(session: Session, identity: Identity | None, official: str, key: int | str) -> ReadingList:
    """The list with an id (int) or a slug (str), with its owner.

    Raises NotFoundError for unknown and for invisible lists, and MovedError for a former slug.
    """
    seen = select(ReadingList).where(visible_to(identity, official)).options(joinedload(ReadingList.user))
    if isinstance(key, int):
        found = session.scalar(seen.where(ReadingList.id == key)) if 0 < key <= INTEGER_MAX else None
    elif "\0" in key:
        found = None
    else:
        found = session.scalar(seen.where(ReadingList.slug == key))
        if found is None:  # one statement in either case
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
    """The previous and next list, if visible."""
    ids = (reading_list.previous_id, reading_list.next_id)
    wanted = select(ReadingList).where(ReadingList.id.in_(ids), visible_to(identity, official))
    found = {each.id: each for each in session.scalars(wanted)} if any(ids) else {}
    return found.get(ids[0]), found.get(ids[1])


class LockedList(NamedTuple):
    """A list that is locked for changes by an account."""

    session: Session
    row: ReadingList


def lock_list(
    session: Session, identity: Identity | None, official: str, reading_list: ReadingList
) -> LockedList:
    """Reload and lock a list for changes; all other writers of lists wait.

    Raises NotFoundError where it is gone or may not be seen any more, ForbiddenError where it may only be
    seen.
    """
    UnitOfWork.of(session).acquire_write_lock()
    statement = (
        select(ReadingList)
        .where(ReadingList.id == reading_list.id, visible_to(identity, official))
        .with_for_update(of=ReadingList)
        .execution_options(populate_existing=True)
    )
    if session.scalar(statement) is None:
        raise NotFoundError(KIND, reading_list.id)
    found = find(session, identity, official, reading_list.id)
    if not manages(identity, official, found):
        raise ForbiddenError(f"{KIND} {found.id} is another's")
    return LockedList(session, found)


# Writing.


def create(session: Session, identity: Identity, official: str, values: dict) -> ReadingList:
    """Create a list from values (`rules.FIELDS`), with a new slug.

    Raises InvalidError. Nothing is committed here, as everywhere in this module.
    """
    unit = UnitOfWork.of(session)
    unit.acquire_write_lock()
    partners = rules.check(session, identity, visible_to(identity, official), None, values)
    made = ReadingList(user_id=identity.user_id, **rules.columns(values))
    _insert(session, made)
    unit.retain_files([made.image])
    if any(partners.values()):
        links.tie(session, made.id, partners, manageable_by(identity, official))
    return _fresh(session, made)


def update(
    session: Session, identity: Identity, official: str, reading_list: ReadingList, values: dict
) -> ReadingList:
    """Change values of a list; its `modified` moves even if none differs.

    The slug changes only when the list becomes private or public. Ratings of a private list are kept, but not
    shown. Raises InvalidError, NotFoundError,
    ForbiddenError.
    """
    _session, found = lock_list(session, identity, official, reading_list)
    partners = rules.check(session, identity, visible_to(identity, official), found, values)
    changed = {name: value for name, value in rules.columns(values).items() if getattr(found, name) != value}
    if "is_private" in changed:
        name = changed.get("name", found.name)
        changed["slug"] = next(slugs_for(session, name, found.id, private=changed["is_private"]))
        slugs.keep_former(session, KIND, {found.id: (found.slug, changed["slug"])})
    unit = UnitOfWork.of(session)
    if "image" in changed:
        unit.release_files([found.image])
        unit.retain_files([changed["image"]])
    try:
        with session.begin_nested():
            links.stamp(session, ReadingList.id == found.id, changed)
    except IntegrityError as error:
        raise _refusal(error) from error
    if {"name", "is_private"} & set(changed):
        links.stamp(session, links.shows(found.id))
    links.tie(session, found.id, partners, manageable_by(identity, official))
    return _fresh(session, found)


def remove(session: Session, identity: Identity, official: str, reading_list: ReadingList) -> None:
    """Delete a list with its items and ratings, and unlink its neighbours.

    Raises NotFoundError, ForbiddenError.
    """
    _session, found = lock_list(session, identity, official, reading_list)
    links.lock(session, links.around(session, found.id))
    UnitOfWork.of(session).release_files([found.image])
    former = delete(FormerSlug).where(FormerSlug.kind == KIND, FormerSlug.object_id == found.id)
    session.execute(former)
    session.execute(delete(ReadingList).where(ReadingList.id == found.id))
    forget_stamps(session)


def assign_to_official(
    session: Session, identity: Identity, official: str, reading_list: ReadingList
) -> ReadingList:
    """Transfer a visible list to the official account; recorded in the audit log.

    Needs Permission.OFFICIAL_LISTS. Raises NotFoundError, ForbiddenError, and InvalidError where the official
    account has the list already or has one of that name, or where there is no such account.
    """
    if not may(identity, Permission.OFFICIAL_LISTS):
        raise ForbiddenError(f"{identity.username} gives no lists to {official}")
    UnitOfWork.of(session).acquire_write_lock()
    found = find(session, identity, official, reading_list.id)
    owner = session.scalar(select(User).where(func.lower(User.username) == func.lower(official)))
    if owner is None:
        raise InvalidError({"__all__": [_("There is no account named ${name}.", mapping={"name": official})]})
    if found.user_id == owner.id:
        belongs = _("The list belongs to ${name} already.", mapping={"name": owner.username})
        raise InvalidError({"__all__": [belongs]})
    before = found.user.username
    try:
        with session.begin_nested():
            links.stamp(session, ReadingList.id == found.id, {"user_id": owner.id})
    except IntegrityError as error:
        raise _refusal(error) from error
    links.stamp(session, links.shows(found.id))
    own_stars = (ReadingListRating.reading_list_id == found.id, ReadingListRating.user_id == owner.id)
    session.execute(delete(ReadingListRating).where(*own_stars))
    audit_log.record(
        session, identity, "assign", KIND, found.id, found.name, {"user": [before, owner.username]}
    )
    return _fresh(session, found)


def _insert(session: Session, made: ReadingList) -> None:
    if not slugs.slugify(made.name):  # the slug will contain the id
        made.id = session.scalar(select(func.nextval(func.pg_get_serial_sequence(KIND, "id"))))
    made.slug = next(slugs_for(session, made.name, made.id, private=bool(made.is_private)))
    try:
        with session.begin_nested():
            session.add(made)
            session.flush()
    except IntegrityError as error:
        raise _refusal(error) from error
    session.execute(delete(FormerSlug).where(FormerSlug.kind == KIND, FormerSlug.slug == made.slug))


def slugs_for(session: Session, name: str, list_id: int | None, *, private: bool) -> Iterator[str]:
    """Candidates for the slug of a list, in order."""
    while private:
        yield f"p{secrets.token_hex(10)}"
    yield from slugs.candidates(session, KIND, slugs.base_slug(KIND, name, list_id), _RELEASED)


def _constraint(error: IntegrityError) -> str:
    return getattr(getattr(error.orig, "diag", None), "constraint_name", None) or ""


def _refusal(error: IntegrityError) -> Exception:
    return InvalidError({"name": [SAME_NAME]}) if _constraint(error) == _UNIQUE else error


def _fresh(session: Session, reading_list: ReadingList) -> ReadingList:
    """The list, reloaded with its owner."""
    forget_stamps(session)
    session.expire(reading_list)
    statement = select(ReadingList).where(ReadingList.id == reading_list.id)
    return session.scalars(statement.options(joinedload(ReadingList.user, innerjoin=True))).one()


def forget_stamps(session: Session) -> None:
    """Expire the attributes that triggers and SQL change: stamps, neighbours and figures."""
    moved = ("modified", "modified_before", "previous_id", "next_id", *rules.FIGURES)
    for entity in list(session.identity_map.values()):
        if isinstance(entity, ReadingList):
            session.expire(entity, moved)
