"""The text of reviews: Markdown by readers, in which lines that begin with ">!" are spoilers."""

from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from comicsdb_web.rendering.markdown import renderer
from comicsdb_web.rendering.richtext import ELEMENTS, clean

SPOILER = ">!"
REVIEW_ELEMENTS = ELEMENTS | {"blockquote", "code", "pre"}


class Passage(NamedTuple):
    """A part of a text as HTML, and whether it spoils the story."""

    html: Markup
    spoils: bool


def passages(text: str) -> list[Passage]:
    """Return the passages of a review in order."""
    found = []
    for spoils, lines in groupby(text.split("\n"), key=lambda line: line.lstrip().startswith(SPOILER)):
        written = "\n".join(line.lstrip().removeprefix(SPOILER).strip() if spoils else line for line in lines)
        if written.strip():
            html = clean(renderer().render(written), REVIEW_ELEMENTS, rel="nofollow ugc noopener")
            found.append(Passage(html, spoils))
    return found
