"""The pack of covers of a dump: thumbnails of all covers in one tar file.

Its members are `images/KEY.webp`; an import of the dump uses them if they are unpacked next to its files. The
file is reproducible: it depends only on the covers.
"""

import io
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from psycopg import Connection

from comicsdb.media.storage import Storage, is_key
from comicsdb.media.thumbnails import NoThumbnailError, open_thumbnail
from comicsdb.media.waiting import BusyError

SIZE = "cover"  # size of the thumbnails, one of `imaging.picture.SIZES`
CHUNK = 5000
PIECE_MAX = 4 << 20  # bytes
FOLDER, SUFFIX = "images/", ".webp"
_KEYS = """
SELECT image FROM (SELECT image FROM issue UNION SELECT image FROM variant) x
WHERE image <> '' ORDER BY image COLLATE "C"
"""


def write_keys(connection: Connection, stream: BinaryIO) -> None:
    """Write the keys of all covers in the snapshot of a connection, one per line."""
    with connection.cursor("covers") as rows:
        rows.itersize = CHUNK
        stream.writelines(f"{key}\n".encode() for (key,) in rows.execute(_KEYS))


def write(path: Path, storage: Storage, keys: Iterable[bytes]) -> dict[str, int]:
    """Write the pack; returns the numbers of pictures in it and of those missing or unreadable."""
    pictures, missing = 0, 0
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as pack:
        for line in keys:
            key = line.decode().rstrip("\n")
            try:
                content = open_thumbnail(storage, SIZE, key)
            except (NoThumbnailError, BusyError):
                missing += 1
                continue
            with content as stream:
                info = tarfile.TarInfo(f"{FOLDER}{key}{SUFFIX}")
                info.size = content.size
                pack.addfile(info, stream)
            pack.members.clear()  # the list would grow with the pack
            pictures += 1
    return {"pictures": pictures, "missing": missing}


class _PackFile(io.FileIO):
    """A file that is not read in large pieces: a header or member of a hostile pack may say any length."""

    def read(self, size: int = -1) -> bytes:
        """See `io.FileIO`; raises ReadError for a large piece."""
        if not 0 <= size <= PIECE_MAX:
            raise tarfile.ReadError(f"A part of the pack of covers has more than {PIECE_MAX:,} bytes.")
        return super().read(size)


def read(path: Path) -> Iterator[tuple[str, bytes]]:
    """The keys and thumbnails of a pack; other members are skipped. Raises TarError."""
    with _PackFile(path) as file, tarfile.open(fileobj=file, mode="r:") as pack:
        for member in pack:
            key = member.name.removeprefix(FOLDER).removesuffix(SUFFIX)
            if (
                member.isfile()
                and not member.issparse()
                and member.name == f"{FOLDER}{key}{SUFFIX}"
                and is_key(key)
            ):
                yield key, pack.extractfile(member).read()
            pack.members.clear()
