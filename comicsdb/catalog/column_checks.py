"""Checks whether a column can store a value, by its type, length and range.

Schemas of API and site check first and in more detail; these checks are for all other writers, so that an
invalid value results in an error for its field. Narrower ranges and codes are left to CHECK constraints.
"""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import Boolean, Column, Date, Integer, Numeric, String
from sqlalchemy.dialects.postgresql import ARRAY

from comicsdb.catalog.kinds import Kind
from comicsdb.i18n import _, formatted
from comicsdb.models import Attribution, ExternalId, Variant
from comicsdb.models.base import INTEGER_MAX, max_value
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.models.currencies import WHOLE_DIGITS_MAX, Currency
from comicsdb.schemas.external_id import NO_ID
from comicsdb.schemas.types import (
    BLANK,
    NOT_INTEGER,
    NOT_NUMBER,
    NOT_TEXT,
    NULL,
    amount_problem,
    no_such_object,
    out_of_range,
    too_long,
)
from comicsdb.values import text_problem

NOT_DATE = _("A date is required.")
NOT_BOOLEAN = _("Must be true or false.")
NOT_LIST = _("A list is required.")
NOT_ID = _("An id (a whole number) is required.")

NO_SOURCE = _("This source does not exist.")

SHOWN_BITS_MAX = 128  # size of the largest id that an error message shows
LISTS = (list, tuple, set, frozenset)
PART_TABLES = {
    "variants": Variant.__table__,
    "attributions": Attribution.__table__,
    "external_ids": ExternalId.__table__,
}
REQUIRED = {"attributions": {"source", "url"}, "external_ids": {"source", "external_id"}}


def is_integer(value) -> bool:
    """Whether a value is an integer, but not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def column_problem(column: Column, value) -> str | None:
    """The error message for a value of a column, or None; CHECK constraints are left to the database."""
    if value is None:
        return None if column.nullable else NULL
    if value == "" and not (column.nullable or column.default or column.server_default):
        return BLANK
    return _type_problem(column.type, value)


def _type_problem(kind, value) -> str | None:
    if isinstance(kind, ARRAY):
        if not isinstance(value, list | tuple):
            return NOT_LIST
        return next(filter(None, (_type_problem(kind.item_type, each) for each in value)), None)
    if isinstance(kind, String):
        return _text_problem(value, kind.length)
    if isinstance(kind, Boolean):
        return None if isinstance(value, bool) else NOT_BOOLEAN
    if isinstance(kind, Integer):
        return _integer_problem(value, max_value(kind))
    if isinstance(kind, Numeric):
        return _number_problem(
            value, 10 ** (kind.precision - kind.scale if kind.precision else WHOLE_DIGITS_MAX)
        )
    if isinstance(kind, Date):
        return None if isinstance(value, date) and not isinstance(value, datetime) else NOT_DATE
    return None


def _text_problem(value, longest: int | None) -> str | None:
    if not isinstance(value, str):
        return NOT_TEXT
    wrong = text_problem(value)
    if wrong:
        return wrong
    if longest is not None and len(value) > longest:
        return too_long(longest)
    return None


def _integer_problem(value, highest: int) -> str | None:
    if not is_integer(value):
        return NOT_INTEGER
    return out_of_range(value, -highest - 1, highest)


def _number_problem(value, bound: int) -> str | None:
    if not isinstance(value, Decimal | float) and not is_integer(value):
        return NOT_NUMBER
    number = Decimal(value)
    if not number.is_finite():
        return NOT_NUMBER
    cents_rounded_up = bound - Decimal("0.005")
    return (
        None
        if abs(number) < cents_rounded_up
        else formatted(
            "Enter less than ${bound}.", api="Ensure this value is less than ${bound}.", bound=bound
        )
    )


def field_problems(kind: Kind, values: dict) -> dict[str, str]:
    """The error messages of invalid values, by field."""
    columns = kind.model.__table__.columns
    found = {
        field: column_problem(columns[field], values[field]) for field in kind.scalars if field in values
    }
    for field in kind.parents:
        if values.get(field) is not None:
            found[field] = _id_problem(values[field])
    for link in kind.links:
        if link.field in values:
            found[link.field] = _ids_problem(values[link.field])
    for part in kind.parts:
        if part in values:
            found[part] = _part_problem(part, values[part])
    return {field: message for field, message in found.items() if message}


def _id_problem(value) -> str | None:
    if not is_integer(value) or value.bit_length() > SHOWN_BITS_MAX:
        return NOT_ID
    return None if 0 < value <= INTEGER_MAX else no_such_object(value)


def _ids_problem(ids) -> str | None:
    if not isinstance(ids, LISTS):
        return NOT_LIST
    return next(filter(None, map(_id_problem, ids)), None)


def _part_problem(part: str, rows) -> str | None:
    if not isinstance(rows, list | tuple) or not all(isinstance(row, dict) for row in rows):
        return NOT_LIST
    judge = _credit_problem if part == "credits" else lambda row: _row_problem(part, row)
    return next(filter(None, map(judge, rows)), None) or _repetition_problem(rows)


def _credit_problem(credit: dict) -> str | None:
    if set(credit) != {"creator", "roles"}:
        return "A credit has a creator and roles."
    return _id_problem(credit["creator"]) or _ids_problem(credit["roles"])


def _row_problem(part: str, row: dict) -> str | None:
    columns = PART_TABLES[part].columns
    missing = REQUIRED.get(part, set()) - set(row)
    if missing:
        return f"{min(missing)}: This field is required."
    for field, value in row.items():
        if field not in columns:
            return f"{field}: There is no such field."
        wrong = None if field == "id" and value is None else column_problem(columns[field], value)
        if wrong:
            return f"{field}: {wrong}"
    if part == "variants" and row.get("price") is not None:
        price, currency = Decimal(str(row["price"])), row.get("currency", Currency.USD)
        wrong = amount_problem(price, currency, rounds=True)
        return f"price: {wrong}" if wrong else None
    return _external_id_problem(**row) if part == "external_ids" else None


def _external_id_problem(source: str, external_id: str, scope: str = "") -> str | None:  # noqa: ARG001
    known = EXTERNAL_SOURCES.get(source)
    if known is None:
        return f"source: {NO_SOURCE}"
    return None if known.read(external_id) == external_id else f"external_id: {NO_ID}"


def _repetition_problem(rows) -> str | None:
    ids = [row["id"] for row in rows if row.get("id") is not None]
    return None if len(ids) == len(set(ids)) else "A row is named more than once."
