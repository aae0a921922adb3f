"""Cached reads: what each depends on, the key of its entry, and its answer.

A read has stamps as validators: the times, or the versions of lists, that move in the transaction of every
write that changes its body. They are part of the key, so an entry never becomes wrong, and nothing is ever
removed because of a write. The same functions serve Cornice's views and the policy for cached reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from sqlalchemy import Select

from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.policy import Preflight
from comicsdb_api.negotiation import parameters
from comicsdb_api.resource.conditional import Dates, refusal_by_date, respond_tagged

DETAIL, LIST = "detail", "list"
HIT, MISS = (("X-Cache", "HIT"),), (("X-Cache", "MISS"),)
DIGEST_BYTES = 16


@dataclass(frozen=True)
class Read:
    """What one address reads through the cache.

    `stamps` selects one row, or none where the object (bound as `id`) is not there. Its columns are versions,
    or with `date_pairs` pairs of microseconds since 1970: a time and the one before it. The first pairs, so
    many, are the dates of HTTP; the others, such as when stars were given, change the tag alone.
    """

    route: str
    region: str | None  # DETAIL or LIST; None for what is not cached
    name: str  # the first part of the keys: kind and action
    stamps: Select
    date_pairs: int = 0

    @cached_property
    def query(self) -> CompiledQuery:
        """The statement for the stamps, compiled when it is first needed."""
        return CompiledQuery.of(self.stamps)

    def dates(self, stamps: tuple) -> Dates | None:
        """The dates that HTTP may ask by, None for a list."""
        return Dates(stamps[: 2 * self.date_pairs]) if self.date_pairs else None

    def version(self, stamps: tuple) -> str:
        """The stamps as part of a key; the times before do not matter."""
        return ".".join(str(each) for each in (stamps[::2] if self.date_pairs else stamps))

    def key(self, request, object_id: int | None, stamps: tuple) -> str:
        """The key of the entry for a request."""
        return f"{self.name}:{object_id or ''}:{self.version(stamps)}:{digest(request)}"


def stamps(request, read: Read, object_id: int | None) -> tuple | None:
    """The stamps of a read, None if the object is not there."""
    preflight = Preflight.of(request)
    if preflight is not None and preflight.route == read.route:
        return preflight.validators
    return request.read_pool.fetch(read.query, {"id": object_id})


def digest(request) -> str:
    """A digest of what else a body depends on: the address, and the query with all values of each parameter.

    The path counts too, as 7 can be written 007: links to other pages repeat it.
    """
    environ = request.environ
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    text = f"{environ['wsgi.url_scheme']}://{host}{path}"
    if environ.get("QUERY_STRING"):
        text = repr((text, sorted(parameters(request), key=lambda pair: pair[0])))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def answer(request, read: Read, object_id: int | None, stamps: tuple, create: Callable[[], bytes] | None):
    """The answer to a cached read whose stamps are known.

    `create` gives a new body with its tag in front; without it the answer is None where one is needed.
    """
    dates = read.dates(stamps)
    # A query may ask for a page that is not there: then nothing is decided before there is a body.
    refusal = None if request.environ.get("QUERY_STRING") else refusal_by_date(request, dates, read.route)
    if refusal is not None:
        return refusal
    region = getattr(request.registry["comicsdb.cache"], read.region)
    key = read.key(request, object_id, stamps)
    if create is None:
        entry, hit = region.get(key), True
        if entry is None:
            return None
    else:
        entry, hit = region.get_or_create(key, create)
    return respond_tagged(request, entry, HIT if hit else MISS, dates=dates, route=read.route)
