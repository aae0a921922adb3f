"""Validation of ISBN, UPC and SKU, for a text or for a column, and parsing of barcodes.

python-stdnum validates a text; the equivalent SQL conditions validate all rows of a table in one statement.
"""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, func, or_
from stdnum import ean, isbn

from comicsdb.values import compact_code

SUPPLEMENT_LENGTHS = (0, 2, 5)  # lengths of a barcode's supplement
CODE_LENGTHS = (12, 13)
ISBN13_LENGTH, ISBN10_LENGTH = 13, 10
ISBN13_PREFIXES = ("978", "979")


@dataclass(frozen=True)
class Gtin:
    """A scanned barcode: the product's EAN-13 (`stem`), and the digits of the supplement, if it has one."""

    stem: str
    supplement: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """The stem with 13 digits and, if it is a UPC-A, also with 12."""
        return (self.stem, self.stem[1:]) if self.stem.startswith("0") else (self.stem,)

    @property
    def short_isbn(self) -> tuple[str, ...]:
        """The stem as ISBN-10, if it can be written as one."""
        has_one = self.stem.startswith("978") and isbn.is_valid(self.stem)
        return (isbn.to_isbn10(self.stem),) if has_one else ()


def parse_gtin(code: str) -> Gtin | None:
    """Parse a UPC-A, EAN-13 or ISBN, with or without a supplement; None for any other length.

    Check digits are not verified, as the catalog has codes as printed.
    """
    code = compact_code(code).upper()
    if isbn.is_valid(code):
        return Gtin(isbn.to_isbn13(code))
    if not (code.isascii() and code.isdigit()):
        return None
    for length in CODE_LENGTHS:
        if len(code) - length in SUPPLEMENT_LENGTHS:
            return Gtin(code[:length].rjust(ISBN13_LENGTH, "0"), code[length:])
    return None


def is_isbn(text: str) -> bool:
    """Whether a text is an ISBN-10 or ISBN-13 in canonical form."""
    return isbn.is_valid(text) and isbn.compact(text) == text


def is_upc(text: str) -> bool:
    """Whether a text is a UPC-A or EAN-13, alone or with a supplement of two or five digits."""
    if not (text.isascii() and text.isdigit()):
        return False
    return any(
        len(text) == length + added and ean.is_valid(text[:length])
        for length in CODE_LENGTHS
        for added in SUPPLEMENT_LENGTHS
    )


def is_sku(text: str) -> bool:
    """Whether a text consists of ASCII letters and digits only."""
    return text.isascii() and text.isalnum()


def column_is_isbn(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The SQL condition for `is_isbn`."""
    last = case((func.substr(text, ISBN10_LENGTH, 1) == "X", 10), else_=_digit(text, ISBN10_LENGTH))
    short = (_weighted_sum(text, range(1, ISBN10_LENGTH)) + last * ISBN10_LENGTH) % 11 == 0
    return or_(
        and_(
            text.regexp_match(f"^[0-9]{{{ISBN13_LENGTH}}}$"),
            func.left(text, 3).in_(ISBN13_PREFIXES),
            _ean_check_digit_fits(text, ISBN13_LENGTH),
        ),
        and_(text.regexp_match(f"^[0-9]{{{ISBN10_LENGTH - 1}}}[0-9X]$"), short),
    )


def column_is_upc(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The SQL condition for `is_upc`."""
    fits = [
        and_(
            func.length(text).in_([digits + added for added in SUPPLEMENT_LENGTHS]),
            _ean_check_digit_fits(text, digits),
        )
        for digits in CODE_LENGTHS
    ]
    return and_(text.regexp_match("^[0-9]+$"), or_(*fits))


def column_is_sku(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The SQL condition for `is_sku`."""
    return text.regexp_match("^[A-Za-z0-9]+$")


def _digit(text: ColumnElement[str], place: int) -> ColumnElement[int]:
    """The digit at a position, from 1; for other characters it is some other number, but no error."""
    return func.ascii(func.substr(text, place, 1)) - 48


def _weighted_sum(text: ColumnElement[str], weights) -> ColumnElement[int]:
    terms = [_digit(text, place) * weight for place, weight in enumerate(weights, 1)]
    return sum(terms[1:], terms[0])


def _ean_check_digit_fits(text: ColumnElement[str], digits: int) -> ColumnElement[bool]:
    """The condition that the check digit, the last of the first `digits` digits of a text, is right.

    The weights alternate between 3 and 1 from the end, so that 12 digits need not be padded to 13, which
    would take twice as long.
    """
    weights = [3 if (digits - place) % 2 else 1 for place in range(1, digits + 1)]
    return _weighted_sum(text, weights) % 10 == 0
