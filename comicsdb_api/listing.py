"""Details and lists: the statements that make their bodies, and how pages far from the first are found.

A body comes of one statement, which is one snapshot. The number of rows of a list, and the places at which
its pages begin, are kept in the cache under its stamps: page 900 then costs what page 1 does.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import orjson
from sqlalchemy import BigInteger, ColumnElement, bindparam, func, literal_column, select

from comicsdb import places
from comicsdb.light import Sentence
from comicsdb.stamps import times, versions
from comicsdb_api import paging, reads, shapes
from comicsdb_api.reads import Read
from comicsdb_api.responses import ROUTE_PREFIX, addresses, to_json

FAR = 5  # pages that are still reached by walking


@dataclass(frozen=True)
class Known:
    """What the cache knows of a list at one version: how many rows, and by page number where pages begin."""

    version: str
    count: int
    places: dict[int, list]

    def dump(self) -> bytes:
        """As the cache keeps it."""
        return orjson.dumps([self.version, self.count, list(self.places.values())])

    @classmethod
    def load(cls, entry: bytes) -> "Known":
        """From what `dump` gave; the first place is that of page 2."""
        version, count, places = orjson.loads(entry)
        return cls(version, count, dict(enumerate(places, 2)))


@dataclass(frozen=True, eq=False)
class Listing:
    """The rows behind one address: of which resource, which of them, in which order.

    `condition` may refer to the object bound as `id`, whose row `read.stamps` asks for.
    """

    read: Read
    resource: type
    condition: tuple
    order: tuple

    @property
    def size(self) -> int:
        """How many rows a page has."""
        return self.resource.page_size

    def page(self, request, object_id: int | None, stamps: tuple, conditions: list) -> bytes | None:
        """The body of the page that is asked for, of the rows that meet further `conditions`.

        None if the object has gone meanwhile; raises Refused (404) for a page that is not there.
        """
        wanted = paging.wanted(request)
        if self.read.region is None:
            return self._walk(request, object_id, conditions, wanted)
        far = wanted is paging.LAST or wanted > FAR
        version = self.read.version(stamps)
        kept = f"{self.read.name}:{{}}:{object_id or ''}:{version}:{_filters(request)}"
        if far:
            survey, _ = request.cache.list.get_or_create(
                kept.format("places"), lambda: self._survey(request, object_id, conditions).dump()
            )
        else:
            survey = request.cache.list.get(kept.format("count"))
        known = Known.load(survey) if survey else None
        number = paging.page_count(known.count, self.size) if wanted is paging.LAST else wanted
        found = self._rows(request, object_id, conditions, number, known)
        if found and known and found.version != known.version:
            # Something has changed in between. One statement that asks for all is right by itself.
            found = self._rows(request, object_id, conditions, number, None)
        if wanted is paging.LAST:
            number, found = self._last(request, object_id, conditions, number, found)
        if found is None:
            return None
        if not (known or far):
            request.cache.list.get_or_create(
                kept.format("count"), lambda: Known(found.version, found.count, {}).dump()
            )
        return found.body(request, number)

    def _walk(self, request, object_id, conditions, wanted: int | None) -> bytes | None:
        """A page of a list of which nothing is kept."""
        number = wanted or 1
        found = self._rows(request, object_id, conditions, number, None)
        if wanted is paging.LAST:
            number, found = self._last(request, object_id, conditions, number, found)
        return found and found.body(request, number)

    def _last(self, request, object_id, conditions, number: int, found: "Found | None"):
        """The number of the last page, and that page, from what was `found` at a number; rows come and go."""
        while found and number != paging.page_count(found.count, self.size):
            number = paging.page_count(found.count, self.size)
            found = self._rows(request, object_id, conditions, number, None)
        return number, found

    def _rows(self, request, object_id, conditions, number: int, known: Known | None) -> "Found | None":
        place = known.places.get(number) if known else None
        values = {"id": object_id, **addresses(request)}
        if place is None:
            values["offset"] = (number - 1) * self.size
        else:
            values |= places.bound(place)
        shape = (known is None, place is not None)
        if conditions:
            row = request.light.first(self._statement(*shape, conditions), values)
        else:
            row = request.light.fetch(self._sentences[shape], values)
        if row is None:
            return None
        count, rows, *stamps = row
        return Found(self.read.version(tuple(stamps)), known.count if known else count, rows, self.size)

    def _statement(self, counted: bool, placed: bool, conditions=()):
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
        if placed:
            page = page.where(places.from_place(self.order))
        elif self.read.region is None:
            page = self._reached(chosen)
        else:
            page = page.offset(bindparam("offset", type_=BigInteger))
        count = select(func.count()).select_from(resource.model.__table__).where(*chosen).scalar_subquery()
        return select(
            (count if counted else literal_column("0")).label("count"),
            shapes.rows_of(page).label("rows"),
            *stamps.c,
        ).select_from(stamps)

    def _reached(self, chosen: tuple):
        """A page of a list whose places nobody keeps: rows that are passed by are not put together."""
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
    def _sentences(self) -> dict[tuple[bool, bool], Sentence]:
        return {
            (counted, placed): Sentence.of(self._statement(counted, placed))
            for counted in (True, False)
            for placed in (True, False)
        }

    def _survey(self, request, object_id, conditions) -> Known:
        """Where every page begins."""
        rows = select(literal_column("1")).select_from(self.resource.row_source())
        rows = rows.where(*self.condition, *conditions)
        summed = places.survey(rows, self.order, self.size).subquery("summed")
        stamps = self.read.stamps.subquery("stamps")
        statement = select(*summed.c, *stamps.c).select_from(summed.outerjoin(stamps, literal_column("true")))
        count, begun, *seen = request.light.first(statement, {"id": object_id})
        return Known(self.read.version(tuple(seen)), count, dict(enumerate(orjson.loads(begun), 2)))


@dataclass(frozen=True)
class Found:
    """A page as the database gave it, and the version of the list at that moment."""

    version: str
    count: int
    rows: str
    size: int = paging.SIZE

    def body(self, request, number: int) -> bytes:
        """The body of the page; raises Refused (404) if it is past the end."""
        rows = orjson.loads(self.rows)
        return to_json(paging.envelope(request, number, self.count, rows, self.size))


@dataclass(frozen=True, eq=False)
class Detail:
    """The object behind one address."""

    read: Read
    resource: type

    def body(self, request, object_id: int) -> bytes | None:
        """The body, None if the object is not there."""
        row = request.light.fetch(self._sentence, {"id": object_id, **addresses(request)})
        return row and to_json(orjson.loads(row[0]))

    @cached_property
    def _sentence(self) -> Sentence:
        resource = self.resource
        return Sentence.of(
            shapes.object_of(
                select(*shapes.labelled(resource.detail_fields()))
                .select_from(resource.detail_source())
                .where(resource.model.__table__.c.id == bindparam("id"))
            )
        )


@dataclass(frozen=True, eq=False)
class Children:
    """Declares a list below an object: the rows of `resource` that meet a condition on its id, bound as `id`.

    It changes with the versions of the kinds in `depends` or, if there are none, with the object's own
    second stamp.
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
        region = (reads.LIST if self.depends else reads.DETAIL) if owner.cached else None
        name = route.removeprefix(ROUTE_PREFIX).replace(".", ":")
        read = Read(route, region, name, stamps, dated=not self.depends)
        return Listing(read, self.resource, (self.condition,), self.order)


def list_of(resource: type, route: str) -> Listing:
    """All rows of a resource."""
    kind = resource.kind()
    region = reads.LIST if resource.cached else None
    stamps = versions(*(resource.depends or (kind,)))
    return Listing(Read(route, region, f"{kind}:list", stamps, dated=False), resource, (), resource.order())


def detail_of(resource: type, route: str) -> Detail:
    """The objects of a resource, one by one."""
    region = reads.DETAIL if resource.cached else None
    stamps = times(resource.model.__table__, *resource.stamps)
    return Detail(Read(route, region, f"{resource.kind()}:retrieve", stamps, dated=True), resource)


def _filters(request) -> str:
    """A digest of all parameters but the page."""
    pairs = sorted((pair for pair in request.api_parameters if pair[0] != "page"), key=lambda pair: pair[0])
    return blake2b(repr(pairs).encode(errors="surrogatepass"), digest_size=16).hexdigest() if pairs else ""
