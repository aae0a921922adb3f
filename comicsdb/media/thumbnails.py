"""Thumbnails: WebP pictures of the site's sizes, made when first asked for (web.md 2.7)."""

import logging
import os
import secrets
import threading
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageOps

from comicsdb.media.images import DECODER_ERRORS, PictureError, opened, orientation
from comicsdb.media.storage import BadKey, Storage

log = logging.getLogger(__name__)

QUALITY = 80
MADE_AT_ONCE = 2  # a large cover takes some 150 MB while it is decoded


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
            raise PictureError("is damaged or cut off") from error
    left = (covering[0] - target[0]) // 2
    top = 0 if SIZES[size_name].crop == Crop.TOP else (covering[1] - target[1]) // 2
    return scaled.crop((left, top, left + target[0], top + target[1]))


def _plain(image: Image.Image) -> Image.Image:
    """The decoded image in a mode that WebP knows, with its transparency."""
    image.load()
    transparent = image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")


class Thumbnails:
    """Makes thumbnails and keeps them beside the pictures; few at a time, so that memory stays bounded."""

    def __init__(self, storage: Storage, made_at_once: int = MADE_AT_ONCE):
        self._storage = storage
        self._places = threading.BoundedSemaphore(made_at_once)

    def path(self, size_name: str, key: str) -> Path:
        """The file of a thumbnail, made now if need be; raises NoThumbnail."""
        if size_name not in SIZES:
            raise NoThumbnail(f"There is no size {size_name!r}.")
        try:
            source, target = self._storage.path(key), self._storage.thumbnail_path(size_name, key)
        except BadKey as error:
            raise NoThumbnail(str(error)) from error
        if target.is_file():
            return target
        if not source.is_file():
            raise NoThumbnail(f"There is no picture {key!r}.")
        with self._places:
            if not target.is_file():
                self._make(source, size_name, target)
        if not source.is_file():  # removed meanwhile: nothing may be left of it
            target.unlink(missing_ok=True)
            raise NoThumbnail(f"The picture {key!r} is gone.")
        return target

    def _make(self, source: Path, size_name: str, target: Path) -> None:
        try:
            image = render(source, size_name)
        except (PictureError, FileNotFoundError) as error:
            log.warning("no thumbnail %s of %s: the picture %s", size_name, source, error)
            raise NoThumbnail(f"The picture {error}.") from error
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{secrets.token_hex(8)}.new")
        try:
            image.save(temporary, "WEBP", quality=QUALITY, exif=b"")
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
