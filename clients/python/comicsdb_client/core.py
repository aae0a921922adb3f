"""The part of all calls that does no I/O: building requests and reading responses.

A call is a generator: it yields requests to send and seconds to wait, receives the responses, and returns the
result. `clients` does the sending and waiting, either blocking or with asyncio.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import httpx

from comicsdb_client.answers import Found, Json, Match, Page
from comicsdb_client.cache import Cache
from comicsdb_client.errors import ApiError, ConnectionFailedError, RateLimitedError, error_from
from comicsdb_client.rate_limiter import RateLimiter

T = TypeVar("T")
Steps = Generator[httpx.Request | float, httpx.Response | None, T]

BATCH = 100  # ids or descriptors in one call
SELECTION_OPTIONS = ("fields", "include")  # parameters of the query that select the fields of issues
ATTEMPTS_MAX = 4
LONGEST_WAIT = 120.0  # seconds
ACCEPT = "application/json, application/problem+json"
AGENT = "comicsdb-client/0.1.0"
FEED = "change/"  # costs none of the day's requests
_TEMPORARY_STATUSES = {502, 503, 504}


class Core:
    """Calls to one server with one account."""

    def __init__(self, url: str, token: str, cache: Cache | None, longest_wait: float):
        self.url = url.rstrip("/")
        self.rate_limiter = RateLimiter()
        self.cache = cache
        self.calls = 0  # sent so far
        self._longest_wait = longest_wait
        self._headers = {"Accept": ACCEPT, "Accept-Encoding": "gzip, deflate", "User-Agent": AGENT}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, params: Mapping[str, Any]) -> Steps[Json]:
        """One object."""
        response = yield from self._request("GET", path, params)
        return _body(response)

    def page(self, path: str, params: Mapping[str, Any]) -> Steps[Page]:
        """One page of a list; its `next` has the parameters of the following page."""
        response = yield from self._request("GET", path, params)
        body = _body(response)
        following = response.links.get("next", {}).get("url") or body.get("next")
        # Only the parameters are used, so that our token is never sent to another server.
        after = dict(parse_qsl(urlsplit(following).query, keep_blank_values=True)) if following else None
        return Page(body["results"], body.get("count"), after)

    def changes(self, sent: dict[str, str]) -> Steps[Json]:
        """Entries of the change feed, with objects; `sent` is updated to the parameters of the next request.

        It begins as the position in a dump's manifest (`feed`), or as a position from an earlier run.
        """
        response = yield from self._request("GET", FEED, {"include": "object", "limit": 1000, **sent})
        body = _body(response)
        sent |= {"epoch": body["epoch"], "touched": body["touched"]}
        if body["results"]:
            sent["after"] = str(body["results"][-1]["seq"])
        return body

    def by_ids(self, kind: str, ids: Sequence[int], params: Mapping[str, Any]) -> Steps[Found]:
        """Up to a hundred objects by their ids."""
        response = yield from self._request("GET", f"{kind}/", {**params, "ids": ids})
        body = _body(response)
        merged = {each["id"]: each["survivor"] for each in body["merged"]}
        return Found(body["results"], body["missing"], merged, body["deleted"])

    def match(self, descriptors: Sequence[Json], options: Mapping[str, Any]) -> Steps[list[Match]]:
        """The issues that up to a hundred comics may be; `fields` and `include` select their fields."""
        shown = {name: value for name, value in options.items() if name in SELECTION_OPTIONS}
        others = {name: value for name, value in options.items() if name not in SELECTION_OPTIONS}
        body = {"descriptors": list(descriptors), **others}
        response = yield from self._request("POST", "match/", shown, body)
        return [Match.of(each) for each in _body(response)["results"]]

    def _request(
        self, method: str, path: str, params: Mapping[str, Any], body: Json | None = None
    ) -> Steps[httpx.Response]:
        """The response, from the cache if it has not changed, after waiting and retrying where that helps.

        Raises ClientError.
        """
        request = httpx.Request(
            method, f"{self.url}/api/{path}", params=_plain(params), headers=self._headers, json=body
        )
        key = str(request.url)
        stored = self.cache.get(key) if self.cache and method == "GET" else None
        if stored:
            request.headers["If-None-Match"] = stored.etag
        response = yield from self._send(request, is_free=path == FEED)
        if response.status_code == 304 and stored:
            return httpx.Response(200, headers=stored.headers, content=stored.body, request=request)
        if not response.is_success:
            raise error_from(response)
        etag = response.headers.get("ETag")
        if self.cache and method == "GET" and etag and not response.history:
            self.cache.put(key, etag, dict(response.headers), response.content)
        return response

    def _send(self, request: httpx.Request, *, is_free: bool) -> Steps[httpx.Response]:
        for attempt in range(1, ATTEMPTS_MAX + 1):
            while wait := self.rate_limiter.seconds_to_wait(is_free=is_free):
                if wait > self._longest_wait:
                    raise RateLimitedError("The rate limit is used up.", wait)
                yield wait
            self.calls += 1
            try:
                response = yield request
            except httpx.RequestError as error:
                if attempt == ATTEMPTS_MAX or not isinstance(error, httpx.TransportError):
                    raise ConnectionFailedError(f"{request.url}: {error or type(error).__name__}") from error
                yield 2.0**attempt
                continue
            assert response is not None  # noqa: S101 - the answer to a request is a response
            self.rate_limiter.update(response.headers)
            if response.status_code == 429:
                seconds = _seconds(response, 60.0)
                self.rate_limiter.pause(seconds, with_free=is_free)
                if seconds > self._longest_wait or attempt == ATTEMPTS_MAX:
                    raise RateLimitedError(error_from(response).message, seconds)
            elif response.status_code in _TEMPORARY_STATUSES and attempt < ATTEMPTS_MAX:
                yield min(_seconds(response, 2.0**attempt), self._longest_wait)
            else:
                return response
        raise AssertionError("the last try returns or raises")


def _body(response: httpx.Response) -> Json:
    """The object in a response; other servers may answer everything with a page of HTML."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise ApiError(response.status_code, f"{response.url} has no JSON: is this a comicsdb site?")
    return body


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in lists of up to a hundred."""
    items = iter(items)
    while batch := list(islice(items, BATCH)):
        yield batch


def _plain(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as text: lists are joined with commas, and None is left out."""
    return {
        name: ",".join(map(str, value)) if isinstance(value, list | tuple | set | frozenset) else str(value)
        for name, value in params.items()
        if value is not None
    }


def _seconds(response: httpx.Response, usual: float) -> float:
    try:
        return float(response.headers.get("Retry-After", usual))
    except ValueError:  # an HTTP date, which comicsdb never sends
        return usual
