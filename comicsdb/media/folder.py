"""Pictures in a local folder: a file for each key, hard links where keys share their bytes."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from comicsdb.media.storage import THUMBNAILS, BadKeyError, Batch, Content, Entry, Storage, checked, is_key

UNFINISHED = ".new"  # the ending of hidden files that get their name when they are whole


class FolderStorage(Storage):
    """A folder of pictures. A file has its name only when it is whole and on disk."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder).absolute()

    def path(self, key: str, size: str = "") -> Path:
        """The file of a picture or thumbnail, there or not.

        Raises BadKeyError for a key that leads elsewhere.
        """
        path = self.folder / checked(key)
        inside = os.path.realpath(self.folder)
        if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
            raise BadKeyError(f"The key {key!r} leads out of the folder of pictures.")
        return self.folder / THUMBNAILS / size / f"{key}.webp" if size else path

    def open(self, key: str, size: str = "") -> Content:
        """See `Storage`."""
        try:
            stream = self.path(key, size).open("rb")
        except (IsADirectoryError, NotADirectoryError) as error:  # somebody else's
            raise FileNotFoundError(key) from error
        status = os.fstat(stream.fileno())
        return Content(stream, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def exists(self, key: str, size: str = "") -> bool:
        """See `Storage`; a key that no picture can have is none."""
        try:
            return self.path(key, size).is_file()
        except BadKeyError:
            return False

    def identity(self, key: str) -> tuple[int, int]:
        """See `Storage`."""
        status = self.path(key).stat()
        return status.st_dev, status.st_ino

    def put(self, key: str, source: bytes | Path, size: str = "") -> None:
        """See `Storage`."""
        sync_folders(self.write(key, source, size))

    def copy(self, key: str, source_key: str) -> None:
        """See `Storage`; a copy where the file system cannot link (more)."""
        sync_folders(self.write_link(key, source_key))

    def delete(self, key: str) -> None:
        """See `Storage`."""
        self.path(key).unlink(missing_ok=True)
        for size in self._sizes():
            (size / f"{key}.webp").unlink(missing_ok=True)

    def batch(self) -> "FolderBatch":
        """See `Storage`."""
        return FolderBatch(self)

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
        """Store a file; it outlasts a power failure when the folders are synced that this gives."""
        target = self.path(key, size)
        changed = _made(target.parent)
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
        finally:
            temporary.unlink(missing_ok=True)
        return changed

    def write_link(self, key: str, source_key: str) -> set[Path]:
        """Link a file, or copy it; gives folders as `write` does."""
        source, target = self.path(source_key), self.path(key)
        changed = _made(target.parent)
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
        """What a file is, None where it is not ours or has just gone."""
        name = Path(found.path).relative_to(self.folder).as_posix()
        hidden = found.name.startswith(".") and found.name.endswith(UNFINISHED)
        key = "" if hidden else _key(name)
        if not hidden and not is_key(key):
            return None
        try:
            # A link is as old as its bytes; the time of its last change is that of the youngest name.
            changed = found.stat(follow_symlinks=False).st_ctime
        except FileNotFoundError:
            return None
        return Entry(name, key, datetime.fromtimestamp(changed, UTC))


class FolderBatch(Batch):
    """A batch that waits for the disk once for each folder, not for each file."""

    def __init__(self, storage: FolderStorage):
        super().__init__(storage)
        self._folders: set[Path] = set()

    def put(self, key: str, source: bytes | Path) -> str:
        """See `Batch`."""
        self._journal.append(key)
        self._folders |= self._storage.write(key, source)
        return key

    def put_link(self, key: str, source_key: str) -> str:
        """See `Batch`."""
        self._journal.append(key)
        self._folders |= self._storage.write_link(key, source_key)
        return key

    def sync(self) -> None:
        """See `Batch`."""
        sync_folders(self._folders)
        self._folders.clear()


def _made(folder: Path) -> set[Path]:
    """Make a folder; gives those to sync for a file in it: a new folder is safe once its own knows it."""
    changed, missing = {folder}, folder
    while not missing.exists():
        missing = missing.parent
        changed.add(missing)
    folder.mkdir(parents=True, exist_ok=True)
    return changed


def _key(name: str) -> str:
    """The key of the picture that a file is, or is a thumbnail of."""
    if name.startswith(f"{THUMBNAILS}/"):
        return name.split("/", 2)[-1].removesuffix(".webp")
    return name


def sync_folders(folders: set[Path]) -> None:
    """Wait until the names in some folders are on disk."""
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
