"""What goes with an object when it is deleted (model.md 13)."""

from collections import defaultdict

from sqlalchemy import text
from sqlalchemy.orm import Session

# owner → (kind that goes with it, its column)
CASCADES: dict[str, tuple[tuple[str, str], ...]] = {
    "publisher": (("imprint", "publisher_id"), ("universe", "publisher_id"), ("series", "publisher_id")),
    "series": (("issue", "series_id"),),
}


def doomed_with(session: Session, kind: str, object_id: int) -> dict[str, set[int]]:
    """The objects with pages that a deletion takes along, itself included, as {kind: ids}.

    They are locked, in the order of their ids, so that nobody adds to them meanwhile.
    """
    doomed: dict[str, set[int]] = defaultdict(set)
    doomed[kind].add(object_id)
    waiting = [kind]
    while waiting:
        owner = waiting.pop(0)
        for owned, column in CASCADES.get(owner, ()):
            found = session.scalars(
                text(f"SELECT id FROM {owned} WHERE {column} = ANY(:ids) ORDER BY id FOR UPDATE"),
                {"ids": list(doomed[owner])},
            )
            doomed[owned].update(found)
            if doomed[owned]:
                waiting.append(owned)
    return {name: ids for name, ids in doomed.items() if ids}
