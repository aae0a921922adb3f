"""Reverting an object to an older state by an ordinary edit.

The slug stays. References to merged objects are replaced by references to the surviving objects. References
to deleted objects cannot be restored: the edit is rejected or, on request, leaves them out. An older picture
is restored only if its file still exists, as replaced pictures are deleted; its file is copied, because each
file belongs to one row.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb.catalog import uniqueness
from comicsdb.catalog.crosswalk import resolve_ids
from comicsdb.catalog.errors import CatalogError, ConflictError
from comicsdb.catalog.history.diff import Difference, compare, referenced_ids
from comicsdb.catalog.history.snapshots import current_snapshot, to_column_type
from comicsdb.catalog.kinds import KINDS, Kind
from comicsdb.catalog.references import Reference, References, select_with_labels
from comicsdb.catalog.service import Catalog
from comicsdb.media.storage import Storage
from comicsdb.media.uploads import no_picture, picture_values
from comicsdb.models import History, Variant
from comicsdb.models.choices import Precision

PICTURE_FIELDS = ("image", "image_width", "image_height", "cover_hash")
VARIANT_FIELDS = ("name", "price", "currency", "sku", "upc")
VARIANTS = "variants"  # the name of the field, and of the folder of its pictures


class OutdatedError(CatalogError):
    """The object has changed since the caller read it."""


class MissingReferencesError(CatalogError):
    """The older state refers to deleted objects, and the caller did not ask to leave them out."""

    def __init__(self, preview: "RevertPreview"):
        super().__init__(", ".join(str(reference) for _field, reference in preview.missing))
        self.preview = preview


@dataclass(frozen=True)
class RevertPreview:
    """The preview of a revert.

    `target` is the resulting state, and `differences` are the changes. `missing` are the deleted objects that
    the older state refers to, by field; `impossible` is set if the object requires one of them.
    `lost_picture` and `lost_variants` (names) are those whose files no longer exist. `removed_pictures` is
    the number of current pictures that would be deleted.
    """

    now: dict
    target: dict
    differences: tuple[Difference, ...]
    missing: tuple[tuple[str, Reference], ...]
    impossible: bool
    lost_picture: bool
    lost_variants: tuple[str, ...]
    removed_pictures: int


def preview_revert(session: Session, storage: Storage, entity, snapshot: dict) -> RevertPreview:
    """Preview the revert of an object to an older snapshot."""
    kind = KINDS[entity.__tablename__]
    now = current_snapshot(session, kind.name, entity.id)
    older = {field: snapshot[field] for field in kind.fields if field in snapshot}
    resolver = _ReferenceResolver(session, referenced_ids(kind.name, [older]))
    target, missing = _without_missing(kind, older, resolver)
    for link in kind.links:
        if link.symmetric and link.field in target:  # the linked object was merged into this one
            target[link.field] = [each for each in target[link.field] if each != entity.id]
    lost_picture = _keep_lost_picture(storage, now, target)
    lost_variants = _keep_lost_variants(storage, now, target)
    for field in kind.partial_dates:
        if field in target:
            target.setdefault(f"{field}_precision", Precision.DAY.value)  # older versions have no precision
    target = now | target
    return RevertPreview(
        now=now,
        target=target,
        differences=compare(session, kind.name, [(now, target)])[0],
        missing=tuple(missing),
        impossible=any(_is_required(kind, field) for field, _reference in missing),
        lost_picture=lost_picture,
        lost_variants=tuple(lost_variants),
        removed_pictures=len(_pictures(now) - _pictures(target)),
    )


def revert(
    catalog: Catalog, storage: Storage, entity, version: History, *, modified: datetime, without_missing: bool
) -> RevertPreview:
    """Revert an object to an older version; returns the changes.

    `modified` is the object's stamp when the caller read it. Raises OutdatedError, MissingReferencesError and
    the errors of `Catalog.update`, all without writing anything.
    """
    _check_stamp(entity, modified)
    found = preview_revert(catalog.session, storage, entity, version.snapshot)
    if found.impossible or (found.missing and not without_missing):
        raise MissingReferencesError(found)
    if found.differences:
        try:
            values = _values(catalog, storage, KINDS[entity.__tablename__], found)
        except FileNotFoundError as error:  # deleted meanwhile
            raise OutdatedError("A picture of the older version has just gone.") from error
        catalog.lock(entity)  # as late as possible: copying takes time, and the lock blocks other writers
        _check_stamp(entity, modified)
        acting = Catalog(catalog.session, catalog.actor_id, f"Revert to version {version.id}")
        acting.update(entity, values)
    return found


def _check_stamp(entity, modified: datetime) -> None:
    """Raise OutdatedError if the object's stamp differs."""
    if entity.modified != modified:
        raise OutdatedError(f"{entity.__tablename__} {entity.id} was changed meanwhile.")


def conflicting_object(session: Session, entity, target: dict, conflict: ConflictError):
    """The object that has the unique values of a conflict; None if it was deleted meanwhile."""
    model, kind = type(entity), KINDS[entity.__tablename__]
    conditions = uniqueness.holds(kind, conflict.fields, target)
    return session.scalar(select_with_labels(model).where(*conditions, model.id != entity.id).limit(1))


# The state that can be restored.


class _ReferenceResolver:
    """Resolves references of an older state to existing objects; `missing` collects deleted ones."""

    def __init__(self, session: Session, wanted: dict[str, set[int]]):
        self._names = References(session, wanted)
        self._survivors: dict[tuple[str, int], int] = {}  # without those that were deleted after the merge
        for target, ids in wanted.items():
            merged = [each for each in ids if self._names.to(target, each).survivor_id is not None]
            if merged:
                found = resolve_ids(session, target, merged)
                self._survivors |= {(target, each): survivor for each, survivor in found.items()}
        self.missing: dict[tuple[str, Reference], None] = {}

    def resolve(self, field: str, target: str, object_id: int) -> int | None:
        """The id of the object, or of the surviving one if it was merged; None if that was deleted."""
        found = self._names.to(target, object_id)
        if not found.gone:
            return object_id
        survivor = self._survivors.get((target, object_id))
        if survivor is None:
            self.missing[field, found] = None
        return survivor

    def resolve_all(self, field: str, target: str, ids: list[int]) -> list[int]:
        """Resolve several ids; the result is sorted and omits deleted objects."""
        found = (self.resolve(field, target, each) for each in ids)
        return sorted({each for each in found if each is not None})


def _without_missing(
    kind: Kind, older: dict, resolver: _ReferenceResolver
) -> tuple[dict, list[tuple[str, Reference]]]:
    """The older state with merged objects replaced and deleted ones removed, and the list of deleted ones."""
    state, columns = dict(older), kind.model.__table__.columns
    for field, model in kind.parents.items():
        if state.get(field) is not None:
            found = resolver.resolve(field, model.__tablename__, state[field])
            if found is None and not columns[f"{field}_id"].nullable:
                del state[field]  # keep the current one
            else:
                state[field] = found
    for link in kind.links:
        if link.field in state:
            state[link.field] = resolver.resolve_all(link.field, link.target.__tablename__, state[link.field])
    if "credits" in state:
        roles: dict[int, set[int]] = {}
        for credit in state["credits"]:
            creator = resolver.resolve("credits", "creator", credit["creator"])
            if creator is not None:
                roles.setdefault(creator, set()).update(
                    resolver.resolve_all("credits", "role", credit["roles"])
                )
        state["credits"] = [{"creator": each, "roles": sorted(roles[each])} for each in sorted(roles)]
    return state, list(resolver.missing)


def _is_required(kind: Kind, field: str) -> bool:
    """Whether a field is required."""
    if field not in kind.parents:
        return False
    column = kind.model.__table__.columns[f"{field}_id"]
    return not column.nullable and column.server_default is None


def _keep_lost_picture(storage: Storage, now: dict, target: dict) -> bool:
    """Keep the current picture in the target if the older one's file is gone; returns whether it is gone."""
    if target.get("image") == now.get("image"):
        for field in set(PICTURE_FIELDS) & set(target):  # size and hash follow the picture
            target[field] = now[field]
        return False
    lost = bool(target.get("image")) and not storage.exists(target["image"])
    if lost:
        target.update({field: now[field] for field in PICTURE_FIELDS if field in now})
    return lost


def _keep_lost_variants(storage: Storage, now: dict, target: dict) -> list[str]:
    """Handle variants whose picture file is gone; returns their names.

    The target keeps the current pictures of variants that still exist; the others come back without one.
    """
    if VARIANTS not in target:
        return []
    at_present, kept, lost = {each["id"]: each for each in now[VARIANTS]}, [], []
    for variant in target[VARIANTS]:
        present_one = at_present.get(variant["id"])
        picture = variant["image"]
        is_same = present_one and picture == present_one["image"]
        if not picture or is_same or storage.exists(picture):
            kept.append(variant)
        else:
            lost.append(variant["name"])
            kept.append(variant | {"image": present_one["image"] if present_one else ""})
    target[VARIANTS] = kept
    return lost


def _pictures(state: dict) -> set[str]:
    """The storage keys of the pictures in a state."""
    return {each for each in (state.get("image"), *(v["image"] for v in state.get(VARIANTS, ()))) if each}


# The edit.


def _values(catalog: Catalog, storage: Storage, kind: Kind, found: RevertPreview) -> dict:
    """The values of the fields that differ, with copies of the older pictures."""
    columns = kind.model.__table__.columns
    differing = [field for field in kind.fields if found.target.get(field) != found.now.get(field)]
    values = {}
    for field in differing:
        if field not in (*PICTURE_FIELDS, VARIANTS):
            value = found.target[field]
            values[field] = to_column_type(columns[field], value) if field in columns else value
    for field in kind.partial_dates:
        precision = f"{field}_precision"
        if field in values or precision in values:  # what is known of a date may change without the date
            values[field] = to_column_type(columns[field], found.target[field])
            values[precision] = found.target[precision]
    if "image" in differing:
        hashed = "cover_hash" in kind.scalars
        key = found.target["image"]
        values |= _picture(catalog, storage, kind.name, key, hashed=hashed)
    if VARIANTS in differing:
        at_present = {each["id"]: each["image"] for each in found.now[VARIANTS]}
        values[VARIANTS] = [_variant(catalog, storage, each, at_present) for each in found.target[VARIANTS]]
    return values


def _variant(catalog: Catalog, storage: Storage, variant: dict, at_present: dict[int, str]) -> dict:
    columns = Variant.__table__.columns
    values = {field: to_column_type(columns[field], variant[field]) for field in VARIANT_FIELDS}
    if variant["id"] in at_present:
        values["id"] = variant["id"]
    if at_present.get(variant["id"], "") != variant["image"]:
        values |= _picture(catalog, storage, VARIANTS, variant["image"], hashed=True)
    return values


def _picture(catalog: Catalog, storage: Storage, folder: str, key: str, *, hashed: bool) -> dict:
    """The values of a copy of a picture, or those for no picture if `key` is empty."""
    if not key:
        return no_picture(hashed=hashed)
    with storage.open(key) as file:
        data = file.read()
    return picture_values(catalog.session, storage, folder, data, hashed=hashed, member=catalog.actor_id)


def version_of(session: Session, kind: str, object_id: int, version: int) -> History | None:
    """A version of an object by the id of its history row, or None."""
    statement = select(History).where(
        History.id == version, History.kind == kind, History.object_id == object_id
    )
    return session.scalar(statement)
