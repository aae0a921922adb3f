"""Notices for the next page: a signed cookie that lives until it has been shown."""

import json
from typing import NamedTuple

from webob.cookies import SignedCookieProfile

COOKIE = "messages"
KINDS = ("success", "info", "warning", "error")
SHOWN_MAX = 5
BYTES_MAX = 1500  # of all of them: requests whose cookies are longer than 4 KB are refused
TEXT_MAX = 200  # characters of a text that alone would be too long


class Message(NamedTuple):
    """One notice, and where it leads, if anywhere; texts are plain and are escaped where they are shown."""

    kind: str
    text: str
    label: str = ""
    path: str = ""


class Messages:
    """The notices of one request: those that came with it, and those for the page after it."""

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)
        self._next: list[Message] = []
        self._now: list[Message] = []

    def add(self, kind: str, text: str, *, label: str = "", path: str = "") -> None:
        """Show `text` on the next page, and a link of that `label` to a path; `kind` is one of KINDS."""
        if kind not in KINDS:
            raise ValueError(f"There is no kind of message {kind!r}; there are: {', '.join(KINDS)}.")
        if not self._next:
            self._request.add_response_callback(self._keep)
        self._next.append(Message(kind, text, label, path))

    def show(self, kind: str, text: str) -> None:
        """Show `text` on this page."""
        self._now.append(Message(kind, text))

    def take(self) -> list[Message]:
        """The notices to show now; they are shown once, and the page that shows them is not kept."""
        if COOKIE not in self._request.cookies:
            return self._now
        self._request.add_response_callback(self._forget)
        value = self._profile.get_value()
        return [Message(*parts) for parts in value or ()] + self._now

    def _keep(self, _request, response):
        first = self._next[0]
        if _size(first) > BYTES_MAX:
            first = Message(first.kind, f"{first.text[:TEXT_MAX]}…")
        kept, room = [list(first)], BYTES_MAX - _size(first)
        for message in self._next[1:SHOWN_MAX]:
            room -= _size(message)
            if room < 0:
                break
            kept.append(list(message))
        self._profile.set_cookies(response, kept)

    def _forget(self, _request, response):
        response.headers["Cache-Control"] = "no-store"
        if not self._next:
            response.delete_cookie(COOKIE, path="/")


def _size(message: Message) -> int:
    """Bytes as the cookie has them."""
    return len(json.dumps(message))


def includeme(config):
    """`request.messages`."""
    settings = config.get_settings()
    profile = SignedCookieProfile(
        settings["comicsdb.secret"],
        salt="comicsdb_web.messages",
        cookie_name=COOKIE,
        secure=settings["comicsdb.secure_cookies"],
        httponly=True,
        samesite="Lax",
        hashalg="sha512",
    )
    config.add_request_method(lambda request: Messages(request, profile), "messages", reify=True)
