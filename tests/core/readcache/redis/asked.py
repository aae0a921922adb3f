"""What is kept in Redis, what it was asked, and waiting for something to happen."""

import time

from tests.core.readcache.test_cache import KEY

STORED = f"comicsdb:detail:{KEY}"


def commands(redis) -> dict[str, int]:
    """How often Redis was asked what since it was told to forget that."""
    return {name[8:]: stat["calls"] for name, stat in redis.client.info("commandstats").items()}


def wait_for(condition) -> None:
    """Wait until a condition is true."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
