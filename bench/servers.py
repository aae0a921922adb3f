"""Compares the installed WSGI servers: the same requests to each, side by side.

    python -m bench.servers [--data FOLDER] [--issues 20000] [--seconds 2] [--rounds 5] [--only granian]

Besides waitress and granian, which the project requires, it measures gunicorn, uWSGI and bjoern if they are
installed (`pip install gunicorn uwsgi bjoern`). Each has two processes; waitress and bjoern have only one.
"""

import argparse
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from bench import loader
from bench.harness import Harness, Server, running_harness
from bench.loader import Load
from bench.reads import check
from bench.scenarios import HIT, HITS, ISSUES, MISS, Scenario, issue_paths

APP = "bench.wsgi:application"
GUNICORN = [sys.executable, "-m", "gunicorn", "-k", "gthread", "-w", "2", "-b", "127.0.0.1:{port}", APP]
UWSGI = ["--http11-socket", "127.0.0.1:{port}", "--master", "--die-on-term", "-p", "2", "--enable-threads"]
UWSGI += ["--disable-logging", "--listen", "100", "--module", APP]
BJOERN = "import bjoern, sys; from bench.wsgi import application as app; bjoern.run(app, '127.0.0.1', {port})"


def programs() -> dict[str, dict]:
    """Return the arguments of `serve` for each server, by its label in the table."""
    found: dict[str, dict] = {}
    for threads in (2, 4, 8):
        given = {"workers": "2", "threads": str(threads)}
        found[f"granian, 2 x {threads} threads"] = {"server": given}
    found["waitress, 4 threads"] = {"server": {"use": "egg:waitress#main", "threads": "4"}}
    if find_spec("gunicorn"):
        found["gunicorn gthread, 2 x 2 threads"] = {"command": [*GUNICORN, "--threads", "2"]}
    uwsgi = Path(sys.executable).with_name("uwsgi")
    if uwsgi.exists():
        home = ["-H", sys.prefix, "--pythonpath", "."]
        found["uWSGI, 2 x 2 threads"] = {"command": [str(uwsgi), *UWSGI, *home, "--threads", "2"]}
    if find_spec("bjoern"):
        found["bjoern, 1 x 1 thread"] = {"command": [sys.executable, "-c", BJOERN]}
    return found


def rows(harness: Harness, name: str, server: Server) -> list[Scenario]:
    """Return the rows for each server."""
    details = issue_paths(harness)
    slugs = harness.column("SELECT slug FROM issue ORDER BY id LIMIT 2000")
    pages = [f"/issue/{each}/" for each in slugs]

    def asked(paths, **more) -> dict:
        return {"server": server, "load": Load(server.port, tuple(paths), **more)}

    token = {"headers": harness.credentials}
    return [
        Scenario(f"{name} | detail hit", **asked(details[:HITS], **token), cache=HIT),
        Scenario(f"{name} | list miss", **asked([ISSUES], fresh=True, **token), cache=MISS),
        Scenario(f"{name} | home page", **asked(["/"])),
        Scenario(f"{name} | issue page", **asked(pages)),
    ]


def _passes(row: Scenario) -> bool:
    try:
        check(row)
    except RuntimeError as error:
        print(f"left out: {error}", file=sys.stderr)
        return False
    return True


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--issues", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a regular expression: which servers")
    options = parser.parse_args()
    with running_harness(options.data, options.issues) as harness:
        measured: dict[str, list] = {}
        asked = []
        for number, (name, how) in enumerate(programs().items()):
            if re.search(options.only, name):
                server = harness.serve(f"server{number}", harness.app_settings(), **how)
                asked += rows(harness, name, server)
        asked = [row for row in asked if _passes(row)]
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for row in asked if number % 2 == 0 else asked[::-1]:
                before = row.server.cpu
                run = loader.drive(row.load, options.seconds)
                cpu = 1e6 * (row.server.cpu - before) / run.requests
                measured.setdefault(row.name, []).append((run.rate, run.p50, run.p99, cpu, run.failed))
    print(f"\n{os.cpu_count()} cores, loaded by {loader.program()}, {options.rounds} x {options.seconds} s\n")
    print("| server | what | requests/s | p50 ms | p99 ms | server CPU µs | failed |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in sorted(measured, key=lambda name: name.split(" | ")[1]):
        rate, p50, p99, cpu, _ = map(median, zip(*measured[name], strict=True))
        failed = sum(each[-1] for each in measured[name])
        print(f"| {name} | {rate:,.0f} | {p50:.2f} | {p99:.1f} | {cpu:,.0f} | {failed} |")


if __name__ == "__main__":
    main()
