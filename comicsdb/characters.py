"""Characters that no text of ours has: whoever keeps or shows them cannot tell what they mean.

These are control characters, halves of surrogate pairs, and non-characters of Unicode. Ends of lines and
tabs count among them in texts of one line only.
"""

import re

from comicsdb.i18n import _, said

NULL = _("Null characters are not allowed.")
SURROGATE = _("Surrogate characters are not allowed.")

_LINES = "\t\n\r"
_PLANES = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
_CONTROL, _OTHERS = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f", f"\ud800-\udfff\ufdd0-\ufdef{_PLANES}"
_BAD = re.compile(f"[{_CONTROL}{_OTHERS}]")
_BAD_IN_LINE = re.compile(f"[{_CONTROL}{_LINES}{_OTHERS}]")


def first(text: str, *, lines: bool = True) -> str | None:
    """The first of them in a text, of several lines or of one; None where there is none."""
    found = (_BAD if lines else _BAD_IN_LINE).search(text)
    return found[0] if found else None


def problem(text: str, *, lines: bool = True) -> str | None:
    """What is to be said about a text that has one of them; None for one that has none."""
    found = first(text, lines=lines)
    if found is None:
        return None
    if found == "\0":
        return NULL
    if "\ud800" <= found <= "\udfff":
        return SURROGATE
    code = f"U+{ord(found):04X}"
    return said("Please remove the character ${code}: this field does not take it.", code=code)


def without(text: str) -> str:
    """A text without them."""
    return _BAD.sub("", text)
