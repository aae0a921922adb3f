"""The change feed as Server-Sent Events, from the production server."""

import http.client
import json
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil
import pytest
from sqlalchemy import create_engine, text

from tests.serving import fetch, free_port, serving
from tests.site.test_production import production
from tests.waiting import wait_until

INSERT_CHANGE = "INSERT INTO change_log (kind, object_id, action) VALUES ('arc', :id, 'update')"
HTTPS = {"X-Forwarded-Proto": "https"}
ONE_PLACE = {"COMICSDB_API_STREAM_SECONDS": "5", "COMICSDB_API_WAITING": "1"}


@contextmanager
def started(cluster, template, folder, options=None, **more):
    """A production server with one worker: its port, an engine for its database, and its process."""
    cluster.clone_database(template, folder.name)
    port = free_port()
    ini, environment = production(folder, cluster.url(folder.name), port, workers="1", **options or {})
    engine = create_engine(cluster.url(folder.name))
    with serving(ini, port, **environment | more) as process:
        yield port, engine, process
    engine.dispose()
    cluster.drop_database(folder.name)


@pytest.fixture(scope="module")
def server(cluster, template, tmp_path_factory):
    """The port of a server, and an engine for its database."""
    with started(cluster, template, tmp_path_factory.mktemp("events"), **ONE_PLACE) as (port, engine, _):
        yield port, engine


def write(engine, object_id=1):
    """Append an entry to the change log."""
    with engine.begin() as connection:
        connection.execute(text(INSERT_CHANGE), {"id": object_id})


def opened(port, query="", **headers):
    """The connection and response of a new stream."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Accept": "text/event-stream", "Host": "comics.example", **HTTPS, **headers}
    connection.request("GET", f"/api/change/{query}", headers=headers)
    return connection, connection.getresponse()


def opened_when_free(port, query="", **headers):
    """The same once a place is free: the server frees it just after the end of a response."""
    found = []

    def is_free():
        found[:] = opened(port, query, **headers)
        return found[1].status != 503

    wait_until(is_free)
    return found


def event(answer):
    """The next event, or None at the end of the stream."""
    found = {}
    while line := answer.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            found[name] = value
        elif "data" in found:
            return found
    return None


def test_a_stream_sends_changes_as_they_come_and_resumes(server):
    port, engine = server
    write(engine)
    connection, answer = opened(port)
    assert answer.status == 200, answer.read()
    told = {name: answer.headers[name] for name in ("Content-Type", "Cache-Control", "X-Accel-Buffering")}
    assert list(told.values()) == ["text/event-stream", "no-store", "no"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["ETag"] is None
    first = event(answer)
    assert (first["event"], first["retry"]) == ("epoch", "5000")
    epoch = json.loads(first["data"])["epoch"]
    one = event(answer)
    write(engine)
    two = event(answer)
    assert [each["event"] for each in (one, two)] == ["update", "update"]
    line = json.loads(two["data"])
    assert (str(line["seq"]), line["kind"], line["object_id"]) == (two["id"], "arc", 1)

    # The only place is taken: the stream gives way to another one, and that to a poll.
    another, newer = opened(port)
    assert event(newer)["event"] == "epoch"
    assert event(answer) is None
    connection.close()
    with ThreadPoolExecutor(1) as pool:
        poll = pool.submit(polled, port)
        while event(newer) is not None:
            pass
        another.close()
        write(engine)
        assert poll.result() == (200, "wait=30")

    connection, answer = opened_when_free(port, f"?epoch={epoch}", **{"Last-Event-ID": one["id"]})
    assert event(answer)["event"] == "epoch"
    assert event(answer) == two
    three = event(answer)
    assert int(three["id"]) > int(two["id"])
    write(engine)
    assert int(event(answer)["id"]) > int(three["id"])
    assert event(answer) is None
    connection.close()


def test_an_older_epoch_is_refused_and_gives_its_place_back(server):
    port, _ = server
    for _ in range(2):
        connection, answer = opened_when_free(port, f"?epoch={'0' * 32}")
        assert answer.status == 410
        assert "after" in json.loads(answer.read())
        connection.close()


def test_objects_come_before_their_lines(server):
    port, engine = server
    write(engine)
    write(engine, object_id=2)
    connection, answer = opened_when_free(port, "?include=object&limit=1000")
    names, objects = [], []
    while "position" not in names:
        last = event(answer)
        names.append(last["event"])
        objects += json.loads(last["data"]).get("objects", [])
    assert names[:2] == ["epoch", "objects"]
    assert [(each["kind"], each["id"]) for each in objects] == [("arc", 1), ("arc", 2)]
    assert ";" in last["id"]
    assert json.loads(last["data"])["last"] is True
    connection.close()


def test_a_client_with_many_streams_takes_no_place_of_others_and_closed_ones_free_theirs(
    cluster, template, tmp_path_factory
):
    folder, token = tmp_path_factory.mktemp("crowded"), "prometheus-may-read-this"
    settings = {
        "COMICSDB_API_WAITING": "4",
        "COMICSDB_API_WAITING_CLIENT": "2",
        "COMICSDB_METRICS_TOKEN": token,
    }
    with started(cluster, template, folder, {"includes": "comicsdb_api"}, **settings) as (port, *_):

        def places():
            headers = {"Authorization": f"Bearer {token}", "Host": "comics.example"}
            text = fetch(f"http://127.0.0.1:{port}/metrics/", **headers)[2].decode()
            return float(re.search(r"^comicsdb_waiting_requests (.*)$", text, re.MULTILINE)[1])

        alone = opened(port, **{"X-Real-IP": "192.0.2.1"})
        streams = []  # of one subscriber with many addresses in two networks
        for number in range(10):
            address = f"2001:db8:0:{number % 2}::{number:x}"
            streams.append(opened_when_free(port, **{"X-Real-IP": address}))
        assert places() == 4
        assert event(alone[1])["event"] == "epoch"
        last = opened(port, **{"X-Real-IP": "192.0.2.2"})
        assert event(last[1])["event"] == "epoch"
        for _, stream in (alone, last):  # neither has had to give way
            assert stream.readline() == b":\n"
        began = time.monotonic()
        for connection, stream in (*streams, alone, last):
            stream.close()
            connection.close()
        wait_until(lambda: places() == 0)
        assert time.monotonic() - began < 15  # a stream would last for 300


def polled(port):
    """The status of a long poll, and for how long the server said that it would wait, if it did."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Host": "comics.example", "Prefer": "wait=30", **HTTPS}
    connection.request("GET", "/api/change/?after=999999", headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers["Preference-Applied"]


def test_who_waits_keeps_nobody_else_waiting_and_ends_when_the_server_stops(
    cluster, template, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("waiting")
    settings = {"COMICSDB_API_WAITING": "4", "COMICSDB_API_WAITING_CLIENT": "4"}
    only_api = {"includes": "comicsdb_api"}  # the other tests stream from API and site together
    with (
        ThreadPoolExecutor(3) as pool,
        started(cluster, template, folder, only_api, **settings) as (port, _, process),
    ):
        connection, stream = opened(port)
        assert event(stream)["event"] == "epoch"
        polls = [pool.submit(polled, port) for _ in range(3)]  # more than there are threads
        time.sleep(2)
        began = time.monotonic()
        for _ in range(5):
            other = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            other.request("GET", "/api/arc/", headers={"Host": "comics.example", **HTTPS})
            answer = other.getresponse()
            assert answer.status == 200
            answer.read()
            other.close()
        assert time.monotonic() - began < 5
        assert not any(each.done() for each in polls)
        began = time.monotonic()
        main = psutil.Process(process.pid)
        for each in (main, *main.children(recursive=True)):
            each.send_signal(signal.SIGINT)  # as Ctrl-C in a terminal does
        assert event(stream) is None
        assert [each.result() for each in polls] == [(200, "wait=30")] * 3
        assert process.wait(20) == 0
        assert time.monotonic() - began < 10
        connection.close()
