"""Command `serve`: site and API with the demo data in one step; and `demo`, which copies that data set."""

import errno
import hashlib
import itertools
import logging
import os
import re
import shutil
import signal
import socket
import sys
import threading
from collections import deque
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.parse import urlsplit

import click
import orjson
from sqlalchemy import func, make_url, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from waitress import create_server

import comicsdb
from comicsdb import clock, db
from comicsdb.accounts.passwords import digest
from comicsdb.catalog.maintenance.cover_hashes import add_missing_hashes
from comicsdb.cli.database import upgrade
from comicsdb.cli.exchange import progress_bar
from comicsdb.cli.support import Site, pass_site
from comicsdb.config.types import EMBEDDED
from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import EmbeddedError
from comicsdb.exchange.importing import import_set, is_empty
from comicsdb.http.streams import STOPPING
from comicsdb.media.storage import StorageDownError
from comicsdb.models import ApiToken, User
from comicsdb.ops.ini import ini_loader

log = logging.getLogger(__name__)
THREADS = 4
HASHED_AFTER = 20.0  # seconds: first visitors need the processor for thumbnails
SHOWN_ACCOUNTS = 5
URL_VARIABLE = "COMICSDB_DATABASE_URL"
ADDRESS_VARIABLE = "COMICSDB_BASE_URL"
HERE = (None, "localhost", "127.0.0.1", "::1")  # names of the local machine
NAME_LENGTH = 40
EMPTY = """\
The catalog of this database is empty, and is served as it is:
    --data FOLDER   loads a data set first,
    --demo          loads the demo catalog first,
    {account}   creates a first account."""
NO_DEMO_ACCOUNTS = "The demo's accounts cannot log in here: their passwords are public."

GROUP = "comicsdb.demo"


@dataclass(frozen=True)
class ServePlan:
    """The database URL, and the data set folder to load if the database is empty."""

    url: str
    folder: Path | None
    is_demo: bool


class Account(NamedTuple):
    """An account of the data set: its password and its token, which is empty if it is not valid."""

    name: str
    password: str
    token: str


@click.command("serve")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Serve this data set, not the demo."
)
@click.option("--demo", is_flag=True, help="Also load the demo into an empty database that is not embedded.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--host", default="127.0.0.1", show_default=True)
@pass_site
def serve_command(site: Site, data: Path | None, demo: bool, port: int, host: str):
    """Serve site and API, migrating the database first.

    If the database is empty, the data set is loaded, if one is named; else the demo catalog, if the
    database is embedded.
    """
    if data is not None and not data.is_dir():
        raise click.ClickException(f"There is no folder {data}.")
    if data is not None and demo:
        raise click.ClickException("Choose either --data or --demo.")
    with bind_socket(host, port) as bound_socket:
        ini_loader(site.ini).setup_logging()
        plan = make_plan(site, data, demo=demo)
        accounts = prepare(site, plan)
        hashing = threading.Timer(HASHED_AFTER, _hash_covers, (site, plan.url))
        hashing.daemon = True
        hashing.start()
        run(site, bound_socket, host, plan.url, accounts)


def run(
    site: Site,
    bound_socket: socket.socket,
    host: str,
    url: str,
    accounts: list[Account] = (),
    *,
    threads: int = THREADS,
) -> None:
    """Serve a site on a bound socket, with the database at a URL, until the process is stopped."""
    os.environ[URL_VARIABLE] = url  # the environment overrides the ini file
    address = _address(host, bound_socket)
    if urlsplit(site.settings["comicsdb.base_url"]).hostname in HERE:
        os.environ[ADDRESS_VARIABLE] = address  # for URLs in mails, with the actual port
    app = comicsdb.main({"__file__": str(site.ini)}, **site.raw_settings)
    problems: list[EmbeddedError] = []

    def give_up(problem: EmbeddedError) -> None:
        problems.append(problem)
        os.kill(os.getpid(), signal.SIGTERM)

    dev_cluster.keep_running(url, give_up)
    try:
        _serve(app, bound_socket, address, accounts, threads)
    finally:
        app.registry["comicsdb.engine"].dispose()
    if problems:
        raise problems[0]


def _hash_covers(site: Site, url: str) -> None:
    """Add missing perceptual hashes of imported covers, while requests are being served."""
    try:
        with site.engine(url) as engine, db.session_factory(engine)() as session:
            deque(add_missing_hashes(session, site.storage), maxlen=0)
    except (DBAPIError, StorageDownError) as error:  # the next start will continue
        log.warning("Covers could not be hashed: %s", error)


def _stop(_signal, _frame):
    STOPPING.set()
    raise SystemExit(0)


def bind_socket(host: str, port: int) -> socket.socket:
    """A socket bound to the address, which reserves it while data is being loaded; SIGTERM ends the process.

    It does not listen yet: early connections are refused instead of waiting.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise click.ClickException(f"There is no host {host}: {error.strerror}.") from error
    signal.signal(signal.SIGTERM, _stop)
    bound_socket = socket.socket(family, kind, protocol)
    try:
        bound_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound_socket.bind(address)
        with socket.socket(family, kind, protocol) as probe:
            probe.settimeout(1)
            if port and probe.connect_ex(bound_socket.getsockname()) == 0:
                raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    except OSError as error:
        bound_socket.close()
        raise _port_error(host, port, error) from error
    return bound_socket


def _port_error(host: str, port: int, error: OSError) -> click.ClickException:
    if error.errno == errno.EADDRINUSE:
        return click.ClickException(
            f"Port {port} of {host} is in use: stop the program there, or choose another with --port."
        )
    return click.ClickException(f"Nothing can be served on port {port} of {host}: {error.strerror}.")


def make_plan(site: Site, data: Path | None, *, demo: bool = False) -> ServePlan:
    """Choose the database: on an embedded server each data set has its own.

    The demo, whose passwords are public, is loaded into an external database only on request.
    """
    url = site.settings["sqlalchemy.url"]
    if data is None:
        demo = demo or url.startswith(EMBEDDED)
        return ServePlan(url, installed_demo().DATA if demo else None, is_demo=demo)
    if url.startswith(EMBEDDED):
        folder, _, query = url.partition("?")
        others = [option for option in query.split("&") if option and not option.startswith("database=")]
        url = f"{folder}?{'&'.join([f'database={database_name(data)}', *others])}"
    return ServePlan(url, data, is_demo=False)


def database_name(folder: Path) -> str:
    """The database name of a data set: its folder's name, and a digest of its path and manifest."""
    folder = folder.resolve()
    meta = folder / "meta.json"
    digest = hashlib.sha256(os.fsencode(folder) + b"\0" + (meta.read_bytes() if meta.is_file() else b""))
    words = re.sub(r"[^a-z0-9]+", "_", folder.name.lower()).strip("_")[:NAME_LENGTH]
    return f"data_{words}_{digest.hexdigest()[:10]}"


def prepare(site: Site, plan: ServePlan) -> list[Account]:
    """Migrate, load the data set into an empty catalog, and return accounts that can log in."""
    with site.engine(plan.url) as engine:
        upgrade(engine)
        with db.session_factory(engine)() as session:
            if is_empty(session):
                if plan.folder is None:
                    click.echo(EMPTY.format(account=_account_command(site)))
                    return []
                session.rollback()
                _load(site, plan, session)
            elif not plan.is_demo and not plan.url.startswith(EMBEDDED):
                click.echo("The catalog of this database already has rows: it is served as it is.")
            accounts = _accounts(site, plan.folder, session) if plan.folder is not None else []
            if plan.is_demo and not accounts:
                click.echo(NO_DEMO_ACCOUNTS)
            return accounts


def _account_command(site: Site) -> str:
    """The command that creates an account in the database of this one."""
    words = "account create NAME ADDRESS --superuser"
    if "MAKELEVEL" not in os.environ:
        return f"comicsdb -c {site.ini} {words}"
    url = make_url(site.settings["sqlalchemy.url"]).render_as_string(hide_password=True)
    return f'make run DB="{url}" COMMAND="{words}"'


def _load(site: Site, plan: ServePlan, session: Session) -> None:
    click.echo(f"Loading {plan.folder} ...")
    today = clock.business_day(site.settings["comicsdb.timezone"])
    with progress_bar() as progress:
        report = import_set(
            session, plan.folder, site.storage, site.passwords, progress=progress, today=today
        )
    if plan.is_demo:
        installed_demo().add_community(session, clock.now())
        session.commit()
    click.echo(f"{report.rows:,} rows loaded in {report.seconds:.0f} s.")


def _accounts(site: Site, folder: Path, session: Session) -> list[Account]:
    """The first few accounts of a data set whose passwords are valid in this database."""
    users = folder / "users.jsonl"
    if not users.is_file():
        return []
    accounts, passwords = [], site.passwords
    with users.open("rb") as stream:
        for line in itertools.islice(stream, SHOWN_ACCOUNTS):
            user = orjson.loads(line)
            name, password, token = user["username"], user["password"], user["api_token"]
            stored = session.execute(
                select(User.password, ApiToken.id)
                .outerjoin(ApiToken, (ApiToken.user_id == User.id) & (ApiToken.digest == digest(token)))
                .where(func.lower(User.username) == name.lower())
            ).first()
            if stored and passwords.verify(stored.password, password):
                is_valid = stored.id is not None and token not in passwords.refused
                accounts.append(Account(name, password, token if is_valid else ""))
    return accounts


def _address(host: str, bound_socket: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{bound_socket.getsockname()[1]}"


def _serve(app, bound_socket: socket.socket, address: str, accounts: list[Account], threads: int) -> None:
    try:
        server = create_server(app, sockets=[bound_socket], threads=threads)
    except OSError as error:
        raise _port_error(*bound_socket.getsockname()[:2], error) from error
    click.echo(f"Site and API: {address}/ and {address}/api/")
    if accounts:
        click.echo("Accounts (user name, password, API token):")
        for account in accounts:
            click.echo(f"    {account.name:20} {account.password:20} {account.token}".rstrip())
    click.echo("Press Ctrl-C to stop.")
    sys.stdout.flush()
    server.run()  # until Ctrl-C or SIGTERM; current requests are finished
    server.close()
    click.echo("Stopped.")


def installed_demo() -> ModuleType:
    """The module of the demo: `DATA`, the folder of its data set, and `add_community(session, now)`.

    Raises ClickException if it is not installed.
    """
    for found in entry_points(group=GROUP):
        return found.load()
    raise click.ClickException(
        "The demo catalog is not installed: install comicsdb-demo, or name a data set with --data."
    )


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def demo_command(folder: Path):
    """Copy the demo catalog, including pictures, into FOLDER; `import --accounts` reads it."""
    shutil.copytree(installed_demo().DATA, folder, dirs_exist_ok=True)
    click.echo(f"The demo catalog is in {folder}.")
