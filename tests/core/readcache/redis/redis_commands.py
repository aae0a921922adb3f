"""A key stored in Redis, the numbers of its commands, and waiting."""

import time

from tests.core.readcache.test_cache import KEY

STORED_KEY = f"comicsdb:detail:{KEY}"


def command_counts(redis) -> dict[str, int]:
    """How often each Redis command was called since the statistics were reset."""
    return {name[8:]: stat["calls"] for name, stat in redis.client.info("commandstats").items()}


def wait_for(condition) -> None:
    """Wait until a condition is true."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
