"""Schemas of arcs, characters, creators and teams."""

from comicsdb.schemas.base import day, references, texts
from comicsdb.schemas.catalogue import CatalogueSchema

ALIAS_LENGTH = 100


class ArcSchema(CatalogueSchema):
    """An arc."""


class CharacterSchema(CatalogueSchema):
    """A character."""

    alias = texts(ALIAS_LENGTH)
    creators = references()
    teams = references()
    universes = references()


class CreatorSchema(CatalogueSchema):
    """A creator."""

    birth = day()
    death = day()
    alias = texts(ALIAS_LENGTH)


class TeamSchema(CatalogueSchema):
    """A team."""

    creators = references()
    universes = references()
