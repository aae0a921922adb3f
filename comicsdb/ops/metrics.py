"""Metrics for Prometheus at /metrics/, summed over all processes of a server, protected by a token."""

import hmac
import os
import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from time import perf_counter

from pyramid.response import Response
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from comicsdb.config import SettingsError
from comicsdb.db.replicas import Replica
from comicsdb.http import READ_METHODS
from comicsdb.http.execution_policies import NOTE_CUT_KEY, ROUTE_KEY, wrap_execution_policy
from comicsdb.ops.metrics_folder import FOLDER, create_shared_folder
from comicsdb.ops.watchdog import is_alive
from comicsdb.readcache.regions import Watched

PATH = "/metrics/"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# Meaning of each queue, and the statement for the number of its rows and the age of the oldest.
QUEUES = {
    "comicsdb_mail_queue": (
        "Mails that wait to be sent",
        "SELECT count(*), coalesce(extract(epoch FROM now() - min(queued)), 0)"
        " FROM outgoing_mail WHERE sent IS NULL AND next_attempt IS NOT NULL",
    ),
    "comicsdb_webhook_queue": (
        "Messages that wait for their webhooks",
        "SELECT count(*), coalesce(extract(epoch FROM now() - min(created_on)), 0)"
        " FROM webhook_delivery WHERE next_attempt IS NOT NULL",
    ),
}


class Instruments:
    """The instruments, with their names and help texts."""

    def __init__(self):
        create_shared_folder()  # first: the library decides on import whether its figures are in files
        from prometheus_client import Counter, Gauge, Histogram  # noqa: PLC0415  (the extra `metrics`)

        # In no registry: the files of all processes are collected instead.
        counter, gauge = partial(Counter, registry=None), partial(Gauge, registry=None)
        self.requests = counter(
            "comicsdb_requests", "Requests by route and class of status", ("route", "status")
        )
        self.seconds = Histogram(
            "comicsdb_request_seconds",
            "Seconds until an answer was ready to be sent",
            ("route",),
            buckets=BUCKETS,
            registry=None,
        )
        self.cut = counter(
            "comicsdb_cut_responses", "Responses whose body failed after its beginning", ("route",)
        )
        self.throttled = counter("comicsdb_throttled", "Requests answered 429")
        self.cache = counter(
            "comicsdb_cache_values",
            "Values that the response cache had (hit) or that were made (miss)",
            ("region", "result"),
        )
        self.memory = gauge(
            "comicsdb_cache_memory_bytes",
            "Bytes of the caches in the memory of all processes",
            ("cache",),
            multiprocess_mode="livesum",
        )
        self.connections = gauge(
            "comicsdb_database_connections",
            "Connections of the pools: open, in use, and how many there may be",
            ("state",),
            multiprocess_mode="livesum",
        )
        self.waiting = gauge(
            "comicsdb_waiting_requests",
            "Requests that wait for changes: long polls and open streams",
            multiprocess_mode="livesum",
        )
        self.replica_up = gauge(
            "comicsdb_replica_up",
            "Whether all processes read from the replica (1), or one has left it out (0)",
            ("replica",),
            multiprocess_mode="livemin",
        )
        self.replica_reads = counter(
            "comicsdb_replica_reads",
            "Reads for which a replica was asked: used, behind (the primary answered) or failed (likewise)",
            ("replica", "result"),
        )


@cache
def instruments() -> Instruments:
    """The instruments of this process."""
    return Instruments()


class MetricsPolicy:
    """An execution policy that measures requests and serves the metrics."""

    def __init__(self, registry, inner):
        self._inner = inner
        self._token = registry.settings["comicsdb.metrics.token"].encode()
        self._engine = registry["comicsdb.engine"]
        self._dump_age = registry.get("comicsdb.dump_age")
        self._instruments = instruments()

    def __call__(self, environ, router):
        """The response."""
        if environ.get("PATH_INFO") == PATH:
            return self._metrics(environ)
        begun, status = perf_counter(), 500
        environ[NOTE_CUT_KEY] = partial(self._note_cut, environ)
        try:
            response = self._inner(environ, router)
            status = response.status_code
        finally:
            route = environ.get(ROUTE_KEY) or "none"
            self._instruments.requests.labels(route, f"{status // 100}xx").inc()
            self._instruments.seconds.labels(route).observe(perf_counter() - begun)
            if status == 429:
                self._instruments.throttled.inc()
        return response

    def _note_cut(self, environ) -> None:
        self._instruments.cut.labels(environ.get(ROUTE_KEY) or "none").inc()

    def _metrics(self, environ) -> Response:
        scheme, _, sent = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        proof = sent.strip().encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(proof, self._token) or scheme.lower() != "bearer":
            return _refuse(401, "The token is missing or wrong.", "WWW-Authenticate", "Bearer")
        if environ["REQUEST_METHOD"] not in READ_METHODS:
            return _refuse(405, "Figures are read.", "Allow", ", ".join(READ_METHODS))
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest  # noqa: PLC0415
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

        _drop_dead_processes()
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        registry.register(DatabaseCollector(self._engine))
        if self._dump_age is not None:
            registry.register(DumpCollector(self._dump_age))
        headers = [("Content-Type", CONTENT_TYPE_LATEST), ("Cache-Control", "no-store")]
        return Response(generate_latest(registry), headerlist=headers)


def _refuse(status: int, text: str, name: str, value: str) -> Response:
    response = Response(text=text, status=status, content_type="text/plain", charset="utf-8")
    response.headers[name] = value
    return response


class DatabaseCollector:
    """Metrics queried from the database: whether it is available, and the queues."""

    def __init__(self, engine: Engine):
        self._engine = engine

    def collect(self):
        """Collect the metrics; if the database is unavailable, only that."""
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

        queues = {}
        try:
            with self._engine.connect() as connection:
                queues = {name: connection.execute(text(sql)).one() for name, (_, sql) in QUEUES.items()}
        except SQLAlchemyError:
            pass
        yield GaugeMetricFamily("comicsdb_database_up", "Whether the database answers", bool(queues))
        for name, (number, oldest) in queues.items():
            yield GaugeMetricFamily(name, QUEUES[name][0], number)
            yield GaugeMetricFamily(f"{name}_oldest_seconds", "Age of the oldest", float(oldest))


class DumpCollector:
    """The age of the newest dump, infinite if there is none."""

    def __init__(self, age: Callable[[], timedelta | None]):
        self._age = age

    def collect(self):
        """Collect the metric."""
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

        age = self._age()
        seconds = float("inf") if age is None else age.total_seconds()
        yield GaugeMetricFamily("comicsdb_dump_age_seconds", "Age of the newest dump", seconds)


def _drop_dead_processes() -> None:
    """Drop the gauges of processes that have ended; their counters are kept."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    for file in Path(os.environ[FOLDER]).glob("gauge_live*_*.db"):
        pid = int(re.search(r"_(\d+)\.db$", file.name)[1])
        if not is_alive(pid):
            mark_process_dead(pid)


def _watch_pool(engine: Engine, gauge) -> None:
    for name, state, change in (
        ("connect", "open", 1),
        ("close", "open", -1),
        ("checkout", "used", 1),
        ("checkin", "used", -1),
    ):
        child = gauge.labels(state)
        event.listen(engine, name, lambda *_given, child=child, change=change: child.inc(change))
    most = getattr(engine.pool, "_max_overflow", 0)
    gauge.labels("most").set(engine.pool.size() + max(0, most) if hasattr(engine.pool, "size") else 0)


def _watch_cache(regions, counter) -> None:
    for name, region in regions:
        hit, miss = counter.labels(name, "hit"), counter.labels(name, "miss")
        region.wrap(Watched(hit.inc, miss.inc))


def _watch_replica(replica: Replica, found: Instruments) -> None:
    replica.on_change = found.replica_up.labels(replica.name).set
    replica.on_change(True)
    replica.on_read = lambda result: found.replica_reads.labels(replica.name, result).inc()


def includeme(config):
    """Add metrics if a token is set. Raises SettingsError if the library is not installed."""
    settings = config.get_settings()
    if not settings["comicsdb.metrics.token"]:
        return
    try:
        found = instruments()
    except ImportError as error:
        raise SettingsError(
            "The setting comicsdb.metrics.token needs a library that is not installed:"
            " pip install 'comicsdb[metrics]'."
        ) from error
    registry = config.registry
    _watch_pool(registry["comicsdb.engine"], found.connections)
    cache = registry["comicsdb.cache"]
    regions = (("detail", cache.detail), ("list", cache.list), ("figures", cache.figures))
    _watch_cache(regions, found.cache)
    cache.lru.on_resize = found.memory.labels("answers").set
    registry["comicsdb.validator_cache"].lru.on_resize = found.memory.labels("validators").set
    for replica in registry["comicsdb.replicas"] or ():
        _watch_replica(replica, found)
    wrap_execution_policy(config, MetricsPolicy)
