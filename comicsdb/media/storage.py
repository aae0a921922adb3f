"""Where pictures lie: a local folder of files under keys that cannot be guessed (model.md 1.3)."""

import errno
import logging
import os
import re
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path

log = logging.getLogger(__name__)

KEY_LENGTH = 100
THUMBNAILS = "thumbs"  # the folder of made pictures, beside those of the kinds
UNDATED = frozenset({"user"})  # model.md 1.3
# Slash-separated names that begin with a letter or digit: no `..`, no hidden file, nothing absolute.
KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:/[A-Za-z0-9_][A-Za-z0-9_-]*)*\.[a-z0-9]{1,5}")
KIND = re.compile(r"[a-z][a-z_]{0,39}")
SUFFIX = re.compile(r"[a-z0-9]{1,5}")


class BadKey(ValueError):  # noqa: N818  (a fact about the key)
    """A storage key that no picture can have."""


def new_key(kind: str, suffix: str) -> str:
    """A fresh key `<kind>/<yyyy>/<mm>/<dd>/<32 hex digits>.<suffix>`; variants use the kind `variants`."""
    if not KIND.fullmatch(kind) or kind == THUMBNAILS or not SUFFIX.fullmatch(suffix):
        raise BadKey(f"No key can be made of {kind!r} and {suffix!r}.")
    day = "" if kind in UNDATED else f"{datetime.now(UTC):%Y/%m/%d}/"
    return f"{kind}/{day}{secrets.token_hex(16)}.{suffix}"


class Storage:
    """A folder of pictures. A file is never changed once it has its name; each row has its own."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder).absolute()

    def path(self, key: str) -> Path:
        """The file of a key, whether it exists or not; raises BadKey for a key that leads elsewhere."""
        if len(key) > KEY_LENGTH or not KEY.fullmatch(key) or key.startswith(f"{THUMBNAILS}/"):
            raise BadKey(f"Not the key of a picture: {key!r}.")
        path = self.folder / key
        inside = os.path.realpath(self.folder)
        if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
            raise BadKey(f"The key {key!r} leads out of the folder of pictures.")
        return path

    def exists(self, key: str) -> bool:
        """Whether a picture has this key."""
        try:
            return self.path(key).is_file()
        except BadKey:
            return False

    def open(self, key: str):
        """The picture as a binary file; raises FileNotFoundError, or BadKey."""
        return self.path(key).open("rb")

    def save(self, kind: str, source: bytes | Path, suffix: str) -> str:
        """Store bytes, or a copy of a file, and give the new key; what has a key is whole and on disk."""
        with self.batch() as batch:
            return batch.save(kind, source, suffix)

    def link(self, kind: str, source_key: str) -> str:
        """A further key for the same bytes: a file of its own that can be removed alone."""
        with self.batch() as batch:
            return batch.link(kind, source_key)

    def delete(self, key: str) -> None:
        """Remove a picture and its thumbnails; nothing happens where there is none."""
        self.path(key).unlink(missing_ok=True)
        for size in self._sizes():
            (size / f"{key}.webp").unlink(missing_ok=True)

    def thumbnail_path(self, size: str, key: str) -> Path:
        """Where a thumbnail lies once it is made; raises BadKey."""
        self.path(key)
        return self.folder / THUMBNAILS / size / f"{key}.webp"

    def batch(self) -> "Batch":
        """Many pictures at once: `with storage.batch() as batch`; an exception takes them all back."""
        return Batch(self)

    def _sizes(self):
        try:
            return [Path(entry.path) for entry in os.scandir(self.folder / THUMBNAILS) if entry.is_dir()]
        except FileNotFoundError:
            return []


class Batch:
    """Pictures that are stored together: on disk when the block is left, gone when it fails."""

    def __init__(self, storage: Storage):
        self._storage = storage
        self._folders: set[Path] = set()
        self._journal: list[str] = []

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, failure, *_details) -> None:
        if failure is not None:
            self.undo()
        else:
            self.sync()

    def __len__(self) -> int:
        return len(self._journal)

    def sync(self) -> None:
        """Wait until all names are on disk; call it before what names them is committed."""
        while self._folders:
            sync_folder(self._folders.pop())

    def undo(self) -> None:
        """Remove all that was stored."""
        for key in self._journal:
            self._storage.delete(key)
        self._journal.clear()

    def save(self, kind: str, source: bytes | Path, suffix: str) -> str:
        """Store bytes, or a copy of a file, under a new key."""
        return self.put(new_key(kind, suffix), source)

    def link(self, kind: str, source_key: str) -> str:
        """A new key for the bytes of another key."""
        return self.put_link(new_key(kind, source_key.rpartition(".")[2]), source_key)

    def put(self, key: str, source: bytes | Path) -> str:
        """Store bytes, or a copy of a file, under a key made by `new_key`."""
        target = self._prepare(key)
        temporary = target.with_name(f".{target.name}.new")
        try:
            with temporary.open("xb") as stream:
                if isinstance(source, bytes):
                    stream.write(source)
                else:
                    with source.open("rb") as original:
                        shutil.copyfileobj(original, stream, 1 << 20)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.rename(target)
        finally:
            temporary.unlink(missing_ok=True)
        return key

    def put_link(self, key: str, source_key: str) -> str:
        """Give the bytes of `source_key` a further key; a copy where the file system cannot link (more)."""
        target = self._prepare(key)
        source = self._storage.path(source_key)
        try:
            os.link(source, target)
        except OSError as error:
            if error.errno not in {errno.EMLINK, errno.EPERM, errno.EXDEV, errno.ENOTSUP}:
                raise
            self.put(key, source)
        return key

    def _prepare(self, key: str) -> Path:
        target = self._storage.path(key)
        if target.parent not in self._folders:
            made = target.parent
            while not made.exists():  # a new folder is safe once its own folder knows it
                self._folders.add(made.parent)
                made = made.parent
            target.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(target.parent)
        self._journal.append(key)
        return target


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
