"""Pages of lists: which one is asked for, and the envelope around its rows (api.md 1.4)."""

from urllib.parse import urlencode

from comicsdb_api.errors import Refused
from comicsdb_api.negotiation import parameter

SIZE = 100
MOST_DIGITS = 9
LAST = None  # the page asked for is the last one, whichever that is


def wanted(request) -> int | None:
    """The page asked for, LAST for the last; raises Refused (404) for what can be no page."""
    text = parameter(request, "page")
    if not text:
        return 1
    if text == "last":
        return LAST
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and int(text) > 0:
        return int(text)
    raise invalid()


def invalid() -> Refused:
    """404 for a page that is not there."""
    return Refused(404, "Invalid page.")


def page_count(rows: int, size: int = SIZE) -> int:
    """How many pages of a size a number of rows makes; nothing still makes one."""
    return max(1, -(-rows // size))


def envelope(request, number: int, count: int, results: list, size: int = SIZE) -> dict:
    """The body of a page; raises Refused (404) for a number past the end."""
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
