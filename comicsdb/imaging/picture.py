"""Facts about a picture that need no decoding: format, size, thumbnail sizes, and errors."""

from dataclasses import dataclass
from enum import StrEnum
from string import Template
from typing import NamedTuple

BYTES_MAX = 20 * 1024 * 1024
PIXELS_MAX = 50_000_000  # a decoded picture takes three to four bytes a pixel, several times over
SIDE_MAX = 32767  # the limit of the columns for width and height
SUFFIXES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif", "AVIF": "avif"}

_ = str  # marks texts for translation, like `comicsdb.i18n`


class PictureError(ValueError):
    """A file is not an acceptable picture; the text gives the reason, as the end of a sentence.

    `mapping` has the values of its placeholders `${name}`.
    """

    def __init__(self, text: str, **mapping: str):
        super().__init__(Template(text).safe_substitute(mapping))
        self.text = text
        self.mapping = mapping

    @property
    def problem(self):
        """The problem as a translatable text."""
        from comicsdb.i18n import FormattedText  # noqa: PLC0415  (imports all tables; decoders do not need it)

        return FormattedText(self.text, **self.mapping)


class TooComplexError(PictureError):
    """Decoding the picture would exceed the limits."""


def check_length(size: int) -> None:
    """Raise PictureError for an empty or too large file."""
    if size == 0:
        raise PictureError(_("is empty"))
    if size > BYTES_MAX:
        raise PictureError(
            _("has ${size} bytes; at most ${most} are allowed"),
            size=format(size, ","),
            most=format(BYTES_MAX, ","),
        )


def damaged_error() -> PictureError:
    """The error for a truncated or invalid file."""
    return PictureError(_("is damaged or incomplete"))


def too_complex_error() -> TooComplexError:
    """The error for a file that exceeds the limits of a decoder."""
    return TooComplexError(
        _("takes too much time or memory to decode: please save it again, smaller or not progressive")
    )


@dataclass(frozen=True)
class Picture:
    """A checked picture: its displayed size in pixels, and the name of its format."""

    width: int
    height: int
    format: str

    @property
    def suffix(self) -> str:
        """The file suffix of this format, without dot."""
        return SUFFIXES[self.format]


class Crop(StrEnum):
    """How a picture whose shape differs from its frame is cropped."""

    NONE = "none"  # not at all: it is fitted into the frame
    CENTRE = "centre"
    TOP = "top"  # the upper edge is kept


class ThumbnailSize(NamedTuple):
    """A frame in pixels; smaller pictures are not enlarged."""

    width: int
    height: int
    crop: Crop


SIZES = {
    "cover": ThumbnailSize(320, 480, Crop.NONE),  # issue card, issue page, variants
    "cover_large": ThumbnailSize(640, 960, Crop.NONE),
    "card": ThumbnailSize(320, 480, Crop.CENTRE),
    "card_top": ThumbnailSize(320, 480, Crop.TOP),  # characters, universes
    "creator": ThumbnailSize(256, 256, Crop.TOP),
    "portrait": ThumbnailSize(64, 64, Crop.TOP),
    "emblem": ThumbnailSize(64, 64, Crop.CENTRE),  # teams, universes
    "banner": ThumbnailSize(1600, 520, Crop.CENTRE),
    "banner_card": ThumbnailSize(640, 320, Crop.CENTRE),
    "list_item": ThumbnailSize(96, 144, Crop.NONE),
    "read": ThumbnailSize(300, 450, Crop.CENTRE),
    "avatar": ThumbnailSize(64, 64, Crop.CENTRE),
    "avatar_large": ThumbnailSize(128, 128, Crop.CENTRE),
}
# Made with an upload, by kind: those of cards, lists and the object's page; others are made on demand.
UPLOAD_SIZES = {
    "character": ("card_top", "portrait"),
    "creator": ("creator", "portrait"),
    "issue": ("cover", "cover_large", "list_item"),
    "reading_list": ("banner", "banner_card"),
    "team": ("card", "emblem"),
    "universe": ("card_top", "emblem"),
    "user": ("avatar", "avatar_large"),
    "variants": ("cover", "cover_large", "list_item"),
}
DEFAULT_UPLOAD_SIZES = ("card", "portrait")
LANDSCAPE_SIZES = frozenset({"cover", "cover_large"})  # landscape covers get a 3:2 frame instead of 2:3


def frame(size_name: str, width: int | None, height: int | None) -> tuple[int, int]:
    """The frame for a picture of the given size: the size of `<img>`, for a stable layout."""
    size = SIZES[size_name]
    if size_name in LANDSCAPE_SIZES and width and height and width > height:
        return size.height, size.width
    return size.width, size.height


def thumbnail_size(size_name: str, width: int, height: int) -> tuple[int, int]:
    """The size in pixels of the thumbnail of a picture of `width` by `height`."""
    frame_width, frame_height = frame(size_name, width, height)
    if SIZES[size_name].crop == Crop.NONE:
        scale = min(1, frame_width / width, frame_height / height)
        return max(1, round(width * scale)), max(1, round(height * scale))
    scale = min(1, max(frame_width / width, frame_height / height))
    # Smaller pictures are not scaled, only cropped to the frame's shape.
    shrink = min(1, width * scale / frame_width, height * scale / frame_height)
    return max(1, round(frame_width * shrink)), max(1, round(frame_height * shrink))
