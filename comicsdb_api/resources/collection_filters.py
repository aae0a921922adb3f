"""The filters of a collection, and the types of date filters that they need."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from comicsdb.catalog.filters import (
    Condition,
    Operator,
    at_least,
    at_most,
    contains,
    equal,
    equals_flag,
    greater,
    in_subquery,
    less,
    within,
)
from comicsdb.library.collection.filters import has_tag
from comicsdb.models import CollectionItem, Issue
from comicsdb.models.choices import GRADES, BookFormat, GradingCompany
from comicsdb_api.resource.filters import (
    BooleanFilter,
    ChoiceFilter,
    DateFilter,
    Filter,
    IntegerFilter,
    LaterThanFilter,
)

item, issue = CollectionItem.__table__, Issue.__table__

# Comparisons of dates: suffix of the parameter → operator, and description.
COMPARISONS = {
    "": (equal, "{}"),
    "_gt": (greater, "{}: after this date"),
    "_lt": (less, "{}: before this date"),
    "_gte": (at_least, "{}: this date or later"),
    "_lte": (at_most, "{}: this date or earlier"),
}


class DateComparisonFilter(DateFilter):
    """A date with a comparison: equal, earlier or later; unknown dates match none of them."""

    def __init__(self, name: str, column, subject: str, comparison: str):
        self.comparison = comparison
        test, words = COMPARISONS[comparison]
        super().__init__(name + comparison, Condition(test, column), words.format(subject))

    @classmethod
    def all(cls, name: str, column, subject: str) -> list[Filter]:
        """One filter for each comparison."""
        return [cls(name, column, subject, comparison) for comparison in COMPARISONS]


class LocalDateFilter(DateComparisonFilter):
    """A date that is compared with a time; days begin and end in the site's time zone."""

    description = "{}; in the site's time zone."
    # "Later than a day" means from the end of that day on.
    tests = {"": within, "_gt": at_least, "_lt": less, "_gte": at_least, "_lte": less}

    def __init__(self, name, column, subject, comparison):
        super().__init__(name, column, subject, comparison)
        self.condition = Condition(self.tests[comparison], column)

    def parse(self, value, zone):
        day = self.day(value)
        begin, end = _begin(day, zone), _end(day, zone)
        if self.comparison == "":
            return self.clause_for((begin, end))
        return self.clause_for(end if self.comparison in ("_gt", "_lte") else begin)


def _begin(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)


def _end(day: date, zone: ZoneInfo) -> datetime:
    return _begin(day + timedelta(days=1), zone) if day < date.max else datetime.max.replace(tzinfo=UTC)


IN_SERIES = Condition(equal, issue.c.series_id, in_subquery(item.c.issue_id, issue.c.id))


def _own(column) -> Condition:
    return Condition(equal, column)


COLLECTION_FILTERS = (
    ChoiceFilter(
        "book_format", _own(item.c.book_format), "Format of the copy", [each.value for each in BookFormat]
    ),
    ChoiceFilter("grade", _own(item.c.grade), "Grade of the copy, with one decimal", GRADES),
    ChoiceFilter(
        "grading_company",
        _own(item.c.grading_company),
        "Company that graded the copy",
        [each.value for each in GradingCompany],
    ),
    IntegerFilter("rating", _own(item.c.rating), "the account's rating"),
    BooleanFilter("is_read", Condition(equals_flag, item.c.is_read), "it was read"),
    IntegerFilter("issue__series", IN_SERIES, "id of the series"),
    Filter("purchase_store", Condition(contains, item.c.purchase_store), "the name of the store"),
    Filter("storage_location", Condition(contains, item.c.storage_location), "the storage location"),
    Filter("tag", Condition(Operator(has_tag), item.c.tags), "one of its tags; case is ignored"),
    *DateComparisonFilter.all("purchase_date", item.c.purchase_date, "date of purchase"),
    *LocalDateFilter.all("date_read", item.c.date_read, "date on which it was last read"),
    LaterThanFilter("modified_gt", Condition(greater, item.c.modified), "time of the item's last change"),
)
