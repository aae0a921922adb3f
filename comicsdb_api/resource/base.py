"""The base classes of resources for all kinds that the API serves, and the directive that adds one.

A package can serve a model of its own (a subclass of `comicsdb.models.Entity`) with a few lines::

    class RatingResource(EntityResource):
        model = Rating

        @classmethod
        def detail_fields(cls):
            return super().detail_fields() | {"score": Rating.__table__.c.score}


    def includeme(config):
        config.include("comicsdb_api")
        config.add_entity_resource(RatingResource)

It can also be written through the API if the kind is registered (`config.add_catalog_kind`) and the
resource has a `schema` (a subclass of `comicsdb.schemas.EntitySchema`)::

    class RatingResource(EntityResource):
        model = Rating
        schema = RatingSchema
"""

import re
from collections.abc import Callable
from functools import cache

from cornice.service import Service
from sqlalchemy import bindparam, select

from comicsdb.catalog import MovedError
from comicsdb.catalog.kinds import kind_of
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.mirror import ORIGIN
from comicsdb.models import Entity
from comicsdb.models.base import INTEGER_MAX, max_value
from comicsdb.readcache.etag import with_tag
from comicsdb.schemas import ObjectSchema
from comicsdb.security import Permission
from comicsdb.tags import TagFormat
from comicsdb.values import whole_number
from comicsdb_api.errors import NOT_FOUND, RefusedError, not_found_message
from comicsdb_api.resource import bodies, cached_reads, expressions, paging, writes
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.derived_reads import apply_options
from comicsdb_api.resource.filters import Filter
from comicsdb_api.resource.listing import ChildList, Listing, PageRequest, detail_of, list_of
from comicsdb_api.resource.operations import Operation
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX, WRITE_METHODS, json_response, register_methods

_INTEGER = re.compile(r"-?[0-9]+")


def integer_in_path(request, name: str, high: int = INTEGER_MAX) -> int | None:
    """The id in the path, None if no row can have it; raises RefusedError if it is not a number."""
    text = request.matchdict[name]
    if not _INTEGER.fullmatch(text):
        raise RefusedError(404, NOT_FOUND)
    return whole_number(text.lstrip("0"), 1, high)


class Resource:
    """A resource at one path, for one request: Cornice creates an instance for each."""

    title: str
    # Media types of responses.
    renders: tuple[str, ...] = ("application/json",)
    # Media types of request bodies.
    parses: tuple[str, ...] = bodies.MEDIA_TYPES
    # Whether GET returns rows, but not in pages.
    is_feed = False
    # Writes that neither create nor change an object of a kind, by method.
    operations: dict[str, Operation] = {}
    # The permission to read; if anonymous reading is disabled, API_READ becomes API.
    permission: str = Permission.API_READ
    # How many of the day's requests a response counts as, by method, if more than one.
    costs: dict[str, int] = {}

    def __init__(self, request, context=None):  # noqa: ARG002  (Cornice passes it)
        self.request = request

    @classmethod
    def openapi_description(cls, registry) -> dict:  # noqa: ARG003
        """The OpenAPI description of a GET that serves neither a list nor a detail.

        The `content` of the response or its `body`, and optionally further `headers` and query `parameters`.
        """
        return {"content": {media_type: {} for media_type in cls.renders}}

    def options(self):
        """OPTIONS: a description of the resource."""
        allowed = self.request.registry["comicsdb_api.allow"][self.request.matched_route.name]
        return json_response(
            self.request,
            {
                "name": self.title,
                "description": (type(self).__doc__ or "").partition("\n")[0],
                "renders": list(self.renders),
                "parses": list(self.parses) if set(allowed.split(", ")) & set(WRITE_METHODS) else [],
            },
        )


class ListResource(Resource):
    """A paginated list of named rows.

    PostgreSQL builds the bodies from declarations: each field of a row is an SQL expression.
    """

    model: type
    filters: tuple[Filter, ...] = ()
    # Sets of filters for which one query plan is good for all values; others are planned for each request.
    generic_plan_filters: tuple[set[str], ...] = ()
    page_size = paging.PAGE_SIZE
    # Whether responses are cached, which requires that every change of a body updates its stamps.
    cached = False
    # Whether lists and details have the options `fields`, `include` and the like.
    has_options = False
    # The class of the list's declaration.
    listing = Listing
    # The name of a row's schema in the OpenAPI document.
    row_shape = ""
    # The kinds whose data a list shows, sorts or filters by; only its own if empty.
    depends_on: tuple[str, ...] = ()

    @classmethod
    def kind(cls) -> str:
        """The kind's name, which is its URL segment and part of its route names."""
        return cls.model.__tablename__

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """The methods of the list: HTTP method → method of this class."""
        return {"GET": "collection_get"}

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of a row: field → SQL expression, in order."""
        raise NotImplementedError

    @classmethod
    def optional_fields(cls) -> dict:
        """Fields that a list or detail has only on request; requires `has_options`."""
        return {}

    @classmethod
    def row_source(cls):
        """The tables that `row_fields` and `order` read."""
        return cls.model.__table__

    @classmethod
    def order(cls) -> tuple:
        """The columns that the list is ordered by: a total order."""
        raise NotImplementedError

    @classmethod
    def sort_orders(cls) -> dict[str, tuple]:
        """Other orders by name: ascending columns, all in one index; requires `has_options`."""
        return {}

    @classmethod
    def key(cls):
        """The column that identifies rows."""
        return cls.model.__table__.c.id

    @property
    def title(self) -> str:
        """The name of the resource for OPTIONS."""
        return f"{self.kind()} list"

    def collection_get(self):
        """GET on the list."""
        return self.page()

    def page(self, object_id: int | None = None):
        """The response with the requested page."""
        request, listing = self.request, apply_options(self.served, self.request)
        return self.cached_response(
            listing,
            object_id,
            lambda stamps: listing.page(
                request, stamps, PageRequest.of(request, listing, request.identity, object_id)
            ),
        )

    @property
    def served(self):
        """The Listing or Detail of the request's route."""
        return self.request.registry["comicsdb_api.reads"][self.request.matched_route.name]

    def cached_response(self, served, object_id: int | None, create: Callable[[tuple], bytes | None]):
        """The response to a read, from the cache if the resource is cached; raises RefusedError (404).

        `create` returns the body for the stamps, or None if the object does not exist.
        """
        stamps = cached_reads.stamps(self.request, served.read, object_id)
        if stamps is None:
            raise self.missing(object_id)

        def entry() -> bytes:
            body = create(stamps)
            if body is None:  # deleted concurrently
                raise self.missing(object_id)
            return with_tag(body)

        if served.read.region is None:
            body = entry()
            return conditional_response(self.request, body, paging.headers(self.request))
        return cached_reads.cached_response(self.request, served, object_id, stamps, entry)

    def missing(self, object_id: int | None = None) -> Exception:  # noqa: ARG002  (entities look it up)
        """404 for an object that does not exist."""
        return RefusedError(404, not_found_message(self.model.__tablename__))


class EntityResource(ListResource):
    """The list and details of a kind; subclasses override fields, sources and order where they differ."""

    model: type[Entity]
    row_shape = "Stamped"
    # Lists below the detail, by URL segment.
    child_lists: dict[str, ChildList] = {}
    # The stamps that change with the body of a detail.
    stamps: tuple[str, ...] = ("modified",)
    # The formats of a detail besides JSON.
    tag_formats: tuple[TagFormat, ...] = ()
    # The schema of request bodies; without one the resource is read-only.
    schema: type[ObjectSchema] | None = None
    # Whether POST accepts a list of objects.
    accepts_list = False
    # Fields of a detail that responses to writes lack.
    omitted_from_writes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the resource for OPTIONS."""
        return self.kind() if "id" in self.request.matchdict else super().title

    @classmethod
    def row_fields(cls) -> dict:
        """Stamped: id, name and the row's own `modified`."""
        return expressions.stamped_row(cls.model.__table__)

    @classmethod
    def order(cls) -> tuple:
        """By name."""
        return expressions.by_kind_order(cls.model)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail: field → SQL expression, in order."""
        return expressions.stamped_row(cls.model.__table__)

    @classmethod
    def tag_fields(cls) -> dict:
        """The fields that the formats besides JSON are generated from."""
        return cls.detail_fields()

    @classmethod
    def detail_source(cls):
        """The tables that `detail_fields` reads."""
        return cls.model.__table__

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """Also POST if the resource has a schema."""
        return super().list_methods() | ({"POST": "collection_post"} if cls.schema else {})

    @classmethod
    def detail_methods(cls) -> dict[str, str]:
        """The methods of a detail: GET, and with a schema also PUT and PATCH."""
        return {"GET": "get"} | ({"PUT": "put", "PATCH": "patch"} if cls.schema else {})

    @classmethod
    def written_fields(cls) -> dict:
        """The fields of the response to a write: those of the detail, but with ids of linked objects."""
        kind, table = kind_of(cls.model), cls.model.__table__
        detail = cls.detail_fields()
        ids = {field: table.c[f"{field}_id"] for field in kind.parents}
        for link in kind.links:
            if link.field in detail:
                ids[link.field] = expressions.ids_in_list(detail[link.field], link.table.c[link.other])
        return {name: ids.get(name, detail[name]) for name in detail if name not in cls.omitted_from_writes}

    @classmethod
    def written_source(cls):
        """The tables that `written_fields` reads."""
        return cls.model.__table__

    @classmethod
    def pictures(cls) -> writes.PictureField | None:
        """The declaration of the kind's pictures, or None."""
        return writes.PictureField.of(kind_of(cls.model))

    def collection_post(self):
        """Create an object."""
        sent = bodies.parse_body(self.request, self.parses)
        return writes.create_idempotently(self.request, sent, lambda: self.create(sent))

    def create(self, sent: bodies.ParsedBody) -> bytes:
        """Create an object from a body; returns the body of the response. Raises BadRequestError."""
        draft = writes.Draft(self.request, sent, self.schema, self.pictures(), partial=False)
        object_id = draft.save(self.create_entity, lambda values: self.all_errors(None, values))
        return writes.written_body(self.request, type(self), object_id)

    def put(self):
        """PUT: change the fields sent; required ones must be among them."""
        return self.change(partial=False)

    def patch(self):
        """PATCH: change the fields sent."""
        return self.change(partial=True)

    def change(self, *, partial: bool):
        """Change an object; returns the response to PUT or PATCH."""
        request = self.request
        sent = bodies.parse_body(request, self.parses)
        object_id = self.id_in_path()
        self.require_entity(object_id)
        draft = writes.Draft(request, sent, self.schema, self.pictures(), partial=partial)
        if writes.is_conditional(request):
            # The row is locked first, so that the conditions are checked for the state that is changed.
            request.catalog.get_for_update(self.model, object_id)
            if writes.has_changed(request, self.served, object_id):
                return writes.precondition_failed(request)
        draft.save(
            lambda values: self.update_entity(object_id, values),
            lambda values: self.all_errors(self.load_entity(), values),
        )
        return writes.encoded_json_response(request, 200, writes.written_body(request, type(self), object_id))

    # Calls to the catalog.

    def load_entity(self):
        """The object with the id in the path; raises the catalog's errors."""
        return self.request.catalog.get(self.model, self.id_in_path())

    def require_entity(self, object_id: int) -> None:
        """Raise the catalog's errors if no object has the id. It is only loaded later, with a lock."""
        if self.request.read_pool.fetch(_existing(self.model), {"id": object_id}) is None:
            self.request.catalog.get(self.model, object_id)

    def create_entity(self, values: dict) -> int:
        """Create an object; returns its id. Raises InvalidError or ConflictError."""
        return self.request.catalog.create(self.model, values).id

    def update_entity(self, object_id: int, values: dict) -> None:
        """Change an object; raises InvalidError or ConflictError."""
        catalog = self.request.catalog
        catalog.update(catalog.get_for_update(self.model, object_id), values)

    def all_errors(self, entity, values: dict) -> tuple[dict, list]:
        """All errors of values: messages by field, and conflicts."""
        return self.request.catalog.find_errors(self.model, entity, values)

    def get(self):
        """GET on one object."""
        object_id, detail = self.id_in_path(), apply_options(self.served, self.request)
        return self.cached_response(detail, object_id, lambda _: detail.body(self.request, object_id))

    def children_get(self):
        """GET on a list below one object."""
        return self.page(object_id=self.id_in_path())

    def missing(self, object_id: int | None = None) -> Exception:
        """404 for an object that does not exist; a redirect for a merged one."""
        if object_id is not None:
            survivor = self.request.catalog.survivor(self.model, object_id)
            if survivor is not None:
                return MovedError(survivor)
        return super().missing()

    def id_in_path(self, name: str = "id") -> int:
        """The id in the path; raises RefusedError (404) if it cannot be an id."""
        number = integer_in_path(self.request, name, max_value(self.model.__table__.c.id.type))
        if number is None:
            raise self.missing()
        return number


@cache
def _existing(model) -> CompiledQuery:
    column = model.__table__.c.id
    return CompiledQuery.of(select(column).where(column == bindparam("id")))


def add_entity_resource(config, resource: type[ListResource]) -> None:
    """Directive: serve a resource below /api/.

    The list is at `/api/<kind>/` (route `api.<kind>.list`), the detail at `/api/<kind>/{id}/` (`api.<kind>`),
    and a child list at `/api/<kind>/{id}/<action>/` (`api.<kind>.<action>`). With a schema, the list also has
    POST, and the detail PUT and PATCH.
    """
    kind = resource.kind()
    path = f"{PATH_PREFIX}{kind}/"
    list_route = f"{ROUTE_PREFIX}{kind}.list"
    config.registry["comicsdb_api.lists"][kind] = list_route
    methods = resource.list_methods()
    serve(config, resource, list_route, path, methods, served=list_of(resource, list_route))
    if issubclass(resource, EntityResource):
        route = f"{ROUTE_PREFIX}{kind}"
        methods = resource.detail_methods()
        serve(config, resource, route, path + "{id}/", methods, served=detail_of(resource, route))
        for action, children in resource.child_lists.items():
            route = f"{ROUTE_PREFIX}{kind}.{action}"
            listing = children.of(resource, route)
            methods = {"GET": "children_get"}
            serve(config, resource, route, f"{path}{{id}}/{action}/", methods, served=listing)


def serve(
    config,
    resource: type[Resource],
    route: str,
    path: str,
    methods: dict[str, str],
    *,
    served=None,
    permission: str | None = None,
    writing: str = Permission.API_EDIT,
) -> None:
    """Serve a resource at one path, as a Cornice service; `methods` maps HTTP methods to the resource's.

    `served` is a Listing or a Detail. `permission` is for reading, by default the resource's; `writing` is
    for writing methods: Permission.API for those that only read.
    """
    permission = permission or resource.permission
    if permission == Permission.API_READ and not config.get_settings()["comicsdb_api.anonymous"]:
        permission = Permission.API
    if writing == Permission.API and config.get_settings()[ORIGIN]:
        permission = writing = Permission.API_READ  # a mirror has no accounts
    service = Service(route, path, description=resource.__doc__)
    for method, name in methods.items():
        asked = writing if method in WRITE_METHODS else permission
        service.add_view(method, name, klass=resource, permission=asked)
        config.registry["comicsdb_api.costs"][route, method] = resource.costs.get(method, 1)
    service.add_view("OPTIONS", "options", klass=resource, permission=Permission.API)
    config.add_cornice_service(service)
    config.registry["comicsdb_api.reads"][route] = served
    if served is not None:
        config.registry["comicsdb_api.formats"][route] = served.formats
        config.cache_reads(served, permission)
    config.registry["comicsdb_api.permissions"][route] = permission
    register_methods(config, route, service.defined_methods)


def includeme(config):
    """Add the directive, and the registries of lists by kind and of reads by route."""
    config.registry["comicsdb_api.lists"] = {}
    config.registry["comicsdb_api.reads"] = {}
    config.add_directive("add_entity_resource", add_entity_resource)
