"""HTML generation with automatic escaping."""

from html import escape


class Html(str):
    """A string that is already HTML, and is not escaped."""


def element(name: str, /, *children, **attributes) -> Html:
    """Return an element. Children are strings, Html, or lists of both; None is skipped.

    Trailing underscores in names of attributes are removed, others become hyphens; None omits the attribute.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def void(name: str, /, **attributes) -> Html:
    """Return a void element, which has no content and no end tag."""
    return Html(element(name, **attributes).removesuffix(f"</{name}>"))


def join(children, separator: str = "") -> Html:
    """Join strings and Html."""
    return Html(escape(separator).join(_text(each) for each in children))


def _text(child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    return join(child) if isinstance(child, (list, tuple)) else escape(child)
