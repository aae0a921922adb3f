"""Backdrops: what lies behind the things and people of a picture, over its whole width."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from math import pi, sin

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, darker, lighter, mix, swing

Palette = tuple[Color, ...]  # ground, accent, strong, paper, further


def ridge(dice: Dice, width: float, y: float, rough: float, pieces: int = 9) -> list[tuple[float, float]]:
    """A rough line from left to right."""
    return [(width * i / pieces, y + dice.real(-rough, rough)) for i in range(pieces + 1)]


def ground(c: Canvas, line: list[tuple[float, float]], ink: Color) -> None:
    """Everything below a line."""
    c.poly([*line, (c.w, c.h), (0, c.h)], ink)


def stars(c: Canvas, dice: Dice, number: int, ink: Color, low: float) -> None:
    """Stars above a height."""
    for _ in range(number):
        x, y, r = dice.real(0, c.w), dice.real(0, low), dice.real(0.8, 2.6)
        if r > 2.35:
            c.star(x, y, r * 4, r, 4, ink)
        else:
            c.circle(x, y, r, ink)


def clouds(c: Canvas, dice: Dice, number: int, ink: Color, low: float, high: float) -> None:
    """Flat-bottomed clouds between two heights."""
    for _ in range(number):
        x, y, s = dice.real(0, c.w), dice.real(low, high), dice.real(40, 95)
        for dx, r in ((-0.8, 0.32), (-0.3, 0.5), (0.25, 0.42), (0.75, 0.28)):
            c.pie(x + dx * s, y, r * s, 180, 360, ink)
        c.rect(x - 1.12 * s, y - 1, x + 1.03 * s, y + s * 0.07, ink, s * 0.03)


def sea(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Rows of waves from a horizon down."""
    deep = darker(mix(p[0], p[4], 0.55), 0.1)
    rows = 6
    for row in range(rows):
        top = y + (c.h - y) * (row / rows) ** 1.3
        ink = mix(lighter(deep, 0.3), darker(deep, 0.45), row / (rows - 1))
        ground(c, swing(0, c.w, top, 4 + row * 4, 90 + row * 45, dice.real(0, 2 * pi)), ink)
        if row in (1, 3):
            for _ in range(4):
                x = dice.real(0, c.w)
                c.line([(x, top + 12), (x + dice.real(15, 50), top + 12)], 3, lighter(ink, 0.35))


def city(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Two rows of houses with lit windows; `y` is where the roofs are."""
    for row, share in ((0, 0.35), (1, 0.72)):
        ink, x = darker(mix(p[4], p[0], 0.5), share), -dice.real(0, 40)
        while x < c.w:
            wide, top = dice.real(48, 104), y + row * 70 + dice.real(-70, 70)
            c.rect(x, top, x + wide, c.h, ink)
            kind = dice.whole(0, 3)
            if kind == 0:
                c.poly([(x, top), (x + wide / 2, top - 34), (x + wide, top)], ink)
            elif kind == 1:
                c.line([(x + wide / 2, top), (x + wide / 2, top - 46)], 3, ink)
            elif kind == 2:
                c.rect(x + wide * 0.2, top - 22, x + wide * 0.55, top, ink)
            lit = mix(p[1], p[3], 0.3)
            for wy in range(int(top) + 18, c.h, 30):
                for wx in range(int(x) + 10, int(x + wide) - 14, 19):
                    if dice.happens(0.34 if row else 0.18):
                        c.rect(wx, wy, wx + 9, wy + 14, lit)
            x += wide + dice.real(-4, 6)


def rooftops(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Gables, chimneys and dormer windows, tier on tier."""
    for tier in range(4):
        x, base = -dice.real(0, 80), y + tier * (c.h - y) / 4.4
        roof = mix(mix(p[2], p[0], 0.15 + 0.12 * tier), BLACK, 0.08 * tier)
        while x < c.w:
            wide, tall = dice.real(90, 150), dice.real(60, 120)
            top = base - tall * 0.4
            c.rect(x + wide * 0.66, top - tall * 0.25, x + wide * 0.76, top + tall * 0.5, darker(roof, 0.3))
            c.rect(x + 4, top + tall * 0.55, x + wide - 4, c.h, mix(p[3], p[4], 0.2 * tier))
            c.poly(
                [
                    (x - 6, top + tall * 0.62),
                    (x + wide * 0.22, top),
                    (x + wide * 0.78, top),
                    (x + wide + 6, top + tall * 0.62),
                ],
                roof,
            )
            c.poly(
                [
                    (x + wide * 0.6, top),
                    (x + wide * 0.78, top),
                    (x + wide + 6, top + tall * 0.62),
                    (x + wide * 0.72, top + tall * 0.62),
                ],
                darker(roof, 0.18),
            )
            lit = p[1] if dice.happens(0.45) else darker(p[4], 0.4)
            for window in (0.2, 0.58):
                c.rect(
                    x + wide * window, top + tall * 0.72, x + wide * (window + 0.2), top + tall * 1.05, lit
                )
            x += wide * dice.real(0.95, 1.15)


def mountain(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Ranges behind ranges, the far ones pale, with snow."""
    for layer in range(4):
        base = y + layer * (c.h - y) / 4
        ink = mix(mix(p[4], p[3], 0.6), darker(p[4], 0.45), layer / 3)
        x, line, peaks = -60.0, [], []
        while x < c.w + 80:
            wide, tall = dice.real(90, 190), dice.real(70, 190) * (1 - layer * 0.16)
            line += [(x, base), (x + wide / 2, base - tall)]
            peaks.append((x + wide / 2, base - tall, tall, wide))
            x += wide
        ground(c, [*line, (x, base)], ink)
        if layer < 2:
            for px, py, tall, wide in peaks:
                c.poly(
                    [
                        (px, py),
                        (px - wide * 0.13, py + tall * 0.27),
                        (px - wide * 0.04, py + tall * 0.2),
                        (px + wide * 0.03, py + tall * 0.3),
                        (px + wide * 0.12, py + tall * 0.24),
                    ],
                    WHITE,
                )


def forest(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Trunks in fog, or firs in rows."""
    if dice.happens(0.5):
        for layer in range(3):
            ink = mix(mix(p[4], p[3], 0.35), darker(p[0], 0.5), layer / 2)
            for _ in range(7 - layer):
                x, wide = dice.real(-10, c.w), dice.real(9, 16) * (1 + layer * 0.9)
                c.poly([(x - wide * 0.6, 0), (x + wide * 0.6, 0), (x + wide, c.h), (x - wide, c.h)], ink)
                for _branch in range(3):
                    by, side = dice.real(c.h * 0.1, c.h * 0.6), dice.pick((-1, 1))
                    c.limb((x, by), (x + side * wide * 4, by - wide * 2.6), wide * 0.5, wide * 0.12, ink)
            ground(c, ridge(dice, c.w, y + 90 + layer * 90, 14), darker(ink, 0.15))
        return
    for layer in range(4):
        ink = mix(mix(p[4], p[3], 0.4), darker(p[4], 0.6), layer / 3)
        base = y + 50 + layer * (c.h - y) / 4.5
        x = -20.0
        while x < c.w + 30:
            tall, wide = dice.real(90, 170), dice.real(44, 70)
            for tier in range(3):
                top = base - tall * (1 - tier * 0.26)
                half = wide * (0.3 + tier * 0.13)
                c.poly([(x, top), (x - half, top + tall * 0.45), (x + half, top + tall * 0.45)], ink)
            x += wide * dice.real(0.6, 1.0)
        ground(c, ridge(dice, c.w, base - 6, 8), ink)


def desert(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Mesas and sand under a low sun."""
    x = -dice.real(0, 120)
    while x < c.w:
        wide, tall = dice.real(110, 220), dice.real(50, 130)
        ink = mix(p[2], p[0], 0.35)
        c.poly(
            [(x, y + 10), (x + wide * 0.12, y - tall), (x + wide * 0.8, y - tall), (x + wide, y + 10)], ink
        )
        c.poly(
            [
                (x + wide * 0.55, y - tall),
                (x + wide * 0.8, y - tall),
                (x + wide, y + 10),
                (x + wide * 0.62, y + 10),
            ],
            darker(ink, 0.25),
        )
        x += wide * dice.real(1.1, 1.9)
    for band in range(4):
        top = y + band * (c.h - y) / 4
        ground(
            c,
            swing(0, c.w, top, 7 + band * 5, 420 + band * 90, dice.real(0, 2 * pi)),
            mix(lighter(p[0], 0.25), darker(p[2], 0.3), band / 3),
        )


def road(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """A straight road to the horizon, with poles."""
    ground(c, ridge(dice, c.w, y, 6), mix(p[0], p[4], 0.4))
    x = c.w * dice.real(0.35, 0.65)
    c.poly([(x - 7, y), (x + 7, y), (c.w * 1.02, c.h), (-c.w * 0.02, c.h)], darker(p[4], 0.55))
    for dash in range(7):
        a, b = (dash / 7) ** 2, ((dash + 0.5) / 7) ** 2
        ya, yb = y + (c.h - y) * a, y + (c.h - y) * b
        mid = c.w / 2
        xa, xb = x + (mid - x) * a, x + (mid - x) * b
        c.poly([(xa - 1 - a * 9, ya), (xa + 1 + a * 9, ya), (xb + 1 + b * 9, yb), (xb - 1 - b * 9, yb)], p[1])
    for pole in range(5):
        a = (pole / 5) ** 1.5
        px, py, tall = x + 20 + a * c.w * 0.62, y + (c.h - y) * a * 0.5, 30 + a * 260
        c.line([(px, py), (px, py - tall)], 2 + a * 6, darker(p[2], 0.5))
        c.line(
            [(px - tall * 0.14, py - tall * 0.88), (px + tall * 0.14, py - tall * 0.88)],
            2 + a * 5,
            darker(p[2], 0.5),
        )


def hills(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Rolling fields, clear as a shop window."""
    for layer in range(4):
        ink = (mix(p[4], WHITE, 0.45), mix(p[1], p[4], 0.4), mix(p[4], p[3], 0.1), darker(p[4], 0.25))[layer]
        ground(
            c,
            swing(
                0,
                c.w,
                y + layer * (c.h - y) / 4.2,
                22 + layer * 5,
                c.w * dice.real(0.7, 1.5),
                dice.real(0, 6.3),
            ),
            ink,
        )
    for _ in range(4):
        x, top = dice.real(30, c.w - 30), y + dice.real(30, 150)
        c.rect(x - 3, top, x + 3, top + 34, darker(p[2], 0.5))
        c.ellipse(x, top, 17, 28, darker(p[4], 0.35))


def fog(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Bands of fog, each a little darker."""
    for band in range(6):
        top = y + band * (c.h - y) / 6
        shade = mix(mix(p[0], p[3], 0.45), darker(p[0], 0.2), band / 5)
        ground(c, swing(0, c.w, top, 13, c.w * dice.real(0.5, 1.1), dice.real(0, 6.3)), shade)


def space(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Stars, a far sun, and the limb of a world."""
    stars(c, dice, 130, p[3], c.h)
    x = dice.real(0.2, 0.8) * c.w
    r = c.w * dice.real(0.9, 1.5)
    c.circle(x, y + r * 1.03, r * 1.02, lighter(p[4], 0.4))
    c.circle(x, y + r * 1.03, r, darker(p[4], 0.25))
    for _ in range(7):
        cx, size = dice.real(0, c.w), dice.real(14, 44)
        c.ellipse(cx, y + dice.real(110, 300), size, size * 0.4, darker(p[4], 0.4))


def speed(c: Canvas, p: Palette, dice: Dice, y: float) -> None:
    """Lines that run to a point, as in manga."""
    x = c.w * dice.real(0.35, 0.65)
    for _ in range(90):
        a = dice.real(0, 2 * pi)
        near, width = dice.real(0.3, 0.55) * c.w, dice.real(1.5, 7)
        dx, dy = sin(a), sin(a + pi / 2)
        c.poly(
            [
                (x + dx * near, y + dy * near),
                (x + dx * 1400 - dy * width * 3, y + dy * 1400 + dx * width * 3),
                (x + dx * 1400 + dy * width * 3, y + dy * 1400 - dx * width * 3),
            ],
            p[1],
        )
