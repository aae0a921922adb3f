"""Whole people in motion, small enough that a pose says more than a face."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import BLACK, Canvas, Color, darker, lighter
from comicsdb.demo.draw_faces import Person
from comicsdb.demo.pictures import Face

# Joints in shares of the height, feet at 0: head, neck, hip, then elbow and hand, knee and foot of each side.
POSES = {
    "stand": (
        (0, -0.92),
        (0, -0.8),
        (0, -0.48),
        (-0.14, -0.64),
        (-0.1, -0.48),
        (0.14, -0.64),
        (0.1, -0.48),
        (-0.07, -0.25),
        (-0.09, 0),
        (0.07, -0.25),
        (0.1, 0),
    ),
    "wide": (
        (0, -0.9),
        (0, -0.78),
        (0, -0.47),
        (-0.2, -0.66),
        (-0.31, -0.54),
        (0.2, -0.66),
        (0.31, -0.54),
        (-0.13, -0.25),
        (-0.2, 0),
        (0.13, -0.25),
        (0.2, 0),
    ),
    "hands up": (
        (0, -0.9),
        (0, -0.78),
        (0, -0.47),
        (-0.19, -0.86),
        (-0.24, -1.04),
        (0.19, -0.86),
        (0.24, -1.04),
        (-0.1, -0.24),
        (-0.13, 0),
        (0.1, -0.24),
        (0.14, 0),
    ),
    "run": (
        (0.12, -0.88),
        (0.09, -0.76),
        (0, -0.46),
        (-0.08, -0.62),
        (0.04, -0.52),
        (0.24, -0.62),
        (0.34, -0.74),
        (0.17, -0.32),
        (0.12, -0.08),
        (-0.12, -0.26),
        (-0.32, -0.22),
    ),
    "leap": (
        (0.1, -0.96),
        (0.07, -0.84),
        (0, -0.55),
        (-0.16, -0.8),
        (-0.3, -0.92),
        (0.26, -0.84),
        (0.4, -0.98),
        (0.18, -0.46),
        (0.1, -0.26),
        (-0.16, -0.38),
        (-0.36, -0.3),
    ),
    "fly": (
        (0.3, -0.86),
        (0.2, -0.78),
        (-0.08, -0.58),
        (0.38, -0.86),
        (0.56, -0.98),
        (0.08, -0.62),
        (-0.02, -0.52),
        (-0.27, -0.44),
        (-0.44, -0.3),
        (-0.24, -0.36),
        (-0.38, -0.2),
    ),
    "strike": (
        (0.08, -0.88),
        (0.05, -0.76),
        (-0.02, -0.46),
        (-0.14, -0.62),
        (-0.06, -0.54),
        (0.24, -0.74),
        (0.44, -0.78),
        (0.16, -0.24),
        (0.18, 0),
        (-0.16, -0.26),
        (-0.3, 0),
    ),
    "back": (
        (0, -0.92),
        (0, -0.8),
        (0, -0.48),
        (-0.13, -0.64),
        (-0.15, -0.47),
        (0.13, -0.64),
        (0.15, -0.47),
        (-0.05, -0.24),
        (-0.06, 0),
        (0.05, -0.24),
        (0.06, 0),
    ),
}
HEROIC = ("wide", "leap", "fly", "strike", "run")
QUIET = ("stand", "back", "stand", "run")


def figure(
    c: Canvas, x: float, y: float, h: float, face: Face, pose: str, dice: Dice, *, shadow: Color | None = None
) -> None:
    """Draw a person `h` high whose feet are about at x, y; a mere silhouette where `shadow` is given."""
    who = Person(face)
    d = dice.pick((-1, 1))
    joints = [(x + d * px * h, y + py * h) for px, py in POSES[pose]]
    head, neck, hip = joints[:3]
    skin, cloth, trim, hair = who.skin, who.cloth, who.trim, who.hair
    if shadow:
        skin = cloth = trim = hair = shadow
    slim = 0.85 if who.woman or "child" in who.words else 1.0
    if {"cape", "coat"} & who.words:
        _cape(c, joints, h, d, darker(trim, 0.2) if "cape" in who.words else darker(cloth, 0.3), shadow, dice)
    legs = shadow or darker(cloth, 0.5)
    elbows = ((joints[3], joints[4]), (joints[5], joints[6]))
    knees = ((joints[7], joints[8]), (joints[9], joints[10]))
    shoulder = 0.095 * slim
    for side, (knee, foot) in zip((-1, 1), knees, strict=True):
        ink = legs if side > 0 or shadow else darker(legs, 0.25)
        c.limb((hip[0] + side * h * 0.035, hip[1]), knee, h * 0.115 * slim, h * 0.085 * slim, ink)
        boot = shadow or darker(cloth, 0.3)
        c.limb(knee, foot, h * 0.085 * slim, h * 0.055, boot)
        c.limb(foot, (foot[0] + d * h * 0.045, foot[1]), h * 0.055, h * 0.04, boot)
    c.limb((neck[0], neck[1] + h * 0.07), hip, h * 0.235 * slim, h * 0.14 * slim, cloth)
    if not shadow:
        c.limb(
            (neck[0] + d * h * 0.05, neck[1] + h * 0.08),
            (hip[0] + d * h * 0.03, hip[1]),
            h * 0.1,
            h * 0.06,
            darker(cloth, 0.16),
        )
        c.limb((hip[0] - h * 0.06, hip[1]), (hip[0] + h * 0.06, hip[1]), h * 0.03, h * 0.03, trim)
        if "cape" in who.words or "mask" in who.words:
            c.circle(neck[0], neck[1] + h * 0.1, h * 0.036, trim)
    for side, (elbow, hand) in zip((-1, 1), elbows, strict=True):
        ink = cloth if side > 0 or shadow else darker(cloth, 0.22)
        start = (neck[0] + side * d * h * shoulder, neck[1] + h * 0.04)
        c.limb(start, elbow, h * 0.08 * slim, h * 0.065 * slim, ink)
        c.limb(elbow, hand, h * 0.065 * slim, h * 0.045, ink)
        c.circle(*hand, h * 0.034, skin)
    c.limb(neck, head, h * 0.05, h * 0.05, skin if shadow else darker(skin, 0.2))
    _head(c, head, h, d, who, (skin, hair, cloth, trim), shadow is not None, pose == "back")


def _cape(c: Canvas, joints: list, h: float, d: int, ink: Color, shadow: Color | None, dice: Dice) -> None:
    neck, hip = joints[1], joints[2]
    wind = -d * h * dice.real(0.16, 0.42)
    foot = max(joints[8][1], joints[10][1]) - h * dice.real(0.08, 0.2)
    left, right = (neck[0] - h * 0.1, neck[1] + h * 0.02), (neck[0] + h * 0.1, neck[1] + h * 0.02)
    ends = [
        (hip[0] + wind + h * 0.2, foot - h * 0.06),
        (hip[0] + wind + h * 0.03, foot),
        (hip[0] + wind - h * 0.16, foot - h * 0.04),
    ]
    c.poly([left, right, *ends], shadow or ink)
    if not shadow:
        c.poly([(neck[0], neck[1] + h * 0.03), right, ends[0], ends[1]], darker(ink, 0.2))


def _head(
    c: Canvas,
    head: tuple[float, float],
    h: float,
    d: int,
    who: Person,
    inks: tuple[Color, ...],
    flat: bool,
    turned: bool,
) -> None:
    (x, y), (skin, hair, cloth, trim) = head, inks
    r = h * (0.085 if "child" in who.words else 0.068)
    if who.style in {"long", "bob"}:
        c.limb(
            (x - d * r * 0.3, y),
            (x - d * r * 0.9, y + r * (2.2 if who.style == "long" else 1.2)),
            r * 2,
            r * 0.8,
            hair,
        )
    c.ellipse(x, y, r * 0.88, r, hair if turned else skin)
    if not flat and not turned:
        c.pie(x, y, r * 0.9, 90, 270, darker(skin, 0.12)) if d > 0 else c.pie(
            x, y, r * 0.9, -90, 90, darker(skin, 0.12)
        )
        if who.beast == "":
            c.circle(x + d * r * 0.35, y - r * 0.05, r * 0.12, BLACK)
    if who.style != "bald":
        c.pie(x - d * r * 0.1, y - r * 0.12, r * 1.0, 175, 365, hair, ry=r * 1.02)
    if who.style == "bun":
        c.circle(x - d * r * 0.5, y - r * 1.05, r * 0.42, hair)
    if who.style == "curly":
        for curl in (-0.9, -0.3, 0.3, 0.9):
            c.circle(x + curl * r, y - r * (1.0 - abs(curl) * 0.5), r * 0.42, hair)
    if "mask" in who.words and not flat and not turned:
        c.rect(x - r * 0.8, y - r * 0.25, x + r * 0.85, y + r * 0.2, darker(cloth, 0.3), r * 0.2)
        c.circle(x + d * r * 0.4, y, r * 0.16, lighter(trim, 0.7))
    if "hat" in who.words:
        ink = cloth if flat else darker(cloth, 0.4)
        c.rect(x - r * 0.75, y - r * 1.7, x + r * 0.75, y - r * 0.5, ink, r * 0.2)
        c.ellipse(x, y - r * 0.55, r * 1.6, r * 0.24, ink)
    if "cap" in who.words or "helmet" in who.words:
        ink = trim if "helmet" in who.words else darker(cloth, 0.2)
        c.pie(x, y - r * 0.3, r * 1.05, 180, 360, cloth if flat else ink)
        c.ellipse(x + d * r * 0.6, y - r * 0.3, r * 0.8, r * 0.14, cloth if flat else BLACK)
    if "crown" in who.words:
        c.poly(
            [
                (x - r * 0.7, y - r * 0.7),
                (x - r * 0.7, y - r * 1.5),
                (x - r * 0.25, y - r),
                (x, y - r * 1.6),
                (x + r * 0.25, y - r),
                (x + r * 0.7, y - r * 1.5),
                (x + r * 0.7, y - r * 0.7),
            ],
            trim,
        )
    if "hood" in who.words:
        c.pie(x, y, r * 1.25, 170, 370, cloth if flat else trim, ry=r * 1.3)
