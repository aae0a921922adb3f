"""Merges and deletions of objects with many others below them, in pieces: other writers get their turn.

What belongs to the object, such as the issues of a series, is moved or deleted first, by transactions of
their own that hold the writers' lock for a fraction of a second. So the merge or deletion itself, in the
transaction of the caller, finds little left to do. Each piece leaves everything consistent: what was moved
belongs to the survivor already, what was deleted is gone. A row of `UnfinishedAct` tells until the end what
is under way; `admin.unfinished.resume` finishes what a crash interrupted, and so does who asks for the same
again.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import partial

from psycopg.errors import DeadlockDetected
from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError

from comicsdb.catalog import propagation
from comicsdb.catalog.deletion import doomed_with
from comicsdb.catalog.kinds import KINDS, kind_of
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge_references import Reference
from comicsdb.catalog.service import Catalog, fit_reason
from comicsdb.models import UnfinishedAct
from comicsdb.models.base import SYSTEM_USER_ID

FEW = 100  # objects below another that are left to its own transaction
FIRST, FEWEST, MOST = 20, 5, 500  # objects of a piece
AIM = 0.08  # seconds for which a piece should hold the lock
ATTEMPTS = 5  # at a piece that meets a deadlock


def delete_below(catalog: Catalog, entity, reason: str = "", *, audited: bool = False) -> None:
    """Delete most of what belongs to an object, before its own deletion.

    `audited` is whether the act is recorded in the audit log. Does nothing if few objects belong to it, or if
    the caller's transaction holds the writers' lock.
    """
    kind = entity.__tablename__
    doomed = doomed_with(catalog.session, kind, {entity.id}, lock=False)
    below = {name: ids for name, ids in doomed.items() if name != kind}
    if catalog.unit.changes.write_locked or sum(map(len, below.values())) <= FEW:
        return
    reason = fit_reason(reason) or ""
    act = _begin(catalog, entity, None, reason, audited)
    for name in reversed(below):  # what belongs to others comes before them
        _in_pieces(catalog, act, below[name], partial(_delete, KINDS[name].model, reason))


def move_below(catalog: Catalog, canonical, other, reason: str) -> None:
    """Move most of what belongs to `other` to `canonical`, before they are merged; as `delete_below`.

    Objects that `canonical` must not have twice stay, for `merge` to refuse.
    """
    kind, session = kind_of(type(canonical)), catalog.session
    below = [each for each in merge_references.references(kind.name) if each.is_parent]
    found = {
        each: set(
            session.scalars(
                text(f"SELECT id FROM {each.table.name} WHERE {each.column} = :other"), {"other": other.id}
            )
        )
        for each in below
    }
    if catalog.unit.changes.write_locked or sum(map(len, found.values())) <= FEW:
        return
    act = _begin(catalog, other, canonical.id, reason, audited=True)
    pair = {"kept": canonical.id, "other": other.id}
    for reference, ids in found.items():
        _in_pieces(catalog, act, ids, partial(_move, reference, pair))


def _begin(catalog: Catalog, entity, survivor_id: int | None, reason: str, audited: bool) -> UnfinishedAct:
    """Note an act, or that it is taken up again."""
    key = {"kind": entity.__tablename__, "object_id": entity.id}
    values = {"survivor_id": survivor_id, "user_id": catalog.actor_id, "reason": reason, "audited": audited}
    noting = insert(UnfinishedAct).values(**key, **values)
    noting = noting.on_conflict_do_update(
        index_elements=list(key), set_=values | {"at": func.clock_timestamp()}
    )
    with _apart(catalog, reason) as own:
        own.session.execute(noting)
    return UnfinishedAct(**key, **values)


def _in_pieces(
    catalog: Catalog, act: UnfinishedAct, ids: Iterable[int], write: Callable[[Catalog, set[int]], object]
) -> None:
    """Call `write` for pieces of ids, each in a transaction that should hold the lock for `AIM`."""
    left, size = sorted(ids), FIRST
    noting = (
        update(UnfinishedAct)
        .where(UnfinishedAct.kind == act.kind, UnfinishedAct.object_id == act.object_id)
        .values(at=func.clock_timestamp())
    )
    while left:
        piece, left = left[:size], left[size:]
        for attempt in range(ATTEMPTS):
            try:
                with _apart(catalog, act.reason or None) as own:
                    own.unit.acquire_write_lock()
                    begun = time.monotonic()
                    write(own, set(piece))
                    own.session.execute(noting)
            except OperationalError as error:
                if not isinstance(error.orig, DeadlockDetected) or attempt == ATTEMPTS - 1:
                    raise
            else:
                break
        took = max(time.monotonic() - begun, 0.001)
        size = max(FEWEST, min(MOST, 2 * size, int(len(piece) * AIM / took)))


@contextmanager
def _apart(catalog: Catalog, reason: str | None):
    """A catalogue for the same account, in a transaction of its own, which is committed."""
    with type(catalog.session)(catalog.session.get_bind()) as session:
        if "media" in catalog.session.info:  # what removes pictures after the commit
            session.info["media"] = catalog.session.info["media"]
        yield Catalog(session, catalog.actor_id, reason, actor_name=catalog.unit.actor_name)
        session.commit()


def _delete(model, reason: str, catalog: Catalog, ids: set[int]) -> None:
    catalog.delete_many(model, ids, reason)


def _move(reference: Reference, pair: dict[str, int], catalog: Catalog, ids: set[int]) -> None:
    """Move objects to the one that stays, as edits of each."""
    unit, session, name = catalog.unit, catalog.session, reference.table.name
    authored = ", edited_by_id = :editor" if "edited_by_id" in reference.table.columns else ""
    moved = set(
        session.scalars(
            text(
                f"UPDATE {name} t SET {reference.column} = :kept{authored}"
                f" WHERE t.{reference.column} = :other AND t.id = ANY(:ids) AND NOT ({reference.clash})"
                " RETURNING t.id"
            ),
            {**pair, "ids": list(ids), "editor": catalog.actor_id or SYSTEM_USER_ID},
        )
    )
    if not moved:
        return
    unit.record_saved(name, moved)
    for event, columns in propagation.field_events(name).items():
        if reference.column in columns:
            unit.record_event(event, moved)
    if name == "issue":
        series = set(pair.values())
        unit.record_event("series.issues", series)
        unit.changes.listing["series"] |= series
        if session.scalar(
            text("SELECT EXISTS (SELECT FROM issue WHERE id = ANY(:ids) AND rating_count > 0)"),
            {"ids": list(moved)},
        ):
            unit.rated(set(), series)
    unit.propagate()


def forget(session, kind: str, object_id: int) -> None:
    """Remove the note of an act that cannot be finished."""
    session.execute(
        delete(UnfinishedAct).where(UnfinishedAct.kind == kind, UnfinishedAct.object_id == object_id)
    )


def interrupted(session, pause) -> list[UnfinishedAct]:
    """The acts that nobody has worked at for a while."""
    return list(session.scalars(select(UnfinishedAct).where(UnfinishedAct.at < func.now() - pause)))
