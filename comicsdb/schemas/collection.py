"""Schemas of collection items and of scrobbling."""

import colander

from comicsdb.i18n import _
from comicsdb.models.base import INTEGER_MAX, SMALL_MAX
from comicsdb.models.choices import STARS, BookFormat, GradingCompany
from comicsdb.models.currencies import Currency
from comicsdb.models.library import TAG_LENGTH_MAX, TAGS_MAX
from comicsdb.schemas.base import ObjectSchema, date, field, text
from comicsdb.schemas.types import (
    NOT_INTEGER,
    Amount,
    Boolean,
    Choice,
    DateTime,
    Grade,
    Integer,
    ListOf,
    Text,
    too_many,
)
from comicsdb.values import ordered_tags

PLACE_LENGTH = 255
WHOLE_DIGITS = 8  # digits before the point in a price in dollars, pounds or euros
COMMA_IN_TAG = _("A tag cannot contain a comma.")
SHOWN_MAX = 30  # characters of an invalid id that are shown in a message


class IssueId(Integer):
    """The id of an issue; whether it exists is checked later."""

    def __init__(self):
        super().__init__(1, INTEGER_MAX)

    def read(self, node, value):
        """Return the id; raise Invalid if it cannot be one of an issue."""
        try:
            return super().read(node, value)
        except colander.Invalid as invalid:
            if invalid.msg == NOT_INTEGER:
                raise
            raise colander.Invalid(node, no_issue(value)) from invalid


class VariantId(Integer):
    """The id of a variant; null and "" mean none. Whether the issue has the variant is checked later."""

    def __init__(self):
        super().__init__(1, INTEGER_MAX, nullable=True)

    def read(self, node, value):
        """Return the id, or None."""
        return None if value == "" else super().read(node, value)


class Tags(ListOf):
    """A reader's own tags for an item, without duplicates; commas separate them in forms and files."""

    def __init__(self):
        super().__init__(Text(TAG_LENGTH_MAX, blank=False))

    def read(self, node, value):
        """Return the tags in order."""
        found = ordered_tags(super().read(node, value))
        if any("," in each for each in found):
            raise colander.Invalid(node, COMMA_IN_TAG)
        if len(found) > TAGS_MAX:
            raise colander.Invalid(node, too_many(TAGS_MAX))
        return found


def no_issue(issue_id) -> str:
    """Return the error message for an id that no issue has."""
    return f"Issue with id {str(issue_id).strip()[:SHOWN_MAX]} does not exist."


class CollectionItemSchema(ObjectSchema):
    """The fields of an item."""

    variant_id = field(VariantId())
    quantity = field(Integer(1, SMALL_MAX))
    book_format = field(Choice(BookFormat))
    grade = field(Grade(nullable=True))
    grading_company = field(Choice(("", *GradingCompany)))
    purchase_date = date()
    purchase_price = field(Amount(WHOLE_DIGITS))
    purchase_price_currency = field(Choice(Currency))
    purchase_store = text(PLACE_LENGTH)
    storage_location = text(PLACE_LENGTH)
    tags = field(Tags())
    notes = text()


class CollectionBulkSchema(CollectionItemSchema):
    """Values for many items: `tags` are added to their existing tags."""

    tags_removed = field(Tags())


class CollectionAddSchema(CollectionItemSchema):
    """An issue added to the collection."""

    issue_id = field(IssueId(), required=True)
    another_copy = field(Boolean())


class ReadSchema(ObjectSchema):
    """A read: an issue, and the time it was read (null for an unknown date)."""

    issue_id = field(IssueId(), required=True)
    read_date = field(DateTime(nullable=True))


class ScrobbleSchema(ObjectSchema):
    """A scrobble: an issue, the time it was read (null for now) and its rating (null for none)."""

    issue_id = field(IssueId(), required=True)
    date_read = field(DateTime(nullable=True))
    rating = field(Integer(*STARS, nullable=True))


class StarsSchema(ObjectSchema):
    """The rating of an item; null removes it."""

    rating = field(Choice(range(STARS[0], STARS[1] + 1), nullable=True))
