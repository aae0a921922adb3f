"""Schemas of publishers, imprints and universes."""

from comicsdb.models.choices import COUNTRIES, DEFAULT_COUNTRY
from comicsdb.schemas.base import (
    NAME_LENGTH,
    EntitySchema,
    external_id,
    field,
    reference,
    text,
    texts,
    year,
)
from comicsdb.schemas.catalog_schema import CatalogSchema
from comicsdb.schemas.external_id import external_ids
from comicsdb.schemas.types import Choice, Id


class PublisherSchema(CatalogSchema):
    """A publisher; `country` is an ISO 3166-1 code in either case or "", in forms with a default."""

    alt_names = texts(NAME_LENGTH)
    founded = year()
    country = field(Choice(("", *COUNTRIES), fold=str.upper, default=DEFAULT_COUNTRY))


class ImprintSchema(CatalogSchema):
    """An imprint."""

    founded = year()
    publisher = reference(required=True)


class UniverseSchema(EntitySchema):
    """A universe; Comic Vine has no such objects, so there is no `cv_id`. The publisher may be null."""

    publisher = field(Id(nullable=True), required=True)
    designation = text(NAME_LENGTH)
    desc = text()
    gcd_id = external_id()
    external_ids = external_ids()
