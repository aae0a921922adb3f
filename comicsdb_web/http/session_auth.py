"""Log-in sessions: the cookie holds a random identifier, and a row its digest."""

from datetime import timedelta

from webob.cookies import SignedCookieProfile

from comicsdb import accounts, clock
from comicsdb.accounts.passwords import digest, secrets_equal
from comicsdb.http.session_cookie import session_cookie, session_identifier
from comicsdb.models import User
from comicsdb.security import Identity
from comicsdb_web.http.routing import is_api
from comicsdb_web.http.signed_cookies import signed_cookie

SECOND_STEP = 600  # seconds for the second step
# The cookie outlives the session by a day: a large form that is sent too late is read and stored only if the
# browser still sends the cookie (`bodies.ANONYMOUS_FIELDS_MAX`).
COOKIE_LIFETIME = accounts.LIFETIME + timedelta(days=1)


def authenticate(request) -> Identity | None:
    """The account that the browser's session belongs to, but never on the API's routes."""
    return None if is_api(request) else accounts.session_identity(request)


def begin_session(request, user: User, *, confirmed: bool = True) -> None:
    """Log an account in with a new session; the browser's previous session ends."""
    accounts.end_session(request.dbsession, session_identifier(request))
    keep_session(request, accounts.begin_session(request.account_context, user, confirmed=confirmed))


def end_session(request) -> None:
    """End the browser's session, and delete its cookie."""
    accounts.end_session(request.dbsession, session_identifier(request))
    forget_session(request)


def keep_session(request, identifier: str) -> None:
    """Set the cookie with the session's identifier."""
    _set_cookie(request, identifier, max_age=COOKIE_LIFETIME)


def forget_session(request) -> None:
    """Delete the cookie of a session that has ended."""
    _set_cookie(request, "", max_age=0)


def _set_cookie(request, value, *, max_age) -> None:
    secure = request.registry.settings["comicsdb.secure_cookies"]
    options = {"max_age": max_age, "path": "/", "secure": secure, "httponly": True, "samesite": "Lax"}

    def callback(request, response):
        if response.status_int < 400:  # otherwise the transaction is rolled back, and the session with it
            response.set_cookie(session_cookie(request.registry.settings), value, **options, overwrite=True)

    request.add_response_callback(callback)


class SecondStep:
    """A log-in between password and second step: a signed cookie that is valid for some minutes.

    It is not a session, and it ends early if the password is changed.
    """

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)

    def begin(self, user: User) -> None:
        """Set the cookie after the right password."""
        value = [user.id, clock.now().timestamp() + SECOND_STEP, digest(user.password)]
        self._request.add_response_callback(lambda _request, answer: self._profile.set_cookies(answer, value))

    def user(self, *, lock: bool = False) -> User | None:
        """The active account whose password was given, unless that was too long ago.

        With `lock`, the password cannot change before the transaction ends: a change ends all sessions, and
        would miss one that begins at the same time.
        """
        value = self._profile.get_value()
        if not value:
            return None
        number, ends, password = value
        locked = {"with_for_update": {"key_share": True}, "populate_existing": True} if lock else {}
        user = self._request.dbsession.get(User, number, **locked)
        is_current = clock.now().timestamp() < ends <= clock.latest().timestamp() + SECOND_STEP
        if user is None or not user.is_active or not is_current:
            return None
        return user if secrets_equal(password, digest(user.password)) else None

    def end(self) -> None:
        """Delete the cookie: the second step is done."""

        def forget(_request, answer):
            answer.delete_cookie(self._profile.cookie_name, path="/")

        self._request.add_response_callback(forget)


def includeme(config):
    """Authenticate browsers by their session, and add `request.second_step` for logging in."""
    config.add_authenticator(authenticate)
    profile = signed_cookie(config, "second-step", "second_step", max_age=SECOND_STEP)
    config.add_request_method(lambda request: SecondStep(request, profile), "second_step", reify=True)
