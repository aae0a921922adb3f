"""Preview pictures of shared links: they can be drawn with any title and with broken covers."""

import io

from PIL import Image

from comicsdb.imaging import share
from tests.dataset import picture

SIZE = (200, 300)


def drawn_picture(*arguments, site="comicsdb", accent="#ffd23f"):
    return share.share_picture(*arguments, site=site, accent=accent)


def colours(picture):
    with Image.open(io.BytesIO(picture)) as image:
        assert (image.size, image.format) == ((1200, 630), "JPEG")
        return {colour for _number, colour in image.quantize(16).convert("RGB").getcolors(1 << 16)}


def is_near(colour, found):
    return any(max(abs(a - b) for a, b in zip(colour, each, strict=True)) < 60 for each in found)


def test_covers_are_shown_and_what_is_none_is_left_out():
    blue, green = (0, 0, 255), (0, 160, 0)
    found = colours(
        drawn_picture(
            "Night", ["2 issues"], [picture(blue, SIZE, "WEBP"), b"no picture", picture(green, SIZE, "WEBP")]
        )
    )
    assert is_near(blue, found)
    assert is_near(green, found)
    assert not is_near(blue, colours(drawn_picture("Night", ["2 issues"], [])))


def test_picture_of_another_site_has_its_name_and_color():
    ours, renamed = (drawn_picture("Night", [], [], site=site) for site in ("comicsdb", "Panels"))
    assert ours != renamed
    assert is_near((0, 200, 100), colours(drawn_picture("Night", [], [], accent="#00c864")))
    assert drawn_picture("Night", [], [], site="漫画" * 20)


def test_any_title_is_drawn(monkeypatch):
    titles = ("", " ", "日本" * 40, "Perché – “Åke”", "x" * 255, "a word " * 36)
    for fonts in (share.FONTS, ()):  # with a font of the system, if there is one, and with Pillow's
        monkeypatch.setattr(share, "FONTS", fonts)
        share._font.cache_clear()
        share._glyph.cache_clear()
        drawn = {drawn_picture(each, ["3 issues · 2019–2020", each], []) for each in titles}
        assert len(drawn) >= len(titles) - 2
        assert share._without_unknown_characters("Night 7") == "Night 7"
    assert share._without_unknown_characters("Perché – 日") == "Perche - "
    monkeypatch.undo()
    share._font.cache_clear()
    share._glyph.cache_clear()
