"""Who asks, and what they may do: identities, permissions and the one security policy."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from pyramid.interfaces import ISecurityPolicy
from pyramid.request import RequestLocalCache
from pyramid.security import Allowed, Denied
from zope.interface import implementer

from comicsdb.accounts.passwords import from_settings as passwords_from_settings
from comicsdb.http.client_address import client_ip
from comicsdb.mail.letter import printable
from comicsdb.models import User
from comicsdb.models.choices import SupporterTier, TokenScope
from comicsdb.models.user import EDITOR_GROUP, READING_LIST_EDITOR_GROUP

log = logging.getLogger(__name__)


class Permission(StrEnum):
    """What may be asked for, as `scope:action`: a good thing to grep for."""

    API_SCHEMA = "api:schema"  # read the description of the API
    API = "api:use"  # read the catalogue through the API
    LIBRARY = "api:library"  # read and write one's own library through the API
    API_EDIT = "api:edit"  # create and update catalogue objects through the API
    API_DELETE = "api:delete"  # delete them, which no address offers
    API_REFERENCE = "api:reference"  # write what the API only shows, which no address offers
    MEMBER = "site:member"  # pages for people who are logged in, and one's own library
    EDIT = "entity:edit"  # create and update catalogue objects on the site
    DELETE = "entity:delete"  # delete them there
    REVERT = "entity:revert"  # bring an older version back there
    OFFICIAL_LISTS = "reading_list:official"  # see and change the official account's lists, and give it any
    LIST_SOURCES = "reading_list:source"  # say where a reading list was taken from
    DELETE_POLLS = "poll:delete"
    STAFF = "admin:use"  # the administration
    RIGHTS = "admin:rights"  # make accounts staff or superusers, and change those of superusers


# Who edits on the site, as the setting comicsdb.site_editing says it.
EVERYBODY, EDITORS = "everybody", "editors"

BASIC, SESSION, TOKEN = METHODS = ("basic", "session", "token")
OTHER = "other"


@dataclass(frozen=True)
class Identity:
    """The account that asks: what decisions need of it, and nothing that could go stale unseen."""

    user_id: int
    username: str
    is_staff: bool
    is_superuser: bool
    groups: frozenset[str]
    method: str  # how it was recognised: one of METHODS, or what another package says
    tier: SupporterTier | None = None  # that of a supporter
    token_id: int | None = None  # the token it was recognised by
    scope: TokenScope = TokenScope.EDIT  # what that token leaves of the account's permissions
    shares_limits: bool = False  # whether the account has further tokens in use
    rights: frozenset[str] = frozenset()  # further permissions that its groups have
    lacks_second_factor: bool = False  # staff whose rights rest until two-step log-in is set up
    language: str = ""  # that its pages and mails are written in; "" was not chosen
    timezone: str = ""  # that its pages show times in; "" is not known

    @property
    def shown_method(self) -> str:
        """The method as logs and counts name it: one that another package brought is `other`."""
        return self.method if self.method in METHODS else OTHER


def _editor(who: Identity) -> bool:
    return EDITOR_GROUP in who.groups


def _list_editor(who: Identity) -> bool:
    return READING_LIST_EDITOR_GROUP in who.groups


def _staff(who: Identity) -> bool:
    return who.is_staff


def _superuser(who: Identity) -> bool:
    return who.is_superuser


def _anybody(_who: Identity) -> bool:
    return True


# The roles in the order of the table's columns, after nobody. Every account is a user, and may be more.
ROLES = (_anybody, _editor, _list_editor, _staff, _superuser)

# Who has which permission. What is public on the site asks for none.
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
    """Whether an account has one of the roles that a row of the table lets in."""
    let_in = tuple(role for role, has in zip(ROLES, row[1:], strict=True) if has)
    return _anybody if _anybody in let_in else lambda who: any(role(who) for role in let_in)


# The table as questions to an account.
RULES = {permission: _rule(row) for permission, row in TABLE.items()}
PUBLIC = frozenset(permission for permission, row in TABLE.items() if row[0])

# What tokens of limited scope leave of the permissions of their accounts. TokenScope.EDIT leaves them all.
_READING = frozenset((Permission.API_SCHEMA, Permission.API))
SCOPES = {TokenScope.READ: _READING, TokenScope.LIBRARY: _READING | {Permission.LIBRARY}}


def may(who: Identity | User | None, permission: str) -> bool:
    """Whether somebody, or nobody, has a permission; of an account its row will do, as no token narrows it.

    One that the table does not know, superusers have, and who has it by a group.
    """
    if who is None:
        return permission in PUBLIC
    if isinstance(who, Identity) and permission not in SCOPES.get(who.scope, (permission,)):
        return False
    if permission in RULES:
        return RULES[permission](who)
    return who.is_superuser or permission in who.rights


def scope_for(permission: str) -> TokenScope:
    """The narrowest scope that leaves a permission to a token."""
    return next((scope for scope in SCOPES if permission in SCOPES[scope]), TokenScope.EDIT)


class OutOfScope(Denied):
    """A denial for which only the token is to blame; `scope` is the one it would need."""

    scope: TokenScope


def judge(who: Identity | None, permission: str) -> Allowed | Denied:
    """Whether somebody, or nobody, has a permission, in Pyramid's form and with the reason."""
    name = who.username if who is not None else "nobody"
    if may(who, permission):
        return Allowed(f"{name} has {permission}")
    scope = scope_for(permission)
    if who is None or not may(replace(who, scope=scope), permission):
        return Denied(f"{name} lacks {permission}")
    denied = OutOfScope(f"{name} lacks {permission} with a token of the scope {who.scope}")
    denied.scope = scope
    return denied


def delete_right(kind: str) -> str:
    """The permission to delete objects of one kind on the site: superusers' and of groups that have it."""
    return f"{Permission.DELETE}:{kind}"


class AuthenticationError(Exception):
    """Credentials were sent and are wrong; the text says how, and tells nothing about accounts."""


class InvalidTokenError(AuthenticationError):
    """A token was sent that is malformed, unknown, expired or of an account that is switched off."""


def identify(user: User, method: str) -> Identity:
    """The identity of an account whose groups are loaded."""
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
    """An identity as it counts: staff without two-step log-in are ordinary members where it is required."""
    demanded = settings["comicsdb.staff_second_factor"] and (identity.is_staff or identity.is_superuser)
    if not demanded or second_factor:
        return identity
    return replace(
        identity,
        is_staff=False,
        is_superuser=False,
        groups=frozenset(),
        rights=frozenset(),
        lacks_second_factor=True,
    )


def session_cookie(settings: Mapping) -> str:
    """The cookie that holds a browser's session: over https a name that browsers take from this host only."""
    return "__Host-session" if settings["comicsdb.secure_cookies"] else "session"


def session_identifier(request) -> str | None:
    """The identifier that the browser sent, whether or not it still counts."""
    return request.cookies.get(session_cookie(request.registry.settings))


@implementer(ISecurityPolicy)
class SecurityPolicy:
    """Asks the authenticators in turn; the first that knows the caller wins.

    An authenticator is a function of the request that gives an Identity or None, and may raise
    AuthenticationError. Each package adds its own by `config.add_authenticator`, and each answers only
    for its own routes.

    With `editors_only`, catalogue objects are edited on the site by those who may through the API.
    """

    def __init__(self, *, editors_only: bool = False):
        self._instead = {Permission.EDIT: Permission.API_EDIT} if editors_only else {}
        self._identities = RequestLocalCache(self._ask)

    def _ask(self, request) -> Identity | None:
        for authenticator in request.registry["comicsdb.authenticators"]:
            found = authenticator(request)
            if found is not None:
                return found
        return None

    def identity(self, request) -> Identity | None:
        """The caller, found once per request; None before a route has matched."""
        return self._identities.get_or_create(request) if request.matched_route is not None else None

    def authenticated_userid(self, request) -> int | None:
        """The id of the caller's account."""
        identity = self.identity(request)
        return identity.user_id if identity else None

    def permits(self, request, context, permission):  # noqa: ARG002
        """Whether the caller has a permission, by the table."""
        return judge(self.identity(request), self._instead.get(permission, permission))

    def remember(self, request, userid, **kw):  # noqa: ARG002
        """Logging in is the site's business."""
        return []

    def forget(self, request, **kw):  # noqa: ARG002
        """Logging out is the site's business."""
        return []


def log_denied(request) -> None:
    """A line of the log: somebody who is known asked for what they have no right to."""
    name, ip = printable(request.identity.username), client_ip(request)
    route = request.matched_route.name if request.matched_route else "-"
    extra = {"username": name, "ip": ip, "route": route}
    log.warning("Permission denied at %s (user=%s, ip=%s)", route, name, ip, extra=extra)


def add_authenticator(config, authenticator):
    """Directive: one more way to recognise the caller."""
    config.registry["comicsdb.authenticators"].append(authenticator)


def includeme(config):
    """Install the policy, the directive and `request.passwords`."""
    config.registry["comicsdb.authenticators"] = []
    passwords = passwords_from_settings(config.get_settings())
    config.registry["comicsdb.passwords"] = passwords
    config.add_request_method(lambda _request: passwords, "passwords", reify=True)
    config.add_directive("add_authenticator", add_authenticator)
    editors_only = config.get_settings()["comicsdb.site_editing"] == EDITORS
    config.set_security_policy(SecurityPolicy(editors_only=editors_only))
