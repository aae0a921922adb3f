"""Measures reads of the API: hits, misses, searches and 304, compared with constant views.

    python -m bench.reads [--data FOLDER] [--issues 100000] [--seconds 2] [--rounds 5]

Starts PostgreSQL with a generated catalog (or a data set), Redis, and six servers as in production.ini, of
two processes each: our application without Redis, so that PostgreSQL counts limits, the same without limits,
one without limits or a memory cache (so that hits come from Redis), one that counts limits in Redis, a
constant Cornice view, and a bare WSGI application. All rows are measured in each round, forwards and
backwards in turn; figures are medians over the rounds, and a ratio is the median of the rounds' ratios.
Status and X-Cache of responses are checked beforehand, and a row with a failed request ends the run.
"""

import argparse
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import constant, loader
from bench.harness import Harness, Server, running_harness
from bench.loader import Run
from bench.scenarios import (
    DETAIL_STATEMENT,
    HIT,
    ISSUES,
    LIST_STATEMENT,
    TARGETS,
    Scenario,
    Target,
    issue_paths,
    scenarios,
)
from bench.statements import Replay

WORKERS = {"workers": "2"}
ATTEMPTS = 4
RUN_FIGURES = ("rate", "p50", "p99", "size")
CPU_FIGURES = ("server", "database")
OMITTED_HEADERS = {"date", "server", "connection", "x-cache"}  # the server's own headers


def main() -> None:
    """Measure and print."""
    options = _options()
    with running_harness(options.data, options.issues) as harness:
        servers = _servers(harness)
        rows = [each for each in scenarios(harness, **servers) if re.search(options.only, each.name)]
        for row in rows:
            check(row)
        replays = {
            DETAIL_STATEMENT: Replay(harness, issue_paths(harness)[0], _ids(harness)),
            LIST_STATEMENT: Replay(harness, ISSUES),
        }
        figures = measure(harness, rows, replays, options)
        report(rows, figures, options)
        for each in replays.values():
            each.close()


def _options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a data set to import, instead of a generated catalog")
    parser.add_argument("--issues", type=int, default=100_000, help="issues of the generated catalog")
    parser.add_argument("--seconds", type=int, default=2, help="of each row in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a regular expression: which rows")
    return parser.parse_args()


def _servers(harness: Harness) -> dict[str, Server]:
    """Start the servers; comicsdb comes first, as the constant ones return its responses."""
    alone, unlimited = {"comicsdb.cache.url": ""}, {"comicsdb_api.throttle": "off"}
    ours = harness.serve("ours", harness.app_settings(**alone), WORKERS)
    free = harness.serve("free", harness.app_settings(**alone, **unlimited), WORKERS)
    from_redis = harness.serve(
        "from_redis", harness.app_settings(**unlimited, **{"comicsdb.cache.memory_mb": "0"}), WORKERS
    )
    counted = harness.serve("counted", harness.app_settings(), WORKERS)
    for name, path in (("detail", issue_paths(harness)[0]), ("list", ISSUES)):
        status, headers, body = ours.get(path, harness.credentials)
        if status != 200:
            raise RuntimeError(f"{path}: {status} {body[:200]}")
        constant.write(
            harness.folder, name, [each for each in headers if each[0] not in OMITTED_HEADERS], body
        )
    bodies = {"bodies": str(harness.folder)}
    cornice = harness.serve("cornice", {"use": "call:bench.constant:cornice_app", **bodies}, WORKERS)
    bare = harness.serve("bare", {"use": "call:bench.constant:wsgi_app", **bodies}, WORKERS)
    return {
        "ours": ours,
        "free": free,
        "from_redis": from_redis,
        "counted": counted,
        "constant": cornice,
        "bare": bare,
    }


def _ids(harness: Harness) -> list[int]:
    return [int(path.split("/")[3]) for path in issue_paths(harness)]


def check(row: Scenario) -> None:
    """Check many responses; raise RuntimeError unless all are as the row expects, within a few attempts.

    Connections are distributed to processes by chance, so filling all caches may take several attempts.
    """
    for _ in range(ATTEMPTS):
        seen = loader.drive(row.load, 2, expected=row.status)
        if seen.failed or seen.expected != seen.requests:
            raise RuntimeError(
                f"{row.name}: {seen.expected} of {seen.requests} had status {row.status}: {seen}"
            )
        wanted = {HIT: seen.requests, None: seen.hits}.get(row.cache, 0)
        if seen.requests and seen.hits == wanted:
            return
    raise RuntimeError(f"{row.name}: {seen.hits} of {seen.requests} were hits, and {wanted} should be")


@dataclass(frozen=True)
class Figure:
    """One run of a row, with CPU microseconds per request."""

    run: Run
    server: float
    database: float

    @property
    def mean(self) -> float:
        """Return the mean milliseconds per request."""
        return self.run.mean


def measure(harness: Harness, rows: list[Scenario], replays: dict[str, Replay], options) -> dict[str, list]:
    """Return the figures by row, one per round."""
    figures: dict[str, list] = {name: [] for name in (*(row.name for row in rows), *replays)}
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        ordered = [*rows, *replays]
        for each in ordered if number % 2 == 0 else ordered[::-1]:
            if isinstance(each, str):
                figures[each].append(replays[each].run(options.seconds))
            else:
                figures[each.name].append(_measure_once(harness, each, options.seconds))
    return figures


def _measure_once(harness: Harness, row: Scenario, seconds: int) -> Figure:
    server, database = row.server.cpu, harness.database_cpu
    run = loader.drive(row.load, seconds)
    if run.failed or not run.requests:
        raise RuntimeError(f"{row.name}: {run.failed} of {run.requests} requests failed")
    each = 1e6 / run.requests
    return Figure(run, (row.server.cpu - server) * each, (harness.database_cpu - database) * each)


def report(rows: list[Scenario], figures: dict[str, list], options, targets=TARGETS) -> None:
    """Print the tables, as Markdown."""
    data = options.data or f"{options.issues:,} issues"
    print(
        f"\n{os.cpu_count()} cores, Python {platform.python_version()}, {data}, loaded by {loader.program()};"
    )
    print(f"{options.rounds} rounds of {options.seconds} s, 8 connections; load {os.getloadavg()[0]:.1f}.\n")
    print("| what | requests/s | p50 ms | p99 ms | server CPU µs | database CPU µs | bytes |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        runs = [each.run for each in figures[row.name]]
        rate, p50, p99, size = (median(getattr(run, name) for run in runs) for name in RUN_FIGURES)
        server, database = (median(getattr(each, name) for each in figures[row.name]) for name in CPU_FIGURES)
        cpu = f"{server:,.0f} | {database:,.0f}"
        print(f"| {row.name} | {rate:,.0f} | {p50:.2f} | {p99:.1f} | {cpu} | {size:,.0f} |")
    for name in (DETAIL_STATEMENT, LIST_STATEMENT):
        if name not in figures:
            continue
        mean = median(each.mean for each in figures[name])
        database = median(each.database for each in figures[name])
        print(f"| {name} | {1000 / mean:,.0f} | {mean:.2f} | | | {database:,.0f} | |")
    print("\n| ratio | measured | by CPU | target |\n| --- | ---: | ---: | --- |")
    for target in targets:
        if figures.get(target.over) and figures.get(target.under):
            _print_target(target, list(zip(figures[target.over], figures[target.under], strict=True)))
    print(
        "\nRows `one at a time` have one connection. Ratios of times are of mean times; by CPU, of all that a"
    )
    print("miss takes to what the statement alone takes of the database.")


def _print_target(target: Target, pairs: list) -> None:
    if target.times:
        ratio = median(over.mean / under.mean for over, under in pairs)
        cpu = median((over.server + over.database) / _cpu(under) for over, under in pairs)
    else:
        ratio = median(over.run.rate / under.run.rate for over, under in pairs)
        cpu = median(under.server / over.server for over, under in pairs)
    asked = ""
    if target.limit:
        asked = f"at {'most' if target.times else 'least'} {target.limit}, "
        asked += "met" if target.met(ratio) else "**not met**"
    print(f"| {target.name} | {ratio:.2f} | {cpu:.2f} | {asked} |")


def _cpu(figure) -> float:
    return figure.database + getattr(figure, "server", 0)


if __name__ == "__main__":
    main()
