"""Reference data, which the staff keeps: series types, genres, age ratings and roles."""

import colander

from comicsdb.models.choices import SeriesTypeCode
from comicsdb.schemas.base import EntitySchema, ObjectSchema, field, small, text
from comicsdb.schemas.types import Choice

SHORT_NAME_LENGTH = 25


class SeriesTypeSchema(EntitySchema):
    """A form of publication; without a code, no rule knows it."""

    code = field(Choice(("", *SeriesTypeCode)))
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """The values for the catalogue; a code is unique, no code is null."""
        values = super().deserialize(cstruct)
        if values.get("code") == "":
            values["code"] = None
        return values


class GenreSchema(ObjectSchema):
    """A genre."""

    name = text(SHORT_NAME_LENGTH, required=True)
    desc = text()


class AgeRatingSchema(EntitySchema):
    """An age rating."""

    short_description = text(255)
    description = text()


class RoleSchema(ObjectSchema):
    """What a creator does, and its place in the order."""

    name = text(SHORT_NAME_LENGTH, required=True)
    order = small(required=True)
    notes = text()
