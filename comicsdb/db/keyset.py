"""Places in an order: from where a page of a long list is reached without walking there from the beginning.

An order is a tuple of columns that makes it total, all of them ascending or all descending, unknown dates
last. A place is a list: how many rows stand before it, then the first values of the order there, as texts and
numbers. Rows with the same first values are found by counting, which reads one index of their table: issues
by series, say, of which there are far fewer. Within such a group rows are passed by.
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


def depth(order, table) -> int:
    """How many columns of an order a place in it has, of a list of rows of `table`.

    Those of another table that lead, or one date; a row for itself where all columns are of the table.
    """
    columns = [_plain(each)[0] for each in order]
    tables = [column.table.name for column in columns]
    if tables[0] == table.name and isinstance(columns[0].type, Date):
        return 1
    return next((n for n, name in enumerate(tables) if name != tables[0]), len(columns))


def from_place(order) -> ColumnElement[bool]:
    """The rows from a place on, with one value for each column of `order`, bound as `place_0` and so on."""
    columns = [_plain(each)[0] for each in order]
    wanted = [_wanted(column, f"place_{n}") for n, column in enumerate(columns)]
    reaches = operators.le if is_descending(order) else operators.ge
    return reaches(tuple_(*keys(order)), tuple_(*wanted))


def bound(place) -> dict:
    """The values of a place by the names that `from_place` binds."""
    return {f"place_{n}": value for n, value in enumerate(place[1:])}


def nearest(places: list, offset: int) -> list | None:
    """The last of the places of a survey that has no more than `offset` rows before it."""
    found = bisect_right(places, offset, key=lambda place: place[0])
    return places[found - 1] if found else None


def survey(table, conditions, order, step: int) -> Select:
    """One row: how many rows of `table` meet conditions on it, and as JSON places.

    They are those of every `step`-th row, the first one apart: of the group in which it stands.
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
    """The groups of a list: their values, the `number` of their rows, and `upto` which row of all they go."""
    alone = depth(order, table) == len(order)  # each row is a group
    order = order[: depth(order, table)]
    wanted, other = keys(order), _plain(order[0])[0].table
    rows, number = table, literal_column("1") if alone else func.count()
    if other.name != table.name:  # the rows are counted before anything is joined
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
