"""CSRF protection: a token in every form, bound to the session or to a separate cookie."""

import hashlib
import hmac
import logging
import secrets
from urllib.parse import urlsplit

from pyramid.csrf import check_csrf_token
from pyramid.httpexceptions import HTTPForbidden
from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from comicsdb.accounts.passwords import secrets_equal
from comicsdb.http import bodies
from comicsdb.http.session_cookie import session_identifier
from comicsdb_web.http.anonymous import is_rendered_anonymously
from comicsdb_web.http.routing import is_api
from comicsdb_web.texts import _

COOKIE = "csrf"
FOREIGN_FORM = _("This form was sent from another site.")

log = logging.getLogger(__name__)


@implementer(ICSRFStoragePolicy)
class TokenPolicy:
    """The CSRF storage policy: tokens of members are derived from the session's identifier.

    Anonymous readers get a random token in a cookie, but only on pages with a form: merely reading the
    catalog sets no cookie.

    The token of a member's page also names the account, signed: a form submitted after its session ended can
    be stored for that account (`forms.expired_session`). It has three parts, `session.account.signature`.
    """

    def __init__(self, secret: str, *, secure: bool):
        self._key = hashlib.sha256(b"csrf:" + secret.encode()).digest()
        self._secure = secure

    def get_csrf_token(self, request) -> str:
        """The token of the forms of this page; raises RuntimeError on a page cached for everybody."""
        if is_rendered_anonymously(request):
            raise RuntimeError("A page that is kept for everybody can have no token.")
        identifier = session_identifier(request)
        if identifier:
            token = self._sign(identifier)
            if request.identity is None:
                return token
            owner = f"{token}.{request.identity.user_id}"
            return f"{owner}.{self._sign(owner)}"
        return request.cookies.get(COOKIE) or self.new_csrf_token(request)

    def new_csrf_token(self, request) -> str:
        """A new token for an anonymous reader."""
        token = secrets.token_hex(32)
        request.cookies[COOKIE] = token
        request.add_response_callback(self._set_cookie)
        return token

    def check_csrf_token(self, request, supplied_token) -> bool:
        """Whether the form has the token of its page."""
        if not session_identifier(request) and not request.cookies.get(COOKIE):
            return False
        if not isinstance(supplied_token, str):  # an uploaded file
            return False
        expected = (
            self._sign(identifier) if (identifier := session_identifier(request)) else request.cookies[COOKIE]
        )
        return secrets_equal(expected, supplied_token.partition(".")[0])

    def owner(self, token) -> int | None:
        """The account of a token, even if its session has ended."""
        if not isinstance(token, str) or token.count(".") != 2:
            return None
        owner, _dot, signature = token.rpartition(".")
        return int(owner.partition(".")[2]) if secrets_equal(self._sign(owner), signature) else None

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def _set_cookie(self, request, response):
        response.set_cookie(
            COOKIE, request.cookies[COOKIE], path="/", secure=self._secure, httponly=True, samesite="Lax"
        )


def log_foreign_form(request) -> None:
    """Log what was compared when a form was refused by its origin: mostly, a proxy passes on another host."""
    referrer = urlsplit(request.referrer or "")
    log.warning(
        "A form was refused, as its origin %r (Sec-Fetch-Site: %s) is not %s, as which this site was asked."
        " A proxy in front must pass on Host, with the port, and X-Forwarded-Proto.",
        request.headers.get("Origin") or f"{referrer.scheme}://{referrer.netloc}",
        request.headers.get("Sec-Fetch-Site", "none sent"),
        request.host_url,
    )


def check_same_origin(request) -> None:
    """Raise HTTPForbidden if a form without a token was sent by another site, by the browser's headers.

    Clients that send neither header are not browsers.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        is_own = site in {"same-origin", "none"}
    else:
        is_own = origin is None or origin.lower() == request.host_url.lower()
    if not is_own:
        log_foreign_form(request)
        raise HTTPForbidden(FOREIGN_FORM)


def check_shared_form(request) -> None:
    """Check a form that visitors have, too: on their pages, which are cached for all, it has no token."""
    if request.identity is None:
        check_same_origin(request)
    else:
        check_csrf_token(request)


def includeme(config):
    """Require the token for every POST except to the API, which ignores cookies."""
    settings = config.get_settings()
    config.set_csrf_storage_policy(
        TokenPolicy(settings["comicsdb.secret"], secure=settings["comicsdb.secure_cookies"])
    )
    config.set_default_csrf_options(
        require_csrf=True,
        token="csrf_token",  # noqa: S106  (the name of the form field)
        header="X-CSRFToken",
        callback=lambda request: not is_api(request) and bodies.form(request) is not None,
    )
