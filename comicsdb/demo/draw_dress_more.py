"""Cover styles, second half: albums, manga, noir, westerns, books for children and everything else."""

from math import pi

from PIL import Image, ImageOps

from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_art import MOTIFS, Palette, art, inks_for
from comicsdb.demo.draw_canvas import (
    BLACK,
    SCALE,
    WHITE,
    Canvas,
    contrasting,
    darker,
    lighter,
    luminance,
    mix,
    ring,
)
from comicsdb.demo.draw_dress import caption, month, numbered
from comicsdb.demo.draw_faces import bust
from comicsdb.demo.draw_lettering import Masthead, print_line, wrapped
from comicsdb.demo.pictures import Order


def noir(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Night: two inks and a blind in front of the lamp."""
    art(c, order, p, dice, low=0.55)
    grey = ImageOps.autocontrast(c.raw.convert("L"), cutoff=1)
    duotone = ImageOps.colorize(grey, darker(p[0], 0.35), mix(p[3], p[1], 0.25), mid=mix(p[0], p[4], 0.75))
    c.raw.paste(duotone)
    kind = dice.whole(0, 2)
    if kind == 0:
        for slat in range(12):
            y = c.h * 0.2 + slat * 62
            c.poly([(0, y), (c.w, y - 60), (c.w, y - 46), (0, y + 14)], darker(p[0], 0.5))
    elif kind == 1:
        c.poly([(0, c.h * 0.2), (c.w * 0.26, c.h * 0.2), (c.w * 0.1, c.h), (0, c.h)], p[2])
    else:
        c.dots(darker(p[0], 0.5), cell=12, low=0.05, high=0.42)
    c.rect(0, 0, c.w, 178, darker(p[0], 0.45))
    c.rect(0, 178, c.w, 184, p[2])
    Masthead(p[3], weight=0.0, tracking=0.1).write(c, order.words[0], 34, 34, c.w - 68, 112)
    x = dice.pick((70, c.w - 70))
    c.circle(x, 184, 42, p[2])
    Masthead(contrasting(p[2], BLACK, WHITE), weight=0.03).write(
        c, order.facts["number"], x - 27, 162, 54, 44
    )
    if order.words[1] and not order.facts["variant"]:
        title = order.words[1]
        for number, line in enumerate(reversed(wrapped(title, 22, 3))):
            print_line(c, line, 32, c.h - 88 - number * 42, 36, BLACK, weight=0.12, limit=c.w - 64)
            print_line(c, line, 32, c.h - 88 - number * 42, 36, p[1], weight=0.03, limit=c.w - 64)
    c.rect(0, c.h - 40, c.w, c.h, darker(p[0], 0.5))
    print_line(
        c,
        f"{order.facts['house'].upper()}   {month(order)}   {order.facts['price']}",
        32,
        c.h - 30,
        15,
        p[3],
        weight=0.02,
    )


def western(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Dust and woodcut: a broadside border, slab letters between rules."""
    art(c, order, p, dice, low=0.6)
    c.dots(darker(p[2], 0.3), (0, c.h * 0.5, c.w, c.h), cell=12, high=0.34)
    c.rect(0, 0, c.w, 196, p[3])
    for y, thick in ((14, 5), (24, 2), (172, 2), (179, 5)):
        c.rect(24, y, c.w - 24, y + thick, darker(p[2], 0.45))
    Masthead(darker(p[2], 0.35), weight=0.06, outlines=((p[3], 0.03),), depth=(p[1], 4, 4)).write(
        c, order.words[0], 36, 42, c.w - 72, 114
    )
    c.frame(0, 0, c.w, c.h, 14, p[3])
    c.frame(12, 12, c.w - 12, c.h - 12, 3, darker(p[2], 0.45))
    c.poly(ring(c.w - 92, 232, 58, 8, pi / 8), darker(p[2], 0.45))
    c.poly(ring(c.w - 92, 232, 52, 8, pi / 8), p[1])
    Masthead(darker(p[2], 0.5), weight=0.05).write(c, order.facts["number"], c.w - 124, 208, 64, 46)
    if order.words[1]:
        c.rect(14, c.h - 100, c.w - 14, c.h - 14, p[3])
        print_line(
            c,
            order.words[1],
            c.w / 2,
            c.h - 90,
            34,
            darker(p[2], 0.4),
            anchor="m",
            weight=0.03,
            limit=c.w - 70,
        )
    print_line(
        c,
        f"{order.facts['house']}   {month(order)}   {order.facts['price']}",
        c.w / 2,
        c.h - 42,
        15,
        darker(p[2], 0.5),
        anchor="m",
    )


def album(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A graphic novel: much paper, one window, quiet type."""
    c.rect(0, 0, c.w, c.h, p[3])
    inner = Canvas((c.w - 120, 620), p[0])
    art(inner, order, p, dice, low=0.5)
    c.raw.paste(inner.raw, (60 * SCALE, 250 * SCALE))
    c.rect(60, 874, c.w - 60, 878, p[1])
    Masthead(darker(p[2] if luminance(p[2]) < 0.6 else p[0], 0.15), weight=0.012, capitals=False).write(
        c, order.words[0], 60, 58, c.w - 120, 108
    )
    if order.words[1] and order.words[1] != order.words[0]:
        print_line(c, order.words[1], c.w / 2, 192, 28, darker(p[4], 0.35), anchor="m", limit=c.w - 130)
    print_line(c, order.facts["house"], 60, 898, 20, darker(p[4], 0.4))
    if not order.facts["book"]:
        print_line(
            c, f"{numbered(order)}   {order.facts['price']}", c.w - 60, 898, 20, darker(p[4], 0.4), anchor="r"
        )


def ligne(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """The clear line: an album with a coloured frame, a white label, a picture you could walk into."""
    frame = dice.pick((p[1], p[2], p[4], p[0]))
    c.rect(0, 0, c.w, c.h, frame)
    inner = Canvas((c.w - 60, c.h - 250), p[0])
    art(inner, order, p, dice, low=0.54)
    c.raw.paste(inner.raw, (30 * SCALE, 198 * SCALE))
    c.frame(30, 198, c.w - 30, c.h - 52, 4, BLACK)
    c.rect(30, 26, c.w - 30, 184, p[3], 14)
    c.frame(38, 33, c.w - 38, 177, 2, darker(frame, 0.3))
    tint = darker(p[2] if luminance(p[2]) < 0.55 else p[0], 0.1)
    Masthead(tint, weight=0.03, capitals=len(order.words[0]) < 22).write(
        c, order.words[0], 58, 50, c.w - 116, 82
    )
    print_line(c, order.words[1], c.w / 2, 143, 25, BLACK, anchor="m", limit=c.w - 130)
    c.circle(c.w - 76, c.h - 98, 36, BLACK)
    c.circle(c.w - 76, c.h - 98, 33, p[3])
    Masthead(BLACK, weight=0.03).write(c, order.facts["number"], c.w - 98, c.h - 117, 44, 38)
    print_line(c, order.facts["house"], c.w / 2, c.h - 37, 20, contrasting(frame, BLACK, WHITE), anchor="m")


def manga(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A paperback in ink, screen tone and one colour."""
    inner = Canvas((c.w, c.h), p[0])
    inks = (p[0], mix(p[0], p[1], 0.2), mix(p[1], p[0], 0.3), WHITE, mix(p[0], p[4], 0.5))
    if order.faces and dice.happens(0.55):
        inner.circle(
            c.w * dice.real(0.4, 0.6), c.h * dice.real(0.38, 0.5), dice.real(220, 310), mix(p[0], p[4], 0.28)
        )
        MOTIFS[order.motif][0](
            inner, (mix(p[0], p[4], 0.4), p[1], p[4], p[0], mix(p[0], p[4], 0.6)), dice, c.h * 0.66
        )
        bust(
            inner,
            c.w * dice.real(0.44, 0.56),
            c.h * dice.real(0.46, 0.56),
            c.w * dice.real(0.34, 0.52),
            dice.pick(order.faces),
        )
    else:
        art(inner, order, inks, dice, low=0.52)
    grey = ImageOps.autocontrast(inner.raw.convert("L"), cutoff=1)
    tone = ImageOps.colorize(grey, p[1], lighter(p[0], 0.4), mid=mix(p[0], p[4], 0.7))
    c.raw.paste(tone)
    c.dots(mix(p[1], p[4], 0.5), (0, c.h * 0.5, c.w, c.h), cell=12, low=0.0, high=0.24)
    spot = p[2]
    left = dice.happens(0.5)
    if dice.happens(0.5):
        c.circle(c.w - 96 if left else 96, 150, 62, spot)
    x = 0 if left else c.w - 128
    c.rect(x, 0, x + 128, c.h, spot)
    side = Canvas((c.h - 210, 128), spot)
    Masthead(contrasting(spot, p[0], WHITE), weight=0.03, tracking=0.03).write(
        side, order.words[0], 24, 28, side.w - 48, 72
    )
    c.raw.paste(side.raw.transpose(Image.Transpose.ROTATE_270), (x * SCALE, 150 * SCALE))
    c.circle(x + 64, 80, 48, WHITE)
    Masthead(p[1], weight=0.04).write(c, order.facts["number"], x + 36, 56, 56, 48)
    c.rect(x, c.h - 60, x + 128, c.h, p[1])
    for number, line in enumerate(order.facts["house"].split()[:2]):
        print_line(c, line, x + 64, c.h - 54 + number * 24, 18, WHITE, anchor="m", limit=110)
    if order.words[1]:
        caption(c, order.words[1], 150 if left else 22, c.h - 26, WHITE, size=22, wide=30)


def kids(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """For the youngest: a round window, letters that dance."""
    ground = dice.pick((p[0], p[1], p[2], p[4]))
    c.rect(0, 0, c.w, c.h, ground)
    for _ in range(46):
        c.circle(
            dice.real(0, c.w),
            dice.real(0, c.h),
            dice.real(8, 26),
            mix(ground, dice.pick((p[1], p[3], p[0])), 0.35),
        )
    inner = Canvas((600, 640), p[0])
    art(inner, order, p, dice, low=0.5)
    hole = Canvas((600, 640), (0, 0, 0))
    hole.rect(0, 0, 600, 640, WHITE, 150)
    c.rect(8, 226, c.w - 8, 890, p[3], 160)
    c.raw.paste(inner.raw, (20 * SCALE, 238 * SCALE), hole.raw.convert("L"))
    fill = contrasting(ground, p[2], p[1], p[0], p[3])
    rim = contrasting(fill, p[3], darker(p[4], 0.5))
    Masthead(
        fill, weight=0.08, bounce=0.08, outlines=((rim, 0.09),), depth=(darker(ground, 0.5), 4, 7)
    ).write(c, order.words[0], 30, 38, c.w - 60, 158)
    c.star(c.w - 92, 866, 82, 64, 14, p[2] if ground != p[2] else p[1], turn=dice.real(0, 20))
    Masthead(p[3], weight=0.06, outlines=((darker(p[2], 0.5), 0.05),)).write(
        c, order.facts["number"], c.w - 126, 840, 68, 52
    )
    if order.words[1]:
        caption(c, order.words[1], 26, c.h - 46, p[3], size=28, wide=26)
    print_line(
        c,
        f"{order.facts['house']}   {order.facts['price']}",
        28,
        c.h - 32,
        17,
        contrasting(ground, BLACK, WHITE),
        weight=0.03,
    )


def space(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """The future: thin type, fine rules, a great deal of dark."""
    art(c, order, p, dice, low=0.54)
    c.blend(darker(p[0], 0.55), darker(p[0], 0.4), 0, 176)
    c.frame(18, 18, c.w - 18, c.h - 18, 2, p[3])
    Masthead(p[1], weight=0.012, tracking=0.16).write(c, order.words[0], 46, 44, c.w - 92, 100)
    c.rect(18, 174, c.w - 18, 177, p[2])
    for tick in range(24):
        x = 30 + tick * (c.w - 60) / 23
        c.rect(x, 178, x + 2, 190 if tick % 4 == 0 else 184, p[3])
    c.rect(c.w - 132, c.h - 112, c.w - 18, c.h - 18, p[2])
    Masthead(contrasting(p[2], BLACK, WHITE), weight=0.01).write(
        c, order.facts["number"], c.w - 112, c.h - 96, 74, 46
    )
    print_line(
        c,
        order.facts["price"],
        c.w - 75,
        c.h - 42,
        16,
        contrasting(p[2], BLACK, WHITE),
        anchor="m",
        limit=100,
    )
    c.rect(18, c.h - 74, c.w - 132, c.h - 18, darker(p[0], 0.5))
    print_line(c, order.words[1].upper(), 36, c.h - 64, 22, p[3], limit=c.w - 190, weight=0.015)
    print_line(c, f"{order.facts['house']}   {month(order)}", 36, c.h - 38, 13, p[1])


def steam(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Brass and engraving: an arch of letters, wheels in the corners."""
    art(c, order, p, dice, low=0.6)
    c.rect(0, 0, c.w, 40, darker(p[0], 0.4))
    arch = [(c.w * i / 30, 226 + 60 * (2 * i / 30 - 1) ** 2) for i in range(31)]
    c.poly([(0, 0), *[(x, y + 9) for x, y in arch], (c.w, 0)], p[1])
    c.poly([(0, 0), *arch, (c.w, 0)], darker(p[0], 0.4))
    Masthead(p[1], weight=0.03, arch=0.36, tracking=0.02, outlines=((darker(p[2], 0.3), 0.05),)).write(
        c, order.words[0], 46, 40, c.w - 92, 122
    )
    c.frame(0, 0, c.w, c.h, 10, p[1])
    c.frame(14, 14, c.w - 14, c.h - 14, 3, p[1])
    gear = MOTIFS["clock"][1]
    for x, y in ((0, c.h), (c.w, c.h)):
        gear(c, x, y, 210, (darker(p[0], 0.4), p[1], p[3]), Dice(order.path, x))
    c.circle(c.w / 2, 232, 46, p[1])
    c.circle(c.w / 2, 232, 40, p[3])
    Masthead(darker(p[0], 0.3), weight=0.02).write(c, order.facts["number"], c.w / 2 - 27, 211, 54, 42)
    if order.words[1]:
        c.rect(112, c.h - 86, c.w - 112, c.h - 30, p[3], 10)
        c.frame(116, c.h - 82, c.w - 116, c.h - 34, 2, darker(p[2], 0.2))
        print_line(
            c,
            order.words[1],
            c.w / 2,
            c.h - 76,
            26,
            darker(p[0], 0.4),
            anchor="m",
            limit=c.w - 260,
            weight=0.02,
        )
    print_line(
        c,
        f"{order.facts['house']}   {order.facts['price']}",
        c.w / 2,
        c.h - 46,
        13,
        darker(p[0], 0.2),
        anchor="m",
    )


def pop(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """Posters and fairground: flat colour, letters in boxes, sometimes everything four times."""
    if order.faces and dice.happens(0.35):
        face = dice.pick(order.faces)
        first = dice.whole(0, 3)
        grounds = (p[1], p[2], p[4], p[0])
        for place, ground in enumerate(grounds[first:] + grounds[:first]):
            cell = Canvas((c.w // 2, 400), ground)
            cell.dots(lighter(ground, 0.25), cell=13, high=0.5)
            bust(cell, cell.w / 2, 190, 210, face)
            c.raw.paste(cell.raw, (place % 2 * cell.w * SCALE, (184 + place // 2 * 400) * SCALE))
    else:
        art(c, order, p, dice, low=0.57)
        if dice.happens(0.6):
            c.dots(p[2], (0, c.h * 0.45, c.w, c.h), cell=16, low=0.0, high=0.22)
    c.rect(0, 0, c.w, 190, p[0])
    _tiles(c, order.words[0].upper().split(), p, dice)
    c.rect(0, c.h - 76, c.w, c.h, p[1])
    ink = contrasting(p[1], BLACK, WHITE)
    print_line(c, order.words[1], 24, c.h - 66, 28, ink, weight=0.05, limit=c.w - 150)
    print_line(c, f"{order.facts['house']}   {month(order)}   {order.facts['price']}", 24, c.h - 28, 14, ink)
    c.circle(c.w - 66, c.h - 66, 52, p[2])
    Masthead(contrasting(p[2], BLACK, WHITE), weight=0.05).write(
        c, order.facts["number"], c.w - 98, c.h - 90, 64, 48
    )


def _tiles(c: Canvas, words: list[str], p: Palette, dice: Dice) -> None:
    """A name in letters on tiles, the last word on a line of its own."""
    lines = [" ".join(words[:-1]), words[-1]] if len(words) > 1 else words
    y, tall = 22, 148 / len(lines)
    for number, line in enumerate(lines):
        wide = min(c.w - 60, tall * 0.86 * len(line)) / len(line)
        x = (c.w - wide * len(line)) / 2
        for place, letter in enumerate(line):
            tile = (p[1], p[2], p[4], p[3])[(place + number) % 4]
            if letter != " ":
                c.rect(x + 2, y + dice.real(-4, 4), x + wide - 2, y + tall - 8, tile, 6)
                inked = Masthead(contrasting(tile, BLACK, WHITE), weight=0.06)
                inked.write(c, letter, x + wide * 0.2, y + tall * 0.14, wide * 0.6, tall * 0.6)
            x += wide
        y += tall + 4


def night_card(c: Canvas, order: Order, p: Palette, dice: Dice) -> None:
    """A variant without lettering but for its name: one thing, one face, one colour."""
    ground = dice.pick((p[0], p[2], p[4], p[1]))
    c.rect(0, 0, c.w, c.h, ground)
    c.dots(darker(ground, 0.25), cell=14, low=0.0, high=0.5)
    if "Blank" in order.facts["variant"]:
        c.rect(0, 0, c.w, c.h, WHITE)
        c.frame(26, 200, c.w - 26, c.h - 60, 2, mix(WHITE, p[0], 0.3))
        ground = WHITE
    else:
        thing = MOTIFS[order.motif][1] or MOTIFS["moon"][1]
        disc = contrasting(ground, p[1], p[3])
        c.circle(c.w / 2, c.h * 0.52, 260, disc)
        if order.faces and dice.happens(0.5):
            bust(c, c.w / 2, c.h * 0.54, 240, dice.pick(order.faces))
        else:
            thing(c, c.w / 2, c.h * 0.52, 470, inks_for(disc, p), dice)
    ink = contrasting(ground, p[3], darker(p[0], 0.4))
    Masthead(ink, weight=0.03, tracking=0.04).write(c, order.words[0], 60, 46, c.w - 120, 104)
    print_line(
        c,
        f"{numbered(order)}   {order.facts['variant']}",
        c.w / 2,
        c.h - 44,
        20,
        ink,
        anchor="m",
        weight=0.02,
        limit=c.w - 60,
    )
