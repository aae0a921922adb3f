"""Lists and details as the options of a request ask for them."""

from dataclasses import replace
from functools import lru_cache

from comicsdb.catalog.errors import InvalidError
from comicsdb_api.negotiation import tag_format
from comicsdb_api.resource.by_cursor import ByCursor
from comicsdb_api.resource.by_ids import ByIds
from comicsdb_api.resource.listing import Detail, Listing
from comicsdb_api.resource.options import CURSOR, IDS, PAGE_SIZE, SORT, option_values
from comicsdb_api.resource.selection import FIELDS, INCLUDE, Shape

VARIANTS_MAX = 500  # of all lists and details; their statements are kept by `listing.query_of`
WAYS = {IDS: ByIds, CURSOR: ByCursor}


def as_asked(served: Listing | Detail, request) -> Listing | Detail:
    """What an address serves, as a request asks for it; errors are raised where the body is made."""
    if not (served.options and request.environ.get("QUERY_STRING")):
        return served
    if tag_format(request):  # it has everything
        return served
    try:
        values = option_values(served.options, request)
    except InvalidError:
        return served
    if not values:
        return served
    is_detail = isinstance(served, Detail)
    shape = Shape(served.resource, is_detail, values.get(FIELDS, ()), values.get(INCLUDE, ()))
    if is_detail:
        return _detail(served, shape)
    way = next((name for name in (IDS, CURSOR) if name in values), "")
    return _listing(served, shape, values.get(SORT, ""), values.get(PAGE_SIZE), way)


@lru_cache(VARIANTS_MAX)
def _detail(served: Detail, shape: Shape) -> Detail:
    return replace(served, shape=shape)


@lru_cache(VARIANTS_MAX)
def _listing(served: Listing, shape: Shape, sort: str, size: int | None, way: str) -> Listing:
    order = served.order
    if sort:
        order = served.resource.sorts()[sort.removeprefix("-")]
        order = tuple(each.desc() for each in order) if sort.startswith("-") else order
    # The stamps of a list are those of its usual fields; and hardly anybody asks twice for ids or by cursor.
    read = served.read if shape.is_usual and not way else replace(served.read, region=None)
    kept = served.filters, served.options, shape, size, sort, served.is_versioned
    return WAYS.get(way, type(served))(read, served.resource, served.condition, order, *kept)
