"""Thumbnails: WebP pictures of the site's sizes, made on demand."""

import logging

from comicsdb.imaging.picture import SIZES, PictureError
from comicsdb.media import decoding
from comicsdb.media.storage import BadKeyError, Content, Storage

log = logging.getLogger(__name__)


class NoThumbnailError(Exception):
    """There is no such size or picture, or the picture cannot be read."""


class Thumbnails:
    """Makes thumbnails on demand and stores them next to the pictures."""

    def __init__(self, storage: Storage):
        self._storage = storage

    def open(self, size_name: str, key: str) -> Content:
        """Open a thumbnail, making it if necessary.

        Raises NoThumbnailError, and StorageDownError like the storage.
        """
        if size_name not in SIZES:
            raise NoThumbnailError(f"There is no size {size_name!r}.")
        try:
            return self._made(size_name, key) or self._make(size_name, key)
        except (BadKeyError, FileNotFoundError) as error:
            raise NoThumbnailError(f"There is no picture {key!r}.") from error

    def _made(self, size_name: str, key: str) -> Content | None:
        try:
            return self._storage.open(key, size_name)
        except FileNotFoundError:
            return None

    def _make(self, size_name: str, key: str) -> Content:
        data = self._storage.read(key)
        with decoding.acquire_decoder() as decoder:
            found = self._made(size_name, key)  # another thread may have made it
            if found is not None:
                return found
            try:
                made = decoder.thumbnail(data, size_name)
            except PictureError as error:
                log.warning("no thumbnail %s of %s: the picture %s", size_name, key, error)
                raise NoThumbnailError(f"The picture {error}.") from error
            self._storage.put(key, made, size_name)
        if not self._storage.exists(key):  # removed in the meantime: leave no thumbnail behind
            self._storage.delete(key)
            raise FileNotFoundError(key)
        return self._storage.open(key, size_name)
