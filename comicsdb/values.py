"""Values out of text, as people and programs write them: one reader for each kind.

Each gives the value, or None for what is none: who asks for it has the words for the error.
"""

import re
from datetime import date
from decimal import Decimal, InvalidOperation

from stdnum import ean

from comicsdb.i18n import _, said
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import Currency

# Control characters, halves of surrogate pairs, and non-characters of Unicode: no text has them, as whoever
# stores or shows them cannot tell what they mean. Ends of lines and tabs are bad in texts of one line only.
NULL_CHARACTER = _("Null characters are not allowed.")
SURROGATE_CHARACTER = _("Surrogate characters are not allowed.")

_LINES = "\t\n\r"
_PLANES = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
_CONTROL, _OTHERS = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f", f"\ud800-\udfff\ufdd0-\ufdef{_PLANES}"
_BAD = re.compile(f"[{_CONTROL}{_OTHERS}]")
_BAD_IN_LINE = re.compile(f"[{_CONTROL}{_LINES}{_OTHERS}]")

WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)

_FORM = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
LONGEST_AMOUNT = 60  # characters; of longer texts the pattern would be tried in too many ways
_SIGNS = {"$": Currency.USD, "us$": Currency.USD, "£": Currency.GBP, "€": Currency.EUR, "₤": Currency.ITL}
_SIGNS |= {each.casefold(): each for each in Currency} | {"eur.": Currency.EUR, "lire": Currency.ITL}
_SIGN = r"[^\d\s.,'-]+\.?"
_MONEY = re.compile(
    rf"(?P<before>{_SIGN})? ?"
    r"(?P<whole>\d{1,3}(?P<gap>[.,' ])\d{3}(?:(?P=gap)\d{3})*|\d+)(?:[.,](?P<decimals>\d{1,2})?)?"
    rf" ?(?P<after>{_SIGN})?",
    re.A,
)


def whole_number(text, low: int = 0, high: int = INTEGER_MAX) -> int | None:
    """A whole number within bounds, both included: ASCII digits and nothing else."""
    if not isinstance(text, str) or len(text) > len(str(high)) or not (text.isascii() and text.isdigit()):
        return None
    return number if low <= (number := int(text)) <= high else None


def iso_day(text: str) -> date | None:
    """The day that YYYY-MM-DD names; ISO 8601 has other forms, such as 2026-W48-1, which are none here."""
    if len(text) != len("2026-11-30") or text[7] != "-":
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_web_address(text: str) -> bool:
    """Whether a browser would open a text as an address of http or https."""
    return WEB_ADDRESS.fullmatch(text) is not None


def compact(code: str) -> str:
    """A bar code or ISBN without the blanks and hyphens with which it is printed: `7 59606 08936 9 00111`."""
    return ean.compact(code)


def is_number(text: str) -> bool:
    """Whether a text is a number: ASCII digits, one point, perhaps an exponent; no blanks, no `_`."""
    return _FORM.fullmatch(text) is not None


def decimal(text: str) -> Decimal | None:
    """The number that a text is, finite; None for what is none, or has an exponent beyond all use."""
    try:
        return Decimal(text) if is_number(text) else None
    except InvalidOperation:
        return None


def read_money(text: str) -> tuple[Decimal, str | None] | None:
    """The amount that a text is, and the code of its currency, None where none is written.

    One or two digits after the last point or comma are decimals, three are thousands. Gives None for what is
    no amount, is negative, or is of a currency that the site does not keep.
    """
    text = " ".join(text.split()).casefold()
    found = _MONEY.fullmatch(text) if len(text) <= LONGEST_AMOUNT else None
    if not found:
        return None
    currencies = {_SIGNS.get(sign) for sign in (found["before"], found["after"]) if sign}
    if None in currencies or len(currencies) > 1:
        return None
    amount = Decimal(f"{re.sub('[^0-9]', '', found['whole'])}.{found['decimals'] or 0}")
    return amount.quantize(Decimal("0.01")), next((each.value for each in currencies), None)


# Characters.


def bad_character(text: str, *, lines: bool = True) -> str | None:
    """The first character that no text may have, in one of several lines or of one; None without."""
    found = (_BAD if lines else _BAD_IN_LINE).search(text)
    return found[0] if found else None


def text_problem(text: str, *, lines: bool = True) -> str | None:
    """The message for a text with a bad character; None for a text without."""
    found = bad_character(text, lines=lines)
    if found is None:
        return None
    if found == "\0":
        return NULL_CHARACTER
    if "\ud800" <= found <= "\udfff":
        return SURROGATE_CHARACTER
    code = f"U+{ord(found):04X}"
    return said("Please remove the character ${code}: this field does not take it.", code=code)


def without_bad_characters(text: str) -> str:
    """A text without bad characters."""
    return _BAD.sub("", text)
