"""Pages of lists: reading the requested page number, and building the body around the rows."""

from urllib.parse import urlencode

from comicsdb.values import whole_number
from comicsdb_api.errors import RefusedError
from comicsdb_api.negotiation import parameter

PAGE_SIZE = 100
PAGE_MAX = 10**9 - 1
NEXT_KEY = "comicsdb_api.next"  # in the environ: the URL of the next page by cursor
LAST = None  # in place of a page number: the last page


def requested_page(request) -> int | None:
    """The requested page, or LAST; raises RefusedError (404) for an invalid number."""
    text = parameter(request, "page")
    if not text:
        return 1
    if text == "last":
        return LAST
    number = whole_number(text, 1, PAGE_MAX)
    if number is None:
        raise invalid_page()
    return number


def invalid_page() -> RefusedError:
    """404 for a page that does not exist."""
    return RefusedError(404, "Invalid page.")


def page_count(rows: int, size: int = PAGE_SIZE) -> int:
    """The number of pages for a number of rows, at least one."""
    return max(1, -(-rows // size))


def envelope(request, number: int, count: int, results: list, size: int, repeated: list) -> dict:
    """The body of a page; raises RefusedError (404) for a number past the end.

    `repeated` has the parameters, as pairs, that links to other pages repeat.
    """
    pages = page_count(count, size)
    if number > pages:
        raise invalid_page()
    return {
        "count": count,
        "next": _link(request, number + 1, repeated) if number < pages else None,
        "previous": _link(request, number - 1, repeated) if number > 1 else None,
        "results": results,
    }


def cursor_envelope(request, cursor: str | None, results: list, repeated: list) -> dict:
    """The body of a page by cursor; `cursor` is that of the next page, or None on the last."""
    following = None
    if cursor is not None:
        repeated = [(name, value) for name, value in repeated if name not in {"cursor", "page"}]
        following = request.environ[NEXT_KEY] = _address(request, [*repeated, ("cursor", cursor)])
    return {"count": None, "next": following, "previous": None, "results": results}


def headers(request) -> tuple[tuple[str, str], ...]:
    """The header `Link` (RFC 8288) of a page by cursor."""
    following = request.environ.get(NEXT_KEY)
    return (("Link", f'<{following}>; rel="next"'),) if following else ()


def _link(request, number: int, repeated: list) -> str:
    """The URL of another page, with the parameters sorted by name; page 1 has no number."""
    repeated = [(name, value) for name, value in repeated if name != "page"]
    if number > 1:
        repeated.append(("page", str(number)))
    return _address(request, repeated)


def _address(request, repeated: list) -> str:
    query = urlencode(sorted(repeated, key=lambda pair: pair[0]))
    return f"{request.path_url}?{query}" if query else request.path_url
