"""Thumbnails: WebP pictures of the site's sizes, made when first asked for (web.md 2.7)."""

import io
import logging
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageOps

from comicsdb.i18n import _
from comicsdb.media.images import DECODER_ERRORS, PictureError, decoding, opened, orientation
from comicsdb.media.storage import BadKey, Content, Storage

log = logging.getLogger(__name__)

QUALITY = 80


class Crop(StrEnum):
    """What is cut off where a picture has another shape than its frame."""

    NONE = "none"  # nothing: the picture is fitted into the frame
    CENTRE = "centre"
    TOP = "top"  # the upper edge stays


class Size(NamedTuple):
    """A frame in pixels; pictures smaller than it are not enlarged."""

    width: int
    height: int
    crop: Crop


SIZES = {
    "cover": Size(320, 480, Crop.NONE),  # issue card, issue page, variants
    "cover_large": Size(640, 960, Crop.NONE),
    "card": Size(320, 480, Crop.CENTRE),
    "card_top": Size(320, 480, Crop.TOP),  # characters, universes
    "creator": Size(256, 256, Crop.TOP),
    "portrait": Size(64, 64, Crop.TOP),
    "emblem": Size(64, 64, Crop.CENTRE),  # teams, universes
    "banner": Size(1600, 520, Crop.CENTRE),
    "banner_card": Size(640, 320, Crop.CENTRE),
    "list_item": Size(96, 144, Crop.NONE),
    "read": Size(300, 450, Crop.CENTRE),
    "avatar": Size(64, 64, Crop.CENTRE),
    "avatar_large": Size(128, 128, Crop.CENTRE),
}
TURNING = frozenset({"cover", "cover_large"})  # a landscape cover gets a frame of 3:2 instead of 2:3


class NoThumbnail(Exception):  # noqa: N818  (a fact about the address)
    """There is no such size or picture, or the picture cannot be read."""


def frame(size_name: str, width: int | None, height: int | None) -> tuple[int, int]:
    """The frame for a picture of the given size, as `<img>` carries it so that nothing moves on loading."""
    size = SIZES[size_name]
    if size_name in TURNING and width and height and width > height:
        return size.height, size.width
    return size.width, size.height


def fitted(size_name: str, width: int, height: int) -> tuple[int, int]:
    """The size in pixels that the thumbnail of a picture of `width` by `height` has."""
    frame_width, frame_height = frame(size_name, width, height)
    if SIZES[size_name].crop == Crop.NONE:
        scale = min(1, frame_width / width, frame_height / height)
        return max(1, round(width * scale)), max(1, round(height * scale))
    scale = min(1, max(frame_width / width, frame_height / height))
    # Smaller pictures keep their pixels but get the frame's shape.
    shrink = min(1, width * scale / frame_width, height * scale / frame_height)
    return max(1, round(frame_width * shrink)), max(1, round(frame_height * shrink))


def render(source: Path | bytes, size_name: str) -> Image.Image:
    """The thumbnail of a picture as an image; raises PictureError where it cannot be read."""
    with opened(source) as image:
        sideways = orientation(image) in {5, 6, 7, 8}
        width, height = image.size[::-1] if sideways else image.size
        target = fitted(size_name, width, height)
        # Before cropping, the picture is scaled so that it covers the target.
        scale = max(target[0] / width, target[1] / height)
        covering = (max(target[0], round(width * scale)), max(target[1], round(height * scale)))
        image.draft(None, covering[::-1] if sideways else covering)  # JPEG decodes at a fraction of the cost
        try:
            upright = ImageOps.exif_transpose(_plain(image))
            scaled = upright.resize(covering, Image.Resampling.LANCZOS, reducing_gap=2.0)
        except DECODER_ERRORS as error:
            raise PictureError(_("is damaged or cut off")) from error
    left = (covering[0] - target[0]) // 2
    top = 0 if SIZES[size_name].crop == Crop.TOP else (covering[1] - target[1]) // 2
    return scaled.crop((left, top, left + target[0], top + target[1]))


def _plain(image: Image.Image) -> Image.Image:
    """The decoded image in a mode that WebP knows, with its transparency."""
    image.load()
    transparent = image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")


class Thumbnails:
    """Makes thumbnails when they are first asked for, and keeps them where the pictures are."""

    def __init__(self, storage: Storage):
        self._storage = storage

    def open(self, size_name: str, key: str) -> Content:
        """A thumbnail, made now if need be; raises NoThumbnail, and StorageDown as the storage does."""
        if size_name not in SIZES:
            raise NoThumbnail(f"There is no size {size_name!r}.")
        try:
            return self._made(size_name, key) or self._make(size_name, key)
        except (BadKey, FileNotFoundError) as error:
            raise NoThumbnail(f"There is no picture {key!r}.") from error

    def _made(self, size_name: str, key: str) -> Content | None:
        try:
            return self._storage.open(key, size_name)
        except FileNotFoundError:
            return None

    def _make(self, size_name: str, key: str) -> Content:
        data = self._storage.read(key)
        with decoding():
            found = self._made(size_name, key)  # by another thread, while this one waited
            if found is not None:
                return found
            try:
                image = render(data, size_name)
            except PictureError as error:
                log.warning("no thumbnail %s of %s: the picture %s", size_name, key, error)
                raise NoThumbnail(f"The picture {error}.") from error
            stream = io.BytesIO()
            image.save(stream, "WEBP", quality=QUALITY, exif=b"")
            self._storage.put(key, stream.getvalue(), size_name)
        if not self._storage.exists(key):  # removed meanwhile: nothing may be left of it
            self._storage.delete(key)
            raise FileNotFoundError(key)
        return self._storage.open(key, size_name)
