"""Who asks, and what they may do: identities, permissions and the one security policy."""

from dataclasses import dataclass
from enum import StrEnum

from pyramid.interfaces import ISecurityPolicy
from pyramid.request import RequestLocalCache
from pyramid.security import Allowed, Denied
from zope.interface import implementer

from comicsdb.models import User
from comicsdb.models.user import EDITOR_GROUP
from comicsdb.passwords import Passwords


class Permission(StrEnum):
    """What may be asked for, as `scope:action`: a good thing to grep for."""

    API = "api:use"  # read the catalogue through the API
    EDIT = "entity:edit"  # create and update catalogue objects on the site
    API_EDIT = "api:edit"  # the same through the API
    MEMBER = "site:member"  # pages for people who are logged in


@dataclass(frozen=True)
class Identity:
    """The account that asks: what decisions need of it, and nothing that could go stale unseen."""

    user_id: int
    username: str
    is_staff: bool
    is_superuser: bool
    groups: frozenset[str]
    method: str  # how it was recognised: basic, session or token


# Which identity has which permission (model.md 4.1, api.md 1.8, web.md 1).
RULES = {
    Permission.API: lambda _who: True,
    Permission.MEMBER: lambda _who: True,
    Permission.EDIT: lambda _who: True,
    Permission.API_EDIT: lambda who: who.is_superuser or EDITOR_GROUP in who.groups,
}


def _superusers(who: Identity) -> bool:
    """Who has a permission that another package asks for and nobody granted."""
    return who.is_superuser


def may(who: Identity | None, permission: str) -> bool:
    """Whether somebody has a permission of the table RULES; nobody has any."""
    return who is not None and RULES.get(permission, _superusers)(who)


class AuthenticationFailed(Exception):  # noqa: N818  (a fact about the request, named as the API words it)
    """Credentials were sent and are wrong; the text says how, and tells nothing about accounts."""


def identify(user: User, method: str) -> Identity:
    """The identity of an account whose groups are loaded."""
    return Identity(
        user_id=user.id,
        username=user.username,
        is_staff=user.is_staff,
        is_superuser=user.is_superuser,
        groups=frozenset(group.name for group in user.groups),
        method=method,
    )


def client_ip(request) -> str:
    """The address of the peer, as every log line names it; `unknown` where there is none (api.md 1.11)."""
    return request.remote_addr or "unknown"


@implementer(ISecurityPolicy)
class SecurityPolicy:
    """Asks the authenticators in turn; the first that knows the caller wins.

    An authenticator is a function of the request that gives an Identity or None, and may raise
    AuthenticationFailed. Each package adds its own by `config.add_authenticator`, and each answers only
    for its own routes.
    """

    def __init__(self):
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
        """Whether the caller has a permission of the table RULES."""
        identity = self.identity(request)
        if identity is None:
            return Denied("nobody is logged in")
        if may(identity, permission):
            return Allowed(f"{identity.username} has {permission}")
        return Denied(f"{identity.username} lacks {permission}")

    def remember(self, request, userid, **kw):  # noqa: ARG002
        """Logging in is the site's business."""
        return []

    def forget(self, request, **kw):  # noqa: ARG002
        """Logging out is the site's business."""
        return []


def add_authenticator(config, authenticator):
    """Directive: one more way to recognise the caller."""
    config.registry["comicsdb.authenticators"].append(authenticator)


def includeme(config):
    """Install the policy, the directive and `request.passwords`."""
    config.registry["comicsdb.authenticators"] = []
    passwords = Passwords(config.get_settings()["comicsdb.password_cost"])
    config.registry["comicsdb.passwords"] = passwords
    config.add_request_method(lambda _request: passwords, "passwords", reify=True)
    config.add_directive("add_authenticator", add_authenticator)
    config.set_security_policy(SecurityPolicy())
