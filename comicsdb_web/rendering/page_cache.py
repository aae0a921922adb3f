"""Pages as anonymous visitors see them, kept in the cache without anything personal.

A page declares what it shows (`CachePolicy`). Stamps and versions of that, read in one statement, are part of
the key of its body, so nothing is ever invalidated. Whoever is logged in, or is to be shown a message, is
answered by the views alone.

The policy for cached reads, before transactions and routes, finds the key, and answers where the cache has
the body. Otherwise the view makes it, with markers where the reader's theme stands, and nothing else of the
reader: it can ask for no token.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import blake2b

from psycopg import Error
from pyramid.interfaces import IRoutesMapper
from pyramid.request import Request
from pyramid.response import Response
from pyramid.settings import asbool
from sqlalchemy import bindparam, select
from sqlalchemy.exc import DBAPIError

from comicsdb import clock
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.http.execution_policies import ROUTE_KEY, wrap_execution_policy
from comicsdb.http.routes import first_word
from comicsdb.readcache.etag import TAG_LENGTH, names, tagged
from comicsdb.readcache.validators import EPOCH_NOW, Remembered, microseconds, version_columns
from comicsdb.security import session_cookie
from comicsdb_web.http import csp
from comicsdb_web.http.flash_messages import COOKIE as MESSAGES
from comicsdb_web.http.routing import READ
from comicsdb_web.rendering.anonymous import render_anonymously
from comicsdb_web.rendering.build_fingerprint import edition_of
from comicsdb_web.rendering.locales import language_of_cookies, language_of_header
from comicsdb_web.rendering.themes import Parts, filled, parts_of, theme_of_cookies

DETAIL, LIST = "detail", "list"
PATHS_MOST = 50_000  # addresses whose page is remembered
PATH_LENGTH_MOST = 200  # longer ones are looked for each time
DIGEST_BYTES = 16


@dataclass(frozen=True)
class CachePolicy:
    """What a page shows, beside the day, the language and the address.

    `kinds` are those whose versions count. With `model` the page is that of one object, whose slug stands in
    the address: its own stamps count, and what `stamps`, expressions of SQL on its row, give. A reader who
    has one of the cookies `vary_cookies` sees a page of their own. `extra_key` gives, for registry and day,
    what else the page depends on, None where that is not known yet.
    """

    kinds: tuple[str, ...] = ()
    model: type | None = None
    stamps: tuple = ()
    vary_cookies: tuple[str, ...] = ()
    extra_key: Callable[[object, date], str | None] | None = None


@dataclass(frozen=True)
class Page:
    """A page that is kept: its route, and what it shows."""

    route: str
    shows: CachePolicy

    @cached_property
    def sentence(self) -> CompiledQuery:
        """The statement for epoch, stamps and versions, compiled when it is first needed."""
        columns, model = version_columns(*self.shows.kinds), self.shows.model
        if model is not None:
            row = model.__table__.c
            own = [row.id, microseconds(row.modified)]
            own += [microseconds(row.rated)] if "rated" in row else []
            columns = [*own, *self.shows.stamps, *columns]
        statement = select(EPOCH_NOW.scalar_subquery(), *columns)
        if model is not None:
            statement = statement.select_from(model.__table__).where(row.slug == bindparam("slug"))
        return CompiledQuery.of(statement)

    @property
    def region(self) -> str:
        """The region of its bodies."""
        return DETAIL if self.shows.model is not None else LIST


@dataclass(frozen=True)
class Preflight:
    """What the policy for cached reads found out before it handed a request on: the body's key."""

    KEY = "comicsdb_web.preflight"

    page: Page
    key: str


class NotSharedError(Exception):
    """An answer that is not for everybody: no page, or one that does something to the reader's cookies."""

    def __init__(self, response: Response):
        super().__init__(response.status)
        self.response = response


class CachedReadPolicy:
    """An execution policy: answers what is in the cache, and tells the view the key of what is not."""

    def __init__(self, registry, usual):
        self._registry = registry
        self._usual = usual
        self._session = session_cookie(registry.settings)
        self._heads: frozenset[str] = frozenset()
        self._found: dict[str, tuple[Page, str]] = {}

    def __call__(self, environ, router):
        """The response to a request."""
        environ.pop(Preflight.KEY, None)  # a second attempt looks anew
        if environ["REQUEST_METHOD"] in READ and "HTTP_X_FRAGMENT" not in environ:
            try:
                response = self._early(environ)
            except (Error, DBAPIError):
                response = None  # to be said, or to be tried again, in the usual place
            if response is not None:
                return response
        return self._usual(environ, router)

    def _early(self, environ) -> Response | None:
        page, slug = self._page(environ)
        if page is None:
            return None
        registry, request = self._registry, Request(environ)
        cookies = request.cookies if environ.get("HTTP_COOKIE") else {}
        # Also where the session is over by now, which only the database knows, and where a cookie is empty.
        if any(name in cookies for name in (self._session, MESSAGES, *page.shows.vary_cookies)):
            return None
        day = clock.business_day(registry.settings["comicsdb.timezone"])
        extra = page.shows.extra_key(registry, day) if page.shows.extra_key else ""
        if extra is None:
            return None
        remembered: Remembered = registry["comicsdb_web.validator_cache"]
        read_pool, parameters = registry["comicsdb.read_pool"], {"slug": slug}
        stamps = remembered.find(read_pool, (page.route, slug), page.sentence, parameters)
        if stamps is None:
            return None
        language = language_of_cookies(cookies) or language_of_header(environ.get("HTTP_ACCEPT_LANGUAGE"))
        environ["QUERY_STRING"] = ordered(environ.get("QUERY_STRING", ""))
        address = digest(environ, registry["comicsdb_web.build_fingerprint"]())
        versions = ".".join(map(str, (*stamps, extra) if extra else stamps))
        key = f"page-{page.route}:{language}:{day:%Y%m%d}:{versions}:{address}"
        environ[Preflight.KEY] = Preflight(page, key)
        parts = registry["comicsdb_web.theme_parts"].get((language, theme_of_cookies(cookies)))
        entry = parts and getattr(registry["comicsdb.cache"], page.region).get(key)
        if entry is None:
            return None
        environ[ROUTE_KEY] = page.route
        return answer(registry, environ, entry, parts, language, hit=True)

    def _page(self, environ) -> tuple[Page | None, str]:
        """The kept page of an address, and the slug of its object, if it is the page of one."""
        path = environ.get("PATH_INFO", "")
        known = self._found.get(path)
        if known is not None:
            return known
        pages = self._registry["comicsdb_web.pages"]
        if not self._heads:  # the routes of all packages are known by now
            mapper = self._registry.getUtility(IRoutesMapper)
            self._heads = frozenset(first_word(mapper.get_route(name).pattern) for name in pages)
        if first_word(path) not in self._heads:
            return None, ""
        request = Request(environ)
        request.registry = self._registry
        found = self._registry.getUtility(IRoutesMapper)(request)
        page = found["route"] and pages.get(found["route"].name)
        if page is None:
            return None, ""
        known = page, found["match"]["slug"] if page.shows.model is not None else ""
        if len(path) <= PATH_LENGTH_MOST:
            if len(self._found) >= PATHS_MOST:
                self._found.clear()
            self._found[path] = known
        return known


def ordered(query: str) -> str:
    """A query string with its parameters in the order of their names; values of one keep theirs."""
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda each: each.partition("=")[0]))


def digest(environ, edition: str) -> str:
    """What else a body depends on: the whole address, and the edition of the site."""
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    path = environ.get("SCRIPT_NAME", ""), environ["PATH_INFO"], environ["QUERY_STRING"]
    text = repr((environ["wsgi.url_scheme"], host, *path, edition))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def answer(registry, environ, entry: bytes, parts: Parts, language: str, *, hit: bool) -> Response:
    """The answer with a body, given with its tag in front, finished for a reader's theme; 200 or 304."""
    tag = entry[:TAG_LENGTH].decode() + parts.tag
    headers = [
        ("ETag", f'"{tag}"'),
        ("Cache-Control", "private, no-cache"),
        ("Vary", ", ".join(csp.VARY)),
        ("Content-Language", language),
        ("X-Cache", "HIT" if hit else "MISS"),
        *csp.fixed_headers(registry),
    ]
    asked = environ.get("HTTP_IF_NONE_MATCH")
    if asked is not None and names(asked, tag):
        return Response(app_iter=(), status=304, headerlist=headers)
    headers.append(("Content-Type", "text/html; charset=UTF-8"))
    return Response(body=filled(entry[TAG_LENGTH:], parts, registry), headerlist=headers)


def shared_view(view, info):
    """A deriver: the view of a page that is kept makes its body where the cache does not have it."""
    if info.options.get("shows") is None:
        return view

    def wrapped(context, request):
        preflight: Preflight | None = request.environ.get(Preflight.KEY)
        if (
            preflight is None
            or preflight.page.route != request.matched_route.name
            or request.identity is not None
        ):
            return view(context, request)

        def create() -> bytes:
            waiting = len(request.response_callbacks)
            with render_anonymously(request):
                response = view(context, request)
            if response.status_code != 200 or len(request.response_callbacks) > waiting:
                raise NotSharedError(response)
            return tagged(response.body)

        region = getattr(request.cache, preflight.page.region)
        try:
            entry, hit = region.create(preflight.key, create)
        except NotSharedError as unshared:
            return unshared.response
        parts = parts_of(request)
        return answer(request.registry, request.environ, entry, parts, request.locale_name, hit=hit)

    return wrapped


shared_view.options = ("shows",)


def keep(config, route: str, shows: CachePolicy) -> None:
    """Note that the page of a route is kept, unless templates may change at any time."""
    if not asbool(config.get_settings().get("pyramid.reload_templates")):
        config.registry["comicsdb_web.pages"][route] = Page(route, shows)


def includeme(config):
    """The policy for cached reads, around the policies that there are, and the deriver."""
    registry = config.registry
    registry["comicsdb_web.pages"] = {}
    registry["comicsdb_web.validator_cache"] = Remembered()
    registry["comicsdb_web.build_fingerprint"] = edition_of(registry)
    config.add_view_deriver(shared_view)
    config.add_directive("keep_page", keep)
    wrap_execution_policy(config, CachedReadPolicy)
