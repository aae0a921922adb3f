"""Pictures that are no covers: emblems of houses, portraits, teams, universes and arcs.

Cards cut them to two by three, small emblems to a square in the middle, portraits to a square on top.
"""

from math import cos, pi, sin

from comicsdb.demo import draw_scenes as scenes
from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_art import MOTIFS, Palette, inks_for
from comicsdb.demo.draw_canvas import BLACK, WHITE, Canvas, contrasting, darker, lighter, luminance, mix, ring
from comicsdb.demo.draw_faces import bust, crowd, halo
from comicsdb.demo.draw_lettering import Masthead, print_line
from comicsdb.demo.draw_things import wheel
from comicsdb.demo.pictures import Face, Order

EMBLEMS = {  # the thing that stands for a house
    "moth": "moth",
    "crow": "crow",
    "lantern": "lantern",
    "kite": "kite",
    "raven": "crow",
    "nighthawk": "moon",
    "lighthouse": "lighthouse",
    "door": "balloon",
    "hummingbird": "sun",
    "squid": "eye",
    "kingfisher": "ship",
    "rocket": "rocket",
    "fox": "lightning",
    "bonnet": "umbrella",
}


def emblem(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A house: its sign in a disc, its name, and the year it began."""
    ground = p[0]
    c.rect(0, 0, c.w, c.h, ground)
    c.dots(lighter(ground, 0.1), cell=16, low=0.12, high=0.42)
    middle = c.h * 0.46
    kind = dice.whole(0, 2)
    if kind == 0:
        c.circle(c.w / 2, middle, 246, p[1])
        c.circle(c.w / 2, middle, 230, p[3])
    elif kind == 1:
        c.poly(ring(c.w / 2, middle, 262, 8, pi / 8), p[1])
        c.poly(ring(c.w / 2, middle, 244, 8, pi / 8), p[3])
    else:
        c.star(c.w / 2, middle, 262, 238, 24, p[1])
        c.circle(c.w / 2, middle, 222, p[3])
    if order.motif in EMBLEMS:
        MOTIFS[EMBLEMS[order.motif]][1](
            c, c.w / 2, middle, 340, (darker(p[0], 0.2), p[2], p[1]), Dice(order.path, "sign")
        )
    else:
        wheel(c, c.w / 2, middle, 380, (p[0], p[2], p[1]), dice)
    ink = contrasting(ground, p[3], p[1])
    Masthead(ink, weight=0.035, tracking=0.02).write(c, order.words[0], 56, 772, c.w - 112, 96)
    if order.facts["founded"]:
        c.line([(c.w / 2 - 130, 903), (c.w / 2 - 56, 903)], 3, p[1])
        c.line([(c.w / 2 + 56, 903), (c.w / 2 + 130, 903)], 3, p[1])
        print_line(c, order.facts["founded"], c.w / 2, 890, 24, ink, anchor="m", weight=0.02)


def imprint(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """An imprint: bold type on one colour, with the sign of its house."""
    ground = dice.pick((p[2], p[4], p[1]))
    c.rect(0, 0, c.w, c.h, ground)
    c.rays(c.w / 2, c.h * 0.42, 22, lighter(ground, 0.12), dice.real(0, 1))
    c.circle(c.w / 2, c.h * 0.42, 206, p[3])
    thing = MOTIFS.get(order.motif, (None, None))[1]
    (thing or wheel)(
        c,
        c.w / 2,
        c.h * 0.42,
        320,
        (darker(p[0], 0.2), ground if luminance(ground) < 0.7 else p[2], p[1]),
        dice,
    )
    c.rect(0, c.h * 0.7, c.w, c.h * 0.86, darker(p[0], 0.3))
    Masthead(p[3], weight=0.04, tracking=0.04).write(c, order.words[0], 60, c.h * 0.728, c.w - 120, 94)


def universe(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A universe: worlds on their orbits."""
    c.blend(darker(p[0], 0.65), mix(p[0], p[2], 0.45))
    scenes.stars(c, dice, 150, lighter(p[1], 0.6), c.h)
    x, y = c.w / 2, c.h * 0.47
    for orbit in range(1, 5):
        c.arc(x, y, 80 + orbit * 62, 0, 360, 2, mix(p[0], p[1], 0.45))
    c.star(x, y, 92, 66, 20, p[1], turn=dice.real(0, 20))
    c.circle(x, y, 62, lighter(p[1], 0.55))
    for orbit in range(1, 5):
        a, r = dice.real(0, 2 * pi), 80 + orbit * 62
        px, py, size = x + r * cos(a), y + r * sin(a), dice.real(18, 42)
        ink = dice.pick((p[2], p[4], p[3], mix(p[2], p[1], 0.5)))
        c.circle(px, py, size, ink)
        c.circle(px + size * 0.2, py + size * 0.16, size * 0.8, darker(ink, 0.22))
    Masthead(p[3], weight=0.02, tracking=0.12).write(c, order.words[0], 60, c.h * 0.84, c.w - 120, 76)


def creator(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Somebody who makes comics, at the drawing board."""
    ground = dice.pick((p[1], p[4], mix(p[3], p[2], 0.35), p[0]))
    c.rect(0, 0, c.w, c.h, ground)
    c.dots(darker(ground, 0.14), cell=14, low=0.05, high=0.45)
    face = order.faces[0]
    extra = dice.pick(("", "glasses", "", "", "cap"))
    if "woman" not in face.look.split():
        extra = dice.pick(("", "glasses", "beard", "moustache", "cap"))
    halo_ink = contrasting(ground, p[3], darker(p[0], 0.1))
    c.circle(c.w / 2, c.h * 0.5, 214, halo_ink)
    bust(c, c.w / 2, c.h * 0.44, 216, Face(face.seed, f"{face.look} {extra}", face.palette))
    ear = c.w / 2 + dice.pick((-1, 1)) * 92
    c.line([(ear - 34, c.h * 0.5), (ear + 40, c.h * 0.33)], 9, p[1] if ground != p[1] else p[2])
    c.line([(ear - 34, c.h * 0.5), (ear - 42, c.h * 0.52)], 5, BLACK)


def character(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A character: the face in the upper square, which small round portraits show."""
    grounds = [p[1], p[4], p[2], p[0], mix(p[3], p[1], 0.5)]
    ground = dice.pick(grounds)
    c.rect(0, 0, c.w, c.h, ground)
    kind = dice.whole(0, 3)
    if kind == 0:
        c.rays(c.w / 2, 380, 20, lighter(ground, 0.16), dice.real(0, 1))
    elif kind == 1:
        halo(c, c.w / 2, 360, 265, contrasting(ground, p[3], p[2], p[1]), lighter(ground, 0.35))
    elif kind == 2 and order.motif:
        scene = MOTIFS[order.motif][0]
        c.blend(ground, lighter(ground, 0.4))
        scene(c, p, dice, 520)
    else:
        c.circle(c.w / 2, 370, 275, contrasting(ground, p[3], p[1], p[0]))
    c.dots(darker(ground, 0.2), (0, 520, c.w, c.h), cell=14, low=0.0, high=0.5)
    bust(c, c.w / 2, 350, 300, order.faces[0])
    c.poly([(0, 842), (c.w, 812), (c.w, c.h), (0, c.h)], darker(p[0], 0.3))
    c.poly([(0, 832), (c.w, 802), (c.w, 812), (0, 842)], p[1])
    Masthead(p[3], weight=0.04, slant=0.08).write(c, order.words[0], 54, 862, c.w - 108, 62)


def medallion(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A character of long ago, who has a face already: initials in a frame, as old papers set them."""
    c.rect(0, 0, c.w, c.h, p[3])
    for inset, width in ((22, 5), (36, 2)):
        c.frame(inset, inset, c.w - inset, c.h - inset, width, p[0])
    accent = dice.pick((p[2], p[4], p[1]))
    x, y = c.w / 2, 350
    for petal in range(24):
        a = 2 * pi * petal / 24
        c.circle(x + 232 * cos(a), y + 232 * sin(a), 26, accent)
    c.circle(x, y, 232, accent)
    c.circle(x, y, 218, p[3])
    c.circle(x, y, 206, p[0])
    wheel(c, x, y, 400, (mix(p[0], p[3], 0.12), mix(p[0], p[3], 0.16), mix(p[0], p[3], 0.1)), dice)
    skipped = ("The", "Queen", "of", "the", "Super")
    initials = "".join(word[0] for word in order.words[0].replace(",", "").split() if word not in skipped)[:2]
    Masthead(p[1], weight=0.03).write(c, initials, x - 120, y - 70, 240, 140)
    for corner_x, corner_y in ((80, 80), (c.w - 80, 80), (80, c.h - 80), (c.w - 80, c.h - 80)):
        wheel(c, corner_x, corner_y, 90, (p[0], accent, p[3]), dice)
    c.line([(120, 690), (c.w - 120, 690)], 3, p[0])
    Masthead(p[0], weight=0.012, capitals=False).write(c, order.words[0], 84, 730, c.w - 168, 104)


def team(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A team: its members in a row, its name on a ribbon."""
    ground = dice.pick((p[2], p[4], p[1], p[0]))
    c.rect(0, 0, c.w, c.h, ground)
    c.rays(c.w / 2, c.h * 0.5, 18, lighter(ground, 0.14), dice.real(0, 1))
    c.dots(darker(ground, 0.2), (0, c.h * 0.4, c.w, c.h), cell=14, high=0.5)
    spots = [(0.5, 0.56, 0.3), (0.25, 0.42, 0.26), (0.75, 0.41, 0.26), (0.5, 0.29, 0.24), (0.13, 0.25, 0.2)]
    if len(order.faces) < 3:
        spots = [(0.34, 0.5, 0.36), (0.7, 0.42, 0.34)]
    if len(order.faces) == 1:
        spots = [(0.5, 0.45, 0.46)]
    if order.faces:
        crowd(c, [(c.w * x, c.h * y, c.w * s) for x, y, s in spots], list(order.faces))
    else:
        c.poly(
            [
                (c.w / 2 - 190, 220),
                (c.w / 2 + 190, 220),
                (c.w / 2 + 190, 470),
                (c.w / 2, 700),
                (c.w / 2 - 190, 470),
            ],
            p[0],
        )
        c.poly(
            [
                (c.w / 2 - 168, 242),
                (c.w / 2 + 168, 242),
                (c.w / 2 + 168, 462),
                (c.w / 2, 672),
                (c.w / 2 - 168, 462),
            ],
            p[3],
        )
        wheel(c, c.w / 2, 430, 280, (p[0], p[2], p[1]), dice)
    c.poly([(0, 800), (c.w, 770), (c.w, 900), (0, 930)], darker(p[0], 0.35))
    c.poly([(0, 790), (c.w, 760), (c.w, 770), (0, 800)], p[1])
    Masthead(p[1] if luminance(p[1]) > 0.3 else WHITE, weight=0.05, slant=0.1).write(
        c, order.words[0], 56, 808, c.w - 112, 84
    )


def arc(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A story arc: its landscape between two bars, like a frame of a film."""
    c.blend(darker(p[0], 0.5), mix(p[2], p[1], dice.real(0.1, 0.8)), 0, c.h * 0.7)
    scenes.stars(c, dice, 60, lighter(p[1], 0.5), c.h * 0.4)
    scene, thing = MOTIFS.get(order.motif, MOTIFS["moon"])
    c.circle(c.w * dice.real(0.3, 0.7), c.h * 0.46, 168, lighter(p[1], 0.25))
    scene(c, p, dice, c.h * 0.56)
    if thing:
        thing(c, c.w / 2, c.h * 0.46, 360, inks_for(p[2], p), dice)
    c.rect(0, 0, c.w, 96, BLACK)
    c.rect(0, 716, c.w, c.h, BLACK)
    c.rect(0, 716, c.w, 722, p[2])
    Masthead(p[1], weight=0.02, tracking=0.05).write(c, order.words[0], 56, 756, c.w - 112, 120)
