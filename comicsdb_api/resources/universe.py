"""Universes (api.md 2.10)."""

from comicsdb.models import Universe
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import PublishedResource


class UniverseResource(PublishedResource):
    """Shared fictional worlds."""

    model = Universe

    @classmethod
    def list_query(cls):
        """By name and designation."""
        return super().list_query().order_by(None).order_by(*shapes.by_designation(Universe.__table__))

    def detail(self, row) -> dict:
        """The detail form; universes have no Comic Vine id."""
        return {
            "id": row.id,
            "publisher": {"id": row.publisher_id, "name": row.publisher_name},
            "name": row.name,
            "designation": row.designation,
            "desc": row.desc,
            "gcd_id": row.gcd_id,
            "image": self.image_url(row.image),
            "resource_url": self.page_url(row),
        } | self.closing(row)
