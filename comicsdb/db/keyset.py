"""Keyset positions in long lists, which lead to a page without reading all rows before it.

An order is a tuple of columns that makes it total, all ascending or all descending, null dates last. A place
is a list: the number of rows before it, then the leading values of the order there, as strings and numbers.
Groups of rows with the same leading values are counted by a single index of their table: issues by series,
for instance, as there are far fewer series. Within a group, rows are skipped with OFFSET.
"""

from bisect import bisect_right

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


def sort_keys(order) -> list:
    """Return the sort keys of an order; none of them is null, as unknown dates become infinity."""
    descending = is_descending(order)
    return [_key(_column_of(each)[0], descending) for each in order]


def is_descending(order) -> bool:
    """Whether an order is descending; raises ValueError if it mixes directions."""
    ways = {_column_of(each)[1] for each in order}
    if len(ways) > 1:
        raise ValueError("An order with places must have a single direction.")
    return ways.pop()


def place_length(order, table) -> int:
    """Return how many columns of an order a place has, in a list of rows of `table`.

    These are the leading columns of another table, or a single date. If all columns belong to `table`, a
    place has all of them, and each row is a group of its own.
    """
    columns = [_column_of(each)[0] for each in order]
    tables = [column.table.name for column in columns]
    if tables[0] == table.name and isinstance(columns[0].type, Date):
        return 1
    return next((n for n, name in enumerate(tables) if name != tables[0]), len(columns))


def from_place(order) -> ColumnElement[bool]:
    """Return the condition for rows from a place on; its values are bound as `place_0` and so on."""
    return _compared(operators.le if is_descending(order) else operators.ge, order)


def after_place(order) -> ColumnElement[bool]:
    """Return the condition for rows after a place that has all columns of the order."""
    return _compared(operators.lt if is_descending(order) else operators.gt, order)


def _compared(operator, order) -> ColumnElement[bool]:
    columns = [_column_of(each)[0] for each in order]
    wanted = [_place_parameter(column, f"place_{n}") for n, column in enumerate(columns)]
    return operator(tuple_(*sort_keys(order)), tuple_(*wanted))


def place_values(place) -> dict:
    """Return the bind values of a place for the condition of `from_place`."""
    return {f"place_{n}": value for n, value in enumerate(place[1:])}


def nearest_place(places: list, offset: int) -> list | None:
    """Return the last of `places` with at most `offset` rows before it, or None."""
    found = bisect_right(places, offset, key=lambda place: place[0])
    return places[found - 1] if found else None


def select_places(table, conditions, order, step: int) -> Select:
    """Select one row: the number of rows of `table` that meet `conditions`, and places as JSON.

    The places are those of the groups that contain every `step`-th row, except the first.
    """
    counted = _counted(table, conditions, order)
    before = counted.c.upto - counted.c.number
    size = literal_column(str(step), BigInteger)
    one = literal_column("1")
    begins = (counted.c.upto - one) // size > (before - one) // size
    values = [column for column in counted.c if column.key.startswith("key_")]
    listed = func.json_agg(aggregate_order_by(func.json_build_array(before, *values), before)).filter(begins)
    return select(
        func.coalesce(func.max(counted.c.upto), literal_column("0")).label("count"),
        cast(func.coalesce(listed, literal_column("'[]'")), Text).label("places"),
    ).select_from(counted)


def _counted(table, conditions, order):
    """Return the groups of a list: their values, the `number` of their rows, and the last row, `upto`."""
    alone = place_length(order, table) == len(order)  # each row is a group
    order = order[: place_length(order, table)]
    wanted, other = sort_keys(order), _column_of(order[0])[0].table
    rows, number = table, literal_column("1") if alone else func.count()
    if other.name != table.name:  # count the rows before joining
        foreign = (key for key in table.foreign_keys if key.column.table.name == other.name)
        link = next(foreign).parent
        own = (
            select(link.label("link"), number.label("number"))
            .where(*conditions)
            .group_by(link)
            .subquery("own")
        )
        rows, number, conditions = own.join(other, other.c.id == own.c.link), func.sum(own.c.number), ()
    found = select(*(key.label(f"key_{n}") for n, key in enumerate(wanted)), number.label("number"))
    found = found.select_from(rows).where(*conditions)
    found = (found if alone else found.group_by(*wanted)).subquery("found")
    *values, number = found.c
    ways = [each.desc() if is_descending(order) else each for each in values]
    upto = cast(func.sum(number).over(order_by=ways), BigInteger).label("upto")
    return select(*values, cast(number, BigInteger).label("number"), upto).subquery("counted")


def _column_of(each) -> tuple[ColumnElement, bool]:
    """Return the column of an order's expression, and whether it is descending."""
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


def _place_parameter(column, name: str):
    if isinstance(column.type, Date | DateTime):
        return cast(bindparam(name, type_=Text), column.type)
    return bindparam(name, type_=Text if isinstance(column.type, String) else column.type)
