"""What the build of a package does beside copying: message catalogues are compiled."""

import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py


def compile_messages(folder: Path) -> None:
    """Make the `.mo` file of each `.po` file in a folder, beside it."""
    for path in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
            write_mo(target, read_po(source))


class BuildPy(build_py):
    """setuptools' own step, with the catalogues compiled first, so that they are packed like other data."""

    def run(self):
        """Compile, then go on."""
        compile_messages(Path("locale").absolute())
        super().run()


if __name__ == "__main__":
    for named in sys.argv[1:]:
        compile_messages(Path(named))
