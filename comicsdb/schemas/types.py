"""Types of single fields, with the error messages that clients of Metron know."""

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum

import colander
import orjson
from colander import Invalid, SchemaType

from comicsdb.i18n import _, formatted
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import GRADES, Precision
from comicsdb.models.currencies import (
    DECIMALS_MAX,
    ROUNDED,
    WHOLE_DIGITS_MAX,
    Currency,
    decimals_of,
    fits_decimals,
    max_whole_digits,
    round_to_decimals,
)
from comicsdb.values import (
    NUMBER_LENGTH_MAX,
    decimal,
    flag,
    has_possible_offset,
    instant,
    integer,
    iso_day,
    partial_day,
    read_money,
    text_problem,
)

CHOICE_GONE = _("Your choice no longer exists: choose another.")
REQUIRED = _("This field is required.")
NULL = formatted("This field is required.", api="This field may not be null.")
BLANK = formatted("This field is required.", api="This field may not be blank.")
NOT_TEXT = formatted("Enter text.", api="Not a valid string.")
NOT_INTEGER = formatted("Enter a whole number.", api="A valid integer is required.")
NOT_NUMBER = formatted("Enter a number.", api="A valid number is required.")
NOT_BOOLEAN = formatted("Choose yes or no.", api="Must be a valid boolean.")
NOT_DATE = formatted(
    "Enter the date as 2026-12-31.",
    api="Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
)
NOT_DATETIME = formatted(
    "Enter the date and time as 2026-12-31T18:00.",
    api="Datetime has wrong format. Use one of these formats instead: "
    "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
)
BAD_OFFSET = _("The offset from UTC must be less than 16 hours.")
NOT_AMOUNT = formatted(
    "Enter an amount, such as 3.99, 3,99 € or $3.99.",
    api="A valid number is required. Examples: 3.99, 3,99 €, $3.99.",
)
NEGATIVE = formatted("Enter 0 or more.", api="Ensure this value is greater than or equal to 0.")
EMPTY_LIST = formatted("Choose at least one.", api="This list may not be empty.")

_DATETIME = re.compile(
    r"(?!0001|9999)[0-9]{4}-[0-9]{2}-[0-9]{2}"  # years in which every offset lies within the calendar
    r"([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)? ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
TEXT_LENGTH_MAX = 100_000  # characters of a description or note whose column has no limit
LIST_LENGTH_MAX = 5000  # elements; all ids of a list are looked up at once
SHOWN_MAX = 50  # characters of an invalid value that are shown in a message
_TENTH = Decimal("0.1")
PRICE_DIGITS_MAX = 6  # digits before the point in a price in dollars, pounds or euros


def too_long(most: int) -> str:
    """The error message for a text with too many characters."""
    return formatted(
        "Enter at most ${most} characters.",
        api="Ensure this field has no more than ${most} characters.",
        most=most,
    )


def too_many(most: int) -> str:
    """The error message for a list with too many elements."""
    return formatted(
        "Choose at most ${most}.", api="Ensure this field has no more than ${most} elements.", most=most
    )


def not_a_list(value) -> str:
    """The error message for a value that should be a list."""
    return formatted(
        "Choose from the list.",
        api='Expected a list of items but got type "${kind}".',
        kind=type(value).__name__,
    )


def not_a_choice(value: str) -> str:
    """The error message for a value that is not among the choices."""
    return formatted(
        "“${shown}” is not one of the options: choose another.",
        api='"${shown}" is not a valid choice.',
        shown=value,
    )


def no_such_object(number) -> str:
    """The error message for the id of an object that does not exist."""
    return formatted(CHOICE_GONE, api='Invalid pk "${shown}" - object does not exist.', shown=number)


def out_of_range(number, low, high) -> str | None:
    """The error message for a number outside inclusive bounds; None for one within them."""
    if number < low:
        return formatted(
            "Enter ${least} or more.",
            api="Ensure this value is greater than or equal to ${least}.",
            least=low,
        )
    if number > high:
        return formatted(
            "Enter ${most} or less.", api="Ensure this value is less than or equal to ${most}.", most=high
        )
    return None


class Field(SchemaType):
    """Base of the types; a missing value stays missing, and null is invalid unless `nullable`."""

    def __init__(self, *, nullable: bool = False):
        self.nullable = nullable

    def deserialize(self, node, cstruct):
        """The value to store, None, or `colander.null` for a missing value."""
        if cstruct is colander.null:
            return colander.null
        if cstruct is None:
            if self.nullable:
                return None
            raise Invalid(node, NULL)
        return self.read(node, cstruct)

    def read(self, node, value):
        """The value to store for a value that is not null."""
        raise NotImplementedError


class Text(Field):
    """Text without surrounding whitespace; numbers become text.

    `clean` converts it to the form that is stored, before its length is checked. Without a `max_length` it
    may have several lines.
    """

    def __init__(
        self, max_length: int | None = None, *, blank: bool = True, clean: Callable[[str], str] | None = None
    ):
        super().__init__()
        self.max_length = TEXT_LENGTH_MAX if max_length is None else max_length
        self.multiline = max_length is None
        self.blank = blank
        self.clean = clean or str.strip

    def read(self, node, value):
        """The text; raises Invalid for other types, overlong text and characters that are not allowed."""
        if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
            raise Invalid(node, NOT_TEXT)
        text = to_text(value).strip()
        wrong = text_problem(text, lines=self.multiline)
        if wrong:
            raise Invalid(node, wrong)
        text = self.clean(text)
        if not text and not self.blank:
            raise Invalid(node, BLANK)
        if len(text) > self.max_length:
            raise Invalid(node, too_long(self.max_length))
        return text


def to_text(value) -> str:
    """A value as text; Python cannot format numbers of thousands of digits or deeply nested lists."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return "9" * NUMBER_LENGTH_MAX


class Integer(Field):
    """A whole number within inclusive bounds."""

    def __init__(self, low: int, high: int, *, nullable: bool = False):
        super().__init__(nullable=nullable)
        self.low = low
        self.high = high

    def read(self, node, value):
        """The number, which may have decimals that are zero."""
        number = _integer(value)
        if number is None:
            raise Invalid(node, NOT_INTEGER)
        if wrong := out_of_range(number, self.low, self.high):
            raise Invalid(node, wrong)
        return number


def _integer(value) -> int | None:
    """The whole number in a JSON or form value, None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return integer(value.strip()) if isinstance(value, str) else None


class Boolean(Field):
    """True or false, or 1 or 0, or a text in any case."""

    def read(self, node, value):
        """The truth value."""
        truth = flag(value.strip()) if isinstance(value, str) else value
        if truth not in (True, False):  # includes 1 and 0
            raise Invalid(node, NOT_BOOLEAN)
        return bool(truth)


class Date(Field):
    """A date, written YYYY-MM-DD."""

    def read(self, node, value):
        """The date."""
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        found = iso_day(value.strip(), padded=False) if isinstance(value, str) else None
        if found is None:
            raise Invalid(node, NOT_DATE)
        return found


class PartialDate(Date):
    """A date, possibly with only the month or year known: YYYY-MM, YYYY.

    Returns the date, or a pair of the first day and the precision.
    """

    def read(self, node, value):
        """The date or the pair."""
        found = partial_day(value.strip()) if isinstance(value, str) else None
        return super().read(node, value) if found is None or found[1] == Precision.DAY else found


class DateTime(Field):
    """A date with a time, or null; a date alone means midnight.

    Returns a datetime, without a zone if none was sent: the caller decides which zone applies.
    """

    def read(self, node, value):
        """The time."""
        if isinstance(value, datetime):
            return value
        text = value.strip() if isinstance(value, str) else ""
        moment = instant(text) if _DATETIME.fullmatch(text) else None
        if moment is None:
            raise Invalid(node, NOT_DATETIME)
        if not has_possible_offset(moment):
            raise Invalid(node, BAD_OFFSET)
        return moment


class Choice(Field):
    """One of a closed list of codes, or of an enumeration.

    `fold` converts the sent text to the form of the codes. `default` is the code that an empty text in a form
    stands for.
    """

    def __init__(self, codes, *, fold=str, nullable: bool = False, default=None):
        super().__init__(nullable=nullable)
        self.codes = {str(code): code.value if isinstance(code, Enum) else code for code in codes}
        self.fold = fold
        self.default = default

    def read(self, node, value):
        """The code."""
        text = to_text(value)
        code = None if isinstance(value, bool) else self.codes.get(self.fold(text))
        if code is None:
            raise Invalid(node, not_a_choice(text[:SHOWN_MAX]))
        return code


class Id(Field):
    """The id of another object, or none for an empty text; whether it exists is checked later."""

    def __init__(self, *, nullable: bool = False, zero_is_none: bool = False):
        super().__init__(nullable=nullable)
        self.zero_is_none = zero_is_none

    def read(self, node, value):
        """The id; raises Invalid for values that cannot be ids."""
        if value == "":
            return self.deserialize(node, None)
        number = _integer(value)
        if number is None:
            raise Invalid(
                node,
                formatted(
                    "Choose from the list.",
                    api="Incorrect type. Expected pk value, received ${kind}.",
                    kind=type(value).__name__,
                ),
            )
        if number == 0 and self.zero_is_none:
            return self.deserialize(node, None)
        if not 0 < number <= INTEGER_MAX:
            raise Invalid(
                node,
                no_such_object(to_text(number)[:SHOWN_MAX]),
            )
        return number


class ListOf(Field):
    """A list of values of one type; errors are reported by index, but of ids only the first one."""

    def __init__(self, item: Field, *, empty: bool = True):
        super().__init__()
        self.item = item
        self.empty = empty

    @property
    def of_ids(self) -> bool:
        """Whether this is a list of ids of linked objects."""
        return isinstance(self.item, Id)

    def read(self, node, value):
        """The list; ids without duplicates."""
        if not isinstance(value, list | tuple):
            raise Invalid(node, not_a_list(value))
        if not value and not self.empty:
            raise Invalid(node, EMPTY_LIST)
        if len(value) > LIST_LENGTH_MAX:
            raise Invalid(node, too_many(LIST_LENGTH_MAX))
        if self.of_ids:
            return list(dict.fromkeys(self.item.deserialize(node, each) for each in value))
        faults = Invalid(node)
        items = []
        for index, each in enumerate(value):
            place = colander.SchemaNode(self.item, name=str(index))
            try:
                items.append(self.item.deserialize(place, each))
            except Invalid as fault:
                faults.add(fault, index)
        if faults.children:
            raise faults
        return items


class Grade(Field):
    """A grade of the ten-point scale, or null."""

    def read(self, node, value):
        """The grade."""
        grade = decimal_of(value)
        if grade is None:
            raise Invalid(node, NOT_NUMBER)
        if grade not in GRADES:
            raise Invalid(node, not_a_choice(to_text(value)[:SHOWN_MAX]))
        return grade.quantize(_TENTH)


def decimal_of(value) -> Decimal | None:
    """The finite number in a JSON or form value, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    if isinstance(value, str):
        return decimal(value.strip())
    number = Decimal(str(value) if isinstance(value, float) else value)
    return number if number.is_finite() else None


# Prices, as numbers or in the forms that people use.


class Amount(Field):
    """A price as one non-negative decimal number, with the decimals of its currency.

    `whole`: the digits before the point of dollars, pounds and euros; others may have `WHOLE_DIGITS_MAX`. The
    value is the pair of amount and currency code that the schema creates; if the code is None, as only the
    object has the currency, the amount need only be valid in some currency. A text may have a comma for the
    point; the schema has moved a currency in it to a field of its own.
    """

    def __init__(self, whole: int = PRICE_DIGITS_MAX):
        super().__init__(nullable=True)
        self.whole = whole

    def read(self, node, value):
        """The amount."""
        sent, code = value
        amount, written = _parse_money(sent, code)
        if amount is None or written:
            raise Invalid(node, NOT_AMOUNT)
        wrong = NEGATIVE if amount < 0 else self._digits_problem(amount, code)
        if wrong:
            raise Invalid(node, wrong)
        return amount

    def _digits_problem(self, amount: Decimal, code: str | None) -> str | None:
        most_whole = max_whole_digits(code, self.whole) if code else WHOLE_DIGITS_MAX
        most_decimals = decimals_of(code) if code else DECIMALS_MAX
        if amount and code not in ROUNDED:
            amount = amount.normalize()  # 500.00 yen have no decimals
        _sign, digits, exponent = amount.as_tuple()
        decimals = max(0, -exponent)
        whole = max(0, len(digits) + exponent)
        most_digits = most_whole + most_decimals
        if max(len(digits), decimals) + max(0, exponent) > most_digits:
            return formatted(
                "Enter at most ${digits} digits.",
                api="Ensure that there are no more than ${digits} digits in total.",
                digits=most_digits,
            )
        if decimals > most_decimals:
            return _too_many_decimals(most_decimals, code)
        return too_many_digits(most_whole) if whole > most_whole else None


def _too_many_decimals(most: int, code: str | None) -> str:
    if most == 0:
        return formatted("Prices in ${currency} have no decimals: enter a whole number.", currency=code)
    return formatted(
        "Enter at most ${places} decimal places.",
        api="Ensure that there are no more than ${places} decimal places.",
        places=most,
    )


def too_many_digits(whole: int) -> str:
    """The error message for an amount that is too large."""
    return formatted(
        "Enter at most ${whole} digits before the decimal point.",
        api="Ensure that there are no more than ${whole} digits before the decimal point.",
        whole=whole,
    )


def amount_problem(
    amount: Decimal, currency: str, *, whole: int = PRICE_DIGITS_MAX, rounds: bool = False
) -> str | None:
    """The error message for an amount that is not valid in its currency, or None; `whole` as in `Amount`.

    `rounds`: too many decimals in a currency in `ROUNDED` are not an error.
    """
    most = max_whole_digits(currency, whole)
    if amount and amount.adjusted() >= most:
        return too_many_digits(most)
    if rounds and currency in ROUNDED:
        return too_many_digits(most) if round_to_decimals(currency, amount) >= 10**most else None
    return None if fits_decimals(currency, amount) else _too_many_decimals(decimals_of(currency), currency)


def _parse_money(value, currency: str | None = None) -> tuple[Decimal | None, str | None]:
    """The number and the currency in a value; (None, None) if it is not an amount."""
    number = decimal_of(value)
    if number is None and isinstance(value, str):
        return read_money(value, currency) or (None, None)
    return number, None


class Price(Field):
    """A cover price in any of three forms: a number (US dollars), an object, or its JSON text.

    An amount may be written as people write it, with its currency, which must not contradict the object's.
    Returns `(amount, currency)`; `(None, None)` for no price.
    """

    NONE = (None, None)

    def deserialize(self, node, cstruct):
        """The pair; null means no price."""
        return self.NONE if cstruct is None else super().deserialize(node, cstruct)

    def read(self, node, value):
        """The pair, with the decimals of the currency; currencies in `ROUNDED` are rounded half up."""
        value, currency = self._parts(node, value)
        if value is None or (isinstance(value, str) and not value.strip()):
            return self.NONE
        amount, written = _parse_money(value, currency if isinstance(currency, str) else None)
        if currency is None:
            currency = written or Currency.USD.value
        if currency not in list(Currency):
            raise Invalid(
                node,
                formatted(
                    "“${shown}” is not a currency we know. Choose one from the list, or enter its ISO"
                    " 4217 code, such as JPY.",
                    api="Invalid currency '${shown}'. Expected a code of ISO 4217, such as USD, EUR or JPY.",
                    shown=to_text(currency)[:SHOWN_MAX],
                ),
            )
        if amount is None or written not in (None, currency):
            raise Invalid(node, _not_an_amount(value))
        if amount < 0:
            raise Invalid(node, NEGATIVE)
        wrong = amount_problem(amount, currency, rounds=True)
        if wrong:
            raise Invalid(node, wrong)
        return round_to_decimals(currency, amount), currency

    def _parts(self, node, value):
        """The amount and the currency of an object or its JSON text; other values are amounts only."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError as error:
                raise Invalid(node, _not_an_amount(value)) from error
        if isinstance(value, dict):
            return value.get("amount"), value.get("currency") or None
        return value, None


def _not_an_amount(value) -> str:
    return formatted(
        "“${shown}” is not an amount. Enter it as 3.99, 3,99 € or $3.99.",
        api="Invalid price format: ${shown}. Examples: 3.99, 3,99 €, $3.99.",
        shown=to_text(value)[:SHOWN_MAX],
    )
