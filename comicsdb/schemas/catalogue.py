"""The schema that most kinds of the catalogue share."""

from comicsdb.schemas.base import EntitySchema, external_id, text
from comicsdb.schemas.external_id import external_ids


class CatalogueSchema(EntitySchema):
    """The fields common to most kinds of the catalogue."""

    desc = text()
    cv_id = external_id()
    gcd_id = external_id()
    external_ids = external_ids()
