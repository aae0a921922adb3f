"""What modules of all distributions have in common, beside the contracts for imports in pyproject.toml."""

import ast
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("comicsdb", "comicsdb_api", "comicsdb_web", "comicsdb_demo")
CLIENT = ROOT / "clients" / "python" / "comicsdb_client"


@cache
def modules(package):
    """The modules of a package, without migrations, which are only shipped with it."""
    folder = ROOT / package  # an absolute path is kept
    left_out = {"migrations", "build"}
    return [
        path for path in sorted(folder.rglob("*.py")) if not left_out & set(path.relative_to(folder).parts)
    ]


@cache
def read(path):
    """The docstring of a module and the dotted names that it imports, parsed once for all tests."""
    tree = ast.parse(path.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out"
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return ast.get_docstring(tree), names


def imported(path):
    """The dotted names a module imports."""
    return read(path)[1]


def test_the_client_needs_the_standard_library_and_httpx_alone():
    for path in modules(CLIENT):
        roots = {name.split(".")[0] for name in imported(path)}
        assert roots <= {*sys.stdlib_module_names, "httpx", "comicsdb_client"}, path


def test_the_decoding_process_loads_little_else():
    """Its modules import texts, which the decoder does without, and system calls."""
    for path in modules("comicsdb"):
        if path.relative_to(ROOT).parts[1] == "imaging":
            ours = {name for name in imported(path) if name.startswith("comicsdb")}
            allowed = ("comicsdb.imaging", "comicsdb.children", "comicsdb.i18n")
            assert all(name.startswith(allowed) for name in ours), path


def test_who_takes_pictures_is_known():
    """tests/site/test_picture_locks.py tests that each of them holds no lock while decoding a picture."""
    taking = {"comicsdb.media.uploads.picture_values"}
    paths = [path for package in PACKAGES for path in modules(package)]
    assert {path.relative_to(ROOT).as_posix() for path in paths if taking & imported(path)} == {
        "comicsdb/accounts/drafts.py",
        "comicsdb/accounts/profile.py",
        "comicsdb/catalog/history/revert.py",
        "comicsdb_api/resource/writes.py",
    }


def test_no_surface_writes_past_the_catalog():
    """Views add, change and delete catalog rows only through `request.catalog`."""
    for package in ("comicsdb_api", "comicsdb_web"):
        for path in modules(package):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in {"add", "add_all", "merge", "delete"}:
                    assert "dbsession" not in ast.unparse(node.value), f"{path}:{node.lineno}"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_list_of_subpackages_is_complete(package):
    """A subpackage that is missing from the list works in the checkout but is missing from the wheel."""
    listed = tomllib.loads((ROOT / package / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    present = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in modules(package)}
    assert set(listed) == present


@pytest.mark.parametrize("package", [*PACKAGES, CLIENT])
def test_every_module_says_what_it_is(package):
    for path in modules(package):
        docstring, _names = read(path)
        assert docstring, f"{path} does not say what it is"
        assert docstring.split("\n")[0].rstrip().endswith((".", ":")), path


def test_the_migrations_folder_is_no_package():
    """As a package, it would hide the library of the same name from programs started in the top folder."""
    assert not (ROOT / "alembic" / "__init__.py").exists()
