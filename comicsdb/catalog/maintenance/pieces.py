"""Merges and deletions of objects with many others below them, in pieces: other writers get their turn.

What belongs to the object, such as the issues of a series, is moved or deleted first, by transactions of
their own that hold the writers' lock for a fraction of a second. So the merge or deletion itself, in the
transaction of the caller, finds little left to do. Each piece leaves everything consistent: what was moved
belongs to the survivor already, what was deleted is gone. A row of `UnfinishedAct` tells until the end what
is under way; `admin.unfinished.resume` finishes what a crash interrupted, and so does who asks for the same
again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog import piecewise, propagation
from comicsdb.catalog.deletion import doomed_with
from comicsdb.catalog.deletion import forget as forget_deleted
from comicsdb.catalog.kinds import KINDS, kind_of
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge_references import Reference
from comicsdb.catalog.service import Catalog, fit_reason
from comicsdb.models import UnfinishedAct
from comicsdb.models.base import SYSTEM_USER_ID

FEW = 100  # objects below another that are left to its own transaction


@dataclass(frozen=True)
class _Act:
    """An act that is under way: objects that are to be deleted, and why."""

    kind: str
    ids: set[int]
    reason: str


def delete_below(catalog: Catalog, entity, reason: str = "", *, audited: bool = False) -> None:
    """Delete most of what belongs to an object, before its own deletion.

    `audited` is whether the act is recorded in the audit log. Does nothing if few objects belong to it, or if
    the caller's transaction holds the writers' lock.
    """
    kind, reason = entity.__tablename__, fit_reason(reason) or ""
    doomed = _doomed(catalog, kind, {entity.id})
    if doomed is not None:
        _delete_below(catalog, _begin(catalog, kind, {entity.id}, None, reason, audited), doomed)


def delete_chosen(
    catalog: Catalog, model, ids: set[int], reason: str, begun: Callable[[Session], object]
) -> bool:
    """Delete objects in pieces, and return True; False, and nothing is done, as for `delete_below`.

    What `begun` writes is committed before the first one is deleted: from then on, all are going to be.
    """
    kind, reason = model.__tablename__, fit_reason(reason) or ""
    doomed = _doomed(catalog, kind, ids)
    if doomed is None:
        return False
    act = _begin(catalog, kind, ids, None, reason, audited=False, begun=begun)
    _delete_below(catalog, act, doomed)
    _in_pieces(catalog, act, ids, partial(_delete, model, reason))
    forget_deleted(catalog.session, {kind: ids})
    return True


def _doomed(catalog: Catalog, kind: str, ids: set[int]) -> dict[str, set[int]] | None:
    """What goes with objects of a kind, themselves included; None if that can be one transaction."""
    doomed = doomed_with(catalog.session, kind, ids, lock=False)
    linked = _linked_issues(catalog.session, kind, ids)
    if catalog.unit.changes.write_locked or sum(map(len, doomed.values())) + len(linked) <= FEW:
        return None
    return doomed


def _delete_below(catalog: Catalog, act: _Act, doomed: dict[str, set[int]]) -> None:
    for name in reversed(doomed):  # what belongs to others comes before them
        if name != act.kind:
            _in_pieces(catalog, act, doomed[name], partial(_delete, KINDS[name].model, act.reason))
    linked = _linked_issues(catalog.session, act.kind, act.ids)
    _in_pieces(catalog, act, linked, partial(_unlink, act.kind, act.ids))


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
    linked = _linked_issues(session, kind.name, {other.id})
    if catalog.unit.changes.write_locked or sum(map(len, found.values())) + len(linked) <= FEW:
        return
    act = _begin(catalog, kind.name, {other.id}, canonical.id, reason, audited=True)
    pair = {"kept": canonical.id, "other": other.id}
    for reference, ids in found.items():
        _in_pieces(catalog, act, ids, partial(_move, reference, pair))
    _in_pieces(catalog, act, linked, partial(_relink, kind.name, pair))


def _begin(
    catalog: Catalog,
    kind: str,
    ids: set[int],
    survivor_id: int | None,
    reason: str,
    audited: bool,
    begun: Callable[[Session], object] | None = None,
) -> _Act:
    """Note an act, or that it is taken up again."""
    values = {"survivor_id": survivor_id, "user_id": catalog.actor_id, "reason": reason, "audited": audited}
    noting = insert(UnfinishedAct).values(
        [{"kind": kind, "object_id": each, **values} for each in sorted(ids)]
    )
    noting = noting.on_conflict_do_update(
        index_elements=["kind", "object_id"], set_=values | {"at": func.clock_timestamp()}
    )
    with piecewise.apart(catalog.session) as own:
        own.execute(noting)
        if begun is not None:
            begun(own)
    return _Act(kind, ids, reason)


def _in_pieces(
    catalog: Catalog, act: _Act, ids: Iterable[int], write: Callable[[Catalog, set[int]], object]
) -> None:
    """Call `write` for pieces of ids, each in a transaction of its own."""
    noting = (
        update(UnfinishedAct)
        .where(UnfinishedAct.kind == act.kind, UnfinishedAct.object_id.in_(act.ids))
        .values(at=func.clock_timestamp())
    )

    def written(session: Session, piece: set[int]) -> None:
        write(_same(catalog, session, act.reason), piece)
        session.execute(noting)

    piecewise.in_pieces(catalog.session, ids, written)


def _same(catalog: Catalog, session: Session, reason: str) -> Catalog:
    """The catalogue for the same account within another session."""
    return Catalog(session, catalog.actor_id, reason or None, actor_name=catalog.unit.actor_name)


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


# Tables that link an object with many issues, by its kind, each with the field of an issue.
_OF_ISSUES = {
    **{link.target.__tablename__: (link.table.name, link.field) for link in KINDS["issue"].links},
    "creator": ("credit", "credits"),
}
del _OF_ISSUES["issue"]


def _linked_issues(session: Session, kind: str, ids: set[int]) -> set[int]:
    """The issues that are linked with objects of a kind."""
    if kind not in _OF_ISSUES:
        return set()
    table, _field = _OF_ISSUES[kind]
    found = text(f"SELECT issue_id FROM {table} WHERE {kind}_id = ANY(:ids)")
    return set(session.scalars(found, {"ids": list(ids)}))


def _unlink(kind: str, objects: set[int], catalog: Catalog, ids: set[int]) -> None:
    """Remove the links of issues with objects, as edits of each."""
    table, _field = _OF_ISSUES[kind]
    gone = text(
        f"DELETE FROM {table} WHERE issue_id = ANY(:ids) AND {kind}_id = ANY(:objects)"
        f" RETURNING issue_id, {kind}_id"
    )
    rows = catalog.session.execute(gone, {"ids": list(ids), "objects": list(objects)}).all()
    _links_changed(catalog, kind, {each[0] for each in rows}, {each[1] for each in rows})


def _relink(kind: str, pair: dict[str, int], catalog: Catalog, ids: set[int]) -> None:
    """Link issues with the object that stays, as edits of each."""
    session, values = catalog.session, {**pair, "ids": list(ids)}
    table, _field = _OF_ISSUES[kind]
    (reference,) = (each for each in merge_references.references(kind) if each.table.name == table)
    if table == "credit":
        merge_references.unite_roles(session, reference, values, "theirs.issue_id = ANY(:ids)")
    moved = session.scalars(
        text(
            f"UPDATE {table} t SET {kind}_id = :kept WHERE t.issue_id = ANY(:ids) AND t.{kind}_id = :other"
            f" AND NOT ({reference.clash}) RETURNING t.issue_id"
        ),
        values,
    )
    issues = set(moved)
    left = text(f"DELETE FROM {table} WHERE issue_id = ANY(:ids) AND {kind}_id = :other RETURNING issue_id")
    _links_changed(catalog, kind, issues.union(session.scalars(left, values)), set(pair.values()))


def _links_changed(catalog: Catalog, kind: str, issues: set[int], others: set[int]) -> None:
    _table, field = _OF_ISSUES[kind]
    if field == "credits":
        catalog.unit.part_changed("issue", field, issues)
    else:
        (link,) = (each for each in KINDS["issue"].links if each.field == field)
        catalog.unit.link_changed("issue", link, issues, others)
    catalog.unit.propagate()


def forget(session, kind: str, object_id: int) -> None:
    """Remove the note of an act that cannot be finished."""
    session.execute(
        delete(UnfinishedAct).where(UnfinishedAct.kind == kind, UnfinishedAct.object_id == object_id)
    )


def interrupted(session, pause) -> list[UnfinishedAct]:
    """The acts that nobody has worked at for a while."""
    return list(session.scalars(select(UnfinishedAct).where(UnfinishedAct.at < func.now() - pause)))
