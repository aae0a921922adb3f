"""The base of the schemas, and the fields that many of them have."""

import colander
from colander import Invalid, MappingSchema, SchemaNode, drop

from comicsdb.i18n import said
from comicsdb.models.base import EXTERNAL_ID_MAX, SMALL_MAX
from comicsdb.schemas.types import REQUIRED, Choice, Day, Field, Flag, Id, Integer, ListOf, Text

NAME_LENGTH = 255
# What a fault of no single field is filed under.
WHOLE = "non_field_errors"


class ObjectSchema(MappingSchema):
    """An object's fields. What is not declared is ignored; what is optional and missing stays out.

    `partial`: nothing is required, as for PATCH. `form`: in the values of a form an empty text means null for
    numbers and dates that can be null, and "not sent" for choices and truth values that have a default.
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
        return super().deserialize(self._without_blanks(cstruct) if self.form else cstruct)

    def _without_blanks(self, sent: dict) -> dict:
        values = dict(sent)
        for field in self.children:
            if values.get(field.name) != "":
                continue
            if isinstance(field.typ, Flag):
                del values[field.name]
            elif isinstance(field.typ, Choice) and not field.typ.nullable:
                if not (field.required or "" in field.typ.codes):
                    del values[field.name]
            elif isinstance(field.typ, Field) and field.typ.nullable:
                values[field.name] = None
        return values


def errors_of(invalid: Invalid) -> dict:
    """Messages by field: {field: [message]}, for texts in a list {field: {index: [message]}} (api.md 1.6)."""
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


def text(longest: int | None = None, *, required: bool = False, without: str = "") -> SchemaNode:
    """Text; a required one may not be blank."""
    return field(Text(longest, blank=not required, without=without), required=required)


def texts(longest: int) -> SchemaNode:
    """A list of texts, none of them blank."""
    return field(ListOf(Text(longest, blank=False)))


def small(*, required: bool = False) -> SchemaNode:
    """A number for years, volumes and pages: 0 to 32767, or null where it is not required."""
    return field(Integer(0, SMALL_MAX, nullable=not required), required=required)


def flag() -> SchemaNode:
    """True or false."""
    return field(Flag())


def external_id() -> SchemaNode:
    """The id of the same object elsewhere, or null."""
    return field(Integer(0, EXTERNAL_ID_MAX, nullable=True))


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
