"""`strict=1`: unknown query parameters are rejected instead of ignored."""

from comicsdb.catalog.errors import InvalidError
from comicsdb.http import READ_METHODS
from comicsdb.values import flag
from comicsdb_api.negotiation import parameter
from comicsdb_api.openapi.document import query_parameters
from comicsdb_api.responses import is_api_route

NAME = "strict"
UNKNOWN = "Unknown parameter."


def is_strict(request) -> bool:
    """Whether the request asks for unknown parameters to be rejected."""
    if NAME not in request.environ.get("QUERY_STRING", ""):
        return False
    return flag((parameter(request, NAME) or "").strip()) or False


def reject_unknown(request, known: tuple[str, ...]) -> None:
    """Raise InvalidError if the query has unknown parameters."""
    unknown = dict.fromkeys(name for name, _value in request.api_parameters if name not in known)
    if unknown:
        message = f"Known parameters: {', '.join(sorted(known))}."
        raise InvalidError({name: [UNKNOWN] for name in unknown} | {NAME: [message]})


def strict_view(view, info):
    """View deriver: check parameters after authentication and limits, before the view."""
    route = info.options.get("route_name")
    if info.exception_only or not is_api_route(route):
        return view

    def checked(context, request):
        if request.method in READ_METHODS and is_strict(request):
            known = query_parameters(request.registry).get(route)
            if known is not None:
                reject_unknown(request, known)
        return view(context, request)

    return checked


def includeme(config):
    """Add the view deriver."""
    config.add_view_deriver(strict_view)
