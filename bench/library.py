"""Measures the database time of the pages and endpoints of the library, for a reader with large lists.

    python -m bench.library [--issues 40000] [--only WORDS] [--plans] [--folder FOLDER]

Starts a PostgreSQL of its own, fills it (bench/library_rows.py), and requests every URL several times through
the whole application; writes are rolled back. Printed are, slowest last, the number of statements, their time
in the best run as the driver measured it, and for reads their CPU time, both in milliseconds. CPU time is the
best of three executions of each statement, including planning, without parallel workers. `--plans` shows the
plan of the most expensive statement of each URL. `--folder` keeps the database.
"""

import argparse
import base64
import json
import logging
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import webtest
from sqlalchemy import Engine, create_engine, delete, select, text

from bench import library_rows
from bench.library_addresses import CALLS, ENDPOINTS, FORMS, FOUND, PAGES
from comicsdb import clock
from comicsdb.accounts import feed_addresses
from comicsdb.accounts.passwords import Passwords
from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.db.read_pool import ReadConnection
from comicsdb.models import FeedAddress, User
from tests.conftest import build_app, client_on, forget_limits
from tests.web.conftest import form_to, log_in

NAME, PASSWORD = "Nora", "correct horse"
RUNS = 4  # the first one warms up
REPLAYS = 3
MILLISECONDS_MAX = 100  # milliseconds that the database may take
IGNORED_STATEMENTS = ("SAVEPOINT", "RELEASE", "ROLLBACK")
EXPLAIN = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "
REPLAYED_STATEMENTS = ("SELECT", "WITH", "INSERT")


@dataclass
class SentStatement:
    """A statement as it was sent; `values` is None if it was prepared before."""

    query: str
    values: object
    seconds: float


@dataclass
class Figures:
    """The database time of a URL in milliseconds; `cpu` is None if it was not measured."""

    name: str
    statements: int
    driver: float
    cpu: float | None = None
    plan: str = ""


@contextmanager
def recorded_statements() -> Iterator[list[SentStatement]]:
    """Record all statements sent within the block."""
    found, execute, row = [], psycopg.Cursor.execute, ReadConnection.row

    def timed(send: Callable, query: str, values):
        began = time.perf_counter()
        try:
            return send()
        finally:
            if not query.startswith(IGNORED_STATEMENTS):
                found.append(SentStatement(query, values, time.perf_counter() - began))

    def executed(cursor, query, params=None, **options):
        if not isinstance(query, str):  # sent by the driver on a new connection
            return execute(cursor, query, params, **options)
        return timed(lambda: execute(cursor, query, params, **options), query, params or {})

    def prepared(line, query, values):
        return timed(lambda: row(line, query, values), query, None)

    psycopg.Cursor.execute, ReadConnection.row = executed, prepared
    try:
        yield found
    finally:
        psycopg.Cursor.execute, ReadConnection.row = execute, row


class Bench:
    """The application with a full database, a logged-in browser, and an anonymous one."""

    def __init__(self, app, engine: Engine, ids: dict, plans: bool):
        self.app, self.engine, self.ids, self.plans = app, engine, ids, plans
        self.browser, self.anonymous = webtest.TestApp(app), webtest.TestApp(app)
        log_in(self.browser, NAME, PASSWORD)
        pair = base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        self.headers = {"Authorization": f"Basic {pair}"}

    def all(self, words: str) -> Iterator[Figures]:
        """Yield the figures of all URLs that contain the words."""
        for pattern in PAGES:
            path, browser = self._path(pattern.removeprefix("!")), self._browser(pattern)
            yield from self._measure_if(words, pattern, lambda p=path, b=browser: self.read(lambda: b.get(p)))
        for pattern in ENDPOINTS:
            path = self._path(pattern)
            yield from self._measure_if(
                words, pattern, lambda p=path: self.read(lambda: self._call("GET", p))
            )
        for method, pattern, body in CALLS:
            path, sent = self._path(pattern), {} if body is None else self._fill(body)
            yield from self._measure_if(
                words, f"{method} {pattern}", lambda c=(method, path, sent): self.call(*c)
            )
        for page, action, fields in FORMS:
            name = f"POST {action or page}"
            given = (self._path(page), self._path(action or page), fields)
            yield from self._measure_if(words, name, lambda g=given: self.send(*g))

    def _measure_if(self, words, name, measure) -> Iterator[Figures]:
        if words not in name:
            return
        try:
            figures = measure()
        except webtest.AppError as error:
            print(f"{name}: {error}"[:600], file=sys.stderr)
            return
        figures.name = name
        print(".", end="", file=sys.stderr, flush=True)
        yield figures

    def _browser(self, pattern: str) -> webtest.TestApp:
        return self.anonymous if pattern.startswith("!") else self.browser

    def _path(self, pattern: str) -> str:
        return pattern.format(**self.ids)

    def _fill(self, body: dict) -> dict:
        filled = {
            name: int(self._path(value)) if str(value).startswith("{") else value
            for name, value in body.items()
        }
        return {"body": json.dumps(filled).encode(), "content_type": "application/json"}

    def _call(self, method: str, path: str, **more):
        return self.browser.request(path, method=method, headers=self.headers, **more)

    # Measuring.

    def read(self, ask: Callable) -> Figures:
        """Measure a read, with the application's own connections."""
        runs = [self._run(ask) for _ in range(RUNS)][1:]
        best = min(runs, key=_milliseconds)
        replayed = self._replay(best)
        dearest = max(replayed, key=lambda plan: plan["ms"], default=None)
        return Figures(
            "", len(best), _milliseconds(best), sum(each["ms"] for each in replayed), _format_plan(dearest)
        )

    def call(self, method: str, path: str, sent: dict) -> Figures:
        """Measure a write through the API, and roll it back."""

        def prepared(browser):
            return lambda: browser.request(path, method=method, headers=self.headers, **sent)

        return self._measure_rolled_back(prepared)

    def send(self, page: str, action: str, fields: dict) -> Figures:
        """Measure the submission of a form of the site, and roll it back."""

        def prepared(browser):
            form = form_to(browser.get(page), action)
            for name, value in fields.items():
                form[name] = value
            return lambda: form.submit(status=303)

        return self._measure_rolled_back(prepared)

    def _measure_rolled_back(self, prepare: Callable) -> Figures:
        runs = []
        for _ in range(RUNS):
            with self.engine.connect() as connection:
                connection.connection.driver_connection.prepare_threshold = None
                outer = connection.begin()
                with client_on(self.app, connection) as browser:
                    browser.cookiejar = self.browser.cookiejar
                    ask = prepare(browser)
                    runs.append(self._run(ask))
                outer.rollback()
        best = min(runs[1:], key=_milliseconds)
        return Figures("", len(best), _milliseconds(best))

    def _run(self, ask: Callable) -> list[SentStatement]:
        forget_limits(self.app.registry["comicsdb.limiter"])
        with recorded_statements() as sent:
            ask()
        return sent

    def _replay(self, sent: list[SentStatement]) -> list[dict]:
        """Return the CPU time of each statement when it is sent again, the best of several runs."""
        best: dict[int, dict] = {}
        for _ in range(REPLAYS):
            with self.engine.connect() as connection:
                driver = connection.connection.driver_connection
                driver.execute("SET LOCAL max_parallel_workers_per_gather = 0")
                driver.execute("SET LOCAL jit = off")  # as on the application's connections
                for place, each in enumerate(sent):
                    if each.values is None:
                        continue
                    if not each.query.lstrip().startswith(REPLAYED_STATEMENTS):
                        driver.execute(each.query, each.values)
                        continue
                    plan = _execute(driver, each, self.plans)
                    if place not in best or plan["ms"] < best[place]["ms"]:
                        best[place] = plan
                connection.rollback()
        return list(best.values())


def _execute(driver, each: SentStatement, plans: bool) -> dict:
    """Run a statement alone in its backend and return its CPU time, including planning."""
    before = _cpu(driver)
    driver.execute(each.query, each.values, prepare=False)
    took = _cpu(driver) - before
    plan = None
    if plans:
        ((plan,),) = driver.execute(EXPLAIN + each.query, each.values, prepare=False).fetchone()
    return {"ms": took, "query": each.query, "plan": plan}


def _cpu(driver) -> float:
    """Return the CPU milliseconds used by the backend of a connection, from /proc."""
    return int(Path(f"/proc/{driver.info.backend_pid}/schedstat").read_text().split()[0]) / 1e6


def _milliseconds(sent: list[SentStatement]) -> float:
    return 1000 * sum(each.seconds for each in sent)


def _format_plan(explained: dict | None) -> str:
    if explained is None or explained["plan"] is None:
        return ""
    lines = [explained["query"], ""]
    jit = explained["plan"].get("JIT", {}).get("Timing", {}).get("Total")
    lines.append(f"planning {explained['plan']['Planning Time']}, all {explained['ms']:.1f}, jit {jit}")

    def walk(node, depth):
        words = [node["Node Type"], node.get("Relation Name", ""), node.get("Index Name", "")]
        rows = f"rows={node.get('Actual Rows')}/{node.get('Plan Rows')} loops={node.get('Actual Loops')}"
        cost = f"cost={node.get('Total Cost')}"
        lines.append("  " * depth + " ".join(filter(None, words)) + f" {rows} {cost}")
        for each in node.get("Plans", ()):
            walk(each, depth + 1)

    walk(explained["plan"]["Plan"], 0)
    return "\n".join(lines)


def main(folder: Path, issues: int, words: str, plans: bool) -> None:
    """Fill the database, unless this folder has one, then measure and print."""
    cluster = dev_cluster.start(folder / "postgres", durable=False)
    new = cluster.ensure_database("library")
    engine = create_engine(cluster.url("library"))
    app = build_app(cluster.url("library"), folder / "media")
    found = []
    for each in Bench(app, engine, _prepare(engine, issues if new else 0), plans).all(words):
        found.append(each)
        if plans:
            print(_line(each), each.plan, sep="\n", end="\n\n", flush=True)
    app.registry["comicsdb.read_pool"].close()
    app.registry["comicsdb.engine"].dispose()
    engine.dispose()
    cluster.release()
    print("\nstatements   driver ms          CPU ms")
    for each in sorted(found, key=lambda each: each.driver if each.cpu is None else each.cpu):
        print(_line(each))


def _line(figures: Figures) -> str:
    cpu = "" if figures.cpu is None else f"{figures.cpu:.1f}"
    over = "  over" if min(figures.driver, figures.cpu or figures.driver) > MILLISECONDS_MAX else ""
    return f"{figures.statements:10} {figures.driver:11.1f} {cpu:>15}   {figures.name}{over}"


def _prepare(engine: Engine, issues: int) -> dict:
    """Fill the database, unless `issues` is 0, and return the values for the braces in URLs."""
    with session_factory(engine)() as session:
        if issues:
            upgrade(engine)
            session.add(
                User(username=NAME, email="nora@example.org", password=Passwords("fast").hash(PASSWORD))
            )
            session.commit()
        reader = session.scalar(select(User.id).where(User.username == NAME))
        if issues:
            with engine.connect() as connection:
                library_rows.fill(connection, reader, clock.now().date(), issues)
        session.execute(delete(FeedAddress))
        secret, _ = feed_addresses.make_address(session, reader, "", secrets.token_hex())
        row = session.execute(text(FOUND), {"reader": reader}).one()
        session.commit()
    return {**row._mapping, "secret": secret}


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--issues", type=int, default=40_000)
    parser.add_argument("--only", default="", help="addresses that hold these words")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--folder", type=Path, help="keep the database here, for other runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        main((options.folder or Path(scratch)).resolve(), options.issues, options.only, options.plans)
