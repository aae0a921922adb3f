"""Sanitises HTML written by people."""

from urllib.parse import urlsplit

import nh3
from markupsafe import Markup

ELEMENTS = {"p", "br", "strong", "b", "em", "i", "ul", "ol", "li", "a"}
# In help and timeline, which are written in Markdown.
PAGE_ELEMENTS = ELEMENTS | {"h2", "h3", "code", "pre", "blockquote", "hr"}
PAGE_ELEMENTS |= {"table", "thead", "tbody", "tr", "th", "td"}
REMOVED_ELEMENTS = {"script", "style", "template", "iframe", "object", "noscript"}  # with their content


def _safe_link(_tag: str, name: str, value: str) -> str | None:
    """Return http, https and mailto URLs and absolute paths; None for other URLs, such as `//host`."""
    if name != "href":
        return value  # set by `clean` itself
    address = value.strip()
    if any(ord(each) < 33 for each in address):
        return None
    if address.startswith("/"):
        return None if address.startswith(("//", "/\\")) else address
    try:
        return address if urlsplit(address).scheme in {"http", "https", "mailto"} else None
    except ValueError:
        return None


def clean(
    html: str, elements: set[str] = ELEMENTS, *, new_tab: bool = False, rel: str = "noopener"
) -> Markup:
    """Return HTML with only these elements, and links with http, https, mailto or an absolute path.

    With `new_tab`, links open in a new tab.
    """
    cleaned = nh3.clean(
        html,
        tags=elements,
        clean_content_tags=REMOVED_ELEMENTS,
        attributes={"a": {"href"}},
        attribute_filter=_safe_link,
        set_tag_attribute_values={"a": {"target": "_blank"}} if new_tab else None,
        url_schemes={"http", "https", "mailto"},
        link_rel=rel,
    )
    return Markup(cleaned)  # noqa: S704  (the sanitizer's)
