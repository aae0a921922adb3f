"""Pages of lists: `?page=3` and `?page=last`."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil

import orjson
from pyramid.httpexceptions import HTTPBadRequest, HTTPNotFound
from sqlalchemy import Select, tuple_

from comicsdb.db import keyset
from comicsdb.readcache.validators import versions
from comicsdb.values import whole_number
from comicsdb_web.rendering.locales import _

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


def paginate(
    request,
    rows: Select,
    ids: Select,
    count: Select,
    per_page: int = PER_PAGE,
    *,
    kinds: tuple[str, ...] = (),
) -> Page:
    """The requested page; two statements. Raises HTTPNotFound for a page that does not exist.

    `ids` selects the ids of the list (or the columns of its key) in order, `rows` whole rows in the same
    order, of which only those of the page are loaded. With `kinds`, on whose versions the list depends
    besides its URL and the date, the number of rows and the places of far pages are cached: one more
    statement, whose cost does not grow with the list.
    """
    kept = Kept(request, versions(*kinds)) if kinds else None
    total = kept.total(count) if kept else request.dbsession.scalar(count)
    number, pages = page_asked_for(request, total, per_page)
    offset = (number - 1) * per_page
    if kept and offset >= FAR:
        ids, offset = kept.near(ids, offset)
    wanted = tuple_(*ids.selected_columns).in_(ids.limit(per_page).offset(offset))
    return Page(request.dbsession.execute(rows.where(wanted)).all(), number, total, pages)


class Kept:
    """The cached facts about the list of a URL at its present versions."""

    def __init__(self, request, stamps: Select):
        self._session = request.dbsession
        self._region = request.cache.list
        given = (pair for pair in request.GET.items() if pair[0] != "page")
        parameters = sorted(given, key=lambda pair: pair[0])  # the order of repeated parameters may matter
        address = repr((request.path, parameters)).encode(errors="surrogatepass")
        digest = blake2b(address, digest_size=16).hexdigest()
        now = self._session.execute(stamps).one()
        self._key = f"rows:{digest}:{request.today}:{'.'.join(map(str, now))}"

    def total(self, count: Select) -> int:
        """The number of rows."""
        return int(self._find("count", lambda: b"%d" % self._session.scalar(count)))

    def near(self, ids: Select, offset: int) -> tuple[Select, int]:
        """The list from a place on, and the number of rows to skip from there to an offset."""
        order = tuple(ids._order_by_clauses)  # SQLAlchemy has no other way to ask for it
        table = ids.selected_columns[0].table
        conditions = () if ids.whereclause is None else (ids.whereclause,)

        def survey() -> bytes:
            return self._session.execute(keyset.survey(table, conditions, order, STEP)).one().places.encode()

        place = keyset.nearest(orjson.loads(self._find("survey", survey)), offset)
        if place is None:
            return ids, offset
        leading = order[: keyset.depth(order, table)]
        return ids.where(keyset.from_place(leading)).params(keyset.bound(place)), offset - place[0]

    def _find(self, what: str, make: Callable[[], bytes]) -> bytes:
        return self._region.get_or_create(f"{self._key}:{what}", make)[0]


def page_asked_for(request, total: int, per_page: int) -> tuple[int, int]:
    """The number of the requested page, and of all pages; raises HTTPNotFound if it does not exist."""
    pages = max(1, ceil(total / per_page))
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
