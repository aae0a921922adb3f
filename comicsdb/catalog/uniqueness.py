"""Unique sets of columns: the errors for their constraints, and a check of values before a write."""

from collections.abc import Iterable

from sqlalchemy import Column, Index, UniqueConstraint, select
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import ConflictError
from comicsdb.catalog.kinds import Kind
from comicsdb.models.base import metadata


def to_conflict(kind: Kind, table_name: str, name: str) -> ConflictError:
    """The conflict that the violation of a constraint or unique index stands for."""
    table = metadata.tables[table_name]
    rules = {rule.name: rule for rule in (*table.indexes, *table.constraints)}
    columns = [column.name for column in rules[name].columns] or ["name"]  # an index on lower(name)
    parents = {f"{field}_id": field for field in ("issue", "creator", *kind.parents)}
    return ConflictError(table.name, tuple(parents.get(column, column) for column in columns))


def find_conflicts(
    session: Session, kind: Kind, entity, columns: dict, *, besides: Iterable[int] = ()
) -> list[ConflictError]:
    """The conflicts that column values would cause, for a new object or a change of `entity`.

    Only unique sets that include a given value are checked, except the slug, which is adapted. Objects with
    the ids in `besides` are ignored.
    """
    table = kind.model.__table__
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
        others = select(table.c.id).where(*(table.c[name] == value for name, value in after.items()))
        if own := [*besides, *([entity.id] if entity is not None else ())]:
            others = others.where(table.c.id.not_in(own))
        if session.scalar(others.limit(1)) is not None:
            found.append(to_conflict(kind, table.name, rule.name))
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
