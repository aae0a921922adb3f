"""Selection of the fields in a body, by the parameters `fields` and `include`.

Only the expressions of selected fields become part of the statement, so PostgreSQL computes no others.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Case, ColumnElement

from comicsdb_api.resource import expressions
from comicsdb_api.resource.types import JsonList, JsonObject

FIELDS, INCLUDE = "fields", "include"  # parameters
ALL = "all"  # includes every field


@dataclass(frozen=True)
class FieldSelection:
    """The selected fields of a list's row, or of a detail (`detail`).

    `include` adds fields: those of the list, the detail and optional ones, in the detail's form. `fields`
    picks from all of them, by dotted names. Equal selections result in equal statements.
    """

    resource: type
    detail: bool = False
    fields: tuple[str, ...] = ()
    include: tuple[str, ...] = ()

    @property
    def expressions(self) -> dict[str, ColumnElement]:
        """The fields: name → SQL expression, in their usual order."""
        usual = self._default_fields
        if not (self.fields or self.include):
            return usual
        rich = all_fields(self.resource)
        every = usual | rich
        included = every if ALL in self.include else self.include
        found = {
            name: rich[name] if name in included else usual[name]
            for name in every
            if name in usual or name in included
        }
        if not self.fields:
            return found
        asked = _group_by_first(self.fields)
        return {
            name: _prune(_sufficient_form(asked[name], found.get(name), rich[name]), asked[name])
            for name in every
            if name in asked
        }

    @property
    def is_default(self) -> bool:
        """Whether all fields have their default form, so that the usual validators cover them."""
        if self.detail or not (self.fields or self.include):
            return True
        known = dotted_names(self._default_fields)
        return not self.include and all(name in known for name in self.fields)

    @property
    def source(self):
        """The tables that the expressions read."""
        return (
            self.resource.row_source()
            if self.is_default and not self.detail
            else self.resource.detail_source()
        )

    @property
    def _default_fields(self) -> dict[str, ColumnElement]:
        return default_fields(self.resource, self.detail)


def parse_names(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Comma-separated names, sorted; raises ValueError if some are unknown."""
    names = {name for name in (each.strip() for each in text.split(",")) if name}
    unknown = sorted(names.difference(known))
    if unknown:
        raise ValueError(f"Unknown: {', '.join(unknown)}. Known: {', '.join(known)}.")
    return tuple(sorted(names))


@lru_cache
def selectable_names(resource: type) -> dict[str, tuple[str, ...]]:
    """The names that `fields` and `include` accept."""
    every = all_fields(resource)
    return {FIELDS: tuple(dotted_names(every)), INCLUDE: (ALL, *every)}


@lru_cache
def default_fields(resource: type, detail: bool) -> dict[str, ColumnElement]:
    """The fields that a detail or a row has by default; built once for all statements."""
    return resource.detail_fields() if detail else resource.row_fields()


@lru_cache
def all_fields(resource: type) -> dict[str, ColumnElement]:
    """All fields that can be selected; those that list and detail share are in the detail's form."""
    return default_fields(resource, False) | default_fields(resource, True) | resource.optional_fields()


def dotted_names(fields: dict[str, ColumnElement]) -> list[str]:
    """The names of fields and, after a dot, of the fields in them."""
    found = []
    for name, expression in fields.items():
        found += [name, *(f"{name}.{each}" for each in dotted_names(_nested_fields(expression)))]
    return found


def _nested_fields(expression: ColumnElement) -> dict[str, ColumnElement]:
    match expression.type:
        case JsonList():
            return _nested_fields(expression.type.element)
        case JsonObject():
            return expression.type.fields
    return {}


def _group_by_first(names: Iterable[str]) -> dict[str, list[str]]:
    """The remainders of dotted names by their first part; "" means the whole field."""
    found: dict[str, list[str]] = {}
    for name in names:
        first, _, rest = name.partition(".")
        found.setdefault(first, []).append(rest)
    return found


def _sufficient_form(rests: list[str], usual: ColumnElement | None, rich: ColumnElement) -> ColumnElement:
    """The usual form of a field if it has everything that is selected, else that of the detail."""
    if usual is None:
        return rich
    known = {"", *dotted_names(_nested_fields(usual))}
    return usual if known.issuperset(rests) else rich


def _prune(expression: ColumnElement, rests: list[str]) -> ColumnElement:
    """The expression with only these parts of its object, or of each object in its list."""
    if "" in rests:
        return expression
    if isinstance(expression.type, JsonList):
        return expression.type.rebuild(_prune(expression.type.element, rests))
    if isinstance(expression, Case):  # an object or null
        ((condition, value),) = expression.whens
        return expressions.value_or_null(condition, _prune(value, rests))
    asked = _group_by_first(rests)
    parts = expression.type.fields.items()
    return expressions.json_object(
        "", **{name: _prune(part, asked[name]) for name, part in parts if name in asked}
    )
