"""Exception views for paths below /api/: errors as JSON, in the form that Metron's clients expect."""

import logging
from functools import partial

from pyramid.events import ApplicationCreated
from pyramid.httpexceptions import HTTPException, HTTPForbidden, HTTPMethodNotAllowed, HTTPNotFound
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response
from pyramid_retry import is_error_retryable

from comicsdb import catalog
from comicsdb.accounts import TooManyFailuresError
from comicsdb.db import is_unavailable
from comicsdb.http import OUTAGE_RETRY_SECONDS, READ_METHODS
from comicsdb.http.bodies import BodyError
from comicsdb.http.request_checks import Refusal
from comicsdb.media.storage import StorageDownError
from comicsdb.ops.logs import log_failure
from comicsdb.security import AuthenticationError, InvalidTokenError, OutOfScope, log_denied
from comicsdb_api import retirement
from comicsdb_api.responses import (
    FORMAT_KEY,
    JSON_FORMATS,
    PATH_PREFIX,
    PROBLEM,
    ROUTE_PREFIX,
    base_urls,
    headers,
    is_api_path,
    is_api_route,
    json_response,
    make_response,
    problem,
    to_json,
    too_many_requests,
    wants_problem,
)

logger = logging.getLogger(__name__)

NOT_FOUND = "Not found."
STORAGE_DOWN = "Pictures cannot be stored at the moment. Nothing was changed; please try again later."
DATABASE_DOWN = "The database is unavailable at the moment; please try again later."
NOT_ACCEPTABLE = "Could not satisfy the request Accept header."
# Matches all other URLs below /api/, so that the API returns 404 for them, not the site.
UNKNOWN_ROUTE, UNKNOWN_PATTERN = "api.unknown", "/api{rest:(/.*)?}"
ID_LABELS = {"cv_id": "Comic Vine ID", "gcd_id": "GCD ID"}
# The key of errors that concern several fields, in the catalog and in the API.
FIELD_NAMES = {"__all__": "non_field_errors"}


class RefusedError(Exception):
    """Ends a request with a status and a message."""

    def __init__(self, status: int, detail: str):
        super().__init__(detail)
        self.status = status
        self.detail = detail


class BadRequestError(Exception):
    """Ends a request with 400 and all errors in its body: messages by field, or by index and field."""

    def __init__(self, problems: dict):
        super().__init__(str(problems))
        self.problems = problems


class ApiPath:
    """View predicate `api_path=True`, which limits our exception views to requests for the API."""

    def __init__(self, value, config):  # noqa: ARG002
        self.value = value

    def text(self):
        """Return the text shown by Pyramid's introspection."""
        return f"api_path = {self.value}"

    phash = text

    def __call__(self, context, request):  # noqa: ARG002
        """Check the raw path, which may not be valid UTF-8."""
        return is_api_path(request.environ) is self.value


def refused(error: RefusedError, request, route: str | None = None):
    """Return the message as `detail`."""
    return json_response(request, {"detail": error.detail}, error.status, route=route)


def rejected_before_routing(environ, refusal: Refusal) -> Response:
    """Return the response to a request that the checks before routing rejected."""
    body, content_type = to_json({"detail": refusal.reason}), "application/json"
    if wants_problem(environ):
        body, content_type = problem(refusal.status, body), PROBLEM
    sent = [("Content-Type", content_type), *headers(environ)]
    return Response(body=body, status=refusal.line, headerlist=sent)


def unauthenticated(request, detail: str):
    """Return 401 with the usual challenge, regardless of the scheme used."""
    return json_response(request, {"detail": detail}, 401, (request.registry[retirement.KEY].challenge,))


def authentication_failed(error: AuthenticationError, request):
    """Return 401 for wrong credentials."""
    return unauthenticated(request, str(error))


def invalid_token(error: InvalidTokenError, request):
    """Return 401 for an invalid token, with the challenge of RFC 6750.

    It precedes the usual challenge, or replaces it if that is also for tokens.
    """
    challenges = [_bearer_challenge("invalid_token", str(error))]
    basic_retirement = request.registry[retirement.KEY]
    if not basic_retirement.is_over:
        challenges.append(basic_retirement.challenge)
    return json_response(request, {"detail": str(error)}, 401, challenges)


def _bearer_challenge(error: str, description: str, more: str = "") -> tuple[str, str]:
    """Return the challenge of RFC 6750."""
    return (
        "WWW-Authenticate",
        f'Bearer realm="api", error="{error}", error_description="{description}"{more}',
    )


def too_many_failures(error: TooManyFailuresError, request):
    """Return 429 without rate limit headers, as the caller is not authenticated."""
    return too_many_requests(request, "Too many failed attempts.", error.retry_after)


def forbidden(error, request):
    """Return 401 for anonymous callers, else 403; for tokens it names the scope that would suffice."""
    identity, denied = request.identity, getattr(error, "result", None)
    if identity is None:
        return unauthenticated(request, "Authentication credentials were not provided.")
    log_denied(request)
    if isinstance(denied, OutOfScope):
        message = (
            f"This token has the scope {identity.scope}; the request needs one with the scope {denied.scope}."
        )
        challenge = _bearer_challenge("insufficient_scope", message, f', scope="{denied.scope}"')
        return json_response(request, {"detail": message}, 403, (challenge,))
    return json_response(request, {"detail": "You do not have permission to perform this action."}, 403)


def not_found(_error, request):
    """Return 404, or for reads a redirect to the URL with a slash (writes are served without it)."""
    slashed = _route_with_slash(request)
    if slashed:
        query = request.environ.get("QUERY_STRING", "")
        location = f"{request.path_url}/{'?' if query else ''}{query}"
        allowed = request.registry["comicsdb_api.allow"].get(slashed, "GET, HEAD")
        return make_response(request, b"", 301, (("Location", location), ("Allow", allowed)))
    return json_response(request, {"detail": NOT_FOUND}, 404)


def _route_with_slash(request) -> str | None:
    """Return the name of the API route for the path with a slash, or None."""
    path = request.path_info
    if path.endswith("/") or request.method not in READ_METHODS:
        return None
    for route in request.registry.getUtility(IRoutesMapper).get_routes():
        served = is_api_route(route.name) and route.name != UNKNOWN_ROUTE
        if served and route.match(path + "/") is not None:
            return route.name
    return None


def method_not_allowed(_error, request):
    """Return 405; like every response, it has `Allow`."""
    return json_response(request, {"detail": f'Method "{request.method}" not allowed.'}, 405)


def bad_body(error: BodyError, request):
    """Return the error for a body that is too large or malformed."""
    return json_response(request, {"detail": str(error)}, error.code)


def http_error(error: HTTPException, request):
    """Return any other HTTP error raised by a view."""
    return json_response(request, {"detail": error.title}, error.status_int)


def object_not_found(error: catalog.NotFoundError, request):
    """Return 404 for an object that does not exist."""
    return json_response(request, {"detail": not_found_message(error.kind)}, 404)


def object_deleted(error: catalog.GoneError, request):
    """Return 404 for a deleted object."""
    return json_response(request, {"detail": not_found_message(error.tombstone.kind)}, 404)


def object_merged(error: catalog.MovedError, request):
    """Return 301 to the object that this one was merged into; 404 for writes."""
    survivor, route = error.entity, request.matched_route.name
    kind = survivor.__tablename__
    base = base_urls(request)["base"]
    body = {
        "detail": f"{not_found_message(kind)} It was merged into {kind} {survivor.id}.",
        "id": survivor.id,
        "resource_url": f"{base}/{kind}/{survivor.slug}/",
    }
    own = route == f"{ROUTE_PREFIX}{kind}" or route.startswith(f"{ROUTE_PREFIX}{kind}.")
    if request.method not in READ_METHODS or not own or "id" not in request.matchdict:
        return json_response(request, body, 404)
    query = request.environ.get("QUERY_STRING", "")
    location = request.route_url(route, **request.matchdict | {"id": survivor.id})
    if (suffix := request.environ.get(FORMAT_KEY, "")) not in JSON_FORMATS:
        location = f"{location.removesuffix('/')}.{suffix}"
    return json_response(request, body, 301, (("Location", f"{location}{'?' if query else ''}{query}"),))


def not_found_message(kind: str) -> str:
    """Return the message for an object that does not exist or is not visible."""
    return f"No {kind.title().replace('_', '')} matches the given query."


def conflict(error: catalog.ConflictError, request):
    """Return 400 (not 409, as clients expect) if another object already has these values."""
    return json_response(request, conflict_messages(error), 400)


def conflict_messages(error: catalog.ConflictError) -> dict[str, list[str]]:
    """Return the messages for a violated unique constraint."""
    if len(error.fields) == 1:
        field = error.fields[0]
        return {field: [f"{error.kind} with this {ID_LABELS.get(field, field)} already exists."]}
    messages = [f"The fields {', '.join(error.fields)} must make a unique set."]
    if error.holder is not None:
        messages.append(f"The {error.kind} {error.holder} has them.")
    return {"non_field_errors": messages}


def invalid_values(error: catalog.InvalidError, request, route: str | None = None):
    """Return 400 with messages by field for values that violate rules."""
    return json_response(request, messages_by_field(error.errors), 400, route=route)


def messages_by_field(errors: dict) -> dict:
    """Return the catalog's messages by field, with the API's names."""
    return {FIELD_NAMES.get(field, field): messages for field, messages in errors.items()}


def bad_request(error: BadRequestError, request):
    """Return 400 with the errors of the body."""
    return json_response(request, error.problems, 400)


def storage_down(error: StorageDownError, request):
    """Return 503 if pictures cannot be stored now; nothing was written."""
    return json_response(request, {"detail": STORAGE_DOWN}, 503, (("Retry-After", str(error.retry_after)),))


def server_error(error: Exception, request):
    """Return 500 or 503; the error is logged with its traceback, unless the request is retried."""
    request.add_finished_callback(partial(_log_error, error))
    if is_unavailable(error):
        headers = (("Retry-After", str(OUTAGE_RETRY_SECONDS)),)
        return json_response(request, {"detail": DATABASE_DOWN}, 503, headers)
    return json_response(request, {"detail": "A server error occurred."}, 500)


def _log_error(error: Exception, request) -> None:
    if not is_error_retryable(request, error):
        log_failure(logger, error, "%s %r failed", request.method, request.environ.get("PATH_INFO", ""))


VIEWS = (
    (RefusedError, refused),
    (BadRequestError, bad_request),
    (AuthenticationError, authentication_failed),
    (InvalidTokenError, invalid_token),
    (TooManyFailuresError, too_many_failures),
    (BodyError, bad_body),
    (HTTPForbidden, forbidden),
    (HTTPNotFound, not_found),
    (HTTPMethodNotAllowed, method_not_allowed),
    (HTTPException, http_error),
    (catalog.NotFoundError, object_not_found),
    (catalog.GoneError, object_deleted),
    (catalog.MovedError, object_merged),
    (catalog.ConflictError, conflict),
    (catalog.InvalidError, invalid_values),
    (StorageDownError, storage_down),
    (Exception, server_error),
)


def _add_unknown_route(event) -> None:
    """Add the route for unknown URLs after all others, including those of other packages."""
    mapper = event.app.registry.getUtility(IRoutesMapper)
    mapper.connect(UNKNOWN_ROUTE, UNKNOWN_PATTERN)


def includeme(config):
    """Add the exception views, for paths of the API only."""
    config.answer_refusals(PATH_PREFIX, rejected_before_routing)
    config.add_view_predicate("api_path", ApiPath)
    for error, view in VIEWS:
        config.add_exception_view(view, error, api_path=True)
    config.add_subscriber(_add_unknown_route, ApplicationCreated)
