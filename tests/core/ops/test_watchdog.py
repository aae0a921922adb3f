"""The address at which the main process of the server answers health checks by itself."""

import socket
from types import SimpleNamespace

import pytest

from comicsdb.ops.server import read_options
from comicsdb.ops.watchdog import Watchdog, serve_health
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
