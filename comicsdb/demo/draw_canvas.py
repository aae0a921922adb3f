"""A canvas with the few shapes that the demo's pictures are made of; drawn at twice the size, then halved."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from functools import lru_cache
from math import cos, hypot, pi, radians, sin

from PIL import Image, ImageDraw

Color = tuple[int, int, int]
Point = tuple[float, float]

SCALE = 2
BLACK: Color = (18, 16, 20)
WHITE: Color = (252, 250, 244)


def color(code: str) -> Color:
    """The colour that #rrggbb stands for."""
    return tuple(bytes.fromhex(code[1:]))


def mix(one: Color, other: Color, share: float) -> Color:
    """A colour between two: `share` 0 is the one, 1 the other."""
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other, strict=True))


def darker(one: Color, share: float = 0.35) -> Color:
    """The colour in shadow."""
    return mix(one, (12, 10, 30), share)


def lighter(one: Color, share: float = 0.35) -> Color:
    """The colour in light."""
    return mix(one, (255, 252, 240), share)


def luminance(one: Color) -> float:
    """How bright a colour looks, 0 to 1."""
    return (0.299 * one[0] + 0.587 * one[1] + 0.114 * one[2]) / 255


def contrasting(ground: Color, *choices: Color) -> Color:
    """Of some colours the one that is read best on a ground."""
    return max(choices, key=lambda each: abs(luminance(each) - luminance(ground)))


@lru_cache(maxsize=64)
def _screen(width: int, height: int, cell: int, low: float, high: float, sideways: bool) -> Image.Image:
    """A halftone screen: dots on a slanted grid that grow from `low` to `high`, as shares of the cell."""
    mask = Image.new("1", (width, height))  # pasted in a third of the time of a mask with shades
    pen = ImageDraw.Draw(mask)
    for row in range(-1, height // cell + 2):
        for column in range(-1, width // cell + 2):
            x, y = column * cell + (row % 2) * cell / 2, row * cell
            radius = cell * (low + (high - low) * (x / width if sideways else y / height))
            if radius > 0.6:
                pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=1)
    return mask


class Canvas:
    """A picture in the making, `w` by `h`; all measures are pixels of the finished picture."""

    def __init__(self, size: tuple[int, int], ground: Color):
        self.w, self.h = size
        self.raw = Image.new("RGB", (self.w * SCALE, self.h * SCALE), ground)
        self._pen = ImageDraw.Draw(self.raw)

    def finished(self) -> Image.Image:
        """The picture in its own size."""
        return self.raw.reduce(SCALE)

    def poly(self, points: list[Point], fill: Color) -> None:
        """A filled polygon."""
        self._pen.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: Color) -> None:
        """A filled ellipse about its middle."""
        self._pen.ellipse(((x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE), fill=fill)

    def circle(self, x: float, y: float, radius: float, fill: Color) -> None:
        """A disc."""
        self.ellipse(x, y, radius, radius, fill)

    def rect(self, x0: float, y0: float, x1: float, y1: float, fill: Color, radius: float = 0) -> None:
        """A filled rectangle, with round corners if wished."""
        box = (x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE)
        if radius:
            self._pen.rounded_rectangle(box, radius * SCALE, fill=fill)
        else:
            self._pen.rectangle(box, fill=fill)

    def frame(self, x0: float, y0: float, x1: float, y1: float, width: float, ink: Color) -> None:
        """The outline of a rectangle, drawn inwards."""
        self._pen.rectangle(
            (x0 * SCALE, y0 * SCALE, x1 * SCALE - 1, y1 * SCALE - 1), outline=ink, width=round(width * SCALE)
        )

    def line(self, points: list[Point], width: float, ink: Color) -> None:
        """A line with round ends and joints."""
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self._pen.line(scaled, fill=ink, width=max(1, round(width * SCALE)), joint="curve")
        radius = width * SCALE / 2 - 0.5
        if radius > 1:
            for x, y in (scaled[0], scaled[-1]):
                self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)

    def limb(self, start: Point, end: Point, thick: float, thin: float, fill: Color) -> None:
        """A tapering bar with round ends."""
        (x0, y0), (x1, y1) = start, end
        length = hypot(x1 - x0, y1 - y0) or 1
        nx, ny = (y0 - y1) / length / 2, (x1 - x0) / length / 2
        self.poly(
            [
                (x0 + nx * thick, y0 + ny * thick),
                (x1 + nx * thin, y1 + ny * thin),
                (x1 - nx * thin, y1 - ny * thin),
                (x0 - nx * thick, y0 - ny * thick),
            ],
            fill,
        )
        self.circle(x0, y0, thick / 2, fill)
        self.circle(x1, y1, thin / 2, fill)

    def arc(
        self, x: float, y: float, radius: float, start: float, end: float, width: float, ink: Color
    ) -> None:
        """Part of a circle's line; angles in degrees, clockwise from the right."""
        box = tuple(each * SCALE for each in (x - radius, y - radius, x + radius, y + radius))
        self._pen.arc(box, start, end, fill=ink, width=max(1, round(width * SCALE)))

    def pie(
        self, x: float, y: float, rx: float, start: float, end: float, fill: Color, ry: float = 0
    ) -> None:
        """A slice of a disc, or of an ellipse where `ry` is given."""
        ry = ry or rx
        self._pen.pieslice(
            tuple(each * SCALE for each in (x - rx, y - ry, x + rx, y + ry)), start, end, fill=fill
        )

    def blend(self, top: Color, bottom: Color, y0: float = 0, y1: float | None = None) -> None:
        """A band over the whole width that goes from one colour to another."""
        y1 = self.h if y1 is None else y1
        size = (self.w * SCALE, max(1, round((y1 - y0) * SCALE)))
        band = Image.new("RGB", (1, 64))
        for row in range(64):
            band.putpixel((0, row), mix(top, bottom, row / 63))
        stretched = band.resize((1, size[1]), Image.Resampling.BILINEAR).resize(
            size, Image.Resampling.NEAREST
        )
        self.raw.paste(stretched, (0, round(y0 * SCALE)))

    def dots(
        self,
        ink: Color,
        box: tuple[float, float, float, float] | None = None,
        cell: int = 9,
        low: float = 0.0,
        high: float = 0.5,
        sideways: bool = False,
    ) -> None:
        """Halftone dots over a box (the whole canvas), growing downwards or to the right."""
        x0, y0, x1, y1 = (round(each * SCALE) for each in box or (0, 0, self.w, self.h))
        mask = _screen(x1 - x0, y1 - y0, cell * SCALE, low, high, sideways)
        self.raw.paste(ink, (x0, y0), mask)

    def rays(self, x: float, y: float, number: int, ink: Color, turn: float = 0.0) -> None:
        """Wedges of light from a point over the whole canvas."""
        far = self.w + self.h
        for each in range(number):
            a, b = (2 * pi * (each + part) / number + turn for part in (0, 0.5))
            self.poly(
                [(x, y), (x + far * cos(a), y + far * sin(a)), (x + far * cos(b), y + far * sin(b))], ink
            )

    def star(
        self, x: float, y: float, outer: float, inner: float, tips: int, fill: Color, turn: float = -90
    ) -> None:
        """A star or burst."""
        points = []
        for each in range(tips * 2):
            angle = radians(turn + each * 180 / tips)
            radius = inner if each % 2 else outer
            points.append((x + radius * cos(angle), y + radius * sin(angle)))
        self.poly(points, fill)

    def stamp(self, mask: Image.Image, x: float, y: float, ink: Color) -> None:
        """Ink pressed through a mask of the canvas's inner size, its corner at x, y."""
        left, top, right, bottom = mask.getbbox() or (0, 0, 0, 0)  # most of a line's mask is empty border
        cut = mask.crop((left, top, right, bottom))
        self.raw.paste(ink, (round(x * SCALE) + left, round(y * SCALE) + top), cut)


def ring(x: float, y: float, radius: float, number: int, turn: float = 0.0) -> list[Point]:
    """Points evenly around a circle."""
    return [
        (x + radius * cos(turn + 2 * pi * i / number), y + radius * sin(turn + 2 * pi * i / number))
        for i in range(number)
    ]


def swing(x0: float, x1: float, y: float, height: float, length: float, phase: float = 0.0) -> list[Point]:
    """Points along a sine wave from x0 to x1."""
    steps = 60
    return [
        (x0 + (x1 - x0) * i / steps, y + height * sin(phase + 2 * pi * (x1 - x0) * i / steps / length))
        for i in range(steps + 1)
    ]
