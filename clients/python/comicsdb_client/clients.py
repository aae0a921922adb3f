"""Two clients with the same methods: `Client` blocks until a response arrives, `AsyncClient` awaits it."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from comicsdb_client.answers import Found, Json, Match, Page
from comicsdb_client.cache import Cache
from comicsdb_client.core import LONGEST_WAIT, Core, Steps, batches

T = TypeVar("T")
TIMEOUT = httpx.Timeout(60.0, connect=10.0)


class _BaseClient:
    """The base of both clients."""

    def __init__(
        self, url: str, *, token: str = "", cache: Cache | None = None, longest_wait: float = LONGEST_WAIT
    ):
        """`url` is the address of the site; a wait of more than `longest_wait` seconds is an error."""
        self._core = Core(url, token, cache, longest_wait)

    @property
    def url(self) -> str:
        """The address of the site."""
        return self._core.url

    @property
    def calls(self) -> int:
        """The number of requests sent so far."""
        return self._core.calls


class Client(_BaseClient):
    """A client for programs without asyncio; use it in a `with` block, or close it."""

    def __init__(self, url: str, *, auth: tuple[str, str] | None = None, **options: Any):
        """`auth` is a user name and a password, as an alternative to the option `token`."""
        super().__init__(url, **options)
        self._http = httpx.Client(auth=auth, timeout=TIMEOUT, follow_redirects=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, kind: str, object_id: int, **params: Any) -> Json:
        """One object: `get("issue", 512, fields=["number", "series.name"])`."""
        return self._run(self._core.get(f"{kind}/{object_id}/", params))

    def read(self, path: str, **params: Any) -> Json:
        """The body at any address below `/api/`: `read("search/", q="harbor")`."""
        return self._run(self._core.get(path, params))

    def pages(self, path: str, **params: Any) -> Iterator[Page]:
        """The pages of a list: `pages("issue", series_name="harbor")`."""
        following: dict[str, Any] | None = params
        while following is not None:
            page = self._run(self._core.page(f"{path.strip('/')}/", following))
            yield page
            following = page.next

    def items(self, path: str, **params: Any) -> Iterator[Json]:
        """The objects of a list, page after page."""
        for page in self.pages(path, **params):
            yield from page.results

    def ids(self, kind: str, ids: Iterable[int], **params: Any) -> Iterator[Found]:
        """Any number of objects by their ids, a hundred with each request."""
        for batch in batches(ids):
            yield self._run(self._core.by_ids(kind, batch, params))

    def changes(self, position: Mapping[str, Any] | None = None) -> Iterator[tuple[Json, dict[str, str]]]:
        """The change feed up to now: responses with entries and objects, each with the position after it.

        `position` is where to continue: the position after the last response, or `feed` of a dump's manifest.
        Raises GoneError if the feed no longer has the changes after it.
        """
        sent = {name: str(value) for name, value in (position or {}).items()}
        is_last = False
        while not is_last:
            body = self._run(self._core.changes(sent))
            is_last = body["last"]
            yield body, dict(sent)

    def match(self, descriptors: Iterable[Json], **options: Any) -> Iterator[Match]:
        """The match for each descriptor, in order; a hundred are sent with each request."""
        for batch in batches(descriptors):
            yield from self._run(self._core.match(batch, options))

    def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, httpx.Request):
                    try:
                        response = self._http.send(step)
                    except httpx.RequestError as error:
                        step = steps.throw(error)
                    else:
                        step = steps.send(response)
                else:
                    time.sleep(step)
                    step = next(steps)
        except StopIteration as done:
            value: T = done.value
            return value


class AsyncClient(_BaseClient):
    """A client for programs with asyncio; use it in an `async with` block, or close it."""

    def __init__(self, url: str, *, auth: tuple[str, str] | None = None, **options: Any):
        """`auth` is a user name and a password, as an alternative to the option `token`."""
        super().__init__(url, **options)
        self._http = httpx.AsyncClient(auth=auth, timeout=TIMEOUT, follow_redirects=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def get(self, kind: str, object_id: int, **params: Any) -> Json:
        """One object: `await get("issue", 512, fields=["number", "series.name"])`."""
        return await self._run(self._core.get(f"{kind}/{object_id}/", params))

    async def read(self, path: str, **params: Any) -> Json:
        """The body at any address below `/api/`: `await read("search/", q="harbor")`."""
        return await self._run(self._core.get(path, params))

    async def pages(self, path: str, **params: Any) -> AsyncIterator[Page]:
        """The pages of a list: `async for page in pages("issue", series_name="harbor")`."""
        following: dict[str, Any] | None = params
        while following is not None:
            page = await self._run(self._core.page(f"{path.strip('/')}/", following))
            yield page
            following = page.next

    async def items(self, path: str, **params: Any) -> AsyncIterator[Json]:
        """The objects of a list, page after page."""
        async for page in self.pages(path, **params):
            for each in page.results:
                yield each

    async def ids(self, kind: str, ids: Iterable[int], **params: Any) -> AsyncIterator[Found]:
        """Any number of objects by their ids, a hundred with each request."""
        for batch in batches(ids):
            yield await self._run(self._core.by_ids(kind, batch, params))

    async def changes(
        self, position: Mapping[str, Any] | None = None
    ) -> AsyncIterator[tuple[Json, dict[str, str]]]:
        """The change feed up to now: responses with entries and objects, each with the position after it.

        `position` is where to continue: the position after the last response, or `feed` of a dump's manifest.
        Raises GoneError if the feed no longer has the changes after it.
        """
        sent = {name: str(value) for name, value in (position or {}).items()}
        is_last = False
        while not is_last:
            body = await self._run(self._core.changes(sent))
            is_last = body["last"]
            yield body, dict(sent)

    async def match(self, descriptors: Iterable[Json], **options: Any) -> AsyncIterator[Match]:
        """The match for each descriptor, in order; a hundred are sent with each request."""
        for batch in batches(descriptors):
            for each in await self._run(self._core.match(batch, options)):
                yield each

    async def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, httpx.Request):
                    try:
                        response = await self._http.send(step)
                    except httpx.RequestError as error:
                        step = steps.throw(error)
                    else:
                        step = steps.send(response)
                else:
                    await asyncio.sleep(step)
                    step = next(steps)
        except StopIteration as done:
            value: T = done.value
            return value
