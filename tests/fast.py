"""The test files that a change affects and that start no servers: `make test-fast` runs them.

A change affects those tests in the folder of its distribution whose path shares a word with its own:
`comicsdb_web/pages/library/feeds.py` affects tests in `tests/web/` with `library` or `feed`. That is a
quick guess; only `make test` is complete.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
ALWAYS = (
    "tests/test_packages.py",
    "tests/test_messages.py",
    "tests/core/config/test_config.py",
    "tests/core/config/test_settings_reference.py",
)
FOLDERS = {"comicsdb": "tests/core", "comicsdb_api": "tests/api", "comicsdb_web": "tests/web"}
SERVERS = re.compile(r"\b(pserve|serving|browser|waitress|subprocess|redis|s3_server|embedded)\b")
# Words that do not say what a file is about.
COMMON_WORDS = {"", "__init__", "templates", "pages", "resources", "static", "locale"}


def main() -> None:
    """Print the files, for a command line."""
    print(*affected_tests(changed_files()), sep="\n")  # noqa: T201


def changed_files() -> list[str]:
    """The files that differ from the point where this branch left the main branch, including new files."""
    base = _git("merge-base", "HEAD", "origin/main") or _git("rev-parse", "HEAD")
    return _git("diff", "--name-only", *base) + _git("ls-files", "--others", "--exclude-standard")


def affected_tests(changed: list[str]) -> list[str]:
    """The test files that changes affect, changed test files first."""
    found = [path for path in changed if re.match(r"tests/.*test_\w+\.py$", path)]
    for path in changed:
        top, *below = Path(path).with_suffix("").parts
        words = {word.removesuffix("s") for word in below} - COMMON_WORDS
        if top in FOLDERS:
            tests = sorted((ROOT / FOLDERS[top]).rglob("test_*.py"))
            found += [
                name
                for name in (test.relative_to(ROOT).as_posix() for test in tests)
                if any(word in name.removeprefix("tests") for word in words)
            ]
    there = [name for name in dict.fromkeys((*found, *ALWAYS)) if (ROOT / name).is_file()]
    return [name for name in there if name in ALWAYS or not SERVERS.search((ROOT / name).read_text("utf-8"))]


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


if __name__ == "__main__":
    main()
