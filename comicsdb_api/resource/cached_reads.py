"""Cached reads: their validators, cache keys and responses.

The validators of a read are stamps: times, or versions of lists, which change in the transaction of every
write that changes its body. They are part of the key, so entries never become outdated, and writes need not
remove any. Cornice's views and the policy for cached reads use the same functions.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from dogpile.cache.api import NO_VALUE
from sqlalchemy import Select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.policy import Preflight
from comicsdb.readcache.regions import get_or_create
from comicsdb_api.negotiation import parameters, tag_format
from comicsdb_api.resource.conditional import JSON_TYPE, LastModified, conditional_response, response_by_date

DETAIL, LIST = "detail", "list"
HIT, MISS = (("X-Cache", "HIT"),), (("X-Cache", "MISS"),)
DIGEST_BYTES = 16


@dataclass(frozen=True)
class ReadDeclaration:
    """The declaration of a route's read.

    `stamps` selects one row, or none if the object (parameter `id`) does not exist. Its columns are versions
    or, with `date_pairs`, pairs of times in microseconds since 1970: the current and the previous one. The
    first `date_pairs` pairs are for HTTP dates; the others, such as the time of ratings, only change the key.
    """

    route: str
    region: str | None  # DETAIL or LIST; None if it is not cached
    name: str  # the first part of the keys: kind and action
    stamps: Select
    date_pairs: int = 0

    @cached_property
    def query(self) -> CompiledQuery:
        """The statement for the stamps, compiled on first use."""
        return CompiledQuery.of(self.stamps)

    def dates(self, stamps: tuple) -> LastModified | None:
        """The dates for conditional requests, None for a list."""
        return LastModified(stamps[: 2 * self.date_pairs]) if self.date_pairs else None

    def version(self, stamps: tuple) -> str:
        """The stamps as part of a key, without previous times."""
        return ".".join(str(each) for each in (stamps[::2] if self.date_pairs else stamps))

    def key(self, request, object_id: int | None, stamps: tuple, parameter_names: Container[str]) -> str:
        """The cache key for a request, whose response depends on the named parameters."""
        key = (
            f"{self.name}:{object_id or ''}:{self.version(stamps)}:{request_digest(request, parameter_names)}"
        )
        chosen = tag_format(request)
        return f"{key}:{chosen.name}" if chosen else key


def stamps(request, read: ReadDeclaration, object_id: int | None) -> tuple | None:
    """The stamps of a read, None if the object does not exist."""
    preflight = Preflight.of(request)
    if preflight is not None and preflight.route == read.route:
        return preflight.validators
    return request.read_pool.fetch(read.query, {"id": object_id})


def request_digest(request, parameter_names: Container[str]) -> str:
    """A digest of everything else that a body depends on: base URLs, path, and the named parameters.

    The path is included because links to other pages repeat it, and the id 7 may be written 007.
    """
    environ = request.environ
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    text = f"{environ['wsgi.url_scheme']}://{host}{path}"
    pairs = parameters(request, parameter_names)
    if pairs:
        text = repr((text, pairs))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def cached_response(
    request,
    served,
    object_id: int | None,
    stamps: tuple,
    create: Callable[[], bytes] | None,
):
    """The response to a cached read of a Listing or Detail with known stamps.

    `create` returns a new body, preceded by its tag; without `create`, returns None on a cache miss.
    """
    read = served.read
    dates = read.dates(stamps)
    # The query may be for a page that does not exist, so the body is needed first.
    refusal = None if request.environ.get("QUERY_STRING") else response_by_date(request, dates, read.route)
    if refusal is not None:
        return refusal
    region = getattr(request.registry["comicsdb.cache"], read.region)
    key = read.key(request, object_id, stamps, served.parameters)
    if create is None:
        entry, hit = region.get(key), True
        if entry is NO_VALUE:
            return None
    else:
        entry, hit = get_or_create(region, key, create)
    chosen = tag_format(request)
    content_type = ("Content-Type", chosen.media_type) if chosen else JSON_TYPE
    found = HIT if hit else MISS
    return conditional_response(
        request, entry, found, dates=dates, route=read.route, content_type=content_type
    )
