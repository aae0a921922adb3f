"""The API reads that the policy for cached reads serves: details of catalog objects, and all lists.

Views use the same functions: those of `auth` for credentials and accounts, `negotiation`,
`resource.cached_reads` for dates, tags and the cache, and `throttle` for limits.
"""

from functools import cached_property

from pyramid.request import apply_request_extensions
from sqlalchemy import select, true

from comicsdb.catalog.errors import InvalidError
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError, check_epoch
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.etag import with_tag
from comicsdb.readcache.policy import CachedRead, DeclinedError, Preflight
from comicsdb.readcache.validators import AccountAndValidators
from comicsdb.security import has_permission, without_staff_rights
from comicsdb.values import whole_number
from comicsdb_api import auth, retirement
from comicsdb_api.errors import RefusedError, invalid_values, refused
from comicsdb_api.negotiation import negotiate
from comicsdb_api.resource import cached_reads, paging
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.derived_reads import apply_options
from comicsdb_api.resource.listing import Detail, Listing, PageRequest
from comicsdb_api.resource.strict import is_strict
from comicsdb_api.throttle import ThrottledError, Verdict, admit_cached, check_limits, refusal

ID_MAX = 10**9 - 1  # greater ids are left to the views


class ReadFactory:
    """The entry of a route in the policy: called with a request, it returns the read."""

    def __init__(self, served: Listing | Detail, permission: str):
        self.served = served
        self.permission = permission

    def __call__(self, request, match: dict) -> "ApiRead | None":
        """The read, or None if only the view can answer."""
        number = whole_number(match.get("id", "0"), high=ID_MAX)
        if number is None:
            return None
        credentials = auth.read_credentials(request.environ)
        if credentials is None and (
            auth.sends_credentials(request.environ) or not has_permission(None, self.permission)
        ):
            return None
        if credentials is not None and "\0" in credentials.name:
            return None
        if auth.has_session(request, credentials) or auth.uses_retired_basic(request):
            return None
        if credentials is not None:
            auth.check_guard(request, credentials)
        try:
            negotiate(request, self.served.formats)
        except RefusedError as error:
            raise DeclinedError from error
        request.matchdict = match
        return None if is_strict(request) else ApiRead(request, self, credentials, number)

    @cached_property
    def queries(self) -> dict[str | None, CompiledQuery]:
        """Statements for epoch, account and validators, by authentication method (None if anonymous)."""
        what = self.served.read.stamps.subquery("stamps")
        queries = {None: CompiledQuery.of(select(EPOCH_NOW.scalar_subquery(), *what.c))}
        for method, account in auth.ACCOUNT_QUERIES.items():
            who = account.subquery("account")
            both = select(EPOCH_NOW.scalar_subquery(), *who.c, *what.c)
            queries[method] = CompiledQuery.of(both.select_from(who.outerjoin(what, true())))
        return queries


class ApiRead(CachedRead):
    """A read of a route, with credentials or, if it is public, without."""

    def __init__(self, request, factory: ReadFactory, credentials: auth.Credentials | None, object_id: int):
        super().__init__(request)
        self.served = apply_options(factory.served, request)
        self.read = self.served.read
        self.permission = factory.permission
        self.credentials, self.object_id = credentials, object_id
        self.parameters = {"id": object_id}
        if credentials is None:
            self.query, self.account = factory.queries[None], None
        else:
            self.query, self.account_columns = (
                factory.queries[credentials.method],
                len(auth.AccountRow._fields),
            )
            self.parameters |= credentials.parameters
            self.account = (credentials.method, *credentials.parameters.values())
        self.subject = (self.read.route, object_id)
        self.from_replica = self.read.region is not None
        self._is_newest = False  # whether the body was read in the epoch of account and validators

    @property
    def _cost(self) -> int:
        """How many of the day's requests the response counts as."""
        return self.served.cost(self.request) if isinstance(self.served, Listing) else 1

    def from_cache(self, found: AccountAndValidators):
        """A response that needs only dates, or a cached body; None otherwise."""
        self._identify(found)
        if self.read.region is None:
            return None
        return cached_reads.cached_response(self.request, self.served, self.object_id, found.validators, None)

    def _identify(self, found: AccountAndValidators) -> None:
        """Verify the account; raises DeclinedError if that is slow, it may not read, or nothing is there."""
        self.identity = None
        if found.validators[0] is None:
            raise DeclinedError
        if self.credentials is None:
            return
        account = auth.AccountRow(*found.account)
        passwords = self.request.registry["comicsdb.passwords"]
        if not auth.is_verified_quickly(passwords, self.credentials, account):
            raise DeclinedError
        identity = auth.verify_credentials(passwords, self.credentials, account)
        settings = self.request.registry.settings
        self.identity = without_staff_rights(settings, identity, account.second_factor)
        if not has_permission(self.identity, self.permission):
            raise DeclinedError

    def create(self, found: AccountAndValidators):
        """The response with a new body; if there is none, the view responds, using the Preflight."""
        self.request.environ[Preflight.KEY] = Preflight(self.read.route, found.validators, self.identity)
        return self._response(found, None)

    def create_from_cached_validators(self, found: AccountAndValidators):
        """The response with a new body; raises EpochMovedError if that is of another epoch."""
        return self._response(found, found.epoch)

    def _response(self, found: AccountAndValidators, epoch: int | None):
        request, route = self.request, self.read.route

        def entry() -> bytes:
            return with_tag(self._body(found, epoch))

        try:
            if self.read.region is None:
                body = entry()
                return conditional_response(request, body, paging.headers(request), route=route)
            return cached_reads.cached_response(request, self.served, self.object_id, found.validators, entry)
        except ThrottledError as error:
            return refusal(request, error.verdict, route)
        except RefusedError as error:
            return refused(error, request, route)
        except InvalidError as error:
            return invalid_values(error, request, route)

    def _body(self, found: AccountAndValidators, epoch: int | None) -> bytes:
        """The body; raises ThrottledError if a limit is exceeded."""
        request, limits = self.request, self.request.registry["comicsdb.api_limits"]
        # Without limits, the statement for the body compares the epoch.
        verdict = check_limits(
            request, self.identity, cost=self._cost, epoch=epoch if limits.enabled else None
        )
        if verdict.refused:
            raise ThrottledError(verdict)
        try:
            apply_request_extensions(request)
            body = self._read(found, epoch)
        except (EpochMovedError, RefusedError, InvalidError):
            raise
        except Exception as error:
            auth.log_authenticated(request, self.identity)
            raise DeclinedError from error
        if body is None:  # deleted concurrently
            auth.log_authenticated(request, self.identity)
            raise DeclinedError
        self._is_newest = True
        return body

    def _read(self, found: AccountAndValidators, epoch: int | None) -> bytes | None:
        request, served = self.request, self.served
        if not isinstance(served, Listing):
            return served.body(request, self.object_id, epoch)
        page_request = PageRequest.of(request, served, self.identity, self.object_id)
        return served.page(request, found.validators, page_request, epoch)

    def admit(self, response, epoch: int | None):
        """Count the request, and add the headers of its limits."""
        request = self.request
        epoch = None if self._is_newest else epoch
        if Verdict.KEY in request.environ:
            check_epoch(request.registry["comicsdb.read_pool"], epoch)
        response = admit_cached(
            request, self.identity, response, route=self.read.route, cost=self._cost, epoch=epoch
        )
        auth.log_authenticated(request, self.identity)
        if self.identity is not None:
            retirement.add_headers(request, self.identity, response)
        return response


def cache_reads(config, served: Listing | Detail, permission: str) -> None:
    """Directive: let the policy serve a route whose responses depend only on the object and the account."""
    if served.read.region is not None or isinstance(served, Listing):
        config.add_cached_read(served.read.route, ReadFactory(served, permission))


def includeme(config):
    """Add the directive."""
    config.add_directive("cache_reads", cache_reads)
