"""The perceptual hashes of covers: 64 bits each, which similar pictures share but for a few.

They are those of ComicTagger, whose `phash` is also that of the ImageHash library. The first pixel gives the
highest bit.
"""

from collections.abc import Iterable
from math import cos, pi
from operator import mul
from statistics import fmean, median

from PIL import Image

KINDS = ("phash", "dhash", "ahash")
BITS = 64

_SIDE = 32  # pHash: the picture is scaled to a square of this side
_KEPT = 8  # the lowest eight frequencies each way are used
# cos(k (2n + 1) pi / 2N) for frequency k and pixel n: the type II discrete cosine transform.
_WAVES = [[cos(pi * k * (2 * n + 1) / (2 * _SIDE)) for n in range(_SIDE)] for k in range(_KEPT)]
_NOISE = 7  # decimals; further ones are rounding noise
_LANCZOS = Image.Resampling.LANCZOS


def hashes(image: Image.Image) -> dict[str, str]:
    """All hashes of a picture by kind, each as 16 hexadecimal digits."""
    return {"phash": _phash(image), "dhash": _dhash(image), "ahash": _ahash(image)}


def _phash(image: Image.Image) -> str:
    """A bit is set where a frequency is above the median of all 64; rows in order, lowest frequency first."""
    grey = image.convert("L").resize((_SIDE, _SIDE), _LANCZOS).tobytes()
    across = zip(*(_low(list(grey[row * _SIDE : (row + 1) * _SIDE])) for row in range(_SIDE)), strict=True)
    columns = [_low(list(column)) for column in across]
    waves = [round(columns[x][y], _NOISE) for y in range(_KEPT) for x in range(_KEPT)]
    middle = median(waves)
    return _digits(wave > middle for wave in waves)


def _low(values: list) -> list[float]:
    """The lowest frequencies of a line of pixels."""
    return [sum(map(mul, wave, values)) for wave in _WAVES]


def _dhash(image: Image.Image) -> str:
    """A bit is set where a pixel is darker than the next one.

    Row y begins at the pixel 8 + y of nine a row, not at 9 y: ComicTagger counts so, and what it has computed
    for its users' files must be found.
    """
    pixels = image.resize((9, 8), _LANCZOS).convert("L").tobytes()
    return _digits(pixels[x + 8 + y] < pixels[x + 9 + y] for y in range(8) for x in range(8))


def _ahash(image: Image.Image) -> str:
    """A bit is set where a pixel is above the mean."""
    pixels = image.resize((8, 8), _LANCZOS).convert("L").tobytes()
    mean = fmean(pixels)
    return _digits(pixel > mean for pixel in pixels)


def _digits(bits: Iterable[bool]) -> str:
    number = 0
    for bit in bits:
        number = number << 1 | bit
    return f"{number:016x}"
