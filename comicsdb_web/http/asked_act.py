"""What a visitor asked for that needs an account: kept in a signed cookie until they have logged in.

An act is the name of the route that does it, and texts that only a form of this site can have stored.
"""

from webob.cookies import SignedCookieProfile

from comicsdb_web.http.signed_cookies import signed_cookie

LIFETIME = 86_400  # seconds; sign-up waits for a mail
COOKIE = "asked"


class AskedAct:
    """The act of a request's browser."""

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)

    def keep(self, route: str, *texts: str) -> None:
        """Let the browser keep an act, which the page of a route does."""
        act = [route, *texts]
        self._request.add_response_callback(lambda _request, answer: self._profile.set_cookies(answer, act))

    def take(self) -> list[str] | None:
        """The texts of an act of this route, which the browser forgets."""
        self._request.add_response_callback(lambda _request, answer: answer.delete_cookie(COOKIE, path="/"))
        route, *texts = self._profile.get_value() or [""]
        return texts if route == self._request.matched_route.name else None

    def landing(self, target: str) -> str:
        """The path after log-in: `target`, or where the act is done if there is one."""
        act = self._profile.get_value()
        return self._request.route_path(act[0]) if act else target


def includeme(config):
    """Add `request.asked_act`."""
    profile = signed_cookie(config, COOKIE, "asked_act", max_age=LIFETIME)
    config.add_request_method(lambda request: AskedAct(request, profile), "asked_act", reify=True)
