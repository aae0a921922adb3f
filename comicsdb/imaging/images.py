"""Opening pictures with Pillow, within bounds."""

import io
import warnings
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from comicsdb.imaging.picture import (
    MAX_PIXELS,
    MAX_SIDE,
    SUFFIXES,
    Picture,
    PictureError,
    check_length,
    damaged,
)
from comicsdb.imaging.structure import check

# By the decoder's name; what cameras write as MPO is a JPEG with further pictures behind it.
FORMATS = {**{name: name for name in SUFFIXES}, "MPO": "JPEG"}
ORIENTATION = 0x0112  # the Exif tag; 5 to 8 lie on their side
DECODER_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError)

_ = str  # marks texts for translation


def inspect(source: Path | bytes) -> Picture:
    """Decode a picture, from a file or its bytes, and say how large it is.

    Raises PictureError for anything but a sound JPEG, PNG, WebP, GIF or AVIF of at most 20 MB and 50
    million pixels. The name of a file and its claimed type are not looked at. Of an animation the first
    frame counts.
    """
    with opened(source) as image:
        return loaded(image)


def loaded(image: Image.Image) -> Picture:
    """Decode an opened image and say what it is; raises PictureError."""
    width, height = upright_size(image)
    try:
        image.load()
    except DECODER_ERRORS as error:
        raise damaged() from error
    return Picture(width, height, FORMATS[image.format])


class opened:  # noqa: N801  (used as a function: `with opened(path) as image`)
    """An image whose structure and header were read and are within bounds; nothing is decoded yet.

    Raises PictureError as `inspect` does.
    """

    def __init__(self, source: Path | bytes):
        self._source = source

    def __enter__(self) -> Image.Image:
        if isinstance(self._source, bytes):
            check_length(len(self._source))
            data = self._source
        else:
            check_length(self._source.stat().st_size)
            data = self._source.read_bytes()
        check(data)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of sizes we judge ourselves, and of odd metadata
                self._image = Image.open(io.BytesIO(data), formats=tuple(SUFFIXES))
        except UnidentifiedImageError as error:
            raise PictureError(_("is not a JPEG, PNG, WebP, GIF or AVIF picture")) from error
        except Image.DecompressionBombError as error:
            raise PictureError(_("has more than ${most} pixels"), most=format(MAX_PIXELS, ",")) from error
        except DECODER_ERRORS as error:
            raise PictureError(_("is not a readable picture")) from error
        try:
            _check_size(*self._image.size)
        except PictureError:
            self._image.close()
            raise
        return self._image

    def __exit__(self, *_failure):
        self._image.close()


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise PictureError(
            _("has ${size} pixels; at most ${most} are taken"),
            size=format(width * height, ","),
            most=format(MAX_PIXELS, ","),
        )
    if max(width, height) > MAX_SIDE:
        raise PictureError(
            _("is ${width} by ${height} pixels; at most ${most} a side are taken"),
            width=str(width),
            height=str(height),
            most=format(MAX_SIDE, ","),
        )


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
