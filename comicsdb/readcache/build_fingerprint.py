"""The edition of the code: a digest of the files of all packages that answer, part of every key of the cache.

While a site is updated, old and new processes share a Redis: neither is to read what the other has kept.
"""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pyramid.settings import aslist

LENGTH = 16  # characters; by chance, two editions of a site will never have the same


def edition_of(packages: frozenset[str]) -> str:
    """The digest of the files of some packages as they are when each is first asked for."""
    digests = repr(sorted((name, digest_of(name)) for name in packages))
    return hashlib.sha256(digests.encode()).hexdigest()[:LENGTH]


@cache
def digest_of(package: str) -> str:
    """The digest of the files of one package."""
    found = hashlib.sha256()
    for folder in map(Path, find_spec(package).submodule_search_locations or ()):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def includeme(config):
    """`comicsdb.build_fingerprint` in the registry: that of the core and of what `pyramid.includes` names."""
    included = aslist(config.get_settings().get("pyramid.includes", ""))
    packages = {"comicsdb", *(name.partition(".")[0] for name in included)} - {""}
    config.registry["comicsdb.build_fingerprint"] = edition_of(frozenset(packages))
