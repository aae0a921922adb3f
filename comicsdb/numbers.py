"""Numbers as people and programs write them, read strictly: ASCII digits, one point, perhaps an exponent."""

import re
from decimal import Decimal, InvalidOperation

_FORM = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_number(text: str) -> bool:
    """Whether a text is a number; other scripts' digits are none, nor is one with blanks or `_`."""
    return _FORM.fullmatch(text) is not None


def decimal(text: str) -> Decimal | None:
    """The number that a text is, finite; None for what is none, or has an exponent beyond all use."""
    try:
        return Decimal(text) if is_number(text) else None
    except InvalidOperation:
        return None
