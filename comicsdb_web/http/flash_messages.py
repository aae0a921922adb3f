"""Messages for the next page, in a signed cookie until they are shown."""

import json
from typing import NamedTuple

from webob.cookies import SignedCookieProfile

from comicsdb.i18n import Text, translate
from comicsdb.library import acts
from comicsdb_web.http.signed_cookies import signed_cookie

COOKIE = "messages"
KINDS = ("success", "info", "warning", "error")
SHOWN_MAX = 5
BYTES_MAX = 1500  # of all messages: requests with more than 4 KB of cookies are rejected
TEXT_MAX = 200  # characters to which a single text that is too long is cut


class Message(NamedTuple):
    """One message with an optional link, or a path at which it can be undone.

    Texts are plain and escaped by the templates.
    """

    kind: str
    text: str
    label: str = ""
    path: str = ""
    undo: str = ""


class Messages:
    """The messages of one request: the received ones, and those for the next page."""

    def __init__(self, request, profile: SignedCookieProfile):
        self._request = request
        self._profile = profile.bind(request)
        self._next: list[Message] = []
        self._now: list[Message] = []

    def add(self, kind: str, text: Text, *, label: Text = "", path: str = "", undo: bool = True) -> None:
        """Show `text` on the next page, with a link labelled `label` to `path`; `kind` is one of KINDS.

        After a change to the reader's own library, a button beside it undoes the change, unless `undo` is
        false.
        """
        if kind not in KINDS:
            raise ValueError(f"There is no kind of message {kind!r}; there are: {', '.join(KINDS)}.")
        if not self._next:
            self._request.add_response_callback(self._keep)
        undo_path = self.undo_path if undo and kind == "success" else ""
        say = self._request.localizer
        self._next.append(Message(kind, translate(say, text), translate(say, label), path, undo_path))

    @property
    def undo_path(self) -> str:
        """The path that undoes what this request changes in the reader's own library; empty if nothing."""
        act_id = acts.current_id(self._request.dbsession)
        return self._request.route_path("collection.undo", id=act_id) if act_id else ""

    def show(self, kind: str, text: Text) -> None:
        """Show `text` on this page."""
        self._now.append(Message(kind, translate(self._request.localizer, text)))

    def take(self) -> list[Message]:
        """The messages to show now, once; the page that shows them is not cached."""
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
    """The size of messages in the cookie, in bytes."""
    return len(json.dumps(message))


def includeme(config):
    """Add `request.messages`."""
    profile = signed_cookie(config, COOKIE, "messages")
    config.add_request_method(lambda request: Messages(request, profile), "messages", reify=True)
