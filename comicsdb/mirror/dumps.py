"""The newest dump of an origin: chosen, downloaded, checked and unpacked."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from comicsdb.exchange import compression, dump, minisign
from comicsdb.exchange.downloads import COVERS
from comicsdb.mirror.origin import Origin, OriginError, Position, read_form

KEY_MISMATCH = (
    "{url} signs its dumps with another key ({key}) than before. If its owner has announced that, go on with"
    " --key {key}."
)
SCHEMA_MISMATCH = (
    "{url} has another version of the schema ({theirs}) than this mirror ({ours}): install the version of"
    " comicsdb that the origin has."
)


BLOCK = 1 << 20
EXPANSION_MAX = 100  # times the compressed size; real dumps are three times as large


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
    packed = dump.SQLITE + compression.SUFFIX
    with read_form(f"The description of {origin.url} or of its newest dump"):
        address, key, manifest = _newest_manifest(origin, known_key)
        start = Position(**manifest["feed"])
        files = {entry["name"]: _checked(entry) for entry in manifest["files"]}
        takes_covers = COVERS in files and files[COVERS]["bytes"] <= covers_most
        downloads = [files[packed]] + ([files[COVERS]] if takes_covers else [])
    if manifest["schema"] != schema:
        raise OriginError(SCHEMA_MISMATCH.format(url=origin.url, theirs=manifest["schema"], ours=schema))
    if start == loaded:
        raise OriginError(f"{origin.url} has no newer dump yet than the one that is loaded here.")
    size = sum(entry["bytes"] for entry in downloads)
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

    for entry in downloads:
        path = target / entry["name"]
        origin.download(urljoin(address, entry["name"]), path, entry["sha256"], entry["bytes"], count)
    plain = target / dump.SQLITE
    if not plain.is_file():
        partial = plain.with_suffix(".part")
        _unpack(target / packed, partial, EXPANSION_MAX * max(files[packed]["bytes"], BLOCK))
        partial.rename(plain)
    covers = target / COVERS if takes_covers else None
    return Dump(plain, start, key, covers)


def _checked(entry: dict) -> dict:
    """A file of a manifest; raises ValueError for another form of digest, which names a folder, or size."""
    if not re.fullmatch("[0-9a-f]{64}", entry["sha256"]) or type(entry["bytes"]) is not int:
        raise ValueError(f"the digest or size of {entry['name']}")
    return entry


def _unpack(packed: Path, plain: Path, most: int) -> None:
    """Uncompress a file; raises OriginError if it is damaged, or larger than `most` bytes."""
    done = 0
    try:
        with compression.open_plain(packed) as source, plain.open("wb") as stream:
            while block := source.read(BLOCK):
                done += len(block)
                if done > most:
                    raise OriginError(
                        f"{packed.name} is more than {EXPANSION_MAX} times as large uncompressed."
                    )
                stream.write(block)
    except compression.DAMAGED as error:
        raise OriginError(f"{packed.name} cannot be uncompressed: {error}") from error


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
