"""The sizes of thumbnails on the site."""

from enum import StrEnum
from typing import NamedTuple


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
