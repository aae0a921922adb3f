"""Publishers, imprints and universes (api.md 2.5, 2.7, 2.10)."""

from comicsdb.models.choices import COUNTRIES
from comicsdb.schemas.base import (
    NAME_LENGTH,
    CatalogueSchema,
    EntitySchema,
    external_id,
    field,
    reference,
    small,
    text,
    texts,
)
from comicsdb.schemas.types import Choice


class PublisherSchema(CatalogueSchema):
    """A publisher; every country of ISO 3166-1, in either case."""

    alt_names = texts(NAME_LENGTH)
    founded = small()
    country = field(Choice(COUNTRIES, fold=str.upper))


class ImprintSchema(CatalogueSchema):
    """An imprint."""

    founded = small()
    publisher = reference(required=True)


class UniverseSchema(EntitySchema):
    """A universe; Comic Vine does not know such things."""

    publisher = reference(required=True)
    designation = text(NAME_LENGTH)
    desc = text()
    gcd_id = external_id()
