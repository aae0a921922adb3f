"""What the staff does to single objects and to reference data, each act with a line in the log."""

from comicsdb.admin.audit_log import Actor, record
from comicsdb.catalog import Catalog
from comicsdb.catalog.history.snapshots import present
from comicsdb.catalog.references import labelled, reference_to

# What says nothing to a reader of the log.
UNSAID = {"image_width", "image_height", "cover_hash"}


def create_object(catalog: Catalog, actor: Actor, model, values: dict):
    """Make an object; see `Catalog.create`."""
    entity = catalog.create(model, values)
    _record(catalog, actor, "create", entity, _differences({}, _state(catalog, entity)))
    return entity


def change_object(catalog: Catalog, actor: Actor, entity, values: dict) -> None:
    """Change an object; see `Catalog.update`."""
    catalog.lock(entity)
    before = _state(catalog, entity)
    catalog.update(entity, values)
    _record(catalog, actor, "change", entity, _differences(before, _state(catalog, entity)))


def delete_object(catalog: Catalog, actor: Actor, entity, reason: str = "") -> None:
    """Delete an object; see `Catalog.delete`."""
    kind, object_id, label = entity.__tablename__, entity.id, _label(catalog, entity)
    catalog.delete(entity, reason)
    change = {"reason": ["", reason]} if reason else {}
    record(catalog.session, actor, "delete", kind, object_id, label, change)


def _record(catalog: Catalog, actor: Actor, action: str, entity, change: dict) -> None:
    if change:
        label = _label(catalog, entity)
        record(catalog.session, actor, action, entity.__tablename__, entity.id, label, change)


def _differences(before: dict, after: dict) -> dict[str, list]:
    """Old and new value of what differs; of a new object, what it has."""
    changed = {field for field, value in after.items() if value != before.get(field)}
    if not before:
        changed -= {field for field, value in after.items() if value in (None, "", [], False)}
    return {
        field: [_plain(before.get(field)), _plain(after[field])]
        for field in after
        if field in changed - UNSAID
    }


def _state(catalog: Catalog, entity) -> dict:
    catalog.session.flush()
    return present(catalog.session, entity.__tablename__, entity.id)


def _label(catalog: Catalog, entity) -> str:
    model = type(entity)
    found = labelled(model).where(model.id == entity.id).execution_options(populate_existing=True)
    return str(reference_to(catalog.session.scalar(found)))


def _plain(value):
    """A value as a line of the log shows it; rows of a part become texts."""
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return [" ".join(f"{name} {part}" for name, part in each.items() if part != "") for each in value]
    return value
