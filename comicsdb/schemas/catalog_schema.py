"""The schema that most kinds of the catalog share."""

from comicsdb.schemas.base import EntitySchema, external_id, text
from comicsdb.schemas.external_id import external_ids


class CatalogSchema(EntitySchema):
    """The fields common to most kinds of the catalog."""

    desc = text()
    cv_id = external_id()
    gcd_id = external_id()
    external_ids = external_ids()
