"""Ranked search: objects of all kinds by one text, used by the site, the API and the pickers of forms.

Objects that the text identifies exactly come first: by codes, ids and URLs (`named_objects`). Then names are
searched in steps: those that equal the text or begin with it, in one index of each kind, which is all that
suggestions read; names and aliases with all its words, by the trigram indexes, and the issues of such series;
then similar names, for typing errors, only if few objects were found. Leading articles are ignored. A text
such as `night ferry (2026) 3` finds an issue.

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
from comicsdb.catalog.hits import NAME_BEGINS, NAME_EQUAL, NUMBER_EQUAL, Hit, searched_kinds
from comicsdb.catalog.kinds import KINDS, Kind
from comicsdb.catalog.labels import constant, issue_label, series_label, universe_label
from comicsdb.db.read_pool import CompiledQuery, ReadConnection, ReadPool
from comicsdb.issue_numbers import number_keys
from comicsdb.matching.words import ARTICLES, MARKS, NUMBER
from comicsdb.models import Issue, Series, SeriesType, Universe
from comicsdb.models.series import LABEL_INFIX

ENOUGH = 5  # with fewer results, similar names are searched, too
SIMILARITY = 0.3  # minimum similarity of a name that is found despite typing errors
SPREAD = 0.15  # maximum additional distance of other names, compared with the most similar one
OTHER_NAME = 0.1  # added to the distance of an alias, so that an equally similar name precedes it
SIMILAR_MIN = 4  # characters; shorter texts are similar to too many names
SIMILAR_SERIES = 20  # the maximum number of similar series whose issues are searched
ISSUE = Issue.__tablename__
TRIGRAM = 3  # minimum length of a word found anywhere in a name by index; shorter ones must begin a word
# Scripts without spaces between words; two of their characters are searched anywhere, too.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]{2}")
NUMBER_MAX = 25

_NUMBER = re.compile(rf"(?=[^\W_]*[\d½¼¾∞])[^\s#()]{{1,{NUMBER_MAX}}}")
_YEAR = re.compile(r"\(?((?:1[89]|20)\d\d)\)?", re.ASCII)
_VOLUME = re.compile(r"(?:v|vol\.? ?|volume )(\d{1,4})", re.ASCII | re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９＃　", "0123456789# ")
_BEFORE_NAMES = tuple(each if each.endswith("'") else f"{each} " for each in sorted(ARTICLES))
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
        name, series = without_article(self.name), without_article(self.series)
        return {
            "typed": self.name,
            "series_typed": self.series,
            "name": name,
            **_words("", name),
            "series": series,
            **_words("series_", series),
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


def without_article(name: str) -> str:
    """A name without its leading article, equal to the database function of this name."""
    lower = name.lower()
    article = next((each for each in _BEFORE_NAMES if lower.startswith(each)), "")
    return name[len(article) :].lstrip() or name


def _words(prefix: str, name: str) -> dict:
    """The words of a name, and the longest one, which is used to read an index."""
    words = name.split()
    lengths = [max(map(len, _LETTERS.findall(word)), default=0) for word in words]
    longest = max(lengths, default=0)
    word = words[lengths.index(longest)] if longest else None
    return {
        f"{prefix}words": words,
        f"{prefix}longest": word,
        f"{prefix}anywhere": longest >= TRIGRAM or bool(word and _UNSPACED.fullmatch(word)),
    }


# The folded search text: `patterns` are LIKE patterns of all words, and a trigram index finds rows by one of
# `drivers`.
_FOLDED = """
    fold(CAST(:{name} AS text)) AS {name},
    ARRAY(SELECT fold_pattern(word) FROM unnest(CAST(:{prefix}words AS text[])) word) AS {prefix}patterns,
    CASE WHEN CAST(:{prefix}anywhere AS boolean) THEN ARRAY[fold_pattern(CAST(:{prefix}longest AS text))]
        WHEN CAST(:{prefix}longest AS text) IS NULL THEN '{{}}'
        ELSE ARRAY['% ' || substr(fold_pattern(:{prefix}longest), 2),
            substr(fold_pattern(:{prefix}longest), 2)]
    END AS {prefix}drivers"""
_ASKED = """
    SELECT fold(CAST(:typed AS text)) AS typed, fold(CAST(:series_typed AS text)) AS series_typed,
        CAST(:numbers AS text[]) AS numbers,
        CAST(:year AS integer) AS year, CAST(:issue_year AS integer) AS issue_year,
        CAST(:volume AS integer) AS volume,
        CAST(:limit AS integer) AS most, CAST(:enough AS integer) AS enough,
        CAST(:kinds AS text[]) AS kinds, {name}, {series}"""
_BARE = "without_article(folded)"
# The series that match the words of the text without year, volume and number.
_RUNS = f"""
    SELECT id, year_began, folded, sort_folded, name,
        CASE WHEN folded = (SELECT series_typed FROM asked) THEN 0
            WHEN {_BARE} = (SELECT series FROM asked) THEN 1
            WHEN starts_with({_BARE}, (SELECT series FROM asked)) THEN 2
            WHEN folded LIKE ALL((SELECT series_patterns FROM asked)::text[]) THEN 3
            ELSE 4 END AS fit
    FROM series
    WHERE (folded LIKE ANY((SELECT series_drivers FROM asked)::text[])
            OR alt_folded LIKE ANY((SELECT series_drivers FROM asked)::text[]))
        AND folded || ' ' || alt_folded LIKE ALL((SELECT series_patterns FROM asked)::text[])
        AND ((SELECT volume FROM asked) IS NULL OR volume = (SELECT volume FROM asked))"""

_NUMBERS = "issue.number_key", "number_key(issue.alt_number)"
_OF_ISSUE_YEAR = """((SELECT issue_year FROM asked) IS NULL
        OR runs.year_began = (SELECT issue_year FROM asked)
        OR extract(year FROM issue.cover_date) = (SELECT issue_year FROM asked))"""
# Whether so few results were found that similar names are searched. Sets the threshold before their index is
# read.
_FEW = f"""length((SELECT series FROM asked)) >= {SIMILAR_MIN}
        AND (SELECT count(*) FROM exact) + (SELECT count(*) FROM loose) < (SELECT enough FROM asked)
        AND NOT EXISTS (SELECT FROM exact WHERE reason <= {NUMBER_EQUAL})
        AND (SELECT set_config('pg_trgm.word_similarity_threshold', '{SIMILARITY}', true)) <> ''"""

# The steps. Columns: kind, id, reason, and the values that order equally good results.
_NAMED = """
    SELECT kind, id, reason, 0.0 AS distance, to_char(place, 'FM0000') AS sort, '' AS further
    FROM unnest(CAST(:named_kinds AS integer[]), CAST(:named_ids AS integer[]),
        CAST(:named_reasons AS integer[])) WITH ORDINALITY AS named(kind, id, reason, place)"""
_BEGINNING = f"""
    (SELECT {{code}} AS kind, id,
        CASE WHEN {_BARE} = (SELECT name FROM asked) THEN {NAME_EQUAL} ELSE {NAME_BEGINS} END AS reason,
        CASE WHEN {_BARE} = (SELECT name FROM asked) AND folded <> (SELECT typed FROM asked)
            THEN 1.0 ELSE 0.0 END AS distance,
        {_BARE} AS sort, CAST(name AS text) AS further
    FROM {{table}}
    WHERE {{wanted}} AND (SELECT name FROM asked) <> ''
        AND {_BARE} >= (SELECT name FROM asked) AND {_BARE} < (SELECT name FROM asked) || chr(1114111)
    ORDER BY {_BARE}, name, id LIMIT (SELECT most FROM asked))"""
_OF_YEAR = """
    SELECT {code}, id, CASE WHEN fit < 2 THEN 1 ELSE fit + 2 END,
        CASE fit WHEN 1 THEN 1.0 ELSE 0.0 END, folded, CAST(name AS text)
    FROM runs
    WHERE {wanted} AND (year_began = (SELECT year FROM asked) OR (SELECT year FROM asked) IS NULL)"""
_NUMBERED = """
    (SELECT {code}, issue.id, 3, CAST(runs.fit AS numeric), runs.sort_folded, CAST(issue.cover_date AS text)
    FROM runs JOIN issue ON issue.series_id = runs.id
    WHERE {wanted} AND {number} = ANY((SELECT numbers FROM asked)::text[]) AND {of_year}
    ORDER BY runs.fit, runs.sort_folded, issue.cover_date, issue.id LIMIT (SELECT most FROM asked))"""
_NUMBER_ALONE = """
    (SELECT {code}, issue.id, 3, 0.0, runs.sort_folded, CAST(issue.cover_date AS text)
    FROM (
        SELECT id, series_id, cover_date FROM issue WHERE {number} = ANY((SELECT numbers FROM asked)::text[])
        OFFSET 0  -- these first, not in the order of their series
    ) issue JOIN series runs ON runs.id = issue.series_id
    WHERE {wanted} AND (SELECT series FROM asked) = '' AND {of_year}
    ORDER BY runs.sort_folded, issue.cover_date, issue.id LIMIT (SELECT most FROM asked))"""
_HOLDING = """
    (SELECT {code} AS kind, id,
        CASE WHEN folded LIKE ALL((SELECT patterns FROM asked)::text[]) THEN 5 ELSE 6 END AS reason,
        CASE WHEN strpos(translate(folded, {before}, {blanks}), ' ' || (SELECT name FROM asked)) > 0 THEN 0.0
            WHEN strpos(folded, (SELECT name FROM asked)) > 0 THEN 1.0 ELSE 2.0 END AS distance,
        folded AS sort, CAST(name AS text) AS further
    FROM {table}
    WHERE {wanted} AND ({driven}) AND {all_names} LIKE ALL((SELECT patterns FROM asked)::text[])
        AND id NOT IN (SELECT id FROM exact WHERE kind = {code})
    ORDER BY 3, 4, 5, 6, id LIMIT (SELECT most FROM asked))"""
_OF_SERIES = """
    (SELECT {code}, issue.id, {reason}, series.distance, series.sort_folded, CAST(issue.cover_date AS text)
    FROM (
        SELECT id, {distance} AS distance, sort_folded FROM {source}
        WHERE year_began = (SELECT year FROM asked) OR (SELECT year FROM asked) IS NULL
        ORDER BY distance, sort_folded, id
    ) series CROSS JOIN LATERAL (
        SELECT id, cover_date FROM issue
        WHERE series_id = series.id AND {of_number}
        ORDER BY series_order, id LIMIT (SELECT most FROM asked)
    ) issue
    WHERE {wanted} LIMIT (SELECT most FROM asked))"""
_ALIKE = """
    SELECT id, year_began, sort_folded, {distance} AS distance FROM series
    WHERE {wanted} AND (SELECT series FROM asked) <% folded
    ORDER BY distance, sort_folded, id LIMIT {alike}"""
_RESEMBLING = """
    (SELECT {code} AS kind, id, 8 AS reason, CAST({distance} AS numeric) AS distance, folded AS sort,
        CAST(name AS text) AS further
    FROM {table}
    WHERE {wanted} AND ({similar})
    ORDER BY 4, 5, 6, id LIMIT (SELECT most FROM asked))"""
_RANKED = """
SELECT kind, id, reason, distance,
    row_number() OVER (ORDER BY reason, distance, {by_kind} sort, further, id) AS place
FROM (SELECT DISTINCT ON (kind, id) * FROM ({steps}) every ORDER BY kind, id, reason, distance) once
{condition}"""
_NEAR_ENOUGH = f"WHERE reason < 8 OR distance <= (SELECT min(distance) FROM resembling) + {SPREAD}"


def found_statement(*, apiece: bool = False) -> TextualSelect:
    """The statement for results: kind (index in `searched_kinds`), id, reason, distance, place (1 is best).

    Its parameters are those of `search_parameters`; `limit` applies to all results, or with `apiece` to each
    kind.
    """
    queries = {
        "runs": _RUNS,
        "exact": _exact(),
        "loose": _loose(apiece=apiece),
        "alike": _alike(),
        "resembling": _resembling(apiece=apiece),
    }
    return _ranked(queries, ("exact", "loose", "resembling"), _NEAR_ENOUGH, apiece=apiece)


def _ranked(
    queries: dict[str, str], steps: tuple[str, ...], condition: str = "", *, apiece: bool = False
) -> TextualSelect:
    """The statement for the results of those queries that are steps."""
    every = " UNION ALL ".join(f"SELECT * FROM {step}" for step in steps)
    ranked = _RANKED.format(steps=every, by_kind="" if apiece else "kind,", condition=condition)
    with_ = {"asked": _asked(), **queries}
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
    found = _ranked({"exact": " UNION ALL ".join(_beginnings())}, ("exact",))
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


def _asked() -> str:
    name = _FOLDED.format(name="name", prefix="")
    return _ASKED.format(name=name, series=_FOLDED.format(name="series", prefix="series_"))


def _kind_wanted(kind: str, further: str = "true") -> str:
    return f"{_constant(kind)} = ANY((SELECT kinds FROM asked)::text[]) AND {further}"


def _beginnings() -> list[str]:
    return [
        _BEGINNING.format(code=code, table=_table(kind), wanted=_kind_wanted(kind.name))
        for code, kind in _named_kinds()
    ]


def _exact() -> str:
    arms = [_NAMED, *_beginnings()]
    code = searched_kinds().index("series")
    # A year together with a number refers to an issue.
    alone = """((SELECT issue_year FROM asked) IS NULL AND (SELECT volume FROM asked) IS NULL
        OR cardinality((SELECT numbers FROM asked)) = 0)"""
    told = "((SELECT year FROM asked) IS NOT NULL OR (SELECT volume FROM asked) IS NOT NULL)"
    of_year = _kind_wanted("series", f"{told} AND {alone}")
    arms.append(_OF_YEAR.format(code=code, wanted=of_year))
    has_number = "cardinality((SELECT numbers FROM asked)) > 0"
    for template in (_NUMBERED, _NUMBER_ALONE):
        for number in _NUMBERS:
            issue = {"code": searched_kinds().index("issue"), "wanted": _kind_wanted("issue", has_number)}
            arms.append(template.format(number=number, of_year=_OF_ISSUE_YEAR, **issue))
    return " UNION ALL ".join(arms)


def _loose(*, apiece: bool) -> str:
    def missing(code: int) -> str:
        of_kind = f" WHERE kind = {code}" if apiece else ""
        return f"(SELECT count(*) FROM exact{of_kind}) < (SELECT most FROM asked)"

    arms = []
    for code, kind in _named_kinds():
        columns = [each.name for each in kind.search_columns]
        driven = " OR ".join(f"{each} LIKE ANY((SELECT drivers FROM asked)::text[])" for each in columns)
        arms.append(
            _HOLDING.format(
                code=code,
                table=_table(kind),
                wanted=_kind_wanted(kind.name, missing(code)),
                driven=driven,
                all_names=" || ' ' || ".join(columns),
                before=_constant(search.BEFORE_WORDS),
                blanks=_constant(" " * len(search.BEFORE_WORDS)),
            )
        )
    code = searched_kinds().index("issue")
    without_number = f"cardinality((SELECT numbers FROM asked)) = 0 AND {missing(code)}"
    arms.append(
        _OF_SERIES.format(
            code=code,
            reason=7,
            source="runs",
            distance="CAST(fit AS numeric)",
            of_number="true",
            wanted=_kind_wanted("issue", without_number),
        )
    )
    return " UNION ALL ".join(arms)


def _alike() -> str:
    distance = _distance("series", ["folded"])
    return _ALIKE.format(wanted=_kind_wanted("issue", _FEW), alike=SIMILAR_SERIES, distance=distance)


def _distance(name: str, columns: list[str]) -> str:
    """SQL for a row's distance from the text: that of its closest words and, slightly, of the whole name."""
    asked = f"(SELECT {name} FROM asked)"
    first, *others = (f"({asked} <<-> {each})" for each in columns)
    nearest = [first, *(f"{each} + {OTHER_NAME}" for each in others)]
    return f"least({', '.join(nearest)}) + 0.1 * ({asked} <-> {_BARE})"


def _resembling(*, apiece: bool) -> str:
    arms = []
    for code, kind in _named_kinds():
        name = "series" if kind.name == "series" else "name"
        columns = [each.name for each in kind.search_columns]
        arms.append(
            _RESEMBLING.format(
                code=code,
                table=_table(kind),
                wanted=_kind_wanted(kind.name, _FEW),
                distance=_distance(name, columns),
                similar=" OR ".join(f"(SELECT {name} FROM asked) <% {each}" for each in columns),
            )
        )
    numbers = "(SELECT numbers FROM asked)"
    of_number = " OR ".join(f"{each} = ANY({numbers}::text[])" for each in _NUMBERS)
    arms.append(
        _OF_SERIES.format(
            code=searched_kinds().index("issue"),
            reason=8,
            source="alike",
            distance="CAST(distance AS numeric) - 0.001 * least(1, cardinality((SELECT numbers FROM asked)))",
            of_number=f"(cardinality({numbers}) = 0 OR {of_number})" if apiece else f"({of_number})",
            wanted=_kind_wanted("issue"),
        )
    )
    return " UNION ALL ".join(arms)


def _table(kind: Kind) -> str:
    return f'"{kind.model.__table__.name}"'
