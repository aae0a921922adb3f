"""The early place: cached reads are answered before Pyramid opens a transaction or looks for a route.

It looks at account and stamps in one statement, and answers if all is well and the body is in the cache.
In every other case the request goes its usual way to Cornice's view, with what was found out already. What is
right to answer is decided by the functions that the views call too: claims and accounts by `auth`,
negotiation by `negotiation`, dates, tags and cache by `reads`.
"""

from dataclasses import dataclass

from psycopg import Error
from pyramid.interfaces import IExecutionPolicy
from pyramid.request import Request
from pyramid.router import default_execution_policy
from sqlalchemy import select, true
from sqlalchemy.exc import DBAPIError

from comicsdb.accounts import TooManyFailures
from comicsdb.light import Sentence
from comicsdb.security import RULES, AuthenticationFailed, Permission
from comicsdb_api import auth, reads, retirement
from comicsdb_api.errors import Refused
from comicsdb_api.negotiation import negotiate
from comicsdb_api.reads import Begun, Read
from comicsdb_api.responses import PATH_PREFIX, ROUTE_PREFIX
from comicsdb_api.throttle import settle

LAST = 1000  # among Pyramid's actions: after all that includes and applications do
READERS = ("GET", "HEAD")
ACCOUNT_COLUMNS = len(auth.Account.__dataclass_fields__)
ID_DIGITS = 9  # longer ones go the usual way


@dataclass(frozen=True)
class Place:
    """One cached address: what it reads, and by method of authentication the statement for all it needs."""

    read: Read
    sentences: dict[str, Sentence]

    @classmethod
    def of(cls, read: Read) -> "Place":
        """The account and, if there are any, the stamps."""
        sentences = {}
        for method, account in auth.ACCOUNTS.items():
            who, what = account.subquery("account"), read.stamps.subquery("stamps")
            both = select(*who.c, *what.c).select_from(who.outerjoin(what, true()))
            sentences[method] = Sentence.of(both)
        return cls(read, sentences)


class EarlyPlace:
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
            cached = (each.read for each in served if each is not None and each.read.region is not None)
            self._places = {read.route: Place.of(read) for read in cached}
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
    registry = request.registry
    passwords = registry["comicsdb.passwords"]
    try:
        claimed = auth.claim(request.environ)
        if claimed is None or "\0" in claimed.name:
            return None
        if auth.has_session(request, claimed) or auth.basic_is_over(request):
            return None
        auth.check_guard(request, claimed)
        negotiate(request)
        parameters = {**claimed.parameters, "id": object_id}
        found = registry["comicsdb.light"].fetch(place.sentences[claimed.method], parameters)
        if found is None:
            return None
        account, stamps = auth.Account(*found[:ACCOUNT_COLUMNS]), found[ACCOUNT_COLUMNS:]
        if stamps[0] is None or not auth.is_quick(passwords, claimed, account):
            return None
        identity = auth.recognised(passwords, claimed, account)
        if not RULES[Permission.API](identity):
            return None
        response = reads.answer(request, place.read, object_id, stamps, None)
    except (AuthenticationFailed, TooManyFailures, Refused, Error, DBAPIError):
        return None  # to be said, or to be tried again, in the usual place
    if response is None:
        request.environ[Begun.KEY] = Begun(place.read.route, identity, stamps)
    else:
        auth.admit(request, identity)
        response = settle(request, identity, response, place.read.route)
        retirement.tell(request, identity, response)
    return response


def includeme(config):
    """Around the policy that tries requests again, whichever comes with the core."""
    registry = config.registry

    def surround():
        usual = registry.queryUtility(IExecutionPolicy) or default_execution_policy
        registry.registerUtility(EarlyPlace(registry, usual), IExecutionPolicy)

    config.action(None, surround, order=LAST)
