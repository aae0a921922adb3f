"""Pictures that other sites show for a link: a title, a few lines, and covers."""

import io
import unicodedata
from functools import cache

from PIL import Image, ImageColor, ImageDraw, ImageFont

from comicsdb.imaging.images import DECODER_ERRORS, open_image
from comicsdb.imaging.picture import PictureError

WIDTH, HEIGHT = 1200, 630
MARGIN = 70
TEXT_WIDTH = 520  # of the text column, if there are covers next to it
COVER_HEIGHT, STEP, TILT = 380, 56, 4  # of covers: pixels, offset in pixels, degrees
TITLE_SIZES, TITLE_LINES = (84, 68, 54, 44, 36), 4
QUALITY = 85
INK = (23, 20, 26)
STRIPE = ((32, 163, 214), (228, 66, 124), INK, (233, 79, 55))
# The first one installed is used; Pillow's own font, the last resort, only has ASCII characters.
FONTS = ("LiberationSans-Bold.ttf", "DejaVuSans-Bold.ttf", "Arial Bold.ttf", "arialbd.ttf")


def share_picture(title: str, lines: list[str], covers: list[bytes], *, site: str, accent: str) -> bytes:
    """A JPEG of 1200 by 630 pixels on the accent (`#rrggbb`); covers that cannot be read are left out."""
    image = Image.new("RGB", (WIDTH, HEIGHT), accent)
    dot = tuple(
        (7 * value + 3 * red) // 10 for value, red in zip(ImageColor.getrgb(accent), STRIPE[3], strict=True)
    )
    draw = ImageDraw.Draw(image)
    for x in range(WIDTH // 2, WIDTH, 26):
        radius = 1 + 6 * (x - WIDTH // 2) // (WIDTH // 2)
        for y in range(13, HEIGHT, 26):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), dot)
    for place, colour in enumerate(STRIPE):
        draw.rectangle((place * WIDTH // 4, HEIGHT - 16, (place + 1) * WIDTH // 4, HEIGHT), colour)
    pictures = [each for each in map(_cover, covers) if each is not None]
    for place, cover in reversed(list(enumerate(pictures))):  # the first one is on top
        left = WIDTH - MARGIN - cover.width - (len(pictures) - 1 - place) * STEP
        image.paste(cover, (left, (HEIGHT - 16 - cover.height) // 2), cover)
    width = TEXT_WIDTH if pictures else WIDTH - 2 * MARGIN
    _write(draw, title, lines, width)
    name = _truncate(_without_unknown_characters(site), _font(48), width)
    draw.text((MARGIN, HEIGHT - 110), name, INK, font=_font(48))
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()


def _cover(data: bytes) -> Image.Image | None:
    """A cover in a black frame, tilted."""
    try:
        with open_image(data) as source:
            source.load()
            width = min(COVER_HEIGHT, max(1, round(source.width * COVER_HEIGHT / source.height)))
            picture = source.convert("RGB").resize((width, COVER_HEIGHT), Image.Resampling.LANCZOS)
    except (PictureError, *DECODER_ERRORS):
        return None
    framed = Image.new("RGBA", (width + 8, COVER_HEIGHT + 8), INK)
    framed.paste(picture, (4, 4))
    return framed.rotate(-TILT, Image.Resampling.BICUBIC, expand=True)


def _write(draw: ImageDraw.ImageDraw, title: str, lines: list[str], width: int) -> None:
    """Write the title as large as possible, and the lines below it."""
    for size in TITLE_SIZES:
        font = _font(size)
        rows = _wrap(_without_unknown_characters(title), font, width)
        if len(rows) <= TITLE_LINES and all(font.getlength(row) <= width for row in rows):
            break
    if len(rows) > TITLE_LINES:
        rows = [*rows[: TITLE_LINES - 1], f"{rows[TITLE_LINES - 1]}..."]
    y = MARGIN
    for row in rows:
        draw.text((MARGIN, y), _truncate(row, font, width), INK, font=font)
        y += size * 1.15
    y += 24
    for line in lines:
        draw.text(
            (MARGIN, y), _truncate(_without_unknown_characters(line), _font(34), width), INK, font=_font(34)
        )
        y += 46


def _wrap(text: str, font, width: int) -> list[str]:
    rows = [""]
    for word in text.split():
        longer = f"{rows[-1]} {word}".strip()
        if rows[-1] and font.getlength(longer) > width:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows


def _truncate(text: str, font, width: int) -> str:
    """The text, truncated if it is too long."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text}..."


@cache
def _font(size: int):
    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


@cache
def _glyph(character: str) -> bytes:
    return bytes(_font(20).getmask(character))


def _without_unknown_characters(text: str) -> str:
    """A text without characters that the font lacks; accents are dropped and dashes become hyphens first."""

    def nearest(character: str) -> str:
        hyphen = "-" if unicodedata.category(character) == "Pd" else ""
        for each in (character, unicodedata.normalize("NFKD", character)[:1], hyphen):
            if each.isspace() or (each and _glyph(each) != _glyph("\uffff")):
                return each
        return ""

    return "".join(map(nearest, text))
