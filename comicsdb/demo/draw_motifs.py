"""Things that covers show: each function draws one, about x, y and `s` high, in three colours."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from math import cos, pi, radians, sin

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, darker, lighter, mix, ring, swing

Inks = tuple[Color, Color, Color]  # body, accent, light


def lighthouse(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A striped tower with its beam; the foot is at y + s / 2."""
    body, accent, light = inks
    top, foot = y - s * 0.34, y + s * 0.5
    side = dice.pick((-1, 1))
    beam = mix(light, WHITE, 0.3)
    c.poly([(x, top), (x + side * s * 1.6, top - s * 0.34), (x + side * s * 1.6, top + s * 0.16)], beam)
    c.poly([(x, top), (x - side * s * 1.2, top - s * 0.2), (x - side * s * 1.2, top + s * 0.02)], beam)
    c.poly(
        [
            (x - s * 0.5, foot + s * 0.08),
            (x - s * 0.2, foot - s * 0.1),
            (x + s * 0.28, foot - s * 0.08),
            (x + s * 0.55, foot + s * 0.08),
        ],
        darker(body, 0.6),
    )

    def half(height: float) -> float:
        return s * (0.075 + 0.065 * height)

    for band in range(5):
        a, b = band / 5, (band + 1) / 5
        ya, yb = top + s * 0.06 + (foot - top - s * 0.06) * a, top + s * 0.06 + (foot - top - s * 0.06) * b
        ink = accent if band % 2 else WHITE
        c.poly([(x - half(a), ya), (x + half(a), ya), (x + half(b), yb), (x - half(b), yb)], ink)
        c.poly(
            [(x + half(a) * 0.35, ya), (x + half(a), ya), (x + half(b), yb), (x + half(b) * 0.35, yb)],
            darker(ink, 0.25),
        )
    c.rect(x - s * 0.1, top + s * 0.04, x + s * 0.1, top + s * 0.065, BLACK)
    c.rect(x - s * 0.055, top - s * 0.05, x + s * 0.055, top + s * 0.04, light)
    c.circle(x, top, s * 0.03, WHITE)
    c.pie(x, top - s * 0.05, s * 0.075, 180, 360, accent)
    c.rect(x - s * 0.02, foot - s * 0.08, x + s * 0.03, foot, BLACK)


def ship(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A sailing ship or a steamer, as the dice fall."""
    body, accent, light = inks
    keel = y + s * 0.32
    hull = [
        (x - s * 0.5, keel - s * 0.17),
        (x + s * 0.52, keel - s * 0.2),
        (x + s * 0.36, keel),
        (x - s * 0.4, keel),
    ]
    if dice.happens(0.5):
        for mast, tall in ((-0.24, 0.62), (0.06, 0.78), (0.32, 0.5)):
            mx = x + mast * s
            c.line([(mx, keel - s * 0.18), (mx, keel - s * (0.22 + tall))], s * 0.018, darker(body))
            for sail in range(3):
                up = keel - s * (0.24 + tall * (sail + 0.9) / 3.1)
                wide, high = s * (0.19 - sail * 0.035), s * tall / 3.6
                c.poly(
                    [
                        (mx - wide * 0.8, up),
                        (mx + wide, up),
                        (mx + wide * 1.25, up + high * 0.6),
                        (mx + wide, up + high),
                        (mx - wide * 0.7, up + high),
                    ],
                    light if sail % 2 else WHITE,
                )
        c.poly(
            [(x + s * 0.06, keel - s), (x + s * 0.06, keel - s * 0.94), (x - s * 0.08, keel - s * 0.96)],
            accent,
        )
    else:
        c.rect(x - s * 0.3, keel - s * 0.31, x + s * 0.28, keel - s * 0.17, WHITE)
        c.rect(x - s * 0.2, keel - s * 0.41, x + s * 0.16, keel - s * 0.3, mix(WHITE, light, 0.4))
        for funnel in (-0.1, 0.06):
            fx = x + funnel * s
            c.poly(
                [
                    (fx - s * 0.045, keel - s * 0.41),
                    (fx + s * 0.045, keel - s * 0.41),
                    (fx + s * 0.035, keel - s * 0.66),
                    (fx - s * 0.055, keel - s * 0.66),
                ],
                accent,
            )
            c.rect(fx - s * 0.055, keel - s * 0.68, fx + s * 0.038, keel - s * 0.62, BLACK)
            for puff in range(4):
                c.circle(
                    fx - s * 0.07 * puff,
                    keel - s * (0.72 + 0.05 * puff),
                    s * (0.03 + 0.018 * puff),
                    mix(WHITE, body, 0.2 + 0.1 * puff),
                )
        for port in range(8):
            c.circle(x - s * 0.26 + port * s * 0.072, keel - s * 0.24, s * 0.014, body)
    c.poly(hull, body)
    c.poly(
        [
            (x - s * 0.5, keel - s * 0.17),
            (x + s * 0.52, keel - s * 0.2),
            (x + s * 0.49, keel - s * 0.15),
            (x - s * 0.48, keel - s * 0.12),
        ],
        accent,
    )


def moon(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A full moon with craters, or a crescent."""
    _, accent, light = inks
    r = s * 0.46
    c.circle(x, y, r * 1.16, mix(accent, light, 0.4))
    c.circle(x, y, r, light)
    if dice.happens(0.4):
        c.circle(x + r * 0.34, y - r * 0.1, r * 0.8, mix(accent, light, 0.4))
        return
    for _ in range(7):
        a, far, size = dice.real(0, 2 * pi), r * dice.real(0.1, 0.7), r * dice.real(0.06, 0.18)
        c.circle(x + far * cos(a), y + far * sin(a), size, darker(light, 0.12))


def ghost(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A sheet with eyes."""
    _, accent, light = inks
    r, foot = s * 0.3, y + s * 0.48
    c.pie(x, y - s * 0.16, r, 180, 360, light)
    hem = [
        (px, foot + dice.real(0, s * 0.01) + s * 0.05 * sin(i * 0.94))
        for i, (px, _) in enumerate(swing(x + r, x - r, 0, 0, 1))
    ]
    c.poly([(x - r, y - s * 0.17), (x + r, y - s * 0.17), *hem], light)
    c.poly(
        [(x + r * 0.45, y - s * 0.3), (x + r, y - s * 0.17), (x + r, foot - s * 0.02), (x + r * 0.5, foot)],
        darker(light, 0.14),
    )
    for side in (-1, 1):
        c.ellipse(x + side * r * 0.36, y - s * 0.14, r * 0.14, r * 0.24, BLACK)
    c.ellipse(x, y + s * 0.02, r * 0.14, r * 0.2, accent)


def letter(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """An envelope with a seal."""
    _, accent, light = inks
    w, h, turn = s * 0.46, s * 0.3, dice.real(-0.25, 0.25)

    def at(px: float, py: float) -> tuple[float, float]:
        return x + px * w * cos(turn) - py * h * sin(turn), y + px * w * sin(turn) + py * h * cos(turn)

    c.poly([at(-0.94, -0.9), at(1.06, -0.9), at(1.06, 1.1), at(-0.94, 1.1)], BLACK)
    c.poly([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)], light)
    c.poly([at(-1, 1), at(0, -0.1), at(1, 1)], darker(light, 0.1))
    c.poly([at(-1, -1), at(1, -1), at(0, 0.25)], lighter(light, 0.4))
    c.line([at(-1, -1), at(0, 0.25), at(1, -1)], s * 0.012, darker(light, 0.35))
    c.circle(*at(0, 0.2), s * 0.085, darker(accent, 0.25))
    c.circle(*at(0, 0.2), s * 0.07, accent)
    c.star(*at(0, 0.2), s * 0.045, s * 0.02, 5, lighter(accent))


def umbrella(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """An open umbrella."""
    body, accent, light = inks
    r, top = s * 0.48, y - s * 0.05
    c.line([(x, top - r), (x, y + s * 0.4)], s * 0.025, BLACK)
    c.arc(x - s * 0.06, y + s * 0.4, s * 0.06, 0, 180, s * 0.025, BLACK)
    tint = dice.pick((accent, body, mix(accent, light, 0.3)))
    c.pie(x, top, r, 180, 360, tint)
    for fold in range(3):
        wide = r * (0.82 - fold * 0.3)
        c.pie(x, top, wide, 180, 360, darker(tint, 0.12) if fold % 2 == 0 else tint, ry=r)
    for scallop in range(6):
        c.pie(x - r + r / 6 + scallop * r / 3, top + 1, r / 6, 180, 360, light, ry=r * 0.1)


def moth(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A moth with open wings."""
    body, accent, light = inks
    lift = dice.real(-0.05, 0.08)
    for side in (-1, 1):
        for reach, tall, ink in (
            (0.5, 0.36, accent),
            (0.42, 0.28, lighter(accent, 0.25)),
            (0.3, 0.2, accent),
        ):
            c.poly(
                [
                    (x, y - s * 0.06),
                    (x + side * s * reach, y - s * (tall + lift)),
                    (x + side * s * reach * 1.02, y),
                    (x + side * s * 0.04, y + s * 0.12),
                ],
                ink,
            )
        c.poly(
            [
                (x, y + s * 0.04),
                (x + side * s * 0.36, y + s * 0.06),
                (x + side * s * 0.24, y + s * 0.4),
                (x + side * s * 0.03, y + s * 0.24),
            ],
            darker(accent, 0.25),
        )
        c.circle(x + side * s * 0.33, y - s * 0.15, s * 0.075, light)
        c.circle(x + side * s * 0.33, y - s * 0.15, s * 0.045, body)
        c.circle(x + side * s * 0.19, y + s * 0.2, s * 0.035, light)
        c.line([(x, y - s * 0.16), (x + side * s * 0.1, y - s * 0.34)], s * 0.014, body)
    c.ellipse(x, y + s * 0.06, s * 0.05, s * 0.24, body)
    c.circle(x, y - s * 0.17, s * 0.05, body)


def crow(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A bird with an opinion, on a branch."""
    body, accent, light = inks
    d = dice.pick((-1, 1))
    c.line([(x - s * 0.5, y + s * 0.36), (x + s * 0.5, y + s * 0.3)], s * 0.035, darker(accent, 0.4))
    c.poly(
        [
            (x - d * s * 0.1, y + s * 0.05),
            (x - d * s * 0.5, y + s * 0.5),
            (x - d * s * 0.36, y + s * 0.52),
            (x + d * s * 0.08, y + s * 0.2),
        ],
        body,
    )
    c.ellipse(x, y + s * 0.06, s * 0.2, s * 0.26, body)
    c.circle(x + d * s * 0.12, y - s * 0.2, s * 0.15, body)
    c.poly(
        [(x + d * s * 0.22, y - s * 0.28), (x + d * s * 0.5, y - s * 0.18), (x + d * s * 0.24, y - s * 0.12)],
        accent,
    )
    c.pie(x - d * s * 0.03, y + s * 0.06, s * 0.17, 20, 160, lighter(body, 0.18), ry=s * 0.25)
    c.circle(x + d * s * 0.16, y - s * 0.24, s * 0.04, light)
    c.circle(x + d * s * 0.17, y - s * 0.24, s * 0.018, BLACK)
    for leg in (-0.05, 0.06):
        c.line([(x + leg * s, y + s * 0.28), (x + leg * s, y + s * 0.34)], s * 0.02, accent)


def lantern(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A storm lantern, lit."""
    body, accent, light = inks
    for glow in range(4, 0, -1):
        c.circle(x, y + s * 0.06, s * 0.13 * glow, mix(accent, light, 0.25 * (4 - glow) + dice.real(0, 0.05)))
    c.arc(x, y - s * 0.28, s * 0.15, 180, 360, s * 0.022, body)
    c.poly(
        [
            (x - s * 0.08, y - s * 0.32),
            (x + s * 0.08, y - s * 0.32),
            (x + s * 0.17, y - s * 0.18),
            (x - s * 0.17, y - s * 0.18),
        ],
        body,
    )
    c.rect(x - s * 0.14, y - s * 0.18, x + s * 0.14, y + s * 0.28, lighter(light, 0.5))
    c.poly(
        [(x, y - s * 0.1), (x + s * 0.07, y + s * 0.1), (x, y + s * 0.2), (x - s * 0.07, y + s * 0.1)], accent
    )
    for bar in (-0.14, 0, 0.14):
        c.line([(x + bar * s, y - s * 0.18), (x + bar * s, y + s * 0.28)], s * 0.018, body)
    c.rect(x - s * 0.19, y + s * 0.28, x + s * 0.19, y + s * 0.36, body)


def rocket(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A rocket on its way up."""
    body, accent, light = inks
    a = radians(dice.real(-35, 35))

    def at(px: float, py: float) -> tuple[float, float]:
        px, py = px * s, py * s
        return x + px * cos(a) - py * sin(a), y + px * sin(a) + py * cos(a)

    for long, wide, ink in ((0.62, 0.13, accent), (0.5, 0.09, light), (0.4, 0.05, WHITE)):
        c.poly(
            [
                at(-wide, 0.24),
                at(-wide * 0.6, long * 0.8),
                at(0, long),
                at(wide * 0.7, long * 0.8),
                at(wide, 0.24),
            ],
            ink,
        )
    for side in (-1, 1):
        c.poly(
            [at(side * 0.1, 0.02), at(side * 0.27, 0.26), at(side * 0.25, 0.38), at(side * 0.08, 0.25)],
            accent,
        )
    outline = [at(0.15 * sin(pi * t / 20), -0.5 + 0.78 * t / 20) for t in range(18)]
    mirror = [at(-0.15 * sin(pi * t / 20), -0.5 + 0.78 * t / 20) for t in range(17, -1, -1)]
    c.poly(outline + mirror, WHITE)
    c.poly([*outline, at(0.03, 0.2), at(0.05, -0.3)], darker(WHITE, 0.2))
    c.poly(outline[:6] + mirror[-6:], accent)
    c.circle(*at(0, -0.12), s * 0.075, body)
    c.circle(*at(0, -0.12), s * 0.055, lighter(body, 0.5))
    c.poly([at(-0.02, 0.1), at(0.02, 0.1), at(0.025, 0.36), at(-0.025, 0.36)], accent)


def planet(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A planet with rings and a small companion."""
    body, accent, light = inks
    r, tilt = s * 0.32, radians(dice.real(-28, 28))

    def half_ring(front: bool) -> list[tuple[float, float]]:
        points = []
        for radius in (1.75, 1.35):
            steps = range(0, 181, 10) if front else range(180, 361, 10)
            line = [(radius * r * cos(radians(t)), radius * r * 0.3 * sin(radians(t))) for t in steps]
            points += line if radius > 1.5 else line[::-1]
        return [
            (x + px * cos(tilt) - py * sin(tilt), y + px * sin(tilt) + py * cos(tilt)) for px, py in points
        ]

    c.poly(half_ring(front=False), darker(light, 0.3))
    c.circle(x, y, r, accent)
    for band in range(3):
        c.pie(
            x, y, r, 20 + band * 9 + dice.real(-4, 4), 160 - band * 9, mix(accent, body, 0.22 + band * 0.18)
        )
    c.circle(x - r * 0.35, y - r * 0.35, r * 0.2, lighter(accent, 0.3))
    c.poly(half_ring(front=True), light)
    c.circle(x + r * 1.5, y - r * 1.2, r * 0.2, light)
    c.circle(x + r * 1.54, y - r * 1.17, r * 0.16, darker(light, 0.2))


def football(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A ball in flight."""
    body, accent, _ = inks
    r, turn = s * 0.36, dice.real(0, 1.2)
    for trail in range(5):
        c.line(
            [(x - s * 0.85, y + r * (0.8 - trail * 0.4)), (x - r * 0.6, y + r * (0.6 - trail * 0.3))],
            s * 0.015,
            accent,
        )
    c.circle(x, y, r * 1.05, body)
    c.circle(x, y, r, WHITE)
    c.poly(ring(x, y, r * 0.36, 5, turn), BLACK)
    for corner, (px, py) in enumerate(ring(x, y, r * 0.36, 5, turn)):
        a = turn + 2 * pi * corner / 5
        c.line([(px, py), (x + r * 0.72 * cos(a), y + r * 0.72 * sin(a))], s * 0.018, BLACK)
        c.poly(ring(x + r * 0.88 * cos(a), y + r * 0.88 * sin(a), r * 0.22, 5, a + pi), BLACK)
    c.arc(x, y, r * 1.03, 0, 360, r * 0.09, body)


def baseball(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A ball with red seams and speed lines."""
    body, accent, _ = inks
    r, turn = s * 0.34, dice.real(-30, 30)
    for trail in range(9):
        up = (trail - 4) * r * 0.22
        c.line([(x - s * dice.real(0.7, 1.3), y + up), (x - r * 0.4, y + up)], s * 0.008, body)
    c.circle(x, y, r, WHITE)
    c.pie(x, y, r, 20, 160, darker(WHITE, 0.12))
    for side in (-1, 1):
        cx = x + side * r * 1.05
        c.arc(
            cx,
            y,
            r * 0.75,
            (110 if side > 0 else -70) + turn * 0,
            (250 if side > 0 else 70),
            r * 0.03,
            accent,
        )
        for stitch in range(-3, 4):
            a = radians(180 if side > 0 else 0) + stitch * 0.2 * side
            px, py = cx + r * 0.75 * cos(a), y + r * 0.75 * sin(a)
            c.line([(px - r * 0.07, py - r * 0.04), (px + r * 0.07, py + r * 0.04)], r * 0.03, accent)
    c.arc(x, y, r, 0, 360, r * 0.04, body)


def eye(c: Canvas, x: float, y: float, s: float, inks: Inks, dice: Dice) -> None:
    """A watchful eye with lashes."""
    body, accent, light = inks
    w, h = s * 0.5, s * 0.24
    upper = [(x + w * cos(radians(t)), y - h * sin(radians(t)) ** 0.8) for t in range(0, 181, 6)]
    lower = [(x + w * cos(radians(t)), y + h * 0.8 * sin(radians(t)) ** 0.9) for t in range(180, -1, -6)]
    for lash in range(9):
        a = radians(20 + lash * 17.5)
        c.line(
            [(x + w * cos(a), y - h * sin(a)), (x + w * 1.18 * cos(a), y - h * 1.7 * sin(a))], s * 0.022, body
        )
    c.poly(upper + lower, light)
    look = dice.real(-0.15, 0.15) * w
    c.circle(x + look, y - h * 0.05, h * 0.82, accent)
    c.circle(x + look, y - h * 0.05, h * 0.46, BLACK)
    c.circle(x + look - h * 0.26, y - h * 0.34, h * 0.18, WHITE)
    c.line(upper, s * 0.03, body)
    c.line(lower, s * 0.014, body)
