"""Opening pictures with Pillow within limits, and making thumbnails."""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from PIL import Image, ImageOps, UnidentifiedImageError

from comicsdb.imaging.picture import (
    PIXELS_MAX,
    SIDE_MAX,
    SIZES,
    SUFFIXES,
    Crop,
    Picture,
    PictureError,
    check_length,
    damaged_error,
    thumbnail_size,
)
from comicsdb.imaging.structure import check_structure

# By Pillow's name; an MPO of a camera is a JPEG followed by further pictures.
FORMATS = {**{name: name for name in SUFFIXES}, "MPO": "JPEG"}
ORIENTATION = 0x0112  # the Exif tag; with values 5 to 8 the picture is rotated by 90°
DECODER_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError)

_ = str  # marks texts for translation

QUALITY = 80


def load(image: Image.Image) -> Picture:
    """Decode an opened image; returns its size and format. Raises PictureError."""
    found = header_facts(image)
    try:
        image.load()
    except DECODER_ERRORS as error:
        raise damaged_error() from error
    return found


def header_facts(image: Image.Image) -> Picture:
    """The size and format of an opened image, from its header."""
    return Picture(*upright_size(image), FORMATS[image.format])


@contextmanager
def open_image(data: bytes) -> Iterator[Image.Image]:
    """Open an image whose structure and header are within the limits, without decoding it.

    Raises PictureError for anything but a JPEG, PNG, WebP, GIF or AVIF of at most 20 MB and 50 million
    pixels. Of an animation, only the first frame counts.
    """
    check_length(len(data))
    check_structure(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes, which we check ourselves, and odd metadata
            image = Image.open(io.BytesIO(data), formats=tuple(SUFFIXES))
    except UnidentifiedImageError as error:
        raise PictureError(_("is not a JPEG, PNG, WebP, GIF or AVIF picture")) from error
    except Image.DecompressionBombError as error:
        raise PictureError(_("has more than ${most} pixels"), most=format(PIXELS_MAX, ",")) from error
    except DECODER_ERRORS as error:
        raise PictureError(_("is not a readable picture")) from error
    with closing(image):
        _check_size(*image.size)
        yield image


def _check_size(width: int, height: int) -> None:
    if width * height > PIXELS_MAX:
        raise PictureError(
            _("has ${size} pixels; at most ${most} are allowed"),
            size=format(width * height, ","),
            most=format(PIXELS_MAX, ","),
        )
    if max(width, height) > SIDE_MAX:
        raise PictureError(
            _("is ${width} by ${height} pixels; at most ${most} per side are allowed"),
            width=str(width),
            height=str(height),
            most=format(SIDE_MAX, ","),
        )


def orientation(image: Image.Image) -> int:
    """The Exif orientation: 1 is upright, 5 to 8 are rotated by 90°."""
    try:
        return image.getexif().get(ORIENTATION, 1)
    except DECODER_ERRORS:
        return 1


def upright_size(image: Image.Image) -> tuple[int, int]:
    """Width and height of the picture as it is displayed."""
    width, height = image.size
    return (height, width) if orientation(image) in {5, 6, 7, 8} else (width, height)


def thumbnail(source: bytes, size_name: str) -> bytes:
    """The thumbnail of a picture as WebP; raises PictureError if it cannot be read."""
    return _as_webp(render(source, size_name))


def thumbnails(image: Image.Image, size_names: Sequence[str]) -> list[bytes]:
    """The thumbnails of a decoded picture as WebP, which is decoded only once for all of them."""
    upright = ImageOps.exif_transpose(_plain(image))
    return [_as_webp(_scale(upright, name, *_target(name, *upright.size))) for name in size_names]


def _as_webp(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "WEBP", quality=QUALITY, exif=b"")
    return stream.getvalue()


def render(source: bytes, size_name: str) -> Image.Image:
    """The thumbnail of a picture as an image; raises PictureError if it cannot be read."""
    with open_image(source) as image:
        sideways = orientation(image) in {5, 6, 7, 8}
        width, height = image.size[::-1] if sideways else image.size
        target, covering = _target(size_name, width, height)
        # JPEG can be decoded at a lower resolution.
        image.draft(None, covering[::-1] if sideways else covering)
        try:
            return _scale(ImageOps.exif_transpose(_plain(image)), size_name, target, covering)
        except DECODER_ERRORS as error:
            raise damaged_error() from error


def _target(size_name: str, width: int, height: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The size of a thumbnail, and that of the scaled picture before cropping, which covers it."""
    target = thumbnail_size(size_name, width, height)
    scale = max(target[0] / width, target[1] / height)
    return target, (max(target[0], round(width * scale)), max(target[1], round(height * scale)))


def _scale(
    upright: Image.Image, size_name: str, target: tuple[int, int], covering: tuple[int, int]
) -> Image.Image:
    scaled = upright.resize(covering, Image.Resampling.LANCZOS, reducing_gap=2.0)
    left = (covering[0] - target[0]) // 2
    top = 0 if SIZES[size_name].crop == Crop.TOP else (covering[1] - target[1]) // 2
    return scaled.crop((left, top, left + target[0], top + target[1]))


def eight_bits(image: Image.Image) -> Image.Image:
    """The image with 8 bits of grey instead of 16, which conversions of modes cut instead of scaling."""
    return image.point(lambda grey: grey / 256).convert("L") if image.mode == "I;16" else image


def _plain(image: Image.Image) -> Image.Image:
    """The decoded image in a mode that WebP supports, with its transparency."""
    image.load()
    image = eight_bits(image)
    transparent = image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")
