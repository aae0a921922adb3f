"""Private data of accounts: lists and details that contain only the caller's own rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import orjson
from sqlalchemy import ColumnElement, Date, Integer, Select, bindparam, literal_column, select, true

from comicsdb.catalog import NotFoundError
from comicsdb.readcache.etag import with_tag
from comicsdb.readcache.validators import select_stamps
from comicsdb.schemas.collection import no_issue
from comicsdb.security import Permission
from comicsdb_api.errors import BadRequestError
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import EntityResource, ListResource, serve
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.listing import Detail, Listing, PageRequest
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX, base_urls, to_json

CALLER_ID = bindparam("user", type_=Integer)  # the caller's account
TODAY = bindparam("today", type_=Date)  # the business day
NO_STAMPS = select(literal_column("1").label("own"))


class OwnResource(EntityResource):
    """A resource of which callers see only their own rows."""

    missing = ListResource.missing  # the same whether or not another account has such an object

    @classmethod
    def caller_condition(cls) -> ColumnElement[bool]:
        """The condition on the resource's table for rows of the account in the parameter `user`."""
        return cls.model.__table__.c.user_id == CALLER_ID

    @classmethod
    def list_exists(cls) -> ColumnElement[bool]:
        """The condition that the account in the parameter `user` has its list; see `ensure_list`."""
        return true()

    def ensure_list(self) -> None:
        """Create the account's list before its first read, if each account has one."""

    def page(self, object_id: int | None = None):
        """The response with the requested page of the caller's rows that meet the conditions."""
        self.ensure_list()
        request, listing = self.request, self.served
        body = listing.page(request, (), PageRequest.of(request, listing, request.identity, object_id))
        return conditional_response(request, with_tag(body))

    def get(self):
        """GET on one of the caller's objects; 404 for those of other accounts."""
        self.ensure_list()
        object_id, detail = self.id_in_path(), self.served
        stamps = detail.stamps(self.request, object_id)
        if stamps is None:
            raise self.missing(object_id)
        body = detail.body(self.request, object_id)
        if body is None:  # deleted concurrently
            raise self.missing(object_id)
        return conditional_response(self.request, with_tag(body), dates=detail.read.dates(stamps))


class SingleListResource(OwnResource):
    """A list of which each account has exactly one; the list of lists and the detail have the same fields."""

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of the row."""
        return cls.row_fields()

    @classmethod
    def order(cls) -> tuple:
        """By id; there is only one."""
        return (cls.model.__table__.c.id,)


@dataclass(frozen=True, eq=False)
class OwnListing(Listing):
    """The Listing of the caller's rows of a resource."""

    @classmethod
    def of(cls, resource: type[OwnResource], route: str) -> "OwnListing":
        """The Listing of all the caller's rows, in the resource's order."""
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
    """The Detail of the caller's rows of a resource."""

    @classmethod
    def of(cls, resource: type[OwnResource], route: str) -> "OwnDetail":
        """The Detail of a resource on a route."""
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
        """The body of one of the caller's rows."""
        return own_row_body(request, self.resource, self.resource.detail_fields, object_id)


def own_row_body(
    request, resource: type[OwnResource], fields: Callable[[], dict], object_id: int, **values
) -> bytes | None:
    """The body of one of the caller's rows, as seen by the request's transaction; None if there is none.

    `values` has the values of further parameters in the fields.
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


@contextmanager
def issue_in_body(issue_id: int) -> Iterator[None]:
    """Raise BadRequestError for `issue_id` if the issue that the body names does not exist."""
    try:
        yield
    except NotFoundError as error:
        raise BadRequestError({"issue_id": [no_issue(issue_id)]}) from error


def serve_own(config, name: str, *services: tuple) -> None:
    """Serve resources with the caller's data below /api/<name>/; the list has the route `api.<name>.list`.

    Each is a resource, the rest of its route and path, its methods, and the class of its Listing or Detail.
    """
    config.registry["comicsdb_api.lists"][name] = f"{ROUTE_PREFIX}{name}.list"
    for resource, action, path, methods, *declared in services:
        route = f"{ROUTE_PREFIX}{name}{action}"
        served = declared[0].of(resource, route) if declared else None
        own = {"permission": Permission.LIBRARY, "writing": Permission.LIBRARY}
        serve(config, resource, route, f"{PATH_PREFIX}{name}/{path}", methods, served=served, **own)
