"""Cached reads of the API: details and lists of the catalogue.

Views use the same functions: those of `auth` for credentials and accounts, `negotiation`,
`resource.cached_reads` for dates, tags and the cache, and `throttle` for limits.
"""

from functools import cached_property

from pyramid.request import apply_request_extensions
from sqlalchemy import select, true

from comicsdb.db.epoch import EPOCH_NOW
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.etag import tagged
from comicsdb.readcache.policy import CachedRead, DeclinedError, Preflight
from comicsdb.readcache.validators import Found
from comicsdb.security import Permission, may, without_staff_rights
from comicsdb.values import whole_number
from comicsdb_api import auth, retirement
from comicsdb_api.errors import RefusedError
from comicsdb_api.negotiation import negotiate
from comicsdb_api.resource import cached_reads
from comicsdb_api.resource.listing import Detail, Listing
from comicsdb_api.resource.strict import is_strict
from comicsdb_api.throttle import ThrottledError, Verdict, admit_cached, judge, refusal

ID_MAX = 10**9 - 1  # greater ones are left to the views


class CatalogueAddress:
    """A cached address: called with a request, it returns its read."""

    def __init__(self, served: Listing | Detail):
        self.served = served

    def __call__(self, request, match: dict) -> "CatalogueRead | None":
        """The read, or None if only the view can answer."""
        number = whole_number(match.get("id", "0"), high=ID_MAX)
        if number is None:
            return None
        claim = auth.read_claim(request.environ)
        if claim is None or "\0" in claim.name:
            return None
        if auth.has_session(request, claim) or auth.basic_is_over(request):
            return None
        auth.check_guard(request, claim)
        try:
            negotiate(request)
        except RefusedError as error:
            raise DeclinedError from error
        return None if is_strict(request) else CatalogueRead(request, self, claim, number)

    @cached_property
    def queries(self) -> dict[str, CompiledQuery]:
        """The statement for epoch, account and validators, by authentication method."""
        queries = {}
        for method, account in auth.ACCOUNTS.items():
            who, what = account.subquery("account"), self.served.read.stamps.subquery("stamps")
            both = select(EPOCH_NOW.scalar_subquery(), *who.c, *what.c)
            queries[method] = CompiledQuery.of(both.select_from(who.outerjoin(what, true())))
        return queries


class CatalogueRead(CachedRead):
    """A request for a cached address with credentials."""

    account_columns = len(auth.Account._fields)

    def __init__(self, request, address: CatalogueAddress, claim: auth.Claim, object_id: int):
        super().__init__(request)
        self.served, self.read = address.served, address.served.read
        self.claim, self.object_id = claim, object_id
        self.query = address.queries[claim.method]
        credentials = claim.parameters
        self.parameters = {**credentials, "id": object_id}
        self.account = (claim.method, *credentials.values())
        self.subject = (self.read.route, object_id)

    def from_cache(self, found: Found):
        """The answer by dates alone, or with a cached body."""
        self._identify(found)
        return cached_reads.answer(self.request, self.read, self.object_id, found.validators, None)

    def _identify(self, found: Found) -> None:
        """Verify the account; raises DeclinedError if that is slow, or it may not read."""
        account = auth.Account(*found.account)
        passwords = self.request.registry["comicsdb.passwords"]
        if found.validators[0] is None or not auth.is_quick(passwords, self.claim, account):
            raise DeclinedError
        identity = auth.recognised(passwords, self.claim, account)
        settings = self.request.registry.settings
        self.identity = without_staff_rights(settings, identity, account.second_factor)
        if not may(self.identity, Permission.API):
            raise DeclinedError

    def create(self, found: Found):
        """The answer with the body of an object; views create the bodies of lists."""
        request = self.request
        preflight = Preflight(self.read.route, found.validators, self.identity)
        request.environ[Preflight.KEY] = preflight
        if not isinstance(self.served, Detail):
            return None
        try:
            return cached_reads.answer(
                request, self.read, self.object_id, found.validators, self._entry, missed=True
            )
        except ThrottledError as error:
            return refusal(request, error.verdict, self.read.route)

    def _entry(self) -> bytes:
        """The body with its tag; raises ThrottledError if a limit is exceeded."""
        auth.log_admitted(self.request, self.identity)
        verdict = judge(self.request, self.identity)
        if verdict.refused:
            raise ThrottledError(verdict)
        try:
            apply_request_extensions(self.request)
            body = self.served.body(self.request, self.object_id)
        except Exception as error:
            raise DeclinedError from error
        if body is None:  # deleted just now
            raise DeclinedError
        return tagged(body)

    def admit(self, response, epoch: int | None):
        """Count the request, and add the headers of its limits."""
        is_counted = Verdict.KEY in self.request.environ
        response = admit_cached(self.request, self.identity, response, self.read.route, epoch)
        if not is_counted:
            auth.log_admitted(self.request, self.identity)
        retirement.add_headers(self.request, self.identity, response)
        return response


def cache_reads(config, served: Listing | Detail) -> None:
    """Directive: register the cached reads of an address, if it has any."""
    if served.read.region is not None:
        config.add_cached_read(served.read.route, CatalogueAddress(served))


def includeme(config):
    """Add the directive."""
    config.add_directive("cache_reads", cache_reads)
