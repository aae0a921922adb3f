"""The perceptual hashes of covers: 64 bits each, of which similar pictures share all but a few.

They are those of ComicTagger and, except for `early_dhash`, of the ImageHash library. The first pixel gives
the highest bit.
"""

from collections.abc import Iterable
from math import cos, pi
from operator import mul
from statistics import fmean, median

from PIL import Image, ImageOps

from comicsdb.imaging.images import eight_bits

_SIDE = 32  # pHash: the picture is scaled to a square with this side
_FREQUENCIES = 8  # the lowest ones in each direction are used
# cos(k (2n + 1) pi / 2N) for frequency k and pixel n: the type II discrete cosine transform.
_COSINES = [[cos(pi * k * (2 * n + 1) / (2 * _SIDE)) for n in range(_SIDE)] for k in range(_FREQUENCIES)]
_DECIMALS = 7  # further decimals are rounding noise
_LANCZOS = Image.Resampling.LANCZOS


def hashes(image: Image.Image) -> dict[str, str]:
    """All hashes of a picture as it is displayed, by kind, each as 16 hexadecimal digits."""
    image = eight_bits(ImageOps.exif_transpose(image))
    pixels = image.resize((9, 8), _LANCZOS).convert("L").tobytes()
    return {
        "phash": _phash(image),
        "dhash": _dhash(pixels, 9),
        # Early versions of ComicTagger used rows of one pixel; their hashes must be found too.
        "early_dhash": _dhash(pixels[8:], 1),
        "ahash": _ahash(image),
    }


def _phash(image: Image.Image) -> str:
    """A bit is set if a frequency is above the median of all 64; rows in order, lowest frequency first."""
    grey = image.convert("L").resize((_SIDE, _SIDE), _LANCZOS).tobytes()
    across = zip(
        *(_lowest_frequencies(list(grey[row * _SIDE : (row + 1) * _SIDE])) for row in range(_SIDE)),
        strict=True,
    )
    columns = [_lowest_frequencies(list(column)) for column in across]
    waves = [round(columns[x][y], _DECIMALS) for y in range(_FREQUENCIES) for x in range(_FREQUENCIES)]
    middle = median(waves)
    return _digits(wave > middle for wave in waves)


def _lowest_frequencies(values: list) -> list[float]:
    """The lowest frequencies of a line of pixels."""
    return [sum(map(mul, wave, values)) for wave in _COSINES]


def _dhash(pixels: bytes, row: int) -> str:
    """A bit is set if a pixel is darker than the next one; rows begin `row` pixels apart."""
    return _digits(pixels[x + row * y] < pixels[x + row * y + 1] for y in range(8) for x in range(8))


def _ahash(image: Image.Image) -> str:
    """A bit is set if a pixel is above the mean."""
    pixels = image.resize((8, 8), _LANCZOS).convert("L").tobytes()
    mean = fmean(pixels)
    return _digits(pixel > mean for pixel in pixels)


def _digits(bits: Iterable[bool]) -> str:
    number = 0
    for bit in bits:
        number = number << 1 | bit
    return f"{number:016x}"
