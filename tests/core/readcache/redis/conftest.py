"""Caches with a real Redis, and what they log."""

import logging

import pytest

from comicsdb.db import redis_access
from comicsdb.readcache.regions import Cache


@pytest.fixture
def quick(monkeypatch):
    """After a failure Redis is tried again at once."""
    monkeypatch.setattr(redis_access, "PAUSE", 0.0)


@pytest.fixture
def alone(redis):
    """A cache that remembers nothing itself: whatever it knows, Redis told it."""
    return Cache(redis.url, memory_mb=0)


@pytest.fixture
def told(caplog):
    """A function that gives what the cache has logged until now."""
    caplog.set_level(logging.INFO, "comicsdb")
    return lambda: [record.getMessage() for record in caplog.records if record.name.startswith("comicsdb")]
