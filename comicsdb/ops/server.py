"""The server of production, granian in several processes, as a Paste server: `use = egg:comicsdb#granian`."""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.synchronize import Event, Lock
from pathlib import Path

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from pyramid.paster import get_app, get_appsettings, setup_logging
from waitress.proxy_headers import proxy_headers_middleware

from comicsdb.http.hsts import server_headers
from comicsdb.http.slow_clients import Clients
from comicsdb.ops import logs
from comicsdb.ops.watchdog import Heartbeat, Watchdog, serve_health

log = logging.getLogger(__name__)

# What granian logs goes where the ini file sends everything, at the level it names.
LOGGING = {"handlers": {}, "formatters": {}, "loggers": {"_granian": {"handlers": [], "propagate": True}}}
# How glibc gives out memory in workers, where nobody says otherwise. By itself it learns from large uploads
# to keep blocks of their size, each thread for itself: workers grew by 40 MB for each that had read one.
MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": str(1024 * 1024)}
UNABLE = signal.SIGUSR1  # what a worker sends that cannot load the application
UNLOADED = "The application cannot be loaded."
HEAD_MAX = 64 * 1024  # bytes of a request's line and headers that are taken in; the application takes less
WATCHED = 5  # seconds at least: granian ends the server when a worker fails sooner than that after its start


@dataclass(frozen=True)
class Options:
    """What the `[server:...]` section says; the names are those of waitress where it has the same thing.

    In a process the application runs in `threads` threads at a time; more than two make it slower, as they
    contend for the interpreter. `slow_clients` more wait for clients.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 2
    slow_clients: int = 32
    body_seconds: int = 60
    max_request_body_size: int = 22_000_000
    watchdog: int = 10
    health: tuple[str, int] | None = None
    trusted_proxy: str | None = None
    trusted_proxy_headers: frozenset[str] = frozenset({"x-forwarded-proto", "x-forwarded-host"})
    patience: int = 30
    app: str = "main"


def granian(global_conf: dict, **given: str) -> Callable:
    """A Paste server factory that serves the ini file's application itself, until SIGTERM or SIGINT.

    It gives `pserve` nothing back, which would load the application here before any worker does, for nobody.
    Raises SettingsError for an option that it does not know or cannot read, and OSError for a busy port.
    """
    options = read_options(given)
    _refuse_a_busy_port(options)
    run(options, global_conf)
    raise SystemExit(0)


def read_options(given: dict[str, str]) -> Options:
    """The options with types; raises SettingsError by name."""
    values = {"workers": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()}
    for name, text in given.items():
        reader = READERS.get(name)
        if reader is None:
            raise _wrong(f"The server has no option {name}; it has: {', '.join(READERS)}.")
        try:
            values |= reader(name, text.strip())
        except ValueError as error:
            raise _wrong(f"The server's option {name} ({text!r}) is wrong: it {error}.") from error
    return Options(**values)


def _wrong(words: str) -> Exception:
    from comicsdb.config import SettingsError  # noqa: PLC0415  (brings all tables, which workers need alone)

    return SettingsError(words)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdecimal():
        raise ValueError("takes an address and a port, such as 127.0.0.1:8000 or [::1]:8000")
    return host.strip("[]"), int(port)


def _listen(_name: str, text: str) -> dict:
    return dict(zip(("host", "port"), _address(text), strict=True))


def _watchdog(name: str, text: str) -> dict:
    if not text.isascii() or not text.isdecimal() or 0 < int(text) < WATCHED:
        raise ValueError(f"takes a number of seconds from {WATCHED} up, or 0 for none")
    return {name: int(text)}


def _count(name: str, text: str) -> dict:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise ValueError("takes a number from 1 up")
    return {name: int(text)}


READERS = {
    "listen": _listen,
    "workers": _count,
    "threads": _count,
    "slow_clients": _count,
    "body_seconds": _count,
    "max_request_body_size": _count,
    "watchdog": _watchdog,
    "health": lambda name, text: {name: _address(text) if text else None},
    "patience": _count,
    "trusted_proxy": lambda name, text: {name: text or None},
    "trusted_proxy_headers": lambda name, text: {name: frozenset(text.lower().replace(",", " ").split())},
    "app": lambda name, text: {name: text},
}


def run(options: Options, global_conf: dict) -> None:
    """Serve until a signal ends it; requests under way are finished first, for `patience` seconds."""
    for name, value in MALLOC.items():
        os.environ.setdefault(name, value)
    # A worker begins with nothing of this process: no connection, no lock, no thread.
    multiprocessing.set_start_method("spawn", force=True)
    server = Granian(
        "comicsdb",
        address=options.host,
        port=options.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=options.workers,
        blocking_threads=options.threads + options.slow_clients,
        http1_settings=HTTP1Settings(max_buffer_size=HEAD_MAX),
        respawn_failed_workers=True,
        workers_kill_timeout=options.patience,
        log_level=LogLevels.notset,
        log_dictconfig=LOGGING,
    )
    _log(options, global_conf)  # again: granian has set up its own
    logging.getLogger("_granian").addFilter(_is_no_advice)
    if _setting("comicsdb.metrics.token", options, global_conf):
        from comicsdb.ops.metrics import share_a_folder  # noqa: PLC0415  (as with SettingsError)

        share_a_folder()  # which outlives each of the workers
    failed, loaded, telling = [], multiprocessing.Event(), multiprocessing.Lock()

    def give_up(*_):
        failed.append(True)
        server.signal_handler_interrupt()

    signal.signal(UNABLE, give_up)
    watchdog = Watchdog(lambda: [each.inner for each in server.wrks], options.watchdog)
    watchdog.start()
    if options.health:
        serve_health(*options.health, watchdog)
    server.serve(
        target_loader=partial(load, options, dict(global_conf), loaded, telling, watchdog.folder),
        wrap_loader=False,
    )
    if failed:
        raise SystemExit(UNLOADED)


def _is_no_advice(record: logging.LogRecord) -> bool:
    """Not granian's against many threads: all but a few of them wait for clients."""
    return "Python threads" not in record.getMessage()


def _log(options: Options, global_conf: dict) -> None:
    """Log as the ini file says, in the form that the application's settings say."""
    setup_logging(global_conf["__file__"], global_conf)
    logs.use(_setting("comicsdb.log.format", options, global_conf))


def _setting(key: str, options: Options, global_conf: dict) -> str:
    """A setting of the application as it was given, before that is there to judge it."""
    section = get_appsettings(global_conf["__file__"], options.app, options=global_conf)
    return os.environ.get(key.upper().replace(".", "_")) or section.get(key, "")


def _refuse_a_busy_port(options: Options) -> None:
    """Fail like any other server: granian would share the port with whoever listens there in the same way."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def load(options: Options, global_conf: dict, loaded: Event, telling: Lock, folder: Path) -> Callable:
    """The application in a worker process, behind what every request goes through first.

    `loaded` is set as soon as a worker has it. One that cannot load it before ends the server; later, the
    others go on, and granian tries again. The first that takes `telling`, which nobody gives back, tells how
    the site starts. In `folder` the watchdog looks for the worker's heartbeat.
    """
    _log(options, global_conf)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    gc.disable()  # a start makes much that stays; looking for what does not took a third of its time
    try:
        app = get_app(global_conf["__file__"], options.app, options=global_conf)
    except (Exception, SystemExit):
        log.critical(UNLOADED, exc_info=True)
        if not loaded.is_set():
            os.kill(multiprocessing.parent_process().pid, UNABLE)
        raise SystemExit(1) from None
    loaded.set()
    if telling.acquire(block=False):
        logs.log_start(app.registry.settings, options.workers)
    gc.collect()
    gc.freeze()
    gc.enable()
    behind_proxy = proxy_headers_middleware(
        app,
        trusted_proxy=options.trusted_proxy,
        trusted_proxy_headers=options.trusted_proxy_headers,
    )
    clients = Clients(
        behind_proxy,
        max_body=options.max_request_body_size,
        threads=options.threads,
        slow_clients=options.slow_clients,
        seconds=options.body_seconds,
        headers=server_headers(app.registry.settings),
    )
    clients.heartbeat = Heartbeat(folder, options.threads, partial(clients.end_late_bodies, options.port))
    clients.heartbeat.start()
    return clients


def _end_with_the_parent() -> None:
    """No worker is left over, still holding the port, when the process that watches them was killed."""
    wait([multiprocessing.parent_process().sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
