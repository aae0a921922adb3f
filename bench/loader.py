"""Generates load on a server: with wrk if it is installed, else with a loader in Python.

The loader in Python uses several times the CPU of wrk, on the server's machine, so its figures are lower.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

NUMBERS_PER_RUN = 10_000_000  # numbers for one run, so that runs request different URLs
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Load:
    """The requests to a server.

    The paths are requested in turn. With `fresh`, each request has another Host header, so it is not cached.
    `@N@` in a body is replaced by a number, which differs for each request.
    """

    port: int
    paths: tuple[str, ...]
    headers: dict[str, str] = field(default_factory=dict)
    fresh: bool = False
    connections: int = 8
    method: str = "GET"
    body: str = ""


@dataclass(frozen=True)
class Run:
    """The result of a run; times in milliseconds, `size` in bytes per response, including headers."""

    requests: int
    seconds: float
    size: float
    mean: float
    p50: float
    p99: float
    failed: int  # no response, or a status from 400 up
    expected: int  # responses with the expected status; counted only when checking
    hits: int  # responses with X-Cache: HIT; counted only when checking

    @property
    def rate(self) -> float:
        """Return the requests per second."""
        return self.requests / self.seconds


SCRIPT = """
local paths, made, at = {}, {}, tonumber(os.getenv("BENCH_AT"))
local fresh, expected = os.getenv("BENCH_FRESH") == "1", tonumber(os.getenv("BENCH_EXPECTED"))
local method, body = os.getenv("BENCH_METHOD"), os.getenv("BENCH_BODY")
local threads = {}
good, hits = 0, 0
function setup(thread) table.insert(threads, thread) end
function init()
  for line in io.lines(os.getenv("BENCH_PATHS")) do
    paths[#paths + 1] = line
    made[#made + 1] = wrk.format("GET", line)
  end
end
function request()
  at = at + 1
  local which = at % #paths + 1
  if method ~= "GET" then
    return wrk.format(method, paths[which], nil, (body:gsub("@N@", at)))
  elseif fresh then
    wrk.headers["Host"] = "h" .. at .. ".example"
    return wrk.format("GET", paths[which])
  end
  return made[which]
end
if expected then
  function response(status, headers)
    if status == expected then good = good + 1 end
    if (headers["x-cache"] or headers["X-Cache"]) == "HIT" then hits = hits + 1 end
  end
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\nBENCH {"requests":%d,"seconds":%f,"size":%f,"mean":%f,"p50":%f,"p99":%f,' ..
    '"failed":%d,"expected":%d,"hits":%d}\\n', summary.requests, summary.duration / 1e6,
    summary.bytes / math.max(1, summary.requests), latency.mean / 1e3, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.status + e.connect + e.read + e.write + e.timeout,
    threads[1]:get("good"), threads[1]:get("hits")))
end
"""


def program() -> str:
    """Return the name of the loader that `drive` uses."""
    return "wrk" if shutil.which("wrk") else "the loader of our own, in Python"


def drive(load: Load, seconds: float, *, expected: int | None = None) -> Run:
    """Generate load for a number of seconds.

    With `expected`, a status, every response is checked, which costs the loader time: for checks beforehand.
    """
    at = next(_numbers) * NUMBERS_PER_RUN
    return (_wrk if shutil.which("wrk") else _python_loader)(load, seconds, expected, at)


def _wrk(load: Load, seconds: float, expected: int | None, at: int) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        script, paths = Path(folder, "bench.lua"), Path(folder, "paths")
        script.write_text(SCRIPT)
        paths.write_text("\n".join(load.paths) + "\n")
        command = ["wrk", "-t1", f"-c{load.connections}", f"-d{max(1, round(seconds))}s", "--latency"]
        command += ["--timeout", "20s", "-s", str(script)]
        for name, value in load.headers.items():
            command += ["-H", f"{name}: {value}"]
        given = {"BENCH_AT": str(at), "BENCH_FRESH": str(int(load.fresh)), "BENCH_PATHS": str(paths)}
        given |= {"BENCH_METHOD": load.method, "BENCH_BODY": load.body}
        if expected is not None:
            given["BENCH_EXPECTED"] = str(expected)
        command.append(f"http://127.0.0.1:{load.port}/")
        environment = {**os.environ, **given}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return _run_from(done)


def _python_loader(load: Load, seconds: float, expected: int | None, at: int) -> Run:
    asked = {"load": asdict(load), "seconds": seconds, "expected": expected, "at": at}
    command = [sys.executable, "-m", "bench.python_loader"]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    return _run_from(done)


def _run_from(done: subprocess.CompletedProcess) -> Run:
    for line in done.stdout.splitlines():
        if line.startswith("BENCH "):
            return Run(**json.loads(line.removeprefix("BENCH ")))
    raise RuntimeError(f"{done.args[:3]} failed: {done.stdout[-500:]}{done.stderr[-1500:]}")
