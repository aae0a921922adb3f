"""Cover styles, first half: super-heroes, classics, newsstand and weekly papers.

A style draws a whole cover on a canvas: the art, the masthead, and the small print of its trade.
"""

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_art import MOTIFS, Palette, art, inks_for
from comicsdb.demo.draw_canvas import (
    BLACK,
    SCALE,
    WHITE,
    Canvas,
    Color,
    contrasting,
    darker,
    lighter,
    luminance,
    mix,
)
from comicsdb.demo.draw_faces import bust
from comicsdb.demo.draw_lettering import Masthead, print_line, wrapped
from comicsdb.demo.draw_type import REFERENCE, length
from comicsdb.demo.pictures import Order

MONTHS = "JAN FEB MAR APR MAY JUNE JULY AUG SEPT OCT NOV DEC".split()


def numbered(order: Order) -> str:
    """The issue number as covers print it."""
    number = order.facts["number"]
    return f"No. {number}" if len(number) < 5 else number


def month(order: Order) -> str:
    """Month and year."""
    return f"{MONTHS[int(order.facts['month']) - 1]} {order.facts['year']}"


def caption(
    c: Canvas, text: str, x: float, y: float, ground: Color, *, size: float = 25, wide: int = 24
) -> None:
    """A story title in boxes of its own, one a line, whose last line ends at y."""
    lines = wrapped(text, wide, 3)
    ink = contrasting(ground, BLACK, WHITE)
    y -= len(lines) * (size + 17)
    for line in lines:
        c.rect(x, y, x + length(line) / REFERENCE * size + 26, y + size + 19, ground)
        print_line(c, line, x + 13, y + 6, size, ink, weight=0.035)
        y += size + 17


def corner(c: Canvas, order: Order, p: Palette, x: float, y: float) -> None:
    """The box in the corner: house, emblem, number, price."""
    c.rect(x, y, x + 92, y + 128, p[3])
    c.frame(x, y, x + 92, y + 128, 3, BLACK)
    c.rect(x + 3, y + 3, x + 89, y + 24, p[2])
    print_line(
        c,
        order.facts["house"].split()[0].upper(),
        x + 46,
        y + 6,
        12,
        WHITE,
        anchor="m",
        limit=78,
        weight=0.05,
    )
    sign = Canvas((84, 58), p[4])
    thing = MOTIFS[order.motif][1] or MOTIFS["lightning"][1]
    thing(sign, 42, 30, 50, inks_for(p[4], p), Dice(order.facts["house"]))
    c.raw.paste(sign.raw, ((x + 4) * SCALE, (y + 25) * SCALE))
    print_line(
        c, order.facts["price"] or month(order), x + 46, y + 88, 17, BLACK, anchor="m", limit=80, weight=0.06
    )
    print_line(c, numbered(order), x + 46, y + 108, 14, BLACK, anchor="m", limit=80, weight=0.04)


def heroic(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Modern super-heroes: full bleed, a slanted masthead that throws a shadow."""
    art(c, order, p, dice)
    c.blend(darker(p[0], 0.6), darker(p[0], 0.6), 0, 16)
    top = c.raw.resize((1, 1), box=(0, 40, c.raw.width, 420)).getpixel((0, 0))
    fill = contrasting(top, p[1], p[3], p[2])
    rim = darker(p[0], 0.5) if luminance(fill) > 0.35 else p[3]
    logo = Masthead(
        fill, weight=0.055, slant=0.16, outlines=((rim, 0.09),), depth=(p[2] if fill != p[2] else p[0], 5, 8)
    )
    logo.write(c, order.words[0], 118, 36, c.w - 146, 132)
    corner(c, order, p, 18, 30)
    if order.facts["variant"]:
        print_line(c, order.facts["variant"].upper(), c.w - 18, c.h - 30, 14, WHITE, anchor="r", weight=0.05)
    elif order.words[1]:
        title = order.words[1].upper()
        caption(c, title, 22, c.h - 26, p[1] if dice.happens(0.6) else p[3])
    c.rect(0, 0, c.w, 15, darker(p[0], 0.5))
    print_line(
        c, f"{order.facts['house'].upper()}   {month(order)}", c.w / 2, 1, 11, p[3], anchor="m", weight=0.03
    )


def event(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """An event: the name at the foot, huge, under a wide black bar."""
    art(c, order, p, dice, low=0.42)
    c.rect(0, c.h * 0.73, c.w, c.h, darker(p[0], 0.5))
    c.rect(0, c.h * 0.73, c.w, c.h * 0.737, p[1])
    Masthead(p[1], weight=0.03, tracking=0.05).write(c, order.words[0], 34, c.h * 0.755, c.w - 68, 132)
    number = order.facts["number"]
    c.circle(c.w - 72, c.h * 0.73, 46, p[2])
    Masthead(p[3], weight=0.04).write(c, number, c.w - 104, c.h * 0.73 - 24, 64, 48)
    print_line(c, order.words[1].upper(), 36, c.h - 66, 26, p[3], weight=0.03, limit=c.w - 72)
    print_line(c, f"{order.facts['house']}   {month(order)}   {order.facts['price']}", 36, c.h - 32, 15, p[4])


def classic(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """The seventies: a strip on top, an arched masthead, too many words in a burst."""
    art(c, order, p, dice, low=0.62)
    c.rect(0, 0, c.w, 44, p[1])
    c.rect(0, 44, c.w, 48, BLACK)
    print_line(c, order.facts["house"].upper(), 22, 9, 22, BLACK, weight=0.06, limit=330)
    print_line(
        c,
        f"{month(order)}   {numbered(order)}   {order.facts['price']}",
        c.w - 20,
        12,
        18,
        BLACK,
        anchor="r",
        weight=0.05,
    )
    logo = Masthead(p[2], weight=0.07, arch=0.3, outlines=((BLACK, 0.13), (p[3], 0.07)), depth=(BLACK, 6, 9))
    logo.write(c, order.words[0], 34, 72, c.w - 68, 118)
    if order.words[1]:
        x, y = dice.pick((152, c.w - 152)), c.h - 138
        lines = wrapped(order.words[1].upper(), 13, 4)
        turn = dice.real(0, 20)
        c.star(x + 5, y + 6, 136, 112, 16, BLACK, turn=turn)
        c.star(x, y, 137, 113, 16, BLACK, turn=turn)
        c.star(x, y, 132, 108, 16, p[1], turn=turn)
        for number, line in enumerate(lines):
            print_line(
                c,
                line,
                x,
                y + (number - len(lines) / 2) * 30,
                24,
                BLACK,
                anchor="m",
                weight=0.06,
                limit=190,
                slant=0.1,
            )
    c.frame(0, 0, c.w, c.h, 6, BLACK)


def golden(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """The golden age: a cream border, a picture in a frame, a price in a disc."""
    paper = mix(p[3], (240, 222, 180), 0.4)
    inner = Canvas((c.w - 56, c.h - 290), p[4])
    if order.motif == "rays" or dice.happens(0.4):
        ground = dice.pick((p[1], p[4], p[2]))
        inner.rect(0, 0, inner.w, inner.h, ground)
        inner.rays(inner.w / 2, inner.h * 0.56, 18, lighter(ground, 0.3), dice.real(0, 1))
        thing = MOTIFS[order.motif][1] or MOTIFS[dice.pick(("lightning", "rocket", "clock", "moth"))][1]
        inner.circle(inner.w / 2, inner.h * 0.52, 205, contrasting(ground, p[3], p[0]))
        thing(inner, inner.w / 2, inner.h * 0.52, 380, inks_for(contrasting(ground, p[3], p[0]), p), dice)
    else:
        art(inner, order, p, dice, low=0.52)
    c.rect(0, 0, c.w, c.h, paper)
    c.raw.paste(inner.raw, (28 * SCALE, 220 * SCALE))
    c.frame(28, 220, c.w - 28, c.h - 70, 5, BLACK)
    c.rect(28, 22, c.w - 28, 208, p[2])
    c.frame(28, 22, c.w - 28, 208, 4, BLACK)
    logo = Masthead(
        p[1] if luminance(p[2]) < 0.5 else p[0],
        weight=0.05,
        outlines=((BLACK, 0.06),),
        depth=(darker(p[2], 0.5), 4, 6),
    )
    logo.write(c, order.words[0], 52, 48, c.w - 104 - (100 if order.facts["price"] else 0), 134)
    if order.facts["price"]:
        c.circle(c.w - 92, 114, 50, BLACK)
        c.circle(c.w - 92, 114, 46, p[3])
        Masthead(BLACK, weight=0.04, capitals=False).write(c, order.facts["price"], c.w - 128, 92, 72, 44)
    print_line(c, numbered(order), 34, c.h - 54, 24, BLACK, weight=0.05)
    print_line(c, month(order), c.w / 2, c.h - 54, 24, BLACK, anchor="m", weight=0.03)
    print_line(c, order.facts["house"], c.w - 34, c.h - 50, 17, darker(p[2], 0.2), anchor="r", limit=190)


def weekly(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A weekly: a screaming masthead, three pictures at once, something free."""
    c.rect(0, 0, c.w, c.h, p[3])
    cuts = (0.5, 0.62, 0.7)
    cut = dice.pick(cuts)
    split = dice.real(0.42, 0.58)
    big = Canvas((c.w - 24, round((c.h - 232) * cut)), p[0])
    art(big, order, p, Dice(order.path, "big"), low=0.5)
    c.raw.paste(big.raw, (12 * SCALE, 224 * SCALE))
    y = 224 + big.h + 10
    rest = c.h - y - 44
    for place, (x, wide) in enumerate(
        ((12, (c.w - 34) * split), (22 + (c.w - 34) * split, (c.w - 34) * (1 - split)))
    ):
        panel = Canvas((round(wide), round(rest)), (p[1], p[4])[place])
        if order.faces and place == 0:
            panel.rays(panel.w / 2, panel.h / 2, 14, lighter(p[1], 0.3))
            bust(panel, panel.w / 2, panel.h * 0.5, panel.h * 0.55, dice.pick(order.faces))
        else:
            thing = MOTIFS[order.motif][1] or MOTIFS["rocket"][1]
            panel.dots(darker(p[4], 0.2), cell=12, high=0.5)
            thing(
                panel, panel.w / 2, panel.h * 0.52, panel.h * 0.78, inks_for(p[4], p), Dice(order.path, place)
            )
        c.raw.paste(panel.raw, (round(x) * SCALE, round(y) * SCALE))
        c.frame(round(x), round(y), round(x) + panel.w, round(y) + panel.h, 4, BLACK)
    c.frame(12, 224, c.w - 12, 224 + big.h, 4, BLACK)
    c.poly([(0, 0), (c.w, 0), (c.w, 190), (0, 226)], p[1])
    c.poly([(0, 226), (c.w, 190), (c.w, 202), (0, 238)], p[2])
    logo = Masthead(
        contrasting(p[1], p[2], p[0]),
        weight=0.08,
        slant=0.12,
        outlines=((BLACK, 0.09), (WHITE, 0.045)),
        depth=(BLACK, 5, 6),
    )
    logo.write(c, order.words[0], 26, 40, c.w - 52, 128)
    c.rect(0, 0, c.w, 27, p[0])
    print_line(
        c, f"{month(order)}   {numbered(order)}", 14, 4, 17, contrasting(p[0], BLACK, WHITE), weight=0.05
    )
    print_line(
        c,
        order.facts["price"] or order.facts["house"],
        c.w - 14,
        4,
        17,
        contrasting(p[0], BLACK, WHITE),
        anchor="r",
        weight=0.05,
    )
    c.rect(0, c.h - 40, c.w, c.h, p[2])
    print_line(
        c,
        order.words[1].upper(),
        c.w / 2,
        c.h - 34,
        24,
        contrasting(p[2], BLACK, WHITE),
        anchor="m",
        weight=0.05,
        limit=c.w - 30,
    )


def bonelli(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """The Italian pocket book: a band with the name, the number in a tile, a title in italics."""
    art(c, order, p, dice, low=0.62)
    band = dice.pick((p[1], p[1], p[2], p[3]))
    c.rect(0, 0, c.w, 172, band)
    c.rect(0, 172, c.w, 178, BLACK)
    ink = p[2] if band != p[2] else p[3]
    ink = ink if abs(luminance(ink) - luminance(band)) > 0.25 else darker(p[0], 0.3)
    Masthead(
        ink,
        weight=0.05,
        slant=0.2,
        outlines=((BLACK if luminance(ink) > 0.2 else WHITE, 0.05),),
        depth=(BLACK, 3, 5),
    ).write(c, order.words[0], 132, 30, c.w - 160, 116)
    c.rect(20, 26, 112, 148, WHITE)
    c.frame(20, 26, 112, 148, 4, BLACK)
    Masthead(BLACK, weight=0.04).write(c, order.facts["number"], 30, 44, 72, 50)
    print_line(c, order.facts["price"], 66, 116, 17, BLACK, anchor="m", limit=80, weight=0.04)
    c.rect(0, c.h - 92, c.w, c.h, darker(p[0], 0.4))
    c.rect(0, c.h - 96, c.w, c.h - 92, p[1])
    print_line(
        c,
        order.words[1].upper(),
        c.w / 2,
        c.h - 76,
        34,
        p[3],
        anchor="m",
        weight=0.04,
        slant=0.15,
        limit=c.w - 50,
    )
    print_line(
        c,
        f"{order.facts['house']}   {order.facts['month']}/{order.facts['year']}",
        c.w / 2,
        c.h - 28,
        14,
        p[1],
        anchor="m",
    )
