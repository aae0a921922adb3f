"""Lists and details that are derived from those of a route, by the options of a request."""

from dataclasses import replace
from functools import lru_cache

from comicsdb.catalog.errors import InvalidError
from comicsdb_api.negotiation import tag_format
from comicsdb_api.resource.cursor_listing import CursorListing
from comicsdb_api.resource.id_listing import IdListing
from comicsdb_api.resource.listing import Detail, Listing
from comicsdb_api.resource.options import CURSOR, IDS, PAGE_SIZE, SORT, option_values
from comicsdb_api.resource.selection import FIELDS, INCLUDE, FieldSelection

DERIVED_MAX = 500  # of all lists and of all details; `listing.compiled_query` caches their statements
LISTING_CLASSES = {IDS: IdListing, CURSOR: CursorListing}


def apply_options(served: Listing | Detail, request) -> Listing | Detail:
    """The listing or detail for the options of a request; errors are raised later, when the body is built."""
    if not (served.options and request.environ.get("QUERY_STRING")):
        return served
    if tag_format(request):  # other formats always have all fields
        return served
    try:
        values = option_values(served.options, request)
    except InvalidError:
        return served
    if not values:
        return served
    is_detail = isinstance(served, Detail)
    selection = FieldSelection(served.resource, is_detail, values.get(FIELDS, ()), values.get(INCLUDE, ()))
    if is_detail:
        return _derived_detail(served, selection)
    way = next((name for name in (IDS, CURSOR) if name in values), "")
    return _derived_listing(served, selection, values.get(SORT, ""), values.get(PAGE_SIZE), way)


@lru_cache(DERIVED_MAX)
def _derived_detail(served: Detail, selection: FieldSelection) -> Detail:
    return replace(served, selection=selection)


@lru_cache(DERIVED_MAX)
def _derived_listing(
    served: Listing, selection: FieldSelection, sort: str, size: int | None, way: str
) -> Listing:
    order = served.order
    if sort:
        order = served.resource.sort_orders()[sort.removeprefix("-")]
        order = tuple(each.desc() for each in order) if sort.startswith("-") else order
    # The stamps of a list cover only its usual fields, and pages by ids or cursor are seldom requested twice.
    read = served.read if selection.is_default and not way else replace(served.read, region=None)
    unchanged = served.filters, served.options, selection, size, sort, served.is_versioned
    return LISTING_CLASSES.get(way, type(served))(read, served.resource, served.condition, order, *unchanged)
