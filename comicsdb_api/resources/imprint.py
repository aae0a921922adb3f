"""Imprints (api.md 2.5)."""

from comicsdb.models import Imprint
from comicsdb_api.resources.catalogue import PublishedResource


class ImprintResource(PublishedResource):
    """Lines of publishers with a name of their own."""

    model = Imprint

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "founded": row.founded,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "publisher": {"id": row.publisher_id, "name": row.publisher_name},
            "resource_url": self.page_url(row),
        } | self.closing(row)
