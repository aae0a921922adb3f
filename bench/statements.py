"""Measures the database time of a URL: its statement is recorded and run alone."""

import time
from dataclasses import dataclass

from pyramid.request import Request

import comicsdb
from bench.harness import Harness
from comicsdb.db.read_pool import CompiledQuery, ReadPool, connector


class StatementRecorder:
    """Wraps the read pool and records its statements."""

    def __init__(self, read_pool: ReadPool):
        self.read_pool = read_pool
        self.seen: list[tuple[CompiledQuery, dict]] = []

    def fetch(self, query: CompiledQuery, parameters: dict):
        """Record and call the read pool."""
        self.seen.append((query, parameters))
        return self.read_pool.fetch(query, parameters)

    def first(self, statement, parameters: dict):
        """Record and call the read pool."""
        return self.read_pool.first(statement, parameters)


def body_statement(harness: Harness, path: str) -> tuple[CompiledQuery, dict]:
    """Return the statement that builds the body of a URL on a cache miss: the last one sent."""
    settings = {**harness.app_settings(), "sqlalchemy.url": harness.url, "comicsdb.cache.url": ""}
    del settings["use"]
    app = comicsdb.main({}, **settings, **{"pyramid.includes": "comicsdb_api comicsdb_web"})
    listener = app.registry["comicsdb.read_pool"] = StatementRecorder(app.registry["comicsdb.read_pool"])
    answer = Request.blank(path, headers=harness.credentials).get_response(app)
    if answer.status_int != 200 or answer.headers["X-Cache"] != "MISS":
        raise RuntimeError(f"{path}: {answer.status} {answer.headers.get('X-Cache')}")
    listener.read_pool.close()
    app.registry["comicsdb.engine"].dispose()
    return listener.seen[-1]


@dataclass(frozen=True)
class ExecutionCost:
    """The cost of an execution: elapsed milliseconds, CPU microseconds of the database."""

    mean: float
    database: float


class Replay:
    """A statement that is run repeatedly on one connection, prepared and read as in the application."""

    def __init__(self, harness: Harness, path: str, ids: list[int] | None = None):
        self.query, self.parameters = body_statement(harness, path)
        self.ids = ids
        self.read_pool = ReadPool(connector(harness.engine))
        self.harness = harness
        self.at = 0

    def run(self, seconds: float) -> "ExecutionCost":
        """Execute for a number of seconds."""
        cpu, count, begun = self.harness.database_cpu, 0, time.perf_counter()
        while (took := time.perf_counter() - begun) < seconds:
            self.read_pool.fetch(self.query, self._next())
            count += 1
        return ExecutionCost(1000 * took / count, 1e6 * (self.harness.database_cpu - cpu) / count)

    def _next(self) -> dict:
        if self.ids is None:
            return self.parameters
        self.at += 1
        return {**self.parameters, "id": self.ids[self.at % len(self.ids)]}

    def close(self) -> None:
        """Close the connection."""
        self.read_pool.close()
