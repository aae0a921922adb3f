"""What one account keeps and nobody else sees: lists and details of the caller's own rows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import orjson
from sqlalchemy import ColumnElement, Date, Integer, Select, bindparam, literal_column, select, true

from comicsdb.readcache.etag import with_tag
from comicsdb.readcache.validators import select_stamps
from comicsdb_api.errors import RefusedError, not_found_message
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import EntityResource
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.listing import Detail, Listing, PageRequest
from comicsdb_api.responses import ROUTE_PREFIX, base_urls, to_json

CALLER_ID = bindparam("user", type_=Integer)  # the account that asks
TODAY = bindparam("today", type_=Date)  # the business day
NO_STAMPS = select(literal_column("1").label("own"))


class OwnResource(EntityResource):
    """Rows of the caller's."""

    @classmethod
    def caller_condition(cls) -> ColumnElement[bool]:
        """The condition on the resource's table for the rows of the account bound as `user`."""
        return cls.model.__table__.c.user_id == CALLER_ID

    @classmethod
    def list_exists(cls) -> ColumnElement[bool]:
        """The condition that the account bound as `user` has its list; see `ensure_list`."""
        return true()

    def ensure_list(self) -> None:
        """Create the list before the first read, where each account has one."""

    def page(self, object_id: int | None = None):
        """The page that the caller asks for, of its rows that meet the conditions."""
        self.ensure_list()
        request, listing = self.request, self.served
        body = listing.page(request, (), PageRequest.of(request, listing, request.identity, object_id))
        return conditional_response(request, with_tag(body))

    def get(self):
        """GET on one of the caller's objects; those of others are not there."""
        self.ensure_list()
        object_id, detail = self.id_in_path(), self.served
        stamps = detail.stamps(self.request, object_id)
        if stamps is None:
            raise self.missing(object_id)
        body = detail.body(self.request, object_id)
        if body is None:  # it was there a moment ago
            raise self.missing(object_id)
        return conditional_response(self.request, with_tag(body), dates=detail.read.dates(stamps))

    def missing(self, object_id: int | None = None) -> Exception:  # noqa: ARG002
        """404, whether somebody has such an object or nobody."""
        return RefusedError(404, not_found_message(self.kind()))


class SingleListResource(OwnResource):
    """A list of which each account has one: shown alike among lists, where it is alone, and by itself."""

    @classmethod
    def detail_fields(cls) -> dict:
        """As in the list."""
        return cls.row_fields()

    @classmethod
    def order(cls) -> tuple:
        """There is only one."""
        return (cls.model.__table__.c.id,)


@dataclass(frozen=True, eq=False)
class OwnListing(Listing):
    """The rows of a resource that are the caller's."""

    @classmethod
    def of(cls, resource: type[OwnResource], route: str) -> "OwnListing":
        """All of them, in the resource's order."""
        read = ReadDeclaration(route, None, route.removeprefix(ROUTE_PREFIX), NO_STAMPS)
        return cls(read, resource, (), resource.order(), resource.filters)

    def values(self, request, identity):
        return {"user": identity.user_id, "today": request.today}

    def _fetch(self, request, with_count, strategy, page_request, values):
        if "dbsession" in vars(request):  # `ensure_list` may have created the list in this transaction
            conditions = tuple(each.build() for each in page_request.clauses)
            return request.dbsession.execute(
                self._statement(with_count, strategy, conditions), values
            ).first()
        return super()._fetch(request, with_count, strategy, page_request, values)

    def _statement(self, with_count, strategy, conditions=()):
        conditions = (self.resource.caller_condition(), *conditions)
        return super()._statement(with_count, strategy, conditions).where(self.resource.list_exists())


@dataclass(frozen=True, eq=False)
class OwnDetail(Detail):
    """One row of a resource, if it is the caller's."""

    @classmethod
    def of(cls, resource: type[OwnResource], route: str) -> "OwnDetail":
        """The one with the id in the path."""
        stamps = select_stamps(resource.model.__table__, *resource.stamps).where(resource.caller_condition())
        return cls(
            ReadDeclaration(route, None, f"{resource.kind()}:retrieve", stamps, date_pairs=2), resource
        )

    def stamps(self, request, object_id: int) -> tuple | None:
        """The times of the row's last changes, None if the caller has no such row."""
        values = {"id": object_id, "user": request.identity.user_id}
        found = request.dbsession.execute(self.read.stamps, values).first()
        return found and tuple(found)

    def body(self, request, object_id: int) -> bytes | None:
        """The body of a row of the caller's."""
        return own_row_body(request, self.resource, self.resource.detail_fields, object_id)


def own_row_body(
    request, resource: type[OwnResource], fields: Callable[[], dict], object_id: int, **values
) -> bytes | None:
    """A row of the caller's as a body, as it is in the request's transaction; None without one.

    `values` are those of further parameters of the fields.
    """
    values |= {"id": object_id, "user": request.identity.user_id, **base_urls(request)}
    found = request.dbsession.scalar(_row(resource, fields), values)
    return found and to_json(orjson.loads(found))


@cache
def _row(resource: type[OwnResource], fields: Callable[[], dict]) -> Select:
    own = (resource.model.__table__.c.id == bindparam("id")) & resource.caller_condition()
    return expressions.row_as_json(
        select(*expressions.labelled_columns(fields())).select_from(resource.row_source()).where(own)
    )
