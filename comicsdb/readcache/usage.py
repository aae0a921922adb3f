"""The content of the cache in Redis: keys and memory by category, hits and evictions."""

from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import redis
from redis import RedisError

from comicsdb.db.redis_access import open_pool
from comicsdb.readcache.redis_store import counts_key

__all__ = ["RedisError", "Usage", "measure", "public_url"]

TIMEOUT = 10  # seconds; an operator waits longer than a request
OTHER = "other"
REGIONS = {"detail", "list", "figures"}


@dataclass
class Category:
    """Keys of one category: their number, and the first of them as a sample."""

    keys: int = 0
    sample: list[bytes] = field(default_factory=list)
    memory: int = 0  # bytes, estimated


@dataclass(frozen=True)
class Usage:
    """The usage of a cache: categories in alphabetical order, counts of all processes, and INFO of Redis.

    Hits and misses are our own counts: Redis does not see hits in the memory of processes.
    """

    categories: dict[str, Category]
    hits: int
    misses: int
    server: dict


def public_url(url: str) -> str:
    """A URL without user, password and options."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path}"


def category_of(key: bytes, prefix: str) -> str:
    """`detail KIND`, `list KIND`, `figures WHAT` or `other` (counts, keys of other programs)."""
    parts = key.decode("utf-8", "replace").split(":")
    ours = len(parts) > 3 and parts[0] == prefix and parts[1] in REGIONS
    return f"{parts[1]} {parts[2]}" if ours else OTHER


def measure(url: str, prefix: str, *, sample: int, batch: int) -> Usage:
    """Scan all keys, `batch` per step, and measure the memory of up to `sample` of each category.

    This does not block Redis. Raises RedisError if it is unavailable.
    """
    with redis.Redis.from_pool(open_pool(url, TIMEOUT)) as client:
        categories = defaultdict(Category)
        cursor = None
        while cursor != 0:
            cursor, keys = client.scan(cursor or 0, count=batch)
            for key in keys:
                category = categories[category_of(key, prefix)]
                category.keys += 1
                # SCAN returns keys in the order of their hashes, so the first ones are a fair sample.
                if len(category.sample) < sample:
                    category.sample.append(key)
        for category in categories.values():
            category.memory = _memory(client, category)
        hits, misses = (int(count or 0) for count in client.hmget(counts_key(prefix), "hits", "misses"))
        return Usage(dict(sorted(categories.items())), hits, misses, client.info())


def _memory(client: redis.Redis, category: Category) -> int:
    pipe = client.pipeline(transaction=False)
    for key in category.sample:
        pipe.memory_usage(key)
    sizes = [size for size in pipe.execute() if size is not None]  # keys may have been deleted since
    return round(sum(sizes) / len(sizes) * category.keys) if sizes else 0
