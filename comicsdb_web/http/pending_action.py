"""An action that needs an account, stored in a signed cookie until the visitor has logged in.

The cookie holds the name of the route that performs the action, and its arguments. It is signed, so only a
form of this site can have stored it.
"""

from pyramid.httpexceptions import HTTPSeeOther
from webob.cookies import SignedCookieProfile

from comicsdb_web.http.fragments import log_in_first
from comicsdb_web.http.signed_cookies import signed_cookie
from comicsdb_web.texts import _

LIFETIME = 86_400  # seconds; sign-up waits for a mail
COOKIE = "asked"
ARGUMENT_MAX = 1_000  # characters; browsers and the server limit the cookies of a request
LOG_IN = _("Log in or sign up to continue: what you chose will then be saved.")


class PendingAction:
    """The pending action of the browser that sends a request."""

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)

    def store(self, route: str, *arguments: str, path: str):
        """Set the cookie and lead to the log-in form; afterwards, the view of `route` performs the action.

        `path` is the last of its arguments, and where the reader is led then. Arguments that are too long
        become empty.
        """
        request = self._request
        value = [route, *(each if len(each) <= ARGUMENT_MAX else "" for each in (*arguments, path))]
        request.add_response_callback(lambda _request, answer: self._profile.set_cookies(answer, value))
        if request.is_fragment:  # the session has ended
            return log_in_first(request)
        request.messages.add("info", LOG_IN)
        return HTTPSeeOther(request.route_path("login", _query={"next": path}))

    def take(self) -> list[str] | None:
        """The arguments of the pending action if it belongs to this route, else None; deletes the cookie."""
        self._request.add_response_callback(lambda _request, answer: answer.delete_cookie(COOKIE, path="/"))
        route, *arguments = self._profile.get_value() or [""]
        return arguments if route == self._request.matched_route.name else None

    def redirect_target(self, target: str) -> str:
        """The path after log-in: that of the pending action if there is one, else `target`."""
        value = self._profile.get_value()
        return self._request.route_path(value[0]) if value else target


def includeme(config):
    """Add `request.pending_action`."""
    profile = signed_cookie(config, COOKIE, "asked_act", max_age=LIFETIME)
    config.add_request_method(lambda request: PendingAction(request, profile), "pending_action", reify=True)
