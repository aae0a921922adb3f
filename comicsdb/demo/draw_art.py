"""What a cover shows under its lettering: a composition of backdrop, things and people."""

from collections.abc import Callable
from math import pi, sin

from comicsdb.demo import draw_motifs as motifs
from comicsdb.demo import draw_scenes as scenes
from comicsdb.demo import draw_things as things
from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import WHITE, Canvas, Color, contrasting, darker, lighter, luminance, mix
from comicsdb.demo.draw_faces import Person, bust, crowd, halo
from comicsdb.demo.draw_figures import HEROIC, QUIET, figure
from comicsdb.demo.pictures import Face, Order

Palette = tuple[Color, ...]

# What belongs to a motif: the backdrop, and the thing in front of it if there is one.
MOTIFS: dict[str, tuple[Callable, Callable | None]] = {
    "lighthouse": (scenes.sea, motifs.lighthouse),
    "ship": (scenes.sea, motifs.ship),
    "wave": (scenes.sea, None),
    "moon": (scenes.fog, motifs.moon),
    "ghost": (scenes.fog, motifs.ghost),
    "rider": (scenes.desert, things.rider),
    "cactus": (scenes.desert, things.cactus),
    "road": (scenes.road, None),
    "letter": (scenes.city, motifs.letter),
    "city": (scenes.city, None),
    "umbrella": (scenes.city, motifs.umbrella),
    "clock": (scenes.city, things.clock),
    "lightning": (scenes.city, things.lightning),
    "tram": (scenes.city, things.tram),
    "bed": (scenes.rooftops, things.bed),
    "lantern": (scenes.city, motifs.lantern),
    "moth": (scenes.fog, motifs.moth),
    "rocket": (scenes.space, motifs.rocket),
    "planet": (scenes.space, motifs.planet),
    "football": (scenes.hills, motifs.football),
    "baseball": (scenes.speed, motifs.baseball),
    "teapot": (scenes.hills, things.teapot),
    "balloon": (scenes.hills, things.balloon),
    "kite": (scenes.hills, things.kite),
    "train": (scenes.hills, things.train),
    "sun": (scenes.hills, things.sun),
    "dog": (scenes.hills, things.dog),
    "mountain": (scenes.mountain, None),
    "rooftops": (scenes.rooftops, None),
    "hat": (scenes.rooftops, things.hat),
    "forest": (scenes.forest, None),
    "crow": (scenes.forest, motifs.crow),
    "eye": (scenes.fog, motifs.eye),
    "mask": (scenes.city, things.mask),
    "rays": (scenes.city, None),
}
STANDING = {"lighthouse", "cactus", "rider", "train", "tram", "bed", "ghost"}  # on the ground, not in the air


def sky(c: Canvas, p: Palette, dice: Dice) -> tuple[Color, Color]:
    """Fill the canvas with one of the skies of a palette; gives its upper and lower colour."""
    choices = [
        (p[0], p[4]),
        (p[2], p[1]),
        (darker(p[0], 0.35), mix(p[0], p[2], 0.7)),
        (p[4], p[3]),
        (p[1], p[3]),
        (darker(p[4], 0.5), lighter(p[4], 0.35)),
        (p[0], mix(p[1], p[2], 0.4)),
    ]
    top, low = dice.pick(choices)
    c.blend(top, low, 0, c.h * 0.78)
    c.rect(0, c.h * 0.78, c.w, c.h, low)
    return top, low


def inks_for(ground: Color, p: Palette) -> tuple[Color, Color, Color]:
    """Body, accent and light that stand out from a ground."""
    accent = contrasting(ground, p[2], p[1], mix(p[2], p[1], 0.5))
    light = contrasting(ground, p[3], lighter(p[1], 0.4)) if luminance(ground) < 0.6 else p[1]
    body = darker(p[0], 0.45) if luminance(ground) > 0.25 else mix(p[4], WHITE, 0.1)
    return body, accent, light


def people_of(order: Order) -> list[Face]:
    """The faces that can be drawn from head to foot."""
    return [face for face in order.faces if not Person(face).beast]


def art(c: Canvas, order: Order, p: Palette, dice: Dice, *, low: float = 0.58) -> None:
    """Draw one composition; `low` is how far down, as a share, its middle lies."""
    faces, people = list(order.faces), people_of(order)
    choices = ["thing", "thing", "lonely"]
    if people:
        choices += ["hero", "hero", "hero"]
    if faces:
        choices += ["closeup", "closeup"]
    if len(faces) > 1:
        choices += ["versus", "group", "shadow"]
    if len(faces) > 2:
        choices += ["group", "group"]
    if MOTIFS[order.motif][1]:
        choices.append("pattern")
    COMPOSITIONS[dice.pick(choices)](c, order, p, dice, low)


def _thing(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """The motif, large, in its own landscape."""
    scene, thing = MOTIFS[order.motif]
    top, bottom = sky(c, p, dice)
    _weather(c, p, dice, top)
    horizon = c.h * (low + dice.real(0.08, 0.18))
    disc = c.w * dice.real(0.24, 0.36)
    c.circle(
        c.w * dice.real(0.3, 0.7),
        c.h * (low - 0.06),
        disc,
        mix(bottom, contrasting(bottom, p[1], p[3]), 0.55),
    )
    if thing is None:
        scene(c, p, dice, c.h * (low + dice.real(-0.02, 0.06)))
        people = people_of(order)
        for place, face in enumerate(people[:3]):
            figure(c, c.w * (0.3 + 0.22 * place), c.h * 0.95, c.h * 0.3, face, dice.pick(QUIET), dice)
        return
    inks = inks_for(bottom, p)
    size = c.h * dice.real(0.42, 0.5)
    x = c.w * dice.real(0.42, 0.58)
    if order.motif in STANDING:
        scene(c, p, dice, horizon)
        thing(c, x, horizon + c.h * 0.03 - size * 0.42, size, inks, dice)
    else:
        scene(c, p, dice, horizon + c.h * 0.06)
        thing(c, x, c.h * low, size, inks, dice)
    people = people_of(order)
    if people and dice.happens(0.6):
        place = c.w * (0.2 if x > c.w / 2 else 0.8)
        figure(c, place, c.h * 0.96, c.h * 0.27, dice.pick(people), dice.pick(QUIET), dice)


def _weather(c: Canvas, p: Palette, dice: Dice, top: Color) -> None:
    if luminance(top) < 0.3:
        scenes.stars(c, dice, 60, lighter(p[1], 0.5), c.h * 0.6)
    elif dice.happens(0.7):
        scenes.clouds(c, dice, 5, mix(top, WHITE, 0.55), c.h * 0.2, c.h * 0.6)


def _lonely(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """A very large disc, a very small person."""
    scene, _ = MOTIFS[order.motif]
    ground = dice.pick((p[0], p[2], darker(p[4], 0.3), p[1]))
    c.rect(0, 0, c.w, c.h, ground)
    if luminance(ground) < 0.35:
        scenes.stars(c, dice, 80, lighter(p[1], 0.4), c.h * 0.75)
    disc = contrasting(ground, p[1], p[3], p[2])
    x, r = c.w * dice.real(0.4, 0.6), c.w * dice.real(0.34, 0.42)
    c.circle(x, c.h * low, r * 1.1, mix(ground, disc, 0.35))
    c.circle(x, c.h * low, r, disc)
    horizon = c.h * (low + 0.17)
    dark = (darker(p[0], 0.55), p[1], darker(p[2], 0.55), p[3], darker(p[4], 0.6))
    if scene is scenes.speed:
        scene = scenes.hills
    scene(c, dark if luminance(disc) > 0.45 else p, dice, horizon + c.h * 0.05)
    people = people_of(order)
    shade = darker(p[0], 0.8)
    knoll = [
        (x + c.w * 0.3 * (i / 10 - 1), horizon + c.h * (0.08 - 0.06 * sin(pi * i / 20))) for i in range(21)
    ]
    c.poly([*knoll, (x + c.w * 0.5, c.h), (x - c.w * 0.5, c.h)], shade)
    if people:
        figure(
            c,
            x,
            horizon + c.h * 0.03,
            c.h * 0.26,
            people[0],
            dice.pick(("stand", "back", "wide", "run")),
            dice,
            shadow=shade,
        )
    else:
        c.limb((x, horizon + c.h * 0.03), (x, horizon - c.h * 0.1), 26, 30, shade)
        c.circle(x, horizon - c.h * 0.145, 20, shade)


def _hero(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """Somebody in action, on rays or before the scenery."""
    people = people_of(order)
    scene, thing = MOTIFS[order.motif]
    top, bottom = sky(c, p, dice)
    heroic = order.style in {"heroic", "classic", "event", "pop", "golden", "weekly", "space"}
    x = c.w * dice.real(0.44, 0.56)
    if heroic and dice.happens(0.55):
        c.rays(x, c.h * low, dice.whole(12, 20), mix(top, contrasting(top, p[1], p[3]), 0.3), dice.real(0, 1))
    else:
        _weather(c, p, dice, top)
        if thing and dice.happens(0.6):
            place = c.w * (0.2 if x > c.w / 2 else 0.8)
            standing = order.motif in STANDING
            thing(
                c, place, c.h * (low + (0.02 if standing else -0.12)), c.h * 0.36, inks_for(bottom, p), dice
            )
    if scene is not scenes.speed:
        scene(c, p, dice, c.h * (low + dice.real(0.14, 0.22)))
    pose = dice.pick(HEROIC if heroic else (*QUIET, "strike", "wide"))
    tall = c.h * (0.6 if pose in {"wide", "strike", "stand", "back"} else 0.52)
    rest = c.h * 0.96 if pose in {"wide", "strike", "stand", "back", "run"} else c.h * 0.9
    for place, other in enumerate(people[1:3]):
        if dice.happens(0.55):
            figure(
                c,
                c.w * (0.2, 0.82)[place],
                c.h * 0.97,
                c.h * 0.4,
                other,
                dice.pick(HEROIC[:1] + HEROIC[3:]),
                dice,
            )
    figure(c, x, rest, tall, people[0], pose, dice)


def _closeup(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """One face, very near."""
    face = dice.pick(order.faces[:3])
    grounds = [p[1], p[4], p[2], p[0], mix(p[3], p[1], 0.4)]
    coat = Person(face).cloth
    ground = dice.pick([each for each in grounds if abs(luminance(each) - luminance(coat)) > 0.14] or [p[1]])
    c.rect(0, 0, c.w, c.h, ground)
    kind = dice.whole(0, 3)
    if kind == 0:
        c.rays(c.w / 2, c.h * low, 18, lighter(ground, 0.18), dice.real(0, 1))
    elif kind == 1:
        halo(
            c,
            c.w / 2,
            c.h * (low - 0.02),
            c.w * 0.4,
            contrasting(ground, p[1], p[2], p[3]),
            lighter(ground, 0.4),
        )
    elif kind == 2:
        for stripe in range(-2, 9):
            x = stripe * c.w / 5
            c.poly(
                [(x, 0), (x + c.w / 10, 0), (x + c.w / 10 - c.w * 0.3, c.h), (x - c.w * 0.3, c.h)],
                darker(ground, 0.12),
            )
    else:
        MOTIFS[order.motif][0](c, p, dice, c.h * (low - 0.05))
    if kind != 3:
        c.dots(darker(ground, 0.22), (0, c.h * 0.35, c.w, c.h), cell=13, high=0.55)
    bust(c, c.w * dice.real(0.46, 0.54), c.h * (low + 0.02), c.w * dice.real(0.42, 0.5), face)


def _versus(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """Two faces across a diagonal."""
    one, other = order.faces[0], dice.pick(order.faces[1:])
    left, right = dice.pick(((p[2], p[0]), (p[1], p[4]), (p[4], p[2]), (p[0], p[1])))
    c.rect(0, 0, c.w, c.h, left)
    c.dots(darker(left, 0.2), cell=13, high=0.5)
    bust(c, c.w * 0.3, c.h * (low - 0.07), c.w * 0.36, one)
    lean = dice.real(0.12, 0.3) * dice.pick((-1, 1))
    low_half = Canvas((c.w, c.h), right)
    low_half.dots(lighter(right, 0.18), cell=13, high=0.5)
    bust(low_half, c.w * 0.68, c.h * (low + 0.16), c.w * 0.38, other)
    edge = Canvas((c.w, c.h), (0, 0, 0))
    edge.poly(
        [(0, c.h * (low + 0.12 + lean / 2)), (c.w, c.h * (low + 0.02 - lean / 2)), (c.w, c.h), (0, c.h)],
        (255, 255, 255),
    )
    c.raw.paste(low_half.raw, (0, 0), edge.raw.convert("L"))
    c.line([(-20, c.h * (low + 0.12 + lean / 2)), (c.w + 20, c.h * (low + 0.02 - lean / 2))], 9, p[3])


def _group(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """Everybody, in two rows."""
    scene, _ = MOTIFS[order.motif]
    top, _ = sky(c, p, dice)
    _weather(c, p, dice, top)
    if dice.happens(0.5):
        c.rays(c.w / 2, c.h * low, 16, mix(top, WHITE, 0.18), dice.real(0, 1))
    if scene is not scenes.speed:
        scene(c, p, dice, c.h * (low - 0.02))
    spots = [
        (0.5, 0.1, 0.3),
        (0.26, -0.04, 0.26),
        (0.75, -0.05, 0.26),
        (0.5, -0.16, 0.24),
        (0.12, -0.17, 0.2),
        (0.88, -0.18, 0.2),
    ]
    crowd(c, [(c.w * x, c.h * (low + y), c.w * s) for x, y, s in spots], list(order.faces[:6]))


def _shadow(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """One person before the enormous shadow of another."""
    people = people_of(order) or [order.faces[0]]
    other = order.faces[-1]
    ground = dice.pick((p[2], p[1], p[4]))
    c.blend(lighter(ground, 0.15), darker(ground, 0.3))
    c.dots(darker(ground, 0.2), cell=13, high=0.5)
    bust(c, c.w * 0.54, c.h * (low - 0.07), c.w * 0.62, other, tint=darker(p[0], 0.55))
    for side in (-1, 1):
        x = c.w * (0.54 + side * 0.1)
        c.ellipse(x, c.h * (low - 0.07), c.w * 0.05, c.w * 0.02, contrasting(darker(p[0], 0.55), p[1], p[3]))
    MOTIFS[order.motif][0](c, p, dice, c.h * 0.86)
    if Person(people[0]).beast:
        bust(c, c.w * 0.4, c.h * 0.86, c.w * 0.2, people[0])
    else:
        figure(
            c,
            c.w * dice.real(0.3, 0.6),
            c.h * 0.96,
            c.h * 0.38,
            people[0],
            dice.pick(("back", "wide", "strike")),
            dice,
        )


def _pattern(c: Canvas, order: Order, p: Palette, dice: Dice, low: float) -> None:
    """The motif many times over, one of them unlike the others."""
    thing = MOTIFS[order.motif][1]
    ground = dice.pick((p[0], p[1], p[4], p[3]))
    c.rect(0, 0, c.w, c.h, ground)
    columns = dice.whole(3, 4)
    size = c.w / columns
    odd = dice.whole(0, columns - 1), dice.whole(2, 3)
    shade = mix(ground, contrasting(ground, darker(p[0], 0.4), p[3]), 0.3)
    for row in range(int(c.h / size) + 2):
        for column in range(columns):
            x, y = (column + 0.5) * size, (row + 0.3) * size + (size / 2 if column % 2 else 0)
            if (column, row) == odd:
                c.circle(x, y, size * 0.52, contrasting(ground, p[2], p[1]))
                thing(c, x, y, size * 0.8, inks_for(contrasting(ground, p[2], p[1]), p), Dice(order.path))
            else:
                thing(
                    c,
                    x,
                    y,
                    size * 0.74,
                    (shade, mix(ground, shade, 0.6), mix(ground, shade, 0.25)),
                    Dice(order.path),
                )
    if order.faces:
        bust(c, c.w * 0.5, c.h * (low + 0.17), c.w * 0.36, order.faces[0])


COMPOSITIONS = {
    "thing": _thing,
    "lonely": _lonely,
    "hero": _hero,
    "closeup": _closeup,
    "versus": _versus,
    "group": _group,
    "shadow": _shadow,
    "pattern": _pattern,
}
