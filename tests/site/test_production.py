"""Tests of `pserve production.ini`: the production server in its own processes, as deployers start it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from comicsdb.ops.server import (
    WATCHDOG_SECONDS_MIN,
    OptionError,
    Options,
    granian,
    read_options,
    warn_without_proxy,
)
from tests.serving import SECRET, add_account, clean_environment, fetch, fetch_json, free_port, serving
from tests.waiting import TIMEOUT, wait_until

ROOT = Path(__file__).parent.parent.parent
SLOW = 10  # seconds; the processors of these tests are busy
UPLOAD = 20 * 1024 * 1024


@pytest.fixture(scope="module")
def catalog(cluster, template):
    """The address of a database that the servers of this module share, and an Authorization header."""
    cluster.clone_database(template, "production")
    url = cluster.url("production")
    yield url, add_account(url)
    cluster.drop_database("production")


def production(folder: Path, url: str, port: int, **options: str) -> tuple[Path, dict[str, str]]:
    """The production ini file with the test's views, and the environment that a deployer sets.

    The option `includes` names other packages, so that tests that request no pages can leave out the site.
    """
    includes = options.pop("includes", "comicsdb_api comicsdb_web tests.site.probe")
    given = {"listen": f"127.0.0.1:{port}", "workers": "2", "trusted_proxy": "127.0.0.1", **options}
    written = "".join(f"{name} = {value}\n" for name, value in given.items())
    ini = (ROOT / "production.ini").read_text("utf-8")
    before, server, after = ini.partition("[server:main]\nuse = egg:comicsdb#granian\n")
    assert server
    own = (each for each in after.splitlines(keepends=True) if each.partition(" = ")[0] not in given)
    before = before.replace("comicsdb_api comicsdb_web", includes)
    path = folder / "production.ini"
    path.write_text(before + server + written + "".join(own), "utf-8")
    return path, {
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "COMICSDB_DATABASE_URL": url,
        "COMICSDB_BASE_URL": "https://comics.example.org",
        "COMICSDB_HOSTS": "127.0.0.1 x comics.example",
        "COMICSDB_SECRET": SECRET,
        "COMICSDB_MEDIA_FOLDER": str(folder / "media"),
        "COMICSDB_PASSWORD_COST": "fast",
        "COMICSDB_TRUSTED_PROXIES": given["trusted_proxy"],
    }


@contextmanager
def served(folder: Path, url: str, **options: str):
    """The production server; yields its process, its port and its log file."""
    port = free_port()
    ini, environment = production(folder, url, port, **options)
    with serving(ini, port, **environment) as process:
        yield process, port, ini.with_suffix(".log")


@pytest.fixture(scope="module")
def server(catalog, tmp_path_factory):
    """A server for the tests that do not stop it or its workers."""
    folder = tmp_path_factory.mktemp("production")
    with served(folder, catalog[0], slow_clients="4") as (process, port, log):
        yield process, f"http://127.0.0.1:{port}", log


@pytest.fixture(scope="module")
def distrustful(catalog, tmp_path_factory):
    """A server that trusts a proxy on another machine, with a watchdog; also yields its health address.

    The test of how workers are replaced ends it.
    """
    health = free_port()
    options = {
        "trusted_proxy": "192.0.2.1",
        "watchdog": str(WATCHDOG_SECONDS_MIN),
        "health": f"127.0.0.1:{health}",
        "includes": "tests.site.probe tests.site.stuck",
    }
    with served(tmp_path_factory.mktemp("other"), catalog[0], **options) as given:
        yield *given, f"http://127.0.0.1:{health}"


def raw(base: str, sent: bytes, *, wait: float = TIMEOUT) -> bytes:
    """The response to some bytes, empty if the server closes the connection or is silent."""
    with socket.create_connection(("127.0.0.1", int(base.rsplit(":", 1)[1])), wait) as connection:
        connection.sendall(sent)
        with suppress(TimeoutError, ConnectionResetError):
            return connection.recv(65536)
    return b""


def workers(process) -> set[int]:
    """The process ids of the workers."""
    assert process.poll() is None, "the server has ended"
    found = set()
    for child in children(process.pid):
        with suppress(psutil.NoSuchProcess):  # it has ended
            if "spawn_main" in " ".join(psutil.Process(child).cmdline()):
                found.add(child)
    return found


def children(pid: int) -> list[int]:
    """The children of a process; to find them, psutil would go through all processes of the machine."""
    lists = list(Path(f"/proc/{pid}/task").glob("*/children"))
    if not lists:  # not Linux
        return [child.pid for child in psutil.Process(pid).children()]
    found = []
    for each in lists:
        with suppress(OSError):  # the thread has ended
            found += map(int, each.read_text().split())
    return found


def answering(base: str) -> set[int]:
    """The id of the process that responds now, if one does."""
    with suppress(OSError):
        return {fetch_json(f"{base}/probe/tell/")[1]["process"]}
    return set()


def await_all(process, base: str) -> set[int]:
    """Wait until each of two workers has responded; returns their ids."""
    seen: set[int] = set()

    def all_have() -> bool:
        seen.update(answering(base))
        return len(there := workers(process)) == 2 and seen >= there

    wait_until(all_have)
    return workers(process)


def test_site_and_api_are_served_by_every_worker(server, catalog):
    process, base, _ = server
    assert len(await_all(process, base)) == 2
    assert fetch(f"{base}/")[0] == 200
    status, answer = fetch_json(f"{base}/api/issue/", Authorization=catalog[1])
    assert (status, answer["count"]) == (200, 0)
    assert fetch(f"{base}/api/collection/")[0] == 401


def test_the_log_says_once_and_not_by_worker_how_the_site_starts(server):
    process, base, log = server
    await_all(process, base)
    told = re.findall("comicsdb starts with .*", log.read_text("utf-8"))
    assert told == [
        "comicsdb starts with 2 processes. Limits are counted in PostgreSQL, for all processes together; the"
        " API has none. The cache is in the memory of each process. Mail goes to the SMTP server"
        " localhost:25."
    ]


def opened_setup_link(base: str, log: Path) -> str:
    """The page behind the link for the first administrator, which the log has once."""
    find_links = partial(re.findall, r"/s/set-up/[\w-]+/")
    wait_until(lambda: find_links(log.read_text("utf-8")))
    (path,) = find_links(log.read_text("utf-8"))
    status, _, page = fetch(base + path)
    assert status == 200
    return page.decode()


def test_the_log_of_a_new_site_has_one_link_to_its_set_up(server):
    process, base, log = server
    await_all(process, base)
    assert f"comicsdb -c {log.with_suffix('.ini')} import " in opened_setup_link(base, log)


def test_head_and_conditional_answers_have_no_body(server, catalog):
    _, base, _ = server
    address, who = f"{base}/api/role/", {"Authorization": catalog[1]}
    _, headers, body = fetch(address, **who)
    head = fetch(address, method="HEAD", **who)
    assert (head[0], head[1]["content-length"], head[2]) == (200, str(len(body)), b"")
    unchanged = fetch(address, **who, **{"If-None-Match": headers["etag"]})
    assert (unchanged[0], unchanged[2]) == (304, b"")


def test_the_trusted_proxy_is_believed(server):
    _, base, _ = server
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "comics.example", "X-Real-IP": "192.0.2.7"}
    told = fetch_json(f"{base}/probe/tell/", **said)[1]
    assert told["url"] == "https://comics.example/probe/tell/"
    assert told["address"] == "192.0.2.7"
    page = fetch(f"{base}/", **said)
    assert b'href="https://comics.example.org/' in page[2]  # from the settings, regardless of the request
    # It is trusted with certain headers only: the client's address comes from X-Real-IP.
    told = fetch_json(f"{base}/probe/tell/", **{"X-Forwarded-For": "192.0.2.8", "X-Real-IP": "nonsense"})[1]
    assert told["address"] == "127.0.0.1"
    assert told["url"].startswith(f"{base}/")


def test_nobody_else_is_believed(distrustful):
    claims = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-For": "192.0.2.8",
        "X-Forwarded-Port": "444",
        "X-Real-IP": "192.0.2.7",
        "X_Forwarded_Host": "evil.example",
        "X_Real_IP": "192.0.2.7",
        "Forwarded": "for=192.0.2.8;host=evil.example;proto=https",
    }
    base = f"http://127.0.0.1:{distrustful[1]}"
    for sent in ({name: value} for name, value in claims.items()):
        told = fetch_json(f"{base}/probe/tell/", **sent)[1]
        assert (told["url"], told["address"]) == (f"{base}/probe/tell/", "127.0.0.1")
        assert not {name for name in told["headers"] if "Forward" in name}


def test_an_upload_of_full_size_arrives_and_a_larger_body_is_refused(server):
    _, base, _ = server
    port = int(base.rsplit(":", 1)[1])

    def send(body, **more):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        with suppress(ConnectionResetError, BrokenPipeError):  # it need not hear us out to refuse
            connection.request("POST", "/probe/tell/", body=body, **more)
        try:
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    picture = os.urandom(UPLOAD)
    status, told = send(picture)
    assert (status, f'"length": {UPLOAD}'.encode() in told) == (200, True)
    pieces = (picture[at : at + 65536] for at in range(0, UPLOAD, 65536))
    status, told = send(pieces, encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    assert (status, f'"length": {UPLOAD}'.encode() in told) == (200, True)
    said = b"POST /probe/tell/ HTTP/1.1\r\nHost: x\r\nContent-Length: 22000001\r\n\r\n"
    refused = raw(base, said).lower()
    assert refused.startswith(b"http/1.1 413 ")
    assert b"\r\nstrict-transport-security: max-age=31536000\r\n" in refused
    endless = (picture[at : at + 65536] for at in range(0, 2 * UPLOAD, 65536))
    assert send((each or PIECE for each in endless), encode_chunked=True)[0] == 413


PIECE = b"y" * 65536
STALLED = b"POST /probe/tell/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc"
POST = b"POST /api/issue/ HTTP/1.1\r\nHost: x\r\n"
GREEDY = b"GET /probe/pour/?pieces=2000 HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [STALLED, GREEDY], ids=["that send slowly", "that take slowly"])
def test_clients_are_not_held_up_by_others(server, sent):
    _, base, _ = server
    address = ("127.0.0.1", int(base.rsplit(":", 1)[1]))

    def refused_of_forty():
        slow = {socket.create_connection(address, TIMEOUT) for _ in range(40)}
        refused = set()
        try:
            for each in slow:
                each.sendall(sent)
                each.settimeout(0.05)
            with ThreadPoolExecutor(8) as pool:
                assert set(pool.map(lambda _: fetch(f"{base}/probe/tell/")[0], range(40))) == {200}
            for each in [*slow] * 5:
                with suppress(TimeoutError):
                    if each not in refused and each.recv(64).startswith(b"HTTP/1.1 503 "):
                        refused.add(each)
        finally:
            for each in slow:
                each.close()
        return len(refused)

    # All but four of each worker's clients. A worker may not have seen yet that earlier ones have gone.
    wait_until(lambda: refused_of_forty() == 40 - 2 * 4)
    wait_until(lambda: all(fetch(f"{base}/probe/tell/", method="POST")[0] == 200 for _ in range(20)))


def test_a_few_slow_senders_keep_nobody_from_writing(server):
    _, base, _ = server
    address = ("127.0.0.1", int(base.rsplit(":", 1)[1]))
    slow = [socket.create_connection(address, TIMEOUT) for _ in range(3)]
    try:
        for each in slow:
            each.sendall(STALLED)
        assert {fetch(f"{base}/probe/tell/", method="POST", data="x")[0] for _ in range(40)} == {200}
    finally:
        for each in slow:
            each.close()


def test_many_writers_at_once_are_not_taken_for_slow_ones(server):
    _, base, _ = server
    port = int(base.rsplit(":", 1)[1])

    def write(_):
        with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
            connection.sendall(STALLED)
            time.sleep(0.001)
            connection.sendall(b"y" * 97)
            return connection.recv(12)

    with ThreadPoolExecutor(30) as pool:
        assert set(pool.map(write, range(300))) == {b"HTTP/1.1 200"}


def test_a_body_that_ends_too_early_never_reaches_the_application(server):
    _, base, log = server
    with socket.create_connection(("127.0.0.1", int(base.rsplit(":", 1)[1])), TIMEOUT) as connection:
        connection.sendall(STALLED)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(4096)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /%ff/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/issue/?name=%ff&\xc3\xa9=1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/issue/%C3%A9/ HTTP/1.0\r\n\r\n",
        b"GET http://elsewhere.example/api/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nCookie: a=\xff; b=\xc3\xa9\r\nAuthorization: Basic \xff\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a b\r\nX-Forwarded-Proto: gopher\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-Host: a,b\xff\r\nX-Forwarded-Proto: http,https\r\n\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        POST + b"Content-Type: multipart/form-data\r\nContent-Length: 2\r\n\r\n{}",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 500 + b"\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ],
    ids=lambda sent: sent[:40].decode("latin-1"),
)
def test_no_request_is_a_server_error(server, sent):
    _, base, log = server
    answer = raw(base, sent, wait=5)
    assert not answer.startswith((b"HTTP/1.1 5", b"HTTP/1.0 5")), answer[:300]
    assert fetch(f"{base}/health/")[0] == 200
    assert "Traceback" not in log.read_text()
    assert "panicked" not in log.read_text()


def test_what_the_server_says_is_logged_as_the_ini_file_has_it(server):
    _, base, log = server
    listening = [line for line in log.read_text().splitlines() if base.removeprefix("http://") in line]
    assert [line.split(" ", 2)[2] for line in listening] == [f"_granian INFO Listening at: {base}"]
    fetch(f"{base}/api/issue/", Authorization="Bearer nonsense")
    wait_until(lambda: " comicsdb_api.auth WARNING " in log.read_text())


def test_a_worker_that_is_stuck_is_replaced_and_its_route_told(distrustful):
    process, port, log, health = distrustful
    base = f"http://127.0.0.1:{port}"
    first = await_all(process, base)
    wait_until(lambda: fetch(f"{health}/health/")[0] == 200)
    assert fetch(f"{health}/other/")[0] == 404
    assert raw(base, b"GET /stuck/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") == b""  # it was never answered
    wait_until(lambda: len(there := workers(process)) == 2 and there != first)
    assert len(first & workers(process)) == 1  # the other one stayed
    await_all(process, base)
    said = rf" ERROR Worker (\d+) has not responded for {WATCHDOG_SECONDS_MIN} seconds .* processing: (.*)\n"
    told = re.search(said, log.read_text())
    assert int(told[1]) in first - workers(process)
    assert told[2] == "GET stuck"
    assert 'stuck.py", line ' in log.read_text()  # where in the code


def test_workers_are_replaced_and_end_with_the_server(distrustful):
    process, port, *_ = distrustful
    base = f"http://127.0.0.1:{port}"
    first = await_all(process, base)
    # The one that has run longer dies: granian gives up if a worker fails soon after its start. Process ids
    # do not tell, as they start again from the lowest.
    longest, other = sorted(first, key=lambda pid: psutil.Process(pid).create_time())
    os.kill(longest, signal.SIGKILL)
    wait_until(lambda: len(there := workers(process)) == 2 and there != first)
    second = await_all(process, base)
    assert other in second
    process.send_signal(signal.SIGHUP)  # new code: new workers
    wait_until(lambda: len(there := workers(process)) == 2 and not there & second)
    await_all(process, base)
    family = psutil.Process(process.pid).children(recursive=True)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(fetch_json, f"{base}/probe/sleep/?seconds=2") for _ in range(2)]
        wait_until(lambda: len(connections(family, port)) >= 2)
        process.send_signal(signal.SIGTERM)  # the end, but for what is under way
        assert [each.result(TIMEOUT) for each in asked] == [(200, {"slept": True})] * 2
    assert process.wait(TIMEOUT) == 0
    wait_until(lambda: not any(each.is_running() for each in family))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)


def test_a_worker_whose_successors_cannot_load_the_application_leaves_the_others(catalog, tmp_path):
    with served(tmp_path, catalog[0], includes="tests.site.probe") as (process, port, log):
        base, ini = f"http://127.0.0.1:{port}", tmp_path / "production.ini"
        one, other = await_all(process, base)
        text = ini.read_text("utf-8")
        ini.write_text(text.replace("egg:comicsdb\n", "egg:nowhere\n"), "utf-8")
        os.kill(one, signal.SIGKILL)
        wait_until(lambda: workers(process) and log.read_text().count("application cannot be loaded.") > 1)
        assert answering(base) == {other}
        ini.write_text(text, "utf-8")
        assert other in await_all(process, base)


def ask_all_along(base: str, stopped: threading.Event) -> list[str]:
    """Send one request after the other, on new connections; returns what went wrong."""
    problems = []
    while not stopped.is_set():
        began = time.monotonic()
        try:
            status, _ = fetch_json(f"{base}/probe/tell/")
        except OSError as error:
            problems.append(repr(error))
            continue
        if status != 200 or time.monotonic() - began > SLOW:
            problems.append(f"{status} after {time.monotonic() - began:.1f} s")
    return problems


def test_many_reloads_in_quick_succession_leave_the_port_served_throughout(catalog, tmp_path):
    options = {"includes": "tests.site.probe", "workers": "1"}
    with served(tmp_path, catalog[0], **options) as (process, port, log), ThreadPoolExecutor(2) as pool:
        base, stopped = f"http://127.0.0.1:{port}", threading.Event()
        wait_until(lambda: answering(base))
        first = workers(process)
        asked = [pool.submit(ask_all_along, base, stopped) for _ in range(2)]
        for pause in (0.5, *[0.1] * 9):
            process.send_signal(signal.SIGHUP)
            time.sleep(pause)
        wait_until(lambda: log.read_text().count("All workers have been replaced.") == 2)
        stopped.set()
        assert [client.result(TIMEOUT) for client in asked] == [[], []]
        assert len(there := workers(process)) == 1
        assert not there & first


def test_a_reload_that_cannot_load_the_application_leaves_the_workers(catalog, tmp_path):
    options = {"includes": "tests.site.probe", "workers": "1"}
    with served(tmp_path, catalog[0], **options) as (process, port, log):
        base, ini = f"http://127.0.0.1:{port}", tmp_path / "production.ini"
        wait_until(lambda: answering(base))
        first = workers(process)
        text = ini.read_text("utf-8")
        ini.write_text(
            text.replace("pyramid.includes", "comicsdb.cache.url = nonsense\npyramid.includes"), "utf-8"
        )
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: "The workers stay as they are" in log.read_text())
        assert answering(base) == first == workers(process)
        critical = [line for line in log.read_text().splitlines() if " CRITICAL " in line]
        assert len(critical) == 1
        assert "comicsdb.cache.url" in critical[0]
        assert "Traceback" not in log.read_text()
        ini.write_text(text, "utf-8")
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: answering(base) and not answering(base) & first)


def connections(family, port: int) -> list:
    """The established connections of processes on a port."""
    return [
        connection
        for each in family
        for connection in each.net_connections("tcp")
        if connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == port
    ]


def test_waitress_serves_as_the_guide_says(catalog, tmp_path):
    port = free_port()
    ini, environment = production(tmp_path, catalog[0], port)
    guide = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    section = re.search(r"    \[server:main\]\n(?:    .*\n)+", guide)[0]
    assert "egg:waitress#main" in section
    section = re.sub("^    ", "", section, flags=re.MULTILINE).replace(":8000", f":{port}")
    text = ini.read_text("utf-8")
    ini.write_text(re.sub(r"\[server:main\][^\[]*", f"{section}\n", text), "utf-8")
    with serving(ini, port, **environment) as process:
        base = f"http://127.0.0.1:{port}"
        said = {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "comics.example",
            "X-Forwarded-For": "192.0.2.7",
        }
        told = fetch_json(f"{base}/probe/tell/", **said)[1]
        assert (told["url"], told["address"]) == ("https://comics.example/probe/tell/", "192.0.2.7")
        assert told["process"] == process.pid
        assert fetch(f"{base}/api/issue/", Authorization=catalog[1])[0] == 200
        assert "comicsdb -c " in opened_setup_link(base, ini.with_suffix(".log"))


def refused(folder: Path, url: str, port: int, **more: str) -> str:
    """The error output of a server that cannot start."""
    ini, environment = production(folder, url, port)
    done = subprocess.run(
        [sys.executable, "-m", "pyramid.scripts.pserve", str(ini)],
        env=clean_environment(**environment | more),
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr.decode()


def test_a_busy_port_ends_the_start_and_names_its_option(server, catalog, tmp_path):
    port = int(server[1].rsplit(":", 1)[1])
    said = refused(tmp_path, catalog[0], port)
    assert said.splitlines()[-1] == (
        f"The server's option listen (127.0.0.1:{port}) does not work: Address already in use."
    )
    assert "Traceback" not in said
    with pytest.raises(SystemExit, match=rf"option health \(127.0.0.1:{port}\) does not work: Address"):
        granian({}, listen=f"127.0.0.1:{free_port()}", health=f"127.0.0.1:{port}")


def test_an_application_that_no_worker_can_load_ends_the_start(catalog, tmp_path):
    said = refused(tmp_path, catalog[0], free_port(), COMICSDB_SIGNUP_FASTEST="soon")
    failure = "The application cannot be loaded. The setting comicsdb.signup.fastest ('soon') is wrong"
    assert [failure in line for line in said.splitlines() if "cannot be loaded" in line] == [True]
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("threadz", "4", "no option threadz"),
        ("threads", "many", "threads ('many')"),
        ("workers", "0", "workers ('0')"),
        ("listen", "8000", "listen ('8000')"),
        ("listen", "localhost:http", "listen ('localhost:http')"),
        ("listen", "127.0.0.1:99999", "listen ('127.0.0.1:99999')"),
        ("health", "127.0.0.1:0", "health ('127.0.0.1:0')"),
        ("health", "127.0.0.1:8000", "the address of the option listen"),
    ],
)
def test_a_wrong_option_is_named(name, value, words):
    with pytest.raises(OptionError) as refused:
        read_options({name: value})
    assert words in str(refused.value)


def test_read_options_of_an_obsolete_option_warns(caplog):
    assert read_options({"body_seconds": "60"}) == read_options({})
    assert "body_seconds has no effect any more" in caplog.text


@pytest.mark.parametrize(
    ("host", "proxy", "warns"),
    [
        ("203.0.113.9", None, True),
        ("::", None, True),
        ("203.0.113.9", "127.0.0.1", False),
        ("::1", None, False),
    ],
)
def test_warn_without_proxy_of_a_public_address_warns(host, proxy, warns, caplog):
    warn_without_proxy(Options(host=host, trusted_proxy=proxy))
    assert ("without a trusted proxy" in caplog.text) == warns


def test_options_are_read():
    options = read_options({"listen": "[::1]:81", "trusted_proxy_headers": "Forwarded", "workers": "3"})
    assert (options.host, options.port, options.workers) == ("::1", 81, 3)
    assert options.trusted_proxy_headers == {"forwarded"}
    assert options.trusted_proxy is None
    assert read_options({}).workers == len(os.sched_getaffinity(0))
