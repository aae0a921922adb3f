"""A build step of the packages that compiles their message catalogs."""

import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py


def compile_messages(folder: Path) -> None:
    """Compile each `.po` file in a folder to a `.mo` file next to it."""
    for path in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
            write_mo(target, read_po(source))


class BuildPy(build_py):
    """setuptools' build_py, which first compiles the catalogs, so that they become package data."""

    def run(self):
        """Compile the catalogs, then build."""
        compile_messages(Path("locale").absolute())
        super().run()


if __name__ == "__main__":
    for named in sys.argv[1:]:
        compile_messages(Path(named))
