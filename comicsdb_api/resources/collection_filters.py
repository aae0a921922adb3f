"""The filters of a collection, and their kinds that no other list has."""

import operator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement

from comicsdb.models import CollectionItem, Issue
from comicsdb.models.choices import GRADES, BookFormat, GradingCompany
from comicsdb_api.resource.filters import Choice, Contains, Day, Filter, Int, Later, Missing
from comicsdb_api.resources.filters import among

item, issue = CollectionItem.__table__, Issue.__table__

# How a date is compared: ending of the parameter → the test, and what it asks in words.
COMPARISONS = {
    "": (operator.eq, "{}"),
    "_gt": (operator.gt, "{}: later"),
    "_lt": (operator.lt, "{}: earlier"),
    "_gte": (operator.ge, "{}: then or later"),
    "_lte": (operator.le, "{}: then or earlier"),
}


class Truth(Missing):
    """`bool`: whether something is so."""

    says = "Whether {}; anything but true, false, 1 and 0 is ignored."

    def test(self, value, zone):  # noqa: ARG002
        wanted = self.words.get(value.lower())
        return None if wanted is None else self.column.is_(wanted)


class Compared(Day):
    """`date` with a comparison: the day itself, or what is earlier or later; an unknown day is neither."""

    def __init__(self, name: str, column, subject: str, comparison: str):
        self.compare, words = COMPARISONS[comparison]
        super().__init__(name + comparison, column, words.format(subject))

    @classmethod
    def all(cls, name: str, column, subject: str) -> list[Filter]:
        """One filter for each comparison."""
        return [cls(name, column, subject, comparison) for comparison in COMPARISONS]

    def test(self, value, zone) -> ColumnElement[bool]:  # noqa: ARG002
        return self.compare(self.column, self.day(value))


class DayOfMoment(Compared):
    """The day of a moment, which begins and ends as it does in the site's zone."""

    says = "{}; days are those of the site's time zone."

    def test(self, value, zone):
        day = self.day(value)
        begin, end = _begin(day, zone), _end(day, zone)
        if self.compare is operator.eq:
            return (self.column >= begin) & (self.column < end)
        if self.compare in (operator.gt, operator.le):  # what is later than a day begins where it ends
            return self.column >= end if self.compare is operator.gt else self.column < end
        return self.compare(self.column, begin)


def _begin(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)


def _end(day: date, zone: ZoneInfo) -> datetime:
    return _begin(day + timedelta(days=1), zone) if day < date.max else datetime.max.replace(tzinfo=UTC)


COLLECTION = (
    Choice("book_format", item.c.book_format, "Format of the copy", [each.value for each in BookFormat]),
    Choice("grade", item.c.grade, "Grade of the copy, with one decimal", GRADES),
    Choice(
        "grading_company",
        item.c.grading_company,
        "Who graded the copy",
        [each.value for each in GradingCompany],
    ),
    Int("rating", item.c.rating, "number of the reader's stars"),
    Truth("is_read", item.c.is_read, "it was read"),
    Int("issue__series", issue.c.series_id, "number of a series", of=among(item.c.issue_id, issue.c.id)),
    Contains("purchase_store", item.c.purchase_store, "the name of the store"),
    Contains("storage_location", item.c.storage_location, "the place where it is kept"),
    *Compared.all("purchase_date", item.c.purchase_date, "day on which it was bought"),
    *DayOfMoment.all("date_read", item.c.date_read, "day on which it was last read"),
    Later("modified_gt", item.c.modified, "time of the item's last change"),
)
