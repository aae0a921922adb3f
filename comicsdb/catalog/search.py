"""Search: conditions that find objects of the catalog by words.

The functions return SQLAlchemy conditions and are independent of requests and pages. Words are folded (case
and accents) by the same database function as the stored columns, so the trigram indexes can always be used.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Integer,
    Subquery,
    and_,
    case,
    cast,
    false,
    func,
    literal_column,
    null,
    or_,
    select,
    text,
    true,
    union_all,
)
from sqlalchemy.orm import Session, aliased
from stdnum import isbn

from comicsdb.catalog.kinds import Kind, kind_of
from comicsdb.catalog.trade_numbers import Gtin
from comicsdb.issue_numbers import clean_number, number_key
from comicsdb.models import Issue, ReadingList, Series, Variant
from comicsdb.values import compact_code, split_year

WORDS_MAX = 12  # further words hardly narrow a search, and each costs a scan
QUERY_LENGTH_MAX = 200
SIMILARITY = 0.4  # minimum similarity of a name that is found despite typing errors

RANK_OF_ALIASES = 10  # the rank of matches only in aliases or designations
# Words that do not count in names, as in the database function `name_words`.
UNCOUNTED = frozenset(
    "the an il lo la gli le les der die das el los las un una une uno ein eine and und et".split()
)
BEFORE_WORDS = "-–—/:.,;'’\"“(["  # characters, in addition to spaces, that may precede a word

# Models that are searched and ordered like objects of the catalog.
_READING_LIST = Kind(ReadingList, ("name",))

_NUMBER = re.compile(r"^(?P<series>[^#]*)#(?P<number>.*)$", re.DOTALL)
_LIKE_SPECIAL = re.compile(r"[\\%_]")  # special characters of LIKE


def _kind(model) -> Kind:
    return _READING_LIST if model is ReadingList else kind_of(model)


def search_columns(model) -> tuple:
    """The folded columns that are searched for a kind."""
    return _kind(model).search_columns


def order_columns(model) -> tuple:
    """The columns of a total order for lists of a kind; for issues, the query must join the series."""
    return _kind(model).order_columns


def clean_query(query: str) -> str:
    """A query text for the database: of limited length, without control characters and surrogates."""
    query = query.lstrip()[:QUERY_LENGTH_MAX]
    printable = "".join(" " if ord(each) < 32 or 0xD800 <= ord(each) <= 0xDFFF else each for each in query)
    return printable.strip()


def words(query: str) -> list[str]:
    """The first WORDS_MAX words of a query, separated by white space."""
    return clean_query(query).split()[:WORDS_MAX]


def contains(folded, part: str) -> ColumnElement[bool]:
    """The condition that a folded column contains a text, ignoring case and accents."""
    return folded.like(func.fold_pattern(part))


def all_words_in(columns, wanted: list[str]) -> ColumnElement[bool]:
    """The condition that each word occurs in at least one of the folded columns."""
    return and_(true(), *(or_(*(contains(column, word) for column in columns)) for word in wanted))


def counted(wanted: Sequence[str]) -> list[str]:
    """The words of a query that names need: no signs, articles or `and`, unless nothing else is left."""
    left = [word for word in wanted if word.lower() not in UNCOUNTED and any(map(str.isalnum, word))]
    return left or list(wanted)


def names_contain(columns, wanted: list) -> ColumnElement[bool]:
    """The same for names, in which signs do not count: `spiderman` is a word of `Spider-Man`."""

    def has(column, word) -> ColumnElement[bool]:
        return or_(contains(column, word), func.name_key(column).like(func.key_pattern(word)))

    return and_(true(), *(or_(*(has(column, word) for column in columns)) for word in wanted))


def names_match(columns, query: str) -> ColumnElement[bool]:
    """The condition that names contain all words of a query that count."""
    return names_contain(columns, counted(words(query)))


def equals_ignoring_case(column, value: str) -> ColumnElement[bool]:
    """The condition that a column equals a value, ignoring case."""
    return upper_case(column) == func.upper(value)


def substring_pattern(part: str) -> str:
    """The LIKE pattern for texts that contain a part."""
    return f"%{_escaped(part)}%"


def matches_pattern(column, wanted: str) -> ColumnElement[bool]:
    """The condition that a column matches a LIKE pattern, ignoring case."""
    return upper_case(column).like(func.upper(wanted))


def same_code(column, code: str) -> ColumnElement[bool]:
    """The condition that a column equals a compact product code, ignoring spaces, hyphens and case."""
    return compacted(column) == func.upper(code)


def prefix_pattern(start: str) -> str:
    """The LIKE pattern for compact codes that begin with a text."""
    return f"{_escaped(start)}%"


def code_matches_pattern(column, wanted: str) -> ColumnElement[bool]:
    """The condition that a product code matches a LIKE pattern; case-sensitive."""
    # The index contains upper-case codes.
    return and_(compacted(column).like(func.upper(wanted)), _unspaced(column).like(wanted))


def isbns(number: str) -> tuple[str, ...]:
    """The compact forms of an ISBN, with ten and with thirteen digits if both exist."""
    wanted = compact_code(number)
    return tuple(filter(None, (wanted, *map(compact_code, _other_isbn(wanted)))))


def _escaped(part: str) -> str:
    return _LIKE_SPECIAL.sub(r"\\\g<0>", part)


def _other_isbn(number: str) -> list[str]:
    if not isbn.is_valid(number):
        return []
    if isbn.isbn_type(number) == "ISBN10":
        return [isbn.to_isbn13(number)]
    return [isbn.to_isbn10(number)] if number.startswith("978") else []


def issues_or_variants_with(name: str, condition: Callable) -> ColumnElement[bool]:
    """The issues that meet a condition on a column, or have a variant that does."""
    found, other = aliased(Issue), aliased(Variant)
    with_code = union_all(
        select(found.id).where(condition(getattr(found, name))),
        select(other.issue_id).where(condition(getattr(other, name))),
    )
    return Issue.id.in_(with_code)


def gtin_patterns(code: Gtin) -> tuple[str, ...]:
    """The LIKE patterns for numbers that match a barcode.

    A barcode with a supplement matches numbers with the same or no supplement; one without matches all
    supplements.
    """
    supplements = ("", code.supplement) if code.supplement else ("", "__", "_____")
    return (*(form + each for form in code.forms for each in supplements), *code.short_isbn)


def with_gtin(*patterns) -> Subquery:
    """The issues and variants whose codes match one of the LIKE patterns; an issue may occur twice.

    The columns are `issue_id`, `variant_id` (null for the issue's own code) and `code`, in compact form.
    """
    of_issue = Issue.id, cast(null(), Integer)
    of_variant = Variant.issue_id, Variant.id
    return union_all(
        *(
            select(
                owner.label("issue_id"), variant.label("variant_id"), compacted(column).label("code")
            ).where(or_(*(compacted(column).like(each) for each in patterns)))
            for (owner, variant), column in (
                (of_issue, Issue.upc),
                (of_issue, Issue.isbn),
                (of_variant, Variant.upc),
            )
        )
    ).subquery("with_gtin")


def compacted(column) -> ColumnElement[str]:
    """A product code in the form that the indexes contain."""
    return func.upper(_unspaced(column))


def _unspaced(column) -> ColumnElement[str]:
    return func.translate(column, literal_column("' -'"), literal_column("''"))


def upper_case(column) -> ColumnElement[str]:
    """A text in upper case; in the C collation, only ASCII letters would have one."""
    return func.upper(column.collate("default") if column.type.collation else column)


def matching(model, query: str) -> ColumnElement[bool]:
    """The condition that a query finds an object of a kind; without words, it finds all."""
    if model is Issue:
        return issues_matching(query)
    return names_match(search_columns(model), query)


def similar(model, query: str) -> ColumnElement[bool]:
    """The condition that a name is similar to the query; call `set_similarity_threshold` first."""
    return or_(*(func.fold(clean_query(query)).op("<%")(column) for column in search_columns(model)))


def distance(model, query: str) -> ColumnElement[float]:
    """The distance of the closest name from the query (0 to 1), for ordering."""
    return func.least(*(func.fold(clean_query(query)).op("<<->")(column) for column in search_columns(model)))


def best_first(model, query: str) -> tuple:
    """A total order with the best match first, equally good ones in the order of lists; not for issues."""
    return rank_of_name(_kind(model).name_columns, query), *order_columns(model)


def rank_of_name(columns, query: str) -> ColumnElement[int]:
    """The rank of a name: 0 for the best match, RANK_OF_ALIASES if only aliases match.

    There may be two folded columns for names; matches in the first rank slightly higher.
    """
    # Subqueries, so that words are folded once instead of for each row.
    wanted, *each = (
        select(func.fold(part)).scalar_subquery() for part in (clean_query(query), *words(query))
    )
    begins_a_word = " " + _spaced(wanted)
    tiers = (
        lambda name: name == wanted,
        lambda name: func.starts_with(name, wanted),
        lambda name: func.strpos(_spaced(name), begins_a_word) > 0,
        lambda name: func.strpos(name, wanted) > 0,
    )
    if len(each) > 1:
        tiers += (lambda name: and_(*(func.strpos(name, word) > 0 for word in each)),)
    cases = (
        (fits(name), 2 * place + other)
        for place, fits in enumerate(tiers)
        for other, name in enumerate(columns)
    )
    return case(*cases, else_=RANK_OF_ALIASES)


def _spaced(text) -> ColumnElement[str]:
    """A text with the characters that may precede words replaced by spaces."""
    return func.translate(text, BEFORE_WORDS, " " * len(BEFORE_WORDS))


def set_similarity_threshold(session: Session) -> None:
    """Set the threshold of `similar` until the transaction ends."""
    session.execute(
        text("SELECT set_config('pg_trgm.word_similarity_threshold', :value, true)"),
        {"value": str(SIMILARITY)},
    )


@dataclass(frozen=True)
class IssueQuery:
    """A parsed query for issues: `series words (year) #number`.

    `number` is None if the query has no `#`, and "" if nothing follows it.
    """

    words: tuple[str, ...]
    year: int | None
    number: str | None

    @property
    def is_empty(self) -> bool:
        """Whether the query is only a `#` without a number, which finds nothing."""
        return self.number == "" and not self.words and self.year is None

    @property
    def number_key(self) -> str:
        """What the number has in common with its other spellings."""
        return number_key(clean_number(self.number or ""))


def parse_issue_query(query: str) -> IssueQuery:
    """Parse a query for issues."""
    query = clean_query(query)
    found = _NUMBER.match(query)
    series, number = (found["series"], found["number"].strip()) if found else (query, None)
    series, year = split_year(series)
    return IssueQuery(tuple(words(series)), year, number)


def has_number(key) -> ColumnElement[bool]:
    """The issues whose number or alternative number has a key."""
    return or_(Issue.number_key == key, func.number_key(Issue.alt_number) == key)


def issues_matching(query: str) -> ColumnElement[bool]:
    """The issues that match a query: words of the series' name, its first year in parentheses, `#number`."""
    asked = parse_issue_query(query)
    if asked.is_empty:
        return false()
    number = asked.number_key if asked.number else None
    return issues_matching_parts(counted(asked.words), asked.year, number)


def issues_matching_parts(wanted: Sequence, year, number) -> ColumnElement[bool]:
    """The condition for the parts of a parsed query, which may be parameters; year and number may be None.

    `number` is the key of a number.
    """
    # Find the series first, by their index, and then their issues.
    if wanted or year is not None:
        series = aliased(Series)
        conditions = [names_contain((series.folded, series.alt_folded), list(wanted))]
        if year is not None:
            conditions.append(series.year_began == year)
        condition = Issue.series_id.in_(select(series.id).where(*conditions))
    else:
        condition = true()
    return condition if number is None else and_(condition, has_number(number))
