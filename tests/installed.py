"""Folders with only what some requirements need, linked from the environment of the tests.

Linking takes a moment; downloading, unpacking and compiling the same versions again takes minutes.
"""

from collections.abc import Iterable
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OURS = "comicsdb"  # the names of our distributions begin with it


def needed(required: Iterable[str], extra: str = "") -> set[str]:
    """The names of the installed distributions that requirements need, directly and indirectly."""
    seen, todo = set(), [(Requirement(text), extra) for text in required]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for brought in {"", *requirement.extras} - {extra for seen_name, extra in seen if seen_name == name}:
            seen.add((name, brought))
            todo += [(Requirement(text), brought) for text in metadata.requires(name) or ()]
    return {name for name, _ in seen}


def link_libraries(names: Iterable[str], folder: Path) -> None:
    """Link the files of installed distributions, except ours, and their bytecode into a folder."""
    for name in names:
        if name.startswith(OURS):
            continue
        for file in metadata.distribution(name).files:
            if ".." not in file.parts:
                _link(Path(file.locate()), folder / file)
                if file.suffix == ".py":
                    _link(_bytecode(file.locate()), _bytecode(folder / file))


def _link(source: Path, target: Path) -> None:
    """Link to an existing file, unless the link is already there."""
    if source.exists() and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)


def _bytecode(source) -> Path:
    return Path(cache_from_source(source))
