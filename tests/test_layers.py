"""Who may know whom: the rules of docs/architecture.md, read from the imports themselves."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("comicsdb", "comicsdb_api", "comicsdb_web")
FORBIDDEN = {
    "comicsdb": {"comicsdb_api", "comicsdb_web", "cornice", "jinja2", "pyramid_jinja2"},
    "comicsdb_api": {"comicsdb_web", "jinja2", "pyramid_jinja2"},
    "comicsdb_web": {"comicsdb_api", "cornice"},
}
LONGEST = 400  # lines a reader can hold


def modules(package):
    """The modules of a package; migrations are not part of it, they only travel with it."""
    folder = ROOT / package
    left_out = {"migrations", "build"}
    return [
        path for path in sorted(folder.rglob("*.py")) if not left_out & set(path.relative_to(folder).parts)
    ]


def imported(path):
    """The dotted names a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out"
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_no_package_it_may_not_know(package):
    for path in modules(package):
        roots = {name.split(".")[0] for name in imported(path)}
        assert not roots & FORBIDDEN[package], path


def test_models_import_nothing_of_ours_but_models():
    for path in modules("comicsdb"):
        if "models" in path.relative_to(ROOT / "comicsdb").parts:
            ours = {name for name in imported(path) if name.split(".")[0] == "comicsdb"}
            assert all(name.startswith("comicsdb.models") for name in ours), path


def test_schemas_know_models_and_words_and_nothing_above_them():
    for path in modules("comicsdb"):
        if "schemas" in path.relative_to(ROOT / "comicsdb").parts:
            ours = {name for name in imported(path) if name.split(".")[0] == "comicsdb"}
            known = ("comicsdb.models", "comicsdb.schemas", "comicsdb.i18n", "comicsdb.numbers")
            assert all(name.startswith(known) for name in ours), path


def test_no_surface_writes_past_the_catalogue():
    """Views add, change and delete catalogue rows through `request.catalog` alone."""
    for package in ("comicsdb_api", "comicsdb_web"):
        for path in modules(package):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in {"add", "add_all", "merge", "delete"}:
                    assert "dbsession" not in ast.unparse(node.value), f"{path}:{node.lineno}"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_list_of_subpackages_is_complete(package):
    """A subpackage that is missing from the list works in the checkout and is not in the wheel."""
    listed = tomllib.loads((ROOT / package / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    present = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in modules(package)}
    assert set(listed) == present


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is_and_can_be_held(package):
    for path in modules(package):
        source = path.read_text()
        docstring = ast.get_docstring(ast.parse(source))
        assert docstring, f"{path} does not say what it is"
        assert docstring.split("\n")[0].rstrip().endswith((".", ":")), path
        assert source.count("\n") <= LONGEST, f"{path} has {source.count(chr(10))} lines"


def test_the_migrations_folder_is_no_package():
    """It would hide the library of the same name from anything started at the top folder."""
    assert not (ROOT / "alembic" / "__init__.py").exists()
