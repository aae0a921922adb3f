"""Pages of lists: `?page=3` and `?page=last`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import blake2b
from math import ceil
from typing import ClassVar

import orjson
from pyramid.httpexceptions import HTTPBadRequest, HTTPNotFound
from sqlalchemy import BigInteger, Select, bindparam, select, tuple_

from comicsdb.catalog.filters import Clause, values_of
from comicsdb.db import keyset
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.readcache.policy import Preflight
from comicsdb.readcache.validators import select_versions
from comicsdb.values import whole_number
from comicsdb_web.lists import cards
from comicsdb_web.rendering.json_columns import constant, rows_of
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy
from comicsdb_web.rendering.row_views import row_view

PER_PAGE = 28
BLOCK_STEP = 30
NEIGHBOUR_PAGES = 2  # pages shown on either side of the current one
SURVEY_STEP = 560  # rows between two cached keys
QUERIES_MAX = 300  # compiled statements of lists, of some 5 KB each
SURVEY_OFFSET_MIN = 10 * SURVEY_STEP  # below this offset, skipping rows is cheaper than a survey

# Purposes of statements: the number of rows, keys of far pages, the first page with or without the number,
# a page after an offset, or after a key.
COUNT, SURVEY, FIRST_WITH_COUNT, FIRST, AFTER_OFFSET, AFTER_KEY = (
    "count",
    "survey",
    "first with count",
    "first",
    "after offset",
    "after key",
)


@dataclass(frozen=True)
class Page:
    """A page of a list: its rows, its number, and the total numbers of rows and pages."""

    rows: list
    number: int
    total: int
    pages: int

    @property
    def numbers(self) -> list[int | None]:
        """The pages to link to: the first, the last and those around; None for a gap."""
        near = range(
            max(1, self.number - NEIGHBOUR_PAGES), min(self.pages, self.number + NEIGHBOUR_PAGES) + 1
        )
        shown = sorted({1, self.pages, *near})
        listed: list[int | None] = []
        for each in shown:
            if listed and each - listed[-1] == 2:
                listed.append(each - 1)  # instead of an ellipsis for a single page
            elif listed and each - listed[-1] > 2:
                listed.append(None)
            listed.append(each)
        return listed


@dataclass(frozen=True)
class RowsFrom:
    """The rows of a list from `offset` on, at most `step`, and their total number; the base class."""

    step: ClassVar[int]

    rows: list
    offset: int
    total: int

    @property
    def next_offset(self) -> int | None:
        """The offset of the next rows, None at the end."""
        end = self.offset + len(self.rows)
        return end if self.rows and end < self.total else None

    @property
    def previous_offset(self) -> int | None:
        """The offset of the rows before these, None at the beginning."""
        return max(0, min(self.offset, self.total) - self.step) if self.offset else None


def paginate(request, rows: Select, ids: Select, count: Select, per_page: int = PER_PAGE) -> Page:
    """The requested page; two statements. Raises HTTPNotFound for a page that does not exist.

    `ids` selects the ids of the list (or the columns of its key) in order, `rows` whole rows in the same
    order, of which only those of the page are loaded.
    """
    total = request.dbsession.scalar(count)
    number, pages = requested_page(request, total, per_page)
    wanted = _rows_of_page(rows, ids.offset((number - 1) * per_page), per_page)
    return Page(request.dbsession.execute(wanted).all(), number, total, pages)


def _rows_of_page(rows: Select, ids: Select, per_page: int) -> Select:
    return rows.where(tuple_(*ids.selected_columns).in_(ids.limit(constant(per_page))))


class CardList:
    """A list of cards; values computed about it are cached until something that it `shows` changes.

    The cache key also contains the URL and the date. Without `shows`, nothing is cached.
    """

    def __init__(self, request, shows: CachePolicy | None):
        self._pool: ReadPool = request.read_pool
        self._request, self._region = request, request.cache.list
        cached = shows is not None and not shows.excludes(request.GET.items())
        self._key = self._key_of(request, shows.kinds) if cached else None

    def _key_of(self, request, kinds: tuple[str, ...]) -> str:
        given = (pair for pair in request.GET.items() if pair[0] != "page")
        parameters = sorted(given, key=lambda pair: pair[0])  # the order of repeated parameters may matter
        address = repr((request.path, parameters)).encode(errors="surrogatepass")
        digest = blake2b(address, digest_size=16).hexdigest()
        preflight = Preflight.of(request)
        now = preflight.validators if preflight else self._pool.fetch(_versions(kinds), {})
        return f"rows:{digest}:{request.today}:{'.'.join(map(str, now))}"

    def page(self, model, clauses: tuple[Clause, ...], sort: str = "") -> Page:
        """The requested page of the rows that meet all clauses; raises HTTPNotFound if it does not exist.

        This takes one statement for the first page or with a cached number of rows, otherwise a second one to
        count them; far pages take another one if their keys are not cached.
        """
        query = partial(_query, model, sort, clauses)
        values, known = values_of(clauses), None
        if self._key:
            known = self._region.get(f"{self._key}:count") or None
        if known is None and self._request.GET.get("page", "1") != "1":
            known = self.get_or_compute("count", lambda: b"%d" % self._pool.fetch(query(COUNT), values)[0])
        if known is None:
            total, rows = self._pool.fetch(query(FIRST_WITH_COUNT), values)
            self.get_or_compute("count", lambda: b"%d" % total)
            number, pages = 1, page_count(total, PER_PAGE)
        else:
            total = int(known)
            number, pages = requested_page(self._request, total, PER_PAGE)
            rows = self._rows(query, values, (number - 1) * PER_PAGE)
        return Page([row_view(model.__tablename__, each) for each in rows], number, total, pages)

    def get_or_compute(self, name: str, compute: Callable[[], bytes]) -> bytes:
        """A value about the list, by name; computed if it is not cached."""
        return self._region.get_or_create(f"{self._key}:{name}", compute) if self._key else compute()

    def _rows(self, query: Callable[[str], CompiledQuery], values: dict, offset: int) -> list:
        """The rows of the page that begins at an offset."""
        place = None
        if offset >= SURVEY_OFFSET_MIN:
            places = self.get_or_compute("survey", lambda: orjson.dumps(self._places(query(SURVEY), values)))
            place = keyset.nearest_place(orjson.loads(places), offset)
        if place is not None:
            values = values | keyset.place_values(place) | {"offset": offset - place[0]}
            return self._pool.fetch(query(AFTER_KEY), values)[0]
        if offset:
            return self._pool.fetch(query(AFTER_OFFSET), values | {"offset": offset})[0]
        return self._pool.fetch(query(FIRST), values)[0]

    def _places(self, survey: CompiledQuery, values: dict) -> list:
        return orjson.loads(self._pool.fetch(survey, values)[1])


@cache
def _versions(kinds: tuple[str, ...]) -> CompiledQuery:
    return CompiledQuery.of(select_versions(*kinds))


@lru_cache(QUERIES_MAX)
def _query(model, sort: str, clauses: tuple[Clause, ...], purpose: str) -> CompiledQuery:
    """The statement of a list for one of the purposes above, compiled once for each set of filters."""
    conditions, order = [each.build() for each in clauses], cards.order(model, sort)
    count = cards.count_statement(model, *conditions)
    if purpose == COUNT:
        return CompiledQuery.of(count, prepared=False)
    if purpose == SURVEY:
        return CompiledQuery.of(
            keyset.select_places(model.__table__, conditions, order, SURVEY_STEP), prepared=False
        )
    if purpose == AFTER_KEY:
        conditions.append(keyset.from_place(order[: keyset.place_length(order, model.__table__)]))
    ids = cards.id_statement(model).where(*conditions).order_by(*order)
    if purpose in (AFTER_KEY, AFTER_OFFSET):
        ids = ids.offset(bindparam("offset", type_=BigInteger))
    rows = rows_of(_rows_of_page(cards.statement(model).order_by(*order), ids, PER_PAGE))
    statement = select(count.scalar_subquery(), rows) if purpose == FIRST_WITH_COUNT else select(rows)
    # With filters, the best plan depends on the values; without any, one prepared plan is enough.
    return CompiledQuery.of(statement, prepared=not clauses and purpose in (FIRST_WITH_COUNT, FIRST))


def page_count(total: int, per_page: int) -> int:
    """The number of pages, at least one."""
    return max(1, ceil(total / per_page))


def requested_page(request, total: int, per_page: int) -> tuple[int, int]:
    """The number of the requested page, and of all pages; raises HTTPNotFound if it does not exist."""
    pages = page_count(total, per_page)
    return _page_number(request.GET.get("page", "1"), pages), pages


def _page_number(text: str, pages: int) -> int:
    if text == "last":
        return pages
    number = whole_number(text, 1, pages)
    if number is None:
        raise HTTPNotFound(_("This page of the list does not exist."))
    return number


def offset_of(request) -> int:
    """The number of rows that a block has already shown; raises HTTPBadRequest for an invalid number."""
    offset = whole_number(request.GET.get("offset", "0"), clamp=True)
    if offset is None:
        raise HTTPBadRequest(_("The offset must be a whole number, zero or more."))
    return offset
