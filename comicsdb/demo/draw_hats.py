"""What characters have on their heads."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from math import cos, radians, sin

from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, darker, lighter

COVERING = {"cap", "hat", "crown", "helmet", "hood"}  # the words that hide the hair on top


def headgear(
    c: Canvas, x: float, y: float, s: float, words: set[str], cloth: Color, trim: Color, side: int
) -> None:
    """Put on whatever the words name, on a head `s` high about x, y; `side` is where the face looks."""
    if "hood" in words:
        for half in (-1, 1):
            edge = [
                (x + half * s * 0.56 * cos(radians(t)), y + s * 0.02 - s * 0.66 * sin(radians(t)))
                for t in range(0, 91, 15)
            ]
            inner = [
                (x + half * s * 0.36 * cos(radians(t)), y - s * 0.48 * sin(radians(t)))
                for t in range(90, -1, -15)
            ]
            c.poly(
                [*edge, *inner, (x + half * s * 0.3, y + s * 0.62), (x + half * s * 0.62, y + s * 0.78)],
                trim if half < 0 else darker(trim, 0.2),
            )
    if "helmet" in words:
        c.arc(x, y - s * 0.02, s * 0.68, 0, 360, s * 0.05, lighter(trim, 0.3))
        c.arc(x, y - s * 0.02, s * 0.56, 200, 260, s * 0.05, WHITE)
        c.rect(x - s * 0.5, y + s * 0.55, x + s * 0.5, y + s * 0.72, trim, s * 0.06)
    if "crown" in words:
        base = y - s * 0.4
        points = [(x - s * 0.34, base)]
        for tip in range(5):
            points += [
                (x - s * 0.34 + tip * s * 0.17, base - s * (0.3 if tip % 2 == 0 else 0.34)),
                (x - s * 0.255 + tip * s * 0.17, base - s * 0.14),
            ]
        c.poly([*points[:-1], (x + s * 0.34, base)], trim)
        for gem in (-0.2, 0, 0.2):
            c.circle(x + gem * s, base - s * 0.06, s * 0.035, cloth)
    if "hat" in words:
        ink = darker(cloth, 0.35)
        c.poly(
            [
                (x - s * 0.33, y - s * 0.3),
                (x - s * 0.29, y - s * 0.78),
                (x - s * 0.05, y - s * 0.72),
                (x + s * 0.27, y - s * 0.79),
                (x + s * 0.33, y - s * 0.3),
            ],
            ink,
        )
        c.poly(
            [
                (x - s * 0.335, y - s * 0.42),
                (x + s * 0.335, y - s * 0.42),
                (x + s * 0.335, y - s * 0.31),
                (x - s * 0.335, y - s * 0.31),
            ],
            trim,
        )
        c.ellipse(x, y - s * 0.28, s * 0.66, s * 0.085, ink)
    if "cap" in words:
        ink = darker(cloth, 0.15)
        c.pie(x, y - s * 0.22, s * 0.43, 180, 360, ink, ry=s * 0.4)
        c.rect(x - s * 0.43, y - s * 0.27, x + s * 0.43, y - s * 0.18, trim)
        c.ellipse(x + side * s * 0.12, y - s * 0.16, s * 0.4, s * 0.055, BLACK)
        c.circle(x, y - s * 0.4, s * 0.07, trim)
