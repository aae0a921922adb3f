"""Items of a collection, and what is said of reading them."""

import colander

from comicsdb.models.base import INTEGER_MAX, SMALL_MAX
from comicsdb.models.choices import STARS, BookFormat, Currency, GradingCompany
from comicsdb.schemas.base import ObjectSchema, day, field, text
from comicsdb.schemas.prices import Amount
from comicsdb.schemas.types import NOT_INTEGER, Choice, Grade, Integer, Moment

PLACE_LENGTH = 255
MOST_DIGITS = 10
LONGEST_SHOWN = 30  # characters of an id, in a message


def codes(choices) -> list[str]:
    """The codes of a closed list as plain texts."""
    return [choice.value for choice in choices]


class IssueId(Integer):
    """The id of an issue, of which it is only asked later whether there is one."""

    def __init__(self):
        super().__init__(1, INTEGER_MAX)

    def read(self, node, value):
        """The id; raises Invalid for what can be none of any issue."""
        try:
            return super().read(node, value)
        except colander.Invalid as invalid:
            if invalid.msg == NOT_INTEGER:
                raise
            raise colander.Invalid(node, no_issue(value)) from invalid


def no_issue(issue_id) -> str:
    """What is said of an id of no issue."""
    return f"Issue with id {str(issue_id).strip()[:LONGEST_SHOWN]} does not exist."


class CollectionItemSchema(ObjectSchema):
    """What a reader says of an item."""

    quantity = field(Integer(1, SMALL_MAX))
    book_format = field(Choice(codes(BookFormat)))
    grade = field(Grade(nullable=True))
    grading_company = field(Choice(["", *codes(GradingCompany)]))
    purchase_date = day()
    purchase_price = field(Amount(MOST_DIGITS))
    purchase_price_currency = field(Choice(codes(Currency)))
    purchase_store = text(PLACE_LENGTH)
    storage_location = text(PLACE_LENGTH)
    notes = text()

    def deserialize(self, cstruct=colander.null):
        """The values for `library.collection`, the currency under its name there."""
        values = super().deserialize(cstruct)
        if "purchase_price_currency" in values:
            values["purchase_currency"] = values.pop("purchase_price_currency")
        return values


class CollectionAddSchema(CollectionItemSchema):
    """An issue that comes into the collection."""

    issue_id = field(IssueId(), required=True)


class ScrobbleSchema(ObjectSchema):
    """An issue that was read, when, and how many stars it gets; null stands for now, and for no stars."""

    issue_id = field(IssueId(), required=True)
    date_read = field(Moment(nullable=True))
    rating = field(Integer(*STARS, nullable=True))


class StarsSchema(ObjectSchema):
    """The stars of an item; null takes them back."""

    rating = field(Choice(range(STARS[0], STARS[1] + 1), nullable=True))
