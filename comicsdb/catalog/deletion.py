"""Deletion: cascades to other objects, and tombstones."""

from collections import defaultdict

from sqlalchemy import insert, inspect, text
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.references import select_with_labels, to_reference
from comicsdb.models import Tombstone

BATCH_SIZE = 2000  # objects per statement


def collect_cascade(session: Session, kind: str, ids: set[int], *, lock: bool = True) -> dict[str, set[int]]:
    """All objects with pages that the deletion of some objects removes, including these, as {kind: ids}.

    With `lock`, they are locked in the order of their ids, so that nothing can be added to them.
    """
    locking = "FOR UPDATE" if lock else ""
    found = session.scalars(
        text(f"SELECT id FROM {kind} WHERE id = ANY(:ids) ORDER BY id {locking}"), {"ids": list(ids)}
    )
    to_delete: dict[str, set[int]] = defaultdict(set)
    to_delete[kind].update(found)
    waiting = [kind]
    while waiting:
        owner = waiting.pop(0)
        for owned in (each.name for each in KINDS.values() if each.owner == owner):
            found = session.scalars(
                text(f"SELECT id FROM {owned} WHERE {owner}_id = ANY(:ids) ORDER BY id {locking}"),
                {"ids": list(to_delete[owner])},
            )
            to_delete[owned].update(found)
            if to_delete[owned]:
                waiting.append(owned)
    return {name: ids for name, ids in to_delete.items() if ids}


def write_tombstones(
    session: Session,
    to_delete: dict[str, set[int]],
    actor_id: int | None,
    reason: str | None,
    survivor_id: int | None = None,
) -> None:
    """Write the tombstones of rows before their deletion; those of a merge name the surviving object."""
    for name, ids in to_delete.items():
        if KINDS[name].is_reference:
            continue
        model = KINDS[name].model
        same = {"kind": name, "user_id": actor_id, "reason": reason or "", "survivor_id": survivor_id}
        chosen = sorted(ids)
        for start in range(0, len(chosen), BATCH_SIZE):
            batch = chosen[start : start + BATCH_SIZE]
            found = map(to_reference, session.scalars(select_with_labels(model).where(model.id.in_(batch))))
            rows = [same | {"object_id": each.id, "slug": each.slug, "label": each.label} for each in found]
            session.execute(insert(Tombstone), rows)


def expunge_deleted(session: Session, to_delete: dict[str, set[int]]) -> None:
    """Expunge rows from the session that were deleted by SQL statements."""
    for entity in list(session.identity_map.values()):
        if inspect(entity).identity[0] in to_delete.get(entity.__tablename__, ()):
            session.expunge(entity)
