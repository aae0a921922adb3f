"""Universes."""

from comicsdb.catalog.filters import Condition, contains, named
from comicsdb.models import Publisher, Universe
from comicsdb.schemas import UniverseSchema
from comicsdb_api.resource import shapes
from comicsdb_api.resource.filters import Filter
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalogue import PublishedResource

universe = Universe.__table__
CONDITIONS = named(Universe)


class UniverseResource(PublishedResource):
    """Shared fictional worlds."""

    model = Universe
    schema = UniverseSchema
    filters = (
        Filter("name", CONDITIONS["name"], "the name"),
        Filter("designation", Condition(contains, universe.c.designation), "the designation"),
        *filters.modified(universe),
    )

    @classmethod
    def order(cls) -> tuple:
        """By name and designation."""
        return super().order()

    @classmethod
    def detail_fields(cls) -> dict:
        """The detail form; universes have no Comic Vine id."""
        return {
            "id": universe.c.id,
            "publisher": shapes.named(Publisher.__table__),
            "name": universe.c.name,
            "designation": universe.c.designation,
            "desc": universe.c.desc,
            "gcd_id": universe.c.gcd_id,
            "image": shapes.picture(universe.c.image),
            "resource_url": shapes.page_url(universe),
        } | cls.closing()
