"""Moving all references from one object of the catalog to another, found by foreign keys.

New tables are included automatically: their rows move to the kept object, except those that would violate a
unique constraint, which are deleted with the other object.
"""

from dataclasses import dataclass
from functools import cache

from sqlalchemy import PrimaryKeyConstraint, Table, UniqueConstraint, text
from sqlalchemy.orm import Session

from comicsdb.catalog import propagation
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.references import select_with_labels, to_reference
from comicsdb.catalog.service import Catalog
from comicsdb.models.base import metadata

SHOWN_MAX = 10  # objects per type of rows in a preview
NOT_MOVED = ("attribution",)  # tables whose rows are deleted with their owner
# Tables whose rows refer to one object of any kind; their other references are null.
SINGLE_OWNER_TABLES = ("attribution", "external_id", "favourite")


@dataclass(frozen=True)
class ForeignKeyReference:
    """A column that refers to a kind, and the other columns of each unique constraint that includes it."""

    table: Table
    column: str
    unique: tuple[tuple[str, ...], ...]

    @property
    def is_parent(self) -> bool:
        """Whether the rows are objects with pages."""
        return self.table.name in KINDS

    @property
    def other_side(self) -> tuple[str, str] | None:
        """The kind that the rows link the object to, with its column; None for rows that are not links."""
        if self.is_parent:
            return self.table.name, "id"
        if self.table.name in SINGLE_OWNER_TABLES:
            return None
        for column in self.table.columns:
            for key in column.foreign_keys:
                if key.column.table.name in KINDS and column.name != self.column:
                    return key.column.table.name, column.name
        return None

    @property
    def row_name(self) -> str:
        """The name of the rows: the kind at the other end of a link, else the table."""
        is_link = len(self.table.columns) == 2 and self.other_side
        return self.other_side[0] if is_link else self.table.name

    @property
    def conflict_condition(self) -> str:
        """The SQL condition, with the table alias t, that the kept object already has an equal row."""
        nullable = {column.name for column in self.table.columns if column.nullable}
        equal = {True: "IS NOT DISTINCT FROM", False: "="}
        same = (
            "".join(f" AND x.{column} {equal[column in nullable]} t.{column}" for column in columns)
            for columns in self.unique
        )
        found = (
            f"EXISTS (SELECT 1 FROM {self.table.name} x WHERE x.{self.column} = :kept{each})" for each in same
        )
        return " OR ".join(found) or "false"


@dataclass(frozen=True)
class MergeEffect:
    """The effect on one type of rows: numbers of rows moved and of rows the kept object has, and examples."""

    row_name: str
    moved: int
    combined: int
    shown: tuple = ()


@cache
def references_to_kind(kind: str) -> tuple[ForeignKeyReference, ...]:
    """All columns that refer to a kind, by table, except those of attributions."""
    found = []
    for table in sorted(metadata.tables.values(), key=lambda each: each.name):
        for key in sorted(table.foreign_key_constraints, key=lambda each: each.column_keys):
            if key.referred_table.name == kind and len(key.column_keys) == 1 and table.name not in NOT_MOVED:
                (column,) = key.column_keys
                found.append(ForeignKeyReference(table, column, tuple(_unique_with(table, column))))
    return tuple(found)


def _unique_with(table: Table, column: str):
    keys = [each for each in table.constraints if isinstance(each, UniqueConstraint | PrimaryKeyConstraint)]
    for rule in (*keys, *(index for index in table.indexes if index.unique)):
        names = [each.name for each in rule.columns]
        if column in names and "id" not in names:
            yield tuple(sorted(set(names) - {column}))


def preview_effects(session: Session, kind: str, kept: int, other: int) -> list[MergeEffect]:
    """Preview `move_references`, by type of rows."""
    found = []
    for reference in _without_mirrored_links(kind):
        table, column = reference.table.name, reference.column
        chosen = f"FROM {table} t WHERE t.{column} = :other{_exclude_mutual_link(reference, kind)}"
        numbers = session.execute(
            text(
                f"SELECT count(*) FILTER (WHERE NOT ({reference.conflict_condition})) AS moved,"
                f" count(*) FILTER (WHERE {reference.conflict_condition}) AS combined {chosen}"
            ),
            {"kept": kept, "other": other},
        ).one()
        if numbers.moved or numbers.combined:
            shown = ()
            if reference.other_side:
                target, their = reference.other_side
                ids = session.scalars(
                    text(f"SELECT t.{their} {chosen} ORDER BY t.{their} LIMIT {SHOWN_MAX}"),
                    {"kept": kept, "other": other},
                )
                shown = load_references(session, target, ids.all())
            found.append(MergeEffect(reference.row_name, numbers.moved, numbers.combined, shown))
    return found


def _without_mirrored_links(kind: str):
    """The references to a kind; only one direction of symmetric links, which are stored twice."""
    backwards = {(link.table.name, link.other) for link in KINDS[kind].links if link.symmetric}
    return [each for each in references_to_kind(kind) if (each.table.name, each.column) not in backwards]


def _exclude_mutual_link(reference: ForeignKeyReference, kind: str) -> str:
    """The condition that excludes a symmetric link between the two objects."""
    symmetric = {link.table.name for link in KINDS[kind].links if link.symmetric}
    return f" AND t.{reference.other_side[1]} <> :kept" if reference.table.name in symmetric else ""


def load_references(session: Session, kind: str, ids) -> tuple:
    """References to existing objects, including reference data, in the order of the ids."""
    model = KINDS[kind].model
    rows = session.scalars(select_with_labels(model).where(model.id.in_(ids)))
    found = {each.id: to_reference(each) for each in rows}
    return tuple(found[each] for each in ids if each in found)


def find_collisions(session: Session, kind: str, kept: int, other: int) -> list[tuple[str, int, int]]:
    """Pairs of objects that cannot both belong to the kept object: (kind, kept's id, other's id)."""
    found = []
    for reference in references_to_kind(kind):
        for columns in reference.unique if reference.is_parent else ():
            table, column = reference.table.name, reference.column
            same = " AND ".join(f"x.{each} = t.{each}" for each in columns)
            pairs = session.execute(
                text(
                    f"SELECT x.id, t.id FROM {table} t JOIN {table} x ON x.{column} = :kept AND {same}"
                    f" WHERE t.{column} = :other ORDER BY t.id"
                ),
                {"kept": kept, "other": other},
            )
            found += [(table, here, there) for here, there in pairs]
    return found


def move_references(catalog: Catalog, kind: str, kept: int, other: int) -> dict[str, set[int]]:
    """Move all references from `other` to `kept`; returns the moved objects with pages, by kind.

    Rows that the kept object already has are not moved, but roles of credits are added. Only the moved
    objects are recorded in the unit of work.
    """
    session, pair = catalog.session, {"kept": kept, "other": other}
    for link in KINDS[kind].links:
        if link.symmetric:  # an object cannot be linked to itself
            session.execute(
                text(
                    f"DELETE FROM {link.table.name} WHERE ({link.own}, {link.other})"
                    " IN ((:kept, :other), (:other, :kept))"
                ),
                pair,
            )
    moved: dict[str, set[int]] = {}
    for reference in references_to_kind(kind):
        table, column = reference.table.name, reference.column
        if table == "credit":
            merge_roles(session, reference, pair)
        if reference.is_parent:
            moved.setdefault(table, set()).update(move_objects(catalog, reference, pair))
        else:
            session.execute(
                text(
                    f"UPDATE {table} t SET {column} = :kept"
                    f" WHERE t.{column} = :other AND NOT ({reference.conflict_condition})"
                ),
                pair,
            )
    return {table: ids for table, ids in moved.items() if ids}


def move_objects(
    catalog: Catalog, reference: ForeignKeyReference, values: dict, condition: str = "true"
) -> set[int]:
    """Move objects that meet a condition to the kept parent, recorded as edits of them; returns their ids."""
    kind = reference.table.name
    authored = ", edited_by_id = :editor" if "edited_by_id" in reference.table.columns else ""
    statement = (
        f"UPDATE {kind} t SET {reference.column} = :kept{authored}"
        f" WHERE t.{reference.column} = :other AND {condition} RETURNING t.id"
    )
    moved = set(catalog.session.scalars(text(statement), values | {"editor": catalog.editor_id}))
    if moved:
        catalog.unit.record_saved(kind, moved)
        for event, columns in propagation.field_events(kind).items():
            if reference.column in columns:
                catalog.unit.record_event(event, moved)
    return moved


def merge_roles(
    session: Session, reference: ForeignKeyReference, pair: dict, condition: str = "true"
) -> None:
    """Add the roles of credits that both objects have to the kept one's credits, if `condition` holds."""
    own = reference.column
    (shared,) = (columns[0] for columns in reference.unique)
    session.execute(
        text(
            "WITH added AS ("
            "INSERT INTO credit_role (credit_id, role_id) SELECT mine.id, r.role_id FROM credit theirs"
            f" JOIN credit mine ON mine.{own} = :kept AND mine.{shared} = theirs.{shared}"
            " JOIN credit_role r ON r.credit_id = theirs.id"
            f" WHERE theirs.{own} = :other AND {condition} ON CONFLICT DO NOTHING RETURNING credit_id)"
            " UPDATE credit SET modified = clock_timestamp() WHERE id IN (SELECT credit_id FROM added)"
        ),
        pair,
    )
