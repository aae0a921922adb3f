"""Places in an order: where pages of a long list begin, as values that can be kept and looked up again.

An order is a tuple of columns that makes it total, all of them ascending or all descending, unknown dates
last. A place is what such an order says of the row that stands there, as texts and numbers. From it a page is
reached by an index, however many rows stand before it.
"""

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    DateTime,
    Select,
    String,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import UnaryExpression


def keys(order) -> list:
    """The values by which an order puts a row where it is; none is null, an unknown date is the last."""
    descending = is_descending(order)
    return [_key(_plain(each)[0], descending) for each in order]


def is_descending(order) -> bool:
    """Whether an order goes from the greatest to the least; raises ValueError for one that goes both ways."""
    ways = {_plain(each)[1] for each in order}
    if len(ways) > 1:
        raise ValueError("An order with places goes one way.")
    return ways.pop()


def from_place(order) -> ColumnElement[bool]:
    """The rows of an order from a place on, whose values are bound as `place_0`, `place_1` and so on.

    The columns of the first table are asked for once more by themselves: its index then leads there.
    """
    columns = [_plain(each)[0] for each in order]
    wanted = [_wanted(column, f"place_{n}") for n, column in enumerate(columns)]
    reaches = operators.le if is_descending(order) else operators.ge
    condition = reaches(tuple_(*keys(order)), tuple_(*wanted))
    tables = [getattr(getattr(column, "table", None), "name", None) for column in columns]
    leading = next((n for n, table in enumerate(tables) if table != tables[0]), len(columns))
    if leading < len(columns):
        condition = reaches(tuple_(*columns[:leading]), tuple_(*wanted[:leading])) & condition
    return condition


def bound(place) -> dict:
    """The values of a place by the names that `from_place` binds."""
    return {f"place_{n}": value for n, value in enumerate(place)}


def survey(rows: Select, order, step: int) -> Select:
    """One row: how many `rows` there are, and as JSON the places of each `step`-th of them after the first.

    `rows` is a statement of the list whose columns and order do not matter.
    """
    listed = rows.order_by(None).with_only_columns(
        func.row_number().over(order_by=order).label("number"),
        *(key.label(f"key_{n}") for n, key in enumerate(keys(order))),
        maintain_column_froms=True,
    )
    listed = listed.subquery("row")
    number, *columns = listed.c
    begins = (number % literal_column(str(step), BigInteger) == literal_column("1")) & (
        number > literal_column("1")
    )
    places = func.json_agg(aggregate_order_by(func.json_build_array(*columns), number)).filter(begins)
    listed_places = cast(func.coalesce(places, literal_column("'[]'")), Text)
    return select(func.count().label("count"), listed_places.label("places")).select_from(listed)


def _plain(each) -> tuple[ColumnElement, bool]:
    """The column of an expression of an order, and whether it descends."""
    column, descends = each, False
    if hasattr(column, "__clause_element__"):
        column = column.__clause_element__()
    while isinstance(column, UnaryExpression):
        descends = descends or column.modifier is operators.desc_op
        column = column.element
    return column, descends


def _key(column, descending: bool):
    if not (isinstance(column.type, Date) and column.nullable):
        return column
    last = literal_column(f"DATE '{'-' if descending else ''}infinity'")
    return func.coalesce(column, last, type_=Date)


def _wanted(column, name: str):
    if isinstance(column.type, Date | DateTime):
        return cast(bindparam(name, type_=Text), column.type)
    return bindparam(name, type_=Text if isinstance(column.type, String) else column.type)
