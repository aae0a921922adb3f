"""The edition of the site: a digest of code, templates, words and settings, on which every page depends."""

import hashlib
from functools import cache

from comicsdb.readcache.build_fingerprint import edition_of as edition_of_files

OURS = ("comicsdb", "jinja2", "pyramid.includes")  # what the names of settings begin with


def edition_of(registry):
    """A function that gives the edition: settings are complete only when the application is made."""

    @cache
    def edition() -> str:
        settings = {
            name: written(value) for name, value in registry.settings.items() if name.startswith(OURS)
        }
        files = registry["comicsdb.build_fingerprint"], edition_of_files(frozenset({"comicsdb_web"}))
        return hashlib.blake2b(repr((files, sorted(settings.items()))).encode(), digest_size=16).hexdigest()

    return edition


def written(value) -> str:
    """A setting as text that is the same in every process."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
