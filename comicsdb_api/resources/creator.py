"""The resource of creators."""

from sqlalchemy import type_coerce

from comicsdb.models import Creator
from comicsdb.models.choices import KNOWN_PRECISIONS
from comicsdb.schemas import CreatorSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.types import ChoiceText
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource

creator = Creator.__table__


class CreatorResource(CatalogResource):
    """People who make comics."""

    model = Creator
    schema = CreatorSchema
    filters = filters.name_filters(Creator)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": creator.c.id,
            "name": creator.c.name,
            "birth": creator.c.birth,
            "birth_precision": type_coerce(creator.c.birth_precision, ChoiceText(*KNOWN_PRECISIONS)),
            "death": creator.c.death,
            "death_precision": type_coerce(creator.c.death_precision, ChoiceText(*KNOWN_PRECISIONS)),
            "desc": creator.c.desc,
            "image": expressions.picture_url(creator.c.image),
            "alias": creator.c.alias,
            "cv_id": creator.c.cv_id,
            "gcd_id": creator.c.gcd_id,
        } | cls.closing_fields()
