"""Requests that once blocked a worker for seconds to minutes, and clients that send them."""

import http.client
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlencode

from tests.faults.balanced import HOST
from tests.worst.pictures import SIDE, jpeg_of_many_scans, pixels, png

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PARTS = {"Content-Type": "multipart/form-data; boundary=x"}
PART = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
PROFILE = "/accounts/update/"
TOKEN = re.compile(rb'name="csrf_token" value="([^"]+)"')


class RawRequest(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


class Client:
    """A browser or a program that keeps its connection and its cookies."""

    def __init__(self, connect: Callable[[], http.client.HTTPConnection], **headers: str):
        self.connect = connect
        self.connection = None
        self.headers = {"Host": HOST, "X-Forwarded-Proto": "https", "Origin": f"https://{HOST}"} | headers
        self.cookies: dict[str, str] = {}

    def ask(self, sent: RawRequest) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of the response; raises OSError or HTTPException if there is none."""
        if self.connection is None:
            self.connection = self.connect()
        headers = self.headers | sent.headers
        if self.cookies and "Cookie" not in headers:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            self.connection.request(sent.method, sent.path, sent.body or None, headers)
            answer = self.connection.getresponse()
            status, received = answer.status, answer.headers
            is_stream = received.get_content_type() == "text/event-stream"
            body = answer.readline() if is_stream else answer.read()
            if is_stream:  # it would last for minutes
                self.leave()
        except (OSError, http.client.HTTPException):
            self.leave()
            raise
        for cookie in received.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return status, received, body

    def leave(self) -> None:
        """Close the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def token(self, path: str) -> str:
        """The CSRF token of the forms of a page."""
        return TOKEN.search(self.ask(RawRequest("GET", path, {}))[2])[1].decode()

    def log_in(self, username: str, password: str) -> None:
        """Log in with the site's form."""
        path = "/accounts/login/"
        fields = {"csrf_token": self.token(path), "username": username, "password": password}
        status, _, body = self.ask(RawRequest("POST", path, FORM, urlencode(fields).encode()))
        assert status == 303, body


def long_cookie(size: int) -> RawRequest:
    """A cookie without pairs: from each letter, WebOb's own pattern searches for the end of a pair."""
    return RawRequest("GET", "/", {"Cookie": "a" * size})


def crowded_parts() -> RawRequest:
    """A form whose parts have names that consist of parameter separators only."""
    part = PART % (b";" * 7900, b"", b"")
    return RawRequest("POST", "/accounts/login/", PARTS, part * 2400 + b"--x--\r\n")


def picture_of_many_scans(token: str) -> RawRequest:
    """A profile picture that takes a decoder minutes."""
    parts = PART % (b"csrf_token", b"", token.encode())
    parts += PART % (b"image", b'; filename="a.jpg"', jpeg_of_many_scans(600))
    return RawRequest("POST", PROFILE, PARTS, parts + b"--x--\r\n")


def crowded_import(token: str) -> RawRequest:
    """A file for an import with millions of empty lists."""
    lists = b'{"format": "comicsdb-library", "x": [' + b"[]," * 3_000_000 + b"[]]}"
    parts = PART % (b"csrf_token", b"", token.encode()) + PART % (b"currency", b"", b"USD")
    parts += PART % (b"file", b'; filename="a.json"', lists)
    return RawRequest("POST", "/collection/import/", PARTS, parts + b"--x--\r\n")


def costly_cover() -> RawRequest:
    """A search by a picture of some 49 million pixels, interlaced."""
    picture = PART % (b"image", b'; filename="a.png"', png(SIDE, pixels(SIDE), interlaced=True))
    return RawRequest("POST", "/api/cover/", PARTS, picture + b"--x--\r\n")


def crowded_descriptor() -> RawRequest:
    """A descriptor of a comic with more members than any has."""
    members = ",".join(f'"a{number}":1' for number in range(210_000))
    body = f'{{"descriptors": [{{{members}}}]}}'.encode()
    return RawRequest("POST", "/api/match/", {"Content-Type": "application/json"}, body)


def event_stream() -> RawRequest:
    """A subscription to changes, whose client leaves after the first line."""
    return RawRequest("GET", "/api/change/", {"Accept": "text/event-stream"})
