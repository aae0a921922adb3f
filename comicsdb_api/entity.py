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
"""

import re
from collections.abc import Callable

from cornice.service import Service

from comicsdb.models import Entity
from comicsdb.security import Permission, may
from comicsdb_api import reads, shapes
from comicsdb_api.conditional import respond_tagged, tagged
from comicsdb_api.errors import NOT_FOUND, Refused, missing
from comicsdb_api.filters import Filter, conditions
from comicsdb_api.listing import Children, detail_of, list_of
from comicsdb_api.reads import Read
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX, allow, respond

INTEGER = re.compile(r"-?[0-9]+")
LARGEST_ID = 2**31 - 1
ID_DIGITS = len(str(LARGEST_ID))


class Resource:
    """What one address serves, for one request: Cornice makes an instance for each."""

    title: str
    # The media types of its answers.
    renders: tuple[str, ...] = ("application/json",)

    def __init__(self, request, context=None):  # noqa: ARG002  (Cornice passes it)
        self.request = request

    @classmethod
    def described(cls, registry) -> dict:  # noqa: ARG003
        """What OpenAPI says of a GET that serves neither a list nor a detail.

        `content` of the answer, and if there are any more `headers` of it and `parameters` of the query.
        """
        return {"content": {media_type: {} for media_type in cls.renders}}

    def options(self):
        """What can be said about the address itself."""
        return respond(
            self.request,
            {
                "name": self.title,
                "description": (type(self).__doc__ or "").partition("\n")[0],
                "renders": list(self.renders),
                "parses": [],
            },
        )


class ListResource(Resource):
    """A list of named rows, page by page.

    Bodies are built by PostgreSQL from declarations: each field of a row is an SQL expression.
    """

    model: type
    filters: tuple[Filter, ...] = ()
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

    @property
    def title(self) -> str:
        """The name of the address, for OPTIONS."""
        return f"{self.kind()} list"

    def collection_get(self):
        """GET on the list."""
        settings = self.request.registry.settings
        return self.page(
            conditions(self.filters, self.request.api_parameters, zone=settings["comicsdb.timezone"])
        )

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
        """The answer to a read, from the cache where that is allowed; raises Refused (404).

        `create` makes the body; it is given the stamps and gives None if the object is not there.
        """
        stamps = reads.stamps(self.request, read, object_id)
        if stamps is None:
            raise self.missing()

        def entry() -> bytes:
            body = create(stamps)
            if body is None:  # it was there a moment ago
                raise self.missing()
            return tagged(body)

        if read.region is None:
            return respond_tagged(self.request, entry())
        return reads.answer(self.request, read, object_id, stamps, entry)

    def missing(self) -> Refused:
        """404 for an object that is not there."""
        return Refused(404, missing(self.model.__tablename__))


class EntityResource(ListResource):
    """An entity: list and detail. A kind overrides fields, sources and order where it differs."""

    model: type[Entity]
    row_shape = "Stamped"
    # Lists below the detail: URL segment → whose rows they show.
    actions: dict[str, Children] = {}
    # The stamps that move when the body of a detail changes.
    stamps: tuple[str, ...] = ("modified",)

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
        return shapes.by_name(cls.model.__table__)

    @classmethod
    def detail_fields(cls) -> dict:
        """The body of a detail: field → SQL expression, in the order shown."""
        return shapes.stamped_row(cls.model.__table__)

    @classmethod
    def detail_source(cls):
        """The tables that `detail_fields` reads."""
        return cls.model.__table__

    def get(self):
        """GET on one object."""
        object_id, detail = self.wanted_id(), self.served
        return self.through_cache(detail.read, object_id, lambda _: detail.body(self.request, object_id))

    def children_get(self):
        """GET on a list below one object."""
        return self.page(object_id=self.wanted_id())

    def wanted_id(self) -> int:
        """The id in the path; raises Refused (404) for what is none, or cannot be that of a row."""
        text = self.request.matchdict["id"]
        if not INTEGER.fullmatch(text):
            raise Refused(404, NOT_FOUND)
        digits = text.lstrip("0")
        if not 0 < len(digits) <= ID_DIGITS or not 0 < int(digits) <= LARGEST_ID:
            raise self.missing()
        return int(digits)


def add_entity_resource(config, resource: type[ListResource]) -> None:
    """Directive: serve a resource below /api/, whatever package it comes from.

    The list is `/api/<kind>/` on the route `api.<kind>.list`, the detail `/api/<kind>/{id}/` on `api.<kind>`,
    an action `/api/<kind>/{id}/<action>/` on `api.<kind>.<action>`.
    """
    kind = resource.kind()
    path = f"{PATH_PREFIX}{kind}/"
    list_route = f"{ROUTE_PREFIX}{kind}.list"
    config.registry["comicsdb_api.lists"][kind] = list_route
    serve(config, resource, list_route, path, "collection_get", served=list_of(resource, list_route))
    if issubclass(resource, EntityResource):
        route = f"{ROUTE_PREFIX}{kind}"
        serve(config, resource, route, path + "{id}/", "get", served=detail_of(resource, route))
        for action, children in resource.actions.items():
            route = f"{ROUTE_PREFIX}{kind}.{action}"
            listing = children.of(resource, route)
            serve(config, resource, route, f"{path}{{id}}/{action}/", "children_get", served=listing)


def serve(
    config,
    resource: type[Resource],
    route: str,
    path: str,
    reader: str,
    *,
    served=None,
    permission: str = Permission.API,
) -> None:
    """Serve one address: a Cornice service that reads by the method `reader` and tells about itself.

    `served` is what the method finds under that name: a Listing or a Detail.
    """
    service = Service(route, path, description=resource.__doc__)
    service.add_view("GET", reader, klass=resource, permission=permission)
    service.add_view("OPTIONS", "options", klass=resource, permission=Permission.API)
    config.add_cornice_service(service)
    config.registry["comicsdb_api.reads"][route] = served
    if may(None, permission):
        config.registry["comicsdb_api.public"].add(route)
    allow(config, route, service.defined_methods)


def includeme(config):
    """The directive, the list of what the root lists, and what each route reads."""
    config.registry["comicsdb_api.lists"] = {}
    config.registry["comicsdb_api.reads"] = {}
    config.add_directive("add_entity_resource", add_entity_resource)
