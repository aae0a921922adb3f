"""Arcs (api.md 2.2)."""

from comicsdb.models import Arc, issue_arc
from comicsdb_api.resources.catalogue import CatalogueResource
from comicsdb_api.resources.issue import linked_issues


class ArcResource(CatalogueResource):
    """Stories told over several issues."""

    model = Arc
    actions = {"issue_list": "issue_list"}
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

    def issue_list(self):
        """GET on the issues of an arc."""
        return self.issues.page(self)
