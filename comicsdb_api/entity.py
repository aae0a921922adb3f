"""Resources: what every kind of object served by the API has in common, and the directive that serves one.

A package serves a model of its own (a subclass of `comicsdb.models.Entity`) with a few lines::

    class RatingResource(EntityResource):
        model = Rating

        def detail(self, row):
            return self.summary(row) | {"score": row.score}


    def includeme(config):
        config.include("comicsdb_api")
        config.add_entity_resource(RatingResource)
"""

import re
from functools import cache
from urllib.parse import quote

from cornice.service import Service
from sqlalchemy import Select, bindparam, func, select

from comicsdb.models import Entity
from comicsdb.security import Permission
from comicsdb_api import paging, shapes
from comicsdb_api.errors import NOT_FOUND, Refused, missing
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX, allow, respond

INTEGER = re.compile(r"-?[0-9]+")
LARGEST_ID = 2**31 - 1
ID_DIGITS = len(str(LARGEST_ID))


class Resource:
    """What one address serves, for one request: Cornice makes an instance for each.

    Bodies come from a small, constant number of statements over tables, without loading entities; the
    statements of a class are built once.
    """

    title: str

    def __init__(self, request, context=None):  # noqa: ARG002  (Cornice passes it)
        self.request = request

    def options(self):
        """What can be said about the address itself."""
        return respond(
            self.request,
            {
                "name": self.title,
                "description": (type(self).__doc__ or "").partition("\n")[0],
                "renders": ["application/json"],
                "parses": [],
            },
        )

    def rows(self, statement, **parameters):
        """The result of a statement."""
        return self.request.dbsession.execute(statement, parameters)


class ListResource(Resource):
    """A list of named rows, page by page."""

    model: type

    @classmethod
    def kind(cls) -> str:
        """The word for what is served: URL segment and part of the route names."""
        return cls.model.__tablename__

    @classmethod
    def list_query(cls) -> Select:
        """The rows of the list, in a total order, with what `summary` reads."""
        raise NotImplementedError

    def summary(self, row) -> dict:
        """A row as an item of a list."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The name of the address, for OPTIONS."""
        return f"{self.kind()} list"

    def collection_get(self):
        """GET on the list."""
        count = self.rows(_list_count(type(self))).scalar_one()
        return self.page(_list_page(type(self)), count)

    def page(self, query: Select, count: int, **parameters):
        """The page that the caller asks for, of the rows of `query`."""
        pages = paging.page_count(count)
        number = paging.page_number(self.request, pages)
        window = {"limit": paging.PAGE_SIZE, "offset": (number - 1) * paging.PAGE_SIZE}
        results = [self.summary(row) for row in self.rows(query, **window, **parameters)]
        return respond(self.request, paging.envelope(self.request, number, pages, count, results))


class EntityResource(ListResource):
    """An entity: list and detail. A kind overrides the queries, `summary` and `detail` where it differs."""

    model: type[Entity]
    # Further addresses below the detail: URL segment → method.
    actions: dict[str, str] = {}

    @property
    def title(self) -> str:
        """The name of the address, for OPTIONS."""
        return self.kind() if "id" in self.request.matchdict else super().title

    @classmethod
    def list_query(cls) -> Select:
        """The rows of the list: id, name, modified, by name."""
        c = cls.model.__table__.c
        return select(c.id, c.name, c.modified).order_by(*shapes.by_name(cls.model.__table__))

    @classmethod
    def detail_query(cls) -> Select:
        """The row with the id that is bound as `id`: all its columns but those made for search."""
        table = cls.model.__table__
        return select(*(column for column in table.c if column.computed is None)).where(
            table.c.id == bindparam("id")
        )

    def summary(self, row) -> dict:
        """Stamped: id, name and the row's own `modified`."""
        return {"id": row.id, "name": row.name, "modified": shapes.utc(row.modified)}

    def detail(self, row) -> dict:
        """A row as a body of its own."""
        return self.summary(row)

    def get(self):
        """GET on one object."""
        row = self.rows(_detail(type(self)), id=self.wanted_id()).one_or_none()
        if row is None:
            raise self.missing()
        return respond(self.request, self.detail(row))

    def wanted_id(self) -> int:
        """The id in the path; raises Refused (404) for what is none, or cannot be that of a row."""
        text = self.request.matchdict["id"]
        if not INTEGER.fullmatch(text):
            raise Refused(404, NOT_FOUND)
        digits = text.lstrip("0")
        if not 0 < len(digits) <= ID_DIGITS or not 0 < int(digits) <= LARGEST_ID:
            raise self.missing()
        return int(digits)

    def missing(self) -> Refused:
        """404 for an object that is not there."""
        return Refused(404, missing(self.model.__tablename__))

    def page_url(self, row) -> str:
        """The address of the object's page on the site, slug and all."""
        return f"{self.request.application_url}/{self.kind()}/{quote(row.slug)}/"

    def image_url(self, key: str) -> str | None:
        """The address of a picture, None without one."""
        return self.request.media_url(key)


# Statements are built once for each class; what varies is bound.


def window(query: Select) -> Select:
    """A query as one page of it, bound as `limit` and `offset`."""
    return query.limit(bindparam("limit")).offset(bindparam("offset"))


@cache
def _list_count(resource: type[ListResource]) -> Select:
    return select(func.count()).select_from(resource.model.__table__)


@cache
def _list_page(resource: type[ListResource]) -> Select:
    return window(resource.list_query())


@cache
def _detail(resource: type[EntityResource]) -> Select:
    return resource.detail_query()


def add_entity_resource(config, resource: type[ListResource]) -> None:
    """Directive: serve a resource below /api/, whatever package it comes from.

    The list is `/api/<kind>/` on the route `api.<kind>.list`, the detail `/api/<kind>/{id}/` on `api.<kind>`,
    an action `/api/<kind>/{id}/<action>/` on `api.<kind>.<action>`.
    """
    kind = resource.kind()
    path = f"{PATH_PREFIX}{kind}/"
    list_route = f"{ROUTE_PREFIX}{kind}.list"
    serve(config, resource, list_route, path, "collection_get")
    config.registry["comicsdb_api.lists"][kind] = list_route
    if issubclass(resource, EntityResource):
        serve(config, resource, f"{ROUTE_PREFIX}{kind}", path + "{id}/", "get")
        for action, method in resource.actions.items():
            serve(config, resource, f"{ROUTE_PREFIX}{kind}.{action}", f"{path}{{id}}/{action}/", method)


def serve(config, resource: type[Resource], route: str, path: str, reader: str) -> None:
    """Serve one address: a Cornice service that reads by the method `reader` and tells about itself."""
    service = Service(route, path, description=resource.__doc__)
    service.add_view("GET", reader, klass=resource, permission=Permission.API)
    service.add_view("OPTIONS", "options", klass=resource, permission=Permission.API)
    config.add_cornice_service(service)
    allow(config, route, service.defined_methods)


def includeme(config):
    """The directive, and the list of what the root lists."""
    config.registry["comicsdb_api.lists"] = {}
    config.add_directive("add_entity_resource", add_entity_resource)
