"""What may be written to a wish, and said of the purchase that fulfils it."""

import colander

from comicsdb.models.choices import PRIORITIES, Currency, WishStatus
from comicsdb.schemas.base import ObjectSchema, day, field, text
from comicsdb.schemas.collection import MOST_DIGITS, PLACE_LENGTH, IssueId, codes
from comicsdb.schemas.prices import Amount
from comicsdb.schemas.types import Choice, Grade, Integer


def currency():
    """The code of a currency; it counts only beside an amount."""
    return field(Choice(codes(Currency)))


class WishSchema(ObjectSchema):
    """The fields of a wish that say how much, and in which state, an issue is wanted."""

    priority = field(Integer(*PRIORITIES))
    desired_grade = field(Grade(nullable=True))
    max_price = field(Amount(MOST_DIGITS))
    max_price_currency = currency()
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """The values for `library.wish`, the currency under its name there."""
        return _renamed(super().deserialize(cstruct), "max_price_currency", "max_currency")


class NewWishSchema(WishSchema):
    """A wish for an issue."""

    issue_id = field(IssueId(), required=True)


class WishFormSchema(NewWishSchema):
    """A wish as its owner sees it on the site, where the status can be set, too."""

    status = field(Choice(codes(WishStatus)))


class PurchaseSchema(ObjectSchema):
    """What is said of a purchase; nothing of it need be known."""

    purchase_date = day()
    purchase_price = field(Amount(MOST_DIGITS))
    purchase_price_currency = currency()
    purchase_store = text(PLACE_LENGTH)
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """The values for `library.wish.acquire`, the currency under its name there."""
        return _renamed(super().deserialize(cstruct), "purchase_price_currency", "purchase_currency")


def _renamed(values: dict, name: str, column: str) -> dict:
    if name in values:
        values[column] = values.pop(name)
    return values
