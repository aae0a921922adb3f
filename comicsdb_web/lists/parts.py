"""Parts of a page that are read with it by one statement: rows of other queries as JSON, single values."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, literal_column, select


@dataclass(frozen=True)
class Part:
    """A column of a page's statement. With `kind` its JSON describes objects of that kind."""

    column: ColumnElement
    kind: str | None = None


def constant(number: int) -> ColumnElement[int]:
    """A number within the SQL, so that the planner can use its value."""
    return literal_column(str(number))


def json_object(columns: Iterable[ColumnElement]) -> ColumnElement:
    """The columns as a JSON object by their names."""
    pairs = ((literal_column(f"'{column.key}'"), column) for column in columns)
    return func.json_build_object(*(each for pair in pairs for each in pair))


def rows_of(query: Select, *owners) -> ColumnElement:
    """The rows of a query about a row of each of `owners`, in its order, as a JSON list."""
    rows = query.correlate(*owners).subquery("item")
    found = func.coalesce(func.json_agg(literal_column("item")), literal_column("'[]'::json"))
    return select(found).select_from(rows).scalar_subquery()


def row_of(query: Select, *owners) -> ColumnElement:
    """The row of such a query as a JSON object; NULL for none."""
    row = query.correlate(*owners).subquery("item")
    return select(func.row_to_json(literal_column("item"))).select_from(row).scalar_subquery()


def many(kind: str, query: Select, *owners) -> Part:
    """The objects of a kind that a query finds, about a row of each of `owners`."""
    return Part(rows_of(query, *owners), kind)


def one(kind: str, query: Select, *owners) -> Part:
    """The object of a kind that such a query finds, if it finds one."""
    return Part(row_of(query, *owners), kind)
