"""The middleware of the production server that separates slow clients from the application."""

import os
import socket
import threading
from io import BytesIO

import pytest

from comicsdb.ops.slow_clients import SlowClientMiddleware, is_listening

LARGE = 2 * 1024 * 1024


class SlowBody:
    """A body that arrives only when allowed, and reports that it is being read."""

    def __init__(self, length: int):
        self.length = length
        self.awaited, self.let = threading.Event(), threading.Event()

    def read(self, size):
        """Wait until the body is allowed to arrive, and return all of it."""
        self.awaited.set()
        assert self.let.wait(20)
        return b"x" * min(self.length, size)


class Server:
    """Calls a WSGI application like the threads of a server, and returns the statuses of its responses."""

    def __init__(self, app):
        self.app = app

    def ask(self, body=None, length=0, **environ) -> str:
        """Send a request; returns the status of the response."""
        told = []
        environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(length), "wsgi.input": body, **environ}
        answer = self.app(environ, lambda status, _headers: told.append(status))
        if hasattr(answer, "close"):
            b"".join(answer)
            answer.close()
        return told[0][:3]

    def send_slowly(self, length: int) -> tuple[SlowBody, threading.Thread, list]:
        """Send a request whose body does not arrive yet; returns body, thread and a list for its status."""
        body, statuses = SlowBody(length), []
        thread = threading.Thread(target=lambda: statuses.append(self.ask(body, length)))
        thread.start()
        assert body.awaited.wait(20)
        return body, thread, statuses


def answer_200(_environ, start_response):
    start_response("200 OK", [])
    return [b"ok"]


def finish(*slow):
    """Let the bodies arrive; returns the statuses."""
    for body, thread, _ in slow:
        body.let.set()
        thread.join(20)
    return [statuses[0] for _, _, statuses in slow]


def clients(app=answer_200, **more):
    return SlowClientMiddleware(app, **{"max_body": 3 * LARGE, "threads": 1, "slow_clients": 8} | more)


def test_slow_senders_keep_nobody_from_the_application():
    server = Server(clients())
    slow = [server.send_slowly(10) for _ in range(8)]
    assert server.ask() == "200"
    assert server.ask(BytesIO(b"x"), 1) == "503"  # one slow sender too many
    assert finish(*slow) == ["200"] * 8
    assert server.ask(BytesIO(b"x"), 1) == "200"


def test_few_of_them_send_much_and_the_others_still_send_little():
    server = Server(clients())
    slow = server.send_slowly(LARGE)
    assert server.ask(BytesIO(b"x" * LARGE), LARGE) == "503"
    assert server.ask(BytesIO(b"x"), HTTP_TRANSFER_ENCODING="chunked") == "503"  # its length is unknown
    assert server.ask(BytesIO(b"x"), 1) == "200"
    assert finish(slow) == ["200"]
    assert server.ask(BytesIO(b"x" * LARGE), LARGE) == "200"


@pytest.mark.parametrize(
    ("body", "length", "status"),
    [(b"x" * 10, 11, "400"), (b"x", 3 * LARGE + 1, "413"), (b"x" * 10, 10, "200")],
)
def test_the_application_gets_whole_bodies_only(body, length, status):
    read = []

    def app(environ, start_response):
        read.append(environ["wsgi.input"].read())
        return answer_200(environ, start_response)

    assert Server(clients(app)).ask(BytesIO(body), length) == status
    assert read == ([body] if status == "200" else [])


def test_is_listening_of_a_port_is_true_only_for_the_accepting_socket():
    before = len(os.listdir("/dev/fd"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert is_listening(port)
        assert len(os.listdir("/dev/fd")) == before + 1
    assert not is_listening(port)


def test_the_application_runs_in_so_many_threads_at_a_time():
    running, seen, lock = [], [], threading.Lock()
    entered = threading.Semaphore(0)
    let = threading.Event()

    def app(environ, start_response):
        with lock:
            running.append(1)
            seen.append(len(running))
        entered.release()
        assert let.wait(20)
        running.pop()
        return answer_200(environ, start_response)

    server = Server(clients(app, threads=2))
    threads = [threading.Thread(target=server.ask) for _ in range(6)]
    for each in threads:
        each.start()
    assert entered.acquire(timeout=60)
    assert entered.acquire(timeout=60)
    assert not entered.acquire(timeout=0.2)  # the others wait
    let.set()
    for each in threads:
        each.join(20)
    assert max(seen) == 2
    assert len(seen) == 6
