"""The pictures of a mirror: fetched from the origin when first requested, and kept within a size limit."""

import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from comicsdb.exchange import dump_covers
from comicsdb.media.storage import Content, FolderStorage, StorageDownError
from comicsdb.media.waiting import READ_PLACES, READ_TURNS, WaitingRoom
from comicsdb.mirror.origin import BusyError, Origin, OriginError, UnreadableError

MEGABYTE = 1_000_000
EVICTION_TARGET = 0.9  # share of the limit that is kept when files are removed
BACKOFF_SECONDS = 30.0  # seconds without requests to an origin that did not respond


class CoverCache(FolderStorage):
    """A folder of pictures and thumbnails of at most `limit` bytes; missing ones come from the origin."""

    def __init__(self, folder: Path | str, origin: Origin, limit: int):
        super().__init__(folder)
        self._origin = origin
        self.limit = limit
        self._lock = threading.Lock()
        self._bytes: int | None = None  # counted at the first write
        self._down_until = 0.0
        self._readers = WaitingRoom(READ_PLACES, READ_TURNS)

    def open(self, key: str, size: str = "") -> Content:
        """See `Storage`; raises StorageDownError if the origin does not respond."""
        try:
            found = super().open(key, size)
        except FileNotFoundError:
            if size:
                raise
            with self._readers.acquire():
                if not self.exists(key):  # another request may have fetched it meanwhile
                    self._fetch_for_reader(key)
            found = super().open(key)
        os.utime(found.stream.fileno())  # the time of its last use
        return found

    def fill(self, pack: Path) -> None:
        """Store the thumbnails of a pack of covers."""
        for key, data in dump_covers.read(pack):
            if not self.exists(key, dump_covers.SIZE):
                self.write(key, data, dump_covers.SIZE)

    def disable_eviction(self) -> None:
        """Keep all files from now on."""
        self.limit = float("inf")

    def _fetch_for_reader(self, key: str) -> None:
        """Fetch a picture, but make no reader wait for an origin that did not respond lately."""
        if time.monotonic() < self._down_until:
            raise StorageDownError(f"{self._origin.url} did not answer lately.")
        try:
            self.fetch(key)
        except UnreadableError as error:  # others may well be readable
            raise StorageDownError(str(error)) from error
        except OriginError as error:
            pause = error.seconds if isinstance(error, BusyError) else BACKOFF_SECONDS
            self._down_until = time.monotonic() + pause
            raise StorageDownError(str(error)) from error

    def fetch(self, key: str) -> None:
        """Fetch a picture from the origin; raises FileNotFoundError if it has none, and OriginError."""
        path = self.path(key)
        data = self._origin.picture(key)
        if data is None:
            raise FileNotFoundError(path)
        self.write(key, data)

    def write(self, key: str, source: bytes | Path, size: str = "") -> set[Path]:
        """See `FolderStorage`; removes the least recently used files if the limit is exceeded."""
        changed = super().write(key, source, size)
        with self._lock:
            if self._bytes is None:
                self._bytes = sum(length for _time, length, _path in self._files())
            else:
                with suppress(FileNotFoundError):  # another thread may have removed it already
                    self._bytes += self.path(key, size).stat().st_size
            if self._bytes > self.limit:
                self._remove_oldest()
        return changed

    def _files(self) -> Iterator[tuple[int, int, Path]]:
        """Time, size and path of each complete file, except those that other threads remove meanwhile."""
        for path in self.folder.rglob("[!.]*"):
            with suppress(FileNotFoundError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    yield status.st_mtime_ns, status.st_size, path

    def _remove_oldest(self) -> None:
        """Remove the oldest files down to nine tenths of the limit, but never the newest one."""
        found = sorted(self._files())
        self._bytes = sum(size for _time, size, _path in found)
        for _time, size, path in found[:-1]:
            if self._bytes <= self.limit * EVICTION_TARGET:
                break
            path.unlink(missing_ok=True)
            self._bytes -= size


def from_settings(settings: dict) -> CoverCache:
    """The cache that the settings describe."""
    limit = settings["comicsdb.mirror.covers"] * MEGABYTE
    return CoverCache(settings["comicsdb.media.folder"], Origin(settings["comicsdb.mirror.origin"]), limit)
