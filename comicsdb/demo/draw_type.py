"""Type: lines of letters as masks, with the accents that the font in Pillow lacks drawn over its letters."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

import unicodedata
from functools import lru_cache
from math import sin

from PIL import Image, ImageDraw, ImageFont

REFERENCE = 100  # the size in which type is measured
# Signs that are written with other letters; signs that are built of a letter and strokes.
_WRITTEN = str.maketrans({"ß": "ss", "½": "1/2", "—": "-", "–": "-", "№": "No."})
_STROKED = {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "£": "L", "€": "C", "¢": "c"}
_TURNED = {"¡": "!", "¿": "?"}


@lru_cache(maxsize=256)
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


def _parts(letter: str) -> tuple[str, str]:
    """The letter that the font has, and what is drawn on it: combining marks, or the sign itself."""
    if letter in _STROKED:
        return _STROKED[letter], letter
    if letter in _TURNED:
        return _TURNED[letter], letter
    split = unicodedata.normalize("NFD", letter)
    return split[0], split[1:]


def spelled(text: str) -> str:
    """A text in letters that can be drawn."""
    return unicodedata.normalize("NFC", text).translate(_WRITTEN)


@lru_cache(maxsize=1024)
def length(text: str) -> float:
    """How long a line is in the reference size."""
    font = _font(REFERENCE)
    return sum(font.getlength(_parts(letter)[0]) for letter in spelled(text))


def unaccented(text: str) -> str:
    """The letters of a text without what is drawn on them."""
    return "".join(_parts(letter)[0] for letter in spelled(text))


def padding(size: int, weight: int, bounce: int = 0) -> int:
    """The empty border of a mask that `letters` makes."""
    return weight + round(size * 0.4) + bounce


@lru_cache(maxsize=900)
def letters(
    text: str, size: int, weight: int, slant: float = 0.0, tracking: int = 0, bounce: int = 0
) -> Image.Image:
    """A mask of one line; `weight` thickens the strokes, `bounce` makes the letters dance. All in pixels."""
    font = _font(size)
    text = spelled(text)
    pad = padding(size, weight, bounce)
    wide = sum(font.getlength(_parts(letter)[0]) + tracking for letter in text)
    mask = Image.new("L", (round(wide) + 2 * pad, round(size * 1.2) + 2 * pad))
    pen = ImageDraw.Draw(mask)
    if text.isascii() and not tracking and not bounce:
        pen.text((pad, pad), text, font=font, fill=255, stroke_width=weight)
    else:
        x = float(pad)
        for place, letter in enumerate(text):
            y = pad + bounce * sin(place * 2.1 + len(text))
            base, marks = _parts(letter)
            _Glyph(mask, pen, font, size, weight, x, y).draw(base, marks)
            x += font.getlength(base) + tracking
    if slant:
        shift = slant * mask.height
        mask = mask.transform(
            (mask.width + round(shift), mask.height),
            Image.Transform.AFFINE,
            (1, slant, -shift, 0, 1, 0),
            Image.Resampling.BILINEAR,
        )
    return mask


class _Glyph:
    """One letter with what belongs on it."""

    def __init__(self, mask, pen, font, size: int, weight: int, x: float, y: float):
        self._mask, self._pen, self._font = mask, pen, font
        self._size, self._weight, self._x, self._y = size, weight, x, y

    def draw(self, base: str, marks: str) -> None:
        """Draw a letter the font has, and its marks."""
        if marks in _TURNED:
            self._turned(base)
            return
        self._pen.text(
            (self._x, self._y), base, font=self._font, fill=255, stroke_width=self._weight, anchor="la"
        )
        left, top, right, bottom = self._font.getbbox(base)
        if base in "ij" and marks:
            top = self._font.getbbox("x")[1]
            dot = self._y + self._font.getbbox("i")[1] - self._weight - 1
            self._pen.rectangle(
                (
                    self._x + left - self._weight,
                    dot,
                    self._x + right + self._weight,
                    self._y + top - self._weight - self._size * 0.04,
                ),
                fill=0,
            )
        middle = self._x + (left + right) / 2
        for mark in marks:
            self._mark(mark, middle, self._y + top - self._weight, self._y + bottom + self._weight, base)

    def _stroke(self, *points: tuple[float, float]) -> None:
        width = max(2, round(self._size * 0.085 + self._weight * 1.1))
        self._pen.line(points, fill=255, width=width, joint="curve")

    def _dot(self, x: float, y: float) -> None:
        radius = self._size * 0.06 + self._weight * 0.6
        self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)

    def _mark(self, mark: str, x: float, top: float, bottom: float, base: str) -> None:
        """One mark above, below or across; `top` and `bottom` are those of the letter."""
        u = self._size
        gap = u * 0.05 + self._weight * 0.8
        low, high, side = top - gap, top - gap - u * 0.13, u * 0.11
        mid = (low + high) / 2
        if mark == "\u0301":
            self._stroke((x - side * 0.4, low), (x + side * 0.8, high))
        elif mark == "\u0300":
            self._stroke((x + side * 0.4, low), (x - side * 0.8, high))
        elif mark in "\u0302\u030c":
            tip, foot = (high, low) if mark == "\u0302" else (low, high)
            self._stroke((x - side * 1.2, foot), (x, tip), (x + side * 1.2, foot))
        elif mark == "\u0303":
            steps = [i / 8 for i in range(9)]
            self._stroke(*((x + side * 1.6 * (2 * s - 1), mid - u * 0.045 * sin(6.28 * s)) for s in steps))
        elif mark == "\u0308":
            self._dot(x - side * 1.05, mid)
            self._dot(x + side * 1.05, mid)
        elif mark == "\u0304":
            self._stroke((x - side * 1.4, mid), (x + side * 1.4, mid))
        elif mark in "\u0307\u030a":
            self._dot(x, mid)
        elif mark == "\u030b":
            for shift in (-side * 0.8, side * 0.6):
                self._stroke((x + shift - side * 0.3, low), (x + shift + side * 0.5, high))
        elif mark == "\u0327":
            self._stroke(
                (x, bottom - u * 0.02),
                (x + side * 0.4, bottom + u * 0.08),
                (x - side * 0.6, bottom + u * 0.15),
            )
        elif mark == "\u0328":
            right = x + side * 1.2
            self._stroke(
                (right, bottom - u * 0.02),
                (right - side * 0.6, bottom + u * 0.08),
                (right + side * 0.3, bottom + u * 0.15),
            )
        else:
            self._across(mark, x, top, bottom, base)

    def _across(self, sign: str, x: float, top: float, bottom: float, base: str) -> None:
        """Strokes through a letter, for the signs made that way."""
        u, half = self._size, (top + bottom) / 2
        if sign in "łŁ£":
            reach = u * (0.17 if base == "l" else 0.22)
            shift = -u * 0.12 if base == "L" else 0
            rise = 0 if sign == "£" else u * 0.1
            self._stroke((x + shift - reach, half + rise), (x + shift + reach, half - rise))
        elif sign == "€":
            for y in (half - u * 0.07, half + u * 0.08):
                self._stroke((x - u * 0.38, y), (x + u * 0.14, y))
        elif sign == "¢":
            self._stroke((x, top - u * 0.1), (x, bottom + u * 0.1))
        else:
            self._stroke((x - u * 0.22, bottom), (x + u * 0.22, top))

    def _turned(self, base: str) -> None:
        """A letter standing on its head, a little lower."""
        left, top, right, bottom = self._font.getbbox(base)
        pad = self._weight + 2
        small = Image.new("L", (round(right - left) + 2 * pad, round(bottom - top) + 2 * pad))
        ImageDraw.Draw(small).text(
            (pad - left, pad - top), base, font=self._font, fill=255, stroke_width=self._weight, anchor="la"
        )
        small = small.transpose(Image.Transpose.ROTATE_180)
        self._mask.paste(
            small, (round(self._x + left - pad), round(self._y + top - pad + self._size * 0.2)), small
        )
