"""Acts on many objects, run in pieces so that other writers get their turn.

A request or command only notes such an act, as a row of `UnfinishedAct` in its own transaction. Then
`admin.unfinished` runs it, in transactions that each hold the writers' lock for a fraction of a second. This
module decides which acts are postponed, and has the pieces of merges and deletions: objects that belong to an
object, such as the issues of a series, are moved or deleted first, so that the merge or deletion itself finds
little left to do. Each piece leaves everything consistent: moved objects belong to the survivor already,
deleted ones are gone.
"""

from collections.abc import Callable, Iterable
from functools import partial

from sqlalchemy import any_, exists, insert, select, text
from sqlalchemy.orm import Session

from comicsdb.catalog import piecewise
from comicsdb.catalog.deletion import collect_cascade
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge_references import ForeignKeyReference
from comicsdb.catalog.service import Catalog, validated_reason
from comicsdb.models import UnfinishedAct

IMMEDIATE_MAX = 100  # objects that an act may change in the transaction of its request


def postpone(
    catalog: Catalog,
    act: str,
    kind: str,
    ids: Iterable[int],
    reason: str = "",
    result: dict | None = None,
    **arguments,
) -> None:
    """Note an act, which `admin.unfinished` runs after the commit."""
    note = {"act": act, "kind": kind, "ids": sorted(ids), "user_id": catalog.actor_id}
    note |= {"reason": validated_reason(reason) or "", "arguments": arguments, "result": result or {}}
    catalog.session.execute(insert(UnfinishedAct).values(note))


def postpone_deletion(catalog: Catalog, kind: str, ids: set[int], reason: str, **arguments) -> bool:
    """Postpone a deletion until after the commit if it is long; returns whether it is long."""
    to_delete = collect_cascade(catalog.session, kind, ids, lock=False)
    long = sum(map(len, to_delete.values())) + len(_linked_issues(catalog.session, kind, ids)) > IMMEDIATE_MAX
    if long and not (len(ids) == 1 and is_deletion_postponed(catalog.session, kind, min(ids))):
        postpone(catalog, "delete", kind, ids, reason, **arguments)
    return long


def postpone_merge(catalog: Catalog, canonical, other, reason: str) -> bool:
    """Postpone a merge until after the commit if it is long; returns whether it is long."""
    kind, session = other.__tablename__, catalog.session
    below = sum(map(len, _children(session, kind, other.id).values()))
    long = below + len(_linked_issues(session, kind, {other.id})) > IMMEDIATE_MAX
    if long:
        postpone(catalog, "merge", kind, [other.id], reason, survivor=canonical.id)
    return long


def is_deletion_postponed(session: Session, kind: str, object_id: int) -> bool:
    """Whether the deletion of an object is noted, but not finished."""
    noted = (UnfinishedAct.act == "delete", UnfinishedAct.kind == kind, any_(UnfinishedAct.ids) == object_id)
    return session.scalar(select(exists().where(*noted)))


def delete_dependents(catalog: Catalog, kind: str, ids: set[int], reason: str) -> None:
    """Delete most dependents of objects, before the objects are deleted. Commits."""
    to_delete = collect_cascade(catalog.session, kind, ids, lock=False)
    for name in reversed(to_delete):  # children come before their parents
        if name != kind:
            in_pieces(catalog, to_delete[name], partial(_delete, KINDS[name].model, reason), reason)
    linked = _linked_issues(catalog.session, kind, ids)
    in_pieces(catalog, linked, partial(_unlink, kind, ids), reason)


def _children(session: Session, kind: str, object_id: int) -> dict[ForeignKeyReference, set[int]]:
    """The objects that have a given object as a parent, by reference."""
    return {
        each: set(
            session.scalars(
                text(f"SELECT id FROM {each.table.name} WHERE {each.column} = :parent"), {"parent": object_id}
            )
        )
        for each in merge_references.references_to_kind(kind)
        if each.is_parent
    }


def move_dependents(catalog: Catalog, kind: str, kept: int, other: int, reason: str) -> None:
    """Move most dependents of `other` to `kept`, before the two are merged. Commits.

    Objects that would violate a unique constraint stay, so that `merge` refuses them.
    """
    pair = {"kept": kept, "other": other}
    for reference, ids in _children(catalog.session, kind, other).items():
        in_pieces(catalog, ids, partial(_move_children, reference, pair), reason)
    linked = _linked_issues(catalog.session, kind, {other})
    in_pieces(catalog, linked, partial(_relink, kind, pair), reason)


def in_pieces(
    catalog: Catalog, ids: Iterable[int], write: Callable[[Catalog, set[int]], object], reason: str
) -> None:
    """Call `write` for pieces of the ids, as the same account, each in a transaction of its own.

    Ends the caller's transaction first: otherwise, PostgreSQL would keep all row versions that it can see,
    and finding rows would take longer with each piece.
    """
    catalog.session.commit()

    def written(session: Session, piece: set[int]) -> None:
        own = Catalog(session, catalog.actor_id, reason or None, actor_name=catalog.unit.actor_name)
        write(own, piece)

    piecewise.in_pieces(catalog.session, ids, written)


def _delete(model, reason: str, catalog: Catalog, ids: set[int]) -> None:
    catalog.delete_many(model, ids, reason)


def _move_children(
    reference: ForeignKeyReference, pair: dict[str, int], catalog: Catalog, ids: set[int]
) -> None:
    """Move objects to the surviving parent, recorded as an edit of each object."""
    unit, session = catalog.unit, catalog.session
    condition = f"t.id = ANY(:ids) AND NOT ({reference.conflict_condition})"
    moved = merge_references.move_objects(catalog, reference, {**pair, "ids": list(ids)}, condition)
    if not moved:
        return
    if reference.table.name == "issue":
        series = set(pair.values())
        unit.record_event("series.issues", series)
        unit.changes.listing["series"] |= series
        if session.scalar(
            text("SELECT EXISTS (SELECT FROM issue WHERE id = ANY(:ids) AND rating_count > 0)"),
            {"ids": list(moved)},
        ):
            unit.record_ratings(set(), series)
    unit.propagate()


# Tables that link objects to many issues, by the objects' kind, each with the issue's field.
_ISSUE_LINK_TABLES = {
    **{link.target.__tablename__: (link.table.name, link.field) for link in KINDS["issue"].links},
    "creator": ("credit", "credits"),
}
del _ISSUE_LINK_TABLES["issue"]


def _linked_issues(session: Session, kind: str, ids: set[int]) -> set[int]:
    """The issues that are linked to objects of a kind."""
    if kind not in _ISSUE_LINK_TABLES:
        return set()
    table, _field = _ISSUE_LINK_TABLES[kind]
    found = text(f"SELECT issue_id FROM {table} WHERE {kind}_id = ANY(:ids)")
    return set(session.scalars(found, {"ids": list(ids)}))


def _unlink(kind: str, objects: set[int], catalog: Catalog, ids: set[int]) -> None:
    """Remove the links from issues to objects, recorded as an edit of each issue."""
    table, _field = _ISSUE_LINK_TABLES[kind]
    gone = text(
        f"DELETE FROM {table} WHERE issue_id = ANY(:ids) AND {kind}_id = ANY(:objects)"
        f" RETURNING issue_id, {kind}_id"
    )
    rows = catalog.session.execute(gone, {"ids": list(ids), "objects": list(objects)}).all()
    _record_links(catalog, kind, {each[0] for each in rows}, {each[1] for each in rows})


def _relink(kind: str, pair: dict[str, int], catalog: Catalog, ids: set[int]) -> None:
    """Link issues to the surviving object, recorded as an edit of each issue."""
    session, values = catalog.session, {**pair, "ids": list(ids)}
    table, _field = _ISSUE_LINK_TABLES[kind]
    (reference,) = (each for each in merge_references.references_to_kind(kind) if each.table.name == table)
    if table == "credit":
        merge_references.merge_roles(session, reference, values, "theirs.issue_id = ANY(:ids)")
    moved = session.scalars(
        text(
            f"UPDATE {table} t SET {kind}_id = :kept WHERE t.issue_id = ANY(:ids) AND t.{kind}_id = :other"
            f" AND NOT ({reference.conflict_condition}) RETURNING t.issue_id"
        ),
        values,
    )
    issues = set(moved)
    left = text(f"DELETE FROM {table} WHERE issue_id = ANY(:ids) AND {kind}_id = :other RETURNING issue_id")
    _record_links(catalog, kind, issues.union(session.scalars(left, values)), set(pair.values()))


def _record_links(catalog: Catalog, kind: str, issues: set[int], others: set[int]) -> None:
    _table, field = _ISSUE_LINK_TABLES[kind]
    if field == "credits":
        catalog.unit.record_part_change("issue", field, issues)
    else:
        (link,) = (each for each in KINDS["issue"].links if each.field == field)
        catalog.unit.record_link_change("issue", link, issues, others)
    catalog.unit.propagate()
