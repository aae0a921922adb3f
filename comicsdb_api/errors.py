"""Every refusal as JSON, in the shapes and words that Metron's clients expect; only for paths below /api/."""

import logging
from functools import partial

from pyramid.events import ApplicationCreated
from pyramid.httpexceptions import HTTPException, HTTPForbidden, HTTPMethodNotAllowed, HTTPNotFound
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response
from pyramid_retry import is_error_retryable

from comicsdb import catalog
from comicsdb.accounts import TooManyFailuresError
from comicsdb.db import is_away
from comicsdb.http.bodies import BodyError
from comicsdb.http.request_checks import Refusal
from comicsdb.media.storage import StorageDownError
from comicsdb.ops.logs import log_failure
from comicsdb.security import AuthenticationError, InvalidTokenError, OutOfScope, log_denied
from comicsdb_api import retirement
from comicsdb_api.responses import (
    PATH_PREFIX,
    PROBLEM,
    ROUTE_PREFIX,
    addresses,
    answer,
    headers,
    is_api_path,
    is_api_route,
    problem,
    respond,
    to_json,
    too_soon,
    wants_problem,
)

logger = logging.getLogger(__name__)

NOT_FOUND = "Not found."
STORAGE_DOWN = "Pictures cannot be stored at the moment. Nothing was changed; please try again in a while."
AWAY = "The database cannot be used at the moment; please try again in a while."
NOT_ACCEPTABLE = "Could not satisfy the request Accept header."
# Every other address below /api/. Having a route of the API, it gets its refusal from us, not from the site.
UNKNOWN_ROUTE, UNKNOWN_PATTERN = "api.unknown", "/api{rest:(/.*)?}"
ID_NAMES = {"cv_id": "Comic Vine ID", "gcd_id": "GCD ID"}
# The catalogue's word for "several fields", and the contract's.
SEVERAL_FIELDS = {"__all__": "non_field_errors"}


class RefusedError(Exception):
    """Ends a request with a status and one sentence."""

    def __init__(self, status: int, detail: str):
        super().__init__(detail)
        self.status = status
        self.detail = detail


class BadRequestError(Exception):
    """Ends a request with 400 and all that is wrong with its body: messages by field, or by index first."""

    def __init__(self, problems: dict):
        super().__init__(str(problems))
        self.problems = problems


class ApiPath:
    """View predicate `api_path=True`: the request is for the API. Our error views then meet no other's."""

    def __init__(self, value, config):  # noqa: ARG002
        self.value = value

    def text(self):
        """What Pyramid shows in its listings."""
        return f"api_path = {self.value}"

    phash = text

    def __call__(self, context, request):  # noqa: ARG002
        """Judged by the raw path: an unreadable one must get its answer too."""
        return is_api_path(request.environ) is self.value


def refused(error: RefusedError, request):
    """The sentence under `detail`."""
    return respond(request, {"detail": error.detail}, error.status)


def refused_at_the_door(environ, refusal: Refusal) -> Response:
    """The sentence of a refusal that comes before there is a request."""
    body, content_type = to_json({"detail": refusal.reason}), "application/json"
    if wants_problem(environ):
        body, content_type = problem(refusal.status, body), PROBLEM
    sent = [("Content-Type", content_type), *headers(environ)]
    return Response(body=body, status=refusal.line, headerlist=sent)


def unauthenticated(request, detail: str):
    """401 with the challenge, whatever scheme was tried."""
    return respond(request, {"detail": detail}, 401, (request.registry[retirement.KEY].challenge,))


def authentication_failed(error: AuthenticationError, request):
    """Credentials were sent and are wrong."""
    return unauthenticated(request, str(error))


def invalid_token(error: InvalidTokenError, request):
    """A token was sent that opens nothing, which a challenge of its own says to programs (RFC 6750).

    It stands before the usual one, and instead of it where that is for tokens too.
    """
    challenges = [_bearer("invalid_token", str(error))]
    retirement_now = request.registry[retirement.KEY]
    if not retirement_now.is_over:
        challenges.append(retirement_now.challenge)
    return respond(request, {"detail": str(error)}, 401, challenges)


def _bearer(error: str, description: str, more: str = "") -> tuple[str, str]:
    """The challenge of RFC 6750."""
    return (
        "WWW-Authenticate",
        f'Bearer realm="api", error="{error}", error_description="{description}"{more}',
    )


def too_many_failures(error: TooManyFailuresError, request):
    """Nobody knows who asks, so there are no figures of limits, only how long to wait."""
    return too_soon(request, "Too many failed attempts.", error.retry_after)


def forbidden(error, request):
    """401 for nobody, 403 for somebody who may not; where only the token may not, it says which one would."""
    identity, denied = request.identity, getattr(error, "result", None)
    if identity is None:
        return unauthenticated(request, "Authentication credentials were not provided.")
    log_denied(request)
    if isinstance(denied, OutOfScope):
        told = (
            f"This token has the scope {identity.scope}; the request needs one with the scope {denied.scope}."
        )
        challenge = _bearer("insufficient_scope", told, f', scope="{denied.scope}"')
        return respond(request, {"detail": told}, 403, (challenge,))
    return respond(request, {"detail": "You do not have permission to perform this action."}, 403)


def not_found(_error, request):
    """404, or the way to the address with the slash (reads only; writes are served without it)."""
    slashed = _slashed(request)
    if slashed:
        query = request.environ.get("QUERY_STRING", "")
        location = f"{request.path_url}/{'?' if query else ''}{query}"
        allowed = request.registry["comicsdb_api.allow"].get(slashed, "GET, HEAD")
        return answer(request, b"", 301, (("Location", location), ("Allow", allowed)))
    return respond(request, {"detail": NOT_FOUND}, 404)


def _slashed(request) -> str | None:
    """The name of the API's route for the path with a slash, None if there is none."""
    path = request.path_info
    if path.endswith("/") or request.method not in {"GET", "HEAD"}:
        return None
    for route in request.registry.getUtility(IRoutesMapper).get_routes():
        ours = is_api_route(route.name) and route.name != UNKNOWN_ROUTE
        if ours and route.match(path + "/") is not None:
            return route.name
    return None


def method_not_allowed(_error, request):
    """405; `Allow` is on it as on every answer."""
    return respond(request, {"detail": f'Method "{request.method}" not allowed.'}, 405)


def bad_body(error: BodyError, request):
    """A body that is too large, or not what it says it is."""
    return respond(request, {"detail": str(error)}, error.code)


def http_error(error: HTTPException, request):
    """Any other HTTP error that a view raises."""
    return respond(request, {"detail": error.title}, error.status_int)


def unknown(error: catalog.NotFoundError, request):
    """The catalogue has no such object."""
    return respond(request, {"detail": missing(error.kind)}, 404)


def gone(error: catalog.GoneError, request):
    """The object was deleted."""
    return respond(request, {"detail": missing(error.tombstone.kind)}, 404)


def moved(error: catalog.MovedError, request):
    """The object was merged: a reader is sent on for good to where it lives, a write is not (404)."""
    survivor, route = error.entity, request.matched_route.name
    kind = survivor.__tablename__
    base = addresses(request)["base"]
    body = {
        "detail": f"{missing(kind)} It was merged into {kind} {survivor.id}.",
        "id": survivor.id,
        "resource_url": f"{base}/{kind}/{survivor.slug}/",
    }
    own = route == f"{ROUTE_PREFIX}{kind}" or route.startswith(f"{ROUTE_PREFIX}{kind}.")
    if request.method not in {"GET", "HEAD"} or not own or "id" not in request.matchdict:
        return respond(request, body, 404)
    query = request.environ.get("QUERY_STRING", "")
    location = request.route_url(route, **request.matchdict | {"id": survivor.id})
    return respond(request, body, 301, (("Location", f"{location}{'?' if query else ''}{query}"),))


def missing(kind: str) -> str:
    """The sentence for an object that is not there or may not be seen."""
    return f"No {kind.title().replace('_', '')} matches the given query."


def conflict(error: catalog.ConflictError, request):
    """Another object has these values already: 400 in the words of a failed validation, never 409."""
    return respond(request, taken(error), 400)


def taken(error: catalog.ConflictError) -> dict[str, list[str]]:
    """The body for a unique set that was refused."""
    if len(error.fields) == 1:
        field = error.fields[0]
        return {field: [f"{error.kind} with this {ID_NAMES.get(field, field)} already exists."]}
    return {"non_field_errors": [f"The fields {', '.join(error.fields)} must make a unique set."]}


def invalid(error: catalog.InvalidError, request):
    """Values that break rules: messages by field."""
    return respond(request, by_field(error.errors), 400)


def by_field(errors: dict) -> dict:
    """The catalogue's messages by field, under the contract's names."""
    return {SEVERAL_FIELDS.get(field, field): messages for field, messages in errors.items()}


def wrong(error: BadRequestError, request):
    """A body that cannot be written."""
    return respond(request, error.problems, 400)


def storage_down(error: StorageDownError, request):
    """Pictures cannot be stored now; nothing of the request was kept."""
    return respond(request, {"detail": STORAGE_DOWN}, 503, (("Retry-After", str(error.retry_after)),))


def fault(error: Exception, request):
    """Our own mistake: logged with its traceback, unless the request is to be tried again."""
    request.add_finished_callback(partial(_log_fault, error))
    if is_away(error):
        return respond(request, {"detail": AWAY}, 503, (("Retry-After", "5"),))
    return respond(request, {"detail": "A server error occurred."}, 500)


def _log_fault(error: Exception, request) -> None:
    if not is_error_retryable(request, error):
        log_failure(logger, error, "%s %r failed", request.method, request.environ.get("PATH_INFO", ""))


VIEWS = (
    (RefusedError, refused),
    (BadRequestError, wrong),
    (AuthenticationError, authentication_failed),
    (InvalidTokenError, invalid_token),
    (TooManyFailuresError, too_many_failures),
    (BodyError, bad_body),
    (HTTPForbidden, forbidden),
    (HTTPNotFound, not_found),
    (HTTPMethodNotAllowed, method_not_allowed),
    (HTTPException, http_error),
    (catalog.NotFoundError, unknown),
    (catalog.GoneError, gone),
    (catalog.MovedError, moved),
    (catalog.ConflictError, conflict),
    (catalog.InvalidError, invalid),
    (StorageDownError, storage_down),
    (Exception, fault),
)


def _add_unknown_route(event) -> None:
    """Put the route for unknown addresses behind all others, those of later packages included."""
    mapper = event.app.registry.getUtility(IRoutesMapper)
    mapper.connect(UNKNOWN_ROUTE, UNKNOWN_PATTERN)


def includeme(config):
    """An exception view for each, on paths of the API only."""
    config.answer_refusals(PATH_PREFIX, refused_at_the_door)
    config.add_view_predicate("api_path", ApiPath)
    for error, view in VIEWS:
        config.add_exception_view(view, error, api_path=True)
    config.add_subscriber(_add_unknown_route, ApplicationCreated)
