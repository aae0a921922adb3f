"""The resource of universes."""

from sqlalchemy import func, literal_column

from comicsdb.catalog.filters import Condition, base_conditions, contains
from comicsdb.models import Publisher, Universe
from comicsdb.schemas import UniverseSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.filters import Filter
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource

universe = Universe.__table__
CONDITIONS = base_conditions(Universe)


def _publisher(none, name: str):
    """A column of the publisher, or `none` in its place, as Metron's clients require a publisher."""
    column = Publisher.__table__.c[name]
    return func.coalesce(column, literal_column(repr(none), column.type), type_=column.type)


class UniverseResource(CatalogResource):
    """Shared fictional worlds."""

    model = Universe
    schema = UniverseSchema
    filters = (
        Filter("name", CONDITIONS["name"], "the name"),
        Filter("designation", Condition(contains, universe.c.designation), "the designation"),
        *filters.modified_filters(universe),
    )

    @classmethod
    def order(cls) -> tuple:
        """By name and designation."""
        return super().order()

    @classmethod
    def detail_source(cls):
        """Universes, joined with the publisher if there is one."""
        return universe.outerjoin(Publisher.__table__)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail; universes have no Comic Vine id."""
        return {
            "id": universe.c.id,
            "publisher": expressions.json_object(
                "Named", id=_publisher(0, "id"), name=_publisher("", "name")
            ),
            "name": universe.c.name,
            "designation": universe.c.designation,
            "desc": universe.c.desc,
            "gcd_id": universe.c.gcd_id,
            "image": expressions.picture_url(universe.c.image),
        } | cls.closing_fields()
