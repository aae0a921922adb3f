"""Caches with a real Redis, and what they log."""

import logging

import pytest

from comicsdb.db import redis_access
from comicsdb.readcache.regions import Cache


@pytest.fixture
def immediate_retry(monkeypatch):
    """Redis is tried again immediately after a failure."""
    monkeypatch.setattr(redis_access, "PAUSE", 0.0)


@pytest.fixture
def redis_only_cache(redis):
    """A cache without memory of its own: every value comes from Redis."""
    return Cache(redis.url, memory_mb=0)


@pytest.fixture
def logged(caplog):
    """A function that returns what the cache has logged so far."""
    caplog.set_level(logging.INFO, "comicsdb")
    return lambda: [record.getMessage() for record in caplog.records if record.name.startswith("comicsdb")]
