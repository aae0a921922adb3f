"""Types of single fields, with the messages of api.md 1.6 and the scalar rules of 1.3."""

import re
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import colander
import orjson
from colander import Invalid, SchemaType

from comicsdb.models.base import EXTERNAL_ID_MAX
from comicsdb.models.choices import Currency

REQUIRED = "This field is required."
NULL = "This field may not be null."
BLANK = "This field may not be blank."
NOT_TEXT = "Not a valid string."
NOT_INTEGER = "A valid integer is required."
NOT_NUMBER = "A valid number is required."
NOT_BOOLEAN = "Must be a valid boolean."
NOT_DATE = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
EMPTY_LIST = "This list may not be empty."

_INTEGER = re.compile(r"\s*([-+]?[0-9]+)(\.0*)?\s*")
_DATE = re.compile(r"\s*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\s*")
LONGEST_LIST = 5000  # elements; the database is asked for all ids of a list at once
_LONGEST_NUMBER = 1000  # characters; more is no number anybody means
_LONGEST_SHOWN = 50  # characters of what was sent, in a message
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_CENT = Decimal("0.01")
_DIGITS, _DECIMALS = 8, 2
_WHOLE = _DIGITS - _DECIMALS


class Field(SchemaType):
    """Base of the types: a missing value stays missing, null is refused unless the field can be null."""

    def __init__(self, *, nullable: bool = False):
        self.nullable = nullable

    def deserialize(self, node, cstruct):
        """The value to store, None, or `colander.null` for a missing one."""
        if cstruct is colander.null:
            return colander.null
        if cstruct is None:
            if self.nullable:
                return None
            raise Invalid(node, NULL)
        return self.read(node, cstruct)

    def read(self, node, value):
        """The value to store, out of one that is there."""
        raise NotImplementedError


class Text(Field):
    """Text without surrounding white space; numbers become text."""

    def __init__(self, longest: int | None = None, *, blank: bool = True, without: str = ""):
        super().__init__()
        self.longest = longest
        self.blank = blank
        self.without = without  # characters that are dropped before the length counts

    def read(self, node, value):
        """The text; raises Invalid for other things, for too much and for what no database holds."""
        if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
            raise Invalid(node, NOT_TEXT)
        text = _shown(value).strip()
        for character in self.without:
            text = text.replace(character, "")
        if "\0" in text:
            raise Invalid(node, "Null characters are not allowed.")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise Invalid(node, "Surrogate characters are not allowed.")
        if not text and not self.blank:
            raise Invalid(node, BLANK)
        if self.longest is not None and len(text) > self.longest:
            raise Invalid(node, f"Ensure this field has no more than {self.longest} characters.")
        return text


def _shown(value) -> str:
    """A value as text; Python refuses to write numbers of thousands of digits, and lists hundreds deep."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return "9" * _LONGEST_NUMBER


class Integer(Field):
    """A whole number within bounds, both included."""

    def __init__(self, low: int, high: int, *, nullable: bool = False):
        super().__init__(nullable=nullable)
        self.low = low
        self.high = high

    def read(self, node, value):
        """The number, also out of its decimal spelling."""
        number = _integer(value)
        if number is None:
            raise Invalid(node, NOT_INTEGER)
        if number < self.low:
            raise Invalid(node, f"Ensure this value is greater than or equal to {self.low}.")
        if number > self.high:
            raise Invalid(node, f"Ensure this value is less than or equal to {self.high}.")
        return number


def _integer(value) -> int | None:
    """A whole number out of a JSON or form value, None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        found = _INTEGER.fullmatch(value)
        return int(found[1]) if found else None
    return None


class Flag(Field):
    """True or false; also as 1 or 0, and as text in any case."""

    def read(self, node, value):
        """The truth value."""
        found = _FLAGS.get(value.strip().lower()) if isinstance(value, str) else value
        if found not in (True, False):  # 1 and 0 among them
            raise Invalid(node, NOT_BOOLEAN)
        return bool(found)


class Day(Field):
    """A date, written YYYY-MM-DD."""

    def read(self, node, value):
        """The date."""
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        found = _DATE.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise Invalid(node, NOT_DATE)
        try:
            return date(*map(int, found.groups()))
        except ValueError as error:
            raise Invalid(node, NOT_DATE) from error


class Choice(Field):
    """One of a closed list of codes; `fold` brings what was sent to the form in which codes are listed."""

    def __init__(self, codes, *, fold=str):
        super().__init__()
        self.codes = {str(code): code for code in codes}
        self.fold = fold

    def read(self, node, value):
        """The code."""
        text = _shown(value)
        code = None if isinstance(value, bool) else self.codes.get(self.fold(text))
        if code is None:
            raise Invalid(node, f'"{text[:_LONGEST_SHOWN]}" is not a valid choice.')
        return code


class Id(Field):
    """The id of another object; an empty text means none. Whether it exists is asked later."""

    def __init__(self, *, nullable: bool = False, zero_is_none: bool = False):
        super().__init__(nullable=nullable)
        self.zero_is_none = zero_is_none

    def read(self, node, value):
        """The id; raises Invalid for what can be none of any row."""
        if value == "":
            return self.deserialize(node, None)
        number = _integer(value)
        if number is None:
            raise Invalid(node, f"Incorrect type. Expected pk value, received {type(value).__name__}.")
        if number == 0 and self.zero_is_none:
            return self.deserialize(node, None)
        if not 0 < number <= EXTERNAL_ID_MAX:
            raise Invalid(node, f'Invalid pk "{_shown(number)[:_LONGEST_SHOWN]}" - object does not exist.')
        return number


class ListOf(Field):
    """A list of values of one type. Faults of texts are told by index; of ids, the first for the whole."""

    def __init__(self, item: Field, *, empty: bool = True):
        super().__init__()
        self.item = item
        self.empty = empty

    @property
    def of_ids(self) -> bool:
        """Whether it links the object to others."""
        return isinstance(self.item, Id)

    def read(self, node, value):
        """The list; of ids each once, in the order sent."""
        if not isinstance(value, list | tuple):
            raise Invalid(node, f'Expected a list of items but got type "{type(value).__name__}".')
        if not value and not self.empty:
            raise Invalid(node, EMPTY_LIST)
        if len(value) > LONGEST_LIST:
            raise Invalid(node, f"Ensure this field has no more than {LONGEST_LIST} elements.")
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


class Amount(Field):
    """A price as one decimal number (variants): 8 digits, 2 of them decimals, not negative."""

    def __init__(self):
        super().__init__(nullable=True)

    def read(self, node, value):
        """The amount."""
        amount = _decimal(value)
        if amount is None:
            raise Invalid(node, NOT_NUMBER)
        if amount < 0:
            raise Invalid(node, "Ensure this value is greater than or equal to 0.")
        _, digits, exponent = amount.as_tuple()
        decimals = max(0, -exponent)
        whole = max(0, len(digits) + exponent)
        if max(len(digits), decimals) + max(0, exponent) > _DIGITS:
            raise Invalid(node, f"Ensure that there are no more than {_DIGITS} digits in total.")
        if decimals > _DECIMALS:
            raise Invalid(node, f"Ensure that there are no more than {_DECIMALS} decimal places.")
        if whole > _WHOLE:
            raise Invalid(node, too_long())
        return amount


def too_long() -> str:
    """The message for an amount that does not fit its column."""
    return f"Ensure that there are no more than {_WHOLE} digits before the decimal point."


def _decimal(value) -> Decimal | None:
    """A finite number out of a JSON or form value, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
        return None
    try:
        number = Decimal(str(value) if isinstance(value, float) else value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


class Price(Field):
    """A cover price in any of the forms of api.md 2.6: a number (US dollars), an object, or its JSON text.

    Gives `(amount, currency)`; `(None, None)` for no price.
    """

    NONE = (None, None)

    def deserialize(self, node, cstruct):
        """The pair; null is no price."""
        return self.NONE if cstruct is None else super().deserialize(node, cstruct)

    def read(self, node, value):
        """The pair, rounded half up to two decimals."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError as error:
                raise Invalid(node, _strange(value)) from error
        currency = Currency.USD.value
        if isinstance(value, dict):
            currency = value.get("currency") or currency
            value = value.get("amount")
        if value is None or (isinstance(value, str) and not value.strip()):
            return self.NONE
        if currency not in list(Currency):
            supported = ", ".join(Currency)
            shown = _shown(currency)[:_LONGEST_SHOWN]
            raise Invalid(node, f"Invalid currency '{shown}'. Supported: {supported}")
        amount = _decimal(value)
        if amount is None:
            raise Invalid(node, _strange(value))
        if amount < 0:
            raise Invalid(node, "Ensure this value is greater than or equal to 0.")
        if amount and amount.adjusted() >= _WHOLE:
            raise Invalid(node, too_long())
        amount = amount.quantize(_CENT, ROUND_HALF_UP)
        if amount.adjusted() >= _WHOLE:  # 999999.999 has become a million
            raise Invalid(node, too_long())
        return amount, currency


def _strange(value) -> str:
    return f"Invalid price format: {_shown(value)[:_LONGEST_SHOWN]}"
