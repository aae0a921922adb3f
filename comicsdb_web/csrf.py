"""Forms of other sites are refused: a token in every form, bound to the session or to a cookie of its own."""

import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from comicsdb.passwords import same
from comicsdb.security import session_identifier
from comicsdb_web.bodies import check_body
from comicsdb_web.routing import is_api
from comicsdb_web.sharing import is_shared

COOKIE = "csrf"


@implementer(ICSRFStoragePolicy)
class TokenPolicy:
    """Whoever is logged in has a token made from the session's identifier, which is no cookie of its own.

    Anybody else gets a random one in a cookie, but only when a page with a form asks for it: readers of the
    catalogue get no cookie.
    """

    def __init__(self, secret: str, *, secure: bool):
        self._key = hashlib.sha256(b"csrf:" + secret.encode()).digest()
        self._secure = secure

    def get_csrf_token(self, request) -> str:
        """The token that forms of this page carry; raises RuntimeError on a page that is for everybody."""
        if is_shared(request):
            raise RuntimeError("A page that is kept for everybody can have no token.")
        identifier = session_identifier(request)
        if identifier:
            return hmac.new(self._key, identifier.encode(), hashlib.sha256).hexdigest()
        return request.cookies.get(COOKIE) or self.new_csrf_token(request)

    def new_csrf_token(self, request) -> str:
        """A new token for somebody who is not logged in."""
        token = secrets.token_hex(32)
        request.cookies[COOKIE] = token
        request.add_response_callback(self._set_cookie)
        return token

    def check_csrf_token(self, request, supplied_token) -> bool:
        """Whether the form carries the token of its page."""
        if not session_identifier(request) and not request.cookies.get(COOKIE):
            return False
        if not isinstance(supplied_token, str):  # a file of that name
            return False
        return same(self.get_csrf_token(request), supplied_token)

    def _set_cookie(self, request, response):
        response.set_cookie(
            COOKIE, request.cookies[COOKIE], path="/", secure=self._secure, httponly=True, samesite="Lax"
        )


def from_here(request) -> bool:
    """Whether a form without a token comes from this site, by what the browser says of itself (web.md 2.3).

    A caller that sends neither header is no browser.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin)[:2] == urlsplit(request.host_url)[:2]


def includeme(config):
    """Every POST needs the token, but for the API, where no cookie counts."""
    settings = config.get_settings()
    config.set_csrf_storage_policy(
        TokenPolicy(settings["comicsdb.secret"], secure=settings["comicsdb.secure_cookies"])
    )
    config.set_default_csrf_options(
        require_csrf=True,
        token="csrf_token",  # noqa: S106  (the name of the form field)
        header="X-CSRFToken",
        callback=lambda request: not is_api(request) and check_body(request),
    )
