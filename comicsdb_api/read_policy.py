"""The policy for cached reads: they are answered before Pyramid opens a transaction or looks for a route.

It looks at account and stamps, and answers if all is well and the body is in the cache, or is that of one
object and can be made by one statement. In every other case the request goes its usual way to Cornice's view,
with what was found out already. What is right to answer is decided by the functions that the views call too:
claims and accounts by `auth`, negotiation by `negotiation`, dates, tags and cache by `reads`, limits by
`throttle`.
"""

from psycopg import Error
from pyramid.request import Request, apply_request_extensions
from sqlalchemy.exc import DBAPIError

from comicsdb.accounts import TooManyFailuresError
from comicsdb.http.execution_policies import ROUTE_KEY, wrap_execution_policy
from comicsdb.readcache.etag import tagged
from comicsdb.security import AuthenticationError, Identity, Permission, may, without_staff_rights
from comicsdb_api import auth, retirement
from comicsdb_api.claims import claim
from comicsdb_api.errors import RefusedError
from comicsdb_api.negotiation import negotiate
from comicsdb_api.resource import cached_reads
from comicsdb_api.resource.cached_reads import Preflight
from comicsdb_api.resource.listing import Detail
from comicsdb_api.resource.strict import is_strict
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX
from comicsdb_api.throttle import ThrottledError, judge, refusal, settle
from comicsdb_api.validator_cache import Place, Remembered

READERS = ("GET", "HEAD")
ID_DIGITS = 9  # longer ones go the usual way


class CachedReadPolicy:
    """Pyramid's execution policy: answers what can be answered here, and hands on the rest."""

    def __init__(self, registry, usual):
        self._registry = registry
        self._usual = usual
        self._places: dict[str, Place] = {}

    def __call__(self, environ, router):
        """The response to a request."""
        if environ["REQUEST_METHOD"] in READERS and environ.get("PATH_INFO", "").startswith(PATH_PREFIX):
            place, object_id = self._find(environ["PATH_INFO"])
            if place is not None:
                request = Request(environ)
                request.registry = self._registry
                response = early(request, place, object_id)
                if response is not None:
                    return response
        return self._usual(environ, router)

    def _find(self, path: str) -> tuple[Place | None, int | None]:
        """The cached address of a path, and the id in it."""
        if not self._places:  # the routes of all packages are known by now
            served = self._registry["comicsdb_api.reads"].values()
            cached = (each for each in served if each is not None and each.read.region is not None)
            self._places = {each.read.route: Place(each) for each in cached}
        if "." in path:  # a format suffix; otherwise no address of ours, though the names of routes have dots
            return None, None
        _, _, kind, *rest = path.split("/")
        match rest:
            case [""]:
                return self._places.get(f"{ROUTE_PREFIX}{kind}.list"), None
            case [number, ""] if _is_id(number):
                return self._places.get(f"{ROUTE_PREFIX}{kind}"), int(number)
            case [number, action, ""] if _is_id(number) and action != "list":
                return self._places.get(f"{ROUTE_PREFIX}{kind}.{action}"), int(number)
        return None, None


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS


def early(request, place: Place, object_id: int | None):
    """The answer to a cached read, None where only the usual way can tell."""
    route = request.environ[ROUTE_KEY] = place.read.route
    passwords = request.registry["comicsdb.passwords"]
    try:
        claimed = claim(request.environ)
        if claimed is None or "\0" in claimed.name:
            return None
        if auth.has_session(request, claimed) or auth.basic_is_over(request):
            return None
        auth.check_guard(request, claimed)
        negotiate(request)
        if is_strict(request):
            return None
        remembered: Remembered = request.registry["comicsdb_api.validator_cache"]
        found = remembered.find(request.registry["comicsdb.read_pool"], place, claimed, object_id)
        if found is None:
            return None
        account, stamps = found
        if stamps[0] is None or not auth.is_quick(passwords, claimed, account):
            return None
        identity = auth.recognised(passwords, claimed, account)
        identity = without_staff_rights(request.registry.settings, identity, account.second_factor)
        if not may(identity, Permission.API):
            return None
        request.environ[Preflight.KEY] = Preflight(route, identity, stamps)
        create = _maker(request, place, object_id, identity) if isinstance(place.served, Detail) else None
        response = cached_reads.answer(request, place.read, object_id, stamps, create)
        if response is not None:
            auth.admit(request, identity)
            response = settle(request, identity, response, route)
    except ThrottledError as error:
        response = refusal(request, error.verdict, route)
    except (AuthenticationError, TooManyFailuresError, RefusedError, Error, DBAPIError):
        return None  # to be said, or to be tried again, in the usual place
    if response is not None:
        retirement.tell(request, identity, response)
    return response


def _maker(request, place: Place, object_id: int, identity: Identity):
    """A function that makes the body of one object, of a request that the limits let through.

    It raises ThrottledError for one that they do not, and RefusedError where it fails: the usual place tells
    why.
    """

    def entry() -> bytes:
        auth.admit(request, identity)
        verdict = judge(request, identity)
        if verdict.refused:
            raise ThrottledError(verdict)
        try:
            apply_request_extensions(request)
            body = place.served.body(request, object_id)
        except Exception as error:
            raise RefusedError(500, "") from error
        if body is None:  # it was there a moment ago
            raise RefusedError(404, "")
        return tagged(body)

    return entry


def includeme(config):
    """Around the policy that tries requests again, whichever comes with the core."""
    config.registry["comicsdb_api.validator_cache"] = Remembered()
    wrap_execution_policy(config, CachedReadPolicy)
