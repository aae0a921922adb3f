"""Identities, permissions and the security policy."""

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from pyramid.interfaces import ISecurityPolicy
from pyramid.request import RequestLocalCache
from pyramid.security import Allowed, Denied
from zope.interface import implementer

from comicsdb.http.client_address import client_ip
from comicsdb.log_lines import printable
from comicsdb.models import User
from comicsdb.models.choices import SupporterTier, TokenScope
from comicsdb.models.user import EDITOR_GROUP, READING_LIST_EDITOR_GROUP

log = logging.getLogger(__name__)


class Permission(StrEnum):
    """A permission, as `scope:action`."""

    API_SCHEMA = "api:schema"  # read the OpenAPI document
    API_READ = "api:read"  # read the public catalog through the API, where anonymous reading is on
    API = "api:use"  # read everything that requires an account there, and search by POST
    LIBRARY = "api:library"  # read and write one's own library through the API
    API_EDIT = "api:edit"  # create and update catalog objects through the API
    API_DELETE = "api:delete"  # delete them; no endpoint offers that
    API_REFERENCE = "api:reference"  # write reference data; no endpoint offers that
    MEMBER = "site:member"  # pages for logged-in users, and one's own library
    EDIT = "entity:edit"  # create and update catalog objects on the site
    DELETE = "entity:delete"  # delete them there
    REVERT = "entity:revert"  # restore an older version there
    OFFICIAL_LISTS = "reading_list:official"  # see, change and add to the official account's lists
    LIST_SOURCES = "reading_list:source"  # set the source of a reading list
    DELETE_POLLS = "poll:delete"
    STAFF = "admin:use"  # the administration
    RIGHTS = "admin:rights"  # grant staff and superuser rights; edit superusers' accounts


EDITORS = "editors"  # a value of the setting comicsdb.site_editing

BASIC, SESSION, TOKEN = METHODS = ("basic", "session", "token")
OTHER = "other"


class Identity(NamedTuple):
    """The authenticated account, with the attributes that decisions need."""

    user_id: int
    username: str
    is_staff: bool
    is_superuser: bool
    groups: frozenset[str]
    method: str  # how it was authenticated: one of METHODS, or another package's method
    tier: SupporterTier | None = None  # of a supporter
    token_id: int | None = None  # the token it was authenticated with
    scope: TokenScope = TokenScope.EDIT  # restricts the permissions of the account
    shares_limits: bool = False  # whether the account has other active tokens
    rights: frozenset[str] = frozenset()  # additional permissions of its groups
    lacks_second_factor: bool = False  # staff without rights until they set up two-step log-in
    language: str = ""  # of pages and mails; "" if not chosen
    timezone: str = ""  # of times on pages; "" if unknown

    @property
    def shown_method(self) -> str:
        """The method for logs and counts: `other` for methods of other packages."""
        return self.method if self.method in METHODS else OTHER


def _anybody(_identity: Identity) -> bool:
    return True


# The roles in the order of the columns of TABLE, except "nobody". Every account is a user, and may have more
# roles.
ROLES: tuple[Callable[[Identity], bool], ...] = (
    _anybody,
    lambda identity: EDITOR_GROUP in identity.groups,
    lambda identity: READING_LIST_EDITOR_GROUP in identity.groups,
    lambda identity: identity.is_staff,
    lambda identity: identity.is_superuser,
)

# The permissions of each role. Public pages need none.
_, x = False, True
# fmt: off
TABLE = {
    #                           nobody
    #                           |  user
    #                           |  |  editor
    #                           |  |  |  reading list editor
    #                           |  |  |  |  staff
    #                           |  |  |  |  |  superuser
    Permission.API_SCHEMA:     (x, x, x, x, x, x),
    Permission.API_READ:       (x, x, x, x, x, x),
    Permission.API:            (_, x, x, x, x, x),
    Permission.LIBRARY:        (_, x, x, x, x, x),
    Permission.MEMBER:         (_, x, x, x, x, x),
    Permission.EDIT:           (_, x, x, x, x, x),
    Permission.API_EDIT:       (_, _, x, _, _, x),
    Permission.REVERT:         (_, _, x, _, x, x),
    Permission.OFFICIAL_LISTS: (_, _, _, x, x, x),
    Permission.LIST_SOURCES:   (_, _, _, _, x, x),
    Permission.DELETE_POLLS:   (_, _, _, _, x, x),
    Permission.STAFF:          (_, _, _, _, x, x),
    Permission.RIGHTS:         (_, _, _, _, _, x),
    Permission.DELETE:         (_, _, _, _, _, x),
    Permission.API_DELETE:     (_, _, _, _, _, x),
    Permission.API_REFERENCE:  (_, _, _, _, _, x),
}
# fmt: on


def _rule(row: tuple[bool, ...]) -> Callable[[Identity], bool]:
    """Return a predicate: whether an identity has one of the roles allowed by a row of TABLE."""
    allowed = tuple(role for role, has in zip(ROLES, row[1:], strict=True) if has)
    return _anybody if _anybody in allowed else lambda identity: any(role(identity) for role in allowed)


# TABLE as predicates of an identity.
RULES = {permission: _rule(row) for permission, row in TABLE.items()}
PUBLIC = frozenset(permission for permission, row in TABLE.items() if row[0])

# The maximum permissions of tokens with limited scope; TokenScope.EDIT has no restrictions.
_READING = frozenset((Permission.API_SCHEMA, Permission.API_READ, Permission.API))
SCOPES = {TokenScope.READ: _READING, TokenScope.LIBRARY: _READING | {Permission.LIBRARY}}


def has_permission(identity: Identity | User | None, permission: str) -> bool:
    """Whether an identity, a user (without the restrictions of a token) or nobody (None) has a permission.

    Permissions that are not in TABLE belong to superusers and to members of groups that have them.
    """
    if identity is None:
        return permission in PUBLIC
    if isinstance(identity, Identity) and permission not in SCOPES.get(identity.scope, (permission,)):
        return False
    if permission in RULES:
        return RULES[permission](identity)
    return identity.is_superuser or permission in identity.rights


def scope_for(permission: str) -> TokenScope:
    """Return the narrowest scope that includes a permission."""
    return next((scope for scope in SCOPES if permission in SCOPES[scope]), TokenScope.EDIT)


class OutOfScope(Denied):
    """A denial that is only due to the token's scope; `scope` is the one it would need."""

    scope: TokenScope


def check_permission(identity: Identity | None, permission: str) -> Allowed | Denied:
    """Return Pyramid's Allowed or Denied, with the reason, for an identity or nobody."""
    name = identity.username if identity is not None else "nobody"
    if has_permission(identity, permission):
        return Allowed(f"{name} has {permission}")
    scope = scope_for(permission)
    if identity is None or not has_permission(identity._replace(scope=scope), permission):
        return Denied(f"{name} lacks {permission}")
    denied = OutOfScope(f"{name} lacks {permission} with a token of the scope {identity.scope}")
    denied.scope = scope
    return denied


def delete_right(kind: str) -> str:
    """Return the permission to delete objects of a kind on the site; superusers and some groups have it."""
    return f"{Permission.DELETE}:{kind}"


class CredentialsError(Exception):
    """The credentials of a request cannot be accepted, or not now."""


class AuthenticationError(CredentialsError):
    """Invalid credentials were sent; the text reveals nothing about accounts."""


class InvalidTokenError(AuthenticationError):
    """The token that was sent is malformed, unknown, expired or belongs to a disabled account."""


def make_identity(user: User, method: str) -> Identity:
    """Return the identity of an account whose groups are loaded."""
    return Identity(
        user_id=user.id,
        username=user.username,
        is_staff=user.is_staff,
        is_superuser=user.is_superuser,
        groups=frozenset(group.name for group in user.groups),
        method=method,
        tier=user.effective_tier,
        rights=frozenset(delete_right(kind) for group in user.groups for kind in group.may_delete),
        language=user.language,
        timezone=user.timezone,
    )


def without_staff_rights(settings: Mapping, identity: Identity, second_factor: bool) -> Identity:
    """Return the identity as an ordinary member if it is staff without a required second factor."""
    required = settings["comicsdb.staff_second_factor"] and (identity.is_staff or identity.is_superuser)
    if not required or second_factor:
        return identity
    return identity._replace(
        is_staff=False,
        is_superuser=False,
        groups=frozenset(),
        rights=frozenset(),
        lacks_second_factor=True,
    )


@implementer(ISecurityPolicy)
class SecurityPolicy:
    """Calls the authenticators in turn; the first that returns an identity wins.

    An authenticator is a function of the request that returns an Identity or None, and may raise
    AuthenticationError. Packages add theirs with `config.add_authenticator`; each handles only its own
    routes.

    With `editors_only`, editing on the site requires the same permission as through the API.
    """

    def __init__(self, *, editors_only: bool = False):
        self._replaced = {Permission.EDIT: Permission.API_EDIT} if editors_only else {}
        self._identities = RequestLocalCache(self._authenticate)

    def _authenticate(self, request) -> Identity | None:
        for authenticator in request.registry["comicsdb.authenticators"]:
            found = authenticator(request)
            if found is not None:
                return found
        return None

    def identity(self, request) -> Identity | None:
        """Return the caller, looked up once per request; None before a route has matched."""
        return self._identities.get_or_create(request) if request.matched_route is not None else None

    def authenticated_userid(self, request) -> int | None:
        """Return the id of the caller's account."""
        identity = self.identity(request)
        return identity.user_id if identity else None

    def permits(self, request, context, permission):  # noqa: ARG002
        """Return whether the caller has a permission."""
        return check_permission(self.identity(request), self._replaced.get(permission, permission))

    def remember(self, request, userid, **kw):  # noqa: ARG002
        """Return no headers: the site implements log-in."""
        return []

    def forget(self, request, **kw):  # noqa: ARG002
        """Return no headers: the site implements log-out."""
        return []


def log_denied(request) -> None:
    """Log that an authenticated user lacked a permission."""
    name, ip = printable(request.identity.username), client_ip(request)
    route = request.matched_route.name if request.matched_route else "-"
    extra = {"username": name, "ip": ip, "route": route}
    log.warning("Permission denied at %s (user=%s, ip=%s)", route, name, ip, extra=extra)


def add_authenticator(config, authenticator):
    """Directive: add a function that authenticates requests."""
    config.registry["comicsdb.authenticators"].append(authenticator)


def includeme(config):
    """Install the policy and the directive."""
    config.registry["comicsdb.authenticators"] = []
    config.add_directive("add_authenticator", add_authenticator)
    editors_only = config.get_settings()["comicsdb.site_editing"] == EDITORS
    config.set_security_policy(SecurityPolicy(editors_only=editors_only))
