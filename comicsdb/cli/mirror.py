"""Command `mirror`: a read-only copy of another site on this machine, and its promotion."""

from importlib.util import find_spec
from pathlib import Path

import click

from comicsdb.config import SettingsError

FOLDER = Path("comicsdb-mirror")
NEEDED = ("httpx", "comicsdb_api", "comicsdb_web")  # modules of the extra `mirror`


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
    """Mirror the public catalog of the site at URL, and serve it read-only.

    It starts with the newest dump of the site, and then follows its feed. If it is interrupted, it continues
    where it stopped; without a network, it serves the data it has. URL may be left out once the mirror
    exists.
    """
    if without_origin and not promote:
        raise click.UsageError("--without-origin is only for --promote: to serve, no origin is needed.")
    missing = [module for module in NEEDED if find_spec(module) is None]
    if missing:
        raise SettingsError(
            f"Mirrors need packages that are not installed here ({', '.join(missing)}):"
            " install comicsdb with its extra `mirror`, as docs/mirror.md says."
        )
    from comicsdb.cli import mirroring  # noqa: PLC0415  (needs the extra `mirror`)

    site = mirroring.find_site(folder, url, token)
    if promote:
        mirroring.promote_mirror(site, without_origin=without_origin)
    else:
        mirroring.run_mirror(site, token, host=host, port=port, key=key)
