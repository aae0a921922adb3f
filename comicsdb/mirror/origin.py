"""The origin of a mirror over HTTP: its description, dumps, feed and pictures."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tarfile import TarError
from typing import NamedTuple
from urllib.parse import quote, urljoin

import httpx
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from comicsdb.imaging.picture import BYTES_MAX
from comicsdb.values import whole_number

WELL_KNOWN = "/.well-known/comicsdb.json"
WAIT = 30  # seconds that the feed may wait for the next change
BATCH = 1000  # lines of the feed per response
TIMEOUT = httpx.Timeout(30, read=WAIT + 30)
RETRY_AFTER_MAX = 300  # seconds to which longer waits are cut
BLOCK = 1 << 20  # bytes
# The largest answers that are read: a description or manifest, a response of the feed, a picture.
SMALL_BYTES, FEED_BYTES, PICTURE_BYTES = 10_000_000, 100_000_000, BYTES_MAX
SLOW_SECONDS, PICTURE_SECONDS = 300.0, 20.0  # within which an answer must have arrived
PICTURE_TIMEOUT = httpx.Timeout(10)


class OriginError(Exception):
    """The origin does not respond, or not as expected; the text says what to do if that is known."""


class BusyError(OriginError):
    """The origin asks to wait some `seconds`."""

    def __init__(self, message: str, seconds: int):
        super().__init__(message)
        self.seconds = seconds


class UnreadableError(OriginError):
    """The origin responds, but cannot return what was asked for."""


class HorizonError(OriginError):
    """The feed no longer reaches back to the position: start again from a dump."""


class Position(NamedTuple):
    """A position in the feed: its epoch, the last line, and the last touched object."""

    epoch: str
    after: int
    touched: str


class Answer(NamedTuple):
    """A response that was read whole."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes


class Origin:
    """A comicsdb site to mirror, by its URL; `token` is for sites whose API requires an account."""

    def __init__(self, url: str, token: str = ""):
        self.url = url.rstrip("/")
        headers = {"User-Agent": "comicsdb-mirror"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._client = httpx.Client(timeout=TIMEOUT, headers=headers, follow_redirects=True)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def describe(self) -> dict:
        """The origin's description of itself at `/.well-known/comicsdb.json`."""
        return _json(self._get(self.url + WELL_KNOWN))

    def fetch(self, url: str) -> bytes:
        """The content of a small file, such as a manifest; relative URLs are resolved against the origin."""
        return self._get(urljoin(self.url + "/", url)).content

    def changes(self, position: Position, wait: int = 0) -> tuple[dict, bool]:
        """The feed after a position, with objects; the origin may wait up to `wait` seconds for a change.

        Returns the response, and whether the origin supports waiting. Raises HorizonError if the feed begins
        later, or has started again.
        """
        asked = {
            "after": str(position.after),
            "touched": position.touched,
            "epoch": position.epoch,
            "include": "object",
            "limit": str(BATCH),
        }
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        response = self._get(f"{self.url}/api/change/", FEED_BYTES, params=asked, headers=headers)
        return _json(response), "Preference-Applied" in response.headers

    def download(
        self, url: str, target: Path, sha256: str, size: int, progress: Callable[[int], None]
    ) -> None:
        """Download a file, resuming an interrupted download. `progress` is called with numbers of bytes.

        Raises OriginError, also for a file with another digest.
        """
        if target.is_file() and target.stat().st_size == size and _digest(target) == sha256:
            return
        partial = target.with_name(f"{target.name}.part")
        offset = partial.stat().st_size if partial.is_file() else 0
        if offset > size:
            partial.unlink()
            offset = 0
        progress(offset)
        if offset < size:
            self._resume(urljoin(self.url + "/", url), partial, (offset, size), sha256, progress)
        if _digest(partial) != sha256:
            partial.unlink()
            raise OriginError(f"{url} was damaged on the way, or is not what the manifest says: try again.")
        partial.replace(target)

    def _resume(self, url: str, partial: Path, span: tuple[int, int], tag: str, progress) -> None:
        offset, size = span
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": f'"{tag}"'}
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                if response.status_code not in (200, 206):
                    raise OriginError(f"{url} answers {response.status_code}.")
                is_rest = response.status_code == 206
                with partial.open("ab" if is_rest else "wb") as stream:
                    for block in response.iter_raw(BLOCK):
                        stream.write(block)
                        progress(len(block))
                        if stream.tell() > size:
                            raise OriginError(f"{url} is longer than the manifest says.")
        except httpx.HTTPError as error:
            raise OriginError(f"The download of {url} was interrupted: {_reason(error)}") from error

    def picture(self, key: str) -> bytes | None:
        """The bytes of a picture, None if the origin has none.

        Raises BusyError instead of waiting, as a reader waits for the picture.
        """
        url = f"{self.url}/media/{quote(key)}"
        response = self._send(url, PICTURE_BYTES, PICTURE_SECONDS, timeout=PICTURE_TIMEOUT)
        if response.status in (404, 410):
            return None
        if response.status in (502, 503, 504):
            raise OriginError(f"{response.url} answers {response.status}.")
        if response.status != 200:
            raise UnreadableError(f"{response.url} answers {response.status}.")
        return response.content

    def _get(self, url: str, most: int = SMALL_BYTES, **options) -> Answer:
        """Get a URL, waiting if the origin responds with 429."""
        while True:
            try:
                response = self._send(url, most, **options)
                break
            except BusyError as error:
                time.sleep(error.seconds)
        if response.status == 200:
            return response
        if response.status == 410:
            raise HorizonError(_detail(response))
        if response.status == 401:
            raise OriginError(f"{self.url} has no open API: make a token there, and name it with --token.")
        raise OriginError(f"{response.url} answers {response.status}: {_detail(response)}")

    def _send(self, url: str, most: int, seconds: float = SLOW_SECONDS, **options) -> Answer:
        """The answer, read; raises OriginError for one that is too long or slow, BusyError for a 429."""
        until, body = time.monotonic() + seconds, bytearray()
        try:
            with self._client.stream("GET", url, **options) as response:
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > most:
                        raise OriginError(f"{url} answers with more than {most:,} bytes.")
                    if time.monotonic() > until:
                        raise OriginError(f"{url} takes longer than {seconds:.0f} seconds.")
        except httpx.HTTPError as error:
            raise OriginError(f"{self.url} does not answer: {_reason(error)}") from error
        if response.status_code == 429:
            raise BusyError(f"{self.url} has limited the mirror's requests.", _seconds(response.headers))
        return Answer(str(response.url), response.status_code, response.headers, bytes(body))


@contextmanager
def read_form(what: str) -> Iterator[None]:
    """Turn the errors of reading what an origin sent in another form into OriginError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, TarError) as error:
        raise OriginError(f"{what} has a form that this version cannot read: {error!r}") from error
    except (sqlite3.DatabaseError, DataError, IntegrityError, ProgrammingError) as error:
        reason = str(getattr(error, "orig", error)).partition("\n")[0]
        raise OriginError(f"{what} cannot be stored: {reason}") from error


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _seconds(headers: Mapping[str, str]) -> int:
    seconds = whole_number(headers.get("Retry-After"), high=RETRY_AFTER_MAX, clamp=True)
    return 60 if seconds is None else max(seconds, 1)


def _json(response: Answer) -> dict:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise OriginError(f"{response.url} is no address of a comicsdb site: not JSON.") from error


def _detail(response: Answer) -> str:
    try:
        return str(json.loads(response.content)["detail"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return f"the status is {response.status}"


def _reason(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
