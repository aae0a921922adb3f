"""The base classes of the schemas, and functions that create their fields."""

import colander
from colander import Invalid, MappingSchema, SchemaNode, drop

from comicsdb.i18n import formatted
from comicsdb.issue_numbers import NUMBER_LENGTH, clean_number
from comicsdb.models.base import INTEGER_MAX, SMALL_MAX
from comicsdb.models.choices import YEARS
from comicsdb.models.currencies import CURRENCY_COLUMNS, Currency
from comicsdb.schemas.types import (
    REQUIRED,
    Amount,
    Boolean,
    Choice,
    Date,
    Field,
    Id,
    Integer,
    ListOf,
    PartialDate,
    Text,
)
from comicsdb.values import compact_code, read_money

NAME_LENGTH = 255
# The key of errors that do not belong to a single field.
NON_FIELD_ERRORS = "non_field_errors"


class ObjectSchema(MappingSchema):
    """The fields of an object. Undeclared values are ignored; missing optional ones are not in the result.

    `partial`: nothing is required, as for PATCH. `form`: an empty text means null for nullable numbers and
    dates, the default for choices that declare one, and "not sent" for booleans and other choices with a
    default.
    """

    keeps_currency = True  # whether changing only an amount keeps its currency

    def __init__(self, *, partial: bool = False, form: bool = False):
        super().__init__()
        self.partial = partial
        self.form = form
        self.children = [field.clone() for field in self.children]  # colander shares them with the class
        if partial:
            for field in self.children:
                field.missing = drop

    def deserialize(self, cstruct=colander.null):
        """Return the values for the catalog, with currencies by their columns; raise Invalid."""
        if not isinstance(cstruct, dict):
            kind = type(cstruct).__name__
            raise Invalid(self, formatted("Invalid data. Expected a dictionary, but got ${kind}.", kind=kind))
        values = super().deserialize(
            self._with_currencies(self._without_blanks(cstruct) if self.form else cstruct)
        )
        for field in self.children:
            if isinstance(field.typ, PartialDate) and isinstance(values.get(field.name), tuple):
                values[field.name], values[f"{field.name}_precision"] = values[field.name]
        for amount, column in CURRENCY_COLUMNS.items():
            if f"{amount}_currency" in values:
                values[column] = values.pop(f"{amount}_currency")
        return values

    def _with_currencies(self, sent: dict) -> dict:
        """Return the values, with each amount as a pair with its currency.

        The currency in an amount (`3,99 €`) is moved to its own field. If none was sent, it is the default,
        or None in a change, as the object may already have one.
        """
        values = dict(sent)
        default = None if self.partial and self.keeps_currency else Currency.USD.value
        for field in self.children:
            amount, key = sent.get(field.name), f"{field.name}_currency"
            if not isinstance(field.typ, Amount) or amount is None:
                continue
            if isinstance(amount, str):
                found, code = read_money(amount) or (None, None)
                if code and sent.get(key) in (None, "", code):
                    amount, values[key] = str(found), code
            chosen = values.get(key)
            values[field.name] = amount, chosen if chosen in list(Currency) else default
        return values

    def _without_blanks(self, sent: dict) -> dict:
        values = dict(sent)
        for field in self.children:
            if values.get(field.name) != "":
                continue
            if isinstance(field.typ, Boolean):
                del values[field.name]
            elif isinstance(field.typ, Choice) and not field.typ.nullable:
                if field.typ.default is not None:
                    values[field.name] = field.typ.default
                elif not (field.required or "" in field.typ.codes):
                    del values[field.name]
            elif isinstance(field.typ, Field) and field.typ.nullable:
                values[field.name] = None
        return values


def errors_by_field(invalid: Invalid) -> dict:
    """Return messages by field: {field: [message]}, or for lists of texts {field: {index: [message]}}."""
    if not invalid.children:
        return {NON_FIELD_ERRORS: [invalid.msg]}
    return {child.node.name: _messages(child) for child in invalid.children}


def _messages(invalid: Invalid) -> list | dict:
    if not invalid.children:
        return [invalid.msg]
    return {child.node.name: _messages(child) for child in invalid.children}


def field(typ, *, required: bool = False) -> SchemaNode:
    """Create a field of a type; an optional one may be missing."""
    missing = colander.required if required else drop
    return SchemaNode(typ, missing=missing, missing_msg=REQUIRED)


def text(max_length: int | None = None, *, required: bool = False) -> SchemaNode:
    """Create a text field; a required one may not be blank."""
    return field(Text(max_length, blank=not required), required=required)


def code(max_length: int) -> SchemaNode:
    """Create a field for a barcode or ISBN, from which spaces and hyphens are removed."""
    return field(Text(max_length, clean=compact_code))


def issue_number(*, required: bool = False) -> SchemaNode:
    """Create a field for the number of an issue, which is stored without `#` and leading zeros."""
    return field(Text(NUMBER_LENGTH, blank=not required, clean=clean_number), required=required)


def texts(max_length: int) -> SchemaNode:
    """Create a field for a list of texts, none of them blank."""
    return field(ListOf(Text(max_length, blank=False)))


def small_integer(*, required: bool = False) -> SchemaNode:
    """Create a field for volumes and pages: 0 to 32767, or null if optional."""
    return field(Integer(0, SMALL_MAX, nullable=not required), required=required)


def year(*, required: bool = False) -> SchemaNode:
    """Create a field for a year, or null if optional."""
    return field(Integer(*YEARS, nullable=not required), required=required)


def external_id() -> SchemaNode:
    """Create a field for the id of the object in another database, or null."""
    return field(Integer(0, INTEGER_MAX, nullable=True))


def date() -> SchemaNode:
    """Create a field for a date or null."""
    return field(Date(nullable=True))


def reference(*, required: bool = False) -> SchemaNode:
    """Create a field for the id of a parent, never null."""
    return field(Id(), required=required)


def references(*, required: bool = False) -> SchemaNode:
    """Create a field for the ids of linked objects; a required list may not be empty."""
    return field(ListOf(Id(), empty=not required), required=required)


class EntitySchema(ObjectSchema):
    """An object with a name; also the base for kinds of other packages."""

    name = text(NAME_LENGTH, required=True)
