"""The unit of work: it records what a transaction changed in the catalog, and writes derived data.

It listens to the sessions of `db.session_factory`. Each flush records new and changed objects; the service
records links, parts and deletions, which are set-based statements. From these records, it writes in the same
transaction:

- in `propagate`: `modified` and the other stamps, of the changed rows and of those that the table in
  `propagation` touches; if these are very many, it only notes their ids (`late_stamps`);
- once, before the commit: history, the change log and the versions. They are written under the writers' lock,
  so the log is in commit order, and a version becomes visible together with its data.

Readers' ratings change figures of the catalog without this lock; see `UnitOfWork.record_ratings`.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, fields

from sqlalchemy import event, insert, inspect, select, text
from sqlalchemy.orm import Session, sessionmaker

from comicsdb.catalog import propagation
from comicsdb.catalog.history import change_log, snapshots
from comicsdb.catalog.kinds import KINDS
from comicsdb.log_lines import printable
from comicsdb.models.choices import Precision
from comicsdb.models.issue import Issue
from comicsdb.models.record import LateStamps

logger = logging.getLogger(__name__)

IMMEDIATE_MAX = 300  # other objects touched, up to which their stamps move in the same transaction
WRITE_LOCK = 7_240_412  # key of the writers' advisory lock, which also orders their commits
_LOCK = text("SELECT pg_advisory_xact_lock(:key)")
_STAMPS = (
    "modified",
    "modified_before",
    "issues_modified",
    "issues_modified_before",
    "name_changed",
    "rating_count",
    "rating_sum",
    "rated",
    "rated_before",
)

PICTURE_COLUMNS = ("image", "cover_hash")

# Tables with the pictures of a kind: (table, column with the object's id).
_PICTURES = {kind.name: [(kind.name, "id")] for kind in KINDS.values() if "image" in kind.scalars}
_PICTURES["issue"].append(("variant", "issue_id"))


def _ids() -> dict[str, set[int]]:
    return defaultdict(set)


@dataclass
class PendingChanges:
    """The recorded changes: `propagate` consumes the first group, the second group lasts until the commit."""

    events: dict[str, set[int]] = field(default_factory=_ids)
    saved: dict[str, set[int]] = field(default_factory=_ids)
    created: dict[str, set[int]] = field(default_factory=_ids)
    renamed: dict[str, set[int]] = field(default_factory=_ids)
    touched: dict[str, set[int]] = field(default_factory=_ids)  # rows to touch, found before a deletion
    # Rows whose issue list changed for another reason
    listing: dict[str, set[int]] = field(default_factory=_ids)
    rated: dict[str, set[int]] = field(default_factory=_ids)

    actions: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    affected: dict[str, set[int]] = field(default_factory=_ids)  # rows whose snapshot may have changed
    deleted: list = field(default_factory=list)  # (kind, id, action) of deleted rows
    outdated: set[str] = field(default_factory=set)  # kinds whose lists changed
    late: dict[str, set[int]] = field(default_factory=_ids)  # rows whose stamps move after the commit
    notes: list[int] = field(default_factory=list)  # ids of the `LateStamps` rows for these
    figures_changed: bool = False  # whether rating figures changed
    released_files: set[str] = field(default_factory=set)  # pictures that a row no longer uses
    retained_files: set[str] = field(default_factory=set)  # pictures that a row uses now
    log_lines: list[str] = field(default_factory=list)  # lines to log after the commit
    write_locked: bool = False  # a rollback to a savepoint releases locks taken since then
    locked: set[tuple[str, int]] = field(default_factory=set)  # rows locked by `Catalog.lock`

    @property
    def unpropagated(self) -> tuple[dict[str, set[int]], ...]:
        """The first group: ids by event or kind."""
        return self.events, self.saved, self.created, self.renamed, self.touched, self.listing, self.rated

    def copy(self) -> "PendingChanges":
        """A copy, to restore when a savepoint is rolled back."""
        return PendingChanges(**{each.name: _copied(getattr(self, each.name)) for each in fields(self)})


def _copied(value):
    copied = copy(value)
    if isinstance(value, dict):
        copied.update((key, each.copy()) for key, each in value.items())
    return copied


class UnitOfWork:
    """The unit of work of one session; see the module's docstring."""

    def __init__(self, session: Session):
        self.session = session
        self.actor_id: int | None = None
        self.actor_name = ""
        self.reason: str | None = None
        self.changes = PendingChanges()
        self.savepoints: dict = {}  # the changes at the start of each open savepoint

    @classmethod
    def of(cls, session: Session) -> "UnitOfWork":
        """The unit of work of a session."""
        if "catalog.unit" not in session.info:
            session.info["catalog.unit"] = cls(session)
        return session.info["catalog.unit"]

    def acquire_write_lock(self) -> None:
        """Wait for all other writers, and block them until the transaction ends.

        A write updates rows several links away. Without the lock, it would miss rows that others are adding
        there, and row locks could deadlock.
        """
        if not self.changes.write_locked:
            self.session.execute(_LOCK, {"key": WRITE_LOCK})
            self.changes.write_locked = True

    # Recording changes.

    def record_saved(self, kind: str, ids: set[int], action: str = "update") -> None:
        """Record that rows were created or updated; the `modified` of updated rows is then updated, too."""
        changes = self.changes
        for each in ids:
            changes.actions[kind].setdefault(each, action)
        (changes.created if action == "create" else changes.saved)[kind] |= ids

    def record_imported(self, kind: str, ids: set[int]) -> None:
        """Record that rows were created with given stamps; only history, log and versions are written."""
        for each in ids:
            self.changes.actions[kind].setdefault(each, "create")
        self.changes.outdated.add(kind)

    def record_event(self, event_name: str, ids: set[int]) -> None:
        """Record an event of the propagation table, with the ids of its rows."""
        if ids:
            self.changes.events[event_name] |= ids

    def record_part_change(self, owner: str, part: str, ids: set[int]) -> None:
        """Record that parts of rows changed, such as credits, variants or attributions."""
        self.record_event(f"{owner}.{part}", ids)
        self.changes.affected[owner] |= ids

    def record_link_change(self, owner: str, link, own_ids: set[int], other_ids: set[int]) -> None:
        """Record that links between `own_ids` and `other_ids` were added or removed."""
        touched = own_ids | other_ids if link.symmetric else own_ids
        self.record_part_change(owner, link.field, touched)
        if f"{owner}.{link.field}" in propagation.LINK_EVENTS:
            self.record_event(propagation.LINK_EVENTS[f"{owner}.{link.field}"], own_ids)
        if owner == "issue" and not link.symmetric:
            other = link.target.__tablename__
            self.record_event(f"{other}.issues", other_ids)
            if other in propagation.ISSUE_LIST_CONDITIONS:
                self.changes.listing[other] |= other_ids

    def record_first_years(self, series: set[int]) -> None:
        """Record that series got other first years, by which a trigger places their undated issues."""
        undated = select(Issue.id).where(
            Issue.series_id.in_(series),
            Issue.cover_date_precision == Precision.NONE,
            Issue.store_date.is_(None),
        )
        self.changes.affected["issue"].update(self.session.scalars(undated))

    def record_ratings(self, issues: set[int], series: Iterable[int] = ()) -> None:
        """Record that ratings of issues changed, or that rated issues of series were removed or added.

        Figures and `rated` will be updated, but not `modified`.
        """
        self.changes.rated["issue"] |= issues
        self.changes.rated["series"].update(series)

    def record_outdated(self, kind: str) -> None:
        """Record a write to rows that are not part of the catalog, but have a version as well."""
        self.changes.outdated.add(kind)

    def log_after_commit(self, action: str, kind: str, object_id: int, label: str) -> None:
        """Add a line to be logged after the commit."""
        self.changes.log_lines.append(f"{action}: {kind} {object_id} {printable(label)}")

    def log_picture_change(self, kind: str, object_id: int, label: str, before: dict, after: dict) -> None:
        """Add lines about changes of a picture and of its hash, if they differ."""
        was, now = before.get("image", ""), after.get("image", "")
        if "image" in after and was and was != now:
            self.log_after_commit("replace image" if now else "remove image", kind, object_id, label)
        if "cover_hash" in after and before.get("cover_hash", "") != after["cover_hash"]:
            self.log_after_commit("change hash", kind, object_id, label)

    def release_files(self, keys) -> None:
        """Delete the files of pictures that rows no longer use, after the commit."""
        self.changes.released_files.update(key for key in keys if key)

    def retain_files(self, keys) -> None:
        """Keep the files of pictures that rows use now, even if they are released as well."""
        self.changes.retained_files.update(key for key in keys if key)

    def before_deletion(self, to_delete: dict[str, set[int]], action: str, reason: str | None = None) -> None:
        """Record what can no longer be found after a deletion."""
        changes = self.changes
        for kind, ids in to_delete.items():
            events = dict.fromkeys(propagation.deletion_events(kind), ids)
            found = propagation.resolve(self.session, events)
            for other, others in found.items():
                changes.touched[other] |= others
                changes.affected[other] |= others
                if kind == "issue" and other in propagation.ISSUE_LIST_CONDITIONS:
                    changes.listing[other] |= others
            if kind == "issue":
                changes.rated["series"].update(
                    self.session.scalars(
                        text(
                            "SELECT DISTINCT series_id FROM issue WHERE id = ANY(:ids) AND rating_count > 0"
                        ),
                        {"ids": list(ids)},
                    )
                )
            for table, column in _PICTURES.get(kind, ()):
                pictures = text(f"SELECT image FROM {table} WHERE {column} = ANY(:ids)")
                self.release_files(self.session.scalars(pictures, {"ids": list(ids)}))
            changes.deleted += [(kind, each, action) for each in sorted(ids)]
            changes.outdated.add(kind)
        snapshots.record_deletions(self.session, to_delete, self.actor_id, reason or self.reason)

    def after_deletion(self, to_delete: dict[str, set[int]]) -> None:
        """Remove the rows from the recorded changes, after a deletion."""
        changes = self.changes
        for kind, ids in to_delete.items():
            for pending in changes.unpropagated:
                if kind in pending:
                    pending[kind] -= ids
            changes.affected[kind] -= ids
            for each in ids:
                changes.actions[kind].pop(each, None)

    # Writing derived data.

    def propagate(self) -> None:
        """Update the stamps of all rows that were changed or touched since the last call."""
        self.session.flush()
        changes = self.changes
        if not any(changes.unpropagated):
            return
        moved = propagation.resolve(self.session, changes.events)
        for kind, ids in changes.touched.items():
            moved[kind] |= ids
        self._postpone(moved)
        for kind, ids in changes.saved.items():
            moved[kind] |= ids
        for kind, ids in changes.created.items():
            moved[kind] -= ids  # new rows have current stamps already
        propagation.move_stamps(self.session, moved)
        for kind, ids in changes.renamed.items():
            propagation.move_name_stamp(self.session, kind, ids)
        listed = moved.get("issue", set()) | changes.created.get("issue", set())
        if listed or changes.listing:
            propagation.move_issue_list_stamps(self.session, listed, changes.listing)
        if changes.rated:
            self._refresh_rating_figures(changes.rated["issue"], changes.rated["series"])
        changes.outdated.update(kind for kind, ids in (*moved.items(), *changes.created.items()) if ids)
        for spent in changes.unpropagated:
            spent.clear()
        self.expire_stamps()

    def _postpone(self, moved: dict[str, set[int]]) -> None:
        """Postpone the stamps of touched rows, if there are very many of a kind, until after the commit."""
        changes = self.changes
        for kind, ids in moved.items():
            touched = ids - changes.saved.get(kind, set()) - changes.created.get(kind, set())
            if len(touched) > IMMEDIATE_MAX:
                ids.difference_update(touched)
                changes.late[kind] |= touched
                changes.outdated.add(kind)

    def _note_late_stamps(self) -> None:
        for kind, ids in self.changes.late.items():
            note = insert(LateStamps).values(kind=kind, ids=sorted(ids)).returning(LateStamps.id)
            self.changes.notes.append(self.session.scalar(note))

    def _refresh_rating_figures(self, issues: set[int], series: set[int]) -> None:
        if issues:
            propagation.refresh_issue_ratings(self.session, issues)
        if series:
            propagation.refresh_series_ratings(self.session, series)
        self.changes.figures_changed |= bool(series or issues)

    def finalize(self) -> None:
        """Write history, change log and versions, just before the commit."""
        self.propagate()
        changes = self.changes
        self._note_late_stamps()
        if changes.outdated or changes.actions or changes.affected:
            self.acquire_write_lock()
            change_log.append(self.session, changes, self.actor_id, self.reason)
        elif changes.figures_changed:
            self.session.execute(text("SELECT begin_epoch()"))
        else:
            return
        self.changes = PendingChanges(
            released_files=changes.released_files,
            retained_files=changes.retained_files,
            log_lines=changes.log_lines,
            notes=changes.notes,
            write_locked=changes.write_locked,
            locked=changes.locked,
        )

    def after_commit(self) -> None:
        """Write the log lines and delete released files, after the commit."""
        for line in self.changes.log_lines:
            extra = {"username": self.actor_name}
            logger.info("catalog %s (user=%s)", line, self.actor_name or "-", extra=extra)
        if "media" in self.session.info:  # otherwise, the sweep for orphans deletes the files
            self.session.info["media"].discard(
                sorted(self.changes.released_files - self.changes.retained_files)
            )

    def expire_stamps(self) -> None:
        """Expire the stamps of objects in the session, as SQL statements updated them."""
        for entity in self.session.identity_map.values():
            names = [name for name in _STAMPS if name in vars(entity)]
            if names and entity.__tablename__ in KINDS:
                self.session.expire(entity, names)


def _after_flush(session: Session, _context) -> None:
    """Record the objects that a flush created or changed."""
    unit = UnitOfWork.of(session)
    for entity in session.new:
        if entity.__tablename__ in KINDS:
            unit.record_saved(entity.__tablename__, {entity.id}, "create")
            unit.retain_files([getattr(entity, "image", "")])
            if isinstance(entity, Issue):
                _record_issue_saved(unit, {entity.series_id})
    for entity in session.dirty:
        kind = entity.__tablename__
        if kind in KINDS and session.is_modified(entity):
            unit.record_saved(kind, {entity.id})
            _record_changed_fields(unit, kind, entity)
    forbidden = [entity for entity in session.deleted if entity.__tablename__ in KINDS]
    if forbidden:
        raise RuntimeError(f"Delete {forbidden[0]!r} through the catalog: it keeps tombstone and history.")


def _record_changed_fields(unit: UnitOfWork, kind: str, entity) -> None:
    attributes = inspect(entity).attrs

    def changed(column: str) -> bool:
        return attributes[column].history.has_changes()

    for event_name, columns in propagation.field_events(kind).items():
        if any(changed(column) for column in columns):
            unit.record_event(event_name, {entity.id})
    if hasattr(entity, "name_changed") and changed("name"):
        unit.changes.renamed[kind].add(entity.id)
    if "image" in KINDS[kind].scalars:
        unit.release_files(attributes.image.history.deleted)
        unit.retain_files(attributes.image.history.added)
        columns = [column for column in PICTURE_COLUMNS if column in attributes]
        before, after = (
            {column: each[0] for column in columns if (each := getattr(attributes[column].history, way))}
            for way in ("deleted", "added")
        )
        unit.log_picture_change(kind, entity.id, log_label(entity), before, after)
    if isinstance(entity, Issue):
        series = {entity.series_id, *attributes.series_id.history.deleted}
        _record_issue_saved(unit, series)
        if len(series) > 1 and entity.rating_count:
            unit.changes.rated["series"] |= series


def log_label(entity) -> str:
    """The text that identifies an object in the log."""
    return entity.slug if isinstance(entity, Issue) else entity.name


def _record_issue_saved(unit: UnitOfWork, series: set[int]) -> None:
    unit.record_event("series.issues", series)
    unit.changes.listing["series"] |= series


def _before_commit(session: Session) -> None:
    if not session.in_nested_transaction():  # the event also fires for released savepoints
        UnitOfWork.of(session).finalize()


def _after_begin(session: Session, transaction) -> None:
    if transaction.nested:
        unit = UnitOfWork.of(session)
        unit.savepoints[transaction] = unit.changes.copy()


def _after_commit(session: Session) -> None:
    unit, savepoint = UnitOfWork.of(session), session.get_nested_transaction()
    if savepoint is not None:
        unit.savepoints.pop(savepoint, None)  # its changes become part of the transaction
    else:
        unit.after_commit()


def _after_end(session: Session, transaction) -> None:
    unit = UnitOfWork.of(session)
    if transaction.parent is None:
        unit.changes = PendingChanges()
    elif (before := unit.savepoints.pop(transaction, None)) is not None:  # it was rolled back
        unit.changes = before
        unit.expire_stamps()


def register_listeners(factory: sessionmaker[Session]) -> None:
    """Add the listeners of the unit of work to the sessions of a factory."""
    event.listen(factory, "after_flush", _after_flush)
    event.listen(factory, "before_commit", _before_commit)
    event.listen(factory, "after_transaction_create", _after_begin)
    event.listen(factory, "after_commit", _after_commit)
    event.listen(factory, "after_transaction_end", _after_end)
