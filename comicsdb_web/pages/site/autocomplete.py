"""Autocomplete: `/autocomplete/<name>/items?q=`."""

from pyramid.response import Response

from comicsdb.catalog.kinds import KINDS
from comicsdb.ratelimit import Limit
from comicsdb_web.forms import lookup
from comicsdb_web.http.fragments import log_in_first
from comicsdb_web.pages.site.errors import error_page

LIMIT = Limit("autocomplete", 20, 10)


def items(request):
    """The objects that match a query, as JSON; for members only, with a rate limit."""
    if request.identity is None:
        return log_in_first(request)
    name = request.matchdict["name"]
    if name not in lookup.SOURCES and (name not in KINDS or KINDS[name].is_reference):
        return error_page(request, 404)
    who = str(request.identity.user_id)
    (state,) = request.registry["comicsdb.limiter"].take([(LIMIT, who)]).states
    if state.refused:
        response = error_page(request, 429)
        response.headers["Retry-After"] = str(state.retry_after)
        return response
    query = request.GET.get("q", "")
    short = lookup.too_short(name, query)
    found = lookup.SearchResult([], 0) if short else lookup.find(request, name, query)
    results = [{"id": item.id, "text": item.text, "note": item.note} for item in found.items]
    response = Response(json={"results": results, "total": found.total})
    response.headers["Cache-Control"] = "no-store"
    return response


def includeme(config):
    """Add the route for all names."""
    config.add_page("autocomplete", "/autocomplete/{name}/items", items)
