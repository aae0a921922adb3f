"""The resource of series."""

from sqlalchemy import bindparam, func, select

from comicsdb.catalog.filters import SERIES
from comicsdb.catalog.labels import series_label
from comicsdb.models import Imprint, Issue, Publisher, Series, SeriesType, series_associated
from comicsdb.models.choices import LANGUAGES, Status
from comicsdb.schemas import SeriesSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.filters import ChoiceFilter, Filter, IntegerFilter
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource
from comicsdb_api.resources.issue import child_issues

series, series_type = Series.__table__, SeriesType.__table__
publisher, imprint, issue = Publisher.__table__, Imprint.__table__, Issue.__table__

ISSUE_COUNT = (
    select(func.count())
    .select_from(issue)
    .where(issue.c.series_id == series.c.id)
    .correlate(series)
    .scalar_subquery()
)


def associated():
    """Related series with their labels."""
    other, other_type = series.alias("other"), series_type.alias("other_type")
    link = series_associated
    source = link.join(other, other.c.id == link.c.associated_id).join(
        other_type, other_type.c.id == other.c.series_type_id
    )
    return expressions.json_list(
        expressions.json_object("Associated", id=other.c.id, series=series_label(other, other_type)),
        source,
        link.c.series_id == series.c.id,
        expressions.by_sort_name(other),
        series,
    )


class SeriesResource(CatalogResource):
    """Runs of issues under one name."""

    model = Series
    schema = SeriesSchema
    row_shape = "SeriesRow"
    filters = (
        *filters.series_filters(SERIES),
        IntegerFilter("year_end", SERIES["year_end"], "last year"),
        ChoiceFilter("language", SERIES["language"], "language", LANGUAGES),
        ChoiceFilter(
            "status", SERIES["status"], "status: 1 cancelled, 2 completed, 3 hiatus, 4 ongoing", Status
        ),
        IntegerFilter("series_type_id", SERIES["series_type_id"], "id of the type"),
        Filter("series_type", SERIES["series_type"], "the name of the type"),
        *filters.external_id_filters(SERIES),
        *filters.missing_id_filters(SERIES),
        *filters.content_filters(SERIES),
        *filters.modified_filters(Series.__table__),
    )
    depends_on = ("series", "issue")  # rows count issues, and filters look at them
    stamps = ("modified", "rated")
    omitted_from_writes = ("issue_count", "average_rating", "rating_count", "attribution")
    child_lists = {"issue_list": child_issues(issue.c.series_id == bindparam("id"))}

    @classmethod
    def order(cls) -> tuple:
        """By sort name and first year."""
        return super().order()

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of SeriesRow."""
        return {
            "id": series.c.id,
            "series": series_label(series, series_type),
            "year_began": series.c.year_began,
            "year_end": series.c.year_end,
            "volume": series.c.volume,
            "issue_count": ISSUE_COUNT,
            "modified": expressions.instant(series.c.modified),
            "publisher": expressions.named_object(publisher),
            "series_type": expressions.named_object(series_type),
            "cv_id": series.c.cv_id,
            "gcd_id": series.c.gcd_id,
        }

    @classmethod
    def row_source(cls):
        """Series, joined with type and publisher."""
        return series.join(series_type).join(publisher)

    @classmethod
    def detail_source(cls):
        """Series, joined with type, publisher and imprint."""
        return cls.row_source().outerjoin(imprint, imprint.c.id == series.c.imprint_id)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": series.c.id,
            "name": series.c.name,
            "sort_name": series.c.sort_name,
            "alt_names": series.c.alt_names,
            "language": series.c.language,
            "volume": series.c.volume,
            "series_type": expressions.named_object(series_type),
            "status": expressions.label_for(series.c.status, {status: status.label for status in Status}),
            "publisher": expressions.named_object(publisher),
            "imprint": expressions.value_or_null(
                imprint.c.id.is_not(None), expressions.named_object(imprint)
            ),
            "year_began": series.c.year_began,
            "year_end": series.c.year_end,
            "desc": series.c.desc,
            "issue_count": ISSUE_COUNT,
            "average_rating": expressions.average_rating(series),
            "rating_count": series.c.rating_count,
            "genres": expressions.genres(series),
            "associated": associated(),
            "cv_id": series.c.cv_id,
            "gcd_id": series.c.gcd_id,
        } | cls.closing_fields()

    @classmethod
    def written_fields(cls) -> dict:
        """The fields of the response to a write, with the status as a code."""
        return super().written_fields() | {"status": series.c.status}
