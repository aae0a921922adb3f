"""The middleware of the production server that separates slow clients from the application."""

import os
import socket
import threading
import time
from contextlib import ExitStack
from io import BytesIO

import pytest

from comicsdb.http.slow_clients import SlowClientMiddleware

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
    return SlowClientMiddleware(
        app, **{"max_body": 3 * LARGE, "threads": 1, "slow_clients": 8, "seconds": 60} | more
    )


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


def test_a_body_that_came_too_late_is_refused():
    server = Server(clients(seconds=0))
    assert server.ask(BytesIO(b"x"), 1) == "408"


def test_looking_for_a_late_client_leaves_no_file_open():
    middleware = clients(seconds=0)
    slow = Server(middleware).send_slowly(10)
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        middleware.end_late_bodies(1)
    after = len(os.listdir("/dev/fd"))
    assert finish(slow) == ["408"]
    assert after == before


def test_a_client_that_never_falls_silent_is_ended_and_no_other_one_of_its_address():
    middleware, statuses = clients(seconds=0.3), []
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:
        pairs = []
        for _ in range(2):
            client = stack.enter_context(socket.create_connection(listener.getsockname()))
            pairs.append((client, stack.enter_context(listener.accept()[0])))
        (slow, from_slow), (other, to_other) = pairs
        body = stack.enter_context(from_slow.makefile("rb"))
        stack.callback(slow.shutdown, socket.SHUT_RDWR)  # a failure leaves no thread that waits for it
        receive = threading.Thread(
            target=lambda: statuses.append(Server(middleware).ask(body, 1000, REMOTE_ADDR="127.0.0.1"))
        )
        receive.start()
        begun = time.monotonic()
        while receive.is_alive() and time.monotonic() < begun + 20:
            for sender in (slow, other, to_other):
                sender.sendall(b"x")
            time.sleep(0.05)
            middleware.end_late_bodies(listener.getsockname()[1])
        assert statuses == ["408"]
        assert time.monotonic() - begun > 0.5
        to_other.recv(1000)
        to_other.settimeout(0.2)
        with pytest.raises(TimeoutError):  # it is still open
            to_other.recv(1000)


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
