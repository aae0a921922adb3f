"""The base classes of the resources for the nine kinds of the catalog."""

from comicsdb.models import Publisher
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import EntityResource
from comicsdb_api.resource.external_ids import external_ids


class CatalogResource(EntityResource):
    """A kind of the catalog; responses are cached, as every change of their content updates the stamps."""

    cached = True
    has_options = True
    omitted_from_writes = ("attribution",)

    @classmethod
    def sort_orders(cls) -> dict[str, tuple]:
        """By id, and by the time of the last change."""
        table = cls.model.__table__
        return {"id": (table.c.id,), "modified": (table.c.modified, table.c.id)}

    @classmethod
    def optional_fields(cls) -> dict:
        """The object's ids in other databases."""
        return {"external_ids": external_ids(cls.model.__table__)}

    @classmethod
    def closing_fields(cls) -> dict:
        """The last fields of a detail: its page, its own `modified`, and the sources of its text."""
        table = cls.model.__table__
        return {
            "resource_url": expressions.page_url(table),
            "modified": expressions.instant(table.c.modified),
            "attribution": expressions.attribution(table),
        }


class PublishedResource(CatalogResource):
    """A kind that belongs to a publisher and shows its name."""

    @classmethod
    def detail_source(cls):
        """The kind's table, joined with the publisher."""
        return super().detail_source().join(Publisher.__table__)
