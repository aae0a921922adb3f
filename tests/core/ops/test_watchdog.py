"""The address at which the main process of the server answers health checks by itself, and its checks."""

import os
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from comicsdb.ops.server import read_options
from comicsdb.ops.watchdog import COUNT_BYTES, Watchdog, serve_health
from tests.serving import fetch, free_port


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", *(["[::1]"] if has_ipv6() else [])])
def test_health_is_served_at_each_kind_of_address(host):
    where, watchdog = f"{host}:{free_port()}", SimpleNamespace(answering=0)
    serve_health(*read_options({"health": where}).health, watchdog)
    assert fetch(f"http://{where}/health/")[0] == 503
    watchdog.answering = 1
    assert fetch(f"http://{where}/health/")[::2] == (200, b"ok\n")


def test_a_check_while_the_process_ends_is_no_error():
    watchdog = Watchdog(list, 10)
    watchdog._folder.cleanup()  # as at the end of the process
    watchdog.check()
    assert watchdog.answering == 0


def test_a_worker_that_has_died_counts_as_none_and_is_not_stopped_again():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = SimpleNamespace(pid=os.getpid())
    watchdog = Watchdog(lambda: [ended, here], 1)
    for count in range(1, 4):
        (watchdog.folder / str(ended.pid)).write_bytes(b"\1" * COUNT_BYTES)
        (watchdog.folder / str(here.pid)).write_bytes(bytes([count]) * COUNT_BYTES)
        watchdog.check()
        assert watchdog.answering == 1
    watchdog._folder.cleanup()
