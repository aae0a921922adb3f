"""More things that covers show, drawn like those of `draw_motifs`."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from math import cos, pi, radians, sin

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, darker, lighter, mix, ring

Inks = tuple[Color, Color, Color]


def cactus(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A saguaro with one flower."""
    body, accent, light = inks
    green = mix(body, (46, 110, 70), 0.6)
    foot = y + s * 0.5
    for dx, low, reach in ((-0.22, 0.08, -0.18), (0.22, 0.0, -0.3)):
        high = reach + dice.real(-0.06, 0.06)
        c.line([(x, y + s * low + s * 0.1), (x + dx * s, y + s * low + s * 0.1)], s * 0.1, darker(green, 0.2))
        c.line([(x + dx * s, y + s * low + s * 0.1), (x + dx * s, y + s * high)], s * 0.1, darker(green, 0.1))
    c.line([(x, foot), (x, y - s * 0.4)], s * 0.16, green)
    for rib in (-0.04, 0.0, 0.04):
        c.line([(x + rib * s, foot), (x + rib * s, y - s * 0.38)], s * 0.008, lighter(green, 0.3))
    c.star(x + s * 0.02, y - s * 0.47, s * 0.06, s * 0.03, 6, accent)
    c.circle(x + s * 0.02, y - s * 0.47, s * 0.02, light)


def kite(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A kite on its line, with bows."""
    body, accent, light = inks
    lean = dice.real(-0.12, 0.12) * s
    top, left, right, foot = (
        (x + lean, y - s * 0.46),
        (x - s * 0.27, y - s * 0.12),
        (x + s * 0.27, y - s * 0.16),
        (x - lean, y + s * 0.26),
    )
    tail = [(foot[0] + s * 0.1 * sin(i * 0.55), foot[1] + i * s * 0.024) for i in range(14)]
    c.line(tail, s * 0.014, body)
    for knot in tail[3::4]:
        c.star(*knot, s * 0.05, s * 0.015, 2, accent, turn=dice.real(0, 90))
    middle = (x, y - s * 0.14)
    for corner, ink in zip((top, right, foot, left), (accent, light, accent, light), strict=True):
        following = {top: right, right: foot, foot: left, left: top}[corner]
        c.poly([middle, corner, following], ink)
    c.line([top, foot], s * 0.012, body)
    c.line([left, right], s * 0.012, body)


def balloon(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A hot-air balloon in gores."""
    body, accent, light = inks
    r, top = s * 0.34, y - s * 0.14
    for gore in range(5):
        wide = r * (1 - gore * 0.24)
        ink = accent if gore % 2 == 0 else light
        if wide > 0:
            c.ellipse(x, top, wide, r, ink)
            c.poly(
                [
                    (x - wide, top + r * 0.25),
                    (x + wide, top + r * 0.25),
                    (x + wide * 0.22, top + r * 1.32),
                    (x - wide * 0.22, top + r * 1.32),
                ],
                ink,
            )
    for side in (-1, 1):
        c.line([(x + side * r * 0.2, top + r * 1.3), (x + side * s * 0.05, y + s * 0.38)], s * 0.008, body)
    c.rect(
        x - s * 0.065, y + s * 0.38, x + s * 0.065, y + s * 0.48, darker(mix(body, (150, 100, 50), 0.6), 0.2)
    )
    c.circle(x - s * dice.real(-0.02, 0.03), y + s * 0.36, s * 0.022, WHITE)


def lightning(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A bolt."""
    body, accent, light = inks
    d = dice.pick((-1, 1))
    bolt = [
        (0.1, -0.52),
        (-0.24, 0.06),
        (-0.02, 0.04),
        (-0.14, 0.52),
        (0.26, -0.12),
        (0.04, -0.1),
        (0.22, -0.52),
    ]
    for grow, ink in ((0.06, body), (0.0, accent)):
        c.poly([(x + d * s * px * (1 + grow * 3), y + s * py * (1 + grow)) for px, py in bolt], ink)
    c.poly(
        [(x + d * s * px, y + s * py) for px, py in (bolt[0], bolt[1], (-0.14, 0.0), (0.16, -0.52))], light
    )


def mask(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A wrestler's mask."""
    body, accent, light = inks
    c.ellipse(x, y, s * 0.32, s * 0.46, body)
    c.ellipse(x, y, s * 0.3, s * 0.44, accent)
    c.poly(
        [(x, y - s * 0.44), (x - s * 0.11, y - s * 0.2), (x, y - s * 0.04), (x + s * 0.11, y - s * 0.2)],
        light,
    )
    c.star(x, y - s * 0.24, s * 0.075, s * 0.032, dice.pick((5, 6, 8)), body)
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.04, y),
                (x + side * s * 0.27, y - s * 0.13),
                (x + side * s * 0.25, y + s * 0.06),
                (x + side * s * 0.09, y + s * 0.08),
            ],
            light,
        )
        c.ellipse(x + side * s * 0.145, y + s * 0.005, s * 0.065, s * 0.04, BLACK)
        c.circle(x + side * s * 0.145, y + s * 0.005, s * 0.022, WHITE)
        c.poly(
            [
                (x + side * s * 0.3, y - s * 0.06),
                (x + side * s * 0.3, y + s * 0.12),
                (x + side * s * 0.2, y + s * 0.36),
                (x + side * s * 0.22, y + s * 0.1),
            ],
            body,
        )
    c.ellipse(x, y + s * 0.25, s * 0.11, s * 0.065, light)
    c.ellipse(x, y + s * 0.25, s * 0.075, s * 0.036, darker(accent, 0.6))


def train(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A local train from the front."""
    body, accent, light = inks
    foot = y + s * 0.42
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.12, foot - s * 0.05),
                (x + side * s * 0.17, foot - s * 0.05),
                (x + side * s * 0.42, foot + s * 0.3),
                (x + side * s * 0.3, foot + s * 0.3),
            ],
            darker(body, 0.3),
        )
    c.rect(x - s * 0.3, y - s * 0.4, x + s * 0.3, foot, accent, s * 0.07)
    c.rect(x - s * 0.3, y + s * 0.08, x + s * 0.3, foot - s * 0.06, light)
    c.rect(x - s * 0.3, y + s * 0.16, x + s * 0.3, y + s * 0.21, accent)
    for left, right in ((-0.25, -0.08), (-0.065, 0.065), (0.08, 0.25)):
        c.rect(x + left * s, y - s * 0.24, x + right * s, y + s * 0.04, darker(body, 0.2), s * 0.02)
        c.poly(
            [
                (x + left * s, y - s * 0.1),
                (x + (left * 0.4 + right * 0.6) * s, y - s * 0.24),
                (x + right * s, y - s * 0.24),
                (x + left * s, y),
            ],
            lighter(body, 0.35),
        )
    c.rect(x - s * 0.14, y - s * 0.36, x + s * 0.14, y - s * 0.28, BLACK, s * 0.01)
    for side in (-1, 1):
        c.circle(x + side * s * 0.2, y + s * 0.3, s * 0.05, mix(light, WHITE, dice.real(0.6, 1)))
    c.rect(x - s * 0.32, foot - s * 0.06, x + s * 0.32, foot + s * 0.02, BLACK, s * 0.02)


def tram(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A tram from the side, with lit windows."""
    body, accent, light = inks
    left, right, top, foot = x - s * 0.52, x + s * 0.52, y - s * 0.2, y + s * 0.26
    c.line([(x - s * 0.9, top - s * 0.22), (x + s * 0.9, top - s * 0.26)], s * 0.008, BLACK)
    c.line(
        [(x - s * 0.05, top), (x + s * 0.08, top - s * 0.12), (x - s * 0.04, top - s * 0.23)],
        s * 0.014,
        BLACK,
    )
    c.rect(left, top, right, foot, accent, s * 0.05)
    c.rect(left, top + s * 0.03, right, top + s * 0.07, light)
    for window in range(6):
        wx = left + s * 0.05 + window * s * 0.16
        c.rect(wx, top + s * 0.1, wx + s * 0.13, top + s * 0.26, lighter(light, 0.3), s * 0.015)
        if dice.happens(0.55):
            c.circle(wx + s * 0.06, top + s * 0.19, s * 0.028, body)
            c.pie(wx + s * 0.06, top + s * 0.26, s * 0.05, 180, 360, body)
    c.rect(left, top + s * 0.3, right, top + s * 0.33, light)
    for wheel in (-0.32, -0.18, 0.18, 0.32):
        c.circle(x + wheel * s, foot + s * 0.02, s * 0.05, BLACK)
        c.circle(x + wheel * s, foot + s * 0.02, s * 0.02, light)
    c.circle(right - s * 0.03, foot - s * 0.07, s * 0.03, WHITE)


def sun(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A sun with a face, as woodcuts have it."""
    body, accent, light = inks
    c.star(x, y, s * 0.5, s * 0.33, dice.pick((12, 14, 16)), accent, turn=dice.real(0, 30))
    c.circle(x, y, s * 0.32, body)
    c.circle(x, y, s * 0.3, light)
    for side in (-1, 1):
        c.arc(x + side * s * 0.11, y - s * 0.05, s * 0.06, 200, 340, s * 0.018, body)
        c.circle(x + side * s * 0.11, y - s * 0.04, s * 0.024, body)
        c.circle(x + side * s * 0.19, y + s * 0.06, s * 0.045, accent)
    c.line([(x, y - s * 0.04), (x - s * 0.03, y + s * 0.07), (x + s * 0.01, y + s * 0.075)], s * 0.014, body)
    c.arc(x, y + s * 0.07, s * 0.1, 25, 155, s * 0.02, body)


def bed(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A bed with very long legs, out for a walk."""
    body, accent, light = inks
    stride = dice.real(0.06, 0.14)
    for dx, side in ((-0.3, -1), (-0.22, 1), (0.24, -1), (0.32, 1)):
        knee, foot = (
            (x + (dx + side * stride) * s, y + s * 0.26),
            (x + (dx - side * stride * 0.4) * s, y + s * 0.5),
        )
        c.line([(x + dx * s, y), knee, foot], s * 0.03, darker(accent, 0.2 if side > 0 else 0.45))
    c.line([(x - s * 0.4, y + s * 0.06), (x - s * 0.4, y - s * 0.36)], s * 0.04, accent)
    c.line([(x + s * 0.4, y + s * 0.06), (x + s * 0.4, y - s * 0.2)], s * 0.04, accent)
    c.poly(
        [(x - s * 0.4, y - s * 0.34), (x - s * 0.4, y), (x - s * 0.3, y), (x - s * 0.3, y - s * 0.26)], accent
    )
    c.rect(x - s * 0.4, y - s * 0.06, x + s * 0.4, y + s * 0.05, darker(accent, 0.15))
    c.ellipse(x - s * 0.26, y - s * 0.12, s * 0.1, s * 0.055, WHITE)
    c.pie(x + s * 0.08, y - s * 0.05, s * 0.33, 180, 360, light, ry=s * 0.14)
    c.circle(x - s * 0.2, y - s * 0.2, s * 0.06, (236, 190, 150))
    c.pie(x - s * 0.2, y - s * 0.21, s * 0.064, 170, 350, body)
    for knob, up in ((-0.4, -0.38), (0.4, -0.22)):
        c.circle(x + knob * s, y + up * s, s * 0.035, light)


def dog(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A broad-faced dog who has an opinion."""
    body, accent, light = inks
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.2, y - s * 0.34),
                (x + side * s * 0.42, y - s * 0.42),
                (x + side * s * 0.36, y - s * 0.08),
            ],
            body,
        )
    c.ellipse(x, y, s * 0.36, s * 0.36, accent)
    c.ellipse(x + s * 0.14, y - s * 0.1, s * 0.13, s * 0.16, body)
    c.ellipse(x, y + s * 0.16, s * 0.26, s * 0.2, light)
    for side in (-1, 1):
        c.circle(x + side * s * 0.13, y - s * 0.08, s * 0.06, WHITE)
        c.circle(x + side * s * 0.12, y - s * 0.07, s * 0.03, BLACK)
    c.ellipse(x, y + s * 0.07, s * 0.08, s * 0.055, BLACK)
    grin = 0.2 + dice.real(0, 0.03)
    c.arc(x, y + s * 0.1, s * grin, 30, 150, s * 0.02, BLACK)
    for tooth in (-0.07, 0.0, 0.07):
        c.rect(x + (tooth - 0.03) * s, y + s * 0.27, x + (tooth + 0.03) * s, y + s * 0.32, WHITE)


def hat(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """Three hats that have just run away."""
    body, accent, light = inks
    for place, lift in enumerate((0.1, -0.22, 0.2)):
        hx, hy = x + (place - 1) * s * 0.34, y + lift * s + dice.real(-0.04, 0.04) * s
        ink = (body, accent, darker(accent, 0.4))[place]
        if place == 1:
            c.rect(hx - s * 0.13, hy - s * 0.3, hx + s * 0.13, hy, ink)
            c.rect(hx - s * 0.13, hy - s * 0.09, hx + s * 0.13, hy - s * 0.04, light)
        else:
            c.pie(hx, hy, s * 0.15, 180, 360, ink, ry=s * 0.2)
            c.rect(hx - s * 0.15, hy - s * 0.05, hx + s * 0.15, hy, light)
        c.ellipse(hx, hy, s * 0.22, s * 0.035, ink)
        for dash in (-0.08, 0.0, 0.08):
            c.line([(hx + dash * s, hy + s * 0.07), (hx + dash * s * 1.3, hy + s * 0.16)], s * 0.012, body)


def rider(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A rider in silhouette."""
    body, accent, _ = inks
    d = dice.pick((-1, 1))
    gait = dice.real(-0.05, 0.05)

    def at(px: float, py: float) -> tuple[float, float]:
        return x + d * px * s, y + py * s

    for hip, knee, hoof in (
        ((-0.24, 0.14), (-0.32 + gait, 0.3), (-0.26, 0.5)),
        ((-0.18, 0.14), (-0.14, 0.32), (-0.2 - gait, 0.5)),
        ((0.16, 0.14), (0.24 + gait, 0.3), (0.16, 0.48)),
        ((0.2, 0.12), (0.16, 0.32), (0.22 - gait, 0.5)),
    ):
        c.limb(at(*hip), at(*knee), s * 0.09, s * 0.05, body)
        c.limb(at(*knee), at(*hoof), s * 0.05, s * 0.035, body)
    c.limb(at(-0.2, 0.08), at(0.18, 0.06), s * 0.24, s * 0.22, body)
    c.limb(at(0.2, 0.02), at(0.36, -0.2), s * 0.17, s * 0.11, body)
    c.limb(at(0.36, -0.2), at(0.5, -0.06), s * 0.11, s * 0.07, body)
    c.poly([at(0.33, -0.24), at(0.37, -0.34), at(0.4, -0.22)], body)
    tail = [at(-0.3 - i * 0.015, 0.06 + i * 0.035 + 0.01 * sin(i)) for i in range(9)]
    c.line(tail, s * 0.045, body)
    c.limb(at(0.0, 0.0), at(0.06, 0.26), s * 0.11, s * 0.06, darker(accent, 0.5))
    c.limb(at(0.0, -0.04), at(0.01, -0.26), s * 0.14, s * 0.16, accent)
    c.limb(at(0.03, -0.24), at(0.22, -0.1), s * 0.065, s * 0.045, darker(accent, 0.25))
    c.circle(*at(0.02, -0.4), s * 0.065, body)
    c.poly(
        [
            at(-0.13, -0.42),
            at(0.18, -0.44),
            at(0.1, -0.47),
            at(0.08, -0.56),
            at(-0.05, -0.56),
            at(-0.06, -0.46),
        ],
        body,
    )


def wheel(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A printer's ornament for houses that were newspapers: a rose of quills."""
    body, accent, light = inks
    petals = 8
    for petal in range(petals):
        a = 2 * pi * petal / petals + dice.real(0, 0.01)
        tip, side = (x + s * 0.46 * cos(a), y + s * 0.46 * sin(a)), radians(9)
        c.poly(
            [
                (x, y),
                (x + s * 0.34 * cos(a - side), y + s * 0.34 * sin(a - side)),
                tip,
                (x + s * 0.34 * cos(a + side), y + s * 0.34 * sin(a + side)),
            ],
            accent if petal % 2 else body,
        )
    c.circle(x, y, s * 0.14, light)
    c.circle(x, y, s * 0.1, accent)
    c.star(x, y, s * 0.08, s * 0.035, 5, light)


def teapot(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A pot of tea, possibly poisoned."""
    body, accent, light = inks
    c.poly(
        [
            (x + s * 0.25, y + s * 0.12),
            (x + s * 0.52, y - s * 0.16),
            (x + s * 0.46, y - s * 0.2),
            (x + s * 0.2, y - s * 0.05),
        ],
        accent,
    )
    c.arc(x - s * 0.3, y + s * 0.06, s * 0.17, 60, 300, s * 0.05, accent)
    c.ellipse(x, y + s * 0.08, s * 0.32, s * 0.26, accent)
    c.pie(x, y + s * 0.08, s * 0.32, -60, 90, darker(accent, 0.2), ry=s * 0.26)
    c.ellipse(x, y - s * 0.15, s * 0.17, s * 0.05, darker(accent, 0.3))
    c.circle(x, y - s * 0.22, s * 0.04, light)
    c.rect(x - s * 0.18, y + s * 0.31, x + s * 0.18, y + s * 0.36, darker(accent, 0.4))
    c.circle(x - s * 0.04, y + s * 0.1, s * 0.11, light)
    for side in (-1, 1):
        c.circle(x - s * 0.04 + side * s * 0.045, y + s * 0.085, s * 0.025, BLACK)
    c.rect(x - s * 0.08, y + s * 0.15, x, y + s * 0.2, light)
    for wisp in range(3):
        px = x + s * (0.5 + wisp * 0.03)
        points = [(px + s * 0.04 * sin(i * 0.6 + wisp * 2), y - s * (0.22 + i * 0.022)) for i in range(12)]
        c.line(points, s * 0.012, mix(light, body, dice.real(0.1, 0.4)))


def clock(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A clock face in a ring of teeth."""
    body, accent, light = inks
    r = s * 0.42
    for tooth in range(24):
        a = 2 * pi * tooth / 24
        c.poly(ring(x + r * 1.06 * cos(a), y + r * 1.06 * sin(a), r * 0.1, 4, a + pi / 4), accent)
    c.circle(x, y, r * 1.08, accent)
    c.circle(x, y, r * 0.97, darker(accent, 0.4))
    c.circle(x, y, r * 0.9, light)
    c.circle(x, y, r * 0.5, mix(light, accent, 0.25))
    for hour in range(12):
        a = 2 * pi * hour / 12
        inner = 0.68 if hour % 3 == 0 else 0.76
        c.line(
            [
                (x + r * inner * cos(a), y + r * inner * sin(a)),
                (x + r * 0.84 * cos(a), y + r * 0.84 * sin(a)),
            ],
            s * (0.028 if hour % 3 == 0 else 0.014),
            body,
        )
    for long, width in ((0.72, 0.022), (0.46, 0.034)):
        a = dice.real(0, 2 * pi)
        c.line(
            [(x - r * 0.14 * cos(a), y - r * 0.14 * sin(a)), (x + r * long * cos(a), y + r * long * sin(a))],
            s * width,
            body,
        )
    c.circle(x, y, r * 0.08, accent)
