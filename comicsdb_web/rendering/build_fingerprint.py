"""The fingerprint of the site: a digest of code, templates, translations and settings."""

import hashlib
from collections.abc import Callable
from functools import cache

from comicsdb.readcache.build_fingerprint import fingerprint_of

PREFIXES = ("comicsdb", "jinja2", "pyramid.includes")  # of the settings in the fingerprint


def site_fingerprint(registry) -> Callable[[], str]:
    """A function that returns the fingerprint, as settings are complete only once the application exists."""

    @cache
    def fingerprint() -> str:
        settings = {
            name: _text(value) for name, value in registry.settings.items() if name.startswith(PREFIXES)
        }
        code = registry["comicsdb.build_fingerprint"], fingerprint_of(frozenset({"comicsdb_web"}))
        return hashlib.blake2b(repr((code, sorted(settings.items()))).encode(), digest_size=16).hexdigest()

    return fingerprint


def _text(value) -> str:
    """A setting as text that is the same in every process."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
