"""Monitoring of a server with two workers: its log as JSON, its metrics, and error reports."""

import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from itertools import product

import psutil
import pytest

from tests.serving import add_account, free_port, serving
from tests.serving import fetch as fetch_as_sent
from tests.site.test_production import await_all, production, workers
from tests.waiting import wait_until

TOKEN = "prometheus-may-read-this"
METRICS = {
    "COMICSDB_METRICS_TOKEN": TOKEN,
    "COMICSDB_LOG_FORMAT": "json",
    "COMICSDB_ERRORS_REPORT": "tests.site.watched:report",
    "COMICSDB_API_THROTTLE": "on",
    "COMICSDB_THROTTLE_BURST": "3",
    "COMICSDB_DATABASE_REPLICA_URLS": "postgresql+psycopg://nobody@127.0.0.1:1/watched",  # nobody listens
}
CSRF_HEADER = "X-CSRFToken"  # as in comicsdb_web/http/csrf.py
REQUESTS = "comicsdb_requests_total{"
DATES = ("Sat, 21 Nov 99999 02:36:05 GMT", "Sat, 31 Dec 9999 23:59:59 -2359", " GMT", "GMT", "0", "9" * 4000)
UNKNOWN_PAGES = 'comicsdb_requests_total{route="none",status="4xx"}'
MOST_CONNECTIONS = 'comicsdb_database_connections{state="most"}'


def fetch(url: str, **asked) -> tuple[int, dict, bytes]:
    """Status, headers by lower-case names, and body."""
    status, headers, body = fetch_as_sent(url, **asked)
    return status, {name.lower(): value for name, value in headers.items()}, body


def answered(url: str) -> int | None:
    """The status of a response; None if the process that was asked dies."""
    try:
        return fetch(url)[0]
    except OSError:
        return None


def counted(base: str, name: str) -> float:
    """A metric; 0 if the process that was asked dies, as its queue may still accept connections."""
    try:
        return figures(base)[name]
    except OSError:
        return 0


@pytest.fixture(scope="module")
def server(cluster, template, tmp_path_factory):
    """A monitored server: its process, address, log, reports, and an account's Authorization header."""
    folder = tmp_path_factory.mktemp("watched")
    cluster.clone_database(template, "watched")
    basic, port = add_account(cluster.url("watched")), free_port()
    includes = "comicsdb_api comicsdb_web tests.site.probe tests.site.watched"
    ini, environment = production(folder, cluster.url("watched"), port, includes=includes)
    reports = folder / "reports"
    with serving(ini, port, **environment | METRICS, REPORTS=str(reports)) as process:
        yield process, f"http://127.0.0.1:{port}", ini.with_suffix(".log"), reports, basic
    cluster.drop_database("watched")


def figures(base: str) -> dict[str, float]:
    """The values of all metrics, by name including labels."""
    status, headers, body = fetch(f"{base}/metrics/", Authorization=f"Bearer {TOKEN}")
    assert (status, headers["cache-control"]) == (200, "no-store")
    lines = (line for line in body.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_figures_are_for_who_has_the_token(server):
    _, base, *_ = server
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        status, told, body = fetch(f"{base}/metrics/", **headers)
        assert (status, told["www-authenticate"]) == (401, "Bearer")
        assert b"comicsdb_" not in body
    assert fetch(f"{base}/metrics/", method="POST", data="x", Authorization=f"Bearer {TOKEN}")[0] == 405


# Failures of a response that are answered 500, and what clients see of those after its beginning.
REPLACED = ("call", "beginning")
CUT = {"middle": 500, "end": None, "stream": None}


def test_response_that_fails_while_sent_is_answered_counted_and_logged(server):
    _, base, log, _, basic = server
    for prefix, area, names in (("", "probe", (*REPLACED, *CUT)), ("/api", "api.probe", REPLACED)):
        for name in names:
            status, headers, body = received(f"{base}{prefix}/probe/{name}/", Authorization=basic)
            values = figures(base)
            answered = values.get(f'comicsdb_requests_total{{route="{area}.{name}",status="5xx"}}', 0)
            cut = values.get(f'comicsdb_cut_responses_total{{route="{area}.{name}"}}', 0)
            if name in REPLACED:
                assert (status, answered, cut) == (500, 1, 0)
                assert headers["content-type"].startswith("application/json" if prefix else "text/plain")
                assert b"A server error occurred." in body
                assert f'"request": "{headers["x-request-id"]}"' in log.read_text()
                if not prefix:
                    for_browser = received(f"{base}/probe/{name}/", Accept="text/html,*/*;q=0.8")
                    assert (for_browser[0], for_browser[1]["content-type"]) == (
                        500,
                        "text/html; charset=utf-8",
                    )
                    assert b"Something went wrong on our side" in for_browser[2]
            else:
                # What was not sent yet is replaced. Otherwise, clients see that the end is missing.
                assert (status, answered, cut) == (CUT[name], 0, 1)
    told = [json.loads(line) for line in log.read_text().splitlines() if "is loose" in line]
    told = [line for line in told if line["logger"].startswith("comicsdb.")]  # the server repeats some
    assert len(told) == 9
    assert all(line["request"] for line in told)


def test_extreme_conditions_and_ranges_are_counted_as_clients_see_them(server):
    _, base, *_ = server

    def counts():
        values = figures(base)
        return Counter(
            {
                status: sum(
                    value for name, value in values.items() if name.startswith(REQUESTS) and status in name
                )
                for status in ("2xx", "3xx", "4xx", "5xx")
            }
        )

    before, seen = counts(), Counter()
    for path in ("/feeds/releases.atom", "/.well-known/comicsdb.json"):
        tag = fetch(f"{base}{path}")[1].get("etag", "*")
        seen[f"{fetch(f'{base}{path}')[0] // 100}xx"] += 2
        for name, value in (
            ("If-None-Match", tag),
            ("Range", "bytes=0-9"),
            ("Range", "bytes=99999999-"),
            *product(("If-Modified-Since", "If-Unmodified-Since", "If-Range"), DATES),
        ):
            status, *_ = fetch(f"{base}{path}", **{"Range": "bytes=0-9", name: value})
            seen[f"{status // 100}xx"] += 1
    assert counts() - before == seen
    assert seen["3xx"]
    assert not seen["5xx"]


def received(url: str, **headers) -> tuple[int | None, dict, bytes]:
    """A response; its status is None if the connection ends before its body."""
    try:
        return fetch(url, **headers)
    except (OSError, HTTPException):
        return None, {}, b""


def test_figures_are_those_of_all_processes(server):
    process, base, _, _, basic = server
    for _ in range(20):
        assert fetch(f"{base}/health-of-nobody/")[0] == 404
    answers = [fetch(f"{base}/api/publisher/", Authorization=basic)[0] for _ in range(10)]
    assert fetch(f"{base}/series/")[0] == 200  # tries the replica
    found = figures(base)
    assert found[UNKNOWN_PAGES] == 20
    listed = {
        status: found.get(f'comicsdb_requests_total{{route="api.publisher.list",status="{status}"}}', 0)
        for status in ("2xx", "4xx")
    }
    assert listed == {"2xx": answers.count(200), "4xx": answers.count(429)}
    assert found["comicsdb_throttled_total"] == answers.count(429) > 0
    assert found['comicsdb_request_seconds_count{route="api.publisher.list"}'] == 10
    assert found['comicsdb_request_seconds_bucket{le="+Inf",route="api.publisher.list"}'] == 10
    for result in ("hit", "miss"):
        assert found[f'comicsdb_cache_values_total{{region="list",result="{result}"}}'] >= 1
    for cache in ("answers", "validators"):
        assert found[f'comicsdb_cache_memory_bytes{{cache="{cache}"}}'] > 0
    assert found["comicsdb_database_up"] == 1
    assert found["comicsdb_mail_queue"] == 0
    assert found['comicsdb_replica_up{replica="127.0.0.1:1"}'] == 0
    assert found['comicsdb_replica_reads_total{replica="127.0.0.1:1",result="failed"}'] >= 1
    assert found['comicsdb_database_connections{state="open"}'] >= 1
    assert found[MOST_CONNECTIONS] == len(workers(process)) * 8


def test_of_a_process_that_dies_requests_stay_counted_and_connections_do_not(server):
    process, base, *_ = server
    before = figures(base)
    killed = psutil.Process(min(workers(process)))
    killed.kill()
    wait_until(lambda: not psutil.pid_exists(killed.pid) or killed.status() == psutil.STATUS_ZOMBIE)
    wait_until(lambda: answered(f"{base}/health-of-nobody/") == 404)
    wait_until(lambda: counted(base, UNKNOWN_PAGES) > before[UNKNOWN_PAGES])
    # What follows must not get a connection that is still queued at the dead process.
    wait_until(lambda: all(answered(f"{base}/health-of-nobody/") == 404 for _ in range(20)))

    # While another process starts, requests that wait for changes are counted.
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fetch, f"{base}/api/change/?after=999999999", Prefer="wait=5")
        wait_until(lambda: figures(base).get("comicsdb_waiting_requests") == 1)
        assert not waiting.done()
        assert waiting.result(30)[0] == 200
    await_all(process, base)
    after = figures(base)
    assert after["comicsdb_waiting_requests"] == 0
    assert after[MOST_CONNECTIONS] == before[MOST_CONNECTIONS]


def test_a_fault_is_reported_once_and_without_secrets(server):
    _, base, log, reports, basic = server
    path = "/s/probe/this-is-a-link-of-a-mail/"
    status, headers, _ = fetch(
        f"{base}{path}?q=x&csrf_token=hush&next=/s/reset/1/hush/",
        Authorization=basic,
        Cookie="session=hush",
        Referer=f"{base}{path}",
        **{"X-Request-ID": "from-nginx.1", CSRF_HEADER: "hush"},
    )
    assert status == 500
    assert headers["x-request-id"] == "from-nginx.1"
    (report,) = screws(reports)
    assert (report["request"], report["method"], report["route"]) == ("from-nginx.1", "GET", "probe.fail")
    assert (report["path"], report["query"]) == ("/s/…", "q=x&csrf_token=***&next=/s/…")
    assert not re.search(r"hush|link-of-a-mail|Basic", json.dumps(report))

    # A reporter that fails itself affects only the log.
    assert fetch(f"{base}{path}?clumsy=1")[0] == 500
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    faults = [line for line in lines if "a screw is loose" in line.get("exception", "")]
    assert faults[0]["request"] == "from-nginx.1"
    assert {"time", "level", "logger", "message", "request", "exception"} <= set(faults[0])
    assert any("the reporter stumbles" in line.get("exception", "") for line in lines)
    assert len(screws(reports)) == 2


def screws(reports) -> list[dict]:
    """The reports of the view that fails."""
    told = map(json.loads, reports.read_text().splitlines())
    return [report for report in told if report["error"] == "a screw is loose"]


def test_every_line_of_the_log_is_json(server):
    _, base, log, _, basic = server
    for _ in range(8):
        fetch(f"{base}/api/series/", Authorization=basic)
    lines = log.read_text().splitlines()
    lines = [json.loads(line) for line in lines if not line.startswith("Starting server in PID")]  # pserve's
    refused = next(line for line in lines if line["message"].startswith("API request refused"))
    assert (refused["identity"], refused["level"]) == ("user:ann", "WARNING")
    assert re.fullmatch("[0-9a-f]{16}", refused["request"])
