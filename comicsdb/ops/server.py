"""The production server: granian with several processes, as a Paste server (`use = egg:comicsdb#granian`)."""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from multiprocessing.connection import wait
from multiprocessing.synchronize import Event, Lock
from pathlib import Path

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from waitress.proxy_headers import proxy_headers_middleware

from comicsdb.http.hsts import server_headers
from comicsdb.http.streams import PICTURE_WAITERS_MAX, STOPPING
from comicsdb.ops import logs
from comicsdb.ops.ini import ini_loader
from comicsdb.ops.metrics_folder import create_shared_folder
from comicsdb.ops.reloading import AnsweringMarks, Reloader, wait_for_successor
from comicsdb.ops.slow_clients import SlowClientMiddleware
from comicsdb.ops.watchdog import Heartbeat, Watchdog, serve_health
from comicsdb.values import whole_number

log = logging.getLogger(__name__)

# Granian's log lines go to the handlers of the ini file.
LOGGING = {"handlers": {}, "formatters": {}, "loggers": {"_granian": {"handlers": [], "propagate": True}}}
# Defaults for glibc's malloc in workers. Its dynamic threshold would keep blocks of the size of large uploads
# in each thread: workers grew by 40 MB for each thread that had read one.
MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": str(1024 * 1024)}
LOAD_FAILED_SIGNAL = signal.SIGUSR1  # sent by a worker that cannot load the application
STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
SERVING_SECONDS = 0.1  # seconds until a worker that has installed granian's handler is serving
LOAD_FAILED = "The application cannot be loaded."
HEAD_MAX = 64 * 1024  # bytes of request line and headers; the application accepts less
PORT_MAX = 65535
WATCHDOG_SECONDS_MIN = 5  # seconds: granian stops if a worker fails sooner after its start
RETRY_SECONDS = 6  # seconds that a worker waits before it fails, if others have loaded the application


@dataclass(frozen=True)
class Options:
    """The options of the `[server:...]` section, named as in waitress if that has the same option.

    In each process the application runs in `threads` threads; more than two are slower, as they contend for
    the interpreter. `slow_clients` further threads wait for clients, `streams` for changes, and some for
    pictures.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 2
    slow_clients: int = 32
    streams: int = 48
    max_request_body_size: int = 22_000_000
    watchdog: int = 10
    health: tuple[str, int] | None = None
    trusted_proxy: str | None = None
    trusted_proxy_headers: frozenset[str] = frozenset({"x-forwarded-proto", "x-forwarded-host"})
    patience: int = 30
    app: str = "main"


class OptionError(Exception):
    """An option of the server is unknown or invalid; the message names it."""


def granian(global_conf: dict, **given: str) -> Callable:
    """A Paste server factory that serves the ini file's application itself, until SIGTERM or SIGINT.

    It runs before `pserve` loads the application, so that only the workers load it. An unknown or invalid
    option, or an address that is in use, ends it with one line.
    """
    try:
        options = read_options(given)
        _check_address("listen", options.host, options.port)
        if options.health:
            _check_address("health", *options.health)
    except OptionError as error:
        raise SystemExit(str(error)) from None
    run(options, global_conf)
    raise SystemExit(0)


def read_options(given: dict[str, str]) -> Options:
    """Parse the options; raises OptionError naming the option."""
    values = {"workers": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()}
    for name, text in given.items():
        if name in OBSOLETE_OPTIONS:
            log.warning("The server's option %s has no effect any more: %s", name, OBSOLETE_OPTIONS[name])
            continue
        reader = READERS.get(name)
        if reader is None:
            raise OptionError(f"The server has no option {name}; it has: {', '.join(READERS)}.")
        try:
            values |= reader(name, text.strip())
        except ValueError as error:
            raise OptionError(f"The server's option {name} ({text!r}) is wrong: it {error}.") from error
    options = Options(**values)
    if options.health == (options.host, options.port):
        raise OptionError("The server's option health is wrong: it is the address of the option listen.")
    return options


def _address(text: str) -> tuple[str, int]:
    host, _colon, port = text.rpartition(":")
    number = whole_number(port, 1, PORT_MAX)
    if not host or number is None:
        raise ValueError("takes an address and a port, such as 127.0.0.1:8000 or [::1]:8000")
    return host.strip("[]"), number


def _listen(_name: str, text: str) -> dict:
    return dict(zip(("host", "port"), _address(text), strict=True))


def _watchdog(name: str, text: str) -> dict:
    seconds = whole_number(text)
    if seconds is None or 0 < seconds < WATCHDOG_SECONDS_MIN:
        raise ValueError(f"takes a number of seconds from {WATCHDOG_SECONDS_MIN} up, or 0 for none")
    return {name: seconds}


def _count(name: str, text: str) -> dict:
    number = whole_number(text, 1)
    if number is None:
        raise ValueError("takes a number from 1 up")
    return {name: number}


READERS = {
    "listen": _listen,
    "workers": _count,
    "threads": _count,
    "slow_clients": _count,
    "streams": _count,
    "max_request_body_size": _count,
    "watchdog": _watchdog,
    "health": lambda name, text: {name: _address(text) if text else None},
    "patience": _count,
    "trusted_proxy": lambda name, text: {name: text or None},
    "trusted_proxy_headers": lambda name, text: {name: frozenset(text.lower().replace(",", " ").split())},
    "app": lambda name, text: {name: text},
}
OBSOLETE_OPTIONS = {"body_seconds": "the proxy ends slow clients (docs/deploy.md); remove it."}
WITHOUT_PROXY = (
    "The server listens on %s without a trusted proxy: clients that send or receive slowly can occupy all of"
    " its threads. Put a proxy in front of it (docs/deploy.md), and set trusted_proxy to its address."
)


def run(options: Options, global_conf: dict) -> None:
    """Serve until a signal; current requests are finished first, for up to `patience` seconds."""
    for name, value in MALLOC.items():
        os.environ.setdefault(name, value)
    # Spawned workers inherit no connection, lock or thread.
    multiprocessing.set_start_method("spawn", force=True)
    server = Granian(
        "comicsdb",
        address=options.host,
        port=options.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=options.workers,
        blocking_threads=options.threads + options.slow_clients + options.streams + PICTURE_WAITERS_MAX,
        http1_settings=HTTP1Settings(max_buffer_size=HEAD_MAX),
        respawn_failed_workers=True,
        workers_kill_timeout=options.patience,
        respawn_interval=0,
        log_level=LogLevels.notset,
        log_dictconfig=LOGGING,
    )
    _log(options, global_conf)  # again, as granian has set up its own
    warn_without_proxy(options)
    logging.getLogger("_granian").addFilter(_is_not_thread_warning)
    if _setting("comicsdb.metrics.token", options, global_conf):
        create_shared_folder()  # shared by all workers, including restarted ones
    failed, loaded, start_log_lock = [], multiprocessing.Event(), multiprocessing.Lock()
    is_reloading = multiprocessing.Event()

    def give_up(*_):
        failed.append(True)
        server.signal_handler_interrupt()

    signal.signal(LOAD_FAILED_SIGNAL, give_up)
    watchdog = Watchdog(lambda: [each.inner for each in server.wrks], options.watchdog)
    watchdog.start()
    if options.health:
        serve_health(*options.health, watchdog)
    try_loading = partial(try_application, options, dict(global_conf))
    server.on_startup(Reloader(server, is_reloading, try_loading, options.patience).start)
    server.serve(
        target_loader=partial(
            load_application,
            options,
            dict(global_conf),
            loaded,
            start_log_lock,
            watchdog.folder,
            is_reloading,
        ),
        wrap_loader=False,
    )
    gc.freeze()  # saves the interpreter a final collection of all objects
    if failed:
        raise SystemExit(1)


def warn_without_proxy(options: Options) -> None:
    """Log a warning if other machines reach the server without a proxy."""
    address = socket.getaddrinfo(options.host, None, flags=socket.AI_PASSIVE)[0][4][0]
    if options.trusted_proxy is None and not ip_address(address).is_loopback:
        log.warning(WITHOUT_PROXY, options.host)


def _is_not_thread_warning(record: logging.LogRecord) -> bool:
    """Drop granian's warning about many threads, most of which wait for clients."""
    return "Python threads" not in record.getMessage()


def _log(options: Options, global_conf: dict) -> None:
    """Set up logging as in the ini file, in the format of the application's settings."""
    ini_loader(global_conf["__file__"]).setup_logging(global_conf)
    logs.set_format(_setting("comicsdb.log.format", options, global_conf))


def _setting(key: str, options: Options, global_conf: dict) -> str:
    """The raw value of a setting of the application."""
    section = ini_loader(global_conf["__file__"]).get_wsgi_app_settings(options.app, global_conf)
    return os.environ.get(key.upper().replace(".", "_")) or section.get(key, "")


def _check_address(name: str, host: str, port: int) -> None:
    """Raise OptionError if nothing can listen at an address; granian would share a port by SO_REUSEPORT."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or error
        raise OptionError(f"The server's option {name} ({host}:{port}) does not work: {reason}.") from error


def try_application(options: Options, global_conf: dict) -> None:
    """In a process of its own: try to load the application; the exit code is 1 if that fails."""
    from comicsdb.ops.worker import HELD  # noqa: PLC0415  (the main process imports no tables)

    HELD.set()
    try:
        _load(options, global_conf)
    except (Exception, SystemExit) as error:
        _log_failure(error)
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)  # at once, without waiting for any threads


def _load(options: Options, global_conf: dict) -> Callable:
    _log(options, global_conf)
    return ini_loader(global_conf["__file__"]).get_wsgi_app(options.app, global_conf)


def load_application(
    options: Options,
    global_conf: dict,
    loaded: Event,
    start_log_lock: Lock,
    folder: Path,
    is_reloading: Event,
) -> Callable:
    """Load the application in a worker process, wrapped in the server's middleware.

    `loaded` is set when the first worker has loaded it. A failure before that stops the server; later ones
    make granian retry, but come late enough not to make it stop. The worker that acquires `start_log_lock`,
    which is never released, logs the start, or why it failed.
    The worker's heartbeat is in `folder`, and so are the marks of workers that answer.
    """
    marks = AnsweringMarks(folder)
    _handle_stop_signals(partial(wait_for_successor, marks, options.workers, is_reloading), marks)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    gc.disable()  # garbage collection would take a third of the start
    try:
        app = _load(options, global_conf)
    except (Exception, SystemExit) as error:
        if loaded.is_set() or start_log_lock.acquire(block=False):
            _log_failure(error)
        if loaded.is_set():
            time.sleep(RETRY_SECONDS)
        else:
            os.kill(multiprocessing.parent_process().pid, LOAD_FAILED_SIGNAL)
        raise SystemExit(1) from None
    loaded.set()
    if start_log_lock.acquire(block=False):
        logs.announce_start(app.registry, options.workers)
    gc.collect()
    gc.freeze()
    gc.enable()
    behind_proxy = proxy_headers_middleware(
        app,
        trusted_proxy=options.trusted_proxy,
        trusted_proxy_headers=options.trusted_proxy_headers,
    )
    middleware = SlowClientMiddleware(
        behind_proxy,
        max_body=options.max_request_body_size,
        threads=options.threads,
        slow_clients=options.slow_clients,
        headers=server_headers(app.registry.settings),
    )
    middleware.heartbeat = Heartbeat(folder, options.threads)
    middleware.heartbeat.start()
    marks.set_when_listening(options.port)
    return middleware


def _log_failure(error: BaseException) -> None:
    """Log that the application cannot be loaded: one line if a setting is wrong, else the traceback."""
    from comicsdb.config import SettingsError  # noqa: PLC0415  (the main process imports no tables)

    if isinstance(error, SettingsError):
        log.critical("%s %s", LOAD_FAILED, error)
    else:
        log.critical(LOAD_FAILED, exc_info=error)


def _exit_with_parent() -> None:
    """Exit when the parent process has been killed, so that no worker keeps the port."""
    wait([multiprocessing.parent_process().sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


def _handle_stop_signals(wait_for_successor: Callable[[], None], marks: AnsweringMarks) -> None:
    """Leave SIGTERM and SIGINT to a thread, which calls granian's handler once, and not too early.

    The handler ignores a signal that arrives before the worker serves, and blocks the worker on a second one:
    Ctrl-C sends SIGINT to all processes of a terminal, after which the main process sends SIGTERM.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # inherited by all threads started from now on
    threading.Thread(target=_wait_for_stop_signal, args=[wait_for_successor, marks], daemon=True).start()


def _wait_for_stop_signal(wait_for_successor: Callable[[], None], marks: AnsweringMarks) -> None:
    signal.sigwait(STOP_SIGNALS)
    wait_for_successor()
    marks.clear()
    STOPPING.set()
    handler = signal.getsignal(signal.SIGTERM)
    if not callable(handler):
        os._exit(0)  # still loading, so there is no request to finish
    time.sleep(SERVING_SECONDS)
    handler(signal.SIGTERM, None)
