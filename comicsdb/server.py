"""The server of production, granian in several processes, as a Paste server: `use = egg:comicsdb#granian`."""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import chain
from multiprocessing.connection import wait
from multiprocessing.synchronize import Event

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from pyramid.paster import get_app, get_appsettings, setup_logging
from waitress.proxy_headers import proxy_headers_middleware

from comicsdb import logs

log = logging.getLogger(__name__)

# What granian logs goes where the ini file sends everything, at the level it names.
LOGGING = {"handlers": {}, "formatters": {}, "loggers": {"_granian": {"handlers": [], "propagate": True}}}
# What is answered without the application.
TOO_LARGE = ("413 Content Too Large", "The request is too large.")
CUT_SHORT = ("400 Bad Request", "The request ended before its end.")
BUSY = ("503 Service Unavailable", "Too many slow requests at once: try again.")
UNABLE = signal.SIGUSR1  # what a worker sends that cannot load the application
UNLOADED = "The application cannot be loaded."
SMALL = 1024 * 1024  # bytes; an answer up to this size waits for its client in memory
BRIEFLY = 0.2  # seconds; in which clients that are not slow make place for each other


@dataclass(frozen=True)
class Options:
    """What the `[server:...]` section says; the names are those of waitress where it has the same thing.

    A process has `threads` and `slow_clients` threads together. More than two make it slower: they contend
    for the interpreter.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 1
    slow_clients: int = 1
    max_request_body_size: int = 22_000_000
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
    from comicsdb.settings import SettingsError  # noqa: PLC0415  (brings all tables, which workers need alone)

    return SettingsError(words)


def _listen(_name: str, text: str) -> dict:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdecimal():
        raise ValueError("takes an address and a port, such as 127.0.0.1:8000 or [::1]:8000")
    return {"host": host.strip("[]"), "port": int(port)}


def _count(name: str, text: str) -> dict:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise ValueError("takes a number from 1 up")
    return {name: int(text)}


READERS = {
    "listen": _listen,
    "workers": _count,
    "threads": _count,
    "slow_clients": _count,
    "max_request_body_size": _count,
    "patience": _count,
    "trusted_proxy": lambda name, text: {name: text or None},
    "trusted_proxy_headers": lambda name, text: {name: frozenset(text.lower().replace(",", " ").split())},
    "app": lambda name, text: {name: text},
}


def run(options: Options, global_conf: dict) -> None:
    """Serve until a signal ends it; requests under way are finished first, for `patience` seconds."""
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
        respawn_failed_workers=True,
        workers_kill_timeout=options.patience,
        log_level=LogLevels.notset,
        log_dictconfig=LOGGING,
    )
    _log(options, global_conf)  # again: granian has set up its own
    if _setting("comicsdb.metrics.token", options, global_conf):
        from comicsdb.metrics import share_a_folder  # noqa: PLC0415  (as with SettingsError)

        share_a_folder()  # which outlives each of the workers
    failed, loaded = [], multiprocessing.Event()

    def give_up(*_):
        failed.append(True)
        server.signal_handler_interrupt()

    signal.signal(UNABLE, give_up)
    server.serve(target_loader=partial(load, options, dict(global_conf), loaded), wrap_loader=False)
    if failed:
        raise SystemExit(UNLOADED)


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


def load(options: Options, global_conf: dict, loaded: Event) -> Callable:
    """The application in a worker process, behind what every request goes through first.

    `loaded` is set as soon as a worker has it. One that cannot load it before ends the server; later, the
    others go on, and granian tries again.
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
    gc.collect()
    gc.freeze()
    gc.enable()
    guarded = Clients(app, options.max_request_body_size, options.slow_clients)
    return proxy_headers_middleware(
        guarded,
        trusted_proxy=options.trusted_proxy,
        trusted_proxy_headers=options.trusted_proxy_headers,
    )


def _end_with_the_parent() -> None:
    """No worker is left over, still holding the port, when the process that watches them was killed."""
    wait([multiprocessing.parent_process().sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


class Clients:
    """WSGI middleware: no client holds up the others, however slowly it sends or takes, or however much.

    A request's body is read to its end before the application runs, and a long answer is given out when
    the application is through. Both wait for the client and keep a thread of the pool; only `slow_clients` of
    them may do so at once, so that the remaining threads are there for the rest.
    """

    def __init__(self, app: Callable, max_body: int, slow_clients: int):
        self.app = app
        self.max_body = max_body
        self.slots = threading.Semaphore(slow_clients)

    def __call__(self, environ: dict, start_response: Callable) -> Iterable[bytes]:
        """The WSGI protocol."""
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        if chunked or environ.get("CONTENT_LENGTH", "0") != "0":
            problem = self._receive(environ, None if chunked else int(environ["CONTENT_LENGTH"]))
            if problem:
                return _refuse(problem, start_response)
        answer = self.app(environ, start_response)
        return answer if isinstance(answer, list) else self._send(answer, start_response)

    def _receive(self, environ: dict, length: int | None) -> tuple[str, str] | None:
        """Put the whole body where the application looks for it; gives what is wrong with it, if anything."""
        if length is not None and length > self.max_body:
            return TOO_LARGE
        if not self.slots.acquire(timeout=BRIEFLY):
            return BUSY
        try:
            body = environ["wsgi.input"].read(self.max_body + 1 if length is None else length)
        finally:
            self.slots.release()
        if len(body) > self.max_body:
            return TOO_LARGE
        if length is not None and len(body) < length:
            return CUT_SHORT
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = BytesIO(body)
        return None

    def _send(self, answer: Iterable[bytes], start_response: Callable) -> Iterable[bytes]:
        """An answer in one piece where it is small, otherwise piece by piece."""
        pieces, size, rest = [], 0, iter(answer)
        for piece in rest:
            pieces.append(piece)
            size += len(piece)
            if size > SMALL:
                break
        else:
            _close(answer)
            return [b"".join(pieces)]
        if self.slots.acquire(timeout=BRIEFLY):
            return Pieces(chain(pieces, rest), partial(_close, answer), self.slots.release)
        _close(answer)
        return _refuse(BUSY, start_response)  # nothing has been sent yet


class Pieces:
    """The pieces of a long answer, and what is to be done when the last was sent or the client has gone."""

    def __init__(self, pieces: Iterable[bytes], *at_the_end: Callable):
        self.pieces = pieces
        self.at_the_end = at_the_end

    def __iter__(self):
        """The pieces."""
        return iter(self.pieces)

    def close(self) -> None:
        """The WSGI server's last call."""
        at_the_end, self.at_the_end = self.at_the_end, ()
        for each in at_the_end:
            each()


def _close(answer: Iterable[bytes]) -> None:
    if hasattr(answer, "close"):
        answer.close()


def _refuse(problem: tuple[str, str], start_response: Callable) -> list[bytes]:
    status, text = problem
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))]
    start_response(status, [*headers, *([("Retry-After", "1")] if problem is BUSY else [])])
    return [text.encode()]
