"""Unique sets of columns: the errors for their constraints, and a check of values before a write."""

from collections.abc import Iterable

from sqlalchemy import Column, ColumnElement, Index, String, UniqueConstraint, cast, select
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import ConflictError
from comicsdb.catalog.kinds import Kind
from comicsdb.issue_numbers import number_key
from comicsdb.models.base import metadata


def to_conflict(kind: Kind, table_name: str, name: str, holder: str | None = None) -> ConflictError:
    """The conflict that the violation of a constraint or unique index stands for."""
    table = metadata.tables[table_name]
    rules = {rule.name: rule for rule in (*table.indexes, *table.constraints)}
    columns = [column.name for column in rules[name].columns] or ["name"]  # an index on lower(name)
    fields = {f"{field}_id": field for field in ("issue", "creator", *kind.parents)} | {
        "number_key": "number"
    }
    return ConflictError(table.name, tuple(fields.get(column, column) for column in columns), holder)


def holds(kind: Kind, fields: Iterable[str], values: dict) -> list[ColumnElement[bool]]:
    """The conditions on the object that already has the values of the unique `fields` of a conflict."""
    columns = kind.model.__table__.c
    return [
        columns.number_key == number_key(values[field])
        if field == "number" and "number_key" in columns
        else columns[f"{field}_id" if field in kind.parents else field] == values.get(field)
        for field in fields
    ]


def find_conflicts(
    session: Session, kind: Kind, entity, columns: dict, *, besides: Iterable[int] = ()
) -> list[ConflictError]:
    """The conflicts that column values would cause, for a new object or a change of `entity`.

    Only unique sets that include a given value are checked, except the slug, which is adapted. Objects with
    the ids in `besides` are ignored.
    """
    table = kind.model.__table__
    if "number_key" in table.c and "number" in columns:
        columns = columns | {"number_key": number_key(columns["number"])}
    found = []
    for rule in sorted(_unique_sets(table), key=lambda rule: str(rule.name)):
        after = {
            column.name: columns[column.name]
            if column.name in columns
            else getattr(entity, column.name, column.default and column.default.arg)
            for column in rule.columns
        }
        if not set(after) & set(columns) or None in after.values():
            continue
        shown = table.c.slug if "slug" in table.c else table.c.id
        others = select(cast(shown, String)).where(*(table.c[name] == value for name, value in after.items()))
        if own := [*besides, *([entity.id] if entity is not None else ())]:
            others = others.where(table.c.id.not_in(own))
        if (holder := session.scalar(others.limit(1))) is not None:
            found.append(to_conflict(kind, table.name, rule.name, holder))
    return found


def _unique_sets(table):
    """The unique constraints and indexes of a table that consist of columns only, without the slug."""
    unique = [rule for rule in table.constraints if isinstance(rule, UniqueConstraint)]
    unique += [rule for rule in table.indexes if isinstance(rule, Index) and rule.unique]
    return [
        rule
        for rule in unique
        if rule.columns
        and all(isinstance(column, Column) for column in rule.columns)
        and "slug" not in rule.columns
    ]
