"""Storage of pictures: their keys, the interface of every storage, and storage in a local folder.

`s3.py` has storage in object storage; only `media.from_settings` knows which of them a site uses. In a folder
each key is a file, and keys with the same bytes may be hard links.
"""

import errno
import logging
import math
import os
import re
import secrets
import shutil
from collections.abc import Hashable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import BinaryIO, NamedTuple

from comicsdb.log_lines import OutageLog

log = logging.getLogger(__name__)
STORAGE_OUTAGE = OutageLog(log)

KEY_LENGTH = 100
DISCARD_SECONDS = 10.0  # in a request
THUMBNAILS = "thumbs"  # the folder of thumbnails, next to those of the kinds
UNDATED = frozenset({"user"})  # kinds whose keys have no date
# Slash-separated names that begin with a letter, digit or underscore: no `..`, hidden file or absolute path.
KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:/[A-Za-z0-9_][A-Za-z0-9_-]*)*\.[a-z0-9]{1,5}")
# A key is never reused and its bytes never change, so pictures may be cached for ever.
CACHE_CONTROL = "public, max-age=31536000, immutable"
CONTENT_TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "avif": "image/avif",
}
KIND = re.compile(r"[a-z][a-z_]{0,39}")
SUFFIX = re.compile(r"[a-z0-9]{1,5}")

UNFINISHED = ".new"  # the suffix of hidden files that are renamed when complete


class BadKeyError(ValueError):
    """An invalid storage key."""


class StorageDownError(OSError):
    """The storage is not available at the moment."""

    retry_after = 30  # seconds


class Content(NamedTuple):
    """An opened picture: a binary file, to be closed by the caller (or by `with`), its length and time."""

    stream: BinaryIO
    size: int
    modified: datetime

    def __enter__(self) -> BinaryIO:
        return self.stream

    def __exit__(self, *_failure) -> None:
        self.stream.close()


class Entry(NamedTuple):
    """A stored object: its name, and the key of the picture or of the thumbnail's picture.

    An unfinished file has no key ("").
    """

    name: str
    key: str
    modified: datetime


def new_key(kind: str, suffix: str) -> str:
    """A new key `<kind>/<yyyy>/<mm>/<dd>/<32 hex digits>.<suffix>`; variants use the kind `variants`."""
    if not KIND.fullmatch(kind) or kind == THUMBNAILS or not SUFFIX.fullmatch(suffix):
        raise BadKeyError(f"No key can be made of {kind!r} and {suffix!r}.")
    day = "" if kind in UNDATED else f"{datetime.now(UTC):%Y/%m/%d}/"
    return f"{kind}/{day}{secrets.token_hex(16)}.{suffix}"


def is_key(key: str) -> bool:
    """Whether a text is a valid key."""
    return len(key) <= KEY_LENGTH and bool(KEY.fullmatch(key)) and not key.startswith(f"{THUMBNAILS}/")


def check_key(key: str) -> str:
    """Return the key; raises BadKeyError for an invalid one."""
    if not is_key(key):
        raise BadKeyError(f"Not the key of a picture: {key!r}.")
    return key


def content_type(key: str) -> str | None:
    """The content type of a picture, None for unknown suffixes."""
    return CONTENT_TYPES.get(key.rpartition(".")[2])


class Storage:
    """Pictures and their thumbnails by key. Stored bytes never change, and each row has its own key.

    Every method raises BadKeyError for an invalid key, and StorageDownError (or another OSError) if the
    storage is unavailable. `size` names a thumbnail of the picture, made by `thumbnails.py`.
    """

    discard_limit = 10_000  # pictures per request

    # Implemented by each storage.

    def open(self, key: str, size: str = "") -> Content:
        """A picture or thumbnail; raises FileNotFoundError if there is none."""
        raise NotImplementedError

    def exists(self, key: str, size: str = "") -> bool:
        """Whether there is such a picture or thumbnail."""
        raise NotImplementedError

    def identity(self, key: str) -> Hashable:
        """A value that is equal for keys with the same bytes; raises FileNotFoundError."""
        raise NotImplementedError

    def write(self, key: str, source: bytes | Path, size: str = "") -> set[Path]:
        """Store bytes, or a copy of a file, atomically; returns the folders to sync to make it durable."""
        raise NotImplementedError

    def write_link(self, key: str, source_key: str) -> set[Path]:
        """Store the bytes of `source_key` under another key, independent of the first; see `write`."""
        raise NotImplementedError

    def delete(self, key: str) -> None:
        """Remove a picture and its thumbnails, if there are any."""
        raise NotImplementedError

    def entries(self) -> Iterator[Entry]:
        """Iterate over all stored objects in any order."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Remove one object by its name from `entries`, if it exists."""
        raise NotImplementedError

    # Shared by all storages.

    def put(self, key: str, source: bytes | Path, size: str = "") -> None:
        """Store bytes, or a copy of a file, atomically and durably."""
        _sync_folders(self.write(key, source, size))

    def read(self, key: str) -> bytes:
        """The bytes of a picture; raises FileNotFoundError if there is none."""
        with self.open(key) as stream:
            return stream.read()

    def batch(self) -> "Batch":
        """Store many pictures: `with storage.batch() as batch`; an exception removes them all."""
        return Batch(self)

    def discard(self, keys: Iterable[str], *, limit: int | None = None) -> None:
        """Remove up to `limit` unreferenced pictures; by default, as many as fit in a request.

        Never fails: the sweep removes the rest.
        """
        until = monotonic() + DISCARD_SECONDS if limit is None else math.inf
        limit = self.discard_limit if limit is None else limit
        for number, key in enumerate(keys):
            if number == limit or monotonic() > until:
                log.info("Many pictures were replaced or deleted at once: the rest is left to the sweep")
                return
            try:
                self.delete(key)
            except BadKeyError as error:
                log.error("The picture %s cannot be removed: %s", key, error)
            except OSError as error:
                STORAGE_OUTAGE.report(
                    error, "The picture %s cannot be removed and is left to the sweep: %s", key, error
                )
                if isinstance(error, StorageDownError):
                    return


class Batch:
    """Pictures that are stored together: durable when the block ends, removed if it fails.

    Each folder is synced once instead of once for each file.
    """

    def __init__(self, storage: Storage):
        self._storage = storage
        self._journal: list[str] = []
        self._folders: set[Path] = set()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, failure, *_details) -> None:
        if failure is not None:
            self.undo()
        else:
            self.sync()

    def sync(self) -> None:
        """Make all pictures durable; must be called before the rows that refer to them are committed."""
        _sync_folders(self._folders)
        self._folders.clear()

    def undo(self) -> None:
        """Remove everything stored by the batch."""
        self._storage.discard(self._journal, limit=len(self._journal))
        self._journal.clear()

    def put(self, key: str, source: bytes | Path) -> str:
        """Store bytes, or a copy of a file, under a key made by `new_key`."""
        self._journal.append(key)
        self._folders |= self._storage.write(key, source)
        return key

    def put_link(self, key: str, source_key: str) -> str:
        """Store the bytes of `source_key` under `key` too."""
        self._journal.append(key)
        self._folders |= self._storage.write_link(key, source_key)
        return key


class FolderStorage(Storage):
    """A folder of pictures. Files get their final names only when they are complete and on disk."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder).absolute()

    def path(self, key: str, size: str = "") -> Path:
        """The path of a picture or thumbnail, whether or not it exists. Raises BadKeyError."""
        path = self.folder / check_key(key)
        inside = os.path.realpath(self.folder)
        if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
            raise BadKeyError(f"The key {key!r} leads out of the folder of pictures.")
        return self.folder / THUMBNAILS / size / f"{key}.webp" if size else path

    def open(self, key: str, size: str = "") -> Content:
        """See `Storage`."""
        try:
            stream = self.path(key, size).open("rb")
        except (IsADirectoryError, NotADirectoryError) as error:  # not one of our files
            raise FileNotFoundError(key) from error
        status = os.fstat(stream.fileno())
        return Content(stream, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def exists(self, key: str, size: str = "") -> bool:
        """See `Storage`; False for invalid keys."""
        try:
            return self.path(key, size).is_file()
        except BadKeyError:
            return False

    def identity(self, key: str) -> tuple[int, int]:
        """See `Storage`."""
        status = self.path(key).stat()
        return status.st_dev, status.st_ino

    def delete(self, key: str) -> None:
        """See `Storage`."""
        self.path(key).unlink(missing_ok=True)
        for size in self._sizes():
            (size / f"{key}.webp").unlink(missing_ok=True)

    def entries(self) -> Iterator[Entry]:
        """See `Storage`."""
        waiting = [self.folder] if self.folder.exists() else []
        while waiting:
            with os.scandir(waiting.pop()) as found:
                for each in found:
                    if each.is_dir(follow_symlinks=False):
                        waiting.append(Path(each.path))
                    elif (entry := self._entry(each)) is not None:
                        yield entry

    def remove(self, name: str) -> None:
        """See `Storage`."""
        (self.folder / name).unlink(missing_ok=True)

    def write(self, key: str, source: bytes | Path, size: str = "") -> set[Path]:
        """See `Storage`."""
        target = self.path(key, size)
        changed = _make_folder(target.parent)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{UNFINISHED}")
        try:
            with temporary.open("xb") as stream:
                if isinstance(source, bytes):
                    stream.write(source)
                else:
                    with source.open("rb") as original:
                        shutil.copyfileobj(original, stream, 1 << 20)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        except OSError as error:
            error.filename = error.filename or str(target)  # such as a full disk, which names no file
            raise
        finally:
            temporary.unlink(missing_ok=True)
        return changed

    def write_link(self, key: str, source_key: str) -> set[Path]:
        """See `Storage`; a copy if the file system cannot link."""
        source, target = self.path(source_key), self.path(key)
        changed = _make_folder(target.parent)
        try:
            os.link(source, target)
        except OSError as error:
            if error.errno not in {errno.EMLINK, errno.EPERM, errno.EXDEV, errno.ENOTSUP}:
                raise
            self.write(key, source)
        return changed

    def _sizes(self) -> list[Path]:
        try:
            return [Path(entry.path) for entry in os.scandir(self.folder / THUMBNAILS) if entry.is_dir()]
        except FileNotFoundError:
            return []

    def _entry(self, found: os.DirEntry) -> Entry | None:
        """The entry of a file, None if it is not one of ours or was just removed."""
        name = Path(found.path).relative_to(self.folder).as_posix()
        hidden = found.name.startswith(".") and found.name.endswith(UNFINISHED)
        key = "" if hidden else _key(name)
        if not hidden and not is_key(key):
            return None
        try:
            # A hard link has the mtime of its bytes; the ctime is that of the newest link.
            changed = found.stat(follow_symlinks=False).st_ctime
        except FileNotFoundError:
            return None
        return Entry(name, key, datetime.fromtimestamp(changed, UTC))


def _make_folder(folder: Path) -> set[Path]:
    """Create a folder; returns the folders to sync for a file in it, including the parents of new ones."""
    changed, missing = {folder}, folder
    while not missing.exists():
        missing = missing.parent
        changed.add(missing)
    folder.mkdir(parents=True, exist_ok=True)
    return changed


def _key(name: str) -> str:
    """The key of a picture file, or of the picture that a thumbnail file belongs to."""
    if name.startswith(f"{THUMBNAILS}/"):
        return name.split("/", 2)[-1].removesuffix(".webp")
    return name


def _sync_folders(folders: set[Path]) -> None:
    """Sync the entries of folders to disk."""
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
