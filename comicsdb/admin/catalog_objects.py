"""Actions of staff on the catalog, each with an entry in the audit log."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy.orm import Session

from comicsdb.audit_log import Actor, record
from comicsdb.catalog import Catalog, NotFoundError
from comicsdb.catalog.history.snapshots import current_snapshot
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import bulk, pieces, repair, repair_slugs
from comicsdb.catalog.maintenance.bulk import BulkResult, Executives
from comicsdb.catalog.maintenance.merge import merge, merge_reason, preview_merge, raise_problems
from comicsdb.catalog.maintenance.move import move_publisher
from comicsdb.catalog.references import select_with_labels, to_reference
from comicsdb.i18n import ngettext
from comicsdb.models import Imprint, Issue, Series
from comicsdb.values import whole_number

Slugs = dict[int, tuple[str, str]]  # by id: the former slug and the new one

# Fields that are left out of the audit log.
UNLOGGED = {"image_width", "image_height", "cover_hash"}


def find(catalog: Catalog, kind: str, key: int | str):
    """The object with an id or a slug, loaded with the data for its label.

    Raises NotFoundError, GoneError or MovedError.
    """
    model = KINDS[kind].model
    number = whole_number(str(key))
    found = catalog.by_slug(model, str(key)) if number is None else catalog.get(model, number)
    shown = catalog.session.scalar(select_with_labels(model).where(model.id == found.id))
    if shown is None:
        raise NotFoundError(kind, key)
    return shown


def merge_objects(catalog: Catalog, actor: Actor, canonical, other, reason: str = "") -> bool:
    """Merge two objects of one kind (see `merge.merge`); returns False if it is left for after the commit."""
    raise_problems(preview_merge(catalog.session, canonical, other).problems)
    said = merge_reason(catalog, canonical, other, reason)
    if pieces.postpone_merge(catalog, canonical, other, said):
        return False
    merge_now(catalog, actor, canonical, other, reason)
    return True


def merge_now(catalog: Catalog, actor: Actor, canonical, other, reason: str) -> None:
    """Merge two objects in the session's current transaction."""
    kind, kept, gone = canonical.__tablename__, _named(canonical), _named(other)
    merge(catalog, canonical, other, reason)
    _record_change(
        catalog, actor, "merge", kind, (canonical.id, kept), merged=[gone, kept], reason=["", reason]
    )


def move(
    catalog: Catalog, actor: Actor, publisher, parent, *, with_children: bool = False, reason: str = ""
) -> Imprint:
    """Make a publisher an imprint of another; see `move.move_publisher`."""
    target, below = (publisher.id, _named(publisher)), _named(parent)
    imprint = move_publisher(catalog, publisher, parent, with_children=with_children, reason=reason)
    became = f"{_named(imprint)}, {below}"
    _record_change(catalog, actor, "move", "publisher", target, imprint=["", became], reason=["", reason])
    return imprint


def fix_start_year(
    catalog: Catalog, actor: Actor, series, year: int, *, at_once: bool = False
) -> tuple[Slugs, Slugs | None]:
    """Correct the first year of a series, and the slugs that contain it; see `repair_slugs`.

    Returns the changed slugs of the series and of its issues, the latter as `rebuild_slugs` does.
    """
    target, before = _named(series), series.year_began
    own = repair_slugs.fix_start_year(catalog, series, year)
    entry = {"target": target, "change": {"year_began": [before, year]}}
    return own, _rebuild_slugs(catalog, actor, series, entry, len(own), at_once=at_once)


def rebuild_slugs(catalog: Catalog, actor: Actor, series, *, at_once: bool = False) -> Slugs | None:
    """Rebuild the slugs of a series' issues (see `repair_slugs`); returns {id: (old, new)} of changed ones.

    Returns None if there are many issues, which are then postponed until after the commit, unless `at_once`.
    """
    entry = {"target": _named(series), "change": {}}
    return _rebuild_slugs(catalog, actor, series, entry, 0, at_once=at_once)


def _rebuild_slugs(
    catalog: Catalog, actor: Actor, series, entry: dict, number: int, *, at_once: bool
) -> Slugs | None:
    issues = repair_slugs.issue_ids_of_series(catalog.session, [series.id])
    entry |= {"action": "repair", "target_id": series.id}
    if len(issues) > pieces.IMMEDIATE_MAX and not at_once:
        _postpone(catalog, "repair slugs", "series", issues, entry, result={"slugs": number})
        return None
    changed = repair_slugs.rebuild_issue_slugs(catalog, issues)
    write_entry(catalog.session, actor, "series", entry, {"slugs": number + len(changed)})
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


def add_universe(
    catalog: Catalog, actor: Actor, series, universe, *, characters: bool, at_once: bool = False
) -> dict[str, int] | None:
    """Put the issues of a series into a universe; see `repair.add_universe` and `rebuild_slugs`."""
    values = {"universe": universe.id, "characters": characters}
    change = {"universe": ["", _named(universe)]}
    return _repair(catalog, actor, series, ("add universe", values), change, at_once=at_once)


def repair_anthology(
    catalog: Catalog, actor: Actor, series, *, roles: bool, descriptions: bool, at_once: bool = False
) -> dict[str, int] | None:
    """Repair credits and descriptions of an old anthology; see `repair.repair_anthology`."""
    values = {"roles": roles, "descriptions": descriptions}
    return _repair(catalog, actor, series, ("repair anthology", values), {}, at_once=at_once)


REPAIRS = {"add universe": repair.add_universe, "repair anthology": repair.repair_anthology}


def _repair(
    catalog: Catalog, actor: Actor, series, act: tuple[str, dict], change: dict, *, at_once: bool
) -> dict[str, int] | None:
    (name, values), issues = act, repair_slugs.issue_ids_of_series(catalog.session, [series.id])
    entry = {"action": "repair", "target_id": series.id, "target": _named(series), "change": change}
    if len(issues) > pieces.IMMEDIATE_MAX and not at_once:
        _postpone(catalog, name, "series", issues, entry, values)
        return None
    found = REPAIRS[name](catalog, issues, **values)
    write_entry(catalog.session, actor, "series", entry, found)
    return found


def _postpone(
    catalog: Catalog, act: str, kind: str, issues: list[int], entry: dict, values=None, result=None
) -> None:
    """Postpone an act on issues until after the commit; `kind` is that of the entry in the audit log."""
    arguments = {"values": values or {}, "entry": entry, "of": kind}
    pieces.postpone(catalog, act, "issue", issues, catalog.unit.reason or "", result, **arguments)


def write_entry(session: Session, actor: Actor, kind: str, entry: dict, result: dict) -> None:
    """Write an act's entry in the audit log, from the prepared `entry` and the `result` of the act."""
    change = {name: pair for name, pair in entry["change"].items() if any(pair)}
    change |= {name: ["", value] for name, value in result.items() if value}
    target = entry["target"]
    if entry["target_id"] is None:
        target = str(ngettext("${n} object", "${n} objects", len(result["objects"])))
    record(session, actor, entry["action"], kind, entry["target_id"], target, change)


def _named(entity) -> str:
    return f"{entity.label} ({entity.id})"


def _record_change(
    catalog: Catalog, actor: Actor, action: str, kind: str, target: tuple[int, str], **change
) -> None:
    """Write an audit log entry; pairs of empty values are left out."""
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


def delete_object(catalog: Catalog, actor: Actor, entity, reason: str = "") -> bool:
    """Delete an object (see `Catalog.delete`); returns False if that is postponed until after the commit."""
    kind, change = entity.__tablename__, {"reason": ["", reason]} if reason else {}
    entry = {"action": "delete", "target_id": entity.id, "target": _label(catalog, entity), "change": change}
    if pieces.postpone_deletion(catalog, kind, {entity.id}, reason, entry=entry):
        return False
    catalog.delete(entity, reason)
    write_entry(catalog.session, actor, kind, entry, {})
    return True


def _record_edit(catalog: Catalog, actor: Actor, action: str, entity, change: dict) -> None:
    if change:
        label = _label(catalog, entity)
        record(catalog.session, actor, action, entity.__tablename__, entity.id, label, change)


def _differences(before: dict, after: dict) -> dict[str, list]:
    """Old and new values of the fields that differ; for a new object, its non-empty fields."""
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
    return current_snapshot(catalog.session, entity.__tablename__, entity.id)


def _label(catalog: Catalog, entity) -> str:
    model = type(entity)
    found = select_with_labels(model).where(model.id == entity.id).execution_options(populate_existing=True)
    return str(to_reference(catalog.session.scalar(found)))


def _plain(value):
    """A value as the audit log shows it; rows of a part become texts."""
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return [" ".join(f"{name} {part}" for name, part in each.items() if part != "") for each in value]
    return value


# Acts on selected objects, by their names in the audit log.
BULK_ACTS = {
    "rate teen": bulk.set_teen,
    "remove covers": bulk.remove_covers,
    "add executives": bulk.add_executives,
    "take from reprints": bulk.copy_from_reprints,
    "rebuild slugs": bulk.rebuild_slugs,
}


def edit_issues(catalog: Catalog, actor: Actor, ids: Iterable[int], act: str) -> BulkResult:
    """Run an act on issues that needs no further values; see BULK_ACTS."""
    return _bulk(catalog, actor, act, bulk.validate_selection(catalog, Issue, ids))


def add_executives(catalog: Catalog, actor: Actor, ids: Iterable[int], executives: Executives) -> BulkResult:
    """Add the standing credits of publishers; see `bulk.add_executives`."""
    chosen = bulk.validate_selection(catalog, Issue, ids)
    return _bulk(catalog, actor, "add executives", chosen, executives=dict(executives))


def rebuild_many_slugs(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> BulkResult:
    """Rebuild the slugs of the issues of series; see `bulk.rebuild_slugs`."""
    chosen = bulk.validate_selection(catalog, Series, ids)
    issues = repair_slugs.issue_ids_of_series(catalog.session, chosen)
    done = _bulk(catalog, actor, "rebuild slugs", issues, "series")
    if done.postponed:
        return replace(done, changed=tuple(chosen))
    return replace(done, unchanged=len(chosen) - len(done.changed))


def delete_objects(catalog: Catalog, actor: Actor, model, ids: Iterable[int], reason: str = "") -> BulkResult:
    """Delete objects of one kind; see `bulk.delete`."""
    kind, chosen = model.__tablename__, bulk.validate_selection(catalog, model, ids)
    change = {"reason": ["", reason]} if reason else {}
    entry = {"action": "delete", "target_id": None, "target": "", "change": change}
    if not KINDS[kind].is_reference and pieces.postpone_deletion(
        catalog, kind, set(chosen), reason, entry=entry
    ):
        return BulkResult(tuple(chosen), postponed=True)
    done = bulk.delete(catalog, chosen, kind, reason)
    write_entry(catalog.session, actor, kind, entry, {"objects": list(done.changed)})
    return done


def _bulk(
    catalog: Catalog, actor: Actor, act: str, issues: list[int], kind: str = "issue", **values
) -> BulkResult:
    """Run an act on issues, with an entry if it changes any; many issues are left for after the commit."""
    write = BULK_ACTS[act]
    entry = {"action": act, "target_id": None, "target": "", "change": {}}
    if len(issues) > pieces.IMMEDIATE_MAX:
        write(catalog, [], **values)  # raises errors that would prevent the whole act
        _postpone(catalog, act, kind, issues, entry, values)
        return BulkResult(tuple(issues), postponed=True)
    done = write(catalog, issues, **values)
    if done.changed:
        write_entry(catalog.session, actor, kind, entry, {"objects": list(done.changed)})
    return done
