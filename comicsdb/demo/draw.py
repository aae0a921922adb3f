"""Drawing of the demo's pictures: the same order always gives the same picture."""

from PIL import Image

from comicsdb.demo import draw_dress, draw_dress_more, draw_posters
from comicsdb.demo.chance import Dice
from comicsdb.demo.draw_canvas import Canvas, color
from comicsdb.demo.pictures import Order

STYLES = {
    "heroic": draw_dress.heroic,
    "event": draw_dress.event,
    "classic": draw_dress.classic,
    "golden": draw_dress.golden,
    "weekly": draw_dress.weekly,
    "bonelli": draw_dress.bonelli,
    "noir": draw_dress_more.noir,
    "western": draw_dress_more.western,
    "album": draw_dress_more.album,
    "ligne": draw_dress_more.ligne,
    "manga": draw_dress_more.manga,
    "kids": draw_dress_more.kids,
    "space": draw_dress_more.space,
    "steam": draw_dress_more.steam,
    "pop": draw_dress_more.pop,
}
POSTERS = {
    "emblem": draw_posters.emblem,
    "medallion": draw_posters.medallion,
    "imprint": draw_posters.imprint,
    "universe": draw_posters.universe,
    "creator": draw_posters.creator,
    "character": draw_posters.character,
    "team": draw_posters.team,
    "arc": draw_posters.arc,
}


def draw(order: Order) -> Image.Image:
    """Draw one picture, in RGB and the size that the order gives."""
    palette = tuple(color(code) for code in order.palette)
    canvas = Canvas(order.size, palette[0])
    dice = Dice(order.path)
    if order.kind != "cover":
        POSTERS[order.kind](canvas, order, palette, dice)
    elif (order.facts["variant"] and dice.happens(0.5)) or "Blank" in order.facts["variant"]:
        draw_dress_more.night_card(canvas, order, palette, dice)
    else:
        STYLES[order.style](canvas, order, palette, dice)
    return canvas.finished()
