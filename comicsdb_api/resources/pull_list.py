"""The caller's pull list: the series it follows, and their issues."""

import colander
from sqlalchemy import func, select

from comicsdb.catalog import NotFoundError
from comicsdb.catalog.filters import Condition, at_least, at_most
from comicsdb.catalog.labels import series_label
from comicsdb.library import pull_list as pull
from comicsdb.models import PullList, PullListSeries, Series, SeriesType
from comicsdb.models.base import INTEGER_MAX
from comicsdb.schemas import ObjectSchema
from comicsdb.schemas.base import NON_FIELD_ERRORS, field
from comicsdb.schemas.types import Integer
from comicsdb_api.errors import BadRequestError, RefusedError
from comicsdb_api.resource import bodies, expressions
from comicsdb_api.resource.base import integer_in_path
from comicsdb_api.resource.expressions import BASE, constant
from comicsdb_api.resource.filters import DateFilter
from comicsdb_api.resource.operations import Operation, ResponseBody, existing_or_new
from comicsdb_api.resource.types import Url
from comicsdb_api.resource.writes import encoded_json_response
from comicsdb_api.resources.account_lists import (
    CALLER_ID,
    OwnDetail,
    OwnListing,
    SingleListResource,
    own_row_body,
    serve_own,
)
from comicsdb_api.resources.issue import IssueResource, issue
from comicsdb_api.responses import make_response

pull_list, entry = PullList.__table__, PullListSeries.__table__
series, series_type = Series.__table__, SeriesType.__table__

PATH = "/api/pull_list/"
OWN_LIST = select(pull_list.c.id).where(pull_list.c.user_id == CALLER_ID)
REQUIRED = "series_id is required."
# Also accepts numbers that no series can have: they get 404, not a validation error.
NUMBER = colander.SchemaNode(Integer(-(10**18), 10**18), name="series_id")


class PullListResource(SingleListResource):
    """The account's only pull list, created by the first request for it."""

    model = PullList
    row_shape = "PullList"

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of the list: the number of its series, and their URL."""
        number = select(func.count()).where(entry.c.pull_list_id == pull_list.c.id).correlate(pull_list)
        return {
            "id": pull_list.c.id,
            "series_count": number.scalar_subquery(),
            "series_url": expressions.type_coerce(BASE + constant(f"{PATH}series/"), Url()),
            "modified": expressions.instant(pull_list.c.modified),
        }

    @classmethod
    def list_exists(cls):
        """The condition that the account has its list."""
        return OWN_LIST.exists()

    def ensure_list(self) -> None:
        """Create the list if it does not exist."""
        pull.pull_list(self.request.dbsession, self.request.identity.user_id)


class PullSchema(ObjectSchema):
    """The series to follow."""

    series_id = field(Integer(1, INTEGER_MAX), required=True)


class PulledSeriesResource(PullListResource):
    """The series that the account follows."""

    model = PullListSeries
    row_shape = "PulledSeries"

    @classmethod
    def caller_condition(cls):
        return entry.c.pull_list_id.in_(OWN_LIST)

    @classmethod
    def row_source(cls):
        """Entries, joined with series and type."""
        return entry.join(series).join(series_type)

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of an entry, including its series."""
        return {
            "id": entry.c.id,
            "series": expressions.json_object(
                "FollowedSeries",
                id=series.c.id,
                series=series_label(series, series_type),
                year_began=series.c.year_began,
                year_end=series.c.year_end,
                volume=series.c.volume,
                modified=expressions.instant(series.c.modified),
            ),
            "added_on": expressions.instant(entry.c.added_on),
        }

    @classmethod
    def order(cls) -> tuple:
        """By sort name of the series."""
        return (*expressions.by_sort_name(series), entry.c.id)


class PullListAddResource(PullListResource):
    """Adds series to the account's pull list."""

    title = "pull_list series add"
    operations = {
        "POST": Operation(
            "Follow a series",
            existing_or_new(
                ResponseBody("PulledSeries", PulledSeriesResource.row_fields()),
                "The existing entry, if the series is already followed.",
                "The new entry.",
            ),
            PullSchema,
            "PullListSeriesInput",
        )
    }

    def add(self):
        """Follow a series: 201, or 200 if it was followed already."""
        request = self.request
        series_id = self._series_id(bodies.parse_body(request, self.parses))
        try:
            pulled, created = pull.add(request.dbsession, request.identity.user_id, series_id)
        except NotFoundError as error:
            raise RefusedError(404, f"Series with id {series_id} not found.") from error
        resource = PulledSeriesResource
        body = own_row_body(request, resource, resource.row_fields, pulled.id)
        return encoded_json_response(request, 201 if created else 200, body)

    def _series_id(self, sent: bodies.ParsedBody) -> int:
        if not (sent.is_form or isinstance(sent.data, dict)):
            kind = type(sent.data).__name__
            raise BadRequestError(
                {NON_FIELD_ERRORS: [f"Invalid data. Expected a dictionary, but got {kind}."]}
            )
        value = sent.field("series_id")
        if value is bodies.ABSENT or not value or (isinstance(value, str) and not value.strip()):
            raise RefusedError(400, REQUIRED)
        try:
            number = NUMBER.deserialize(value)
        except colander.Invalid as invalid:
            raise BadRequestError({"series_id": [invalid.msg]}) from invalid
        if not number:
            raise RefusedError(400, REQUIRED)
        return number


class PullListRemoveResource(PullListResource):
    """Removes series from the account's pull list."""

    title = "pull_list series remove"
    operations = {"DELETE": Operation("Unfollow a series", {204: ("Unfollowed. No body.", None)})}

    def remove(self):
        """Stop following a series; the path has the id of the series, not of the entry."""
        request = self.request
        number = integer_in_path(request, "series_id") or 0
        if not pull.remove(request.dbsession, request.identity.user_id, number):
            raise RefusedError(404, "Series not found in pull list.")
        return make_response(request, b"", 204)


class PulledIssueResource(PullListResource):
    """The issues of the series that the account follows."""

    model = IssueResource.model
    row_shape = "PulledIssue"
    filters = (
        DateFilter(
            "store_date_after", Condition(at_least, issue.c.store_date), "earliest store date, inclusive"
        ),
        DateFilter(
            "store_date_before", Condition(at_most, issue.c.store_date), "latest store date, inclusive"
        ),
    )

    @classmethod
    def caller_condition(cls):
        followed = select(entry.c.series_id).where(entry.c.pull_list_id.in_(OWN_LIST))
        return issue.c.series_id.in_(followed)

    @classmethod
    def row_source(cls):
        """Issues, joined with series and type."""
        return IssueResource.row_source()

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of IssueRow, except the hash of the cover."""
        fields = IssueResource.row_fields()
        return {name: fields[name] for name in fields if name != "cover_hash"}

    @classmethod
    def order(cls) -> tuple:
        """By store date, series and number; unknown dates last."""
        own = (issue.c.number, issue.c.id)
        return (issue.c.store_date, series.c.sort_folded, series.c.sort_name, *own)


def includeme(config):
    """Serve the resources; the detail comes last, as its path matches any word as an id."""
    lists = {"GET": "collection_get"}
    serve_own(
        config,
        "pull_list",
        (PullListResource, ".list", "", lists, OwnListing),
        (PulledSeriesResource, ".series", "series/", lists, OwnListing),
        (PullListAddResource, ".series.add", "series/add/", {"POST": "add"}),
        (PullListRemoveResource, ".series.remove", "series/{series_id}/remove/", {"DELETE": "remove"}),
        (PulledIssueResource, ".issues", "issues/", lists, OwnListing),
        (PullListResource, "", "{id}/", {"GET": "get"}, OwnDetail),
    )
