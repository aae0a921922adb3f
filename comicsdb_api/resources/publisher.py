"""Publishers (api.md 2.7)."""

from sqlalchemy import bindparam

from comicsdb.models import Publisher, Series
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import CatalogueResource, Children
from comicsdb_api.resources.series import SeriesResource


class PublisherResource(CatalogueResource):
    """Houses that publish comics."""

    model = Publisher
    actions = {"series_list": "series_list"}
    series = Children(
        Publisher.__table__,
        SeriesResource,
        Series.__table__.c.publisher_id == bindparam("id"),
        shapes.by_sort_name(Series.__table__),
    )

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "alt_names": row.alt_names,
            "founded": row.founded,
            "country": row.country,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)

    def series_list(self):
        """GET on the series of a publisher."""
        return self.series.page(self)
