"""The resource of publishers."""

from sqlalchemy import bindparam

from comicsdb.catalog.filters import PUBLISHER
from comicsdb.models import Publisher, Series
from comicsdb.schemas import PublisherSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.filters import Filter
from comicsdb_api.resource.listing import ChildList
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource
from comicsdb_api.resources.series import SeriesResource

publisher, series = Publisher.__table__, Series.__table__


class PublisherResource(CatalogResource):
    """Publishers of comics."""

    model = Publisher
    schema = PublisherSchema
    filters = (
        Filter("name", PUBLISHER["name"], "the name"),
        Filter("alt_names", PUBLISHER["alt_names"], "the alternative names, joined by spaces"),
        Filter("q", PUBLISHER["q"], "the name or the alternative names"),
        *filters.external_id_filters(PUBLISHER),
        *filters.modified_filters(Publisher.__table__),
    )
    child_lists = {
        "series_list": ChildList(
            SeriesResource,
            series.c.publisher_id == bindparam("id"),
            expressions.by_sort_name(series),
            depends_on=SeriesResource.depends_on,
        )
    }

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": publisher.c.id,
            "name": publisher.c.name,
            "alt_names": publisher.c.alt_names,
            "founded": publisher.c.founded,
            "country": publisher.c.country,
            "desc": publisher.c.desc,
            "image": expressions.picture_url(publisher.c.image),
            "cv_id": publisher.c.cv_id,
            "gcd_id": publisher.c.gcd_id,
        } | cls.closing_fields()
