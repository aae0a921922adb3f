"""Results of subqueries as JSON columns, so that one statement reads everything a page shows."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, literal_column, select


@dataclass(frozen=True)
class PageColumn:
    """A column of the statement of a page; with `kind` its JSON describes objects of that kind."""

    column: ColumnElement
    kind: str | None = None


def constant(number: int) -> ColumnElement[int]:
    """A number as a literal in the SQL, so that the planner can use its value."""
    return literal_column(str(number))


def json_object(columns: Iterable[ColumnElement]) -> ColumnElement:
    """The columns as a JSON object by their names."""
    pairs = ((literal_column(f"'{column.key}'"), column) for column in columns)
    return func.json_build_object(*(each for pair in pairs for each in pair))


def rows_of(query: Select, *owners) -> ColumnElement:
    """The rows of a query as a JSON list, in its order; the query is correlated to `owners`."""
    rows = query.correlate(*owners).subquery("item")
    found = func.coalesce(func.json_agg(literal_column("item")), literal_column("'[]'::json"))
    return select(found).select_from(rows).scalar_subquery()


def row_of(query: Select, *owners) -> ColumnElement:
    """The row of a query as a JSON object, NULL without one; the query is correlated to `owners`."""
    row = query.correlate(*owners).subquery("item")
    return select(func.row_to_json(literal_column("item"))).select_from(row).scalar_subquery()


def object_list(kind: str, query: Select, *owners) -> PageColumn:
    """The objects of a kind that a query selects."""
    return PageColumn(rows_of(query, *owners), kind)


def object_or_null(kind: str, query: Select, *owners) -> PageColumn:
    """The object of a kind that a query selects, NULL if there is none."""
    return PageColumn(row_of(query, *owners), kind)
