"""The cache of pages for anonymous visitors, which contains nothing personal.

A page declares what it shows (`CachePolicy`). The validators of this, selected by one statement, are part of
the cache key of its body, so nothing is ever invalidated. Requests of logged-in readers, or with a message to
show, bypass the cache.

On a cache hit, the policy for cached reads responds. On a miss, the view renders the body. Besides language
and theme, which are in the key, nothing in it may depend on the reader: it cannot contain a CSRF token.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import blake2b
from urllib.parse import parse_qsl

from dogpile.cache.api import NO_VALUE
from dogpile.cache.region import CacheRegion
from pyramid.response import Response
from pyramid.settings import asbool
from sqlalchemy import bindparam, select

from comicsdb import clock
from comicsdb.db.epoch import EPOCH_NOW
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.http.session_cookie import session_cookie
from comicsdb.readcache.etag import TAG_LENGTH, matches, with_tag
from comicsdb.readcache.policy import CachedRead, Preflight, UncachedRead
from comicsdb.readcache.regions import get_or_create
from comicsdb.readcache.validators import AccountAndValidators, late_stamp, microseconds, version_columns
from comicsdb_web.http import csp
from comicsdb_web.http.anonymous import render_anonymously
from comicsdb_web.http.flash_messages import COOKIE as MESSAGES
from comicsdb_web.http.routing import known_query
from comicsdb_web.rendering.build_fingerprint import site_fingerprint
from comicsdb_web.rendering.locales import language_of_cookies, language_of_header
from comicsdb_web.rendering.themes import theme_of_cookies

DIGEST_BYTES = 16


@dataclass(frozen=True)
class CachePolicy:
    """What a cached page depends on, besides the day, the language and the URL.

    `kinds` are the kinds whose versions are in the key. With `model` the page is that of one object, with its
    slug in the path: its own stamps are in the key, too, and the SQL expressions `stamps` on its row.
    Requests with one of the cookies `vary_cookies` bypass the cache. `extra_key` returns, for registry and
    day, anything else that the page depends on, or None if this is not known yet. Pages with a parameter that
    has one of the names or values `uncached` are not cached.
    """

    kinds: tuple[str, ...] = ()
    model: type | None = None
    stamps: tuple = ()
    vary_cookies: tuple[str, ...] = ()
    extra_key: Callable[[object, date], str | None] | None = None
    uncached: tuple[str, ...] = ()

    def excludes(self, parameters: Iterable[tuple[str, str]]) -> bool:
        """Whether a page with these parameters is not cached."""
        return any(text in self.uncached for pair in parameters for text in pair)


class CachedPage:
    """The route of a cached page: called with a request, it returns the visit of an anonymous reader."""

    def __init__(self, route: str, shows: CachePolicy, parameters: Iterable[str], session_cookie: str):
        self.route, self.shows, self.parameters = route, shows, frozenset(parameters)
        self._bypass_cookies = (session_cookie, MESSAGES, *shows.vary_cookies)

    def __call__(self, request, match: dict) -> "PageVisit | None":
        """The visit, None if the response to this request may be personal."""
        if "HTTP_X_FRAGMENT" in request.environ:
            return None
        cookies = request.cookies if request.environ.get("HTTP_COOKIE") else {}
        # Also if the session has ended, which only the database knows, or if a cookie is empty.
        if any(name in cookies for name in self._bypass_cookies):
            return None
        registry, shows = request.registry, self.shows
        if shows.uncached and shows.excludes(parse_qsl(request.environ.get("QUERY_STRING", ""))):
            return None
        day = clock.business_day(registry.settings["comicsdb.timezone"])
        extra = shows.extra_key(registry, day) if shows.extra_key else ""
        if extra is None:
            return None
        slug = match["slug"] if shows.model is not None else ""
        return PageVisit(request, self, slug, cookies, (f"{day:%Y%m%d}", extra))

    @cached_property
    def query(self) -> CompiledQuery:
        """The statement for the epoch and the validators, compiled on first use."""
        columns, model = version_columns(*self.shows.kinds), self.shows.model
        if model is not None:
            row = model.__table__.c
            own = [row.id, microseconds(row.modified)]
            own += [microseconds(row.rated)] if "rated" in row else []
            columns = [*own, late_stamp(), *self.shows.stamps, *columns]
        statement = select(EPOCH_NOW.scalar_subquery(), *columns)
        if model is not None:
            statement = statement.select_from(model.__table__).where(row.slug == bindparam("slug"))
        return CompiledQuery.of(statement)


def region_of(registry, shows: CachePolicy) -> CacheRegion:
    """The region of the cache for the bodies of a page."""
    cache = registry["comicsdb.cache"]
    return cache.detail if shows.model is not None else cache.list


class PersonalResponseError(Exception):
    """The response must not be cached for everybody: it is not a page (200), or it sets cookies."""

    def __init__(self, response: Response):
        super().__init__(response.status)
        self.response = response


class PageVisit(CachedRead):
    """A visit to a cached page by an anonymous reader."""

    def __init__(self, request, page: CachedPage, slug: str, cookies: Mapping, today: tuple[str, str]):
        super().__init__(request)
        self._page, (self._day, self._extra) = page, today
        self.query, self.parameters = page.query, {"slug": slug}
        self.subject = (page.route, slug)
        self.from_replica = bool(page.shows.kinds or page.shows.model)  # otherwise its age would be unknown
        environ = request.environ
        self._language = language_of_cookies(cookies) or language_of_header(
            environ.get("HTTP_ACCEPT_LANGUAGE")
        )
        self._theme = theme_of_cookies(cookies)
        environ["QUERY_STRING"] = sort_parameters(
            known_query(environ.get("QUERY_STRING", ""), page.parameters)
        )

    def _key(self, found: AccountAndValidators) -> str:
        """The cache key of the page's body: everything that the page depends on."""
        registry = self.request.registry
        address = request_digest(self.request.environ, registry["comicsdb_web.build_fingerprint"]())
        versions = ".".join(map(str, (*found.validators, self._extra) if self._extra else found.validators))
        return f"page-{self._page.route}:{self._language}:{self._theme}:{self._day}:{versions}:{address}"

    def from_cache(self, found: AccountAndValidators) -> Response | None:
        """The page, None if its body is not cached."""
        registry = self.request.registry
        entry = region_of(registry, self._page.shows).get(self._key(found))
        if entry is NO_VALUE:
            return None
        return build_response(registry, self.request.environ, entry, self._language, hit=True)

    def create(self, found: AccountAndValidators) -> None:
        """Let the view create the page, and pass the key to `cached_page_view`."""
        self.request.environ[Preflight.KEY] = Preflight(
            self._page.route, found.validators, key=self._key(found)
        )


def sort_parameters(query: str) -> str:
    """A query string with its parameters sorted by name; values of the same name keep their order."""
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda each: each.partition("=")[0]))


def request_digest(environ, fingerprint: str) -> str:
    """A digest of what else a body depends on: the URL, and the fingerprint of the site."""
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    path = environ.get("SCRIPT_NAME", ""), environ["PATH_INFO"], environ["QUERY_STRING"]
    text = repr((environ["wsgi.url_scheme"], host, *path, fingerprint))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def build_response(registry, environ, entry: bytes, language: str, *, hit: bool) -> Response:
    """The response with a cached body; 200 or 304.

    The entry begins with its tag; the first line after it is the header `Link`, or empty.
    """
    tag = entry[:TAG_LENGTH].decode()
    link, _newline, body = entry[TAG_LENGTH:].partition(b"\n")
    headers = [
        ("ETag", f'"{tag}"'),
        ("Cache-Control", "private, no-cache"),
        ("Vary", ", ".join(csp.VARY)),
        ("Content-Language", language),
        ("X-Cache", "HIT" if hit else "MISS"),
        *csp.fixed_headers(registry),
        *([("Link", link.decode())] if link else []),
    ]
    asked = environ.get("HTTP_IF_NONE_MATCH")
    if asked is not None and matches(asked, tag):
        return Response(app_iter=(), status=304, headerlist=headers)
    headers.append(("Content-Type", "text/html; charset=UTF-8"))
    return Response(body=body, headerlist=headers)


def cached_page_view(view, info):
    """View deriver: the view of a cached page renders the body on a cache miss."""
    shows: CachePolicy | None = info.options.get("shows")
    if shows is None:
        return view

    def wrapped(context, request):
        preflight = Preflight.of(request)
        if preflight is None or request.identity is not None:
            return view(context, request)

        def create() -> bytes:
            waiting = len(request.response_callbacks)
            with render_anonymously(request):
                response = view(context, request)
            if response.status_code != 200 or len(request.response_callbacks) > waiting:
                raise PersonalResponseError(response)
            link = response.headers.get("Link", "")
            return with_tag(f"{link}\n".encode() + response.body)

        region = region_of(request.registry, shows)
        try:
            entry, hit = get_or_create(region, preflight.key, create)
        except PersonalResponseError as personal:
            return personal.response
        return build_response(request.registry, request.environ, entry, request.locale_name, hit=hit)

    return wrapped


cached_page_view.options = ("shows",)


def cache_page(config, route: str, shows: CachePolicy, parameters: Iterable[str]) -> None:
    """Directive: cache the page of a route, unless templates are reloaded when they change."""
    settings = config.get_settings()
    if not asbool(settings.get("pyramid.reload_templates")):
        config.add_cached_read(route, CachedPage(route, shows, parameters, session_cookie(settings)))


def read_from_replica(config, route: str) -> None:
    """Directive: an uncached route may read from a replica for visitors without a session."""
    cookie = session_cookie(config.get_settings())

    def read(request, _match) -> UncachedRead | None:
        return None if cookie in request.cookies else UncachedRead(request)

    if config.registry["comicsdb.replicas"] is not None:
        config.add_cached_read(route, read)


def includeme(config):
    """Add the directives and the view deriver."""
    registry = config.registry
    registry["comicsdb_web.build_fingerprint"] = site_fingerprint(registry)
    config.add_view_deriver(cached_page_view)
    config.add_directive("cache_page", cache_page)
    config.add_directive("read_from_replica", read_from_replica)
