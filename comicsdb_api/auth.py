"""Who asks: HTTP Basic and tokens, on the API's routes only (api.md 1.7), with the log of it (1.11)."""

import base64
import binascii
import logging
from dataclasses import dataclass

from pyramid.httpexceptions import HTTPForbidden
from sqlalchemy import bindparam, func, or_, select

from comicsdb.accounts import USERNAME_MAX, printable
from comicsdb.light import Sentence
from comicsdb.models import CATALOGUE, ApiToken, Group, Role, SeriesType, User, user_group_member
from comicsdb.passwords import Passwords, digest
from comicsdb.security import RULES, AuthenticationFailed, Identity, Permission, client_ip
from comicsdb_api.reads import Begun
from comicsdb_api.responses import ROUTE_PREFIX, is_api_route

logger = logging.getLogger(__name__)

WRITES = ("POST", "PUT", "PATCH", "DELETE")
REFERENCE = (Role.__tablename__, SeriesType.__tablename__)
GUARDED = (*(model.__tablename__ for model in CATALOGUE), *REFERENCE)


_user, _group, _token = User.__table__, Group.__table__, ApiToken.__table__
_groups = (
    select(func.array_agg(_group.c.name))
    .select_from(user_group_member.join(_group))
    .where(user_group_member.c.user_id == _user.c.id)
    .scalar_subquery()
    .correlate(_user)
)
# The account with the names of its groups: all that a decision needs, in one statement.
_account = select(
    _user.c.id,
    _user.c.username,
    _user.c.password,
    _user.c.is_active,
    _user.c.is_staff,
    _user.c.is_superuser,
    _groups.label("groups"),
)
BASIC, TOKEN = "basic", "token"
ACCOUNTS = {
    BASIC: _account.where(func.lower(_user.c.username) == func.lower(bindparam("name"))),
    TOKEN: _account.join_from(_user, _token).where(
        _token.c.digest == bindparam("digest"),
        or_(_token.c.expiry.is_(None), _token.c.expiry > func.now()),
    ),
}
_SENTENCES = {method: Sentence.of(statement) for method, statement in ACCOUNTS.items()}


@dataclass(frozen=True)
class Claim:
    """What an Authorization header claims: a method, and who somebody is by it."""

    method: str
    name: str = ""
    password: str = ""
    token: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """What the statement in ACCOUNTS wants to know."""
        return {"name": self.name} if self.method == BASIC else {"digest": digest(self.token)}


@dataclass(frozen=True)
class Account:
    """The columns of `ACCOUNTS`."""

    id: int
    username: str
    password: str
    is_active: bool
    is_staff: bool
    is_superuser: bool
    groups: list[str] | None


def claim(environ) -> Claim | None:
    """What the Authorization header says; None without one, and for other schemes.

    Raises AuthenticationFailed in the words of api.md 1.7.
    """
    scheme, *credentials = environ.get("HTTP_AUTHORIZATION", "").split() or ("",)
    match scheme.lower():
        case "basic":
            if not credentials:
                raise AuthenticationFailed("Invalid basic header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationFailed(
                    "Invalid basic header. Credentials string should not contain spaces."
                )
            name, password = _decoded(credentials[0])
            return Claim(BASIC, name=name, password=password)
        case "bearer":
            if not credentials:
                raise AuthenticationFailed("Invalid token header. No credentials provided.")
            if len(credentials) > 1:
                raise AuthenticationFailed("Invalid token header. Token string should not contain spaces.")
            return Claim(TOKEN, token=credentials[0])
    return None


def _decoded(credentials: str) -> tuple[str, str]:
    try:
        decoded = base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError) as error:
        raise AuthenticationFailed(
            "Invalid basic header. Credentials not correctly base64 encoded."
        ) from error
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")  # as older clients send it
    name, _, password = text.partition(":")
    return name, password


def recognised(passwords: Passwords, claimed: Claim, account: Account | None) -> Identity:
    """The identity of the account that a claim found, if the claim is true; else AuthenticationFailed."""
    if claimed.method == BASIC:
        # For nobody, and for an account that is switched off, the same work is done as for a wrong password.
        stored = account.password if account and account.is_active else None
        if not passwords.verify(stored, claimed.password):
            raise AuthenticationFailed("Invalid username/password.")
    elif account is None:
        raise AuthenticationFailed("Invalid token.")
    elif not account.is_active:
        raise AuthenticationFailed("User inactive or deleted.")
    return Identity(
        user_id=account.id,
        username=account.username,
        is_staff=account.is_staff,
        is_superuser=account.is_superuser,
        groups=frozenset(account.groups or ()),
        method=claimed.method,
    )


def is_quick(passwords: Passwords, claimed: Claim, account: Account) -> bool:
    """Whether `recognised` will not have to make a slow hash."""
    return claimed.method != BASIC or passwords.remembers(account.password, claimed.password)


def authenticate(request) -> Identity | None:
    """The caller by the Authorization header; None without one, for other schemes and off the API.

    Raises AuthenticationFailed, which is logged.
    """
    if not is_api_route(request.matched_route.name):
        return None
    begun = Begun.of(request)
    if begun is not None:
        return begun.identity
    claimed = account = None
    try:
        claimed = claim(request.environ)
        if claimed is None:
            return None
        if "\0" not in claimed.name:  # which the database could not even compare
            found = request.light.fetch(_SENTENCES[claimed.method], claimed.parameters)
            account = Account(*found) if found else None
        return recognised(request.passwords, claimed, account)
    except AuthenticationFailed:
        scheme = request.environ["HTTP_AUTHORIZATION"].split()[0].lower()
        name = account.username if account else claimed.name if claimed else ""
        _log_failure(request, BASIC if scheme == "basic" else TOKEN, name)
        raise


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


def _may_write(request, identity: Identity) -> bool:
    """Whether a method that the route does not offer may even be asked for (api.md 1.6, 1.8).

    Who has no right to change a kind of the catalogue is told that, not which methods there are. Deleting
    and the reference data are for superusers alone.
    """
    kind = request.matched_route.name.removeprefix(ROUTE_PREFIX).partition(".")[0]
    offered = request.registry["comicsdb_api.allow"].get(request.matched_route.name, "").split(", ")
    if request.method not in WRITES or request.method in offered or kind not in GUARDED:
        return True
    if request.method == "DELETE" or kind in REFERENCE:
        return identity.is_superuser
    return RULES[Permission.API_EDIT](identity)


def admitted_view(view, info):
    """View deriver, just inside the check of permissions: nobody unknown passes, and who passes is logged.

    It also stands before Cornice's view for methods that are not offered, which has no permission of its
    own: to those who may not ask at all, a method is neither allowed nor not.
    """
    if info.exception_only or not is_api_route(info.options.get("route_name")):
        return view

    public = info.options["route_name"] in info.registry["comicsdb_api.public"]

    def admitted(context, request):
        identity = request.identity  # wrong credentials are refused everywhere
        if identity is not None and _may_write(request, identity):
            admit(request, identity)
        elif identity is not None or not public:
            raise HTTPForbidden
        return view(context, request)

    return admitted


def admit(request, identity: Identity) -> None:
    """Let somebody in who may ask: noted once per request, wherever it is answered."""
    ip = client_ip(request)
    logger.info(
        "API request authenticated by %s (user=%s, ip=%s)",
        identity.method,
        identity.username,
        ip,
        extra={"username": identity.username, "auth_method": identity.method, "ip": ip},
    )


def includeme(config):
    """The authenticator, the deriver and the table of routes that everybody may read."""
    config.registry["comicsdb_api.public"] = set()
    config.add_authenticator(authenticate)
    config.add_view_deriver(admitted_view, "admitted_view", under="secured_view", over="csrf_view")
