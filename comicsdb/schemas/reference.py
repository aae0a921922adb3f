"""Schemas of the reference data maintained by staff: series types, genres, age ratings and roles."""

import colander

from comicsdb.i18n import formatted
from comicsdb.models.choices import SeriesTypeCode
from comicsdb.schemas.base import EntitySchema, ObjectSchema, field, small_integer, text
from comicsdb.schemas.types import Choice, Field, Text

SHORT_NAME_LENGTH = 25
TRANSLATION_LENGTH = 50


class Translations(Field):
    """Translations of a name, by language; blank ones are left out."""

    text = Text(TRANSLATION_LENGTH)

    def read(self, node, value):
        """The translations that are not blank."""
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise colander.Invalid(node, formatted("Expected a dictionary, but got ${kind}.", kind=kind))
        names = {language: self.text.deserialize(node, name) for language, name in value.items()}
        return {language: name for language, name in names.items() if name}


class SeriesTypeSchema(EntitySchema):
    """A type of series; if it has no code, no rule applies to it."""

    names = field(Translations())
    code = field(Choice(("", *SeriesTypeCode)))
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """Return the values for the catalog; a missing code is null, as codes are unique."""
        values = super().deserialize(cstruct)
        if values.get("code") == "":
            values["code"] = None
        return values


class GenreSchema(ObjectSchema):
    """A genre."""

    name = text(SHORT_NAME_LENGTH, required=True)
    names = field(Translations())
    desc = text()


class AgeRatingSchema(EntitySchema):
    """An age rating."""

    names = field(Translations())
    short_description = text(255)
    description = text()


class RoleSchema(ObjectSchema):
    """A role of creators, with its position in lists."""

    name = text(SHORT_NAME_LENGTH, required=True)
    names = field(Translations())
    order = small_integer(required=True)
    notes = text()
