"""The caller's reads: when it read which issues, whether it owns them or not."""

from comicsdb import clock
from comicsdb.catalog import NotFoundError
from comicsdb.catalog.filters import Condition, equal
from comicsdb.library import reads
from comicsdb.models import Issue, ReadDate, Series
from comicsdb.schemas.collection import ReadSchema
from comicsdb_api.resource import bodies, expressions, writes
from comicsdb_api.resource.filters import IntegerFilter
from comicsdb_api.resource.operations import Operation, ResponseBody
from comicsdb_api.resources.account_lists import (
    OwnListing,
    OwnResource,
    issue_in_body,
    own_row_body,
    serve_own,
)
from comicsdb_api.resources.collection import in_site_zone
from comicsdb_api.resources.collection_filters import LocalDateFilter
from comicsdb_api.responses import make_response

read_date, issue, series = ReadDate.__table__, Issue.__table__, Series.__table__


class ReadResource(OwnResource):
    """The issues that the account read, and when."""

    model = ReadDate
    row_shape = "Read"
    filters = (
        IntegerFilter("issue_id", Condition(equal, read_date.c.issue_id), "id of the issue"),
        *LocalDateFilter.all("read_date", read_date.c.read_on, "date on which it was read"),
    )

    @classmethod
    def row_source(cls):
        """Reads, joined with issue and series."""
        return read_date.join(issue, issue.c.id == read_date.c.issue_id).join(
            series, series.c.id == issue.c.series_id
        )

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a read: the issue, and when it was read."""
        return {
            "id": read_date.c.id,
            "issue": expressions.owned_issue(issue, series),
            "read_date": expressions.instant(read_date.c.read_on),
            "created_on": expressions.instant(read_date.c.created_on),
        }

    @classmethod
    def order(cls) -> tuple:
        """The latest first, unknown dates last."""
        return (read_date.c.read_on.desc().nulls_last(), read_date.c.id.desc())


class ReadAddResource(ReadResource):
    """Records that the account read an issue."""

    title = "read add"
    operations = {
        "POST": Operation(
            "Record that an issue was read, without adding it to the collection",
            {201: ("The read.", ResponseBody("Read", ReadResource.row_fields()))},
            ReadSchema,
            "ReadInput",
            {"422": "KeyUsed"},
            ("Idempotency-Key",),
        )
    }

    def add(self):
        """Record a read, without adding an item to the collection."""
        sent = bodies.parse_body(self.request, self.parses)
        return writes.run_idempotently(
            self.request, sent, lambda: self._add(writes.validated(sent, ReadSchema))
        )

    def _add(self, values: dict) -> tuple[int, bytes]:
        request, issue_id = self.request, values["issue_id"]
        moment = values.get("read_date", clock.now())
        moment = moment and in_site_zone(request, moment)
        with issue_in_body(issue_id):
            noted = reads.add(request.dbsession, request.identity.user_id, issue_id, moment)
        return 201, own_row_body(request, ReadResource, ReadResource.row_fields, noted.id)


class ReadRemoveResource(ReadResource):
    """Removes reads of the account."""

    title = "read remove"
    operations = {"DELETE": Operation("Remove a read", {204: ("Removed. No body.", None)})}

    def remove(self):
        """Remove a read."""
        request, read_id = self.request, self.id_in_path()
        try:
            reads.remove(request.dbsession, request.identity.user_id, read_id)
        except NotFoundError as error:
            raise self.missing(read_id) from error
        return make_response(request, b"", 204)


def includeme(config):
    """Serve the resources."""
    serve_own(
        config,
        "read",
        (ReadResource, ".list", "", {"GET": "collection_get"}, OwnListing),
        (ReadAddResource, ".add", "add/", {"POST": "add"}),
        (ReadRemoveResource, ".remove", "{id}/remove/", {"DELETE": "remove"}),
    )
