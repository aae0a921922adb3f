"""Tests of the published wheels of all parts, installed into empty environments and served from there."""

import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.installed import link_libraries, needed
from tests.serving import (
    add_account,
    clean_environment,
    connected,
    fetch,
    fetch_json,
    free_port,
    pserve,
    serving,
    write_ini,
)

ROOT = Path(__file__).parent.parent.parent
PARTS = {name: ROOT / name for name in ("comicsdb", "comicsdb_api", "comicsdb_web", "comicsdb_demo")}
PARTS["comicsdb_client"] = ROOT / "clients" / "python" / "comicsdb_client"


def run(*command, cwd):
    """Run a command and return its output, which is also the message of a failure."""
    done = subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """A folder with the wheels, built from source distributions as `make dist` does."""
    folder = tmp_path_factory.mktemp("wheels")
    for part, package in PARTS.items():
        copy = folder / "source" / part
        left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        source = package if (package / "pyproject.toml").exists() else package.parent
        shutil.copytree(source, copy, ignore=left_out)  # follows links, so migrations are included
        uv("build", "--no-build-isolation", "--out-dir", str(folder), str(copy), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheels):
    """The interpreter of an environment with only the core and the API installed."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env")
    python = str(folder / "env" / "bin" / "python")
    install(python, wheels, "comicsdb", "comicsdb_api")
    return python


def uv(*command, python=sys.executable, cwd):
    """Run a command of uv for an environment; it takes a tenth of pip's time."""
    return run(sys.executable, "-m", "uv", *command, "--offline", "--python", python, cwd=cwd)


def install(python, wheels, *parts):
    """Install the wheels of some parts, with the requirements that they declare.

    Requirements are linked from the environment of these tests, where they were installed from the index at
    the versions we test: downloading and unpacking them again would take longest of all. The installation is
    offline, so it fails if anything is missing.
    """
    files = [next(wheels.glob(f"{part}-*.whl")) for part in parts]
    link_libraries(needed(chain.from_iterable(map(required, files))), libraries(python))
    constraints = str(ROOT / "constraints.txt")
    uv("pip", "install", "--no-index", "-c", constraints, *map(str, files), python=python, cwd=wheels)


def libraries(python) -> Path:
    """The folder of an environment's libraries."""
    (site,) = (Path(python).parent.parent / "lib").glob("python*/site-packages")
    return site


def required(wheel) -> list[str]:
    """What the metadata of a wheel require."""
    name, version, *_ = wheel.name.split("-")
    return metadata.PathDistribution(zipfile.Path(wheel, f"{name}-{version}.dist-info/")).requires or []


def test_a_wheel_holds_its_package_with_its_data_and_nothing_else(wheels):
    for part, package in PARTS.items():
        names = zipfile.ZipFile(next(wheels.glob(f"{part}-*.whl"))).namelist()
        own = [name for name in names if ".dist-info/" not in name]
        assert all(name.startswith(f"{part}/") for name in own)
        sources = {
            path.relative_to(package.parent).as_posix()
            for path in package.rglob("*")
            if path.is_file()
            and not {"__pycache__", "build"} & set(path.parts)
            and ".egg-info" not in str(path)
        }
        missing = {name for name in sources - set(own) if not name.endswith(("pyproject.toml", ".gitkeep"))}
        assert missing == set(), f"{part}: not in the wheel"


def test_the_api_is_served_from_wheels_without_the_site(environment, wheels, cluster, tmp_path):
    listed = uv("pip", "list", "--format=freeze", python=environment, cwd=tmp_path).lower()
    assert "comicsdb-api" in listed.replace("_", "-")
    assert "jinja2" not in listed
    assert "comicsdb-web" not in listed.replace("_", "-")
    assert "  mirror " in run(environment, "-m", "comicsdb", "--help", cwd=tmp_path)
    cluster.ensure_database("wheels")
    url = cluster.url("wheels")
    port = free_port()
    ini = write_ini(tmp_path, url, egg="comicsdb-api", port=port)
    run(environment, "-m", "comicsdb", "-c", str(ini), "db", "upgrade", cwd=tmp_path)
    basic = add_account(url)
    with connected(url) as connection:
        connection.execute(text("INSERT INTO publisher (name, slug) VALUES ('Nimbus', 'nimbus')"))
    with pserve(ini, port, python=environment) as base:
        status, page = fetch_json(f"{base}/api/publisher/", Authorization=basic)
        assert (status, [row["name"] for row in page["results"]]) == (200, ["Nimbus"])
        assert fetch(f"{base}/")[0] == 404

    install(environment, wheels, "comicsdb_web")
    port = free_port()
    ini = write_ini(tmp_path, url, includes="comicsdb_api comicsdb_web", port=port)
    with pserve(ini, port, python=environment) as base:
        status, headers, body = fetch(f"{base}/publisher/nimbus/")
        assert (status, b"Nimbus" in body) == (200, True)
        assert headers["Content-Type"].startswith("text/html")
        assert fetch(f"{base}/api/publisher/", Authorization=basic)[0] == 200
    cluster.drop_database("wheels")


def test_a_mirror_installed_by_the_line_of_its_document_serves_a_copy(wheels, cluster, tmp_path):
    document = (ROOT / "docs" / "mirror.md").read_text("utf-8")
    (line,) = re.findall(r"^    mirror/bin/pip (install .*)$", document, re.MULTILINE)
    (tmp_path / "dist").symlink_to(wheels)
    (tmp_path / "constraints.txt").symlink_to(ROOT / "constraints.txt")
    venv.create(tmp_path / "mirror")
    python = str(tmp_path / "mirror" / "bin" / "python")
    link_libraries(needed(["comicsdb[mirror]"]), libraries(python))
    uv_pip = f"{shlex.quote(sys.executable)} -m uv pip"
    options = f"--offline --no-index --python {shlex.quote(python)}"
    run("/bin/sh", "-c", f"{uv_pip} {line} {options}", cwd=tmp_path)

    cluster.ensure_database("mirrored")
    url, port = cluster.url("mirrored"), free_port()
    ini = write_ini(tmp_path, url, includes="comicsdb_api comicsdb_web", port=port)
    options = f"comicsdb.dumps.folder = {tmp_path}/dumps\ncomicsdb.dumps.key = {tmp_path}/dumps.key\n"
    ini.write_text(ini.read_text().replace("[server:main]", f"{options}\n[server:main]"))
    run(sys.executable, "-m", "comicsdb", "-c", str(ini), "db", "upgrade", cwd=tmp_path)
    with connected(url) as connection:
        connection.execute(text("INSERT INTO publisher (name, slug) VALUES ('Nimbus', 'nimbus')"))
    run(sys.executable, "-m", "comicsdb", "-c", str(ini), "dump", cwd=tmp_path)
    mirror_port = free_port()
    with pserve(ini, port) as origin:
        command = ("comicsdb", "mirror", origin, "--folder", tmp_path / "copy", "--port", str(mirror_port))
        with serving(tmp_path / "mirror.ini", mirror_port, python=python, command=command):
            status, _, body = fetch(f"http://127.0.0.1:{mirror_port}/publisher/nimbus/")
            assert (status, b"Nimbus" in body) == (200, True)
            assert fetch_json(f"http://127.0.0.1:{mirror_port}/api/publisher/")[1]["count"] == 1
        assert f"http://127.0.0.1:{mirror_port}\n" in (tmp_path / "copy" / "mirror.ini").read_text()
    cluster.drop_database("mirrored")


def test_the_client_is_installed_without_the_server(wheels, tmp_path):
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    install(str(python), wheels, "comicsdb_client")
    listed = uv("pip", "list", "--format=freeze", python=str(python), cwd=tmp_path).replace("_", "-")
    assert [line.split("==")[0] for line in listed.splitlines() if "comicsdb" in line] == ["comicsdb-client"]
    told = run(str(python.with_name("comicsdb-client")), "tag", "--help", cwd=tmp_path)
    assert "--dry-run" in told
