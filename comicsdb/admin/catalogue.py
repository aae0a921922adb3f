"""Actions of the staff on the catalogue, each with an entry in the audit log."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from comicsdb.admin.audit_log import Actor, record
from comicsdb.catalog import Catalog, NotFoundError
from comicsdb.catalog.history.snapshots import present
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import bulk, pieces, repair, repair_slugs
from comicsdb.catalog.maintenance.bulk import Executives, Outcome
from comicsdb.catalog.maintenance.merge import Preview, merge
from comicsdb.catalog.maintenance.move import move_publisher
from comicsdb.catalog.references import labelled, reference_to
from comicsdb.i18n import ngettext
from comicsdb.models import Imprint, Issue, Series
from comicsdb.values import whole_number

# Fields that are left out of the log.
UNLOGGED = {"image_width", "image_height", "cover_hash"}


def find(catalog: Catalog, kind: str, key: int | str):
    """The object with an id or a slug, with what its label needs.

    Raises NotFoundError, GoneError or MovedError.
    """
    model = KINDS[kind].model
    number = whole_number(str(key))
    found = catalog.by_slug(model, str(key)) if number is None else catalog.get(model, number)
    shown = catalog.session.scalar(labelled(model).where(model.id == found.id))
    if shown is None:
        raise NotFoundError(kind, key)
    return shown


def merge_objects(catalog: Catalog, actor: Actor, canonical, other, reason: str = "") -> Preview:
    """Merge two objects of one kind; see `merge.merge`."""
    kind, kept, gone = canonical.__tablename__, _named(canonical), _named(other)
    done = merge(catalog, canonical, other, reason, in_pieces=True)
    _record_change(
        catalog, actor, "merge", kind, (canonical.id, kept), merged=[gone, kept], reason=["", reason]
    )
    return done


def move(
    catalog: Catalog, actor: Actor, publisher, parent, *, with_children: bool = False, reason: str = ""
) -> Imprint:
    """Make a publisher an imprint of another; see `move.move_publisher`."""
    target, below = (publisher.id, _named(publisher)), _named(parent)
    imprint = move_publisher(catalog, publisher, parent, with_children=with_children, reason=reason)
    became = f"{_named(imprint)}, {below}"
    _record_change(catalog, actor, "move", "publisher", target, imprint=["", became], reason=["", reason])
    return imprint


def fix_start_year(catalog: Catalog, actor: Actor, series, year: int) -> dict[str, tuple[str, str]]:
    """Correct the first year of a series, and its addresses; see `repair_slugs.fix_start_year`."""
    target, before = (series.id, _named(series)), series.year_began
    changed = repair_slugs.fix_start_year(catalog, series, year)
    _record_change(
        catalog, actor, "repair", "series", target, year_began=[before, year], slugs=["", len(changed)]
    )
    return changed


def rebuild_slugs(catalog: Catalog, actor: Actor, series) -> dict[str, tuple[str, str]]:
    """Rebuild the slugs of a series' issues; see `repair_slugs.rebuild_issue_slugs`."""
    target = (series.id, _named(series))
    changed = repair_slugs.rebuild_issue_slugs(catalog, series)
    _record_change(catalog, actor, "repair", "series", target, slugs=["", len(changed)])
    return changed


def copy_credits(catalog: Catalog, actor: Actor, source, targets) -> dict[int, int]:
    """Copy the credits of an issue to others; see `repair.copy_credits`."""
    target = (source.id, _named(source))
    copied = repair.copy_credits(catalog, source, targets)
    _record_change(
        catalog,
        actor,
        "repair",
        "issue",
        target,
        credits=["", [f"{n}: issue {i}" for i, n in copied.items()]],
    )
    return copied


def add_universe(catalog: Catalog, actor: Actor, series, universe, *, characters: bool) -> dict[str, int]:
    """Put the issues of a series into a universe; see `repair.add_universe`."""
    target, added_to = (series.id, _named(series)), _named(universe)
    added = repair.add_universe(catalog, series, universe, characters=characters)
    _record_change(catalog, actor, "repair", "series", target, universe=["", added_to], **_numbers(added))
    return added


def repair_anthology(
    catalog: Catalog, actor: Actor, series, *, roles: bool, descriptions: bool
) -> dict[str, int]:
    """Repair credits and descriptions of an old anthology; see `repair.repair_anthology`."""
    target = (series.id, _named(series))
    found = repair.repair_anthology(catalog, series, roles=roles, descriptions=descriptions)
    _record_change(catalog, actor, "repair", "series", target, **_numbers(found))
    return found


def _named(entity) -> str:
    return f"{entity.label} ({entity.id})"


def _numbers(found: dict[str, int]) -> dict[str, list]:
    return {name: ["", number] for name, number in found.items() if number}


def _record_change(
    catalog: Catalog, actor: Actor, action: str, kind: str, target: tuple[int, str], **change
) -> None:
    """Write an entry; pairs of empty values are left out."""
    said = {name: pair for name, pair in change.items() if any(pair)}
    record(catalog.session, actor, action, kind, *target, said)


def create_object(catalog: Catalog, actor: Actor, model, values: dict):
    """Create an object; see `Catalog.create`."""
    entity = catalog.create(model, values)
    _record_edit(catalog, actor, "create", entity, _differences({}, _state(catalog, entity)))
    return entity


def change_object(catalog: Catalog, actor: Actor, entity, values: dict) -> None:
    """Change an object; see `Catalog.update`."""
    catalog.lock(entity)
    before = _state(catalog, entity)
    catalog.update(entity, values)
    _record_edit(catalog, actor, "change", entity, _differences(before, _state(catalog, entity)))


def delete_object(catalog: Catalog, actor: Actor, entity, reason: str = "") -> None:
    """Delete an object; see `Catalog.delete`."""
    kind, object_id, label = entity.__tablename__, entity.id, _label(catalog, entity)
    pieces.delete_below(catalog, entity, reason, audited=True)
    catalog.delete(entity, reason)
    change = {"reason": ["", reason]} if reason else {}
    record(catalog.session, actor, "delete", kind, object_id, label, change)


def _record_edit(catalog: Catalog, actor: Actor, action: str, entity, change: dict) -> None:
    if change:
        label = _label(catalog, entity)
        record(catalog.session, actor, action, entity.__tablename__, entity.id, label, change)


def _differences(before: dict, after: dict) -> dict[str, list]:
    """Old and new values of fields that differ; of a new object its non-empty fields."""
    changed = {field for field, value in after.items() if value != before.get(field)}
    if not before:
        changed -= {field for field, value in after.items() if value in (None, "", [], False)}
    return {
        field: [_plain(before.get(field)), _plain(after[field])]
        for field in after
        if field in changed - UNLOGGED
    }


def _state(catalog: Catalog, entity) -> dict:
    catalog.session.flush()
    return present(catalog.session, entity.__tablename__, entity.id)


def _label(catalog: Catalog, entity) -> str:
    model = type(entity)
    found = labelled(model).where(model.id == entity.id).execution_options(populate_existing=True)
    return str(reference_to(catalog.session.scalar(found)))


def _plain(value):
    """A value as the log shows it; rows of a part become texts."""
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return [" ".join(f"{name} {part}" for name, part in each.items() if part != "") for each in value]
    return value


def rate_teen(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Rate issues Teen that are rated Unknown; see `bulk.set_teen`."""
    return _record_outcome(catalog, actor, Issue, "rate teen", bulk.set_teen(catalog, ids))


def remove_covers(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Remove covers; see `bulk.remove_covers`."""
    return _record_outcome(catalog, actor, Issue, "remove covers", bulk.remove_covers(catalog, ids))


def add_executives(catalog: Catalog, actor: Actor, ids: Iterable[int], executives: Executives) -> Outcome:
    """Add the standing credits of publishers; see `bulk.add_executives`."""
    outcome = bulk.add_executives(catalog, ids, executives)
    return _record_outcome(catalog, actor, Issue, "add executives", outcome)


def take_from_reprints(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Copy contents from reprinted issues; see `bulk.take_from_reprints`."""
    return _record_outcome(catalog, actor, Issue, "take from reprints", bulk.take_from_reprints(catalog, ids))


def rebuild_many_slugs(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Rebuild the slugs of the issues of series; see `bulk.rebuild_slugs`."""
    return _record_outcome(catalog, actor, Series, "rebuild slugs", bulk.rebuild_slugs(catalog, ids))


def delete_objects(catalog: Catalog, actor: Actor, model, ids: Iterable[int], reason: str = "") -> Outcome:
    """Delete objects of one kind; see `bulk.delete`."""

    def log(session: Session, done: Outcome) -> None:
        _log_outcome(session, actor, model, "delete", done, reason)

    return bulk.delete(catalog, model, ids, reason, log)


def _record_outcome(catalog: Catalog, actor: Actor, model, action: str, done: Outcome) -> Outcome:
    """Write an entry if anything was changed; returns the outcome."""
    if done.changed:
        _log_outcome(catalog.session, actor, model, action, done)
    return done


def _log_outcome(session: Session, actor: Actor, model, action: str, done: Outcome, reason: str = "") -> None:
    change = {"objects": ["", list(done.changed)]} | ({"reason": ["", reason]} if reason else {})
    target = str(ngettext("${n} object", "${n} objects", len(done.changed)))
    record(session, actor, action, model.__tablename__, None, target, change)
