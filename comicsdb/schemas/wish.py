"""Schemas of wishes, and of the purchases that fulfil them."""

import colander

from comicsdb.models.choices import PRIORITIES, WishStatus
from comicsdb.models.currencies import Currency
from comicsdb.schemas.base import ObjectSchema, date, field, text
from comicsdb.schemas.collection import PLACE_LENGTH, WHOLE_DIGITS, IssueId, VariantId, codes
from comicsdb.schemas.types import Amount, Choice, Grade, Integer


def currency():
    """Create a field for a currency, which only counts together with an amount."""
    return field(Choice(codes(Currency)))


class WishSchema(ObjectSchema):
    """The fields of a wish."""

    variant_id = field(VariantId())
    priority = field(Integer(*PRIORITIES))
    desired_grade = field(Grade(nullable=True))
    max_price = field(Amount(WHOLE_DIGITS))
    max_price_currency = currency()
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """Return the values for `library.wish_list`, with the currency renamed to its column."""
        return _rename(super().deserialize(cstruct), "max_price_currency", "max_currency")


class NewWishSchema(WishSchema):
    """A new wish for an issue."""

    issue_id = field(IssueId(), required=True)


class WishFormSchema(NewWishSchema):
    """A wish in the site's form, which can also set the status."""

    status = field(Choice(codes(WishStatus)))


class PurchaseSchema(ObjectSchema):
    """The fields of a purchase, all optional."""

    purchase_date = date()
    purchase_price = field(Amount(WHOLE_DIGITS))
    purchase_price_currency = currency()
    purchase_store = text(PLACE_LENGTH)
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """Return the values for `library.wish_list.acquire`, with the currency renamed to its column."""
        return _rename(super().deserialize(cstruct), "purchase_price_currency", "purchase_currency")


def _rename(values: dict, name: str, column: str) -> dict:
    if name in values:
        values[column] = values.pop(name)
    return values
