"""Name, color and mark of a site: what is refused, and why."""

import pytest
from PIL import Image

from comicsdb.config.types import accent, logo, title
from tests.pictures import encoded


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "x" * 41])
def test_title_that_the_header_cannot_show_is_refused(text):
    with pytest.raises(ValueError, match="name of at most 40 characters"):
        title(text)


def test_accent_too_dark_for_its_text_is_refused_with_its_contrast():
    assert accent(" #8FD3FF ") == "#8fd3ff"
    with pytest.raises(ValueError, match=r"dark text on this one has a contrast of 1\.\d to 1"):
        accent("#202060")
    for text in ("yellow", "#fff", "#ffd23f; }"):
        with pytest.raises(ValueError, match="takes a color such as #ffd23f"):
            accent(text)


def test_logo_is_an_svg_or_a_square_png(tmp_path):
    assert logo("") is None
    file = tmp_path / "mark"
    file.write_bytes(encoded(Image.new("RGB", (192, 192))))
    assert (logo(str(file)).name, logo(str(file)).sizes) == ("logo.png", "192x192")
    file.write_text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')
    assert (logo(str(file)).media_type, logo(str(file)).sizes) == ("image/svg+xml", "any")
    for content in (
        b"",
        b"<html>",
        b"\x89PNG\r\n\x1a\n",
        encoded(Image.new("RGB", (192, 191))),
        encoded(Image.new("RGB", (64, 64))),
    ):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="an SVG or a square PNG of at least 192 pixels"):
            logo(str(file))
    file.write_bytes(b"<svg>" + b" " * 500_000)
    with pytest.raises(ValueError, match="at most 500,000 bytes"):
        logo(str(file))
    with pytest.raises(ValueError, match="can be read"):
        logo(str(tmp_path / "nobody"))
