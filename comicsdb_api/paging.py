"""Pages of lists: which one is asked for, and the envelope around its rows (api.md 1.4)."""

from urllib.parse import urlencode

from comicsdb_api.errors import Refused
from comicsdb_api.negotiation import parameter

PAGE_SIZE = 100
MOST_DIGITS = 9


def page_number(request, pages: int) -> int:
    """The page asked for, from 1 to `pages`; raises Refused (404) for any other."""
    wanted = parameter(request, "page")
    if not wanted:
        return 1
    if wanted == "last":
        return pages
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= MOST_DIGITS and 1 <= int(wanted) <= pages:
        return int(wanted)
    raise Refused(404, "Invalid page.")


def page_count(rows: int, size: int = PAGE_SIZE) -> int:
    """How many pages a number of rows makes; nothing still makes one."""
    return max(1, -(-rows // size))


def envelope(request, number: int, pages: int, count: int, results: list) -> dict:
    """The body of a page."""
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
