"""Command `mirror`: a read-only copy of another site on this machine, and its promotion."""

import secrets
import sys
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import click
from sqlalchemy import Engine

from comicsdb.cli.database import upgrade
from comicsdb.cli.serve import bind_socket, run
from comicsdb.cli.support import Site
from comicsdb.config import SettingsError
from comicsdb.config.types import base_url
from comicsdb.mirror import ORIGIN
from comicsdb.ops.ini import ini_loader
from comicsdb.ops.jobs import MIRROR, AlreadyRunningError, job_lock

if find_spec("httpx") is None:
    raise SettingsError("Mirrors need a library: pip install 'comicsdb[mirror]'.")

from comicsdb.mirror import following, promotion
from comicsdb.mirror.origin import WAIT, Origin, OriginError

FOLDER = Path("comicsdb-mirror")
THREADS = 8  # some of them may be waiting for covers
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


@click.command("mirror")
@click.argument("url", required=False)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Where the mirror keeps everything.",
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option(
    "--key", help="The public key of the origin's dumps, if you know it; else the first one seen is used."
)
@click.option("--token", default="", envvar="COMICSDB_MIRROR_TOKEN", help="A token of the origin's API.")
@click.option("--promote", is_flag=True, help="Make the mirror a site of its own.")
@click.option(
    "--without-origin",
    is_flag=True,
    help="Promote it with the pictures that it has: the mirrored site is gone for good.",
)
def mirror_command(
    url, folder: Path, port: int, host: str, key, token: str, promote: bool, without_origin: bool
):
    """Mirror the public catalogue of the site at URL, and serve it read-only.

    It starts with the newest dump of the site, and then follows its feed. If it is interrupted, it continues
    where it stopped; without a network, it serves the data it has. URL may be left out once the mirror
    exists.
    """
    if without_origin and not promote:
        raise click.UsageError("--without-origin is only for --promote: to serve, no origin is needed.")
    site = _site(folder, url, token)
    ini_loader(site.ini).setup_logging()
    with site.engine() as engine, closing(Origin(site.settings[ORIGIN], token)) as origin:
        upgrade(engine)
        try:
            with job_lock(engine, MIRROR):
                if promote:
                    _promote(site, engine, without_origin=without_origin)
                    return
                _mirror(site, engine, origin, host=host, port=port, key=key)
        except AlreadyRunningError as error:
            raise click.ClickException(f"The mirror in {folder} is already running.") from error
        except OriginError as error:
            raise click.ClickException(str(error)) from error


def _site(folder: Path, url: str | None, token: str) -> Site:
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


def _promote(site: Site, engine: Engine, *, without_origin: bool) -> None:
    promotion.promote(engine, site.storage, click.echo, without_origin=without_origin)
    _forget_origin(site.ini)
    click.echo(promotion.NEXT_STEPS.format(ini=site.ini))


def _mirror(site: Site, engine: Engine, origin: Origin, *, host: str, port: int, key: str | None) -> None:
    folder = site.ini.parent
    with bind_socket(host, port) as bound_socket:
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


def _forget_origin(ini: Path) -> None:
    """Remove from an ini file the settings that make its site a mirror."""
    lines = ini.read_text().splitlines(keepends=True)
    mirror_only = ("comicsdb.mirror.", "comicsdb_api.throttle", "comicsdb.webhooks.sender")
    kept = [each for each in lines if not each.startswith(mirror_only)]
    _write(ini, "".join(kept))


def _write(ini: Path, text: str) -> None:
    """Write an ini file, which has a secret, atomically; only its owner can read it."""
    partial = ini.with_suffix(".part")
    partial.write_text(text)
    partial.chmod(0o600)
    partial.replace(ini)
