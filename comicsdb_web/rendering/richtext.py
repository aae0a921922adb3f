"""HTML written by people, reduced to a few harmless elements."""

from urllib.parse import urlsplit

import nh3
from markupsafe import Markup

ELEMENTS = {"p", "br", "strong", "b", "em", "i", "ul", "ol", "li", "a"}
# Of the pages that come with the site, written in Markdown: help and timeline.
OF_PAGES = ELEMENTS | {"h2", "h3", "code", "pre", "blockquote", "hr"}
OF_PAGES |= {"table", "thead", "tbody", "tr", "th", "td"}
DROPPED = {"script", "style", "template", "iframe", "object", "noscript"}  # together with what is in them


def _harmless(_tag: str, name: str, value: str) -> str | None:
    """An address of the web, of the site or of mail, None for others; `//host` is not of the site."""
    if name != "href":
        return value  # what `clean` itself sets
    address = value.strip()
    if any(ord(each) < 33 for each in address):
        return None
    if address.startswith("/"):
        return None if address.startswith(("//", "/\\")) else address
    try:
        return address if urlsplit(address).scheme in {"http", "https", "mailto"} else None
    except ValueError:
        return None


def clean(html: str, elements: set[str] = ELEMENTS, *, new_tab: bool = False) -> Markup:
    """The text with only these elements, and links to the web, the site or a mail address.

    With `new_tab` links open in a tab of their own.
    """
    cleaned = nh3.clean(
        html,
        tags=elements,
        clean_content_tags=DROPPED,
        attributes={"a": {"href"}},
        attribute_filter=_harmless,
        set_tag_attribute_values={"a": {"target": "_blank"}} if new_tab else None,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener",
    )
    return Markup(cleaned)  # noqa: S704  (the sanitizer's)
