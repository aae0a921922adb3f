"""Schemas of issues, credits and variants."""

import colander

from comicsdb.models.choices import Precision
from comicsdb.models.currencies import Currency
from comicsdb.schemas.base import (
    ObjectSchema,
    code,
    date,
    external_id,
    field,
    issue_number,
    reference,
    references,
    small_integer,
    text,
    texts,
)
from comicsdb.schemas.external_id import external_ids
from comicsdb.schemas.types import Amount, Boolean, Choice, PartialDate, Price

TITLE_LENGTH = 255
STORY_LENGTH = 150
SKU_LENGTH, ISBN_LENGTH, UPC_LENGTH = 12, 13, 20


class IssueSchema(ObjectSchema):
    """An issue; `price` sets both `price` and `currency`, a partial cover date also its precision."""

    series = reference(required=True)
    number = issue_number(required=True)
    alt_number = issue_number()
    title = text(TITLE_LENGTH)
    name = texts(STORY_LENGTH)
    cover_date = field(PartialDate(nullable=True), required=True)
    cover_date_precision = field(Choice(Precision))
    store_date = date()
    foc_date = date()
    price = field(Price())
    rating = reference()
    sku = text(SKU_LENGTH)
    isbn = code(ISBN_LENGTH)
    upc = code(UPC_LENGTH)
    page = small_integer()
    desc = text()
    desc_is_solicitation = field(Boolean())
    arcs = references()
    characters = references()
    teams = references()
    universes = references()
    reprints = references()
    cv_id = external_id()
    gcd_id = external_id()
    external_ids = external_ids()

    def deserialize(self, cstruct=colander.null):
        """Return the values for the catalog; a price always includes its currency."""
        values = super().deserialize(cstruct)
        if "price" in values:
            values["price"], currency = values["price"]
            if currency:
                values["currency"] = currency
        return values


class CreditSchema(ObjectSchema):
    """A creator's credit for an issue."""

    issue = reference(required=True)
    creator = reference(required=True)
    role = references(required=True)


class VariantSchema(ObjectSchema):
    """Another cover of an issue.

    The currency only counts together with a price: a price alone is in US dollars, a currency alone changes
    nothing. The picture is validated elsewhere, as it is a file.
    """

    keeps_currency = False
    name = text(TITLE_LENGTH)
    price = field(Amount())
    price_currency = field(Choice(Currency))
    sku = text(SKU_LENGTH)
    upc = code(UPC_LENGTH)
    issue = reference(required=True)

    def deserialize(self, cstruct=colander.null):
        """Return the values for the catalog."""
        values = super().deserialize(cstruct)
        if "price" in values:
            values.setdefault("currency", Currency.USD.value)
        else:
            values.pop("currency", None)
        return values
