"""python -m comicsdb.demo FOLDER: write the demo catalogue, pictures included."""

import sys
from pathlib import Path

from comicsdb.demo.writer import write


def main(arguments: list[str]) -> int:
    """Write the folder named by the only argument; gives the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m comicsdb.demo FOLDER\n")
        return 2

    def progress(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done:,} of {total:,} pictures" + ("\n" if done == total else ""))

    folder = write(Path(arguments[0]), progress if sys.stderr.isatty() else None)
    sys.stdout.write(f"{folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
