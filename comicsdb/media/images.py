"""What a picture is: checked by decoding it, and measured (model.md 1.3)."""

import io
import threading
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from comicsdb.i18n import Text, _, said

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 50_000_000  # a decoded picture takes three to four bytes a pixel
DECODED_AT_ONCE = 2  # pictures in one process: the largest take some 200 MB each
MAX_SIDE = 32767  # what the columns for width and height hold
SUFFIXES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif", "AVIF": "avif"}
# By the decoder's name; what cameras write as MPO is a JPEG with further pictures behind it.
FORMATS = {**{name: name for name in SUFFIXES}, "MPO": "JPEG"}
ORIENTATION = 0x0112  # the Exif tag; 5 to 8 lie on their side
DECODER_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, MemoryError)


_places = threading.BoundedSemaphore(DECODED_AT_ONCE)


@contextmanager
def decoding():
    """Wait for a place in which to decode pictures that strangers chose, so that memory stays bounded."""
    with _places:
        yield


class PictureError(ValueError):
    """A file is no picture we take; `problem` says what is wrong, as the end of a sentence."""

    def __init__(self, problem: Text):
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True)
class Picture:
    """A checked picture: its size in pixels as it is shown, and the name of its decoded format."""

    width: int
    height: int
    format: str

    @property
    def suffix(self) -> str:
        """The ending of a file of this format, without dot."""
        return SUFFIXES[self.format]


def inspect(source: Path | bytes) -> Picture:
    """Decode a picture, from a file or its bytes, and say how large it is.

    Raises PictureError for anything but a sound JPEG, PNG, WebP, GIF or AVIF of at most 20 MB and 50
    million pixels. The name of a file and its claimed type are not looked at. Of an animation the first
    frame counts.
    """
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    if size == 0:
        raise PictureError(_("is empty"))
    if size > MAX_BYTES:
        raise PictureError(
            said(
                "has ${size} bytes; at most ${most} are taken",
                size=format(size, ","),
                most=format(MAX_BYTES, ","),
            )
        )
    with opened(source) as image:
        width, height = upright_size(image)
        try:
            image.load()
        except DECODER_ERRORS as error:
            raise PictureError(_("is damaged or cut off")) from error
        return Picture(width, height, FORMATS[image.format])


class opened:  # noqa: N801  (used as a function: `with opened(path) as image`)
    """An image whose header was read and whose size is within bounds; nothing is decoded yet.

    Raises PictureError as `inspect` does.
    """

    def __init__(self, source: Path | bytes):
        self._source = source

    def __enter__(self) -> Image.Image:
        stream = io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of sizes we judge ourselves, and of odd metadata
                self._image = Image.open(stream, formats=tuple(SUFFIXES))
        except UnidentifiedImageError as error:
            raise PictureError(_("is not a JPEG, PNG, WebP, GIF or AVIF picture")) from error
        except Image.DecompressionBombError as error:
            raise PictureError(said("has more than ${most} pixels", most=format(MAX_PIXELS, ","))) from error
        except DECODER_ERRORS as error:
            raise PictureError(_("is not a readable picture")) from error
        width, height = self._image.size
        problem = None
        if width * height > MAX_PIXELS:
            problem = said(
                "has ${size} pixels; at most ${most} are taken",
                size=format(width * height, ","),
                most=format(MAX_PIXELS, ","),
            )
        elif max(width, height) > MAX_SIDE:
            problem = said(
                "is ${width} by ${height} pixels; at most ${most} a side are taken",
                width=width,
                height=height,
                most=format(MAX_SIDE, ","),
            )
        if problem:
            self._image.close()
            raise PictureError(problem)
        return self._image

    def __exit__(self, *_failure):
        self._image.close()


def orientation(image: Image.Image) -> int:
    """How a camera says the picture is turned: 1 is upright, 5 to 8 lie on their side."""
    try:
        return image.getexif().get(ORIENTATION, 1)
    except DECODER_ERRORS:
        return 1


def upright_size(image: Image.Image) -> tuple[int, int]:
    """Width and height as the picture is shown."""
    width, height = image.size
    return (height, width) if orientation(image) in {5, 6, 7, 8} else (width, height)
