"""What `comicsdb mirror` does; it needs the extra `mirror`."""

import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click
from sqlalchemy import Engine

from comicsdb.catalog.public_tables import remove_private_rows
from comicsdb.cli.database import upgrade
from comicsdb.cli.serve import bind_socket, run
from comicsdb.cli.support import Site
from comicsdb.config.types import base_url
from comicsdb.mirror import ORIGIN, following, promotion
from comicsdb.mirror.origin import WAIT, Origin, OriginError
from comicsdb.ops.ini import ini_loader
from comicsdb.ops.jobs import MIRROR, AlreadyRunningError, job_lock

THREADS = 8  # some of them may be waiting for covers
LOCAL_URL = re.compile(r"^(comicsdb\.base_url = http://127\.0\.0\.1:)\d+$", re.MULTILINE)
TEMPLATE = """\
# A mirror of {origin}, written by `comicsdb mirror`.

[app:main]
use = egg:comicsdb
pyramid.includes = comicsdb_api comicsdb_web
sqlalchemy.url = embedded:%(here)s/postgres?database=comicsdb
comicsdb.secret = {secret}
comicsdb.base_url = http://127.0.0.1:8000
comicsdb.secure_cookies = false
comicsdb.media.folder = %(here)s/media
comicsdb.mail.folder = %(here)s/mail
comicsdb.dumps.folder = %(here)s/dumps
comicsdb.dumps.key = %(here)s/dumps.key
comicsdb.webhooks.sender = off
comicsdb.mirror.origin = {origin}
comicsdb_api.throttle = off

[loggers]
keys = root, comicsdb

[handlers]
keys = console

[formatters]
keys = plain

[logger_root]
level = WARNING
handlers = console

[logger_comicsdb]
level = INFO
handlers =
qualname = comicsdb

[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain

[formatter_plain]
format = %(asctime)s %(name)s %(levelname)s %(message)s
"""


@contextmanager
def _bar():
    """A progress bar for the download: a function that takes the downloaded and the total number of bytes."""
    bar = None

    def show(done: int, size: int) -> None:
        nonlocal bar
        if bar is None:
            bar = click.progressbar(length=size, label="downloading", file=sys.stderr)
            bar.__enter__()
        bar.update(done - bar.pos)

    yield show
    if bar is not None:
        bar.__exit__(None, None, None)


def find_site(folder: Path, url: str | None, token: str) -> Site:
    """The site in a mirror's folder; its ini file is created at the first start, if the origin responds."""
    ini = folder.absolute() / "mirror.ini"
    if not ini.is_file():
        if not url:
            raise click.ClickException(
                f"There is no mirror in {folder}: name the address of the site to mirror."
            )
        _check_origin(url, token)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(ini, TEMPLATE.format(origin=url.rstrip("/"), secret=secrets.token_urlsafe(32)))
    site = Site(ini)
    origin = site.settings[ORIGIN]
    if not origin:
        raise click.ClickException(f"This is now a site of its own: comicsdb -c {ini} serve")
    if url and url.rstrip("/") != origin:
        raise click.ClickException(f"{folder} is a mirror of {origin}: choose another --folder.")
    return site


def _check_origin(url: str, token: str) -> None:
    """Reject an address that is not a site's: the folder would remain a mirror of it."""
    try:
        with closing(Origin(base_url(url), token)) as origin:
            origin.describe()
    except ValueError as error:
        raise click.ClickException(f"The address {url} is wrong: it {error}.") from error
    except OriginError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def _locked_engine(site: Site) -> Iterator[Engine]:
    """An engine on the mirror's database, which is migrated, and locked against a second process."""
    ini_loader(site.ini).setup_logging()
    with site.engine() as engine:
        upgrade(engine)
        with engine.begin() as connection:
            remove_private_rows(connection)
        try:
            with job_lock(engine, MIRROR):
                yield engine
        except AlreadyRunningError as error:
            raise click.ClickException(f"The mirror in {site.ini.parent} is already running.") from error
        except OriginError as error:
            raise click.ClickException(str(error)) from error


def promote_mirror(site: Site, *, without_origin: bool) -> None:
    """Make a mirror a site of its own."""
    with _locked_engine(site) as engine:
        promotion.promote(engine, site.storage, click.echo, without_origin=without_origin)
        _forget_origin(site.ini)
        click.echo(promotion.NEXT_STEPS.format(ini=site.ini))


def run_mirror(site: Site, token: str, *, host: str, port: int, key: str | None) -> None:
    """Serve a mirror and follow its origin until the process is stopped."""
    folder = site.ini.parent
    with (
        _locked_engine(site) as engine,
        closing(Origin(site.settings[ORIGIN], token)) as origin,
        bind_socket(host, port) as bound_socket,
    ):
        _note_port(site.ini, bound_socket.getsockname()[1])
        with engine.connect() as connection:
            is_loaded = following.position(connection) is not None
        if not is_loaded:
            with _bar() as progress:
                following.reload(engine, origin, folder / "origin", key, progress, site.storage)
        follower = following.Follower(
            engine, origin, lambda: following.reload(engine, origin, folder / "origin", key), WAIT
        )
        follower.start()
        run(site, bound_socket, host, site.settings["sqlalchemy.url"], threads=THREADS)


def _note_port(ini: Path, port: int) -> None:
    """Correct the port in a base URL that names the local machine: dumps of the mirror name that URL, too."""
    text = ini.read_text()
    corrected = LOCAL_URL.sub(rf"\g<1>{port}", text)
    if corrected != text:
        _write(ini, corrected)


def _forget_origin(ini: Path) -> None:
    """Remove from an ini file the settings that make its site a mirror."""
    lines = ini.read_text().splitlines(keepends=True)
    mirror_only = ("comicsdb.mirror.", "comicsdb_api.throttle", "comicsdb.webhooks.sender")
    rest = [line for line in lines if not line.startswith(mirror_only)]
    _write(ini, "".join(rest))


def _write(ini: Path, text: str) -> None:
    """Write an ini file, which has a secret, atomically; only its owner can read it."""
    partial = ini.with_suffix(".part")
    partial.write_text(text)
    partial.chmod(0o600)
    partial.replace(ini)
