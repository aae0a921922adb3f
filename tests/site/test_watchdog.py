"""A worker that no longer answers is replaced from outside, and the log tells what it was at."""

import os
import re
import signal
import socket

import pytest

from tests.serving import fetch, free_port
from tests.site.test_production import await_all, await_that, raw, served, workers

SECONDS = 5
INCLUDES = "tests.site.probe tests.site.stuck"


@pytest.fixture(scope="module")
def address(cluster, template):
    """The address of a database."""
    cluster.clone_database(template, "watchdog")
    yield cluster.url("watchdog")
    cluster.drop_database("watchdog")


def test_a_worker_that_is_stuck_is_replaced_and_its_route_told(address, tmp_path):
    health = free_port()
    options = {"watchdog": str(SECONDS), "health": f"127.0.0.1:{health}", "includes": INCLUDES}
    with served(tmp_path, address, **options) as (process, port, log):
        base = f"http://127.0.0.1:{port}"
        first = await_all(process, base)
        await_that(lambda: fetch(f"http://127.0.0.1:{health}/health/")[0] == 200)
        assert fetch(f"http://127.0.0.1:{health}/other/")[0] == 404
        assert raw(base, b"GET /stuck/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") == b""  # it was never answered
        await_that(lambda: len(there := workers(process)) == 2 and there != first)
        assert len(first & workers(process)) == 1  # the other one stayed
        await_all(process, base)
        said = rf" ERROR Worker (\d+) has not ticked for {SECONDS} seconds .* at: (.*)\n"
        told = re.search(said, log.read_text())
        assert int(told[1]) in first - workers(process)
        assert told[2] == "GET stuck"
        assert 'stuck.py", line ' in log.read_text()  # where in the code


def test_without_a_worker_that_ticks_nobody_is_well(address, tmp_path):
    health = free_port()
    options = {"watchdog": "0", "workers": "1", "includes": INCLUDES}
    with served(tmp_path, address, health=f"127.0.0.1:{health}", **options) as (process, port, _):
        at_health = f"http://127.0.0.1:{health}/health/"
        await_that(lambda: fetch(at_health)[0] == 200)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET /stuck/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            await_that(lambda: fetch(at_health)[0] == 503)
        (worker,) = workers(process)
        os.kill(worker, signal.SIGKILL)  # it could not end by itself
        await_that(lambda: fetch(at_health)[0] == 200)
