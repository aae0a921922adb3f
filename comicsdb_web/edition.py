"""The edition of the site: a digest of code, templates, words and settings, on which every page depends."""

import hashlib
from functools import cache
from pathlib import Path

import comicsdb

FOLDERS = (Path(comicsdb.__file__).parent, Path(__file__).parent)
OURS = ("comicsdb", "jinja2", "pyramid.includes")  # what the names of settings begin with


@cache
def digest_of_files() -> str:
    """Of all files of core and site, as they were when it was first asked for."""
    found = hashlib.sha256()
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def edition_of(registry):
    """A function that gives the edition: settings are complete only when the application is made."""

    @cache
    def edition() -> str:
        settings = {
            name: written(value) for name, value in registry.settings.items() if name.startswith(OURS)
        }
        text = repr((digest_of_files(), sorted(settings.items())))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    return edition


def written(value) -> str:
    """A setting as text that is the same in every process."""
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
