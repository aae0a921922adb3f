"""Reads PasteDeploy's ini files."""

from pathlib import Path

from plaster import parse_uri
from plaster_pastedeploy import Loader


def ini_loader(path: str | Path) -> Loader:
    """The loader of an ini file: loads its application, its settings and its logging.

    Pyramid's own functions search the metadata of all installed distributions for a loader at every call,
    which takes a large part of a command's time.
    """
    return Loader(parse_uri(str(path)))
