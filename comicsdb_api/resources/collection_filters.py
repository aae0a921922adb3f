"""The filters of a collection, and their kinds that no other list has."""

import operator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from comicsdb.catalog.filters import Condition, among, contains, equal, is_so, later
from comicsdb.models import CollectionItem, Issue
from comicsdb.models.choices import GRADES, BookFormat, GradingCompany
from comicsdb_api.resource.filters import Choice, Day, Filter, Flag, Int, Later

item, issue = CollectionItem.__table__, Issue.__table__

# How a date is compared: ending of the parameter → the test, and what it asks in words.
COMPARISONS = {
    "": (operator.eq, "{}"),
    "_gt": (operator.gt, "{}: later"),
    "_lt": (operator.lt, "{}: earlier"),
    "_gte": (operator.ge, "{}: then or later"),
    "_lte": (operator.le, "{}: then or earlier"),
}


class Compared(Day):
    """`date` with a comparison: the day itself, or what is earlier or later; an unknown day is neither."""

    def __init__(self, name: str, column, subject: str, comparison: str):
        self.compare, words = COMPARISONS[comparison]
        super().__init__(name + comparison, Condition(self.compare, column), words.format(subject))
        self.column = column

    @classmethod
    def all(cls, name: str, column, subject: str) -> list[Filter]:
        """One filter for each comparison."""
        return [cls(name, column, subject, comparison) for comparison in COMPARISONS]


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


IN_SERIES = Condition(equal, issue.c.series_id, among(item.c.issue_id, issue.c.id))


def _own(column) -> Condition:
    return Condition(equal, column)


COLLECTION = (
    Choice(
        "book_format", _own(item.c.book_format), "Format of the copy", [each.value for each in BookFormat]
    ),
    Choice("grade", _own(item.c.grade), "Grade of the copy, with one decimal", GRADES),
    Choice(
        "grading_company",
        _own(item.c.grading_company),
        "Who graded the copy",
        [each.value for each in GradingCompany],
    ),
    Int("rating", _own(item.c.rating), "number of the reader's stars"),
    Flag("is_read", Condition(is_so, item.c.is_read), "it was read"),
    Int("issue__series", IN_SERIES, "number of a series"),
    Filter("purchase_store", Condition(contains, item.c.purchase_store), "the name of the store"),
    Filter("storage_location", Condition(contains, item.c.storage_location), "the place where it is kept"),
    *Compared.all("purchase_date", item.c.purchase_date, "day on which it was bought"),
    *DayOfMoment.all("date_read", item.c.date_read, "day on which it was last read"),
    Later("modified_gt", Condition(later, item.c.modified), "time of the item's last change"),
)
