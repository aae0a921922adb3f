"""HTML written by people, reduced to a few harmless elements (model.md 3.15)."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

from markupsafe import Markup, escape

ELEMENTS = {"p", "br", "strong", "b", "em", "i", "ul", "ol", "li", "a"}
# Of the pages that come with the site, written in Markdown: help and timeline.
OF_PAGES = ELEMENTS | {"h2", "h3", "code", "pre", "blockquote", "hr"}
OF_PAGES |= {"table", "thead", "tbody", "tr", "th", "td"}
VOID = {"br", "hr"}
SILENT = {"script", "style", "template", "iframe", "object", "noscript"}  # their text is no text


class _Cleaner(HTMLParser):
    def __init__(self, elements: set[str], link: str):
        super().__init__(convert_charrefs=True)
        self.elements, self.link = elements, link
        self.parts: list[str] = []
        self.open: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag, attrs):
        if tag in SILENT:
            self.silent += 1
        if tag not in self.elements or self.silent:
            return
        if tag in VOID:
            self.parts.append(f"<{tag}>")
            return
        self.open.append(tag)
        address = dict(attrs).get("href") if tag == "a" else None
        if address and _is_harmless(address):
            self.parts.append(f'<a href="{escape(address.strip())}" {self.link}>')
        else:
            self.parts.append(f"<{tag}>")

    def handle_endtag(self, tag):
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        if self.silent or tag not in self.open:
            return
        while self.open:  # whatever was left open inside ends here too
            last = self.open.pop()
            self.parts.append(f"</{last}>")
            if last == tag:
                break

    def handle_data(self, data):
        if not self.silent:
            self.parts.append(str(escape(data)))


def _is_harmless(address: str) -> bool:
    stripped = address.strip()
    if any(ord(each) < 33 for each in stripped):
        return False
    if stripped.startswith("/"):
        return not stripped.startswith(("//", "/\\"))
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return False
    return parts.scheme in {"http", "https", "mailto"}


def clean(html: str, elements: set[str] = ELEMENTS, *, new_tab: bool = False) -> Markup:
    """The text with only these elements, and links to the web, the site or a mail address.

    With `new_tab` links open in a tab of their own.
    """
    cleaner = _Cleaner(elements, 'target="_blank" rel="noopener"' if new_tab else 'rel="noopener"')
    cleaner.feed(html)
    cleaner.close()
    cleaner.parts += [f"</{tag}>" for tag in reversed(cleaner.open)]
    return Markup("".join(cleaner.parts))  # noqa: S704  (built above from escaped parts and known elements)
