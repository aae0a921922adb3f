"""Details and lists: the statements that build their bodies, and how pages far from the first are found.

A body is read by one statement, from one snapshot. The number of rows of a list is cached under its stamps.
To find a far page, rows are skipped in an index of the whole order. If the order has columns of two tables,
a survey of an index finds keyset positions (`places`) to start from; it is cached as well.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import ceil
from typing import ClassVar

import orjson
from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, func, literal_column, select

from comicsdb.catalog.filters import Clause, count_statement, values_of
from comicsdb.db import keyset
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.validators import select_stamps, select_versions
from comicsdb.security import Identity
from comicsdb.tags import TagFormat
from comicsdb_api.negotiation import COMMON_PARAMETERS, parameters, tag_format
from comicsdb_api.resource import cached_reads, expressions, paging
from comicsdb_api.resource.cached_reads import ReadDeclaration
from comicsdb_api.resource.filters import Filter, parse_filters
from comicsdb_api.resource.options import IDS_OPTION, SORT, Option, list_options_of, option_values, options_of
from comicsdb_api.resource.selection import FieldSelection
from comicsdb_api.responses import ROUTE_PREFIX, base_urls, to_json

OFFSET_PAGES_MAX = 5  # pages that are found by skipping rows
PAGES_PER_POSITION = 3  # pages between cached places
NEAR_ROWS = 500  # most pages are within this many rows after a place
ATTEMPTS_MAX = 3  # attempts to read places and page of the same version despite concurrent writers

# How many rows count as one of the day's requests.
ROWS_PER_REQUEST, DETAILED_ROWS_PER_REQUEST = 100, 10

COMPILED_QUERIES_MAX = 500  # compiled statements of all lists, about 5 KB each

# Strategies to find a page: it is the first, by skipping rows, or from a keyset position (within `NEAR_ROWS`
# rows or further); and the survey that finds such positions.
FIRST, OFFSET, NEAR_KEYSET, KEYSET, SURVEY = "first", "offset", "near keyset", "keyset", "survey"


@dataclass(frozen=True)
class ListFacts:
    """The cached facts about a version of a list: the number of rows and, after a survey, places."""

    version: str
    count: int
    places: list[list]

    def dump(self) -> bytes:
        """The cached form."""
        return orjson.dumps([self.version, self.count, self.places])

    @classmethod
    def load(cls, entry: bytes) -> "ListFacts":
        """The facts from their cached form."""
        return cls(*orjson.loads(entry))


@dataclass(frozen=True, eq=False)
class Listing:
    """The declaration of a list: its resource, and the condition, order, filters and options of its rows.

    `condition` may refer to the object with the parameter `id`, whose row `read.stamps` selects. Options of
    a request derive another Listing (`derived_reads`), for instance with another selection of fields.
    """

    read: ReadDeclaration
    resource: type
    condition: tuple
    order: tuple
    filters: tuple[Filter, ...] = ()
    options: tuple[Option, ...] = ()
    selection: FieldSelection | None = None  # None for the default
    page_size: int | None = None  # None for the default
    sort: str = ""  # the name of the order; empty for the default
    is_versioned: bool = False  # whether facts about it are cached under its stamps
    formats: ClassVar[tuple[TagFormat, ...]] = ()  # besides JSON

    @property
    def size(self) -> int:
        """The number of rows per page."""
        return self.page_size or self.resource.page_size

    def cost(self, request) -> int:  # noqa: ARG002  (lists override it)
        """How many of the day's requests a page counts as; rows with fields of details count more."""
        usual = self.selection is None or self.selection.is_default
        return ceil(self.size / (ROWS_PER_REQUEST if usual else DETAILED_ROWS_PER_REQUEST))

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The query parameters that the route accepts; links to other pages repeat them."""
        declared = (*self.filters, *self.options)
        return frozenset((*COMMON_PARAMETERS, *(name for each in declared for name in each.parameters)))

    def clauses(self, request, identity: Identity | None) -> list[Clause]:  # noqa: ARG002  (lists override it)
        """The conditions of a request; raises InvalidError."""
        if not request.environ.get("QUERY_STRING"):
            return []
        zone = request.registry.settings["comicsdb.timezone"]
        return parse_filters((*self.filters, *self.options), parameters(request), zone=zone)

    def values(self, request, identity: Identity | None) -> dict:  # noqa: ARG002  (lists override it)
        """The values of the parameters in `condition`, except `id`."""
        return {}

    def page(
        self, request, stamps: tuple, page_request: "PageRequest", epoch: int | None = None
    ) -> bytes | None:
        """The body of a page.

        None if the object was deleted meanwhile. Raises RefusedError (404) for a page that does not exist,
        and EpochMovedError if the page is not of the given epoch.
        """
        found = None
        if not self.is_versioned:
            number, found = self._uncached_page(request, page_request)
        else:
            version = self.read.version(stamps)
            for _ in range(ATTEMPTS_MAX):
                number, found, facts = self._page_of_version(request, page_request, version)
                if not (found and facts) or found.version == facts.version:
                    break
                version = found.version  # the list has changed meanwhile
            else:  # a single statement is consistent
                number, found = self._uncached_page(request, page_request)
        if found is None:
            return None
        if epoch is not None and found.epoch != epoch:
            raise EpochMovedError
        return found.body(request, number, self)

    def _page_of_version(self, request, page_request: "PageRequest", version: str):
        """The number of a page, its content, and the cached facts about a version of the list."""
        key_format = f"{self.read.name}:{{}}:{page_request.object_id or ''}:{version}:{page_request.digest}"
        if page_request.number is paging.LAST or (
            page_request.number > OFFSET_PAGES_MAX and self._has_groups
        ):
            survey = request.cache.list.get_or_create(
                key_format.format("survey"), lambda: self._survey(request, page_request).dump()
            )
            facts = ListFacts.load(survey)
            number = page_request.number
            if number is paging.LAST:
                number = paging.page_count(facts.count, self.size)
            return number, self._rows(request, page_request, number, facts), facts
        # Cached in the process, as counting usually takes less time than a round trip to Redis.
        counts, key = request.cache.counts, key_format.format("count")
        counted = counts.get(key)
        facts = ListFacts.load(counted) if counted else None
        found = self._rows(request, page_request, page_request.number, facts)
        if found and not facts and found.count > self.size:
            counts.set(key, ListFacts(found.version, found.count, []).dump())
        return page_request.number, found, facts

    @cached_property
    def _has_groups(self) -> bool:
        """Whether many rows share the leading values of the order; otherwise an index has the whole order."""
        table = self.resource.model.__table__
        return self.is_versioned and keyset.place_length(self.order, table) < len(self.order)

    def _uncached_page(self, request, page_request: "PageRequest") -> "tuple[int, FetchedPage | None]":
        """A page and its number, without using cached facts."""
        number = page_request.number or 1
        found = self._rows(request, page_request, number, None)
        # The number of rows may change until the last page is found.
        while (
            page_request.number is paging.LAST
            and found
            and number != paging.page_count(found.count, self.size)
        ):
            number = paging.page_count(found.count, self.size)
            found = self._rows(request, page_request, number, None)
        return number, found

    def _rows(
        self, request, page_request: "PageRequest", number: int, facts: ListFacts | None
    ) -> "FetchedPage | None":
        offset = (number - 1) * self.size
        place = keyset.nearest_place(facts.places, offset) if facts else None
        values = {"id": page_request.object_id, "offset": offset, **base_urls(request), **page_request.values}
        strategy = OFFSET if offset else FIRST
        if place is not None:
            offset -= place[0]
            values |= keyset.place_values(place) | {"offset": offset}
            strategy = NEAR_KEYSET if offset + self.size <= NEAR_ROWS else KEYSET
        row = self._fetch(request, facts is None, strategy, page_request, values)
        if row is None:
            return None
        epoch, count, rows, *stamps = row
        return FetchedPage(epoch, self.read.version(tuple(stamps)), facts.count if facts else count, rows)

    def _fetch(
        self, request, with_count: bool, strategy: str, page_request: "PageRequest", values: dict
    ) -> tuple | None:
        return request.read_pool.fetch(
            compiled_query(self, with_count, strategy, page_request.clauses), values
        )

    def query(self, with_count: bool, strategy: str, clauses: tuple[Clause, ...]) -> CompiledQuery:
        """The statement for a page, or for the survey."""
        conditions = tuple(each.build() for each in clauses)
        if strategy == SURVEY:
            return CompiledQuery.of(self._survey_statement(conditions), prepared=False)
        # The best plan depends on the values of most filters and, if the list has a condition, on how many
        # rows follow a place.
        names = {each.name for each in clauses}
        prepared = not names or names in self.resource.generic_plan_filters
        if strategy in (NEAR_KEYSET, KEYSET):
            prepared = not names and not self.condition
        return CompiledQuery.of(self._statement(with_count, strategy, conditions), prepared=prepared)

    def _statement(self, with_count: bool, strategy: str, conditions=()):
        """One row: the epoch, the number of rows, one page of them as JSON, and the stamps."""
        chosen = (*self.condition, *conditions)
        resource, stamps = self.resource, self.read.stamps.subquery("stamps")
        page = self.rows_query().where(*chosen).order_by(*self.order).limit(literal_column(str(self.size)))
        if strategy in (NEAR_KEYSET, KEYSET):
            leading = self.order[: keyset.place_length(self.order, resource.model.__table__)]
            page = self._page_by_key((*chosen, keyset.from_place(leading)), near=strategy == NEAR_KEYSET)
        elif strategy == OFFSET or self.read.region is None:
            page = self._page_by_key(chosen)
        count = count_statement(resource.model.__table__, chosen).scalar_subquery()
        return select(
            EPOCH_NOW.scalar_subquery().label("epoch"),
            (count if with_count else literal_column("0")).label("count"),
            expressions.rows_as_json(page).label("rows"),
            *stamps.c,
        ).select_from(stamps)

    def _page_by_key(self, chosen: tuple, *, near: bool = False):
        """The page at an offset; skipped rows are not joined.

        With `near`, a limit says that it is within the first `NEAR_ROWS` rows. Otherwise PostgreSQL assumes
        that an offset skips a tenth of all rows, and plans each request instead of using a generic plan.
        """
        resource = self.resource
        wanted = (
            select(resource.key()).select_from(resource.row_source()).where(*chosen).order_by(*self.order)
        )
        if near:
            rows = wanted.limit(literal_column(str(NEAR_ROWS))).correlate(None).subquery("near")
            wanted = select(*rows.c)
        wanted = wanted.limit(literal_column(str(self.size))).offset(bindparam("offset", type_=BigInteger))
        return self.rows_query().where(resource.key().in_(wanted.correlate(None))).order_by(*self.order)

    def rows_query(self, **more) -> Select:
        """The fields of all rows, and `more` expressions."""
        selection = self.selection or FieldSelection(self.resource)
        return select(*expressions.labelled_columns(selection.expressions | more)).select_from(
            selection.source
        )

    def _survey(self, request, page_request: "PageRequest") -> ListFacts:
        """The number of rows, and the places of far pages."""
        query = compiled_query(self, True, SURVEY, page_request.clauses)
        count, found, *seen = request.read_pool.fetch(
            query, {"id": page_request.object_id, **page_request.values}
        )
        return ListFacts(self.read.version(tuple(seen)), count, orjson.loads(found))

    def _survey_statement(self, conditions):
        table, chosen = self.resource.model.__table__, (*self.condition, *conditions)
        if self._has_groups:
            summed = keyset.select_places(
                table, chosen, self.order, PAGES_PER_POSITION * self.resource.page_size
            )
        else:
            summed = select(func.count().label("count"), literal_column("'[]'").label("places"))
            summed = summed.select_from(table).where(*chosen)
        summed, stamps = summed.subquery("summed"), self.read.stamps.subquery("stamps")
        return select(*summed.c, *stamps.c).select_from(summed.outerjoin(stamps, literal_column("true")))


@lru_cache(COMPILED_QUERIES_MAX)
def compiled_query(
    listing: Listing, with_count: bool, strategy: str, clauses: tuple[Clause, ...]
) -> CompiledQuery:
    """The statement of a listing for a strategy, compiled once for each set of filters."""
    return listing.query(with_count, strategy, clauses)


@dataclass(frozen=True)
class PageRequest:
    """The page that a request asks for: its number, or LAST, and the conditions for its rows."""

    number: int | None
    clauses: tuple[Clause, ...] = ()
    object_id: int | None = None
    values: dict = field(default_factory=dict)  # of the parameters in the conditions
    digest: str = ""  # of the query parameters for filters and order

    @classmethod
    def of(cls, request, listing: Listing, identity: Identity | None, object_id: int | None) -> "PageRequest":
        """The page that a request asks for; raises InvalidError, and RefusedError (404) for a bad number."""
        clauses = tuple(listing.clauses(request, identity))
        values = {**listing.values(request, identity), **values_of(clauses)}
        names = {SORT, *(name for each in listing.filters for name in each.parameters)}
        pairs = parameters(request, names)
        digest = (
            blake2b(repr(pairs).encode(errors="surrogatepass"), digest_size=16).hexdigest() if pairs else ""
        )
        return cls(paging.requested_page(request), clauses, object_id, values, digest)


@dataclass(frozen=True)
class FetchedPage:
    """A page from the database, with the epoch and the version of the list."""

    epoch: int
    version: str
    count: int
    rows: str

    def body(self, request, number: int, listing: Listing) -> bytes:
        """The body of the page; raises RefusedError (404) if it is past the end."""
        rows = orjson.loads(self.rows)
        repeated = parameters(request, listing.parameters)
        return to_json(paging.envelope(request, number, self.count, rows, listing.size, repeated))


@dataclass(frozen=True, eq=False)
class Detail:
    """The declaration of a detail: its resource, options and selection of fields."""

    read: ReadDeclaration
    resource: type
    options: tuple[Option, ...] = ()
    selection: FieldSelection | None = None  # None for the default

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The query parameters that change a body."""
        return frozenset(each.name for each in self.options)

    @property
    def formats(self) -> tuple[TagFormat, ...]:
        """The formats besides JSON."""
        return self.resource.tag_formats

    def stamps(self, request, object_id: int) -> tuple | None:
        """The stamps of an object, None if it does not exist."""
        return cached_reads.stamps(request, self.read, object_id)

    def body(self, request, object_id: int, epoch: int | None = None) -> bytes | None:
        """The body, or None if the object does not exist.

        Raises InvalidError for invalid options, and EpochMovedError if the body is not of the given epoch.
        """
        if self.selection is None and request.environ.get("QUERY_STRING"):
            option_values(self.options, request)
        chosen = tag_format(request)
        query = self._tag_query if chosen else self._query
        row = request.read_pool.fetch(query, {"id": object_id, **base_urls(request)})
        if row is None:
            return None
        if epoch is not None and row[1] != epoch:
            raise EpochMovedError
        values = orjson.loads(row[0])
        return chosen.write(values) if chosen else to_json(values)

    @cached_property
    def _query(self) -> CompiledQuery:
        selection = self.selection or FieldSelection(self.resource, detail=True)
        return self._compiled(selection.expressions, selection.source)

    @cached_property
    def _tag_query(self) -> CompiledQuery:
        return self._compiled(self.resource.tag_fields(), self.resource.detail_source())

    def _compiled(self, fields: dict, source) -> CompiledQuery:
        body = expressions.row_as_json(
            select(*expressions.labelled_columns(fields))
            .select_from(source)
            .where(self.resource.model.__table__.c.id == bindparam("id"))
        )
        return CompiledQuery.of(body.add_columns(EPOCH_NOW.scalar_subquery()))


@dataclass(frozen=True, eq=False)
class ChildList:
    """A list below an object: the rows of `resource` that meet a condition on its id (parameter `id`).

    Its stamps are the versions of the kinds in `depends_on` or, if there are none, the object's
    `issues_modified`.
    """

    resource: type
    condition: ColumnElement
    order: tuple
    depends_on: tuple[str, ...] = ()

    def of(self, owner: type, route: str) -> Listing:
        """The Listing below the objects of a resource."""
        parent = owner.model.__table__
        if self.depends_on:
            stamps = (
                select_versions(*self.depends_on).select_from(parent).where(parent.c.id == bindparam("id"))
            )
        else:
            stamps = select_stamps(parent, "issues_modified")
        region = (cached_reads.LIST if self.depends_on else cached_reads.DETAIL) if owner.cached else None
        name = route.removeprefix(ROUTE_PREFIX).replace(".", ":")
        read = ReadDeclaration(route, region, name, stamps, date_pairs=0 if self.depends_on else 2)
        return Listing(
            read,
            self.resource,
            (self.condition,),
            self.order,
            options=list_options_of(self.resource),
            is_versioned=region is not None,
        )


def list_of(resource: type, route: str) -> Listing:
    """The Listing of all rows of a resource."""
    kind = resource.kind()
    region = cached_reads.LIST if resource.cached else None
    stamps = select_versions(*(resource.depends_on or (kind,)))
    read = ReadDeclaration(route, region, f"{kind}:list", stamps)
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
    """The Detail of a resource."""
    region = cached_reads.DETAIL if resource.cached else None
    stamps = select_stamps(resource.model.__table__, *resource.stamps)
    read = ReadDeclaration(route, region, f"{resource.kind()}:retrieve", stamps, date_pairs=2)
    return Detail(read, resource, options_of(resource))
