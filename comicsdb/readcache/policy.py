"""The execution policy for cached reads, which need neither a transaction nor a view.

API and site register their cached reads by `config.add_cached_read(route, read)`, where `read(request,
match)` returns a `CachedRead` for a request, or None if it requires the view. The policy looks up the route,
the account of the request, the validators and the cached body. Requests that it cannot handle are passed on
to the view, with a `Preflight` of the results so far.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from psycopg import Error
from pyramid.interfaces import IRoutesMapper
from pyramid.request import Request
from pyramid.response import Response
from sqlalchemy.exc import DBAPIError

from comicsdb.db.epoch import EpochMovedError, check_epoch
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.db.replicas import REPLAYED, WRITTEN, Lease, Replicas
from comicsdb.http import READ_METHODS
from comicsdb.http.execution_policies import ROUTE_KEY, wrap_execution_policy
from comicsdb.readcache.validators import AccountAndValidators, ValidatorCache
from comicsdb.security import CredentialsError, Identity

PATHS_MAX = 5_000  # paths whose route is cached, of about 700 bytes each
PATH_LENGTH_MAX = 500  # bytes; routes of longer paths are not cached


class DeclinedError(Exception):
    """Only the view can handle this request."""


DECLINING_ERRORS = (DeclinedError, CredentialsError, Error, DBAPIError)


@dataclass(frozen=True)
class Preflight:
    """The results of the policy for a request that it passes on to a view."""

    KEY = "comicsdb.preflight"

    route: str
    validators: tuple = ()
    identity: Identity | None = None
    key: str = ""  # of the body in the cache

    @classmethod
    def of(cls, request) -> "Preflight | None":
        """The results for a request, if there are any."""
        return request.environ.get(cls.KEY)


class CachedRead:
    """A request for a cached read; API and site have subclasses.

    All methods may raise DeclinedError; invalid credentials and database errors have the same effect.
    """

    query: CompiledQuery  # one row: the epoch, the columns of the account, the validators
    parameters: dict  # of the query
    subject: Hashable  # key of the validators in the validator cache
    account: Hashable = None  # key of the account there; None without credentials
    account_columns = 0
    from_replica = False  # whether the body may be created from a replica with the same validators

    def __init__(self, request):
        self.request = request

    def from_cache(self, found: AccountAndValidators) -> Response | None:
        """The response, or None if it requires a body that is not in the cache."""
        raise NotImplementedError

    def create(self, found: AccountAndValidators) -> Response | None:
        """The response with a new body, or None to leave it to the view, with a Preflight."""
        raise NotImplementedError

    def create_from_cached_validators(self, found: AccountAndValidators) -> Response | None:  # noqa: ARG002  (for subclasses)
        """The response with a new body for cached validators, or None to look everything up.

        Raises EpochMovedError if the body belongs to another epoch.
        """
        return None

    def is_current(self, replica: Lease, found: AccountAndValidators) -> bool:
        """Begin a transaction on a replica, and return whether its validators equal those of the primary."""
        replica.begin()
        row = replica.fetch(self.query, self.parameters)
        return row is not None and row[1 + self.account_columns :] == found.validators

    def admit(self, response: Response, epoch: int | None) -> Response:
        """The final response; raises EpochMovedError if an epoch is given and is not the current one."""
        check_epoch(self.request.registry["comicsdb.read_pool"], epoch)
        return response


class UncachedRead(CachedRead):
    """A read that is never cached, but can use a replica that has replayed all writes up to now."""

    query = CompiledQuery(f"SELECT 0, {WRITTEN}", (), {})
    parameters: ClassVar[dict] = {}
    subject = "written"
    from_replica = True
    _replayed = CompiledQuery(f"SELECT {REPLAYED}", (), {})

    def from_cache(self, found: AccountAndValidators) -> None:
        """There is no cache."""

    def create(self, found: AccountAndValidators) -> None:
        """Leave it to the view."""

    def is_current(self, replica: Lease, found: AccountAndValidators) -> bool:
        """Return whether a replica has replayed that far, and begin a transaction, which sees no less."""
        reached = replica.fetch(self._replayed, {}) >= found.validators
        replica.begin()
        return reached


class CachedReadPolicy:
    """Pyramid's execution policy: handles cached reads, and passes on all other requests."""

    def __init__(self, registry, inner):
        self._registry = registry
        self._inner = inner
        self._replicas: Replicas | None = registry["comicsdb.replicas"]
        self._match = lru_cache(PATHS_MAX)(self._match)

    def __call__(self, environ, router):
        """The response to a request."""
        try:
            response = self._cached_response(environ) if environ["REQUEST_METHOD"] in READ_METHODS else None
            return self._inner(environ, router) if response is None else response
        finally:
            self._release_replica(environ)

    def _cached_response(self, environ) -> Response | None:
        """The response to a cached read, or None for a request that only the view can handle."""
        route, read, match = self._find(environ.get("PATH_INFO", ""))
        if read is None:
            return None
        request = Request(environ)
        request.registry = self._registry
        try:
            response = self._answer(read(request, match))
        except DECLINING_ERRORS:
            self._release_replica(environ)
            return None  # the view reports the reason, or tries again
        if response is not None:
            environ[ROUTE_KEY] = route
        return response

    def _release_replica(self, environ) -> None:
        if self._replicas is not None:
            self._replicas.release(environ)

    def _find(self, path: str) -> tuple[str, Callable | None, dict]:
        return self._match(path) if len(path) <= PATH_LENGTH_MAX else ("", None, {})

    def _match(self, path: str) -> tuple[str, Callable | None, dict]:
        """The route of a path, its registered read, if any, and the match dictionary."""
        found = self._registry.getUtility(IRoutesMapper)(Request({"PATH_INFO": path}))
        name = found["route"].name if found["route"] is not None else ""
        return name, self._registry["comicsdb.cached_reads"].get(name), found["match"] or {}

    def _answer(self, read: CachedRead | None) -> Response | None:
        """The response to a cached read, or None to leave it to the view."""
        if read is None:
            return None
        cache: ValidatorCache = self._registry["comicsdb.validator_cache"]
        on_replica = read.from_replica and self._replicas is not None
        known = cache.get(read.account, read.subject)
        if known is not None:
            with suppress(EpochMovedError):
                response = read.from_cache(known)
                if response is None and not on_replica:  # with a replica, the validators must be read now
                    response = read.create_from_cached_validators(known)
                if response is not None:
                    return read.admit(response, known.epoch)
        found = self._look_up(read)
        if found is None:
            return None
        cache.put(read.account, read.subject, found)
        response = read.from_cache(found)
        if response is None:
            if on_replica:
                self._acquire_replica(read, found)
            response = read.create(found)
        return read.admit(response, None) if response is not None else None

    def _acquire_replica(self, read: CachedRead, found: AccountAndValidators) -> None:
        primary = self._registry["comicsdb.read_pool"]
        self._replicas.acquire(read.request.environ, primary, lambda replica: read.is_current(replica, found))

    def _look_up(self, read: CachedRead) -> AccountAndValidators | None:
        row = self._registry["comicsdb.read_pool"].fetch(read.query, read.parameters)
        if row is None:
            return None
        epoch, *columns = row
        account, validators = columns[: read.account_columns], columns[read.account_columns :]
        return AccountAndValidators(epoch, tuple(account), tuple(validators))


def add_cached_read(config, route: str, read: Callable[[Request, dict], CachedRead | None]) -> None:
    """Directive: serve GET and HEAD on a route from the cache."""
    config.registry["comicsdb.cached_reads"][route] = read


def includeme(config):
    """Add the policy and the directive."""
    config.registry["comicsdb.cached_reads"] = {}
    config.registry["comicsdb.validator_cache"] = ValidatorCache()
    config.add_directive("add_cached_read", add_cached_read)
    wrap_execution_policy(config, CachedReadPolicy)
