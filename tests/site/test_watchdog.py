"""Without a watchdog a stuck worker is not replaced, but the server's health endpoint returns 503."""

import os
import signal
import socket

from tests.serving import fetch, free_port
from tests.site.test_production import served, workers
from tests.waiting import wait_until


def test_without_a_worker_that_ticks_nobody_is_well(database, tmp_path):
    health = free_port()
    options = {"watchdog": "0", "workers": "1", "includes": "tests.site.stuck"}
    with served(tmp_path, database, health=f"127.0.0.1:{health}", **options) as (process, port, _):
        at_health = f"http://127.0.0.1:{health}/health/"
        wait_until(lambda: fetch(at_health)[0] == 200)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET /stuck/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            wait_until(lambda: fetch(at_health)[0] == 503)
        (worker,) = workers(process)
        os.kill(worker, signal.SIGKILL)  # it is stuck and cannot end by itself
        wait_until(lambda: fetch(at_health)[0] == 200)
