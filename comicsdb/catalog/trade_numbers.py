"""ISBN, UPC and SKU: whether a number of the trade is right, for a text and for a column.

python-stdnum judges one text; the conditions in SQL say the same of all rows of a table in one statement.
"""

from sqlalchemy import ColumnElement, and_, case, func, or_
from stdnum import ean, isbn

ADDED_DIGITS = (0, 2, 5)  # a supplement behind the bar code proper
CODE_DIGITS = (12, 13)
ISBN_LONG, ISBN_SHORT = 13, 10
ISBN_BEGINNINGS = ("978", "979")


def is_isbn(text: str) -> bool:
    """Whether a text is an ISBN-10 or ISBN-13 in canonical form."""
    return isbn.is_valid(text) and isbn.compact(text) == text


def is_upc(text: str) -> bool:
    """Whether a text is a UPC-A or EAN-13, alone or with a supplement of two or five digits."""
    if not (text.isascii() and text.isdigit()):
        return False
    return any(
        len(text) == length + added and ean.is_valid(text[:length])
        for length in CODE_DIGITS
        for added in ADDED_DIGITS
    )


def is_sku(text: str) -> bool:
    """Whether a text has letters and digits only."""
    return text.isascii() and text.isalnum()


def column_is_isbn(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `is_isbn` judges of one text."""
    last = case((func.substr(text, ISBN_SHORT, 1) == "X", 10), else_=_digit(text, ISBN_SHORT))
    short = (_weighed(text, range(1, ISBN_SHORT)) + last * ISBN_SHORT) % 11 == 0
    return or_(
        and_(
            text.regexp_match(f"^[0-9]{{{ISBN_LONG}}}$"),
            func.left(text, 3).in_(ISBN_BEGINNINGS),
            _ean_fits(text, ISBN_LONG),
        ),
        and_(text.regexp_match(f"^[0-9]{{{ISBN_SHORT - 1}}}[0-9X]$"), short),
    )


def column_is_upc(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `is_upc` judges of one text."""
    fits = [
        and_(func.length(text).in_([digits + added for added in ADDED_DIGITS]), _ean_fits(text, digits))
        for digits in CODE_DIGITS
    ]
    return and_(text.regexp_match("^[0-9]+$"), or_(*fits))


def column_is_sku(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `is_sku` judges of one text."""
    return text.regexp_match("^[A-Za-z0-9]+$")


def _digit(text: ColumnElement[str], place: int) -> ColumnElement[int]:
    """The digit at a place, counted from 1; anything for what is none, but no error."""
    return func.ascii(func.substr(text, place, 1)) - 48


def _weighed(text: ColumnElement[str], weights) -> ColumnElement[int]:
    terms = [_digit(text, place) * weight for place, weight in enumerate(weights, 1)]
    return sum(terms[1:], terms[0])


def _ean_fits(text: ColumnElement[str], digits: int) -> ColumnElement[bool]:
    """Whether the check digit is right, the last of so many with which the text begins.

    Written without making 13 digits of 12, and so twice as quick: their weights are 3 and 1 by turns from the
    end on.
    """
    weights = [3 if (digits - place) % 2 else 1 for place in range(1, digits + 1)]
    return _weighed(text, weights) % 10 == 0
