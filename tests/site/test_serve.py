"""Tests of `comicsdb serve`, as `make serve` calls it: from an empty folder, and again after a kill."""

import base64
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from comicsdb.cli import main
from comicsdb.db.dev_cluster import Cluster, supervisor
from tests.serving import clean_environment, fetch, fetch_json, free_port
from tests.waiting import wait_until

INI = """
[app:main]
use = egg:comicsdb
pyramid.includes = comicsdb_api comicsdb_web
sqlalchemy.url = embedded:%(here)s/var/postgres?database=comicsdb
comicsdb.secret = not a secret: for development only
comicsdb.media.folder = %(here)s/var/media
comicsdb.password_cost = fast
comicsdb.secure_cookies = false
comicsdb.base_url = http://127.0.0.1:8000

[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = WARNING
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(message)s
"""
README = Path(__file__).parents[2] / "README.md"
READY = "Press Ctrl-C to stop."


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with an ini file, for the database and the files of the servers."""
    folder = tmp_path_factory.mktemp("serve")
    (folder / "site.ini").write_text(INI)
    cluster = Cluster(folder / "var" / "postgres")
    cluster.discard()  # left by a killed run under the same name
    yield folder
    cluster.discard()


@contextmanager
def served(site, *more):
    """`comicsdb serve` in a process of its own; yields the process, its address and its log file."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "comicsdb",
        "-c",
        str(site / "site.ini"),
        "serve",
        "--port",
        str(port),
        *more,
    ]
    log = site / f"serve-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=site, env=clean_environment(), stdout=output, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + 180
        while READY not in log.read_text() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
        assert READY in log.read_text(), log.read_text()[-3000:]
        yield process, f"http://127.0.0.1:{port}", log
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(30)


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def running_servers(site):
    """The command lines of the running PostgreSQL servers of the site's own cluster."""
    home = str(Cluster(site / "var" / "postgres").home)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if f"-D {home}" in line]


def postmaster(site) -> int:
    """The process id of the site's own PostgreSQL."""
    return int(supervisor.state(Cluster(site / "var" / "postgres").home).split()[1])


def fresh(base) -> int:
    """The status of a list that is not cached."""
    address = f"{base}/api/issue/?name={secrets.token_hex(4)}"
    return fetch(address, Authorization=basic("reader", "demo-reader-pass"))[0]


def test_the_demo_is_served_from_nothing_and_survives_a_kill(site):
    with served(site) as (process, base, log):
        printed = log.read_text()
        assert f"{base}/" in printed
        assert re.search(r"^ +reader +demo-reader-pass +demo-reader-token$", printed, re.MULTILINE)
        assert len(running_servers(site)) == 1
        status, headers, _ = fetch(f"{base}/")
        assert (status, headers["Content-Type"].split(";")[0]) == (200, "text/html")
        (authorization,) = re.findall(r"^ +curl -H 'Authorization: (.+)' ", README.read_text(), re.MULTILINE)
        status, issues = fetch_json(f"{base}/api/issue/", Authorization=authorization)
        assert (status, issues["count"]) == (200, 500)
        picture = next(row["image"] for row in issues["results"] if row["image"])
        assert fetch(picture)[0] == 200
        assert fetch_json(f"{base}/api/collection/")[0] == 401
        process.kill()
        process.wait(10)

    begun = time.monotonic()
    with served(site) as (process, base, log):
        assert "Loading" not in log.read_text()  # the existing data is served again
        status, issues = fetch_json(f"{base}/api/issue/", Authorization=basic("reader", "demo-reader-pass"))
        assert (status, issues["count"]) == (200, 500)
        assert time.monotonic() - begun < 60
        os.kill(postmaster(site), signal.SIGKILL)
        wait_until(lambda: "has ended: it is started again" in log.read_text())
        wait_until(lambda: fresh(base) == 200)
        process.terminate()
        assert process.wait(20) == 0
        assert "Stopped.\n" in log.read_text()  # PostgreSQL may only now say that it runs again
    wait_until(lambda: not running_servers(site))


def check_that_a_busy_port_is_said(site, base):
    """A second server on the same port reports this before it does anything, and the first keeps running."""
    port = base.rsplit(":", 1)[1]
    done = CliRunner().invoke(main, ["-c", str(site / "site.ini"), "serve", "--port", port])
    assert done.exit_code == 1
    assert f"Port {port}" in done.stderr
    assert "--port" in done.stderr
    assert fetch(f"{base}/health/")[0] == 200


def check_that_serve_ends_where_its_database_cannot_come_back(site, process, log):
    data = Cluster(site / "var" / "postgres").data
    (data / "PG_VERSION").rename(data / "kept")
    os.kill(postmaster(site), signal.SIGKILL)
    assert process.wait(30) == 1
    assert "cannot be started again: its data are gone" in log.read_text()
    (data / "kept").rename(data / "PG_VERSION")


def test_a_data_set_is_served_from_a_database_of_its_own(site, tmp_path):
    folder = tmp_path / "My set"
    folder.mkdir()
    stamps = '"created_on":"2026-01-01T00:00:00.000000Z","modified":"2026-01-01T00:00:00.000000Z"'
    (folder / "publishers.jsonl").write_text(
        '{"id":7,"name":"Nimbus","slug":"nimbus","desc":"","cv_id":null,"gcd_id":null,'
        f'{stamps},"alt_names":[],"founded":null,"country":"US","image":""}}\n'
    )
    (folder / "users.jsonl").write_text(
        '{"id":1,"username":"admin","email":"admin@example.org","password":"one-pass","api_token":"'
        + "a" * 64
        + '","is_staff":true,"is_superuser":true,"groups":[],"supporter_tier":"","supporter_until":null,'
        '"bio":"","date_joined":"2026-01-01T00:00:00.000000Z"}\n'
    )
    with served(site, "--data", str(folder)) as (process, base, log):
        assert "one-pass" in log.read_text()
        status, page = fetch_json(f"{base}/api/publisher/", Authorization=basic("admin", "one-pass"))
        assert (status, [(row["id"], row["name"]) for row in page["results"]]) == (200, [(7, "Nimbus")])
        assert fetch_json(f"{base}/api/publisher/7/", Authorization="Bearer " + "a" * 64)[0] == 200
        assert (
            fetch_json(f"{base}/api/publisher/", Authorization=basic("reader", "demo-reader-pass"))[0] == 401
        )
        check_that_a_busy_port_is_said(site, base)
        check_that_serve_ends_where_its_database_cannot_come_back(site, process, log)
