"""The newest dump of an origin: chosen, downloaded, checked and unpacked."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from comicsdb.exchange import compression, dump, minisign
from comicsdb.exchange.downloads import COVERS
from comicsdb.mirror.origin import Origin, OriginError, Position

KEY_MISMATCH = (
    "{url} signs its dumps with another key ({key}) than before. If its owner has announced that, go on with"
    " --key {key}."
)
SCHEMA_MISMATCH = (
    "{url} has another version of the schema ({theirs}) than this mirror ({ours}): install the version of"
    " comicsdb that the origin has."
)


@dataclass(frozen=True)
class Dump:
    """A downloaded dump: SQLite file, position where the feed continues, key, and pack of covers."""

    file: Path
    start: Position
    public_key: str
    covers: Path | None


def newest(
    origin: Origin,
    folder: Path,
    known_key: str | None,
    progress: Callable[[int, int], None],
    *,
    schema: str,
    loaded: Position | None,
    covers_most: float,
) -> Dump:
    """Download the newest dump into a folder, removing older ones from it.

    Without a known key, the one that the origin names is trusted. `progress` is called with the downloaded
    and the total number of bytes. A pack of covers of at most `covers_most` bytes is downloaded as well.
    Raises OriginError, also for a dump with another schema, or the one that leads to the position `loaded`.
    """
    address, key, manifest = _newest_manifest(origin, known_key)
    start = Position(**manifest["feed"])
    if manifest["schema"] != schema:
        raise OriginError(SCHEMA_MISMATCH.format(url=origin.url, theirs=manifest["schema"], ours=schema))
    if start == loaded:
        raise OriginError(f"{origin.url} has no newer dump yet than the one that is loaded here.")
    packed = dump.SQLITE + compression.SUFFIX
    files = {each["name"]: each for each in manifest["files"]}
    takes_covers = COVERS in files and files[COVERS]["bytes"] <= covers_most
    wanted = [files[packed]] + ([files[COVERS]] if takes_covers else [])
    size = sum(each["bytes"] for each in wanted)
    target = folder / files[packed]["sha256"][:16]
    target.mkdir(parents=True, exist_ok=True)
    for other in folder.iterdir():
        if other != target:
            shutil.rmtree(other)
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        progress(done, size)

    for each in wanted:
        path = target / each["name"]
        origin.download(urljoin(address, each["name"]), path, each["sha256"], each["bytes"], count)
    plain = target / dump.SQLITE
    if not plain.is_file():
        partial = plain.with_suffix(".part")
        with compression.open_plain(target / packed) as source, partial.open("wb") as stream:
            shutil.copyfileobj(source, stream, 1 << 20)
        partial.rename(plain)
    covers = target / COVERS if takes_covers else None
    return Dump(plain, start, key, covers)


def _newest_manifest(origin: Origin, known_key: str | None) -> tuple[str, str, dict]:
    """The address of the newest dump's manifest, the key that signed it, and the manifest."""
    about = origin.describe()
    key = about.get("public_key")
    listed = about.get("dumps") or []
    if not listed or not key:
        raise OriginError(f"{origin.url} offers no dumps, and so cannot be mirrored: ask its owner for them.")
    if known_key and key != known_key:
        raise OriginError(KEY_MISMATCH.format(url=origin.url, key=key))
    address = urljoin(origin.url + "/", listed[0]["manifest"])
    signature = origin.fetch(urljoin(origin.url + "/", listed[0]["signature"])).decode("utf-8", "replace")
    try:
        manifest = dump.verify(origin.fetch(address), signature, key)
    except (minisign.VerificationError, dump.DumpError, ValueError) as error:
        raise OriginError(f"The newest dump of {origin.url} cannot be used: {error}") from error
    return address, key, manifest
