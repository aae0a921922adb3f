"""Details and lists: the statements for their bodies, and finding pages far from the first.

A body is read by one statement, from one snapshot. The number of rows of a list is cached under its stamps.
Rows before a far page are skipped in an index of the whole order. If the order has columns of two tables, a
survey of an index finds keyset positions (`places`) from which pages are read; it is cached as well.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import ceil
from typing import ClassVar

import orjson
from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, func, literal_column, select

from comicsdb.catalog.filters import Clause, number_of, values_of
from comicsdb.db import keyset
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.validators import times, versions
from comicsdb.security import Identity
from comicsdb.tags import TagFormat
from comicsdb_api.negotiation import COMMON, parameters, tag_format
from comicsdb_api.resource import cached_reads, paging, shapes
from comicsdb_api.resource.cached_reads import Read
from comicsdb_api.resource.filters import Filter, parse_filters
from comicsdb_api.resource.options import IDS_OPTION, SORT, Option, list_options_of, option_values, options_of
from comicsdb_api.resource.selection import Shape
from comicsdb_api.responses import ROUTE_PREFIX, addresses, to_json

FAR = 5  # pages that are found by skipping rows
STEP = 3  # pages between cached places
NEAR = 500  # rows after a place within which most pages lie
TRIES = 3  # attempts to read places and page of one version, with concurrent writers

# How many rows one of the day's requests pays for.
USUAL_ROWS, DETAILED_ROWS = 100, 10

QUERIES_MAX = 500  # compiled statements of all lists, of some 5 KB each

# Ways to a page: it is the first, by skipping rows, or from a place (within `NEAR` rows or further); and the
# survey that finds places.
FIRST, PASSED, NEARBY, PLACED, SURVEY = "first", "passed", "nearby", "placed", "survey"


@dataclass(frozen=True)
class Known:
    """The cached facts about a version of a list: the number of rows, and places after a survey."""

    version: str
    count: int
    places: list[list]

    def dump(self) -> bytes:
        """The cached form."""
        return orjson.dumps([self.version, self.count, self.places])

    @classmethod
    def load(cls, entry: bytes) -> "Known":
        """The facts from their cached form."""
        return cls(*orjson.loads(entry))


@dataclass(frozen=True, eq=False)
class Listing:
    """The rows of an address: their resource, condition, order, filters and options.

    `condition` may refer to the object with the parameter `id`, whose row `read.stamps` selects. A variant is
    what options make of a listing: with another shape, for instance.
    """

    read: Read
    resource: type
    condition: tuple
    order: tuple
    filters: tuple[Filter, ...] = ()
    options: tuple[Option, ...] = ()
    shape: Shape | None = None  # None is the usual one
    page_size: int | None = None  # None is the usual one
    sort: str = ""  # the name of the order; empty for the usual one
    is_versioned: bool = False  # whether facts about it are cached under its stamps
    formats: ClassVar[tuple[TagFormat, ...]] = ()  # beside JSON

    @property
    def size(self) -> int:
        """The number of rows per page."""
        return self.page_size or self.resource.page_size

    def cost(self, request) -> int:  # noqa: ARG002  (lists override it)
        """What a page costs of the day's requests: fields of details make rows dearer."""
        usual = self.shape is None or self.shape.is_usual
        return ceil(self.size / (USUAL_ROWS if usual else DETAILED_ROWS))

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The parameters of the query that the address knows; links to other pages repeat them."""
        declared = (*self.filters, *self.options)
        return frozenset((*COMMON, *(name for each in declared for name in each.parameters)))

    def clauses(self, request, identity: Identity | None) -> list[Clause]:  # noqa: ARG002  (lists override it)
        """The conditions of a request; raises InvalidError."""
        if not request.environ.get("QUERY_STRING"):
            return []
        zone = request.registry.settings["comicsdb.timezone"]
        return parse_filters((*self.filters, *self.options), parameters(request), zone=zone)

    def values(self, request, identity: Identity | None) -> dict:  # noqa: ARG002  (lists override it)
        """The values of the parameters of `condition`, but for `id`."""
        return {}

    def page(self, request, stamps: tuple, wanted: "Wanted", epoch: int | None = None) -> bytes | None:
        """The body of a page.

        None if the object was deleted meanwhile; raises RefusedError (404) for a page that does not exist,
        and EpochMovedError if an epoch is given and not that of the page.
        """
        found = None
        if not self.is_versioned:
            number, found = self._walk(request, wanted)
        else:
            version = self.read.version(stamps)
            for _ in range(TRIES):
                number, found, known = self._page(request, wanted, version)
                if not (found and known) or found.version == known.version:
                    break
                version = found.version  # the list has changed meanwhile
            else:  # a single statement is consistent
                number, found = self._walk(request, wanted)
        if found is None:
            return None
        if epoch is not None and found.epoch != epoch:
            raise EpochMovedError
        return found.body(request, number, self)

    def _page(self, request, wanted: "Wanted", version: str):
        """The number of a page, its content, and the cached facts about a version of the list."""
        kept = f"{self.read.name}:{{}}:{wanted.object_id or ''}:{version}:{wanted.digest}"
        if wanted.number is paging.LAST or (wanted.number > FAR and self._has_groups):
            survey, _ = request.cache.list.get_or_create(
                kept.format("survey"), lambda: self._survey(request, wanted).dump()
            )
            known = Known.load(survey)
            number = wanted.number
            if number is paging.LAST:
                number = paging.page_count(known.count, self.size)
            return number, self._rows(request, wanted, number, known), known
        # In the memory of the process, as counting mostly takes less than a round trip to Redis.
        counts, key = request.cache.counts, kept.format("count")
        counted = counts.get(key)
        known = Known.load(counted) if counted else None
        found = self._rows(request, wanted, wanted.number, known)
        if found and not known and found.count > self.size:
            counts.get_or_create(key, Known(found.version, found.count, []).dump, missed=True)
        return wanted.number, found, known

    @cached_property
    def _has_groups(self) -> bool:
        """Whether many rows share the leading values of the order; otherwise an index has the whole order."""
        table = self.resource.model.__table__
        return self.is_versioned and keyset.depth(self.order, table) < len(self.order)

    def _walk(self, request, wanted: "Wanted") -> "tuple[int, Found | None]":
        """A page, and its number, of a list without cached facts."""
        number = wanted.number or 1
        found = self._rows(request, wanted, number, None)
        # The number of rows may change until the last page is found.
        while wanted.number is paging.LAST and found and number != paging.page_count(found.count, self.size):
            number = paging.page_count(found.count, self.size)
            found = self._rows(request, wanted, number, None)
        return number, found

    def _rows(self, request, wanted: "Wanted", number: int, known: Known | None) -> "Found | None":
        offset = (number - 1) * self.size
        place = keyset.nearest(known.places, offset) if known else None
        values = {"id": wanted.object_id, "offset": offset, **addresses(request), **wanted.values}
        way = PASSED if offset else FIRST
        if place is not None:
            offset -= place[0]
            values |= keyset.bound(place) | {"offset": offset}
            way = NEARBY if offset + self.size <= NEAR else PLACED
        row = self._fetch(request, known is None, way, wanted, values)
        if row is None:
            return None
        epoch, count, rows, *stamps = row
        return Found(epoch, self.read.version(tuple(stamps)), known.count if known else count, rows)

    def _fetch(self, request, counted: bool, way: str, wanted: "Wanted", values: dict) -> tuple | None:
        return request.read_pool.fetch(query_of(self, counted, way, wanted.clauses), values)

    def query(self, counted: bool, way: str, clauses: tuple[Clause, ...]) -> CompiledQuery:
        """The statement for a page, or for a survey of all."""
        conditions = tuple(each.build() for each in clauses)
        if way == SURVEY:
            return CompiledQuery.of(self._surveying(conditions), prepared=False)
        # The best plan depends on the values of most filters and, in a part of the rows, on how many of them
        # come after a place.
        names = {each.name for each in clauses}
        prepared = not names or names in self.resource.planned_once
        if way in (NEARBY, PLACED):
            prepared = not names and not self.condition
        return CompiledQuery.of(self._statement(counted, way, conditions), prepared=prepared)

    def _statement(self, counted: bool, way: str, conditions=()):
        """One row: the epoch, the number of rows, one page of them as JSON, and the stamps."""
        chosen = (*self.condition, *conditions)
        resource, stamps = self.resource, self.read.stamps.subquery("stamps")
        page = self.shown().where(*chosen).order_by(*self.order).limit(literal_column(str(self.size)))
        if way in (NEARBY, PLACED):
            leading = self.order[: keyset.depth(self.order, resource.model.__table__)]
            page = self._reached((*chosen, keyset.from_place(leading)), near=way == NEARBY)
        elif way == PASSED or self.read.region is None:
            page = self._reached(chosen)
        count = number_of(resource.model.__table__, chosen).scalar_subquery()
        return select(
            EPOCH_NOW.scalar_subquery().label("epoch"),
            (count if counted else literal_column("0")).label("count"),
            shapes.rows_of(page).label("rows"),
            *stamps.c,
        ).select_from(stamps)

    def _reached(self, chosen: tuple, *, near: bool = False):
        """A page after an offset; skipped rows are not joined.

        With `near` it is within the first `NEAR` rows: PostgreSQL takes any other offset for a tenth of all
        rows, and rather plans each request than use a plan for so many.
        """
        resource = self.resource
        wanted = (
            select(resource.key()).select_from(resource.row_source()).where(*chosen).order_by(*self.order)
        )
        if near:
            rows = wanted.limit(literal_column(str(NEAR))).correlate(None).subquery("near")
            wanted = select(*rows.c)
        wanted = wanted.limit(literal_column(str(self.size))).offset(bindparam("offset", type_=BigInteger))
        return self.shown().where(resource.key().in_(wanted.correlate(None))).order_by(*self.order)

    def shown(self, **more) -> Select:
        """The fields of all rows, and `more` expressions."""
        shape = self.shape or Shape(self.resource)
        return select(*shapes.labelled(shape.expressions | more)).select_from(shape.source)

    def _survey(self, request, wanted: "Wanted") -> Known:
        """The number of rows, and the places of far pages."""
        query = query_of(self, True, SURVEY, wanted.clauses)
        count, found, *seen = request.read_pool.fetch(query, {"id": wanted.object_id, **wanted.values})
        return Known(self.read.version(tuple(seen)), count, orjson.loads(found))

    def _surveying(self, conditions):
        table, chosen = self.resource.model.__table__, (*self.condition, *conditions)
        if self._has_groups:
            summed = keyset.survey(table, chosen, self.order, STEP * self.resource.page_size)
        else:
            summed = select(func.count().label("count"), literal_column("'[]'").label("places"))
            summed = summed.select_from(table).where(*chosen)
        summed, stamps = summed.subquery("summed"), self.read.stamps.subquery("stamps")
        return select(*summed.c, *stamps.c).select_from(summed.outerjoin(stamps, literal_column("true")))


@lru_cache(QUERIES_MAX)
def query_of(listing: Listing, counted: bool, way: str, clauses: tuple[Clause, ...]) -> CompiledQuery:
    """The statement for a way to a page, compiled once for each set of filters."""
    return listing.query(counted, way, clauses)


@dataclass(frozen=True)
class Wanted:
    """What a request wants of a list: the number of a page, or LAST, and the conditions of the rows."""

    number: int | None
    clauses: tuple[Clause, ...] = ()
    object_id: int | None = None
    values: dict = field(default_factory=dict)  # of the parameters of the conditions
    digest: str = ""  # of the filters and the order

    @classmethod
    def of(cls, request, listing: Listing, identity: Identity | None, object_id: int | None) -> "Wanted":
        """What a request wants; raises InvalidError, and RefusedError (404) for an invalid number."""
        clauses = tuple(listing.clauses(request, identity))
        values = {**listing.values(request, identity), **values_of(clauses)}
        names = {SORT, *(name for each in listing.filters for name in each.parameters)}
        pairs = parameters(request, names)
        digest = (
            blake2b(repr(pairs).encode(errors="surrogatepass"), digest_size=16).hexdigest() if pairs else ""
        )
        return cls(paging.requested_page(request), clauses, object_id, values, digest)


@dataclass(frozen=True)
class Found:
    """A page from the database, with the epoch and the version of the list."""

    epoch: int
    version: str
    count: int
    rows: str

    def body(self, request, number: int, listing: Listing) -> bytes:
        """The body of the page; raises RefusedError (404) if it is past the end."""
        rows = orjson.loads(self.rows)
        kept = parameters(request, listing.parameters)
        return to_json(paging.envelope(request, number, self.count, rows, listing.size, kept))


@dataclass(frozen=True, eq=False)
class Detail:
    """The object of an address."""

    read: Read
    resource: type
    options: tuple[Option, ...] = ()
    shape: Shape | None = None  # None is the usual one

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The parameters of the query that change a body."""
        return frozenset(each.name for each in self.options)

    @property
    def formats(self) -> tuple[TagFormat, ...]:
        """The formats that it has beside JSON."""
        return self.resource.tag_formats

    def body(self, request, object_id: int, epoch: int | None = None) -> bytes | None:
        """The body, None if the object does not exist.

        Raises InvalidError for options, and EpochMovedError if an epoch is given and not that of the body.
        """
        if self.shape is None and request.environ.get("QUERY_STRING"):
            option_values(self.options, request)
        chosen = tag_format(request)
        query = self._tag_query if chosen else self._query
        row = request.read_pool.fetch(query, {"id": object_id, **addresses(request)})
        if row is None:
            return None
        if epoch is not None and row[1] != epoch:
            raise EpochMovedError
        values = orjson.loads(row[0])
        return chosen.write(values) if chosen else to_json(values)

    @cached_property
    def _query(self) -> CompiledQuery:
        shape = self.shape or Shape(self.resource, detail=True)
        return self._compiled(shape.expressions, shape.source)

    @cached_property
    def _tag_query(self) -> CompiledQuery:
        return self._compiled(self.resource.tag_fields(), self.resource.detail_source())

    def _compiled(self, fields: dict, source) -> CompiledQuery:
        body = shapes.object_of(
            select(*shapes.labelled(fields))
            .select_from(source)
            .where(self.resource.model.__table__.c.id == bindparam("id"))
        )
        return CompiledQuery.of(body.add_columns(EPOCH_NOW.scalar_subquery()))


@dataclass(frozen=True, eq=False)
class Children:
    """A list below an object: the rows of `resource` that meet a condition on its id (parameter `id`).

    It changes with the versions of the kinds in `depends` or, without any, with the object's
    `issues_modified`.
    """

    resource: type
    condition: ColumnElement
    order: tuple
    depends: tuple[str, ...] = ()

    def of(self, owner: type, route: str) -> Listing:
        """The list below the objects of a resource."""
        parent = owner.model.__table__
        if self.depends:
            stamps = versions(*self.depends).select_from(parent).where(parent.c.id == bindparam("id"))
        else:
            stamps = times(parent, "issues_modified")
        region = (cached_reads.LIST if self.depends else cached_reads.DETAIL) if owner.cached else None
        name = route.removeprefix(ROUTE_PREFIX).replace(".", ":")
        read = Read(route, region, name, stamps, date_pairs=0 if self.depends else 2)
        return Listing(
            read,
            self.resource,
            (self.condition,),
            self.order,
            options=list_options_of(self.resource),
            is_versioned=region is not None,
        )


def list_of(resource: type, route: str) -> Listing:
    """All rows of a resource."""
    kind = resource.kind()
    region = cached_reads.LIST if resource.cached else None
    stamps = versions(*(resource.depends or (kind,)))
    read = Read(route, region, f"{kind}:list", stamps)
    return resource.listing(
        read,
        resource,
        (),
        resource.order(),
        resource.filters,
        (IDS_OPTION, *list_options_of(resource)) if resource.has_options else (),
        is_versioned=region is not None,
    )


def detail_of(resource: type, route: str) -> Detail:
    """The objects of a resource, one by one."""
    region = cached_reads.DETAIL if resource.cached else None
    stamps = times(resource.model.__table__, *resource.stamps)
    read = Read(route, region, f"{resource.kind()}:retrieve", stamps, date_pairs=2)
    return Detail(read, resource, options_of(resource))
