"""The build fingerprint: a digest of the files of all packages of the application, part of all cache keys.

During an update of a site, old and new processes share a Redis, and must not read each other's values.
"""

import hashlib
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pyramid.settings import aslist

LENGTH = 16  # characters


def fingerprint_of(packages: frozenset[str]) -> str:
    """A digest of the files of packages, each as of its first use in this process."""
    digests = repr(sorted((name, digest_of(name)) for name in packages))
    return hashlib.sha256(digests.encode()).hexdigest()[:LENGTH]


@cache
def digest_of(package: str) -> str:
    """A digest of the files of one package."""
    found = hashlib.sha256()
    for folder in find_spec(package).submodule_search_locations or ():
        paths = []
        for inner, folders, names in os.walk(folder):  # takes half as long as with paths, at every start
            if "__pycache__" in folders:
                folders.remove("__pycache__")
            paths += filter(os.path.isfile, (os.path.join(inner, name) for name in names))
        for path in sorted(paths):
            found.update(os.path.relpath(path, folder).encode() + b"\0" + Path(path).read_bytes())
    return found.hexdigest()


def includeme(config):
    """Set `registry["comicsdb.build_fingerprint"]`, for the core and the packages in `pyramid.includes`."""
    included = aslist(config.get_settings().get("pyramid.includes", ""))
    packages = {"comicsdb", *(name.partition(".")[0] for name in included)} - {""}
    config.registry["comicsdb.build_fingerprint"] = fingerprint_of(frozenset(packages))
