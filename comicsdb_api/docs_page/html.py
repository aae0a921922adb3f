"""HTML written in Python: everything is escaped that is not made here."""

from html import escape


class Html(str):
    """A text that is HTML already."""


def element(name: str, /, *children, **attributes) -> Html:
    """An element. Children are texts, Html, or lists of both; None is nothing.

    An underscore at the end of an attribute's name is dropped, others become hyphens; None leaves it out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def void(name: str, /, **attributes) -> Html:
    """An element that has no content and no end."""
    return Html(element(name, **attributes).removesuffix(f"</{name}>"))


def joined(children, separator: str = "") -> Html:
    """Texts and Html, one after the other."""
    return Html(escape(separator).join(_text(each) for each in children))


def _text(child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    return joined(child) if isinstance(child, (list, tuple)) else escape(child)
