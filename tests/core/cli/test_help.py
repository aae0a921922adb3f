"""`comicsdb --help`, and that of each command, with nothing installed but what some requirements need."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from comicsdb.cli import COMMANDS
from tests.installed import link_libraries, needed
from tests.serving import clean_environment

ROOT = Path(__file__).parent.parent.parent.parent
EXTRAS = ("embedded", "metrics", "redis", "s3")
PROGRAM = """
import json, sys
from click.testing import CliRunner
from comicsdb.cli import main

for words in ([], ["--help"], *([name, "--help"] for name in sys.argv[1:])):
    result = CliRunner().invoke(main, words)
    print(json.dumps([words, result.exit_code, result.output, repr(result.exception)]))
"""


def production() -> set[str]:
    """The distributions of `deploy/requirements.txt`, and ours."""
    lines = (ROOT / "deploy" / "requirements.txt").read_text().splitlines()
    pins = [line.rstrip(" \\") for line in lines if re.match(r"\w", line)]
    return needed(pin for pin in pins if "==" in pin) | {"comicsdb", "comicsdb-api", "comicsdb-web"}


SETS = {
    "production": production,
    "core": lambda: needed(["comicsdb"]),
    "api": lambda: needed(["comicsdb", "comicsdb-api"]),
    **{extra: lambda extra=extra: needed([f"comicsdb[{extra}]"]) for extra in EXTRAS},
}
COMPLETE = ("production", "core")  # the commands' own help, too: with more installed, it needs no less


def install(distributions: set[str], folder: Path) -> None:
    """Make distributions importable from a folder."""
    link_libraries(distributions, folder)
    for name in distributions:
        if name.startswith("comicsdb"):
            package = name.replace("-", "_")
            (folder / package).symlink_to(ROOT / package)


def run_python(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Run an interpreter that imports nothing but the standard library and the content of a folder."""
    return subprocess.run(
        [sys.executable, "-S", *words],
        env=clean_environment(PYTHONPATH=str(folder)),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", SETS)
def test_help_with_only_some_requirements_lists_every_command(name, tmp_path):
    install(SETS[name](), tmp_path)
    done = run_python(tmp_path, "-c", PROGRAM, *(COMMANDS if name in COMPLETE else ()))
    assert done.returncode == 0, done.stderr
    bare, general, *helps = map(json.loads, done.stdout.splitlines())
    for words, code, output, exception in (general, *helps):
        assert (code, exception) == (0, "None"), (words, output, exception)
    assert [line.split()[0] for line in general[2].partition("Commands:\n")[2].splitlines()] == list(COMMANDS)
    assert bare[2] == general[2]


def test_a_mirror_without_its_libraries_ends_with_one_line_that_names_them(tmp_path):
    install(needed(["comicsdb"]), tmp_path)
    done = run_python(tmp_path, "-m", "comicsdb", "mirror", "https://comics.example")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "Error: Mirrors need packages that are not installed here (httpx, comicsdb_api"
    )
    assert len(done.stderr.splitlines()) == 1
