"""Series (api.md 2.8)."""

from sqlalchemy import bindparam, func, select

from comicsdb.models import Imprint, Issue, Publisher, Series, SeriesType, series_associated
from comicsdb.models.choices import Status
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import ListingResource
from comicsdb_api.resources.issue import issues_of

series, series_type = Series.__table__, SeriesType.__table__
publisher, imprint, issue = Publisher.__table__, Imprint.__table__, Issue.__table__

ISSUE_COUNT = (
    select(func.count())
    .select_from(issue)
    .where(issue.c.series_id == series.c.id)
    .correlate(series)
    .scalar_subquery()
    .label("issue_count")
)


def associated():
    """The column `associated`: related series with their labels."""
    other, other_type = series.alias("other"), series_type.alias("other_type")
    link = series_associated
    source = link.join(other, other.c.id == link.c.associated_id).join(
        other_type, other_type.c.id == other.c.series_type_id
    )
    entries = shapes.json_list(
        shapes.json_object(id=other.c.id, series=shapes.series_label(other, other_type)),
        source,
        link.c.series_id == series.c.id,
        shapes.by_sort_name(other),
        series,
    )
    return shapes.shown(entries, "associated")


class SeriesResource(ListingResource):
    """Runs of issues under one name."""

    model = Series
    issues = issues_of(Series, issue.c.series_id == bindparam("id"))

    @classmethod
    def list_query(cls):
        """By sort name and first year."""
        return (
            select(
                series.c.id,
                shapes.series_label(series, series_type).label("label"),
                series.c.year_began,
                series.c.year_end,
                series.c.volume,
                ISSUE_COUNT,
                series.c.modified,
                series.c.publisher_id,
                publisher.c.name.label("publisher_name"),
                series.c.series_type_id,
                series_type.c.name.label("series_type_name"),
                series.c.cv_id,
                series.c.gcd_id,
            )
            .join_from(series, series_type, series_type.c.id == series.c.series_type_id)
            .join(publisher, publisher.c.id == series.c.publisher_id)
            .order_by(*shapes.by_sort_name(series))
        )

    @classmethod
    def detail_query(cls):
        """With the names of parents, the genres, the related series and the number of issues."""
        return (
            super()
            .detail_query()
            .join(series_type, series_type.c.id == series.c.series_type_id)
            .join(publisher, publisher.c.id == series.c.publisher_id)
            .outerjoin(imprint, imprint.c.id == series.c.imprint_id)
            .add_columns(
                series_type.c.name.label("series_type_name"),
                publisher.c.name.label("publisher_name"),
                imprint.c.name.label("imprint_name"),
                ISSUE_COUNT,
                shapes.shown(shapes.genres(series), "genres"),
                associated(),
            )
        )

    def summary(self, row) -> dict:
        """SeriesRow."""
        return {
            "id": row.id,
            "series": row.label,
            "year_began": row.year_began,
            "year_end": row.year_end,
            "volume": row.volume,
            "issue_count": row.issue_count,
            "modified": shapes.utc(row.modified),
            "publisher": {"id": row.publisher_id, "name": row.publisher_name},
            "series_type": {"id": row.series_type_id, "name": row.series_type_name},
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
        }

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "sort_name": row.sort_name,
            "alt_names": row.alt_names,
            "language": row.language,
            "volume": row.volume,
            "series_type": {"id": row.series_type_id, "name": row.series_type_name},
            "status": Status(row.status).label,
            "publisher": {"id": row.publisher_id, "name": row.publisher_name},
            "imprint": shapes.name_of(row.imprint_id, row.imprint_name),
            "year_began": row.year_began,
            "year_end": row.year_end,
            "desc": row.desc,
            "issue_count": row.issue_count,
            "average_rating": shapes.average(row),
            "rating_count": row.rating_count,
            "genres": row.genres,
            "associated": row.associated,
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)
