"""The base of the schemas, and the fields that many of them have."""

import colander
from colander import Invalid, MappingSchema, SchemaNode, drop

from comicsdb.i18n import said
from comicsdb.models.base import INTEGER_MAX, SMALL_MAX
from comicsdb.models.choices import YEARS
from comicsdb.schemas.prices import Amount
from comicsdb.schemas.types import REQUIRED, Choice, Day, Field, Flag, Id, Integer, ListOf, Text
from comicsdb.values import compact, read_money

NAME_LENGTH = 255
# What a fault of no single field is filed under.
WHOLE = "non_field_errors"


class ObjectSchema(MappingSchema):
    """An object's fields. What is not declared is ignored; what is optional and missing stays out.

    `partial`: nothing is required, as for PATCH. `form`: in the values of a form an empty text means null for
    numbers and dates that can be null, the default for choices that name one, and "not sent" for truth values
    and other choices that have a default.
    """

    def __init__(self, *, partial: bool = False, form: bool = False):
        super().__init__()
        self.partial = partial
        self.form = form
        self.children = [field.clone() for field in self.children]  # colander shares them with the class
        if partial:
            for field in self.children:
                field.missing = drop

    def deserialize(self, cstruct=colander.null):
        """The values for the catalogue; raises Invalid."""
        if not isinstance(cstruct, dict):
            kind = type(cstruct).__name__
            raise Invalid(self, said("Invalid data. Expected a dictionary, but got ${kind}.", kind=kind))
        return super().deserialize(
            self._with_currencies(self._without_blanks(cstruct) if self.form else cstruct)
        )

    def _with_currencies(self, sent: dict) -> dict:
        """What was sent, with a currency that an amount names (`3,99 €`) in the field beside it."""
        values = dict(sent)
        for field in self.children:
            amount, currency = sent.get(field.name), f"{field.name}_currency"
            if isinstance(field.typ, Amount) and isinstance(amount, str):
                found, code = read_money(amount) or (None, None)
                if code and sent.get(currency) in (None, "", code):
                    values |= {field.name: str(found), currency: code}
        return values

    def _without_blanks(self, sent: dict) -> dict:
        values = dict(sent)
        for field in self.children:
            if values.get(field.name) != "":
                continue
            if isinstance(field.typ, Flag):
                del values[field.name]
            elif isinstance(field.typ, Choice) and not field.typ.nullable:
                if field.typ.default is not None:
                    values[field.name] = field.typ.default
                elif not (field.required or "" in field.typ.codes):
                    del values[field.name]
            elif isinstance(field.typ, Field) and field.typ.nullable:
                values[field.name] = None
        return values


def errors_of(invalid: Invalid) -> dict:
    """Messages by field: {field: [message]}, for texts in a list {field: {index: [message]}}."""
    if not invalid.children:
        return {WHOLE: [invalid.msg]}
    return {child.node.name: _messages(child) for child in invalid.children}


def _messages(invalid: Invalid) -> list | dict:
    if not invalid.children:
        return [invalid.msg]
    return {child.node.name: _messages(child) for child in invalid.children}


def field(typ, *, required: bool = False) -> SchemaNode:
    """A field of a type; one that is not required may be missing, and is then left alone."""
    missing = colander.required if required else drop
    return SchemaNode(typ, missing=missing, missing_msg=REQUIRED)


def text(longest: int | None = None, *, required: bool = False) -> SchemaNode:
    """Text; a required one may not be blank."""
    return field(Text(longest, blank=not required), required=required)


def code(longest: int) -> SchemaNode:
    """A bar code or ISBN, as printed or without blanks and hyphens, which are not kept."""
    return field(Text(longest, clean=compact))


def texts(longest: int) -> SchemaNode:
    """A list of texts, none of them blank."""
    return field(ListOf(Text(longest, blank=False)))


def small(*, required: bool = False) -> SchemaNode:
    """A number for volumes and pages: 0 to 32767, or null where it is not required."""
    return field(Integer(0, SMALL_MAX, nullable=not required), required=required)


def year(*, required: bool = False) -> SchemaNode:
    """A year, or null where it is not required."""
    return field(Integer(*YEARS, nullable=not required), required=required)


def flag() -> SchemaNode:
    """True or false."""
    return field(Flag())


def external_id() -> SchemaNode:
    """The id of the same object elsewhere, or null."""
    return field(Integer(0, INTEGER_MAX, nullable=True))


def day(*, required: bool = False) -> SchemaNode:
    """A date, or null where it is not required."""
    return field(Day(nullable=not required), required=required)


def reference(*, required: bool = False) -> SchemaNode:
    """The id of a parent, never null."""
    return field(Id(), required=required)


def references(*, required: bool = False) -> SchemaNode:
    """Ids of linked objects, which replace the present ones; a required list may not be empty."""
    return field(ListOf(Id(), empty=not required), required=required)


class EntitySchema(ObjectSchema):
    """An object with a name; also the base for the kinds of other packages."""

    name = text(NAME_LENGTH, required=True)


class CatalogueSchema(EntitySchema):
    """What most kinds of the catalogue have."""

    desc = text()
    cv_id = external_id()
    gcd_id = external_id()
