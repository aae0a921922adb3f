"""Six clients repeat requests that once froze a worker, while health checks must stay fast."""

import http.client
import os
import sys
import threading
import time
from collections import Counter

import pytest

from tests.faults.balanced import HOST, Node, balancer
from tests.faults.freezing import (
    PROFILE,
    Client,
    RawRequest,
    crowded_parts,
    long_cookie,
    picture_of_many_scans,
)
from tests.faults.people import Connection
from tests.faults.postgresql import PostgreSQL
from tests.serving import add_account

SECONDS = float(os.environ.get("FAULT_SECONDS", "30"))
PAUSE = 0.2  # seconds between requests of a sender, which is a load for this machine too
SOON = 1.0  # seconds within which health checks must succeed
HEALTH = RawRequest("GET", "/health/", {})
COOKIE = 400_000  # bytes; nginx accepts no line of more than 8,000
BEHIND_NGINX = 7_900


@pytest.fixture
def site(tmp_path):
    """A production server with two workers, the port of nginx in front of it, and a member's account."""
    postgresql = PostgreSQL()
    postgresql.start()
    url = postgresql.make()
    add_account(url, "mia", "secret")
    node = Node(tmp_path / "node", url, 2, COMICSDB_BASE_URL=f"https://{HOST}")
    try:
        node.start()
        with balancer(tmp_path / "nginx", [node]) as (port, _log):
            yield node, port
    finally:
        node.stop()
        postgresql.remove()


def send_until(ended, client, sent, answers, wrong):
    """Send the same request repeatedly; count the responses, and collect those that are wrong."""
    while not ended.is_set():
        try:
            status, headers, body = client.ask(sent)
        except (OSError, http.client.HTTPException):
            status = "closed"  # the server does not read the rest if a request is too large
        else:
            if status >= 500 and not (status == 503 and headers["Retry-After"]):
                wrong.append((sent.path, status, body[:500]))
        answers[sent.path, status] += 1
        time.sleep(PAUSE)
    client.leave()


@pytest.mark.parametrize("behind_nginx", [False, True])
def test_the_site_answers_within_a_second(site, behind_nginx):
    node, port = site

    def connect():
        if behind_nginx:
            return Connection(port)
        return http.client.HTTPConnection("127.0.0.1", node.port, timeout=120)

    member = Client(connect)
    member.log_in("mia", "secret")
    cookie = long_cookie(BEHIND_NGINX if behind_nginx else COOKIE)
    senders = [(Client(connect), each) for each in (cookie, crowded_parts()) for _ in range(2)]
    picture = picture_of_many_scans(member.token(PROFILE))
    for _ in range(2):
        other = Client(connect)
        other.cookies = member.cookies
        senders.append((other, picture))
    workers, ended = node.workers(), threading.Event()
    answers: Counter[tuple[str, object]] = Counter()
    wrong = []

    threads = [
        threading.Thread(target=send_until, args=(ended, client, sent, answers, wrong))
        for client, sent in senders
    ]
    for thread in threads:
        thread.start()
    member.leave()
    waited = [health(connect) for _ in range(int(SECONDS))]
    ended.set()
    for thread in threads:
        thread.join()
    where = "behind nginx" if behind_nginx else "without nginx"
    sys.stdout.write(
        f"\n{where}: the slowest of {len(waited)} answers of /health/ took {max(waited):.2f} s,"
        f" the middle one {sorted(waited)[len(waited) // 2]:.3f} s; others: {dict(answers)}\n"
    )
    assert wrong == []
    assert max(waited) < SOON
    assert {path for path, _ in answers} == {"/", "/accounts/login/", PROFILE}
    assert node.workers() == workers


def health(connect) -> float:
    """Wait a second; then the duration of a health check on a new connection, which any worker may handle."""
    time.sleep(1)
    client = Client(connect)
    begun = time.monotonic()
    status, _, body = client.ask(HEALTH)
    took = time.monotonic() - begun
    client.leave()
    assert status == 200, body
    return took
