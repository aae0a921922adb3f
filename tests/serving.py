"""Starting a server as deployers do: `pserve` with an ini file, in a separate process."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import NullPool, create_engine, text

from comicsdb.accounts.passwords import Passwords

SECRET = "for tests only: it guards nothing but made up rows"
INI = """
[app:main]
use = egg:{egg}
pyramid.includes = {includes}
sqlalchemy.url = {url}
comicsdb.secret = for tests only: it guards nothing but made up rows
comicsdb.password_cost = fast
comicsdb.media.folder = {media}
comicsdb.secure_cookies = false
comicsdb.base_url = http://127.0.0.1:{port}
jinja2.bytecode_caching = true

[server:main]
use = egg:waitress#main
listen = 127.0.0.1:{port}
"""


def free_port() -> int:
    """A port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_ini(folder: Path, url: str, *, egg="comicsdb", includes="", port: int = 1) -> Path:
    """Write an ini file for a test server on a port, or for commands."""
    path = folder / "test.ini"
    escaped = url.replace("%", "%%")
    path.write_text(
        INI.format(egg=egg, includes=includes, url=escaped, media=folder / "media", port=port), "utf-8"
    )
    return path


def clean_environment(**more) -> dict[str, str]:
    """The environment without variables that would change settings or expose our checkout.

    Servers have no rate limits, unless a test asks for them (COMICSDB_API_THROTTLE="on").
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COMICSDB_", "PYTHON"))}
    return kept | {"COMICSDB_API_THROTTLE": "off"} | more


@contextmanager
def pserve(ini: Path, port: int, *, python: str = sys.executable, **environment):
    """Serve an ini file until the end of the block; yields the base address."""
    with serving(ini, port, python=python, **environment):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serving(ini: Path, port: int, *, python: str = sys.executable, command=(), **environment):
    """Serve an ini file until the end of the block; yields the process, which logs next to the ini file.

    `command` is what Python runs as a module, with its arguments; by default `pserve`.
    """
    log = ini.with_suffix(".log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "-m", *(command or ("pyramid.scripts.pserve", ini))],
            cwd=ini.parent,
            env=clean_environment(**environment),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(process, port, log)
            yield process
        finally:
            process.terminate()
            process.wait(40)  # more than the 30 seconds after which the server kills its workers


def _wait_for(process, port: int, log: Path) -> None:
    until = time.monotonic() + 180
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"The server did not start:\n{log.read_text()[-4000:]}")


def fetch(
    url: str, *, method: str = "GET", data: str | bytes = "", **headers: str
) -> tuple[int, dict, bytes]:
    """Status, headers and body of a response, even of an error; `data` is sent as the body if given."""
    body = data.encode() if isinstance(data, str) else data
    asked = urllib.request.Request(url, body or None, method=method, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def fetch_json(url: str, **headers):
    """Status and parsed body."""
    status, _, body = fetch(url, **headers)
    return status, json.loads(body)


@contextmanager
def connected(url: str):
    """A connection to a database, in a transaction that is committed at the end of the block."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        yield connection


def add_account(url: str, username: str = "ann", password: str = "secret") -> str:
    """Create an account in a database; returns its HTTP Basic header."""
    with connected(url) as connection:
        connection.execute(
            text("INSERT INTO user_account (username, email, password) VALUES (:name, :email, :password)"),
            {
                "name": username,
                "email": f"{username}@example.org",
                "password": Passwords("fast").hash(password),
            },
        )
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
