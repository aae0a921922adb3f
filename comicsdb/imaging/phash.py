"""The perceptual hash of a cover: pictures that look alike differ in few bits."""

from math import cos, pi
from operator import gt, mul
from statistics import median

from PIL import Image

SIDE = 32  # the picture is shrunk to a square of so many pixels
KEPT = 8  # and of its frequencies the lowest eight each way are kept: 64 bits
# cos(k (2n + 1) pi / 2N) for frequency k and pixel n: the type II discrete cosine transform.
_WAVES = [[cos(pi * k * (2 * n + 1) / (2 * SIDE)) for n in range(SIDE)] for k in range(KEPT)]
_NOISE = 7  # decimals; what differs behind them is rounding, not picture


def _low(values: list) -> list[float]:
    """The lowest frequencies of a line of pixels."""
    return [sum(map(mul, wave, values)) for wave in _WAVES]


def phash(image: Image.Image) -> str:
    """The 64-bit DCT hash of a picture as 16 hexadecimal digits, the same as the ImageHash library's `phash`.

    A bit is set where a frequency is above the median of all 64; the rows follow each other, lowest first.
    """
    grey = image.convert("L").resize((SIDE, SIDE), Image.Resampling.LANCZOS).tobytes()
    across = zip(*(_low(list(grey[row * SIDE : (row + 1) * SIDE])) for row in range(SIDE)), strict=True)
    columns = [_low(list(column)) for column in across]
    waves = [round(columns[x][y], _NOISE) for y in range(KEPT) for x in range(KEPT)]
    middle = median(waves)
    return f"{int(''.join('01'[gt(wave, middle)] for wave in waves), 2):016x}"
