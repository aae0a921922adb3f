"""Measures the CPU time of what no cache answers: first visits, searches, members' pages and writes.

    python -m bench.misses [--before FOLDER] [--issues 20000] [--seconds 3] [--rounds 3] [--only WORDS]

Serves this checkout, and with --before another one too (which has this program, and an environment in .venv).
Each has a PostgreSQL of its own with the same generated catalog and library (bench/library_rows.py), a
Redis, and two processes as in production.ini, without limits. Each row is measured on both in turn. Printed
are the CPU milliseconds per request of web server, PostgreSQL and Redis together, requests per second, and
the median time: all are medians over the rounds. Reads are cache misses, as each has another Host header. The
memory of the processes is printed at the end.
"""

import argparse
import json
import re
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from sqlalchemy import text

from bench import library_rows, loader
from bench.harness import NAME, PASSWORD, ROOT, Harness, cpu_seconds, running_harness
from bench.loader import Load
from comicsdb import clock

COLLECTION_SIZE = 1_500  # issues in the reader's collection
CONNECTIONS = 4
API, ANONYMOUS, MEMBER, EDITOR = "api", "nobody", "member", "editor"
SAME_HOST = {"fresh": False}
FIGURES = ("CPU ms", "requests/s", "p50 ms")


@dataclass(frozen=True)
class Row:
    """A row of the table: its requests, and who sends them."""

    name: str
    who: str
    paths: list[str]
    more: dict = field(default_factory=lambda: {"fresh": True})


def rows(known: dict) -> list[Row]:
    """Return the rows of the table, for the ids, slugs and names of the catalog."""
    issues, series, named = known["issues"], known["series"], known["named"]
    words = sorted({word for each in series for word in re.findall(r"\w{4,}", each["name"])})
    dates = [(year, month) for year in range(1985, 2027) for month in range(1, 13)]
    longest, busiest = known["longest"], known["busiest"]
    asked = [f"/api/issue/?series_name={quote(n)}&number={quote(number)}" for n, number in known["tagged"]]
    pages = max(2, len(issues) // 100 - 1)
    lists = [f"/api/reading_list/{n}/items/" for n in range(2, 400) if n % 10]  # every tenth is private
    found = [
        Row("issue detail", API, [f"/api/issue/{each['id']}/" for each in issues]),
        Row("issues by series name and number", API, asked),
        Row("issues by series name", API, [f"/api/issue/?series_name={quote(each)}" for each in words]),
        Row("issues by modified_gt", API, [f"/api/issue/?modified_gt={each}" for each in known["since"]]),
        Row(
            "issues by year and month",
            API,
            [f"/api/issue/?cover_year={y}&cover_month={m}" for y, m in dates],
        ),
        Row(
            "issues of three months", API,
            [f"/api/issue/?store_date_range_after={y}-{m:02}-02&store_date_range_before={y}-{m + 3:02}-01"
             for y, m in dates if m < 10],
        ),
    ]  # fmt: skip
    found += [
        Row(f"{kind} by name", API, [f"/api/{kind}/?name={quote(each)}" for each in words or names])
        for kind, names in named.items()
        for words in [sorted({word for name in names for word in re.findall(r"\w{4,}", name)})]
    ]
    found += [
        Row(f"{kind} list, page 1", API, [f"/api/{kind}/"]) for kind in ("issue", "series", "publisher")
    ]
    found += [
        Row("issue list, a deep page", API, [f"/api/issue/?page={n}" for n in range(pages // 2, pages + 1)]),
        Row("series issue_list, the longest", API, [f"/api/series/{longest['id']}/issue_list/"]),
        Row("character issue_list, the busiest", API, [f"/api/character/{busiest['id']}/issue_list/"]),
        Row(f"collection list ({COLLECTION_SIZE:,} issues)", API, ["/api/collection/"]),
        Row("reading lists", API, ["/api/reading_list/"]),
        Row("items of a reading list", API, lists),
        Row("issues of the pull list", API, ["/api/pull_list/issues/"]),
    ]
    for who, mark in ((ANONYMOUS, ""), (MEMBER, ", member")):
        found += [
            Row(f"issue page{mark}", who, [f"/issue/{each['slug']}/" for each in issues]),
            Row(f"series page{mark}", who, [f"/series/{each['slug']}/" for each in series]),
        ]
    found += [
        Row("page of the longest series", ANONYMOUS, [f"/series/{longest['slug']}/"]),
        Row("character page", ANONYMOUS, [f"/character/{each}/" for each in known["characters"]]),
        Row("publisher page", ANONYMOUS, [f"/publisher/{each}/" for each in known["publishers"]]),
        Row("series list page", ANONYMOUS, ["/series/"]),
        Row("issue list page", ANONYMOUS, ["/issue/"]),
        Row("series search page", ANONYMOUS, [f"/series/?q={quote(each)}" for each in words]),
        Row("issue search page", ANONYMOUS, [f"/issue/?q={quote(each)}" for each in words]),
        Row("home", ANONYMOUS, ["/"]),
        Row("home, an unknown parameter", ANONYMOUS, [f"/?x={n}" for n in range(20_000)], SAME_HOST),
        Row("collection page, member", MEMBER, ["/collection/"]),
    ]
    written = [f"/api/issue/{each['id']}/" for each in issues]
    changed = {"method": "PATCH", "body": '{"page": 32, "sku": "B@N@"}', **SAME_HOST}
    scrobbled = {"method": "POST", "body": json.dumps({"issue_id": issues[50]["id"]}), **SAME_HOST}
    return [
        *found,
        Row("PATCH of an issue", EDITOR, written, changed),
        Row("scrobble", EDITOR, ["/api/collection/scrobble/"], scrobbled),
    ]


class ServedCheckout:
    """A checkout that is served in a process of its own, until the block ends."""

    def __init__(self, stack: ExitStack, name: str, folder: Path, issues: int):
        self.name = name
        command = [str(folder / ".venv/bin/python"), "-W", "ignore", "-m", "bench.misses", "--serve"]
        process = subprocess.Popen(
            [*command, "--issues", str(issues)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(process.wait)
        stack.callback(process.stdin.close)
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name} does not serve.")
        self.known = json.loads(line)
        self.port, self.pids = self.known["port"], self.known["pids"]
        self._headers = {
            API: self.known["credentials"],
            EDITOR: {**self.known["credentials"], "Content-Type": "application/json"},
            ANONYMOUS: {"Accept": "text/html"},
            MEMBER: {"Accept": "text/html", "Cookie": log_in(self.port)},
        }

    @property
    def cpu(self) -> float:
        """CPU seconds of web server, PostgreSQL and Redis."""
        return sum(map(cpu_seconds, self.pids))

    def load(self, row: Row) -> Load:
        """The load of a row."""
        load = Load(self.port, tuple(row.paths), self._headers[row.who], connections=CONNECTIONS)
        return replace(load, **row.more)

    def memory(self) -> list[int]:
        """Resident megabytes of each process of the web server, largest first."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and _parent(folder) == self.pids[0]:
                used = re.search(r"^Rss:\s+(\d+)", (folder / "smaps_rollup").read_text(), re.M)
                found.append(int(used[1]) // 1024)
        return sorted(found, reverse=True)


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # the process has ended
        return 0


def log_in(port: int) -> str:
    """Log in by the form; returns the Cookie header."""
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    address = f"http://127.0.0.1:{port}/accounts/login/"
    token = re.search(r'name="csrf_token"[^>]*value="([^"]*)', opener.open(address).read().decode())[1]
    opener.open(address, urlencode({"csrf_token": token, "username": NAME, "password": PASSWORD}).encode())
    return "; ".join(f"{each.name}={each.value}" for each in jar)


def serve(issues: int) -> None:
    """Serve the checkout of the working folder until standard input ends; prints `known` values as JSON."""
    with running_harness(None, 0) as harness:
        with harness.engine.begin() as connection:
            reader = connection.execute(
                text("UPDATE user_account SET is_superuser = true WHERE username = :name RETURNING id"),
                {"name": NAME},
            ).scalar_one()
        with harness.engine.connect() as connection:
            library_rows.fill(connection, reader, clock.now().date(), issues, items=COLLECTION_SIZE)
        app = harness.app_settings(**{"comicsdb_api.throttle": "off", "comicsdb.secure_cookies": "false"})
        server = harness.serve("ours", app, {"workers": "2"})
        postmaster = (harness.cluster.home / "data" / "postmaster.pid").read_text().split()[0]
        known = {
            "port": server.port,
            "pids": [server.process.pid, int(postmaster), harness.redis.process.pid],
            "credentials": harness.credentials,
            **{name: _rows(harness, statement) for name, statement in SAMPLE_QUERIES.items()},
        }
        known["named"] = {
            kind: [each["name"] for each in _rows(harness, f"SELECT DISTINCT name FROM {kind} ORDER BY 1")]
            for kind in ("series", "publisher", "character", "creator")
        }
        known["tagged"] = [(each["name"], each["number"]) for each in known["tagged"]]
        known["since"] = [each["instant"] for each in known["since"]]
        known["longest"], known["busiest"] = known["longest"][0], known["busiest"][0]
        for kind in ("characters", "publishers"):
            known[kind] = [each["slug"] for each in known[kind]]
        print(json.dumps(known), flush=True)
        sys.stdin.read()


SAMPLE_QUERIES = {
    "issues": "SELECT id, slug FROM issue ORDER BY md5(slug) LIMIT 8000",
    "series": "SELECT id, slug, name FROM series ORDER BY md5(slug)",
    "since": "SELECT to_char(modified AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS instant"
    " FROM issue ORDER BY modified DESC LIMIT 2000",
    "tagged": "SELECT s.name, i.number FROM issue i JOIN series s ON s.id = i.series_id"
    " ORDER BY md5(i.slug) LIMIT 8000",
    "longest": "SELECT id, slug FROM series ORDER BY"
    " (SELECT count(*) FROM issue WHERE series_id = series.id) DESC, id LIMIT 1",
    "busiest": "SELECT character_id AS id FROM issue_character GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    "characters": "SELECT slug FROM character ORDER BY md5(slug) LIMIT 4000",
    "publishers": "SELECT slug FROM publisher ORDER BY md5(slug) LIMIT 4000",
}


def _rows(harness: Harness, statement: str) -> list[dict]:
    with harness.engine.connect() as connection:
        return [dict(each) for each in connection.exec_driver_sql(statement).mappings()]


def measure_run(each: ServedCheckout, row: Row, seconds: int) -> tuple[float, float, float]:
    """Return the figures of a run: CPU milliseconds per request, requests per second, median milliseconds."""
    before = each.cpu
    run = loader.drive(each.load(row), seconds)
    if run.failed or not run.requests:
        raise RuntimeError(f"{row.name}: {run.failed} of {run.requests} requests failed ({each.name})")
    return 1000 * (each.cpu - before) / run.requests, run.rate, run.p50


def warm_up(each: ServedCheckout, row: Row) -> None:
    """Send requests until there is a response: the first page of a kind takes a while."""
    while not loader.drive(each.load(row), 1).requests:
        pass


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, help="another checkout, with an environment of its own")
    parser.add_argument("--issues", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="a regular expression: which rows")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.issues)
        return
    with ExitStack() as stack:
        folders = {"before": options.before.resolve()} if options.before else {}
        folders["after" if folders else "now"] = ROOT
        served = [ServedCheckout(stack, name, folder, options.issues) for name, folder in folders.items()]
        report(served, options)


def report(served: list[ServedCheckout], options) -> None:
    """Measure all rows, and print each at once, as Markdown."""
    fresh = {each.name: each.memory() for each in served}
    print(f"{options.issues:,} issues, {options.rounds} rounds of {options.seconds} s\n")
    titles = [f"{title}, {each.name}" for title in FIGURES for each in served]
    print("| what |", " | ".join(titles), "|")
    print("| --- |", " | ".join(["---:"] * len(titles)), "|", flush=True)
    for row in rows(served[-1].known):
        if not re.search(options.only, row.name):
            continue
        runs: dict[str, list] = {each.name: [] for each in served}
        for each in served:
            warm_up(each, row)
        for number in range(options.rounds):
            for each in served if number % 2 == 0 else served[::-1]:
                runs[each.name].append(measure_run(each, row, options.seconds))
        columns = zip(*map(_columns, runs.values()), strict=True)
        shown = [f"{median(figures):,.1f}" for column in columns for figures in column]
        print(f"| {row.name} |", " | ".join(shown), "|", flush=True)
    print("\nMemory of each process, Rss in MB:")
    for each in served:
        print(f"- {each.name}: {fresh[each.name]} when fresh, {each.memory()} after the run")


def _columns(runs: list[tuple]) -> list[tuple]:
    return list(zip(*runs, strict=True))


if __name__ == "__main__":
    main()
