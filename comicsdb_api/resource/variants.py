"""Lists and details as the options of a request ask for them."""

from dataclasses import replace
from functools import lru_cache

from comicsdb.catalog.errors import InvalidError
from comicsdb_api.negotiation import tag_format
from comicsdb_api.resource.by_ids import ByIds
from comicsdb_api.resource.listing import Detail, Listing
from comicsdb_api.resource.options import IDS, values_in
from comicsdb_api.resource.selection import FIELDS, INCLUDE, Shape

VARIANTS_MAX = 500  # of all lists and details; their statements are kept by `listing.query_of`


def as_asked(served: Listing | Detail, request) -> Listing | Detail:
    """What an address serves, as a request asks for it; errors are raised where the body is made."""
    if not (served.options and request.environ.get("QUERY_STRING")):
        return served
    if tag_format(request):  # it has everything
        return served
    try:
        values = values_in(served.options, request)
    except InvalidError:
        return served
    if not values:
        return served
    is_detail = isinstance(served, Detail)
    shape = Shape(served.resource, is_detail, values.get(FIELDS, ()), values.get(INCLUDE, ()))
    return _detail(served, shape) if is_detail else _listing(served, shape, by_ids=IDS in values)


@lru_cache(VARIANTS_MAX)
def _detail(served: Detail, shape: Shape) -> Detail:
    return replace(served, shape=shape)


@lru_cache(VARIANTS_MAX)
def _listing(served: Listing, shape: Shape, *, by_ids: bool) -> Listing:
    # The stamps of a list are those of its usual fields; and nobody else asks for the same ids.
    read = served.read if shape.is_usual and not by_ids else replace(served.read, region=None)
    if by_ids:
        return ByIds(
            read, served.resource, served.condition, served.order, served.filters, served.options, shape
        )
    return replace(served, read=read, shape=shape)
