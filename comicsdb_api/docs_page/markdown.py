"""Renders the subset of Markdown in the API's guide: headings, paragraphs, lists, code."""

import re
from collections.abc import Iterator

from comicsdb_api.docs_page.html import Html, element

CODE = re.compile(r"`([^`]+)`")
HEADING, ITEM, INDENT = "## ", "- ", "    "


def inline(text: str) -> list:
    """Render inline code in a text."""
    parts = CODE.split(text)
    return [element("code", part) if number % 2 else part for number, part in enumerate(parts)]


def slug(heading: str) -> str:
    """Return the fragment identifier of a heading."""
    return "-".join(re.findall(r"\w+", heading.lower()))


def sections(text: str) -> tuple[list[Html], dict[str, Html]]:
    """Render a text: the blocks before the first heading, and a section for each heading."""
    before, *others = re.split(rf"^{HEADING}", text, flags=re.MULTILINE)
    found = {}
    for section in others:
        heading, _, rest = section.partition("\n")
        title = element("h2", heading, id=slug(heading))
        found[heading] = element("section", title, list(_blocks(rest)), aria_labelledby=slug(heading))
    return list(_blocks(before)), found


def _blocks(text: str) -> Iterator[Html]:
    """Render paragraphs, lists and code. A blank line between lines of code belongs to the code."""
    whole = re.sub(
        rf"^({INDENT}.*)\n\n(?={INDENT})", rf"\1\n{INDENT}\n", text.strip("\n"), flags=re.MULTILINE
    )
    for block in re.split(r"\n{2,}", whole):
        if block.startswith(INDENT):
            yield code(re.sub(rf"^{INDENT}", "", block, flags=re.MULTILINE))
        elif block.startswith(ITEM):
            items = re.split(rf"^{ITEM}", block, flags=re.MULTILINE)[1:]
            yield element("ul", [element("li", inline(" ".join(item.split()))) for item in items])
        elif block:
            yield element("p", inline(" ".join(block.split())))


def code(text: str) -> Html:
    """Render a code block."""
    return element("pre", element("code", text))
