"""Search: the conditions by which words find objects of the catalogue (model.md 8).

Plain functions that give SQLAlchemy conditions; they know neither requests nor pages. Words are folded (case
and accents) by the database itself, with the function that made the stored columns, so the trigram indexes
always fit.
"""

import re
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, false, func, or_, select, text, true
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from comicsdb.models import (
    Arc,
    Character,
    Creator,
    Imprint,
    Issue,
    Publisher,
    ReadingList,
    Series,
    Team,
    Universe,
)

WORDS_MAX = 12  # more say nothing and cost a scan each
LENGTH_MAX = 200
SIMILARITY = 0.4  # how alike a name must be that is found in spite of a typing error

# The folded columns in which the words of a search are looked for, by kind.
FIELDS: dict[type, tuple[InstrumentedAttribute, ...]] = {
    Publisher: (Publisher.folded, Publisher.alt_folded),
    Imprint: (Imprint.folded,),
    Universe: (Universe.folded, Universe.designation_folded),
    Series: (Series.folded, Series.alt_folded),
    Arc: (Arc.folded,),
    Team: (Team.folded,),
    Character: (Character.folded, Character.alias_folded),
    Creator: (Creator.folded, Creator.alias_folded),
    ReadingList: (ReadingList.folded,),
}

# The columns a list of each kind is ordered by, the id last: a total order (api.md 3).
ORDER: dict[type, tuple] = {
    **{model: (model.folded, model.name, model.id) for model in FIELDS},
    Universe: (
        Universe.folded,
        Universe.name,
        Universe.designation_folded,
        Universe.designation,
        Universe.id,
    ),
    Series: (Series.sort_folded, Series.sort_name, Series.year_began, Series.id),
    # With the issue's series joined.
    Issue: (
        Series.sort_folded,
        Series.sort_name,
        Issue.cover_date,
        Issue.store_date.asc().nulls_last(),
        Issue.number,
        Issue.id,
    ),
}

_NUMBER = re.compile(r"^(?P<series>[^#]*)#(?P<number>.*)$", re.DOTALL)
_WILD = re.compile(r"[\\%_]")  # what LIKE takes for more than itself
_YEAR = re.compile(r"\(\s*(\d{4})\s*\)\s*$", re.ASCII)


def cleaned(query: str) -> str:
    """A query as it may be sent to the database: bounded, without control characters or half characters."""
    printable = "".join(" " if ord(each) < 32 or 0xD800 <= ord(each) <= 0xDFFF else each for each in query)
    return printable[:LENGTH_MAX].strip()


def words(query: str) -> list[str]:
    """The words of a query, separated by white space; at most WORDS_MAX."""
    return cleaned(query).split()[:WORDS_MAX]


def holds(folded, part: str) -> ColumnElement[bool]:
    """A text stands in a folded column as it is written, case and accents aside."""
    return folded.like(func.fold_pattern(part))


def in_any(columns, wanted: list[str]) -> ColumnElement[bool]:
    """Every word stands in at least one of the folded columns, in any order (model.md 8.3)."""
    return and_(true(), *(or_(*(holds(column, word) for column in columns)) for word in wanted))


def same(column, value: str) -> ColumnElement[bool]:
    """A column has exactly this value, case aside."""
    return _upper(column) == func.upper(value)


def contains(column, part: str) -> ColumnElement[bool]:
    """A text stands in a column as it is written, case aside."""
    escaped = _WILD.sub(r"\\\g<0>", part)
    return _upper(column).like(func.upper(f"%{escaped}%"))


def _upper(column) -> ColumnElement[str]:
    # In C order, which ordered text has, only ASCII has upper and lower case.
    return func.upper(column.collate("default") if column.type.collation else column)


def matching(model, query: str) -> ColumnElement[bool]:
    """The objects of a kind that a query finds; no words find everything."""
    if model is Issue:
        return issues_matching(query)
    return in_any(FIELDS[model], words(query))


def similar(model, query: str) -> ColumnElement[bool]:
    """The objects whose name looks like the query in spite of typing errors; call `tolerate` before."""
    return or_(*(func.fold(cleaned(query)).op("<%")(column) for column in _names(model)))


def distance(model, query: str) -> ColumnElement[float]:
    """How far the closest name is from the query, 0 to 1: the first part of an order."""
    return func.least(*(func.fold(cleaned(query)).op("<<->")(column) for column in _names(model)))


def begins(model, query: str) -> ColumnElement[bool]:
    """Whether the name begins with the query; descending, it puts these first."""
    folded = (Series if model is Issue else model).folded
    return func.starts_with(folded, func.fold(cleaned(query)))


def tolerate(session: Session, similarity: float = SIMILARITY) -> None:
    """Set how alike names must be for `similar`, until the transaction ends."""
    session.execute(
        text("SELECT set_config('pg_trgm.word_similarity_threshold', :value, true)"),
        {"value": str(similarity)},
    )


def _names(model) -> tuple[InstrumentedAttribute, ...]:
    return FIELDS[Series if model is Issue else model]


@dataclass(frozen=True)
class IssueQuery:
    """A query for issues, taken apart (model.md 8.7): `series words (year) #number`.

    `number` is None where the query has no `#`, and "" where nothing follows it.
    """

    words: tuple[str, ...]
    year: int | None
    number: str | None

    @property
    def is_empty(self) -> bool:
        """Whether a `#` stands alone, which finds nothing."""
        return self.number == "" and not self.words and self.year is None


def parse_issue_query(query: str) -> IssueQuery:
    """Take a query for issues apart."""
    query = cleaned(query)
    found = _NUMBER.match(query)
    series, number = (found["series"], found["number"].strip()) if found else (query, None)
    year = _YEAR.search(series)
    if year:
        series = series[: year.start()]
    return IssueQuery(tuple(words(series)), int(year[1]) if year else None, number)


def numbered(number: str) -> ColumnElement[bool]:
    """The issues with exactly this number or alternative number, case aside."""
    return or_(same(Issue.number, number), same(Issue.alt_number, number))


def issues_matching(query: str) -> ColumnElement[bool]:
    """The issues a query finds: words of the series' names, its first year in parentheses, `#` number."""
    asked = parse_issue_query(query)
    if asked.is_empty:
        return false()
    # The series are found first, by their own index, and the issues through them.
    if asked.words or asked.year is not None:
        series = aliased(Series)
        conditions = [in_any((series.folded, series.alt_folded), list(asked.words))]
        if asked.year is not None:
            conditions.append(series.year_began == asked.year)
        condition = Issue.series_id.in_(select(series.id).where(*conditions))
    else:
        condition = true()
    return and_(condition, numbered(asked.number)) if asked.number else condition


def issue_items_matching(query: str) -> ColumnElement[bool]:
    """The issues an autocomplete offers (model.md 8.7): without a `#`, the text may also be in the number."""
    if parse_issue_query(query).number is not None:
        return issues_matching(query)
    series = aliased(Series)
    found = Issue.series_id.in_(
        select(series.id).where(in_any((series.folded, series.alt_folded), words(query)))
    )
    pattern = func.fold_pattern(cleaned(query))
    return or_(
        found,
        func.fold(Issue.number).like(pattern),
        func.fold(Issue.alt_number).like(pattern),
    )
