"""Creators (api.md 2.4)."""

from comicsdb.models import Creator
from comicsdb_api.resources.catalogue import CatalogueResource


class CreatorResource(CatalogueResource):
    """Those who make comics."""

    model = Creator

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "birth": row.birth,
            "death": row.death,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "alias": row.alias,
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)
