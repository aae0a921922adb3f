"""Authentication of API requests by HTTP Basic, sessions and tokens, and its log."""

import base64
import binascii
import logging
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from pyramid.httpexceptions import HTTPForbidden
from pyramid.interfaces import ICSRFStoragePolicy
from sqlalchemy import DateTime, Integer, String, bindparam, cast, false, func, literal, null, or_, select
from sqlalchemy.orm import aliased

from comicsdb import accounts, clock
from comicsdb.accounts import USERNAME_MAX
from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.http import READ_METHODS, bodies
from comicsdb.http.client_address import client_ip
from comicsdb.http.session_cookie import session_identifier
from comicsdb.log_lines import printable
from comicsdb.mirror import ORIGIN
from comicsdb.models import (
    CATALOG,
    ApiToken,
    Credit,
    Group,
    ReadingList,
    Role,
    SeriesType,
    User,
    Variant,
    user_group_member,
)
from comicsdb.models.choices import TokenScope
from comicsdb.models.user import tier_now
from comicsdb.readcache.policy import Preflight
from comicsdb.security import (
    BASIC,
    SESSION,
    TOKEN,
    AuthenticationError,
    Identity,
    InvalidTokenError,
    Permission,
    check_permission,
    without_staff_rights,
)
from comicsdb_api import retirement
from comicsdb_api.errors import RefusedError
from comicsdb_api.responses import ROUTE_PREFIX, WRITE_METHODS, is_api_route
from comicsdb_api.throttle import Verdict, throttle

logger = logging.getLogger(__name__)

# Kinds that the API can only read.
REFERENCE_KINDS = (Role.__tablename__, SeriesType.__tablename__, ReadingList.__tablename__)
PART_KINDS = (Credit.__tablename__, Variant.__tablename__)
GUARDED_KINDS = (*(model.__tablename__ for model in CATALOG), *PART_KINDS, *REFERENCE_KINDS)


_user, _group, _token = User.__table__, Group.__table__, ApiToken.__table__
_groups = (
    select(func.array_agg(_group.c.name))
    .select_from(user_group_member.join(_group))
    .where(user_group_member.c.user_id == _user.c.id)
    .scalar_subquery()
    .correlate(_user)
)
# The account with the names of its groups, in one statement.
_account = select(
    _user.c.id,
    _user.c.username,
    _user.c.password,
    _user.c.is_active,
    _user.c.is_staff,
    _user.c.is_superuser,
    _user.c.supporter_until,
    _user.c.supporter_tier,
    _user.c.second_factor,
    _groups.label("groups"),
)
_others = aliased(_token)
# Whether the account has further tokens that have not expired. The share of one that expires stays reserved
# until the account is read again.
_shares_limits = (
    select(_others.c.id)
    .where(_others.c.user_id == _user.c.id, _others.c.id != _token.c.id)
    .where(or_(_others.c.expiry.is_(None), _others.c.expiry > func.now()))
    .correlate(_user, _token)
    .exists()
)
ACCOUNT_QUERIES = {
    BASIC: _account.add_columns(
        cast(null(), Integer).label("token_id"),
        cast(null(), DateTime(timezone=True)).label("expiry"),
        cast(literal(TokenScope.EDIT.value), String).label("scope"),
        false().label("shares_limits"),
    ).where(func.lower(_user.c.username) == func.lower(bindparam("name"))),
    TOKEN: _account.add_columns(
        _token.c.id.label("token_id"),
        _token.c.expiry,
        _token.c.scope,
        _shares_limits.label("shares_limits"),
    )
    .join_from(_user, _token)
    .where(_token.c.digest == bindparam("digest")),
}


class Credentials(NamedTuple):
    """The unverified credentials of an Authorization header."""

    method: str
    name: str = ""
    password: str = ""
    token: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the statement in `ACCOUNT_QUERIES`."""
        return {"name": self.name} if self.method == BASIC else {"digest": digest(self.token)}


def read_credentials(environ) -> Credentials | None:
    """The credentials in the Authorization header; None without one, and for other schemes.

    Raises AuthenticationError with the texts of the Metron API, which clients know.
    """
    scheme, *credentials = environ.get("HTTP_AUTHORIZATION", "").split() or ("",)
    match scheme.lower():
        case "basic":
            if not credentials:
                raise AuthenticationError("Invalid basic header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationError(
                    "Invalid basic header. Credentials string should not contain spaces."
                )
            name, password = _decoded(credentials[0])
            return Credentials(BASIC, name=name, password=password)
        case "bearer":
            if not credentials:
                raise AuthenticationError("Invalid token header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationError("Invalid token header. Token string should not contain spaces.")
            if accounts.is_malformed(credentials[0]):
                raise InvalidTokenError("Invalid token. It is mistyped or incomplete.")
            return Credentials(TOKEN, token=credentials[0])
    return None


def _decoded(credentials: str) -> tuple[str, str]:
    try:
        decoded = base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError) as error:
        raise AuthenticationError(
            "Invalid basic header. Credentials not correctly base64 encoded."
        ) from error
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")  # the encoding of older clients
    name, _, password = text.partition(":")
    return name, password


def basic_username(environ) -> str:
    """The user name in a Basic header, empty for an invalid one."""
    try:
        return read_credentials(environ).name
    except AuthenticationError:
        return ""


def sends_credentials(environ) -> bool:
    """Whether the request has an Authorization header, of any scheme."""
    return bool(environ.get("HTTP_AUTHORIZATION", "").strip())


def is_basic(environ) -> bool:
    """Whether the request has a Basic header, valid or not."""
    return environ.get("HTTP_AUTHORIZATION", "").lower().split(maxsplit=1)[:1] == [BASIC]


@cache
def _account_query(method: str) -> CompiledQuery:
    return CompiledQuery.of(ACCOUNT_QUERIES[method])


SECOND_FACTOR = (
    "This account is protected by two-step log-in, so its password alone is not accepted here."
    " Use an API token instead: Authorization: Bearer <token>."
)


class SecondFactorRequiredError(AuthenticationError):
    """The password is right, but the account requires a second factor."""


class AccountRow(NamedTuple):
    """The columns of `ACCOUNT_QUERIES`."""

    id: int
    username: str
    password: str
    is_active: bool
    is_staff: bool
    is_superuser: bool
    supporter_until: datetime | None
    supporter_tier: str
    second_factor: bool
    groups: list[str] | None
    token_id: int | None
    expiry: datetime | None  # of the token
    scope: str  # of the token
    shares_limits: bool  # whether the account has further tokens


def verify_credentials(
    passwords: Passwords, credentials: Credentials, account: AccountRow | None
) -> Identity:
    """The identity of the account for verified credentials; raises AuthenticationError for wrong ones."""
    if credentials.method == BASIC:
        # An unknown or disabled account takes the same time as a wrong password.
        stored = account.password if account and account.is_active else None
        if not passwords.verify(stored, credentials.password):
            raise AuthenticationError("Invalid username/password.")
        if account.second_factor:
            raise SecondFactorRequiredError(SECOND_FACTOR)
    elif account is None or credentials.token in passwords.refused:
        raise InvalidTokenError("Invalid token.")
    elif account.expiry is not None and account.expiry <= clock.now():  # the account may be cached
        raise InvalidTokenError(f"The token expired on {account.expiry.astimezone(UTC):%Y-%m-%d %H:%M} UTC.")
    elif not account.is_active:
        raise InvalidTokenError("User inactive or deleted.")
    return Identity(
        user_id=account.id,
        username=account.username,
        is_staff=account.is_staff,
        is_superuser=account.is_superuser,
        groups=frozenset(account.groups or ()),
        method=credentials.method,
        tier=tier_now(
            is_superuser=account.is_superuser, until=account.supporter_until, tier=account.supporter_tier
        ),
        token_id=account.token_id,
        scope=TokenScope(account.scope),
        shares_limits=account.shares_limits,
    )


def is_verified_quickly(passwords: Passwords, credentials: Credentials, account: AccountRow) -> bool:
    """Whether `verify_credentials` does not need to compute a slow hash."""
    return credentials.method != BASIC or passwords.is_cached(account.password, credentials.password)


def authenticate(request) -> Identity | None:
    """The caller by HTTP Basic, else by session, else by token; None without credentials or off the API.

    Raises AuthenticationError and TooManyFailuresError, which are logged. A wrong Basic header is an error
    even if there is a valid session, whereas a token is ignored then.
    """
    if not is_api_route(request.matched_route.name):
        return None
    preflight = Preflight.of(request)
    identity = preflight.identity if preflight is not None else _identify(request)
    if identity is not None:
        request.add_response_callback(
            lambda request, response: retirement.add_headers(request, identity, response)
        )
    return identity


def _identify(request) -> Identity | None:
    if uses_retired_basic(request):
        _log_failure(request, BASIC, basic_username(request.environ))
        raise AuthenticationError(request.registry[retirement.KEY].refusal(request.application_url))
    credentials = account = None
    try:
        if not is_basic(request.environ):
            found = accounts.session_identity(request)
            if found is not None:
                return found
        credentials = read_credentials(request.environ)
        if credentials is None:
            return None
        if credentials.method == BASIC:
            accounts.check_attempt(request.account_context, credentials.name)
        if "\0" not in credentials.name:  # PostgreSQL rejects it
            found = request.read_pool.fetch(_account_query(credentials.method), credentials.parameters)
            account = AccountRow(*found) if found else None
        identity = verify_credentials(request.passwords, credentials, account)
        return without_staff_rights(request.registry.settings, identity, account.second_factor)
    except AuthenticationError as error:
        name = account.username if account else credentials.name if credentials else ""
        right = isinstance(error, SecondFactorRequiredError)
        if credentials is not None and credentials.method == BASIC and not right:
            request.registry["comicsdb.guard"].record_failure(credentials.name, client_ip(request))
        _log_failure(request, BASIC if is_basic(request.environ) else TOKEN, name)
        raise
    except accounts.TooManyFailuresError:
        _log_failure(request, BASIC, credentials.name)
        raise


def check_guard(request, credentials: Credentials) -> None:
    """Raise TooManyFailuresError after too many wrong passwords, even if this one is right.

    Cached passwords are no exception, as the difference would reveal a right guess.
    """
    if credentials.method == BASIC:
        request.registry["comicsdb.guard"].check(credentials.name, client_ip(request))


def uses_retired_basic(request) -> bool:
    """Whether the request has a Basic header after its retirement, which is rejected in any case."""
    return request.registry[retirement.KEY].is_over and is_basic(request.environ)


def has_session(request, credentials: Credentials | None) -> bool:
    """Whether the request may be authenticated by its session: it has one, and no Basic header."""
    by_basic = credentials is not None and credentials.method == BASIC
    return not by_basic and "HTTP_COOKIE" in request.environ and bool(session_identifier(request))


def check_csrf(request, identity: Identity) -> None:
    """Prevent cross-site request forgery: writes by session need the token of our pages."""
    if identity.method != SESSION or request.method not in WRITE_METHODS:
        return
    token = request.headers.get("X-CSRFToken") or _form_token(request)
    policy = request.registry.queryUtility(ICSRFStoragePolicy)
    if token and policy is not None and policy.check_csrf_token(request, token):
        return
    _log_failure(request, SESSION, identity.username)
    raise RefusedError(403, f"CSRF Failed: CSRF token {'incorrect' if token else 'missing'}.")


def _form_token(request) -> str | None:
    """The token in a form; raises TooLargeError and TooManyFieldsError."""
    try:
        return bodies.form(request).get("csrf_token")
    except bodies.UnreadableError:
        return None


def _log_failure(request, method: str, name: str) -> None:
    shown = printable(name)[:USERNAME_MAX] or "-"
    ip = client_ip(request)
    logger.warning(
        "API credentials refused by %s (user=%s, ip=%s)",
        method,
        shown,
        ip,
        extra={"username": shown, "auth_method": method, "ip": ip},
    )


def _permission(request) -> Permission:
    """The permission for the request's method, even if the resource does not offer the method.

    So callers without the right to write a kind get 403 rather than 405.
    """
    route = request.matched_route.name
    kind = route.removeprefix(ROUTE_PREFIX).partition(".")[0]
    offered = request.registry["comicsdb_api.allow"].get(route, "").split(", ")
    if request.method not in WRITE_METHODS or request.method in offered or kind not in GUARDED_KINDS:
        return _permission_to_read(request, route)
    if kind in REFERENCE_KINDS:
        return Permission.API_REFERENCE
    return Permission.API_DELETE if request.method == "DELETE" else Permission.API_EDIT


def _permission_to_read(request, route: str) -> Permission:
    """API, except for public routes: the OpenAPI document, and catalog reads without any credentials."""
    permission = request.registry["comicsdb_api.permissions"].get(route)
    is_read = request.method in READ_METHODS or request.registry.settings[ORIGIN]  # mirrors only read
    is_public_read = is_read and not sends_credentials(request.environ)
    if permission == Permission.API_SCHEMA or (permission == Permission.API_READ and is_public_read):
        return permission
    return Permission.API


def authorized_view(view, info):
    """View deriver inside the permission check: checks credentials, permission, CSRF, limits; logs callers.

    It also wraps Cornice's view for missing methods, which has no permission of its own, so that callers
    without the permission do not get 405.
    """
    if info.exception_only or not is_api_route(info.options.get("route_name")):
        return view

    def authorized(context, request):
        identity = request.identity  # raises for wrong credentials
        judged = check_permission(identity, _permission(request))
        if not judged:
            raise HTTPForbidden(result=judged)
        if identity is not None:
            check_csrf(request, identity)
            if Verdict.KEY not in request.environ:  # not counted by an earlier attempt
                log_authenticated(request, identity)
        throttle(request, identity)
        return view(context, request)

    return authorized


def log_authenticated(request, identity: Identity | None) -> None:
    """Log the account of a request, if it has one."""
    if identity is None or not logger.isEnabledFor(logging.INFO):
        return
    method, name, ip = identity.shown_method, printable(identity.username), client_ip(request)
    logger.info(
        "API request authenticated by %s (user=%s, ip=%s)",
        method,
        name,
        ip,
        extra={"username": name, "auth_method": method, "ip": ip},
    )


def includeme(config):
    """Add the authenticator, the view deriver, and the registry of permissions for reading, by route."""
    config.registry["comicsdb_api.permissions"] = {}
    config.add_authenticator(authenticate)
    config.add_view_deriver(authorized_view, "authorized_view", under="secured_view", over="csrf_view")
