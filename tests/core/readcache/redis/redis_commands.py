"""A key stored in Redis, and the numbers of its commands."""

from tests.core.readcache.test_cache import KEY

STORED_KEY = f"comicsdb:detail:{KEY}"


def command_counts(redis) -> dict[str, int]:
    """How often each Redis command was called since the statistics were reset."""
    return {name[8:]: stat["calls"] for name, stat in redis.client.info("commandstats").items()}
