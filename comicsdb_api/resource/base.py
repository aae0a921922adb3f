"""Resources: what every kind of object served by the API has in common, and the directive that serves one.

A package serves a model of its own (a subclass of `comicsdb.models.Entity`) with a few lines::

    class RatingResource(EntityResource):
        model = Rating

        @classmethod
        def detail_fields(cls):
            return super().detail_fields() | {"score": Rating.__table__.c.score}


    def includeme(config):
        config.include("comicsdb_api")
        config.add_entity_resource(RatingResource)

It is written through the API as well once the catalogue knows the kind (`config.add_catalogue_kind`) and the
resource names its `schema` (a subclass of `comicsdb.schemas.EntitySchema`)::

    class RatingResource(EntityResource):
        model = Rating
        schema = RatingSchema
"""

import re
from collections.abc import Callable

from cornice.service import Service

from comicsdb.catalog import MovedError
from comicsdb.catalog.kinds import kind_of
from comicsdb.models import Entity
from comicsdb.models.base import INTEGER_MAX, largest
from comicsdb.readcache.etag import tagged
from comicsdb.schemas import ObjectSchema
from comicsdb.security import Permission, may
from comicsdb.values import whole_number
from comicsdb_api.errors import NOT_FOUND, RefusedError, missing
from comicsdb_api.resource import bodies, cached_reads, paging, shapes, writes
from comicsdb_api.resource.acts import Act
from comicsdb_api.resource.cached_reads import Read
from comicsdb_api.resource.conditional import respond_tagged
from comicsdb_api.resource.filters import Filter, read
from comicsdb_api.resource.listing import Children, detail_of, list_of
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX, WRITES, allow, respond

_INTEGER = re.compile(r"-?[0-9]+")


def number_in(request, name: str, high: int = INTEGER_MAX) -> int | None:
    """The id in the path, None for one that no row can have; raises RefusedError for what is no number."""
    text = request.matchdict[name]
    if not _INTEGER.fullmatch(text):
        raise RefusedError(404, NOT_FOUND)
    return whole_number(text.lstrip("0"), 1, high)


class Resource:
    """What one address serves, for one request: Cornice makes an instance for each."""

    title: str
    # The media types of its answers.
    renders: tuple[str, ...] = ("application/json",)
    # The media types of bodies that it takes, where it takes any.
    parses: tuple[str, ...] = bodies.ANY
    # Whether GET reads rows, though not page by page.
    is_feed = False
    # Its writes that neither make nor change an object of a kind, by method.
    acts: dict[str, Act] = {}

    def __init__(self, request, context=None):  # noqa: ARG002  (Cornice passes it)
        self.request = request

    @classmethod
    def described(cls, registry) -> dict:  # noqa: ARG003
        """The description in OpenAPI of a GET that serves neither a list nor a detail.

        `content` of the answer, and if there are any more `headers` of it and `parameters` of the query.
        """
        return {"content": {media_type: {} for media_type in cls.renders}}

    def options(self):
        """What can be said about the address itself."""
        allowed = self.request.registry["comicsdb_api.allow"][self.request.matched_route.name]
        return respond(
            self.request,
            {
                "name": self.title,
                "description": (type(self).__doc__ or "").partition("\n")[0],
                "renders": list(self.renders),
                "parses": list(self.parses) if set(allowed.split(", ")) & set(WRITES) else [],
            },
        )


class ListResource(Resource):
    """A list of named rows, page by page.

    Bodies are built by PostgreSQL from declarations: each field of a row is an SQL expression.
    """

    model: type
    filters: tuple[Filter, ...] = ()
    page_size = paging.SIZE
    # Whether answers go through the cache: only where every change of a body moves its stamps.
    cached = False
    # The word for a row in the API's description.
    row_shape = ""
    # The kinds whose data a list shows, sorts or filters by; its own alone if empty.
    depends: tuple[str, ...] = ()

    @classmethod
    def kind(cls) -> str:
        """The word for what is served: URL segment and part of the route names."""
        return cls.model.__tablename__

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """What the address of the list offers: method of HTTP → method of this class."""
        return {"GET": "collection_get"}

    @classmethod
    def row_fields(cls) -> dict:
        """A row of the list: field → SQL expression, in the order shown."""
        raise NotImplementedError

    @classmethod
    def row_source(cls):
        """The tables that `row_fields` and `order` read."""
        return cls.model.__table__

    @classmethod
    def order(cls) -> tuple:
        """The columns the list is ordered by: a total order."""
        raise NotImplementedError

    @classmethod
    def key(cls):
        """The column that identifies rows."""
        return cls.model.__table__.c.id

    @property
    def title(self) -> str:
        """The name of the address, for OPTIONS."""
        return f"{self.kind()} list"

    def collection_get(self):
        """GET on the list."""
        settings = self.request.registry.settings
        return self.page(read(self.filters, self.request.api_parameters, zone=settings["comicsdb.timezone"]))

    def page(self, conditions=(), object_id: int | None = None):
        """The page that the caller asks for, of what the address lists."""
        listing = self.served
        return self.through_cache(
            listing.read, object_id, lambda stamps: listing.page(self.request, object_id, stamps, conditions)
        )

    @property
    def served(self):
        """What the address of the request reads: a Listing or a Detail."""
        return self.request.registry["comicsdb_api.reads"][self.request.matched_route.name]

    def through_cache(self, read: Read, object_id: int | None, create: Callable[[tuple], bytes | None]):
        """The answer to a read, from the cache where that is allowed; raises RefusedError (404).

        `create` makes the body; it is given the stamps and gives None if the object is not there.
        """
        stamps = cached_reads.stamps(self.request, read, object_id)
        if stamps is None:
            raise self.missing(object_id)

        def entry() -> bytes:
            body = create(stamps)
            if body is None:  # it was there a moment ago
                raise self.missing(object_id)
            return tagged(body)

        if read.region is None:
            return respond_tagged(self.request, entry())
        return cached_reads.answer(self.request, read, object_id, stamps, entry)

    def missing(self, object_id: int | None = None) -> Exception:  # noqa: ARG002  (entities look it up)
        """404 for an object that is not there."""
        return RefusedError(404, missing(self.model.__tablename__))


class EntityResource(ListResource):
    """An entity: list and detail. A kind overrides fields, sources and order where it differs."""

    model: type[Entity]
    row_shape = "Stamped"
    # Lists below the detail: URL segment → whose rows they show.
    actions: dict[str, Children] = {}
    # The stamps that move when the body of a detail changes.
    stamps: tuple[str, ...] = ("modified",)
    # What a body that is written has to be like; without one nothing is written.
    schema: type[ObjectSchema] | None = None
    # Whether POST takes a list of objects.
    many = False
    # Fields of a detail that the answer to a write does not have.
    unwritten: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the address, for OPTIONS."""
        return self.kind() if "id" in self.request.matchdict else super().title

    @classmethod
    def row_fields(cls) -> dict:
        """Stamped: id, name and the row's own `modified`."""
        return shapes.stamped_row(cls.model.__table__)

    @classmethod
    def order(cls) -> tuple:
        """By name."""
        return shapes.by_order(cls.model)

    @classmethod
    def detail_fields(cls) -> dict:
        """The body of a detail: field → SQL expression, in the order shown."""
        return shapes.stamped_row(cls.model.__table__)

    @classmethod
    def detail_source(cls):
        """The tables that `detail_fields` reads."""
        return cls.model.__table__

    @classmethod
    def list_methods(cls) -> dict[str, str]:
        """With a schema also POST."""
        return super().list_methods() | ({"POST": "collection_post"} if cls.schema else {})

    @classmethod
    def detail_methods(cls) -> dict[str, str]:
        """What the address of one object offers; with a schema also PUT and PATCH."""
        return {"GET": "get"} | ({"PUT": "put", "PATCH": "patch"} if cls.schema else {})

    @classmethod
    def written_fields(cls) -> dict:
        """The answer to a write: as the detail, but with the ids of what the object is linked to."""
        kind, table = kind_of(cls.model), cls.model.__table__
        detail = cls.detail_fields()
        ids = {field: table.c[f"{field}_id"] for field in kind.parents}
        for link in kind.links:
            if link.field in detail:
                ids[link.field] = shapes.ids_of(detail[link.field], link.table.c[link.other])
        return {name: ids.get(name, detail[name]) for name in detail if name not in cls.unwritten}

    @classmethod
    def written_source(cls):
        """The tables that `written_fields` reads."""
        return cls.model.__table__

    @classmethod
    def pictures(cls) -> writes.Pictures | None:
        """How the kind has pictures, if it has any."""
        return writes.Pictures.of(kind_of(cls.model))

    def collection_post(self):
        """Create an object."""
        sent = bodies.read(self.request, self.parses)
        return writes.once(self.request, sent, lambda: self.create(sent))

    def create(self, sent: bodies.Sent) -> bytes:
        """A new object out of what was sent; gives the body that shows it, or raises BadRequestError."""
        draft = writes.Draft(self.request, sent, self.schema, self.pictures(), partial=False)
        object_id = draft.written(self.make, lambda values: self.faults(None, values))
        return writes.shown(self.request, type(self), object_id)

    def put(self):
        """Replace what is sent of an object, all that it cannot be without included."""
        return self.change(partial=False)

    def patch(self):
        """Change what is sent of an object."""
        return self.change(partial=True)

    def change(self, *, partial: bool):
        """PUT and PATCH; the rest of the object stays."""
        request = self.request
        sent = bodies.read(request, self.parses)
        entity = self.wanted()
        draft = writes.Draft(request, sent, self.schema, self.pictures(), partial=partial)
        if writes.is_conditional(request):
            request.catalog.lock(entity)  # so that what is compared is what will be changed
            if writes.has_changed(request, self.served, entity.id):
                return writes.changed(request)
        draft.written(lambda values: self.alter(entity, values), lambda values: self.faults(entity, values))
        return writes.respond(request, 200, writes.shown(request, type(self), entity.id))

    # What the catalogue does for that.

    def wanted(self):
        """The object with the id in the path; raises what the catalogue raises if there is none."""
        return self.request.catalog.get(self.model, self.wanted_id())

    def make(self, values: dict) -> int:
        """Create an object; gives its id, or raises InvalidError or ConflictError."""
        return self.request.catalog.create(self.model, values).id

    def alter(self, entity, values: dict) -> None:
        """Change an object; raises InvalidError or ConflictError."""
        self.request.catalog.update(entity, values)

    def faults(self, entity, values: dict) -> tuple[dict, list]:
        """All that would be said against values: messages by field, and conflicts."""
        return self.request.catalog.faults(self.model, entity, values)

    def get(self):
        """GET on one object."""
        object_id, detail = self.wanted_id(), self.served
        return self.through_cache(detail.read, object_id, lambda _: detail.body(self.request, object_id))

    def children_get(self):
        """GET on a list below one object."""
        return self.page(object_id=self.wanted_id())

    def missing(self, object_id: int | None = None) -> Exception:
        """404 for an object that is not there; one that was merged leads to where it lives on."""
        if object_id is not None:
            survivor = self.request.catalog.survivor(self.model, object_id)
            if survivor is not None:
                return MovedError(survivor)
        return super().missing()

    def wanted_id(self, name: str = "id") -> int:
        """The id in the path; raises RefusedError (404) for what is none, or cannot be that of a row."""
        number = number_in(self.request, name, largest(self.model.__table__.c.id.type))
        if number is None:
            raise self.missing()
        return number


def add_entity_resource(config, resource: type[ListResource]) -> None:
    """Directive: serve a resource below /api/, whatever package it comes from.

    The list is `/api/<kind>/` on the route `api.<kind>.list`, the detail `/api/<kind>/{id}/` on `api.<kind>`,
    an action `/api/<kind>/{id}/<action>/` on `api.<kind>.<action>`. With a schema the kind is written: by
    POST to the list, and by PUT and PATCH to the detail.
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
        for action, children in resource.actions.items():
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
    permission: str = Permission.API,
    writing: str = Permission.API_EDIT,
) -> None:
    """Serve one address: a Cornice service with its description, HTTP methods and the resource's methods.

    `served` is what reads it: a Listing or a Detail. `permission` is that of reading, `writing` that
    of methods which write.
    """
    service = Service(route, path, description=resource.__doc__)
    for method, name in methods.items():
        asked = writing if method in WRITES else permission
        service.add_view(method, name, klass=resource, permission=asked)
    service.add_view("OPTIONS", "options", klass=resource, permission=Permission.API)
    config.add_cornice_service(service)
    config.registry["comicsdb_api.reads"][route] = served
    if served is not None:
        config.cache_reads(served)
    if may(None, permission):
        config.registry["comicsdb_api.public"].add(route)
    allow(config, route, service.defined_methods)


def includeme(config):
    """The directive, the list of what the root lists, and what each route reads."""
    config.registry["comicsdb_api.lists"] = {}
    config.registry["comicsdb_api.reads"] = {}
    config.add_directive("add_entity_resource", add_entity_resource)
