"""The conditions of list filters, declared once for each kind.

API and site parse the values of their own parameters and word their own errors.

A condition refers to the list's own table and to subqueries, never to tables that the list joins: counting
uses only that table, and no row is found twice. All values are bound parameters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Float, Integer, extract, false, func, literal, select
from sqlalchemy.sql.elements import False_

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS
from comicsdb.models import (
    AgeRating,
    Credit,
    Genre,
    Imprint,
    Issue,
    Publisher,
    Series,
    SeriesType,
    credit_role,
    series_genre,
)

LONGEST = 1000  # characters of a searched text; no folded name has as many

Test = Callable[..., ColumnElement[bool]]


def unchanged(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The same condition, for columns of the list's own table."""
    return condition


@dataclass(frozen=True)
class Condition:
    """A test of one or more columns against a value.

    For columns of another table, `of` converts the condition into one on the list's own.
    """

    test: Test
    column: object
    of: Callable = unchanged

    def __call__(self, value) -> ColumnElement[bool]:
        """The condition for a value."""
        return self.of(self.test(self.column, value))


# Tests of columns.


def equal(column, value) -> ColumnElement[bool]:
    """Equal to the value."""
    return column == (literal(value, Integer) if type(value) is int else value)


def any_of(column, values) -> ColumnElement[bool]:
    """One of several values."""
    return column.in_(values)


def at_least(column, value) -> ColumnElement[bool]:
    """The value or a greater one; never null."""
    return column >= (literal(value, Float) if type(value) is float else value)


def at_most(column, value) -> ColumnElement[bool]:
    """The value or a smaller one."""
    return column <= value


def later(column, value) -> ColumnElement[bool]:
    """Later than the value."""
    return column > value


def in_year(column, year: int) -> ColumnElement[bool]:
    """A date in a year."""
    if not date.min.year <= year <= date.max.year:
        return false()
    return column.between(date(year, 1, 1), date(year, 12, 31))


def in_month(column, month: int) -> ColumnElement[bool]:
    """A date in a month, 1 to 12, of any year."""
    return extract("month", column) == literal(month, Integer)


def is_so(column, wanted: bool) -> ColumnElement[bool]:
    """True or false."""
    return column.is_(wanted)


def missing(column, wanted: bool) -> ColumnElement[bool]:
    """Whether the value is missing."""
    return column.is_(None) if wanted else column.is_not(None)


same = search.same
same_isbn = search.same_isbn


def contains(column, text: str) -> ColumnElement[bool]:
    """Contains a text, ignoring case."""
    return false() if len(text) > LONGEST else search.contains(column, text)


def phrase(column, text: str) -> ColumnElement[bool]:
    """Contains a text, ignoring case and accents; the column is folded."""
    return false() if len(text) > LONGEST else search.holds(column, text)


def words(columns, text: str) -> ColumnElement[bool]:
    """Every word is in one of the folded columns."""
    wanted = text.split()[: search.WORDS_MAX]
    return false() if any(len(word) > LONGEST for word in wanted) else search.in_any(columns, wanted)


def same_upc(_column, code: str) -> ColumnElement[bool]:
    """The barcode of the issue or of one of its variants."""
    return search.issues_with_upc(lambda column: search.same_code(column, code))


def upc_begins(_column, start: str) -> ColumnElement[bool]:
    """The beginning of that barcode."""
    if len(start) > LONGEST:
        return false()
    return search.issues_with_upc(lambda column: search.code_begins(column, start))


# Conversion of conditions on other tables into those on the list's own.


def among(column, found, *joined) -> Callable:
    """Convert a condition: `column` is one of the values of `found` in rows that meet it.

    The subquery is not correlated, so the list may join the same table.
    """

    def turned(condition):
        if isinstance(condition, False_):  # no need to join other tables
            return condition
        return column.in_(select(found).where(condition, *joined).correlate(None))

    return turned


def both(outer: Callable, inner: Callable) -> Callable:
    """Apply two conversions."""
    return lambda condition: outer(inner(condition))


# The conditions of each kind.

issue, series, publisher, imprint = (each.__table__ for each in (Issue, Series, Publisher, Imprint))
series_type, age_rating, genre, credit = (each.__table__ for each in (SeriesType, AgeRating, Genre, Credit))


def named(model) -> dict[str, Condition]:
    """The conditions of most kinds; reference data have no folded column."""
    table = model.__table__
    found = {"modified_gt": Condition(later, table.c.modified)}
    if "name" in table.c and model is not Issue:
        name = table.c.folded if "folded" in table.c else func.fold(table.c.name)
        found["name"] = Condition(phrase, name)
    for column in ("cv_id", "gcd_id"):
        if column in table.c:
            found[column] = Condition(any_of, table.c[column])
            found[f"missing_{column}"] = Condition(missing, table.c[column])
    return found


def in_issue(table) -> Callable:
    """Convert conditions on rows of issues to issues."""
    return among(issue.c.id, table.c.issue_id)


def in_issue_of_series(table) -> Callable:
    """Convert conditions on rows of issues to the series of those issues."""
    return among(series.c.id, issue.c.series_id, issue.c.id == table.c.issue_id)


def _contents(of: Callable) -> dict[str, Condition]:
    """Contents of issues; different issues of a series, or credits, may meet different conditions."""
    links = (link for link in KINDS["issue"].links if not link.symmetric)
    return {
        "creator_id": Condition(equal, credit.c.creator_id, of(credit)),
        "role_id": Condition(any_of, credit_role.c.role_id, of(credit_role)),
        **{link.other: Condition(equal, link.table.c[link.other], of(link.table)) for link in links},
    }


def _of_series(prefix: str, of: Callable) -> dict[str, Condition]:
    """The conditions on series, and on the series of issues."""
    of_publisher = both(of, among(series.c.publisher_id, publisher.c.id))
    of_imprint = both(of, among(series.c.imprint_id, imprint.c.id))
    of_genres = both(of, among(series.c.id, series_genre.c.series_id))
    of_genre = both(of_genres, among(series_genre.c.genre_id, genre.c.id))
    of_type = both(of, among(series.c.series_type_id, series_type.c.id))
    return {
        f"{prefix}name": Condition(words, (series.c.folded,), of),
        f"{prefix}alt_names": Condition(phrase, series.c.alt_folded, of),
        f"{prefix}alt_names_words": Condition(words, (series.c.alt_folded,), of),
        f"{prefix}q": Condition(words, (series.c.folded, series.c.alt_folded), of),
        f"{prefix}volume": Condition(equal, series.c.volume, of),
        f"{prefix}year_began": Condition(equal, series.c.year_began, of),
        "series_type_id": Condition(equal, series.c.series_type_id, of),
        "series_type": Condition(contains, series_type.c.name, of_type),
        "publisher_id": Condition(equal, series.c.publisher_id, of),
        "publisher_name": Condition(contains, publisher.c.name, of_publisher),
        "publisher_words": Condition(words, (publisher.c.folded,), of_publisher),
        "imprint_id": Condition(equal, series.c.imprint_id, of),
        "imprint_name": Condition(contains, imprint.c.name, of_imprint),
        "imprint_words": Condition(words, (imprint.c.folded,), of_imprint),
        "genre_id": Condition(any_of, series_genre.c.genre_id, of_genres),
        "genre": Condition(phrase, func.fold(genre.c.name), of_genre),
    }


def _days(name: str, column) -> dict[str, Condition]:
    return {
        name: Condition(equal, column),
        f"{name}_after": Condition(at_least, column),
        f"{name}_before": Condition(at_most, column),
    }


PUBLISHER = named(Publisher) | {
    "name_words": Condition(words, (publisher.c.folded,)),
    "alt_names": Condition(phrase, publisher.c.alt_folded),
    "alt_names_words": Condition(words, (publisher.c.alt_folded,)),
    "q": Condition(words, (publisher.c.folded, publisher.c.alt_folded)),
    "country": Condition(equal, publisher.c.country),
    "founded_gte": Condition(at_least, publisher.c.founded),
    "founded_lte": Condition(at_most, publisher.c.founded),
}

SERIES = (
    named(Series)
    | _of_series("", unchanged)
    | _contents(in_issue_of_series)
    | {
        "year_began_gte": Condition(at_least, series.c.year_began),
        "year_began_lte": Condition(at_most, series.c.year_began),
        "year_end": Condition(equal, series.c.year_end),
        "language": Condition(equal, series.c.language),
        "languages": Condition(any_of, series.c.language),
        "status": Condition(equal, series.c.status),
    }
)

ISSUE = (
    named(Issue)
    | _of_series("series_", among(issue.c.series_id, series.c.id))
    | _contents(in_issue)
    | _days("store_date", issue.c.store_date)
    | _days("foc_date", issue.c.foc_date)
    | _days("cover_date", issue.c.cover_date)
    | {
        "number": Condition(same, issue.c.number),
        "alt_number": Condition(same, issue.c.alt_number),
        "cover_year": Condition(in_year, issue.c.cover_date),
        "cover_month": Condition(in_month, issue.c.cover_date),
        "series_id": Condition(equal, issue.c.series_id),
        "rating": Condition(same, age_rating.c.name, among(issue.c.rating_id, age_rating.c.id)),
        "sku": Condition(same, issue.c.sku),
        "isbn": Condition(same_isbn, issue.c.isbn),
        "upc": Condition(same_upc, issue.c.upc),
        "upc_starts_with": Condition(upc_begins, issue.c.upc),
        "cover_hash": Condition(same, issue.c.cover_hash),
    }
)
