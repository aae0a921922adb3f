"""Types of fields that hold prices, as numbers or as people write them."""

from decimal import ROUND_HALF_UP, Decimal

import orjson
from colander import Invalid

from comicsdb.i18n import _, said
from comicsdb.models.choices import Currency
from comicsdb.schemas.types import MAX_SHOWN, Field, decimal_of, shown
from comicsdb.values import read_money

NOT_AMOUNT = _("A valid number is required. Examples: 3.99, 3,99 €, $3.99.")
_CENT = Decimal("0.01")
_DIGITS, _DECIMALS = 8, 2
_WHOLE = _DIGITS - _DECIMALS


class Amount(Field):
    """A price as one decimal number, not negative: 8 digits (variants) or as many, 2 of them decimals.

    A text may have a comma for the point; a currency in it was put into a field of its own by the schema.
    """

    def __init__(self, digits: int = _DIGITS):
        super().__init__(nullable=True)
        self.digits = digits

    @property
    def whole(self) -> int:
        """How many digits there may be before the decimal point."""
        return self.digits - _DECIMALS

    def read(self, node, value):
        """The amount."""
        amount, currency = _money(value)
        if amount is None or currency:
            raise Invalid(node, NOT_AMOUNT)
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


def too_long(whole: int = _WHOLE) -> str:
    """The message for an amount that does not fit its column."""
    return said("Ensure that there are no more than ${whole} digits before the decimal point.", whole=whole)


def _money(value) -> tuple[Decimal | None, str | None]:
    """A finite number and the currency written with it; (None, None) for what is no amount."""
    number = decimal_of(value)
    if number is None and isinstance(value, str):
        return read_money(value) or (None, None)
    return number, None


class Price(Field):
    """A cover price in any of three forms: a number (US dollars), an object, or its JSON text.

    An amount may be written as people do, with its currency, which must not be another than the object's.
    Gives `(amount, currency)`; `(None, None)` for no price.
    """

    NONE = (None, None)

    def deserialize(self, node, cstruct):
        """The pair; null is no price."""
        return self.NONE if cstruct is None else super().deserialize(node, cstruct)

    def read(self, node, value):
        """The pair, rounded half up to two decimals."""
        value, currency = self._parts(node, value)
        if value is None or (isinstance(value, str) and not value.strip()):
            return self.NONE
        amount, written = _money(value)
        if currency is None:
            currency = written or Currency.USD.value
        if currency not in list(Currency):
            supported = ", ".join(Currency)
            sent = shown(currency)[:MAX_SHOWN]
            raise Invalid(
                node,
                said("Invalid currency '${shown}'. Supported: ${supported}", shown=sent, supported=supported),
            )
        if amount is None or written not in (None, currency):
            raise Invalid(node, _strange(value))
        if amount < 0:
            raise Invalid(node, _("Ensure this value is greater than or equal to 0."))
        if amount and amount.adjusted() >= _WHOLE:
            raise Invalid(node, too_long())
        amount = amount.quantize(_CENT, ROUND_HALF_UP)
        if amount.adjusted() >= _WHOLE:  # 999999.999 has become a million
            raise Invalid(node, too_long())
        return amount, currency

    def _parts(self, node, value):
        """The amount and the currency of an object or its JSON text; anything else is an amount alone."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError as error:
                raise Invalid(node, _strange(value)) from error
        if isinstance(value, dict):
            return value.get("amount"), value.get("currency") or None
        return value, None


def _strange(value) -> str:
    return said(
        "Invalid price format: ${shown}. Examples: 3.99, 3,99 €, $3.99.",
        shown=shown(value)[:MAX_SHOWN],
    )
