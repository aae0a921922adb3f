"""Thumbnails: WebP pictures of the site's sizes, made with an upload, daily after imports, or on demand."""

import io
import logging
from datetime import UTC, datetime

from comicsdb.imaging.picture import DEFAULT_UPLOAD_SIZES, SIZES, UPLOAD_SIZES, PictureError
from comicsdb.media.decoding import THUMBNAILS
from comicsdb.media.storage import STORAGE_OUTAGE, BadKeyError, Content, Storage

log = logging.getLogger(__name__)


class NoThumbnailError(Exception):
    """There is no such size or picture, or the picture cannot be read."""


def open_thumbnail(storage: Storage, size_name: str, key: str) -> Content:
    """Open a thumbnail; if there is none yet, it is made and stored next to the picture.

    Raises NoThumbnailError, and StorageDownError like the storage.
    """
    if size_name not in SIZES:
        raise NoThumbnailError(f"There is no size {size_name!r}.")
    try:
        return _open_stored(storage, size_name, key) or _make(storage, size_name, key)
    except (BadKeyError, FileNotFoundError) as error:
        raise NoThumbnailError(f"There is no picture {key!r}.") from error


def make_missing(storage: Storage, key: str) -> bool:
    """Make the thumbnails that an upload of the picture would have; returns whether that was possible."""
    try:
        for size_name in UPLOAD_SIZES.get(key.partition("/")[0], DEFAULT_UPLOAD_SIZES):
            open_thumbnail(storage, size_name, key).stream.close()
    except NoThumbnailError:  # logged
        return False
    return True


def store_thumbnail(storage: Storage, key: str, size_name: str, thumbnail: bytes) -> bool:
    """Store a thumbnail; returns whether that was possible: it can be made again."""
    try:
        storage.put(key, thumbnail, size_name)
    except OSError as error:  # the disk is full or read-only, or the storage is down
        STORAGE_OUTAGE.report(error, "A thumbnail cannot be stored: %s", error)
        return False
    return True


def _open_stored(storage: Storage, size_name: str, key: str) -> Content | None:
    try:
        return storage.open(key, size_name)
    except FileNotFoundError:
        return None


def _make(storage: Storage, size_name: str, key: str) -> Content:
    with THUMBNAILS.acquire() as decoder:
        stored = _open_stored(storage, size_name, key)  # another thread may have made it
        if stored is not None:
            return stored
        data = storage.read(key)
        try:
            made = decoder.thumbnail(data, size_name)
        except PictureError as error:
            log.warning("no thumbnail %s of %s: the picture %s", size_name, key, error)
            raise NoThumbnailError(f"The picture {error}.") from error
        if not store_thumbnail(storage, key, size_name, made):
            return Content(io.BytesIO(made), len(made), datetime.now(UTC))
    if not storage.exists(key):  # removed in the meantime: leave no thumbnail behind
        storage.delete(key)
        raise FileNotFoundError(key)
    return storage.open(key, size_name)
