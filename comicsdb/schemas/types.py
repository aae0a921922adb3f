"""Types of single fields, with the messages of api.md 1.6 and the scalar rules of 1.3."""

import re
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

import colander
import orjson
from colander import Invalid, SchemaType

from comicsdb.i18n import _, said
from comicsdb.models.base import EXTERNAL_ID_MAX
from comicsdb.models.choices import GRADES, Currency
from comicsdb.numbers import decimal

REQUIRED = _("This field is required.")
NULL = _("This field may not be null.")
BLANK = _("This field may not be blank.")
NOT_TEXT = _("Not a valid string.")
NOT_INTEGER = _("A valid integer is required.")
NOT_NUMBER = _("A valid number is required.")
NOT_BOOLEAN = _("Must be a valid boolean.")
NOT_DATE = _("Date has wrong format. Use one of these formats instead: YYYY-MM-DD.")
NOT_MOMENT = _(
    "Datetime has wrong format. Use one of these formats instead: "
    "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
)
EMPTY_LIST = _("This list may not be empty.")

_INTEGER = re.compile(r"\s*([-+]?[0-9]+)(\.0*)?\s*")
_DATE = re.compile(r"\s*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\s*")
_MOMENT = re.compile(
    r"(?!0001|9999)[0-9]{4}-[0-9]{2}-[0-9]{2}"  # years whose every offset lies within the calendar
    r"([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)? ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
LONGEST_LIST = 5000  # elements; the database is asked for all ids of a list at once
_LONGEST_NUMBER = 1000  # characters; more is no number anybody means
_LONGEST_SHOWN = 50  # characters of what was sent, in a message
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_CENT = Decimal("0.01")
_TENTH = Decimal("0.1")
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
            raise Invalid(node, _("Null characters are not allowed."))
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise Invalid(node, _("Surrogate characters are not allowed."))
        if not text and not self.blank:
            raise Invalid(node, BLANK)
        if self.longest is not None and len(text) > self.longest:
            raise Invalid(
                node, said("Ensure this field has no more than ${most} characters.", most=self.longest)
            )
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
            raise Invalid(
                node, said("Ensure this value is greater than or equal to ${least}.", least=self.low)
            )
        if number > self.high:
            raise Invalid(node, said("Ensure this value is less than or equal to ${most}.", most=self.high))
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


class Moment(Field):
    """A date with a time, or null; without a time it is midnight.

    Gives a datetime, without a zone where none was sent: whoever asks knows which is meant.
    """

    def read(self, node, value):
        """The moment."""
        if isinstance(value, datetime):
            return value
        text = value.strip() if isinstance(value, str) else ""
        if not _MOMENT.fullmatch(text):
            raise Invalid(node, NOT_MOMENT)
        try:
            return datetime.fromisoformat(text.upper().replace(" ", "T", 1).replace(" ", ""))
        except ValueError as error:
            raise Invalid(node, NOT_MOMENT) from error


class Choice(Field):
    """One of a closed list of codes; `fold` brings what was sent to the form in which codes are listed."""

    def __init__(self, codes, *, fold=str, nullable: bool = False):
        super().__init__(nullable=nullable)
        self.codes = {str(code): code for code in codes}
        self.fold = fold

    def read(self, node, value):
        """The code."""
        text = _shown(value)
        code = None if isinstance(value, bool) else self.codes.get(self.fold(text))
        if code is None:
            raise Invalid(node, said('"${shown}" is not a valid choice.', shown=text[:_LONGEST_SHOWN]))
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
            raise Invalid(
                node, said("Incorrect type. Expected pk value, received ${kind}.", kind=type(value).__name__)
            )
        if number == 0 and self.zero_is_none:
            return self.deserialize(node, None)
        if not 0 < number <= EXTERNAL_ID_MAX:
            raise Invalid(
                node,
                said('Invalid pk "${shown}" - object does not exist.', shown=_shown(number)[:_LONGEST_SHOWN]),
            )
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
            raise Invalid(
                node, said('Expected a list of items but got type "${kind}".', kind=type(value).__name__)
            )
        if not value and not self.empty:
            raise Invalid(node, EMPTY_LIST)
        if len(value) > LONGEST_LIST:
            raise Invalid(
                node, said("Ensure this field has no more than ${most} elements.", most=LONGEST_LIST)
            )
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
    """A price as one decimal number, not negative: 8 digits (variants) or as many, 2 of them decimals."""

    def __init__(self, digits: int = _DIGITS):
        super().__init__(nullable=True)
        self.digits = digits

    @property
    def whole(self) -> int:
        """How many digits there may be before the decimal point."""
        return self.digits - _DECIMALS

    def read(self, node, value):
        """The amount."""
        amount = _decimal(value)
        if amount is None:
            raise Invalid(node, NOT_NUMBER)
        if amount < 0:
            raise Invalid(node, _("Ensure this value is greater than or equal to 0."))
        _sign, digits, exponent = amount.as_tuple()
        decimals = max(0, -exponent)
        whole = max(0, len(digits) + exponent)
        if max(len(digits), decimals) + max(0, exponent) > self.digits:
            raise Invalid(
                node,
                said("Ensure that there are no more than ${digits} digits in total.", digits=self.digits),
            )
        if decimals > _DECIMALS:
            raise Invalid(
                node, said("Ensure that there are no more than ${places} decimal places.", places=_DECIMALS)
            )
        if whole > self.whole:
            raise Invalid(node, too_long(self.whole))
        return amount


class Grade(Field):
    """A grade of the ten-point scale, or null (model.md 12.8)."""

    def read(self, node, value):
        """The grade."""
        grade = _decimal(value)
        if grade is None:
            raise Invalid(node, NOT_NUMBER)
        if grade not in GRADES:
            raise Invalid(
                node, said('"${shown}" is not a valid choice.', shown=_shown(value)[:_LONGEST_SHOWN])
            )
        return grade.quantize(_TENTH)


def too_long(whole: int = _WHOLE) -> str:
    """The message for an amount that does not fit its column."""
    return said("Ensure that there are no more than ${whole} digits before the decimal point.", whole=whole)


def _decimal(value) -> Decimal | None:
    """A finite number out of a JSON or form value, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    if isinstance(value, str):
        return decimal(value.strip()) if len(value) <= _LONGEST_NUMBER else None
    number = Decimal(str(value) if isinstance(value, float) else value)
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
            raise Invalid(
                node,
                said(
                    "Invalid currency '${shown}'. Supported: ${supported}", shown=shown, supported=supported
                ),
            )
        amount = _decimal(value)
        if amount is None:
            raise Invalid(node, _strange(value))
        if amount < 0:
            raise Invalid(node, _("Ensure this value is greater than or equal to 0."))
        if amount and amount.adjusted() >= _WHOLE:
            raise Invalid(node, too_long())
        amount = amount.quantize(_CENT, ROUND_HALF_UP)
        if amount.adjusted() >= _WHOLE:  # 999999.999 has become a million
            raise Invalid(node, too_long())
        return amount, currency


def _strange(value) -> str:
    return said("Invalid price format: ${shown}", shown=_shown(value)[:_LONGEST_SHOWN])
