"""Schemas of arcs, characters, creators and teams."""

from comicsdb.models.choices import KNOWN_PRECISIONS
from comicsdb.schemas.base import field, references, texts
from comicsdb.schemas.catalog_schema import CatalogSchema
from comicsdb.schemas.types import Choice, PartialDate

ALIAS_LENGTH = 100


class ArcSchema(CatalogSchema):
    """An arc."""


class CharacterSchema(CatalogSchema):
    """A character."""

    alias = texts(ALIAS_LENGTH)
    creators = references()
    teams = references()
    universes = references()


class CreatorSchema(CatalogSchema):
    """A creator."""

    birth = field(PartialDate(nullable=True))
    birth_precision = field(Choice(KNOWN_PRECISIONS))
    death = field(PartialDate(nullable=True))
    death_precision = field(Choice(KNOWN_PRECISIONS))
    alias = texts(ALIAS_LENGTH)


class TeamSchema(CatalogSchema):
    """A team."""

    creators = references()
    universes = references()
