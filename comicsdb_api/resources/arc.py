"""The resource of arcs."""

from comicsdb.models import Arc, issue_arc
from comicsdb.schemas import ArcSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource
from comicsdb_api.resources.issue import linked_issues

arc = Arc.__table__


class ArcResource(CatalogResource):
    """Story arcs: stories told over several issues."""

    model = Arc
    schema = ArcSchema
    filters = filters.name_filters(Arc)
    child_lists = {"issue_list": linked_issues(Arc, issue_arc)}

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": arc.c.id,
            "name": arc.c.name,
            "desc": arc.c.desc,
            "image": expressions.picture_url(arc.c.image),
            "cv_id": arc.c.cv_id,
            "gcd_id": arc.c.gcd_id,
        } | cls.closing_fields()
