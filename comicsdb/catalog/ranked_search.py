"""Ranked search: objects of all kinds by one text, in one statement.

Names are looked for in steps, and each further step is taken only while fewer than wanted were found: names
that equal the text or begin with it, in the index of their order; then names and aliases with all its words,
by the trigram indexes, and the issues of such series; then similar names, for typing errors. A leading
article does not count. `night ferry (2026) 3` finds the issue.

The statement is the same for all texts, so PostgreSQL plans it once on each connection.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Integer, TextualSelect, column, func, select, text
from sqlalchemy.dialects.postgresql import aggregate_order_by

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS, Kind
from comicsdb.db.read_pool import CompiledQuery, ReadConnection, ReadPool
from comicsdb.matching.words import ARTICLES
from comicsdb.models import Issue

# Why an object is found, the best reason first. `series`: an issue, without a number in the text.
REASONS = ("name equal", "number equal", "name begins", "words", "alias", "series", "similar")
# Among equally good results these kinds come first, the others in the order of their declaration.
FIRST = ("series", "issue", "character", "creator", "publisher", "team", "arc", "universe", "imprint")
ENOUGH = 5  # with fewer results, similar names are looked for, too
SIMILAR_MIN = 4  # characters; shorter texts are similar to too many names
SIMILAR_SERIES = 20  # whose issues are looked for
TRIGRAM = 3  # letters of a word that an index finds anywhere in a name; shorter ones where a word begins
NUMBER_MAX = 25

_NUMBER = re.compile(rf"(?=[^\W_]*[\d½¼¾∞])[^\s#()]{{1,{NUMBER_MAX}}}")
_YEAR = re.compile(r"\(?((?:1[89]|20)\d\d)\)?", re.ASCII)
_LETTERS = re.compile(r"[^\W_]+")
_BEFORE_NAMES = tuple(each if each.endswith("'") else f"{each} " for each in sorted(ARTICLES))


@dataclass(frozen=True)
class Asked:
    """What a text asks for.

    `name` is a name of any kind, `series` that of a series, perhaps of an issue. A bare year at the end may
    be the number of an issue: then it is in `numbers`, and issues may be of any year.
    """

    name: str
    series: str
    numbers: tuple[str, ...] = ()
    year: int | None = None
    issue_year: int | None = None

    @property
    def values(self) -> dict:
        """The parameters of the statement that depend on the text."""
        name, series = _without_article(self.name), _without_article(self.series)
        return {
            "typed": self.name,
            "name": name,
            **_words("", name),
            "series": series,
            **_words("series_", series),
            "numbers": [each.upper() for each in self.numbers],
            "year": self.year,
            "issue_year": self.issue_year,
        }


def parse(query: str) -> Asked:
    """What a text asks for: a name, and perhaps the year of a series and the number of an issue."""
    name = " ".join(search.words(query))
    marked = search.parse_issue_query(query)
    if marked.number is not None:
        words, year = list(marked.words), marked.year
        if year is None:
            words, year = _year_of(words)
        numbers = _numbers(marked.number[:NUMBER_MAX]) if marked.number else ()
        return Asked(name, " ".join(words), numbers, year, year)
    words, year = _year_of(name.split())
    if year is not None:
        is_bare = name[-1] != ")"
        return Asked(name, " ".join(words), (str(year),) if is_bare else (), year, None if is_bare else year)
    if len(words) > 1 and _NUMBER.fullmatch(words[-1]):
        numbers = _numbers(words.pop())
        words, year = _year_of(words)
        return Asked(name, " ".join(words), numbers, year, year)
    return Asked(name, name)


def _year_of(words: list[str]) -> tuple[list[str], int | None]:
    """The words without a year that is the last of several, and the year."""
    found = _YEAR.fullmatch(words[-1]) if len(words) > 1 else None
    return (words[:-1], int(found[1])) if found else (words, None)


def _numbers(number: str) -> tuple[str, ...]:
    """A number as it was sent, and without leading zeros."""
    return tuple(dict.fromkeys((number, number.lstrip("0") or "0")))


def _without_article(name: str) -> str:
    lower = name.lower()
    article = next((each for each in _BEFORE_NAMES if lower.startswith(each)), "")
    return name[len(article) :].lstrip() or name


def _words(prefix: str, name: str) -> dict:
    """The words of a name, and the longest, by which an index is read."""
    words = name.split()
    lengths = [max(map(len, _LETTERS.findall(word)), default=0) for word in words]
    longest = max(lengths, default=0)
    return {
        f"{prefix}words": words,
        f"{prefix}longest": words[lengths.index(longest)] if longest else None,
        f"{prefix}anywhere": longest >= TRIGRAM,
    }


def searched(kinds: Iterable[str] | None = None) -> tuple[str, ...]:
    """The kinds that are searched, or the given ones of them, in the order of equally good results."""
    known = [name for name, kind in KINDS.items() if not kind.is_reference]
    return tuple(name for name in dict.fromkeys((*FIRST, *known)) if kinds is None or name in kinds)


# What is asked for, folded: `beginnings` of names, without and with articles; `patterns` of LIKE for the
# words; `drivers`, of which a trigram index has to find one.
_FOLDED = """
    fold(CAST(:{name} AS text)) AS {name},
    CASE WHEN CAST(:{name} AS text) = '' THEN '{{}}'
        ELSE ARRAY(SELECT article || fold(:{name}) FROM unnest(CAST({articles} AS text[])) article)
    END AS {prefix}beginnings,
    ARRAY(SELECT fold_pattern(word) FROM unnest(CAST(:{prefix}words AS text[])) word) AS {prefix}patterns,
    CASE WHEN CAST(:{prefix}anywhere AS boolean) THEN ARRAY[fold_pattern(CAST(:{prefix}longest AS text))]
        WHEN CAST(:{prefix}longest AS text) IS NULL THEN '{{}}'
        ELSE ARRAY['% ' || substr(fold_pattern(:{prefix}longest), 2),
            substr(fold_pattern(:{prefix}longest), 2)]
    END AS {prefix}drivers"""
_ASKED = """
    SELECT fold(CAST(:typed AS text)) AS typed, CAST(:numbers AS text[]) AS numbers,
        CAST(:year AS integer) AS year, CAST(:issue_year AS integer) AS issue_year,
        CAST(:limit AS integer) AS most, CAST(:enough AS integer) AS enough,
        CAST(:kinds AS text[]) AS kinds, {name}, {series}"""
# The series with the words of the text without year and number.
_RUNS = """
    SELECT id, year_began, folded, sort_folded, name,
        CASE WHEN folded = ANY((SELECT series_beginnings FROM asked)::text[]) THEN 0
            WHEN folded LIKE ANY(ARRAY(
                SELECT substr(fold_pattern(each), 2) FROM asked, unnest(series_beginnings) each)) THEN 2
            WHEN folded LIKE ALL((SELECT series_patterns FROM asked)::text[]) THEN 3
            ELSE 4 END AS reason
    FROM series
    WHERE (folded LIKE ANY((SELECT series_drivers FROM asked)::text[])
            OR alt_folded LIKE ANY((SELECT series_drivers FROM asked)::text[]))
        AND folded || ' ' || alt_folded LIKE ALL((SELECT series_patterns FROM asked)::text[])"""

_NUMBERS = 'upper(issue.number COLLATE "default")', "upper(issue.alt_number)"
_OF_ISSUE_YEAR = """((SELECT issue_year FROM asked) IS NULL
        OR runs.year_began = (SELECT issue_year FROM asked)
        OR extract(year FROM issue.cover_date) = (SELECT issue_year FROM asked))"""
# Whether so little was found that similar names are wanted. The threshold is set before their index is read.
_FEW = f"""length((SELECT series FROM asked)) >= {SIMILAR_MIN}
        AND (SELECT count(*) FROM exact) + (SELECT count(*) FROM loose) < (SELECT enough FROM asked)
        AND NOT EXISTS (SELECT FROM exact WHERE reason <= 1)
        AND (SELECT set_config('pg_trgm.word_similarity_threshold', '{search.SIMILARITY}', true)) <> ''"""

# The steps. Columns: kind, id, reason, and what equally good results are ordered by.
_BEGINNING = """
    SELECT {code} AS kind, named.id, CASE WHEN named.folded = beginning THEN 0 ELSE 2 END AS reason,
        CASE WHEN starts_with(named.folded, (SELECT typed FROM asked)) THEN 0.0 ELSE 1.0 END AS distance,
        named.folded AS sort, CAST(named.name AS text) AS further
    FROM unnest((SELECT beginnings FROM asked)) beginning CROSS JOIN LATERAL (
        SELECT id, folded, name FROM {table}
        WHERE folded >= beginning AND folded < beginning || chr(1114111)
        ORDER BY folded, name, id LIMIT (SELECT most FROM asked)
    ) named
    WHERE {wanted}"""
_OF_YEAR = """
    SELECT {code}, id, reason, 0.0, folded, CAST(name AS text) FROM runs
    WHERE {wanted} AND year_began = (SELECT year FROM asked)"""
_NUMBERED = """
    (SELECT {code}, issue.id, 1, CAST(runs.reason AS numeric), runs.sort_folded,
        CAST(issue.cover_date AS text)
    FROM runs JOIN issue ON issue.series_id = runs.id
    WHERE {wanted} AND {number} = ANY((SELECT numbers FROM asked)::text[]) AND {of_year}
    ORDER BY runs.reason, runs.sort_folded, issue.cover_date, issue.id LIMIT (SELECT most FROM asked))"""
_NUMBER_ALONE = """
    (SELECT {code}, issue.id, 1, 0.0, runs.sort_folded, CAST(issue.cover_date AS text)
    FROM (
        SELECT id, series_id, cover_date FROM issue WHERE {number} = ANY((SELECT numbers FROM asked)::text[])
        OFFSET 0  -- these first, not in the order of their series
    ) issue JOIN series runs ON runs.id = issue.series_id
    WHERE {wanted} AND (SELECT series FROM asked) = '' AND {of_year}
    ORDER BY runs.sort_folded, issue.cover_date, issue.id LIMIT (SELECT most FROM asked))"""
_HOLDING = """
    (SELECT {code} AS kind, id,
        CASE WHEN folded LIKE ALL((SELECT patterns FROM asked)::text[]) THEN 3 ELSE 4 END AS reason,
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
        ORDER BY cover_date, store_date NULLS LAST, number, id LIMIT (SELECT most FROM asked)
    ) issue
    WHERE {wanted} LIMIT (SELECT most FROM asked))"""
_ALIKE = """
    SELECT id, year_began, sort_folded, (SELECT series FROM asked) <<-> folded AS distance FROM series
    WHERE {wanted} AND (SELECT series FROM asked) <% folded
    ORDER BY distance, sort_folded, id LIMIT {alike}"""
_RESEMBLING = """
    (SELECT {code} AS kind, id, 6 AS reason, CAST({distance} AS numeric) AS distance, folded AS sort,
        CAST(name AS text) AS further
    FROM {table}
    WHERE {wanted} AND ({similar})
    ORDER BY 4, 5, 6, id LIMIT (SELECT most FROM asked))"""
_RANKED = """
SELECT kind, id, reason, row_number() OVER (ORDER BY reason, distance, {by_kind} sort, further, id) AS place
FROM (SELECT DISTINCT ON (kind, id) * FROM ({steps}) every ORDER BY kind, id, reason, distance) once"""


def found(*, apiece: bool = False, typeahead: bool = False) -> TextualSelect:
    """What a text finds: columns `kind` (a place in `searched`), `id`, `reason`, and `place`, 1 for the best.

    Parameters are `Asked.values`; `kinds`; `enough`; and `limit`, of all results, or with `apiece` of each
    kind. With `typeahead`, similar names are not looked for.
    """
    return _statement(searched(), apiece, typeahead)


@lru_cache
def _statement(_kinds: tuple[str, ...], apiece: bool, typeahead: bool) -> TextualSelect:
    steps = {"exact": _exact(), "loose": _loose(apiece=apiece)}
    if not typeahead:
        steps |= {"alike": _alike(), "resembling": _resembling(apiece=apiece)}
    with_ = {"asked": _asked(), "runs": _RUNS, **steps}
    steps.pop("alike", None)
    every = " UNION ALL ".join(f"SELECT * FROM {step}" for step in steps)
    ranked = _RANKED.format(steps=every, by_kind="" if apiece else "kind,")
    ctes = ", ".join(f"{name} AS MATERIALIZED ({query})" for name, query in with_.items())
    statement = f"WITH {ctes} {ranked}"
    if not apiece:
        statement += " ORDER BY place LIMIT (SELECT most FROM asked)"
    return text(statement).columns(*(column(name, Integer) for name in ("kind", "id", "reason", "place")))


class Hit(NamedTuple):
    """An object that a text finds, and the number of the reason in REASONS."""

    kind: str
    id: int
    reason: int


def best_apiece(
    pool: ReadPool | ReadConnection, query: str, limit: int, *, enough: int = 1, typeahead: bool = False
) -> list[Hit]:
    """The best objects of each kind that a text finds, up to `limit` of each, by reason."""
    order = searched()
    values = {**parse(query).values, "kinds": list(order), "limit": limit, "enough": enough}
    row = pool.fetch(_apiece(order, typeahead), values)
    return [Hit(order[kind], id_, reason) for kind, id_, reason in row[0] or ()]


@lru_cache
def _apiece(_kinds: tuple[str, ...], typeahead: bool) -> CompiledQuery:
    """The statement for one row, whose only value lists what was found."""
    best = found(apiece=True, typeahead=typeahead).subquery("best")
    hit = func.json_build_array(best.c.kind, best.c.id, best.c.reason)
    return CompiledQuery.of(select(func.json_agg(aggregate_order_by(hit, best.c.place))))


def _named() -> list[tuple[int, Kind]]:
    """The kinds with names of their own, each with its place in `searched`."""
    return [(code, KINDS[name]) for code, name in enumerate(searched()) if name != Issue.__tablename__]


def _constant(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _asked() -> str:
    articles = f"ARRAY[{', '.join(map(_constant, ('', *_BEFORE_NAMES)))}]"
    name = _FOLDED.format(name="name", prefix="", articles=articles)
    return _ASKED.format(name=name, series=_FOLDED.format(name="series", prefix="series_", articles=articles))


def _wanted(kind: str, further: str = "true") -> str:
    return f"{_constant(kind)} = ANY((SELECT kinds FROM asked)::text[]) AND {further}"


def _exact() -> str:
    arms = [
        _BEGINNING.format(code=code, table=_table(kind), wanted=_wanted(kind.name)) for code, kind in _named()
    ]
    code = searched().index("series")
    # With a year and a number, an issue is wanted.
    alone = "((SELECT issue_year FROM asked) IS NULL OR cardinality((SELECT numbers FROM asked)) = 0)"
    of_year = _wanted("series", f"(SELECT year FROM asked) IS NOT NULL AND {alone}")
    arms.append(_OF_YEAR.format(code=code, wanted=of_year))
    has_number = "cardinality((SELECT numbers FROM asked)) > 0"
    for template in (_NUMBERED, _NUMBER_ALONE):
        for number in _NUMBERS:
            issue = {"code": searched().index("issue"), "wanted": _wanted("issue", has_number)}
            arms.append(template.format(number=number, of_year=_OF_ISSUE_YEAR, **issue))
    return " UNION ALL ".join(arms)


def _loose(*, apiece: bool) -> str:
    def missing(code: int) -> str:
        of_kind = f" WHERE kind = {code}" if apiece else ""
        return f"(SELECT count(*) FROM exact{of_kind}) < (SELECT most FROM asked)"

    arms = []
    for code, kind in _named():
        columns = [each.name for each in kind.search_columns]
        driven = " OR ".join(f"{each} LIKE ANY((SELECT drivers FROM asked)::text[])" for each in columns)
        arms.append(
            _HOLDING.format(
                code=code,
                table=_table(kind),
                wanted=_wanted(kind.name, missing(code)),
                driven=driven,
                all_names=" || ' ' || ".join(columns),
                before=_constant(search.BEFORE_WORDS),
                blanks=_constant(" " * len(search.BEFORE_WORDS)),
            )
        )
    code = searched().index("issue")
    without_number = f"cardinality((SELECT numbers FROM asked)) = 0 AND {missing(code)}"
    arms.append(
        _OF_SERIES.format(
            code=code,
            reason=5,
            source="runs",
            distance="CAST(reason AS numeric)",
            of_number="true",
            wanted=_wanted("issue", without_number),
        )
    )
    return " UNION ALL ".join(arms)


def _alike() -> str:
    return _ALIKE.format(wanted=_wanted("issue", _FEW), alike=SIMILAR_SERIES)


def _resembling(*, apiece: bool) -> str:
    arms = []
    for code, kind in _named():
        name = f"(SELECT {'series' if kind.name == 'series' else 'name'} FROM asked)"
        columns = [each.name for each in kind.search_columns]
        distances = ", ".join(f"{name} <<-> {each}" for each in columns)
        arms.append(
            _RESEMBLING.format(
                code=code,
                table=_table(kind),
                wanted=_wanted(kind.name, _FEW),
                distance=f"least({distances})",
                similar=" OR ".join(f"{name} <% {each}" for each in columns),
            )
        )
    numbers = "(SELECT numbers FROM asked)"
    of_number = " OR ".join(f"{each} = ANY({numbers}::text[])" for each in _NUMBERS)
    arms.append(
        _OF_SERIES.format(
            code=searched().index("issue"),
            reason=6,
            source="alike",
            distance="CAST(distance AS numeric)",
            of_number=f"(cardinality({numbers}) = 0 OR {of_number})" if apiece else f"({of_number})",
            wanted=_wanted("issue"),
        )
    )
    return " UNION ALL ".join(arms)


def _table(kind: Kind) -> str:
    return f'"{kind.model.__table__.name}"'
