"""Ranked search: objects of all kinds by one text, used by the site, the API and the pickers of forms.

Names are compared by their keys (`name_key` in alembic/functions/search_names.sql): without case, accents,
signs, spaces and articles. Objects that the text identifies exactly come first: by codes, ids and URLs
(`named_objects`). Then names are searched in steps: those that equal the text, begin with it, or differ by a
typing error, in two indexes of each kind, which is all that suggestions read; names and aliases with all its
words, by the trigram indexes, and the issues of such series; then similar names, only if few objects were
found. Equally good series are ordered by their issues and ratings, namesakes of other kinds by what lists
them. A text such as `night ferry (2026) 3`
finds an issue.

The statements are the same for all texts, so PostgreSQL plans them once per connection.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import (
    Integer,
    Numeric,
    Select,
    Table,
    TextualSelect,
    and_,
    column,
    func,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from comicsdb.catalog import named_objects, search
from comicsdb.catalog.hits import (
    ALIAS,
    NAME_BEGINS,
    NAME_EQUAL,
    NUMBER_EQUAL,
    SIMILAR,
    WORDS,
    Hit,
    searched_kinds,
)
from comicsdb.catalog.kinds import KINDS, Kind
from comicsdb.catalog.labels import constant, issue_label, series_label, universe_label
from comicsdb.db.read_pool import CompiledQuery, ReadConnection, ReadPool
from comicsdb.issue_numbers import number_keys
from comicsdb.matching.words import MARKS, NUMBER
from comicsdb.models import Issue, Series, SeriesType, Universe
from comicsdb.models.base import all_names
from comicsdb.models.series import LABEL_INFIX

ENOUGH = 5  # with fewer results, similar names are searched, too
SIMILARITY = 0.3  # minimum similarity of a name that is found despite typing errors
SPREAD = 0.15  # maximum additional distance of other names, compared with the most similar one
OTHER_NAME = 0.1  # added to the distance of an alias, so that an equally similar name precedes it
CLOSE = 0.6  # minimum similarity of a name with all words to a text, for it to precede longer names
BEGINNINGS_MAX = 500  # the maximum number of series that are ordered by popularity while somebody types
SHORT = 8  # letters of names that are compared letter by letter (near_keys)
LIKENESS = 0.4  # minimum similarity of longer names with a typing error
SIMILAR_MIN = 4  # characters; shorter texts are similar to too many names
SIMILAR_SERIES = 20  # the maximum number of similar series whose issues are searched
ISSUE = Issue.__tablename__
TRIGRAM = 3  # minimum length of a word found anywhere in a name by index; shorter ones must begin a word
# Scripts without spaces between words; two of their characters are searched anywhere, too.
UNSPACED = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]{2}"
NUMBER_MAX = 25

_NUMBER = re.compile(rf"(?=[^\W_]*[\d½¼¾∞])[^\s#()]{{1,{NUMBER_MAX}}}")
_YEAR = re.compile(r"\(?((?:1[89]|20)\d\d)\)?", re.ASCII)
_VOLUME = re.compile(r"(?:v|vol\.? ?|volume )(\d{1,4})", re.ASCII | re.IGNORECASE)
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９＃　", "0123456789# ")
_BEFORE_NUMBERS = frozenset(word for word, kind in MARKS.items() if kind == NUMBER)
_IN_LABELS = frozenset(infix.strip() for infix in LABEL_INFIX.values())  # but not in names


@dataclass(frozen=True)
class ParsedQuery:
    """A parsed search text.

    `name` is a name of any kind; `series` is the name of a series, perhaps followed by an issue. A bare year
    at the end may be the number of an issue: it is then in `numbers` as well, and issues may be of any year.
    """

    name: str
    series: str
    numbers: tuple[str, ...] = ()
    year: int | None = None
    issue_year: int | None = None
    volume: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the text is a name, without a number, year or volume."""
        return not self.numbers and self.year is None and self.volume is None

    @property
    def values(self) -> dict:
        """The statement's parameters that depend on the text."""
        return {
            "name": self.name,
            "series": self.series,
            "numbers": list(dict.fromkeys(key for number in self.numbers for key in number_keys(number))),
            "year": self.year,
            "issue_year": self.issue_year,
            "volume": self.volume,
        }


def parse_query(query: str) -> ParsedQuery:
    """Parse a search text: a name, and perhaps year and volume of a series and the number of an issue."""
    query = query.translate(_WIDE_DIGITS)
    name = " ".join(search.words(query))
    marked = search.parse_issue_query(query)
    if marked.number is not None:
        number, number_year = _year_of(marked.number.split())
        words, year = list(marked.words), marked.year or number_year
        if year is None:
            words, year = _year_of(words)
        return _parsed(name, words, _numbers(" ".join(number)), year, year)
    words, year = _year_of(name.split())
    if len(words) > 1 and _NUMBER.fullmatch(words[-1]) and _volume_of(words)[1] is None:
        numbers = _numbers(words.pop())
        if len(words) > 1 and words[-1].rstrip(".°º").lower() in _BEFORE_NUMBERS:
            words.pop()
        if year is None:
            words, year = _year_of(words)
        return _parsed(name, words, numbers, year, year)
    is_bare = year is not None and name[-1] != ")"
    return _parsed(name, words, (str(year),) if is_bare else (), year, None if is_bare else year)


def _parsed(name: str, words: list[str], numbers: tuple[str, ...], year, issue_year) -> ParsedQuery:
    """The query for the words that precede a number and a year."""
    words, volume = _volume_of(words)
    if (numbers or year) and len(words) > 1 and words[-1] in _IN_LABELS:
        words = words[:-1]
    return ParsedQuery(name, " ".join(words), numbers, year, issue_year, volume)


def _volume_of(words: list[str]) -> tuple[list[str], int | None]:
    """The words without a volume at the end, such as `v2` or `vol. 2`, and the volume."""
    for taken in (1, 2):
        found = _VOLUME.fullmatch(" ".join(words[-taken:])) if len(words) > taken else None
        if found:
            return words[:-taken], int(found[1])
    return words, None


def _year_of(words: list[str]) -> tuple[list[str], int | None]:
    """The words without a year at the end, and the year; a single word is no year."""
    found = _YEAR.fullmatch(words[-1]) if len(words) > 1 else None
    return (words[:-1], int(found[1])) if found else (words, None)


def _numbers(number: str) -> tuple[str, ...]:
    """A number as typed; empty for an empty text."""
    return (number[:NUMBER_MAX],) if number else ()


# A search text, compared by its key; each step is computed once. `patterns` are LIKE patterns of all words
# that count; trigram indexes find keys by `drivers`, and folded names by `short_drivers` if all words are
# short.
_TEXT = r"""
    SELECT typed, words, replace(words, ' ', '') AS key, letters,
        near_keys(ARRAY[typed]::varchar[], '{{-1,0,1}}') AS near,
        coalesce(patterns, '{{}}') AS patterns,
        CASE WHEN is_anywhere THEN ARRAY[longest] ELSE '{{}}' END AS drivers,
        CASE WHEN is_anywhere OR longest IS NULL THEN '{{}}'
            ELSE ARRAY['% ' || substr(longest, 2), substr(longest, 2)]
        END AS short_drivers
    FROM (SELECT fold(CAST(:{name} AS text)) AS typed OFFSET 0) folded
        CROSS JOIN LATERAL (
            SELECT name_words(typed) AS words, replace(plain_words(typed), ' ', '') AS letters OFFSET 0
        ) counted
        CROSS JOIN LATERAL (
            SELECT array_agg(pattern) AS patterns,
                (array_agg(pattern ORDER BY length(pattern) DESC, pattern)
                    FILTER (WHERE show_trgm(pattern) <> '{{}}'))[1] AS longest
            FROM (
                SELECT '%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%'
                    AS pattern
                FROM unnest((string_to_array(words, ' '))[1:{words_max}]) word OFFSET 0
            ) listed
        ) every
        CROSS JOIN LATERAL (
            SELECT length(longest) >= 2 + {trigram} OR longest ~ '^%{unspaced}%$' AS is_anywhere OFFSET 0
        ) searched"""
# What is asked, in one row, of which all steps take their values: `key` and such are those of the whole text,
# `series_key` and such those of the text without year, volume and number.
_TEXT_COLUMNS = "typed words key letters near patterns drivers short_drivers".split()
_ASKED = f"""
    SELECT CAST(:numbers AS text[]) AS numbers,
        CAST(:year AS integer) AS year, CAST(:issue_year AS integer) AS issue_year,
        CAST(:volume AS integer) AS volume,
        CAST(:limit AS integer) AS most, CAST(:enough AS integer) AS enough,
        CAST(:kinds AS text[]) AS kinds, name_text.*,
        {", ".join(f"series_text.{each} AS series_{each}" for each in _TEXT_COLUMNS)}
    FROM name_text CROSS JOIN (
        SELECT * FROM name_text WHERE CAST(:series AS text) = CAST(:name AS text) UNION ALL
        {{series_text}} WHERE CAST(:series AS text) <> CAST(:name AS text)
        LIMIT 1  -- otherwise PostgreSQL expects two rows, and plans for each text
    ) series_text"""
_KEY = "name_key(folded)"
# Whether an article that was typed is missing in a name that is otherwise equal.
_LACKS_ARTICLE = """asked.{of}letters <> asked.{of}key
    AND replace(plain_words(folded), ' ', '') <> asked.{of}letters"""
_OF_SERIES_POPULARITY = "issue_count + rating_count"
# The rows that list an object of another kind; as many as are needed to order namesakes are counted.
_LISTED_BY = {
    "publisher": "series",
    "imprint": "series",
    "creator": "credit",
    **{kind: f"issue_{kind}" for kind in ("character", "team", "arc", "universe")},
}
_OF_NAMESAKES = """(
    SELECT count(*) FROM (SELECT FROM {listing} listed WHERE listed.{kind}_id = begun.id LIMIT 200) many)"""
# The series that match the words of the text without year, volume and number.
_RUNS = f"""
    SELECT id, year_began, folded, name, {_OF_SERIES_POPULARITY} AS popularity,
        CASE WHEN folded = asked.series_typed THEN '' ELSE sort_folded END AS sort_folded,
        CASE WHEN key = asked.series_key
                THEN CAST({_LACKS_ARTICLE.format(of="series_")} AS integer)
            WHEN asked.series_key IN (
                SELECT name_key(fold(other)) FROM unnest(alt_names) other) THEN 1
            WHEN starts_with(key, asked.series_key) THEN 2
            WHEN key LIKE ALL(asked.series_patterns) THEN 3
            ELSE 4 END AS fit
    FROM series CROSS JOIN LATERAL (SELECT {_KEY} AS key, name_key(alt_folded) AS alt_key OFFSET 0) keys
    WHERE ({{driven}} OR {_KEY} = asked.series_key)
        AND key || ' ' || alt_key LIKE ALL(asked.series_patterns)
        AND (asked.volume IS NULL OR volume = asked.volume)
    OFFSET 0"""

_NUMBERS = "issue.number_key", "number_key(issue.alt_number)"
_OF_ISSUE_YEAR = """(asked.issue_year IS NULL
        OR runs.year_began = asked.issue_year
        OR extract(year FROM issue.cover_date) = asked.issue_year)"""
# Whether so few results were found that similar names are searched. Sets the threshold before their index is
# read.
_FEW = f"""
    SELECT * FROM asked
    WHERE length(asked.series_key) >= {SIMILAR_MIN}
        AND (SELECT count(*) FROM exact) + (SELECT count(*) FROM loose) < asked.enough
        AND NOT EXISTS (SELECT FROM exact WHERE distance < {NAME_BEGINS})
        AND (SELECT set_config('pg_trgm.word_similarity_threshold', '{SIMILARITY}', true)) <> ''"""

# The steps. Columns: kind, id, reason, distance, and the values that order equally distant results. The
# distance is the index of the reason, or that of a better one, and a fraction.
_NAMED = """
    SELECT kind, id, reason, CAST(reason AS numeric) AS distance, 0 AS popularity,
        to_char(place, 'FM0000') AS sort, '' AS further
    FROM unnest(CAST(:named_kinds AS integer[]), CAST(:named_ids AS integer[]),
        CAST(:named_reasons AS integer[])) WITH ORDINALITY AS named(kind, id, reason, place)"""
_BEGINNING = f"""
    (SELECT {{code}} AS kind, id,
        CASE WHEN key = asked.key THEN {NAME_EQUAL} ELSE {NAME_BEGINS} END AS reason,
        CASE WHEN key <> asked.key THEN {NAME_BEGINS}.0
            WHEN {_LACKS_ARTICLE.format(of="")} THEN {NAME_EQUAL}.1 ELSE {NAME_EQUAL}.0 END AS distance,
        CASE WHEN key = asked.key THEN {{of_namesakes}} ELSE {{popularity}} END AS popularity,
        CASE WHEN key <> asked.key THEN {{sort}} WHEN folded = asked.typed THEN '' ELSE folded END AS sort,
        CAST(name AS text) AS further
    FROM (
        SELECT *, {_KEY} AS key FROM {{table}}
        WHERE {{wanted}} AND asked.key <> ''
            AND {_KEY} >= asked.key AND {_KEY} < asked.key || chr(1114111)
        ORDER BY key LIMIT {{beginnings_max}}
    ) begun
    ORDER BY distance, popularity DESC, sort, further, id LIMIT asked.most)"""
# Who typed a name made no typing error.
_COMPARED = f"""
    SELECT *, CASE WHEN EXISTS (SELECT FROM begun WHERE reason = {NAME_EQUAL}) THEN ARRAY[key, letters]
        ELSE near END AS near_or_equal
    FROM asked"""
_NEAR = f"""
    (SELECT {{code}}, id, CASE WHEN is_equal THEN {ALIAS} ELSE {SIMILAR} END,
        CASE WHEN is_equal THEN {NAME_EQUAL}.5
            ELSE {NAME_BEGINS} + CAST(1 - likeness AS numeric) END AS distance,
        {{popularity}} AS popularity, folded AS sort, CAST(name AS text)
    FROM {{table}} CROSS JOIN LATERAL (
        SELECT bool_or(other.key = asked.key) AS is_equal,
            max(CASE WHEN length(other.key) <= {SHORT} AND abs(length(other.key) - length(asked.key)) <= 1
                THEN 1
                ELSE greatest(similarity(other.key, asked.key), similarity(other.letters, asked.letters))
            END) AS likeness
        FROM unnest({{names}}) other_name CROSS JOIN LATERAL (
            SELECT name_key(fold(other_name)) AS key,
                replace(plain_words(fold(other_name)), ' ', '') AS letters
        ) other
    ) compared
    WHERE {{wanted}} AND near_keys({{names}}) && asked.near_or_equal AND likeness >= {LIKENESS}
    ORDER BY distance, popularity DESC, sort, name, id LIMIT asked.most)"""
_OF_YEAR = """
    SELECT {code}, id, CASE WHEN fit < 2 THEN 1 ELSE fit + 2 END,
        CASE WHEN fit < 2 THEN 1 + 0.1 * fit ELSE fit + 2 END, popularity, folded, CAST(name AS text)
    FROM runs
    WHERE {wanted} AND (year_began = asked.year OR asked.year IS NULL)"""
_NUMBERED = """
    (SELECT {code}, issue.id, 3, 3 + 0.1 * runs.fit, runs.popularity, runs.sort_folded,
        CAST(issue.cover_date AS text)
    FROM runs JOIN issue ON issue.series_id = runs.id
    WHERE {wanted} AND {number} = ANY(asked.numbers) AND {of_year}
    ORDER BY runs.fit, runs.popularity DESC, runs.sort_folded, issue.cover_date, issue.id
    LIMIT asked.most)"""
_NUMBER_ALONE = """
    (SELECT {code}, issue.id, 3, 3.0, 0, runs.sort_folded, CAST(issue.cover_date AS text)
    FROM (
        SELECT id, series_id, cover_date FROM issue WHERE {number} = ANY(asked.numbers)
        OFFSET 0  -- these first, not in the order of their series
    ) issue JOIN series runs ON runs.id = issue.series_id
    WHERE {wanted} AND asked.series_key = '' AND {of_year}
    ORDER BY runs.sort_folded, issue.cover_date, issue.id LIMIT asked.most)"""
_HOLDING = f"""
    (SELECT {{code}} AS kind, id, reason, CAST(reason AS numeric)
            + CASE WHEN similarity(key, asked.key) >= {CLOSE} THEN 0.0
                WHEN strpos(' ' || name_words(folded), ' ' || asked.words) > 0 THEN 0.1
                WHEN strpos(key, asked.key) > 0 THEN 0.2 ELSE 0.3 END AS distance,
        {{popularity}} AS popularity, folded AS sort, CAST(name AS text) AS further
    FROM (
        SELECT *, CASE WHEN key LIKE ALL(asked.patterns) THEN {WORDS}
            ELSE {ALIAS} END AS reason
        FROM {{table}} CROSS JOIN LATERAL (SELECT {_KEY} AS key, {{all_keys}} AS all_keys OFFSET 0) keys
        WHERE {{wanted}} AND ({{driven}}) AND all_keys LIKE ALL(asked.patterns)
    ) held
    ORDER BY distance, popularity DESC, sort, further, id LIMIT asked.most)"""
_OF_SERIES = """
    (SELECT {code}, issue.id, {reason}, {reason} + series.distance, series.popularity, series.sort_folded,
        CAST(issue.cover_date AS text)
    FROM (
        SELECT id, {distance} AS distance, sort_folded, popularity FROM {source}
        WHERE year_began = asked.year OR asked.year IS NULL
        ORDER BY distance, popularity DESC, sort_folded, id
    ) series CROSS JOIN LATERAL (
        SELECT id, cover_date FROM issue
        WHERE series_id = series.id AND {of_number}
        ORDER BY series_order, id LIMIT asked.most
    ) issue
    WHERE {wanted} LIMIT asked.most)"""
_ALIKE = f"""
    SELECT id, year_began, sort_folded, {{distance}} AS distance, {_OF_SERIES_POPULARITY} AS popularity
    FROM series
    WHERE {{wanted}} AND (asked.series_words <% folded
        OR near_keys({{names}}) && asked.series_near)
    ORDER BY distance, popularity DESC, sort_folded, id LIMIT {SIMILAR_SERIES}"""
_RESEMBLING = f"""
    (SELECT {{code}} AS kind, id, {SIMILAR} AS reason, {SIMILAR} + CAST({{distance}} AS numeric) AS distance,
        {{popularity}} AS popularity, folded AS sort, CAST(name AS text) AS further
    FROM {{table}}
    WHERE {{wanted}} AND ({{similar}})
    ORDER BY distance, popularity DESC, sort, further, id LIMIT asked.most)"""
_RANKED = """
SELECT kind, id, reason, distance, row_number() OVER (
    ORDER BY distance, {by_kind} popularity DESC, reason, sort, further, id) AS place
FROM (SELECT DISTINCT ON (kind, id) * FROM ({steps}) every ORDER BY kind, id, distance, reason) once
{condition}"""
# Names with a typing error are not meant if the text is that of an issue.
_NEAR_ENOUGH = f"""
WHERE CASE WHEN distance >= {SIMILAR} THEN distance <= (SELECT min(distance) FROM resembling) + {SPREAD}
    ELSE reason <> {SIMILAR} OR NOT EXISTS (SELECT FROM exact WHERE reason = {NUMBER_EQUAL}) END"""


def found_statement(*, apiece: bool = False) -> TextualSelect:
    """The statement for results: kind (index in `searched_kinds`), id, reason, distance, place (1 is best).

    Its parameters are those of `search_parameters`; `limit` applies to all results, or with `apiece` to each
    kind.
    """
    queries = {
        "runs": _answers(_RUNS.format(driven=_driven("series_", ["folded", "alt_folded"]))),
        **_beginning(),
        "exact": _exact(),
        "loose": _loose(apiece=apiece),
        "few": _FEW,
        "alike": _answers(_alike(), asked="few"),
        "resembling": _resembling(apiece=apiece),
    }
    return _ranked(queries, ("exact", "loose", "resembling"), _NEAR_ENOUGH, apiece=apiece)


def _ranked(
    queries: dict[str, str], steps: tuple[str, ...], condition: str = "", *, apiece: bool = False
) -> TextualSelect:
    """The statement for the results of those queries that are steps."""
    every = " UNION ALL ".join(f"SELECT * FROM {step}" for step in steps)
    ranked = _RANKED.format(steps=every, by_kind="" if apiece else "kind,", condition=condition)
    asked = _ASKED.format(series_text=_text("series"))
    with_ = {"name_text": _text("name"), "asked": asked, **queries}
    ctes = ", ".join(f"{name} AS MATERIALIZED ({query})" for name, query in with_.items())
    statement = f"WITH {ctes} {ranked}"
    if not apiece:
        statement += " ORDER BY place LIMIT (SELECT most FROM asked)"
    columns = {"kind": Integer, "id": Integer, "reason": Integer, "distance": Numeric, "place": Integer}
    return text(statement).columns(*(column(name, of) for name, of in columns.items()))


class SearchParameters(NamedTuple):
    """The parameters for a search text, and whether `beginnings_statement` may suffice."""

    values: dict
    is_plain: bool


def search_parameters(
    pool: ReadPool | ReadConnection,
    query: str,
    own_host: str,
    *,
    limit: int,
    enough: int = 1,
    kinds: Iterable[str] | None = None,
) -> SearchParameters:
    """The parameters of the statements for a search text.

    Similar names are searched while there are fewer than `enough` results. `own_host` is the host of our
    URLs.
    """
    wanted = searched_kinds() if kinds is None else tuple(kinds)
    named = [hit for hit in named_objects.find_named(pool, query, own_host) if hit.kind in wanted]
    words = named_objects.name_to_search(query)
    asked = parse_query(f"#{words}" if wanted == (ISSUE,) and _NUMBER.fullmatch(words) else words)
    order = searched_kinds() if named else ()
    values = {
        **asked.values,
        "kinds": f"{{{','.join(wanted)}}}",
        "limit": limit,
        "enough": enough,
        "named_kinds": [order.index(hit.kind) for hit in named],
        "named_ids": [hit.id for hit in named],
        "named_reasons": [hit.reason for hit in named],
    }
    return SearchParameters(values, asked.is_plain and not named)


def best_hits(pool: ReadPool | ReadConnection, values: dict, *, apiece: bool = False) -> list[Hit]:
    """The best results, best first; `values` are those of `search_parameters`."""
    order = searched_kinds()
    row = pool.fetch(_best_statement(order, apiece), values)
    return [Hit(order[kind], *more) for kind, *more in row[0] or ()]


@lru_cache
def _best_statement(_kinds: tuple[str, ...], apiece: bool) -> CompiledQuery:
    """The statement for a single row, whose only value is the list of results."""
    best = found_statement(apiece=apiece).subquery("best")
    hit = func.json_build_array(best.c.kind, best.c.id, best.c.reason, best.c.distance)
    return CompiledQuery.of(select(func.json_agg(aggregate_order_by(hit, best.c.place))))


class Suggestion(NamedTuple):
    """A result to show: its label, picture, slug, and the index of the reason in REASONS."""

    kind: str
    id: int
    name: str
    image: str
    slug: str
    reason: int


def suggest(pool: ReadPool | ReadConnection, question: SearchParameters, enough: int) -> list[Suggestion]:
    """The best results while somebody types: names that begin with the text or, if too few, all steps."""
    found = _rows_of(pool, question.values, beginnings_statement) if question.is_plain else []
    return found if len(found) >= enough else _rows_of(pool, question.values, rows_statement)


def _rows_of(pool, values: dict, statement: Callable[[], Select]) -> list[Suggestion]:
    (found,) = pool.fetch(_json_rows(searched_kinds(), statement), values)
    return [Suggestion(*each) for each in found or ()]


@lru_cache
def _json_rows(_kinds: tuple[str, ...], statement: Callable[[], Select]) -> CompiledQuery:
    """A statement for a single row, whose only value is the list of another statement's rows."""
    shown = statement().subquery("shown").c
    row = func.json_build_array(*(shown[name] for name in Suggestion._fields))
    return CompiledQuery.of(select(func.json_agg(aggregate_order_by(row, shown.place))))


def rows_statement() -> Select:
    """The statement for results as shown: kind, id, name, image, slug, reason, and place (1 is best)."""
    return _as_shown(found_statement(), enumerate(searched_kinds()))


def beginnings_statement() -> Select:
    """The same for names that equal the text or begin with it; reads only one index of each kind.

    These are the best results for a text without number, year and volume (`ParsedQuery.is_plain`).
    """
    found = _ranked(_beginning(), ("begun", "near"))
    return _as_shown(found, ((code, kind.name) for code, kind in _named_kinds()))


def _as_shown(found: TextualSelect, kinds: Iterable[tuple[int, str]]) -> Select:
    """Results of some kinds (with their indexes in `searched_kinds`), with what is shown of them."""
    hits = found.cte("found")
    arms = []
    for code, kind in kinds:
        table = KINDS[kind].model.__table__
        name, source = _label_and_source(table)
        shown = (
            constant(kind).label("kind"),
            table.c.id,
            name.label("name"),
            (table.c.image if "image" in table.c else constant("")).label("image"),
            table.c.slug,
        )
        is_of = and_(hits.c.kind == constant(code), hits.c.id == table.c.id)
        arms.append(select(*shown, hits.c.reason, hits.c.place).select_from(source.join(hits, is_of)))
    return select(union_all(*arms).subquery("rows"))


def _label_and_source(table: Table) -> tuple:
    """The label of the rows of a table, and the join that it is read from."""
    series, series_type = Series.__table__, SeriesType.__table__
    if table is series:
        typed = table.join(series_type, series_type.c.id == table.c.series_type_id)
        return series_label(table, series_type), typed
    if table is Issue.__table__:
        of_series = table.join(series, series.c.id == table.c.series_id)
        typed = of_series.join(series_type, series_type.c.id == series.c.series_type_id)
        return issue_label(table, series, series_type), typed
    return universe_label(table) if table is Universe.__table__ else table.c.name, table


def _named_kinds() -> list[tuple[int, Kind]]:
    """The kinds with names of their own, each with its index in `searched_kinds`."""
    return [(code, KINDS[name]) for code, name in enumerate(searched_kinds()) if name != ISSUE]


def _constant(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _text(name: str) -> str:
    return _TEXT.format(name=name, words_max=search.WORDS_MAX, trigram=TRIGRAM, unspaced=UNSPACED)


def _answers(*arms: str, asked: str = "asked") -> str:
    """A query for the rows of several arms, each of which takes its values from the row that is asked."""
    return f"SELECT step.* FROM {asked} asked CROSS JOIN LATERAL ({' UNION ALL '.join(arms)}) step"


def _driven(of: str, columns: list[str]) -> str:
    """SQL for rows that the trigram indexes find by the longest word of a text."""
    conditions = [
        f"{term} LIKE ANY(asked.{of}{drivers})"
        for each in columns
        for term, drivers in ((f"name_key({each})", "drivers"), (each, "short_drivers"))
    ]
    return f"({' OR '.join(conditions)})"


def _kind_values(code: int, kind: Kind, further: str = "true") -> dict[str, str]:
    """What the statements of a step have of a kind."""
    is_series = kind.name == "series"
    popularity, listing = _OF_SERIES_POPULARITY if is_series else "0", _LISTED_BY.get(kind.name)
    return {
        "code": code,
        "table": f'"{kind.model.__table__.name}"',
        "wanted": _kind_wanted(kind.name, further),
        "names": all_names(kind.other_names),
        "popularity": popularity,
        "of_namesakes": _OF_NAMESAKES.format(kind=kind.name, listing=listing) if listing else popularity,
        "sort": "sort_folded" if is_series else "key",
        "beginnings_max": BEGINNINGS_MAX if is_series else "asked.most",
    }


def _kind_wanted(kind: str, further: str = "true") -> str:
    return f"{_constant(kind)} = ANY(asked.kinds) AND {further}"


def _of_names(step: str) -> list[str]:
    """The arms of a step for the kinds with names."""
    return [step.format_map(_kind_values(code, kind)) for code, kind in _named_kinds()]


def _beginning() -> dict[str, str]:
    """The queries for names that equal the text, begin with it or are near to it."""
    begun = _answers(*_of_names(_BEGINNING))
    return {"begun": begun, "compared": _COMPARED, "near": _answers(*_of_names(_NEAR), asked="compared")}


def _exact() -> str:
    # A year together with a number refers to an issue.
    alone = "(asked.issue_year IS NULL AND asked.volume IS NULL OR cardinality(asked.numbers) = 0)"
    told = "(asked.year IS NOT NULL OR asked.volume IS NOT NULL)"
    wanted = _kind_wanted("series", f"{told} AND {alone}")
    arms = [_OF_YEAR.format(code=searched_kinds().index("series"), wanted=wanted)]
    has_number = "cardinality(asked.numbers) > 0"
    for template in (_NUMBERED, _NUMBER_ALONE):
        for number in _NUMBERS:
            issue = {"code": searched_kinds().index(ISSUE), "wanted": _kind_wanted(ISSUE, has_number)}
            arms.append(template.format(number=number, of_year=_OF_ISSUE_YEAR, **issue))
    return f"{_NAMED} UNION ALL SELECT * FROM begun UNION ALL SELECT * FROM near UNION ALL {_answers(*arms)}"


def _loose(*, apiece: bool) -> str:
    def missing(code: int) -> str:
        return f"(SELECT count(*) FROM exact WHERE kind = {code}) < asked.most" if apiece else "true"

    arms = []
    for code, kind in _named_kinds():
        columns = [each.name for each in kind.search_columns]
        values = _kind_values(code, kind, missing(code))
        all_keys = " || ' ' || ".join(f"name_key({each})" for each in columns)
        arms.append(_HOLDING.format(**values, driven=_driven("", columns), all_keys=all_keys))
    code = searched_kinds().index(ISSUE)
    arms.append(
        _OF_SERIES.format(
            code=code,
            reason=7,
            source="runs",
            distance="0.1 * fit",
            of_number="true",
            wanted=_kind_wanted(ISSUE, f"cardinality(asked.numbers) = 0 AND {missing(code)}"),
        )
    )
    enough = "" if apiece else " WHERE (SELECT count(*) FROM exact) < most"
    return _answers(*arms, asked=f"(SELECT * FROM asked{enough})")


def _alike() -> str:
    values = _kind_values(0, KINDS["series"])
    wanted = _kind_wanted(ISSUE)
    return _ALIKE.format(**values | {"wanted": wanted, "distance": _distance("series_", ["folded"])})


def _distance(of: str, columns: list[str]) -> str:
    """SQL for a row's distance from a text: that of the whole name and its closest part, or of an alias."""
    key, words = f"asked.{of}key", f"asked.{of}words"
    _name, *others = columns
    nearest = [
        f"0.5 * ({key} <-> {_KEY}) + 0.5 * ({key} <<-> {_KEY})",
        *(
            f"0.5 * ({key} <-> name_key({each})) + 0.5 * ({words} <<-> {each}) + {OTHER_NAME}"
            for each in others
        ),
    ]
    return f"least({', '.join(nearest)})"


def _resembling(*, apiece: bool) -> str:
    arms = []
    for code, kind in _named_kinds():
        of = "series_" if kind.name == "series" else ""
        columns = [each.name for each in kind.search_columns]
        similar = " OR ".join(f"asked.{of}words <% {each}" for each in columns)
        arms.append(
            _RESEMBLING.format(**_kind_values(code, kind), distance=_distance(of, columns), similar=similar)
        )
    of_number = " OR ".join(f"{each} = ANY(asked.numbers)" for each in _NUMBERS)
    arms.append(
        _OF_SERIES.format(
            code=searched_kinds().index(ISSUE),
            reason=SIMILAR,
            source="alike",
            distance="CAST(distance AS numeric) - 0.001 * least(1, cardinality(asked.numbers))",
            of_number=f"(cardinality(asked.numbers) = 0 OR {of_number})" if apiece else f"({of_number})",
            wanted=_kind_wanted(ISSUE),
        )
    )
    return _answers(*arms, asked="few")
