"""Labels and slugs of many objects at once, by id, including deleted ones."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session, defer

from comicsdb.catalog.kinds import KINDS, kind_of
from comicsdb.models import History, Tombstone
from comicsdb.models.record import DELETED


@dataclass(frozen=True)
class Reference:
    """A reference to an object.

    `label` is None for an unknown id, `slug` is None if there is no page. `gone` is whether the object was
    deleted or merged, and `survivor_id` is the object that it was merged into.
    """

    kind: str
    id: int
    label: str | None = None
    slug: str | None = None
    gone: bool = False
    survivor_id: int | None = None
    names: dict[str, str] = field(default_factory=dict, compare=False)  # translations of the label

    def __str__(self) -> str:
        return self.label or f"{self.kind} {self.id}"


def select_with_labels(model) -> Select:
    """Objects of a kind with everything that their labels need, but without their descriptions."""
    options = (*kind_of(model).label_options, *((defer(model.desc),) if hasattr(model, "desc") else ()))
    return select(model).options(*options)


def to_reference(entity) -> Reference:
    """The reference to an existing object, which was loaded by `select_with_labels`."""
    label = getattr(entity, "label", None) or getattr(entity, "name", None)
    names = getattr(entity, "names", {})
    return Reference(entity.__tablename__, entity.id, label, getattr(entity, "slug", None), names=names)


class References:
    """References to objects of several kinds.

    They take one statement per kind, one for all deleted objects, and one for deleted reference data, which
    has no tombstones.
    """

    def __init__(self, session: Session, wanted: dict[str, Iterable[int]]):
        self._found: dict[tuple[str, int], Reference] = {}
        wanted = {kind: set(ids) for kind, ids in wanted.items()}
        for kind, ids in wanted.items():
            if kind in KINDS and ids:
                model = KINDS[kind].model
                for entity in session.scalars(select_with_labels(model).where(model.id.in_(ids))):
                    self._found[kind, entity.id] = to_reference(entity)
        asked = ((kind, each) for kind, ids in wanted.items() for each in ids)
        pairs = [pair for pair in asked if pair not in self._found]
        reference_data = [pair for pair in pairs if pair[0] in KINDS and KINDS[pair[0]].is_reference]
        if reference_data:
            last = select(History).where(
                tuple_(History.kind, History.object_id).in_(reference_data), History.type == DELETED
            )
            for each in session.scalars(last):
                self._found[each.kind, each.object_id] = _to_former_reference_data(each)
        if len(pairs) > len(reference_data):
            buried = select(Tombstone).where(tuple_(Tombstone.kind, Tombstone.object_id).in_(pairs))
            for each in session.scalars(buried):
                self._found[each.kind, each.object_id] = _to_tombstone(each)

    def to(self, kind: str, object_id: int) -> Reference:
        """The reference to an object; it has no label if the id is unknown."""
        return self._found.get((kind, object_id)) or Reference(kind, object_id, gone=True)


def _to_former_reference_data(last: History) -> Reference:
    named = last.snapshot
    return Reference(last.kind, last.object_id, named.get("name"), gone=True, names=named.get("names") or {})


def _to_tombstone(tombstone: Tombstone) -> Reference:
    return Reference(
        tombstone.kind,
        tombstone.object_id,
        tombstone.label or None,
        tombstone.slug,
        gone=True,
        survivor_id=tombstone.survivor_id,
    )
