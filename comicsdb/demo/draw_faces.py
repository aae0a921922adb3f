"""Characters from the chest up: skin, hair, hats and clothes follow from the look and the seed."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from math import cos, pi, radians, sin

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_beasts import BEASTS
from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, Color, color, darker, lighter, mix
from comicsdb.demo.draw_hats import COVERING, headgear
from comicsdb.demo.pictures import Face

SKINS = ("#f3c9a5", "#e3a97f", "#c98a5e", "#9a6240", "#6d4329", "#f6d7bd")
HAIRS = ("#2a1d1a", "#4a2c20", "#7a4526", "#b5652b", "#d9a441", "#1b1b24", "#8d8d93", "#9c2f2a")
COMPLEXIONS = {"pale": "#f3c9a5", "tan": "#d29a6a", "dark": "#7a4d30"}
SHADES = {"black": "#1f1b22", "brown": "#5a3422", "grey": "#a3a3aa", "red": "#b5512b", "blond": "#dcab4c"}
GREY = 6
STYLES = ("short", "bob", "long", "bun", "curly", "spiky", "bald")


class Person:
    """What a face looks like, settled once from its words and seed."""

    def __init__(self, face: Face):
        dice = Dice("face", face.seed)
        self.words = set(face.look.split())
        inks = [color(code) for code in face.palette]
        self.skin = self._told(COMPLEXIONS, color(dice.pick(SKINS)))
        self.hair = self._told(SHADES, color(dice.pick(HAIRS)))
        self.cloth = dice.pick((inks[2], inks[4], inks[0]))
        self.trim = dice.pick([ink for ink in (inks[1], inks[3], inks[2]) if ink != self.cloth])
        self.eyes = dice.pick(((48, 84, 110), (60, 40, 28), (52, 92, 60), BLACK))
        named = [style for style in STYLES if style in self.words]
        usual = ("long", "bob", "bun", "curly") if self.woman else ("short", "curly", "short", "spiky")
        self.style = named[0] if named else dice.pick(usual)
        if self.style in {"spiky", "bun"} and self.words & COVERING:
            self.style = "short"
        if "child" in self.words and self.hair == color(HAIRS[GREY]):
            self.hair = color(HAIRS[0])
        self.smile = dice.real(-0.4, 1.0)
        self.side = dice.pick((-1, 1))

    def _told(self, named: dict[str, str], drawn: Color) -> Color:
        """The colour that one of the words names, else the one that was drawn by lot."""
        return next((color(code) for word, code in named.items() if word in self.words), drawn)

    @property
    def woman(self) -> bool:
        """Whether the look says so."""
        return "woman" in self.words

    @property
    def beast(self) -> str:
        """The animal, robot or spirit that it is, or ""."""
        return next((word for word in BEASTS if word in self.words), "")


def bust(c: Canvas, x: float, y: float, s: float, face: Face, *, tint: Color | None = None) -> None:
    """Draw head and shoulders, the head `s` high about x, y; in one colour where `tint` is given."""
    who = Person(face)
    if tint:
        who.skin = who.hair = who.cloth = who.trim = tint
    if "cape" in who.words or "hood" in who.words:
        _cape(c, x, y, s, who)
    if who.style in {"long", "bob"} and not who.beast:
        _back_hair(c, x, y, s, who)
    _shoulders(c, x, y, s, who)
    if who.beast:
        BEASTS[who.beast](
            c, x, y, s, who.cloth, who.trim, who.skin if tint else mix(who.hair, who.trim, 0.35)
        )
    else:
        _head(c, x, y, s, who, plain=tint is not None)
    headgear(c, x, y, s, who.words, who.cloth, who.trim, who.side)


def _cape(c: Canvas, x: float, y: float, s: float, who: Person) -> None:
    ink = darker(who.trim, 0.25)
    c.poly(
        [
            (x - s * 0.34, y + s * 0.3),
            (x + s * 0.34, y + s * 0.3),
            (x + s * 1.25, y + s * 2.2),
            (x - s * 1.25, y + s * 2.2),
        ],
        ink,
    )
    for side in (-1, 1):
        c.poly(
            [
                (x + side * s * 0.2, y + s * 0.75),
                (x + side * s * 0.58, y + s * 0.2),
                (x + side * s * 0.72, y + s * 0.95),
            ],
            who.trim,
        )


def _back_hair(c: Canvas, x: float, y: float, s: float, who: Person) -> None:
    low = 0.95 if who.style == "long" else 0.34
    c.ellipse(x, y - s * 0.1, s * 0.49, s * 0.5, darker(who.hair, 0.2))
    c.rect(x - s * 0.49, y - s * 0.1, x + s * 0.49, y + s * low, darker(who.hair, 0.2), s * 0.16)


def _shoulders(c: Canvas, x: float, y: float, s: float, who: Person) -> None:
    wide = 0.62 if who.woman or "child" in who.words else 0.8
    foot = y + s * 2.2
    c.rect(x - s * 0.15, y + s * 0.25, x + s * 0.15, y + s * 0.85, darker(who.skin, 0.22))
    body = [
        (x - s * (wide + 0.12), foot),
        (x - s * wide, y + s * 0.98),
        (x - s * (wide - 0.16), y + s * 0.82),
        (x - s * 0.2, y + s * 0.66),
        (x, y + s * 0.78),
        (x + s * 0.2, y + s * 0.66),
        (x + s * (wide - 0.16), y + s * 0.82),
        (x + s * wide, y + s * 0.98),
        (x + s * (wide + 0.12), foot),
    ]
    c.poly(body, who.cloth)
    c.poly(
        [
            (x + s * 0.12, y + s * 0.75),
            (x + s * 0.2, y + s * 0.66),
            (x + s * (wide - 0.16), y + s * 0.82),
            (x + s * wide, y + s * 0.98),
            (x + s * (wide + 0.12), foot),
            (x + s * 0.3, foot),
        ],
        darker(who.cloth, 0.18),
    )
    if "coat" in who.words:
        for side in (-1, 1):
            c.poly(
                [
                    (x + side * s * 0.2, y + s * 0.64),
                    (x + side * s * 0.46, y + s * 0.84),
                    (x + side * s * 0.34, y + s * 1.2),
                    (x, y + s * 1.6),
                ],
                lighter(who.cloth, 0.18),
            )
        c.poly([(x - s * 0.09, y + s * 0.74), (x + s * 0.09, y + s * 0.74), (x, y + s * 1.4)], who.trim)
    elif "cape" in who.words or "mask" in who.words:
        c.circle(x, y + s * 1.2, s * 0.2, who.trim)
        c.star(x, y + s * 1.2, s * 0.17, s * 0.07, 5, who.cloth)
    else:
        c.poly(
            [
                (x - s * 0.22, y + s * 0.65),
                (x, y + s * 0.92),
                (x + s * 0.22, y + s * 0.65),
                (x + s * 0.28, y + s * 0.72),
                (x, y + s * 1.06),
                (x - s * 0.28, y + s * 0.72),
            ],
            who.trim,
        )
        for button in range(3):
            c.circle(x, y + s * (1.2 + button * 0.24), s * 0.035, who.trim)


def _head(c: Canvas, x: float, y: float, s: float, who: Person, *, plain: bool) -> None:
    young = "child" in who.words
    wide = 0.41 if young else (0.36 if who.woman else 0.38)
    shade = darker(who.skin, 0.16)
    for side in (-1, 1):
        c.ellipse(x + side * s * wide, y + s * 0.06, s * 0.075, s * 0.11, shade)
    if not who.woman and not young:
        c.poly(
            [
                (x - s * wide, y),
                (x + s * wide, y),
                (x + s * 0.25, y + s * 0.46),
                (x + s * 0.1, y + s * 0.53),
                (x - s * 0.1, y + s * 0.53),
                (x - s * 0.25, y + s * 0.46),
            ],
            shade,
        )
    c.ellipse(x, y, s * wide, s * 0.5, shade)
    c.ellipse(x - s * 0.045, y - s * 0.01, s * (wide - 0.045), s * 0.485, who.skin)
    if not plain:
        _features(c, x, y, s, who, young)
    _hair(c, x, y, s, who, wide)
    if "mask" in who.words:
        _domino(c, x, y, s, who)
    if "glasses" in who.words and not plain:
        for side in (-1, 1):
            c.arc(x + side * s * 0.165, y + s * 0.02, s * 0.125, 0, 360, s * 0.028, BLACK)
        c.line([(x - s * 0.045, y), (x + s * 0.045, y)], s * 0.028, BLACK)


def _features(c: Canvas, x: float, y: float, s: float, who: Person, young: bool) -> None:
    line = darker(who.skin, 0.45)
    for side in (-1, 1):
        ex = x + side * s * 0.165
        c.ellipse(ex, y + s * 0.02, s * 0.08, s * (0.07 if young else 0.052), WHITE)
        c.circle(ex + who.side * s * 0.014, y + s * 0.02, s * (0.045 if young else 0.038), who.eyes)
        if who.woman:
            c.line(
                [
                    (ex - side * s * 0.075, y - s * 0.02),
                    (ex + side * s * 0.05, y - s * 0.04),
                    (ex + side * s * 0.105, y - s * 0.035),
                ],
                s * 0.022,
                BLACK,
            )
        c.line(
            [
                (ex - side * s * 0.09, y - s * 0.115 - s * 0.02 * who.smile),
                (ex + side * s * 0.085, y - s * 0.13),
            ],
            s * (0.022 if who.woman or young else 0.036),
            darker(who.hair, 0.2),
        )
    c.line(
        [
            (x - s * 0.005, y + s * 0.03),
            (x + s * 0.045 * who.side, y + s * 0.15),
            (x - s * 0.01, y + s * 0.16),
        ],
        s * 0.02,
        line,
    )
    if young:
        for side in (-1, 1):
            c.circle(x + side * s * 0.25, y + s * 0.16, s * 0.06, mix(who.skin, (226, 90, 80), 0.4))
    if "beard" in who.words:
        c.pie(x, y + s * 0.14, s * 0.385, 8, 172, who.hair, ry=s * 0.46)
        c.ellipse(x, y + s * 0.31, s * 0.1, s * 0.035, (150, 60, 55))
    elif who.woman:
        c.ellipse(x, y + s * 0.29, s * 0.085, s * 0.032, mix((176, 40, 50), who.skin, 0.15))
        c.line(
            [(x - s * 0.08, y + s * 0.287), (x + s * 0.08, y + s * 0.287)], s * 0.009, darker(who.skin, 0.6)
        )
    elif who.smile > 0.2:
        c.arc(x, y + s * 0.18, s * 0.13, 35, 145, s * 0.026, line)
    else:
        c.line([(x - s * 0.1, y + s * 0.3), (x + s * 0.1, y + s * 0.29)], s * 0.024, line)
    if "moustache" in who.words:
        for side in (-1, 1):
            c.poly(
                [
                    (x, y + s * 0.19),
                    (x + side * s * 0.13, y + s * 0.2),
                    (x + side * s * 0.25, y + s * 0.28),
                    (x + side * s * 0.1, y + s * 0.27),
                    (x, y + s * 0.245),
                ],
                who.hair,
            )


def _hair(c: Canvas, x: float, y: float, s: float, who: Person, wide: float) -> None:
    top = y - s * 0.06
    if who.style == "bald":
        c.ellipse(x - s * 0.12, y - s * 0.34, s * 0.09, s * 0.04, lighter(who.skin, 0.4))
        return
    if who.style == "curly":
        for curl in range(11):
            a = radians(190 + curl * 16)
            c.circle(x + s * 0.4 * cos(a), top + s * 0.44 * sin(a), s * 0.145, who.hair)
        c.pie(x, top, s * (wide + 0.03), 200, 340, who.hair, ry=s * 0.46)
        return
    if who.style == "spiky":
        for spike in range(7):
            a = radians(200 + spike * 23.5)
            b, e = a - 0.26, a + 0.26
            c.poly(
                [
                    (x + s * 0.36 * cos(b), top + s * 0.4 * sin(b)),
                    (x + s * 0.6 * cos(a), top + s * 0.66 * sin(a)),
                    (x + s * 0.36 * cos(e), top + s * 0.4 * sin(e)),
                ],
                who.hair,
            )
        c.pie(x, top, s * (wide + 0.01), 198, 342, who.hair, ry=s * 0.47)
        return
    if who.style == "bun":
        c.circle(x, y - s * 0.6, s * 0.17, darker(who.hair, 0.15))
    parting = x + who.side * s * 0.12
    for side in (-1, 1):
        line = [(parting, y - s * 0.3)]
        for step in range(7):
            a = radians(-90 + side * step * 17)
            line.append((x + s * (wide + 0.045) * cos(a), top + s * 0.47 * sin(a)))
        line.append((x + side * s * (wide - 0.02), y - s * 0.1))
        c.poly(line, who.hair)
    c.pie(x, top, s * (wide + 0.045), 215, 325, who.hair, ry=s * 0.47)
    if who.style in {"bob", "long"}:
        low = 0.3 if who.style == "bob" else 0.62
        for side in (-1, 1):
            c.limb(
                (x + side * s * (wide + 0.01), y - s * 0.1),
                (x + side * s * (wide + 0.03), y + s * low),
                s * 0.12,
                s * 0.07,
                who.hair,
            )
    if who.style == "short":
        for side in (-1, 1):
            c.rect(
                x + side * s * (wide - 0.015) - s * 0.03,
                y - s * 0.16,
                x + side * s * (wide - 0.015) + s * 0.03,
                y + s * 0.04,
                who.hair,
            )


def _domino(c: Canvas, x: float, y: float, s: float, who: Person) -> None:
    ink = darker(who.cloth, 0.2)
    for side in (-1, 1):
        c.poly(
            [
                (x, y - s * 0.05),
                (x + side * s * 0.1, y - s * 0.13),
                (x + side * s * 0.39, y - s * 0.14),
                (x + side * s * 0.33, y + s * 0.12),
                (x + side * s * 0.12, y + s * 0.13),
                (x, y + s * 0.06),
            ],
            ink,
        )
        c.poly(
            [
                (x + side * s * 0.08, y + s * 0.035),
                (x + side * s * 0.26, y - s * 0.05),
                (x + side * s * 0.24, y + s * 0.05),
            ],
            WHITE,
        )


def crowd(c: Canvas, spots: list[tuple[float, float, float]], faces: list[Face]) -> None:
    """Several busts, those further up behind the others."""
    for (x, y, s), face in sorted(zip(spots, faces, strict=False), key=lambda each: each[0][1]):
        bust(c, x, y, s, face)


def halo(c: Canvas, x: float, y: float, s: float, ink: Color, rim: Color) -> None:
    """A scalloped disc behind a head."""
    for petal in range(18):
        a = 2 * pi * petal / 18
        c.circle(x + s * cos(a), y + s * sin(a), s * 0.18, rim)
    c.circle(x, y, s, rim)
    c.circle(x, y, s * 0.94, ink)
