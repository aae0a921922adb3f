"""Who is logged in: the cookie holds a random identifier, a row its digest."""

from datetime import timedelta

from webob.cookies import SignedCookieProfile

from comicsdb import accounts, clock
from comicsdb.accounts.passwords import digest, secrets_equal
from comicsdb.models import User
from comicsdb.security import Identity, session_cookie, session_identifier
from comicsdb_web.http.routing import is_api
from comicsdb_web.http.signed_cookies import signed_cookie

SECOND_STEP = 600  # seconds for the second step
# The browser keeps the cookie a day longer than the session lasts: a large form that comes too late is read,
# and kept, only from whoever had one (`bodies.ANONYMOUS_FIELDS_MAX`).
COOKIE_LIFETIME = accounts.LIFETIME + timedelta(days=1)


def authenticate(request) -> Identity | None:
    """The account that the browser's session belongs to, but never on the API's routes."""
    return None if is_api(request) else accounts.session_identity(request)


def begin_session(request, user: User, *, confirmed: bool = True) -> None:
    """Log an account in under a new identifier; the session the browser had before ends."""
    accounts.end_session(request.dbsession, session_identifier(request))
    keep_session(request, accounts.begin_session(request.account_context, user, confirmed=confirmed))


def end_session(request) -> None:
    """Forget the browser's session, here and there."""
    accounts.end_session(request.dbsession, session_identifier(request))
    forget_session(request)


def keep_session(request, identifier: str) -> None:
    """Let the browser keep the identifier of its session."""
    _set_cookie(request, identifier, max_age=COOKIE_LIFETIME)


def forget_session(request) -> None:
    """Let the browser forget the identifier of a session that has ended."""
    _set_cookie(request, "", max_age=0)


def _set_cookie(request, value, *, max_age) -> None:
    secure = request.registry.settings["comicsdb.secure_cookies"]
    options = {"max_age": max_age, "path": "/", "secure": secure, "httponly": True, "samesite": "Lax"}

    def callback(request, response):
        if response.status_int < 400:  # otherwise the transaction is rolled back, and the session with it
            response.set_cookie(session_cookie(request.registry.settings), value, **options, overwrite=True)

    request.add_response_callback(callback)


class SecondStep:
    """Who gave the right password and still owes the second step: a signed cookie for some minutes.

    That is no session, and it ends early where the password is changed.
    """

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)

    def begin(self, user: User) -> None:
        """Somebody gave the right password."""
        value = [user.id, clock.now().timestamp() + SECOND_STEP, digest(user.password)]
        self._request.add_response_callback(lambda _request, answer: self._profile.set_cookies(answer, value))

    def user(self) -> User | None:
        """The active account that the browser gave the password of, if it did so a moment ago."""
        value = self._profile.get_value()
        if not value:
            return None
        number, ends, password = value
        user = self._request.dbsession.get(User, number)
        if user is None or not user.is_active or ends <= clock.now().timestamp():
            return None
        return user if secrets_equal(password, digest(user.password)) else None

    def end(self) -> None:
        """Forget it: the second step is done."""

        def forget(_request, answer):
            answer.delete_cookie(self._profile.cookie_name, path="/")

        self._request.add_response_callback(forget)


def includeme(config):
    """Let browsers be recognised by their session; `request.second_step` is on the way to one."""
    config.add_authenticator(authenticate)
    profile = signed_cookie(config, "second-step", "second_step", max_age=SECOND_STEP)
    config.add_request_method(lambda request: SecondStep(request, profile), "second_step", reify=True)
