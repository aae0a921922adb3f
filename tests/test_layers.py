"""The rules for imports in docs/architecture.md, checked against the imports themselves."""

import ast
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("comicsdb", "comicsdb_api", "comicsdb_web", "comicsdb_demo")
FORBIDDEN = {
    "comicsdb": {"comicsdb_api", "comicsdb_web", "comicsdb_demo", "cornice", "jinja2", "pyramid_jinja2"},
    "comicsdb_api": {"comicsdb_web", "comicsdb_demo", "jinja2", "pyramid_jinja2"},
    "comicsdb_web": {"comicsdb_api", "comicsdb_demo", "cornice"},
    "comicsdb_demo": {"comicsdb_api", "comicsdb_web", "cornice", "jinja2", "pyramid_jinja2"},
}
CLIENT = ROOT / "clients" / "python" / "comicsdb_client"
# The folders and modules of the core by layer; those that are not named are in the middle.
SURFACES = {"cli", "exchange", "mirror", "__main__"}
FACTS = {"models", "schemas", "config", "values", "issue_numbers", "i18n", "clock", "log_lines"}
# A mirror has a storage of its own, and the metrics show the age of the newest dump.
EXCEPTIONS = {("media", "mirror.covers"), ("ops", "exchange.downloads")}


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


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_no_package_it_may_not_know(package):
    for path in modules(package):
        roots = {name.split(".")[0] for name in imported(path)}
        assert not roots & {*FORBIDDEN[package], "comicsdb_client"}, path


def test_the_client_needs_the_standard_library_and_httpx_alone():
    for path in modules(CLIENT):
        roots = {name.split(".")[0] for name in imported(path)}
        assert roots <= {*sys.stdlib_module_names, "httpx", "comicsdb_client"}, path


def test_imports_of_the_core_only_go_down():
    upward = set()
    for path in modules("comicsdb"):
        part = path.relative_to(ROOT / "comicsdb").with_suffix("").parts[0]
        for name in imported(path):
            package, _, below = name.partition(".")
            other = below.split(".")[0]
            if package != "comicsdb" or not below or part == other or part in SURFACES:
                continue
            if other in SURFACES or (part in FACTS and other not in FACTS):
                upward.add((part, ".".join(below.split(".")[:2])))
    assert upward == EXCEPTIONS


def test_models_import_nothing_of_ours_but_models():
    for path in modules("comicsdb"):
        if "models" in path.relative_to(ROOT / "comicsdb").parts:
            ours = {name for name in imported(path) if name.split(".")[0] == "comicsdb"}
            assert all(name.startswith("comicsdb.models") for name in ours), path


def test_schemas_know_models_words_and_numbers_and_nothing_above_them():
    for path in modules("comicsdb"):
        if "schemas" in path.relative_to(ROOT / "comicsdb").parts:
            ours = {name for name in imported(path) if name.split(".")[0] == "comicsdb"}
            known = (
                "comicsdb.models",
                "comicsdb.schemas",
                "comicsdb.i18n",
                "comicsdb.values",
                "comicsdb.issue_numbers",
                "comicsdb.clock",
            )
            assert all(name.startswith(known) for name in ours), path


def test_the_parser_of_file_names_needs_no_database():
    """It depends only on word lists, including the choices that models declare, and on parsers of values."""
    for name in ("filenames", "words"):
        path = ROOT / "comicsdb" / "matching" / f"{name}.py"
        names = imported(path)
        ours = {each for each in names if each.split(".")[0] == "comicsdb"}
        needed = ("comicsdb.matching", "comicsdb.models.choices", "comicsdb.values")
        assert all(each.startswith(needed) for each in ours), path
        assert not {each for each in names if each.split(".")[0] == "sqlalchemy"}, path


def test_pictures_are_decoded_only_where_decoding_can_do_no_harm():
    """Only the decoding process uses Pillow, and it loads little else."""
    light = {"comicsdb.imaging.picture", "comicsdb.imaging.structure"}
    for path in [path for package in PACKAGES for path in modules(package)]:
        names, parts = imported(path), path.relative_to(ROOT).parts
        if parts[:2] == ("comicsdb", "imaging"):
            ours = {name for name in names if name.startswith("comicsdb")}
            texts = {"comicsdb.i18n", "comicsdb.i18n.FormattedText"}  # not in the decoder
            texts |= {name for name in ours if name.startswith("comicsdb.children")}  # only system calls
            assert all(name.startswith("comicsdb.imaging") or name in texts for name in ours), path
        else:
            assert not {name for name in names if name.split(".")[0] == "PIL"}, path
            used = {".".join(name.split(".")[:3]) for name in names if name.startswith("comicsdb.imaging.")}
            assert used <= light, path


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


def test_no_surface_writes_past_the_catalogue():
    """Views add, change and delete catalogue rows only through `request.catalog`."""
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
