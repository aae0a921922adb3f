"""Pages of lists: `?page=3` and `?page=last`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from math import ceil

import orjson
from pyramid.httpexceptions import HTTPBadRequest, HTTPNotFound
from sqlalchemy import Select, select, tuple_

from comicsdb.db import keyset
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.readcache.policy import Preflight
from comicsdb.readcache.validators import versions
from comicsdb.values import whole_number
from comicsdb_web.lists import cards
from comicsdb_web.lists.parts import constant, rows_of
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy
from comicsdb_web.rendering.row_views import shown

PER_PAGE = 28
BLOCK_STEP = 30
AROUND = 2  # pages shown on either side of the current one
STEP = 560  # rows between cached places
FAR = 10 * STEP  # rows that are skipped without a place, which is cheaper than a survey


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
        near = range(max(1, self.number - AROUND), min(self.pages, self.number + AROUND) + 1)
        shown = sorted({1, self.pages, *near})
        listed: list[int | None] = []
        for each in shown:
            if listed and each - listed[-1] == 2:
                listed.append(each - 1)  # instead of an ellipsis for a single page
            elif listed and each - listed[-1] > 2:
                listed.append(None)
            listed.append(each)
        return listed


def paginate(request, rows: Select, ids: Select, count: Select, per_page: int = PER_PAGE) -> Page:
    """The requested page; two statements. Raises HTTPNotFound for a page that does not exist.

    `ids` selects the ids of the list (or the columns of its key) in order, `rows` whole rows in the same
    order, of which only those of the page are loaded.
    """
    total = request.dbsession.scalar(count)
    number, pages = page_asked_for(request, total, per_page)
    wanted = _wanted(rows, ids, per_page, (number - 1) * per_page)
    return Page(request.dbsession.execute(wanted).all(), number, total, pages)


def _wanted(rows: Select, ids: Select, per_page: int, offset: int) -> Select:
    wanted = ids.limit(constant(per_page))
    return rows.where(tuple_(*ids.selected_columns).in_(wanted.offset(offset) if offset else wanted))


class CardList:
    """A list of cards, whose facts are cached as long as nothing changes of what it `shows`.

    They depend on its URL and the date, too. Without `shows` nothing is cached.
    """

    def __init__(self, request, shows: CachePolicy | None):
        self._pool: ReadPool = request.read_pool
        self._request, self._region = request, request.cache.list
        self._key = self._key_of(request, shows.kinds) if shows else None

    def _key_of(self, request, kinds: tuple[str, ...]) -> str:
        given = (pair for pair in request.GET.items() if pair[0] != "page")
        parameters = sorted(given, key=lambda pair: pair[0])  # the order of repeated parameters may matter
        address = repr((request.path, parameters)).encode(errors="surrogatepass")
        digest = blake2b(address, digest_size=16).hexdigest()
        preflight = Preflight.of(request)
        now = preflight.validators if preflight else self._pool.fetch(_versions(kinds), {})
        return f"rows:{digest}:{request.today}:{'.'.join(map(str, now))}"

    def page(self, model, conditions: tuple, order: tuple) -> Page:
        """The requested page; raises HTTPNotFound if it does not exist.

        One statement, which also counts where the number of rows is not cached; a second one for other pages
        than the first then, and for the places of far pages.
        """
        request, kind = self._request, model.__tablename__
        known = self._region.get(f"{self._key}:count") if self._key else None
        if known is None and request.GET.get("page", "1") != "1":
            known = self.find("count", lambda: b"%d" % self.first(cards.counted(model, *conditions)))
        if known is None:
            total, rows = self._read(model, conditions, order)
            self.find("count", lambda: b"%d" % total)
            number, pages = 1, page_count(total, PER_PAGE)
        else:
            total = int(known)
            number, pages = page_asked_for(request, total, PER_PAGE)
            rows = self._rows(model, conditions, order, (number - 1) * PER_PAGE)
        return Page([shown(kind, each) for each in rows], number, total, pages)

    def find(self, what: str, make: Callable[[], bytes]) -> bytes:
        """A fact about the list by its name, made if it is not cached."""
        return self._region.get_or_create(f"{self._key}:{what}", make)[0] if self._key else make()

    def first(self, statement: Select):
        """The first column of the only row of a statement."""
        return self._pool.first(statement, {})[0]

    def _read(self, model, conditions: tuple, order: tuple) -> tuple[int, list]:
        """The number of rows, and those of the first page."""
        if conditions:
            return self._pool.first(_first_page(model, conditions, order), {})
        return self._pool.fetch(_whole_list(model, order), {})

    def _rows(self, model, conditions: tuple, order: tuple, offset: int) -> list:
        """The rows of a page after so many others."""
        if not conditions and not offset:
            return self._pool.fetch(_whole_list(model, order, counted=False), {})[0]
        ids = cards.ids(model).where(*conditions).order_by(*order)
        parameters = {}
        if offset >= FAR:
            ids, offset, parameters = self._near(ids, offset)
        rows = _wanted(cards.statement(model).order_by(*order), ids, PER_PAGE, offset)
        return self._pool.first(select(rows_of(rows)), parameters)[0]

    def _near(self, ids: Select, offset: int) -> tuple[Select, int, dict]:
        """The list from a place on, the number of rows to skip from there to an offset, and the place."""
        order = tuple(ids._order_by_clauses)  # SQLAlchemy has no other way to ask for it
        table = ids.selected_columns[0].table
        conditions = () if ids.whereclause is None else (ids.whereclause,)

        def survey() -> bytes:
            return self._pool.first(keyset.survey(table, conditions, order, STEP), {}).places.encode()

        place = keyset.nearest(orjson.loads(self.find("survey", survey)), offset)
        if place is None:
            return ids, offset, {}
        leading = order[: keyset.depth(order, table)]
        return ids.where(keyset.from_place(leading)), offset - place[0], keyset.bound(place)


@cache
def _versions(kinds: tuple[str, ...]) -> CompiledQuery:
    return CompiledQuery.of(versions(*kinds))


@cache
def _whole_list(model, order: tuple, *, counted: bool = True) -> CompiledQuery:
    """The first page of all objects of a kind, compiled once."""
    return CompiledQuery.of(_first_page(model, (), order, counted=counted))


def _first_page(model, conditions: tuple, order: tuple, *, counted: bool = True) -> Select:
    """The number of rows, unless it is known, and those of the first page."""
    ids = cards.ids(model).where(*conditions).order_by(*order)
    rows = rows_of(_wanted(cards.statement(model).order_by(*order), ids, PER_PAGE, 0))
    if not counted:
        return select(rows)
    return select(cards.counted(model, *conditions).scalar_subquery(), rows)


def page_count(total: int, per_page: int) -> int:
    """The number of pages, at least one."""
    return max(1, ceil(total / per_page))


def page_asked_for(request, total: int, per_page: int) -> tuple[int, int]:
    """The number of the requested page, and of all pages; raises HTTPNotFound if it does not exist."""
    pages = page_count(total, per_page)
    return _page_number(request.GET.get("page", "1"), pages), pages


def _page_number(text: str, pages: int) -> int:
    if text == "last":
        return pages
    number = whole_number(text, 1, pages)
    if number is None:
        raise HTTPNotFound(_("This list has no such page."))
    return number


def offset_of(request) -> int:
    """The number of rows that a block has shown already; raises HTTPBadRequest for an invalid one."""
    offset = whole_number(request.GET.get("offset", "0"), clamp=True)
    if offset is None:
        raise HTTPBadRequest(_("The offset must be a whole number, zero or more."))
    return offset
