"""Pages of lists: which one is asked for, and the envelope around its rows."""

from urllib.parse import urlencode

from comicsdb.values import whole_number
from comicsdb_api.errors import RefusedError
from comicsdb_api.negotiation import parameter

SIZE = 100
PAGE_MAX = 10**9 - 1
LAST = None  # the page asked for is the last one, whichever that is


def wanted(request) -> int | None:
    """The page asked for, LAST for the last; raises RefusedError (404) for what can be no page."""
    text = parameter(request, "page")
    if not text:
        return 1
    if text == "last":
        return LAST
    number = whole_number(text, 1, PAGE_MAX)
    if number is None:
        raise invalid()
    return number


def invalid() -> RefusedError:
    """404 for a page that is not there."""
    return RefusedError(404, "Invalid page.")


def page_count(rows: int, size: int = SIZE) -> int:
    """How many pages of a size a number of rows makes; nothing still makes one."""
    return max(1, -(-rows // size))


def envelope(request, number: int, count: int, results: list, size: int = SIZE) -> dict:
    """The body of a page; raises RefusedError (404) for a number past the end."""
    pages = page_count(count, size)
    if number > pages:
        raise invalid()
    return {
        "count": count,
        "next": _link(request, number + 1) if number < pages else None,
        "previous": _link(request, number - 1) if number > 1 else None,
        "results": results,
    }


def _link(request, number: int) -> str:
    """The address of another page: all other parameters kept, sorted by name; page 1 goes without number."""
    kept = [(name, value) for name, value in request.api_parameters if name != "page"]
    if number > 1:
        kept.append(("page", str(number)))
    query = urlencode(sorted(kept, key=lambda pair: pair[0]))
    return f"{request.path_url}?{query}" if query else request.path_url
