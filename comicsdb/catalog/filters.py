"""The conditions of list filters, declared once for each kind.

API and site each parse the values of their own parameters and have their own error messages.

A condition refers to the list's own table and to subqueries, never to tables that the list joins, so that
counts need only that table, and no row is found twice. All values are bound parameters.
"""

import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from sqlalchemy import (
    ARRAY,
    BinaryExpression,
    BindParameter,
    ColumnElement,
    Float,
    Integer,
    Select,
    String,
    any_,
    bindparam,
    extract,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
)

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.trade_numbers import parse_gtin
from comicsdb.issue_numbers import clean_number, number_key
from comicsdb.models import (
    AgeRating,
    Character,
    Creator,
    Credit,
    Genre,
    Imprint,
    Issue,
    Publisher,
    Series,
    SeriesType,
    Version,
    credit_role,
    issue_character,
    series_genre,
)
from comicsdb.values import compact_code

LENGTH_MAX = 1000  # characters of a search text; longer than any folded name
# SQL types of operands, as SQL functions do not determine the types of their parameters.
OPERAND_TYPES = {int: Integer, float: Float, str: String}


def identity(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The unchanged condition, for columns of the list's own table."""
    return condition


def as_single_operand(value) -> tuple:
    """The value as the only operand."""
    return (value,)


@dataclass(frozen=True, eq=False)
class Operator:
    """A comparison: `operands` converts a value to operands, `build` compares columns with them.

    Operands are values or SQL parameters; with `constants` they are always values, as the condition's SQL
    text depends on them. They are None if no row can meet the condition.
    """

    build: Callable[..., ColumnElement[bool]]
    operands: Callable = as_single_operand
    constants: bool = False


@dataclass(frozen=True, eq=False)
class Condition:
    """The comparison of one or more columns with a value.

    If the columns are in another table, `convert` turns the condition into one on the list's own table.
    """

    operator: Operator
    column: object
    convert: Callable = identity

    def __call__(self, value) -> ColumnElement[bool]:
        """The condition for a value."""
        operands = self.operator.operands(value)
        return false() if operands is None else self._built(map(_typed, operands))

    def clause(self, name: str, value) -> "Clause":
        """The condition for a value, with parameters whose names begin with `name`."""
        operands = self.operator.operands(value)
        if operands is None:
            return NO_MATCH
        if self.operator.constants:
            return Clause(name, (self, operands), lambda: self._built(operands))
        values = {f"{name}_{n}": each for n, each in enumerate(operands)}
        return Clause(
            name,
            (self, tuple(map(type, operands))),
            lambda: self._built(_parameter(*each) for each in values.items()),
            values,
        )

    def _built(self, operands) -> ColumnElement[bool]:
        return self.convert(self.operator.build(self.column, *operands))


@dataclass(frozen=True)
class Clause:
    """A condition of a statement that is compiled once for all values of its parameters.

    Clauses with the same `name` and `key` have the same SQL text, which `build` creates.
    """

    name: str
    key: Hashable
    build: Callable[[], ColumnElement[bool]] = field(compare=False)
    values: dict = field(default_factory=dict, compare=False)


NO_MATCH = Clause("", None, false)  # a condition that no row meets


class SearchCondition:
    """The condition that a search box query finds an object of a kind; see `search.matching`."""

    def __init__(self, model: type):
        self._model = model
        self._words = None if model is Issue else Condition(words, search.search_columns(model))

    def __call__(self, query: str) -> ColumnElement[bool]:
        """The condition for a query."""
        return search.matching(self._model, query)

    def clause(self, name: str, query: str) -> Clause:
        """The condition for a query, with parameters whose names begin with `name`."""
        return self._words.clause(name, query) if self._words else _issues_clause(name, query)


@cache
def search_condition(model: type) -> SearchCondition:
    """The condition for the search box of a kind."""
    return SearchCondition(model)


def _issues_clause(name: str, query: str) -> Clause:
    asked = search.parse_issue_query(query)
    if asked.is_empty:
        return NO_MATCH
    wanted = {f"{name}_{n}": word for n, word in enumerate(search.counted(asked.words))}
    year = {} if asked.year is None else {f"{name}_year": asked.year}
    number = {f"{name}_number": asked.number_key} if asked.number else {}

    def build() -> ColumnElement[bool]:
        parts = [[_parameter(*each) for each in part.items()] for part in (wanted, year, number)]
        return search.issues_matching_parts(parts[0], *(part[0] if part else None for part in parts[1:]))

    key = len(wanted), bool(year), bool(number)
    return Clause(name, key, build, {**wanted, **year, **number})


def values_of(clauses: Iterable[Clause]) -> dict:
    """The parameter values of all clauses."""
    return {name: value for each in clauses for name, value in each.values.items()}


def _typed(value):
    return literal(value, OPERAND_TYPES[type(value)]) if type(value) in (int, float) else value


def _parameter(name: str, value):
    if isinstance(value, list):
        return bindparam(name, type_=ARRAY(String if isinstance(value[0], str) else Integer))
    return bindparam(name, type_=OPERAND_TYPES.get(type(value)))


# Operators.


def _is_any(column, values) -> ColumnElement[bool]:
    if isinstance(values, list):
        return column.in_(values)
    is_array = isinstance(values, BindParameter) and isinstance(values.type, ARRAY)
    return column == (any_(values) if is_array else values)


def _any_of_operands(values: list) -> tuple | None:
    # A single value is compared directly, as PostgreSQL then reads an index in its order.
    return ((values[0] if len(values) == 1 else values),) if values else None


def _year_operands(year: int) -> tuple | None:
    possible = date.min.year <= year <= date.max.year
    return (date(year, 1, 1), date(year, 12, 31)) if possible else None


def _is_missing(column, wanted: bool) -> ColumnElement[bool]:
    return column.is_(None) if wanted else column.is_not(None)


def _limited(text: str) -> tuple | None:
    return None if len(text) > LENGTH_MAX else (text,)


def _pattern(text: str) -> tuple | None:
    return None if len(text) > LENGTH_MAX else (search.substring_pattern(text),)


def _word_operands(text: str) -> tuple | None:
    wanted = search.counted(text.split()[: search.WORDS_MAX])
    return None if any(len(word) > LENGTH_MAX for word in wanted) else tuple(wanted)


def _number_key(text: str) -> tuple | None:
    return None if len(text) > LENGTH_MAX else (number_key(clean_number(text)),)


def _code(text: str) -> tuple | None:
    wanted = compact_code(text)
    return (wanted,) if wanted else None


def _prefix_pattern(text: str) -> tuple | None:
    wanted = compact_code(text)
    return (search.prefix_pattern(wanted),) if wanted and len(text) <= LENGTH_MAX else None


equal = Operator(operator.eq)
any_of = Operator(_is_any, _any_of_operands)
at_least = Operator(operator.ge)
at_most = Operator(operator.le)
greater = Operator(operator.gt)
less = Operator(operator.lt)
within = Operator(lambda column, begin, end: (column >= begin) & (column < end), tuple)
# The first possible day stands for "no date".
dated_until = Operator(lambda column, day: (column > date.min) & (column <= day))
in_year = Operator(lambda column, first, last: column.between(first, last), _year_operands)
in_month = Operator(lambda column, month: extract("month", column) == month)
equals_flag = Operator(lambda column, wanted: column.is_(wanted), constants=True)
missing = Operator(_is_missing, constants=True)
equal_ignoring_case = Operator(search.equals_ignoring_case)
same_number = Operator(operator.eq, _number_key)
contains = Operator(search.matches_pattern, _pattern)
phrase = Operator(search.contains, _limited)
words = Operator(lambda columns, *wanted: search.names_contain(columns, list(wanted)), _word_operands)
same_isbn = Operator(
    lambda column, *codes: or_(*(search.same_code(column, each) for each in codes)),
    lambda number: search.isbns(number) or None,
)
same_sku = Operator(
    lambda _column, code: search.issues_or_variants_with(
        "sku", lambda column: search.equals_ignoring_case(column, code)
    )
)
same_upc = Operator(
    lambda _column, code: search.issues_or_variants_with(
        "upc", lambda column: search.same_code(column, code)
    ),
    _code,
)
same_gtin = Operator(
    lambda _column, *wanted: issue.c.id.in_(select(search.with_gtin(*wanted).c.issue_id)),
    lambda code: search.gtin_patterns(found) if (found := parse_gtin(code)) else None,
)
upc_begins = Operator(
    lambda _column, start: search.issues_or_variants_with(
        "upc", lambda column: search.code_matches_pattern(column, start)
    ),
    _prefix_pattern,
)


# Conversion of conditions on other tables into conditions on the list's own table.


def in_subquery(column, found, *joined) -> Callable:
    """Convert a condition: `column` must be one of the values of `found` in rows that meet it.

    The subquery is not correlated, so the list may join the same table.
    """

    def convert(condition):
        return column.in_(select(found).where(condition, *joined).correlate(None))

    return convert


def compose(outer: Callable, inner: Callable) -> Callable:
    """Combine two conversions; `inner` is applied first."""
    return lambda condition: outer(inner(condition))


def count_statement(table, conditions: Sequence[ColumnElement[bool]]) -> Select:
    """A statement for the number of rows of a table that meet all conditions.

    Without conditions, it reads the stored number, if there is one (`models.Version`). If the only condition
    is that rows of one other table refer to the rows (`in_subquery`), the references are counted, in a single
    index scan.
    """
    if len(conditions) == 1 and isinstance(conditions[0], BinaryExpression):
        left, found = conditions[0].left, getattr(conditions[0].right, "element", None)
        if left is table.c.id and isinstance(found, Select) and len(found.get_final_froms()) == 1:
            (reference,) = found.selected_columns
            return found.with_only_columns(func.count(reference.distinct()))
    counted = select(func.count()).select_from(table).where(*conditions)
    if conditions:
        return counted
    version = Version.__table__
    kept = select(version.c.number).where(version.c.kind == literal_column(f"'{table.name}'", String))
    return select(func.coalesce(kept.scalar_subquery(), counted.scalar_subquery()))


# The conditions of each kind.

issue, series, publisher, imprint = (each.__table__ for each in (Issue, Series, Publisher, Imprint))
series_type, age_rating, genre, credit = (each.__table__ for each in (SeriesType, AgeRating, Genre, Credit))
creator, character = Creator.__table__, Character.__table__


def base_conditions(model) -> dict[str, Condition]:
    """The conditions that most kinds have; reference data has no folded column."""
    table = model.__table__
    found = {"modified_gt": Condition(greater, table.c.modified)}
    if "name" in table.c and model is not Issue:
        name = table.c.folded if "folded" in table.c else func.fold(table.c.name)
        found["name"] = Condition(phrase, name)
    for column in ("cv_id", "gcd_id"):
        if column in table.c:
            found[column] = Condition(any_of, table.c[column])
            found[f"missing_{column}"] = Condition(missing, table.c[column])
    return found


def to_issues(table) -> Callable:
    """Convert conditions on a table with an `issue_id` to conditions on issues."""
    return in_subquery(issue.c.id, table.c.issue_id)


def to_series_of_issues(table) -> Callable:
    """Convert conditions on a table with an `issue_id` to conditions on the series of these issues."""
    return in_subquery(series.c.id, issue.c.series_id, issue.c.id == table.c.issue_id)


def _content_conditions(of: Callable) -> dict[str, Condition]:
    """Conditions on contents of issues; each may be met by a different issue of a series, or credit."""
    links = (link for link in KINDS["issue"].links if not link.symmetric)
    return {
        "creator_id": Condition(equal, credit.c.creator_id, of(credit)),
        "role_id": Condition(any_of, credit_role.c.role_id, of(credit_role)),
        **{link.other: Condition(equal, link.table.c[link.other], of(link.table)) for link in links},
    }


def _series_conditions(prefix: str, of: Callable) -> dict[str, Condition]:
    """The conditions on series, which apply to series or to the series of issues."""
    of_publisher = compose(of, in_subquery(series.c.publisher_id, publisher.c.id))
    of_imprint = compose(of, in_subquery(series.c.imprint_id, imprint.c.id))
    of_genres = compose(of, in_subquery(series.c.id, series_genre.c.series_id))
    of_genre = compose(of_genres, in_subquery(series_genre.c.genre_id, genre.c.id))
    of_type = compose(of, in_subquery(series.c.series_type_id, series_type.c.id))
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


def _date_conditions(name: str, column) -> dict[str, Condition]:
    return {
        name: Condition(equal, column),
        f"{name}_after": Condition(at_least, column),
        f"{name}_before": Condition(at_most, column),
    }


PUBLISHER = base_conditions(Publisher) | {
    "name_words": Condition(words, (publisher.c.folded,)),
    "alt_names": Condition(phrase, publisher.c.alt_folded),
    "alt_names_words": Condition(words, (publisher.c.alt_folded,)),
    "q": Condition(words, (publisher.c.folded, publisher.c.alt_folded)),
    "country": Condition(equal, publisher.c.country),
    "founded_gte": Condition(at_least, publisher.c.founded),
    "founded_lte": Condition(at_most, publisher.c.founded),
}


def _to_series(link, model) -> Callable:
    """Convert conditions on a kind that is linked to issues to conditions on the series of these issues."""
    other = link.c[f"{model.name}_id"]
    return compose(to_series_of_issues(link), in_subquery(other, model.c.id))


SERIES = (
    base_conditions(Series)
    | _series_conditions("", identity)
    | _content_conditions(to_series_of_issues)
    | {
        "year_began_gte": Condition(at_least, series.c.year_began),
        "year_began_lte": Condition(at_most, series.c.year_began),
        "year_end": Condition(equal, series.c.year_end),
        "language": Condition(equal, series.c.language),
        "languages": Condition(any_of, series.c.language),
        "status": Condition(equal, series.c.status),
        "creator_words": Condition(words, search.search_columns(Creator), _to_series(credit, creator)),
        "character_words": Condition(
            words, search.search_columns(Character), _to_series(issue_character, character)
        ),
        "rating_gte": Condition(at_least, series.c.rating_average),
        "issue_count_gte": Condition(at_least, series.c.issue_count),
        "issue_count_lte": Condition(at_most, series.c.issue_count),
        "last_cover_date_after": Condition(at_least, series.c.last_cover_date),
        "last_cover_date_before": Condition(dated_until, series.c.last_cover_date),
    }
)

ISSUE = (
    base_conditions(Issue)
    | _series_conditions("series_", in_subquery(issue.c.series_id, series.c.id))
    | _content_conditions(to_issues)
    | _date_conditions("store_date", issue.c.store_date)
    | _date_conditions("foc_date", issue.c.foc_date)
    | _date_conditions("cover_date", issue.c.cover_date)
    | {
        "number": Condition(same_number, issue.c.number_key),
        "alt_number": Condition(same_number, func.number_key(issue.c.alt_number)),
        "cover_year": Condition(in_year, issue.c.cover_date),
        "cover_month": Condition(in_month, issue.c.cover_date),
        "series_id": Condition(equal, issue.c.series_id),
        "rating": Condition(
            equal_ignoring_case, age_rating.c.name, in_subquery(issue.c.rating_id, age_rating.c.id)
        ),
        "sku": Condition(same_sku, issue.c.sku),
        "isbn": Condition(same_isbn, issue.c.isbn),
        "upc": Condition(same_upc, issue.c.upc),
        "gtin": Condition(same_gtin, issue.c.upc),
        "upc_starts_with": Condition(upc_begins, issue.c.upc),
        "cover_hash": Condition(equal_ignoring_case, issue.c.cover_hash),
    }
)
