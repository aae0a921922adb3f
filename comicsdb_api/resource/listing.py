"""Details and lists: the statements for their bodies, and finding pages far from the first.

A body is read by one statement, from one snapshot. The number of rows of a list is cached under its stamps.
Rows before a far page are skipped in an index of the whole order. If the order has columns of two tables, a
survey of an index finds keyset positions (`places`) from which pages are read; it is cached as well.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import orjson
from sqlalchemy import BigInteger, ColumnElement, bindparam, func, literal_column, select

from comicsdb.db import keyset
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.validators import times, versions
from comicsdb_api.resource import cached_reads, paging, shapes
from comicsdb_api.resource.cached_reads import Read
from comicsdb_api.responses import ROUTE_PREFIX, addresses, to_json

FAR = 5  # pages that are found by skipping rows
STEP = 3  # pages between cached places
TRIES = 3  # attempts to read places and page of one version, with concurrent writers

# Ways to a page: it is the first, by skipping rows, or from a place.
FIRST, PASSED, PLACED = "first", "passed", "placed"


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
    """The rows of an address: their resource, condition and order.

    `condition` may refer to the object with the parameter `id`, whose row `read.stamps` selects.
    """

    read: Read
    resource: type
    condition: tuple
    order: tuple

    @property
    def size(self) -> int:
        """The number of rows per page."""
        return self.resource.page_size

    def page(self, request, object_id: int | None, stamps: tuple, conditions: list) -> bytes | None:
        """The body of the requested page of rows that meet further `conditions`.

        None if the object was deleted meanwhile; raises RefusedError (404) for a page that does not exist.
        """
        wanted = paging.wanted(request)
        if self.read.region is None:
            return self._walk(request, object_id, conditions, wanted)
        version = self.read.version(stamps)
        for _ in range(TRIES):
            number, found, known = self._page(request, object_id, conditions, wanted, version)
            if not (found and known) or found.version == known.version:
                return found and found.body(request, number)
            version = found.version  # the list has changed meanwhile
        # A single statement is consistent.
        return self._walk(request, object_id, conditions, wanted)

    def _page(self, request, object_id, conditions, wanted: int | None, version: str):
        """The number of a page, its content, and the cached facts about a version of the list."""
        kept = f"{self.read.name}:{{}}:{object_id or ''}:{version}:{_filters(request)}"
        if wanted is paging.LAST or (wanted > FAR and self._has_groups):
            survey, _ = request.cache.list.get_or_create(
                kept.format("survey"), lambda: self._survey(request, object_id, conditions).dump()
            )
            known = Known.load(survey)
            number = paging.page_count(known.count, self.size) if wanted is paging.LAST else wanted
            return number, self._rows(request, object_id, conditions, number, known), known
        counted = request.cache.list.get(kept.format("count"))
        known = Known.load(counted) if counted else None
        found = self._rows(request, object_id, conditions, wanted, known)
        if found and not known:
            request.cache.list.get_or_create(
                kept.format("count"), lambda: Known(found.version, found.count, []).dump()
            )
        return wanted, found, known

    @cached_property
    def _has_groups(self) -> bool:
        """Whether many rows share the leading values of the order; otherwise an index has the whole order."""
        cached = self.read.region is not None
        return cached and keyset.depth(self.order, self.resource.model.__table__) < len(self.order)

    def _walk(self, request, object_id, conditions, wanted: int | None) -> bytes | None:
        """The body of a page of a list without cached facts."""
        number = wanted or 1
        found = self._rows(request, object_id, conditions, number, None)
        if wanted is paging.LAST:
            number, found = self._last(request, object_id, conditions, number, found)
        return found and found.body(request, number)

    def _last(self, request, object_id, conditions, number: int, found: "Found | None"):
        """The last page and its number, from the page `found`, as the number of rows may change."""
        while found and number != paging.page_count(found.count, self.size):
            number = paging.page_count(found.count, self.size)
            found = self._rows(request, object_id, conditions, number, None)
        return number, found

    def _rows(self, request, object_id, conditions, number: int, known: Known | None) -> "Found | None":
        offset = (number - 1) * self.size
        place = keyset.nearest(known.places, offset) if known else None
        values = {"id": object_id, "offset": offset, **addresses(request)}
        if place is not None:
            values |= keyset.bound(place) | {"offset": offset - place[0]}
        shape = (known is None, PLACED if place else PASSED if offset else FIRST)
        if conditions:
            row = request.read_pool.first(self._statement(*shape, conditions), values)
        elif place:  # not prepared, as the best plan depends on the number of rows after a place
            row = request.read_pool.first(self._from_place, values)
        else:
            row = request.read_pool.fetch(self._queries[shape], values)
        if row is None:
            return None
        count, rows, *stamps = row
        return Found(self.read.version(tuple(stamps)), known.count if known else count, rows, self.size)

    def _statement(self, counted: bool, way: str, conditions=()):
        """One row: the number of rows, one page of them as JSON, and the stamps."""
        chosen = (*self.condition, *conditions)
        resource, stamps = self.resource, self.read.stamps.subquery("stamps")
        page = (
            select(*shapes.labelled(resource.row_fields()))
            .select_from(resource.row_source())
            .where(*chosen)
            .order_by(*self.order)
            .limit(literal_column(str(self.size)))
        )
        if way == PLACED:
            leading = self.order[: keyset.depth(self.order, resource.model.__table__)]
            page = self._reached((*chosen, keyset.from_place(leading)))
        elif way == PASSED or self.read.region is None:
            page = self._reached(chosen)
        count = select(func.count()).select_from(resource.model.__table__).where(*chosen).scalar_subquery()
        return select(
            (count if counted else literal_column("0")).label("count"),
            shapes.rows_of(page).label("rows"),
            *stamps.c,
        ).select_from(stamps)

    def _reached(self, chosen: tuple):
        """A page after an offset; skipped rows are not joined."""
        resource = self.resource
        wanted = (
            select(resource.key())
            .select_from(resource.row_source())
            .where(*chosen)
            .order_by(*self.order)
            .limit(literal_column(str(self.size)))
            .offset(bindparam("offset", type_=BigInteger))
        )
        return (
            select(*shapes.labelled(resource.row_fields()))
            .select_from(resource.row_source())
            .where(resource.key().in_(wanted.correlate(None)))
            .order_by(*self.order)
        )

    @cached_property
    def _queries(self) -> dict[tuple[bool, str], CompiledQuery]:
        ways = ((counted, way) for counted in (True, False) for way in (FIRST, PASSED))
        return {each: CompiledQuery.of(self._statement(*each)) for each in ways}

    @cached_property
    def _from_place(self):
        return self._statement(False, PLACED)

    def _survey(self, request, object_id, conditions) -> Known:
        """The number of rows, and the places of far pages."""
        statement = self._surveying(conditions) if conditions else self._surveying_all
        count, found, *seen = request.read_pool.first(statement, {"id": object_id})
        return Known(self.read.version(tuple(seen)), count, orjson.loads(found))

    @cached_property
    def _surveying_all(self):
        return self._surveying()

    def _surveying(self, conditions=()):
        table, chosen = self.resource.model.__table__, (*self.condition, *conditions)
        if self._has_groups:
            summed = keyset.survey(table, chosen, self.order, STEP * self.size)
        else:
            summed = select(func.count().label("count"), literal_column("'[]'").label("places"))
            summed = summed.select_from(table).where(*chosen)
        summed, stamps = summed.subquery("summed"), self.read.stamps.subquery("stamps")
        return select(*summed.c, *stamps.c).select_from(summed.outerjoin(stamps, literal_column("true")))


@dataclass(frozen=True)
class Found:
    """A page from the database, and the version of the list."""

    version: str
    count: int
    rows: str
    size: int = paging.SIZE

    def body(self, request, number: int) -> bytes:
        """The body of the page; raises RefusedError (404) if it is past the end."""
        rows = orjson.loads(self.rows)
        return to_json(paging.envelope(request, number, self.count, rows, self.size))


@dataclass(frozen=True, eq=False)
class Detail:
    """The object of an address."""

    read: Read
    resource: type

    def body(self, request, object_id: int) -> bytes | None:
        """The body, None if the object does not exist."""
        row = request.read_pool.fetch(self._query, {"id": object_id, **addresses(request)})
        return row and to_json(orjson.loads(row[0]))

    @cached_property
    def _query(self) -> CompiledQuery:
        resource = self.resource
        return CompiledQuery.of(
            shapes.object_of(
                select(*shapes.labelled(resource.detail_fields()))
                .select_from(resource.detail_source())
                .where(resource.model.__table__.c.id == bindparam("id"))
            )
        )


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
        read = Read(route, region, name, stamps, date_pairs=0 if self.depends else 1)
        return Listing(read, self.resource, (self.condition,), self.order)


def list_of(resource: type, route: str) -> Listing:
    """All rows of a resource."""
    kind = resource.kind()
    region = cached_reads.LIST if resource.cached else None
    stamps = versions(*(resource.depends or (kind,)))
    return Listing(Read(route, region, f"{kind}:list", stamps), resource, (), resource.order())


def detail_of(resource: type, route: str) -> Detail:
    """The objects of a resource, one by one."""
    region = cached_reads.DETAIL if resource.cached else None
    stamps = times(resource.model.__table__, *resource.stamps)
    return Detail(Read(route, region, f"{resource.kind()}:retrieve", stamps, date_pairs=1), resource)


def _filters(request) -> str:
    """A digest of all parameters but the page."""
    pairs = sorted((pair for pair in request.api_parameters if pair[0] != "page"), key=lambda pair: pair[0])
    return blake2b(repr(pairs).encode(errors="surrogatepass"), digest_size=16).hexdigest() if pairs else ""
