"""The schema of external ids, and the type of a field that lists them."""

from contextlib import suppress

import orjson
from colander import Invalid

from comicsdb.i18n import _
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.schemas.base import ObjectSchema, field, text
from comicsdb.schemas.types import Choice, Field, ListOf

ID_LENGTH, SCOPE_LENGTH = 100, 20
NO_ID = _("This is not a valid ID for this source.")


class ExternalIdSchema(ObjectSchema):
    """The fields of an external id."""

    source = field(Choice(list(EXTERNAL_SOURCES)), required=True)
    external_id = text(ID_LENGTH, required=True)
    scope = text(SCOPE_LENGTH)

    def deserialize(self, cstruct=None):
        """Return the values for the catalog; the id is in the form that its source uses."""
        values = super().deserialize(cstruct)
        if not {"source", "external_id"} <= values.keys():  # the schema is partial
            return values
        found = EXTERNAL_SOURCES[values["source"]].read(values["external_id"])
        if found is None:
            invalid = Invalid(self)
            invalid.add(Invalid(self["external_id"], NO_ID))
            raise invalid
        return values | {"external_id": found}


class ExternalId(Field):
    """An external id: an object, which forms send as JSON."""

    def read(self, node, value):
        """The values for the catalog."""
        if isinstance(value, str):
            with suppress(ValueError):  # if it fails, the schema reports that it is not an object
                value = orjson.loads(value)
        try:
            return ExternalIdSchema().deserialize(value)
        except Invalid as fault:
            told = Invalid(node, fault.msg)
            for child in fault.children:
                told.add(child)
            raise told from fault


def external_ids():
    """Create a field for the external ids of an object, except those that have fields of their own."""
    return field(ListOf(ExternalId()))
