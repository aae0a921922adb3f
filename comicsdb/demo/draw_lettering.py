"""Lettering: mastheads, titles and small print, all from the font that Pillow carries."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from functools import lru_cache

from PIL import Image

from comicsdb.demo.draw_canvas import SCALE, Canvas, Color
from comicsdb.demo.draw_type import REFERENCE, length, letters, padding, unaccented

STRIPS = 24  # of which an arched masthead is bent


@lru_cache(maxsize=300)
def banner(
    text: str,
    width: int,
    height: int,
    weight: float,
    grow: float,
    slant: float,
    tracking: float,
    bounce: float,
    arch: float,
) -> Image.Image:
    """A line fitted into a box: a mask of exactly the box (inner pixels), `grow` wider all round.

    `weight` and `grow` are shares of the letters' height, `arch` lifts the middle by this share of the box.
    """
    size = 110
    style = (slant, round((tracking + spread(weight)) * size), round(bounce * size))
    plain = letters(
        unaccented(text), size, round(weight * size), *style
    )  # capitals fill the box, marks do not
    mask = letters(text, size, round((weight + grow) * size), *style)
    box = plain.getbbox() or (0, 0, 1, 1)
    dx, dy = (mask.width - plain.width) // 2, (mask.height - plain.height) // 2
    box = (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)
    margin = round(size * 0.42)
    wide, tall = box[2] - box[0], box[3] - box[1]
    stretch_x, stretch_y = width / wide, height / tall
    cut = (box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin)
    piece = mask.crop(cut).resize(
        (
            max(1, round((wide + 2 * margin) * stretch_x)),
            max(1, round((tall + 2 * margin) * stretch_y)),
        ),
        Image.Resampling.BILINEAR,
    )
    return _arched(piece, arch * height) if arch else piece


def spread(weight: float) -> float:
    """How much further apart thickened letters stand."""
    return weight * 1.1


def _arched(mask: Image.Image, lift: float) -> Image.Image:
    """The mask with its middle lifted, or its ends where `lift` is negative."""
    height = mask.height + round(abs(lift))
    mesh = []
    for strip in range(STRIPS):
        x0, x1 = (round(mask.width * edge / STRIPS) for edge in (strip, strip + 1))
        y0, y1 = (_rise(edge / STRIPS, lift) for edge in (strip, strip + 1))
        mesh.append(((x0, 0, x1, height), (x0, -y0, x0, height - y0, x1, height - y1, x1, -y1)))
    bent = Image.new("L", (mask.width, height))
    bent.paste(mask, (0, 0))
    return bent.transform(bent.size, Image.Transform.MESH, mesh, Image.Resampling.BILINEAR)


def _rise(place: float, lift: float) -> float:
    """How far down a column is set: `place` is 0 at the left end and 1 at the right."""
    off = (2 * place - 1) ** 2
    return lift * off if lift > 0 else lift * (off - 1)


class Masthead:
    """How a series writes its name."""

    def __init__(
        self,
        fill: Color,
        *,
        weight: float = 0.05,
        slant: float = 0.0,
        tracking: float = 0.0,
        bounce: float = 0.0,
        arch: float = 0.0,
        outlines: tuple[tuple[Color, float], ...] = (),
        depth: tuple[Color, float, float] | None = None,
        capitals: bool = True,
    ):
        self.fill = fill
        self.weight, self.slant, self.tracking, self.bounce, self.arch = weight, slant, tracking, bounce, arch
        self.outlines, self.depth = outlines, depth  # outlines from the outside in; depth is colour, x, y
        self.capitals = capitals

    def write(self, canvas: Canvas, text: str, x: float, y: float, width: float, height: float) -> float:
        """Write a name centred into a box, on one or two lines; gives the lower edge."""
        text = text.upper() if self.capitals else text
        lines = broken(text, 13 if height > 90 else 99)
        gap = 0.1 * height / len(lines)
        each = (height - gap * (len(lines) - 1)) / len(lines)
        for line in lines:
            tall = each if line not in SMALL else each * 0.5
            self._line(canvas, line, x, y, width, tall)
            y += tall + gap
        return y - gap

    def _shape(self, text: str) -> float:
        """Width by height of a line, capitals measured without their marks."""
        size = 110
        tracking = round((self.tracking + spread(self.weight)) * size)
        style = (self.slant, tracking, round(self.bounce * size))
        left, top, right, bottom = letters(
            unaccented(text), size, round(self.weight * size), *style
        ).getbbox() or (
            0,
            0,
            1,
            1,
        )
        return (right - left) / (bottom - top)

    def _line(self, canvas: Canvas, text: str, x: float, y: float, width: float, height: float) -> None:
        natural = self._shape(text) * height
        wide = min(width, natural * (1.25 if len(text) > 3 else 1.0))
        if text in SMALL:
            wide = min(width, natural * 0.9)
        tall = height * min(1.0, max(0.55, wide / (natural * 0.62)))
        left, top = x + (width - wide) / 2, y + (height - tall) / 2
        style = (self.slant, self.tracking, self.bounce, self.arch)
        for ink, grow in (*self.outlines, (self.fill, 0.0)):
            mask = banner(text, round(wide * SCALE), round(tall * SCALE), self.weight, grow, *style)
            at = (left - (mask.width / SCALE - wide) / 2, top - (mask.height / SCALE - tall) / 2)
            if self.depth and (ink, grow) == (*self.outlines, (self.fill, 0.0))[0]:
                shade, dx, dy = self.depth
                steps = max(2, round(max(abs(dx), abs(dy)) / 2.5))
                for step in range(steps, 0, -1):
                    canvas.stamp(mask, at[0] + dx * step / steps, at[1] + dy * step / steps, shade)
            canvas.stamp(mask, *at, ink)


SMALL = ("THE", "LA", "LE", "LES", "IL", "DIE", "OF", "AT")


def broken(text: str, longest: int) -> list[str]:
    """A name on one line or, where it is long, on two or three of about the same length."""
    words = text.split()
    if len(text) <= longest or len(words) == 1:
        return [text]
    if words[0] in SMALL[:6] and len(" ".join(words[1:])) <= longest + 2:
        return [words[0], " ".join(words[1:])]
    best = None
    for at in range(1, len(words)):
        parts = [" ".join(words[:at]), " ".join(words[at:])]
        longer = max(map(len, parts))
        if best is None or longer < best[0]:
            best = (longer, parts)
    return best[1]


def print_line(
    canvas: Canvas,
    text: str,
    x: float,
    y: float,
    size: float,
    ink: Color,
    *,
    anchor: str = "l",
    weight: float = 0.03,
    limit: float = 0.0,
    slant: float = 0.0,
) -> float:
    """Small print: its left end, middle or right end at x; made smaller to keep a limit; gives its width."""
    if not text:
        return 0.0
    wide = length(text) / REFERENCE * size
    if limit and wide > limit:
        size *= limit / wide
        wide = limit
    inner, stroke = max(6, round(size * SCALE)), round(weight * size * SCALE)
    mask = letters(text, inner, stroke, slant)
    pad = padding(inner, stroke)
    left = x - {"l": 0.0, "m": wide / 2, "r": wide}[anchor]
    canvas.stamp(mask, left - pad / SCALE, y - pad / SCALE, ink)
    return wide


def wrapped(text: str, characters: int, lines: int) -> list[str]:
    """A text on lines of about so many characters; what does not fit ends in an ellipsis."""
    made = [""]
    for word in text.split():
        if made[-1] and len(made[-1]) + 1 + len(word) > characters:
            made.append(word)
        else:
            made[-1] = f"{made[-1]} {word}".strip()
    if len(made) > lines:
        made = made[:lines]
        made[-1] += " …"
    return made
