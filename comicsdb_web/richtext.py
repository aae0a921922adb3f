"""HTML written by administrators, reduced to a few harmless elements (model.md 3.15)."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

from markupsafe import Markup, escape

ELEMENTS = {"p", "br", "strong", "b", "em", "i", "ul", "ol", "li", "a"}
VOID = {"br"}
SILENT = {"script", "style", "template", "iframe", "object", "noscript"}  # their text is no text


class _Cleaner(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.open: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag, attrs):
        if tag in SILENT:
            self.silent += 1
        if tag not in ELEMENTS or self.silent:
            return
        if tag in VOID:
            self.parts.append(f"<{tag}>")
            return
        self.open.append(tag)
        address = dict(attrs).get("href") if tag == "a" else None
        if address and _is_harmless(address):
            self.parts.append(f'<a href="{escape(address.strip())}" rel="noopener">')
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


def clean(html: str) -> Markup:
    """The text with only paragraphs, lists, emphasis and links to the web, the site or a mail address."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    cleaner.parts += [f"</{tag}>" for tag in reversed(cleaner.open)]
    return Markup("".join(cleaner.parts))  # noqa: S704  (built above from escaped parts and known elements)
