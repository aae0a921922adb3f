"""Lists in pages: `?page=3`, `?page=last`, and nothing beyond the end."""

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
STEP = 560  # rows from one place that is kept to the next
FAR = 10 * STEP  # rows that are passed by without a place: cheaper than looking for all places


@dataclass(frozen=True)
class Page:
    """One page of a list: its rows, its number, and how many rows and pages there are."""

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
                listed.append(each - 1)  # an ellipsis would stand for one page only
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
    """The page that the request asks for: two statements. Raises HTTPNotFound beyond the end.

    `ids` gives the ids of the list (or the columns of its key) in its order, `rows` whole rows in the same
    order: only those of the page are put together, however far back it is. With `kinds`, those whose versions
    tell of all that the list depends on beside its address and the day, the number of rows and the places
    where far pages begin are kept in the cache: one statement more, and its cost does not grow with the list.
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
    """What the cache knows of the list at an address, at the versions it has now."""

    def __init__(self, request, stamps: Select):
        self._session = request.dbsession
        self._region = request.cache.list
        given = (pair for pair in request.GET.items() if pair[0] != "page")
        parameters = sorted(given, key=lambda pair: pair[0])  # of several values of one the last may count
        address = repr((request.path, parameters)).encode(errors="surrogatepass")
        digest = blake2b(address, digest_size=16).hexdigest()
        now = self._session.execute(stamps).one()
        self._key = f"rows:{digest}:{request.today}:{'.'.join(map(str, now))}"

    def total(self, count: Select) -> int:
        """How many rows the list has."""
        return int(self._find("count", lambda: b"%d" % self._session.scalar(count)))

    def near(self, ids: Select, offset: int) -> tuple[Select, int]:
        """The list from a place on, and how many rows are passed by from there to an offset."""
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
    """The number of the page, and how many there are. Raises HTTPNotFound beyond the end."""
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
    """How many rows a block has shown already; raises HTTPBadRequest for anything else."""
    offset = whole_number(request.GET.get("offset", "0"), clamp=True)
    if offset is None:
        raise HTTPBadRequest(_("The offset must be a whole number, zero or more."))
    return offset
