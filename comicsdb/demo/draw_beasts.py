"""Heads of characters that are no people: animals, robots, skulls and spirits."""

# ruff: noqa: ARG001, PLR0917  (coordinates have an order that everybody knows; all share one signature)

from math import cos, radians, sin

from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, darker, lighter, mix


def _eyes(c: Canvas, x: float, y: float, s: float, apart: float, size: float, ink: Color = BLACK) -> None:
    for side in (-1, 1):
        c.circle(x + side * s * apart, y, s * size, WHITE)
        c.circle(x + side * s * apart + s * size * 0.2, y, s * size * 0.58, ink)


def cat(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A cat."""
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.08, y - s * 0.36),
                (x + side * s * 0.42, y - s * 0.66),
                (x + side * s * 0.44, y - s * 0.1),
            ],
            coat,
        )
        c.poly(
            [
                (x + side * s * 0.2, y - s * 0.36),
                (x + side * s * 0.37, y - s * 0.54),
                (x + side * s * 0.38, y - s * 0.22),
            ],
            mix(coat, (230, 140, 140), 0.6),
        )
    c.ellipse(x, y, s * 0.47, s * 0.42, coat)
    for stripe in (-0.12, 0.0, 0.12):
        c.line(
            [(x + stripe * s, y - s * 0.4), (x + stripe * s * 0.7, y - s * 0.22)], s * 0.05, darker(coat, 0.4)
        )
    c.ellipse(x, y + s * 0.2, s * 0.22, s * 0.16, lighter(coat, 0.6))
    for side in (-1, 1):
        c.ellipse(x + side * s * 0.19, y - s * 0.03, s * 0.1, s * 0.11, mix(trim, (220, 230, 120), 0.5))
        c.ellipse(x + side * s * 0.19, y - s * 0.03, s * 0.03, s * 0.09, BLACK)
        for whisker in (-0.03, 0.04, 0.11):
            c.line(
                [(x + side * s * 0.17, y + s * 0.17), (x + side * s * 0.55, y + s * (0.1 + whisker * 1.6))],
                s * 0.012,
                BLACK,
            )
    c.poly([(x - s * 0.06, y + s * 0.1), (x + s * 0.06, y + s * 0.1), (x, y + s * 0.17)], (190, 80, 90))
    for side in (-1, 1):
        c.arc(x + side * s * 0.065, y + s * 0.19, s * 0.065, 10, 170, s * 0.02, BLACK)


def dog(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A dog of no particular breed."""
    c.ellipse(x, y, s * 0.42, s * 0.44, coat)
    for side in (-1, 1):
        c.limb(
            (x + side * s * 0.3, y - s * 0.33),
            (x + side * s * 0.5, y + s * 0.12),
            s * 0.2,
            s * 0.24,
            darker(coat, 0.35),
        )
    c.ellipse(x + s * 0.16, y - s * 0.08, s * 0.15, s * 0.18, darker(coat, 0.35))
    c.ellipse(x, y + s * 0.2, s * 0.28, s * 0.23, lighter(coat, 0.65))
    _eyes(c, x, y - s * 0.08, s, 0.15, 0.075)
    c.ellipse(x, y + s * 0.1, s * 0.11, s * 0.075, BLACK)
    c.arc(x, y + s * 0.14, s * 0.16, 25, 155, s * 0.024, BLACK)
    c.ellipse(x + s * 0.03, y + s * 0.34, s * 0.07, s * 0.1, (214, 84, 84))


def fox(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A fox who is amused."""
    red = (206, 96, 40)
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.1, y - s * 0.3),
                (x + side * s * 0.44, y - s * 0.74),
                (x + side * s * 0.46, y - s * 0.08),
            ],
            red,
        )
        c.poly(
            [
                (x + side * s * 0.34, y - s * 0.58),
                (x + side * s * 0.44, y - s * 0.74),
                (x + side * s * 0.45, y - s * 0.4),
            ],
            BLACK,
        )
    c.poly(
        [
            (x - s * 0.5, y - s * 0.1),
            (x - s * 0.2, y - s * 0.38),
            (x + s * 0.2, y - s * 0.38),
            (x + s * 0.5, y - s * 0.1),
            (x + s * 0.1, y + s * 0.42),
            (x - s * 0.1, y + s * 0.42),
        ],
        red,
    )
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.5, y - s * 0.1),
                (x + side * s * 0.08, y + s * 0.08),
                (x + side * s * 0.08, y + s * 0.42),
                (x + side * s * 0.1, y + s * 0.42),
            ],
            WHITE,
        )
        c.arc(x + side * s * 0.2, y + s * 0.02, s * 0.1, 195, 345, s * 0.035, BLACK)
    c.circle(x, y + s * 0.4, s * 0.065, BLACK)


def bird(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A bird, full face."""
    c.limb((x, y - s * 0.08), (x, y + s * 0.7), s * 0.74, s * 0.7, coat)
    c.limb((x, y + s * 0.5), (x, y + s * 0.8), s * 0.6, s * 0.75, lighter(coat, 0.25))
    for tuft in (-0.08, 0.0, 0.08):
        c.line([(x, y - s * 0.42), (x + tuft * s * 1.5, y - s * 0.6)], s * 0.035, coat)
    _eyes(c, x, y - s * 0.1, s, 0.2, 0.125)
    c.poly([(x - s * 0.12, y + s * 0.02), (x + s * 0.12, y + s * 0.02), (x, y + s * 0.34)], (232, 160, 50))
    c.poly([(x, y + s * 0.02), (x + s * 0.12, y + s * 0.02), (x, y + s * 0.34)], (196, 120, 36))


def _long_head(c: Canvas, x: float, y: float, s: float, coat: Color) -> None:
    c.poly(
        [
            (x - s * 0.28, y - s * 0.42),
            (x + s * 0.28, y - s * 0.42),
            (x + s * 0.2, y + s * 0.4),
            (x - s * 0.2, y + s * 0.4),
        ],
        coat,
    )
    c.poly(
        [
            (x + s * 0.06, y - s * 0.42),
            (x + s * 0.28, y - s * 0.42),
            (x + s * 0.2, y + s * 0.4),
            (x + s * 0.08, y + s * 0.4),
        ],
        darker(coat, 0.15),
    )
    c.ellipse(x, y - s * 0.36, s * 0.28, s * 0.16, coat)
    c.ellipse(x, y + s * 0.4, s * 0.25, s * 0.19, lighter(coat, 0.4))
    for side in (-1, 1):
        c.ellipse(x + side * s * 0.1, y + s * 0.38, s * 0.03, s * 0.05, BLACK)
        c.ellipse(x + side * s * 0.22, y - s * 0.14, s * 0.07, s * 0.08, WHITE)
        c.circle(x + side * s * 0.22, y - s * 0.12, s * 0.045, BLACK)
        c.line(
            [(x + side * s * 0.12, y - s * 0.21), (x + side * s * 0.31, y - s * 0.2)],
            s * 0.045,
            darker(coat, 0.3),
        )
    c.line([(x - s * 0.1, y + s * 0.5), (x + s * 0.1, y + s * 0.5)], s * 0.02, BLACK)


def horse(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A mule with his own view of the matter."""
    for side in (-1, 1):
        c.limb(
            (x + side * s * 0.16, y - s * 0.4),
            (x + side * s * 0.38, y - s * 0.82),
            s * 0.16,
            s * 0.06,
            darker(coat, 0.2),
        )
    _long_head(c, x, y, s, coat)
    for lock in range(4):
        c.limb(
            (x - s * 0.12 + lock * s * 0.08, y - s * 0.52),
            (x - s * 0.1 + lock * s * 0.07, y - s * 0.26),
            s * 0.09,
            s * 0.03,
            darker(coat, 0.55),
        )


def goat(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A goat with driving goggles."""
    for side in (-1, 1):
        horn = [
            (x + side * s * (0.14 + 0.34 * sin(t * 0.22)), y - s * (0.42 + 0.3 * (1 - cos(t * 0.3))))
            for t in range(8)
        ]
        c.line(horn, s * 0.1, (196, 178, 150))
        c.limb(
            (x + side * s * 0.26, y - s * 0.3),
            (x + side * s * 0.55, y - s * 0.14),
            s * 0.14,
            s * 0.05,
            darker(coat, 0.2),
        )
    _long_head(c, x, y, s, lighter(coat, 0.5))
    c.rect(x - s * 0.36, y - s * 0.2, x + s * 0.36, y - s * 0.12, BLACK)
    for side in (-1, 1):
        c.circle(x + side * s * 0.19, y - s * 0.15, s * 0.15, BLACK)
        c.circle(x + side * s * 0.19, y - s * 0.15, s * 0.11, trim)
    c.poly([(x - s * 0.09, y + s * 0.54), (x + s * 0.09, y + s * 0.54), (x, y + s * 0.86)], WHITE)


def fish(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """Something from the water, damp and kind."""
    green = mix((70, 150, 130), coat, 0.2)
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.32, y - s * 0.12),
                (x + side * s * 0.68, y - s * 0.28),
                (x + side * s * 0.6, y + s * 0.02),
                (x + side * s * 0.66, y + s * 0.26),
                (x + side * s * 0.32, y + s * 0.2),
            ],
            darker(green, 0.2),
        )
    c.poly([(x - s * 0.1, y - s * 0.4), (x, y - s * 0.74), (x + s * 0.12, y - s * 0.4)], darker(green, 0.2))
    c.ellipse(x, y, s * 0.42, s * 0.48, green)
    c.ellipse(x - s * 0.04, y + s * 0.2, s * 0.3, s * 0.26, lighter(green, 0.35))
    for spot in range(6):
        a = radians(210 + spot * 24)
        c.circle(
            x + s * 0.31 * cos(a), y + s * 0.36 * sin(a), s * (0.02 + 0.01 * (spot % 3)), darker(green, 0.3)
        )
    _eyes(c, x, y - s * 0.08, s, 0.19, 0.13)
    c.line(
        [(x - s * 0.18, y + s * 0.25), (x, y + s * 0.28), (x + s * 0.18, y + s * 0.24)],
        s * 0.03,
        darker(green, 0.5),
    )
    for gill in range(3):
        c.line(
            [(x - s * 0.12, y + s * (0.6 + gill * 0.06)), (x + s * 0.12, y + s * (0.6 + gill * 0.06))],
            s * 0.016,
            darker(green, 0.4),
        )


def robot(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A robot with a lamp for each mood."""
    steel = mix((150, 160, 170), trim, 0.25)
    c.line([(x, y - s * 0.4), (x, y - s * 0.62)], s * 0.03, darker(steel, 0.4))
    c.circle(x, y - s * 0.65, s * 0.06, cloth)
    c.rect(x - s * 0.11, y + s * 0.3, x + s * 0.11, y + s * 0.8, darker(steel, 0.4))
    for side in (-1, 1):
        c.rect(
            x + side * s * 0.43 - s * 0.06,
            y - s * 0.14,
            x + side * s * 0.43 + s * 0.06,
            y + s * 0.16,
            darker(steel, 0.3),
            s * 0.03,
        )
    c.rect(x - s * 0.42, y - s * 0.42, x + s * 0.42, y + s * 0.42, steel, s * 0.14)
    c.rect(x + s * 0.1, y - s * 0.4, x + s * 0.41, y + s * 0.4, darker(steel, 0.14), s * 0.12)
    c.rect(x - s * 0.33, y - s * 0.2, x + s * 0.33, y + s * 0.06, darker(steel, 0.75), s * 0.08)
    for side in (-1, 1):
        c.circle(x + side * s * 0.17, y - s * 0.07, s * 0.085, trim)
        c.circle(x + side * s * 0.17, y - s * 0.07, s * 0.04, WHITE)
    for bar in range(5):
        c.rect(
            x - s * 0.2 + bar * s * 0.085,
            y + s * 0.18,
            x - s * 0.15 + bar * s * 0.085,
            y + s * 0.3,
            darker(steel, 0.6),
        )


def skull(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A skull, well kept."""
    bone = (240, 232, 212)
    c.ellipse(x, y - s * 0.08, s * 0.4, s * 0.42, bone)
    c.rect(x - s * 0.22, y + s * 0.1, x + s * 0.22, y + s * 0.46, bone, s * 0.07)
    c.pie(x, y - s * 0.08, s * 0.4, -50, 60, darker(bone, 0.14), ry=s * 0.42)
    for side in (-1, 1):
        c.ellipse(x + side * s * 0.165, y - s * 0.02, s * 0.115, s * 0.13, BLACK)
        c.circle(x + side * s * 0.165, y, s * 0.03, trim)
    c.poly([(x, y + s * 0.1), (x - s * 0.05, y + s * 0.21), (x + s * 0.05, y + s * 0.21)], BLACK)
    for tooth in range(5):
        c.line(
            [
                (x - s * 0.14 + tooth * s * 0.07, y + s * 0.29),
                (x - s * 0.14 + tooth * s * 0.07, y + s * 0.43),
            ],
            s * 0.014,
            BLACK,
        )


def ghost(c: Canvas, x: float, y: float, s: float, cloth: Color, trim: Color, coat: Color) -> None:
    """A spirit."""
    pale = lighter(trim, 0.72)
    c.pie(x, y, s * 0.48, 180, 360, pale, ry=s * 0.55)
    hem = [(x + s * (0.72 - i * 0.12), y + s * (2.0 + 0.12 * (i % 2))) for i in range(13)]
    c.poly([(x - s * 0.48, y - 1), (x + s * 0.48, y - 1), *hem], pale)
    c.poly(
        [(x + s * 0.28, y - s * 0.4), (x + s * 0.48, y), (x + s * 0.72, y + s * 2), (x + s * 0.4, y + s * 2)],
        darker(pale, 0.12),
    )
    for side in (-1, 1):
        c.ellipse(x + side * s * 0.17, y - s * 0.02, s * 0.07, s * 0.12, BLACK)
    c.ellipse(x, y + s * 0.24, s * 0.06, s * 0.09, darker(trim, 0.5))


BEASTS = {
    "cat": cat,
    "dog": dog,
    "fox": fox,
    "bird": bird,
    "horse": horse,
    "goat": goat,
    "fish": fish,
    "robot": robot,
    "skull": skull,
    "ghost": ghost,
}
