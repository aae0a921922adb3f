"""Schemas of wishes, and of the purchases that fulfil them."""

from comicsdb.models.choices import PRIORITIES, WishStatus
from comicsdb.models.currencies import Currency
from comicsdb.schemas.base import ObjectSchema, date, field, text
from comicsdb.schemas.collection import PLACE_LENGTH, WHOLE_DIGITS, IssueId, VariantId
from comicsdb.schemas.types import Amount, Choice, Grade, Integer


class WishSchema(ObjectSchema):
    """The fields of a wish."""

    variant_id = field(VariantId())
    priority = field(Integer(*PRIORITIES))
    desired_grade = field(Grade(nullable=True))
    max_price = field(Amount(WHOLE_DIGITS))
    max_price_currency = field(Choice(Currency))
    notes = text()


class NewWishSchema(WishSchema):
    """A new wish for an issue."""

    issue_id = field(IssueId(), required=True)


class WishFormSchema(NewWishSchema):
    """A wish in the site's form, which can also set the status."""

    status = field(Choice(WishStatus))


class PurchaseSchema(ObjectSchema):
    """The fields of a purchase, all optional."""

    purchase_date = date()
    purchase_price = field(Amount(WHOLE_DIGITS))
    purchase_price_currency = field(Choice(Currency))
    purchase_store = text(PLACE_LENGTH)
    notes = text()
