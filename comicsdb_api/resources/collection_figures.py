"""Statistics of the caller's collection, and the series and issues that are missing from it."""

from dataclasses import dataclass

from sqlalchemy import Boolean, Integer, Numeric, cast, func, literal_column, type_coerce

from comicsdb.catalog.filters import NO_MATCH, Condition, equal
from comicsdb.library.collection import figures
from comicsdb.models import Issue, Publisher, Series, SeriesType
from comicsdb.models.choices import BookFormat
from comicsdb.readcache.etag import with_tag
from comicsdb_api.openapi.schemas import AMOUNT, CURRENCY
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import Resource, integer_in_path
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.expressions import constant
from comicsdb_api.resources.account_lists import CALLER_ID, TODAY, OwnListing, OwnResource
from comicsdb_api.responses import to_json

issue, series, series_type = Issue.__table__, Series.__table__, SeriesType.__table__
publisher = Publisher.__table__

SUM = {"type": "string", "pattern": AMOUNT, "examples": ["4.50"]}
NUMBER = {"type": "integer", "minimum": 0}
FORMAT = {"book_format": {"type": "string", "enum": [each.value for each in BookFormat]}, "count": NUMBER}
# The schemas of the statistics' fields.
FIGURES = {
    "total_items": NUMBER | {"description": "Number of issues owned."},
    "total_quantity": NUMBER | {"description": "Number of copies owned."},
    "total_value": SUM
    | {"description": "Sum of the prices paid in the currency of most items with a price."},
    "total_value_currency": {
        "type": "string",
        "pattern": CURRENCY,
        "examples": ["USD"],
        "description": "That currency; `USD` if no item has a price.",
    },
    "value_by_currency": {
        "type": "object",
        "additionalProperties": SUM,
        "description": "Sum of the prices paid in each currency.",
        "examples": [{"USD": "4.50"}],
    },
    "read_count": NUMBER | {"description": "Number of owned issues that were read."},
    "unread_count": NUMBER | {"description": "Number of owned issues that were not read."},
    "by_format": {
        "type": "array",
        "items": {"type": "object", "properties": FORMAT, "required": list(FORMAT)},
        "description": "Number of issues owned in each format in use, by code.",
    },
}
STATS = {"type": "object", "properties": FIGURES, "required": list(FIGURES)}


class StatsResource(Resource):
    """Statistics of the account's collection."""

    title = "collection stats"

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The schema of the statistics."""
        return {"content": {"application/json": {"schema": STATS}}}

    def get(self):
        """The statistics of the caller's collection."""
        stats = figures.stats(self.request.dbsession, self.request.identity.user_id)
        body = {
            "total_items": stats.issues,
            "total_quantity": stats.copies,
            "total_value": str(stats.value),
            "total_value_currency": stats.currency,
            "value_by_currency": {code: str(value) for code, value in stats.values.items()},
            "read_count": stats.read,
            "unread_count": stats.unread,
            "by_format": [{"book_format": code, "count": count} for code, count in stats.by_format.items()],
        }
        return conditional_response(self.request, with_tag(to_json(body)))


class IncompleteSeries:
    """A model whose rows are the series of which the caller owns some issues and lacks others."""

    __tablename__ = "missing_series"
    __table__ = figures.incomplete(CALLER_ID, TODAY)


incomplete = IncompleteSeries.__table__
OF_SERIES = Condition(equal, issue.c.series_id)


class MissingSeriesResource(OwnResource):
    """Series of which the account owns some issues, but not all released ones."""

    model = IncompleteSeries
    row_shape = "MissingSeries"

    @classmethod
    def caller_condition(cls):
        """Always true: all rows are the caller's."""
        return literal_column("true", Boolean)

    @classmethod
    def key(cls):
        """The id of the series: each is one row."""
        return incomplete.c.series_id

    @classmethod
    def row_source(cls):
        """The model's rows, joined with series, publisher and type."""
        return (
            incomplete.join(series, series.c.id == incomplete.c.series_id)
            .join(publisher, publisher.c.id == series.c.publisher_id)
            .join(series_type, series_type.c.id == series.c.series_type_id)
        )

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a series, and how much of it the caller owns."""
        share = cast(incomplete.c.owned * constant(100), Numeric) / incomplete.c.total
        # Neither 0 nor 100, as some issues are owned and some are missing.
        lowest, highest = literal_column("0.1"), literal_column("99.9")
        share = func.greatest(lowest, func.least(highest, func.round(share, constant(1))))
        return {
            "id": series.c.id,
            "name": series.c.name,
            "sort_name": series.c.sort_name,
            "year_began": series.c.year_began,
            "year_end": series.c.year_end,
            "publisher": expressions.named_object(publisher),
            "series_type": expressions.named_object(series_type),
            "total_issues": type_coerce(incomplete.c.total, Integer),
            "owned_issues": type_coerce(incomplete.c.owned, Integer),
            "missing_count": type_coerce(incomplete.c.total - incomplete.c.owned, Integer),
            "completion_percentage": cast(share, Numeric),
        }

    @classmethod
    def order(cls) -> tuple:
        """Most missing first, then by sort name."""
        return figures.order_of_incomplete(incomplete, series)


class MissingIssuesResource(OwnResource):
    """Released issues of a series that the account does not own."""

    model = Issue
    row_shape = "MissingIssue"

    @classmethod
    def caller_condition(cls):
        """The condition for issues that are out and not in the collection."""
        return figures.is_missing(CALLER_ID, TODAY, issue)

    @classmethod
    def row_source(cls):
        """Issues, joined with the series."""
        return issue.join(series)

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of an issue in short form."""
        return {
            "id": issue.c.id,
            "series": expressions.series_brief(series),
            "number": issue.c.number,
            "cover_date": issue.c.cover_date,
            "store_date": issue.c.store_date,
        }

    @classmethod
    def order(cls) -> tuple:
        """By cover date and number."""
        return figures.order_of_missing(issue)


@dataclass(frozen=True, eq=False)
class MissingIssuesListing(OwnListing):
    """The Listing of missing issues of the series in the path."""

    def clauses(self, request, identity):  # noqa: ARG002
        """The condition for issues of the series; it matches none if the id cannot exist."""
        number = integer_in_path(request, "series_id")
        return [NO_MATCH if number is None else OF_SERIES.clause("series", number)]
