"""Arcs (api.md 2.2)."""

from comicsdb.models import Arc, issue_arc
from comicsdb_api.resources.catalogue import ListingResource
from comicsdb_api.resources.issue import linked_issues


class ArcResource(ListingResource):
    """Stories told over several issues."""

    model = Arc
    issues = linked_issues(Arc, issue_arc)

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)
