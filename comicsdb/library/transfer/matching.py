"""Matches the rows of an imported file with issues or series of the catalogue.

Permanent ids are compared first, then names. The number of statements does not depend on the number of rows.
Nothing is guessed: if two candidates fit equally well, or the only one contradicts the row, the owner
decides.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import orjson
from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.i18n import _
from comicsdb.issue_numbers import clean_number
from comicsdb.models.choices import Precision

MATCHED, AMBIGUOUS, UNKNOWN = "matched", "ambiguous", "unknown"
CANDIDATES_MAX = 10
SAME_ISSUE_DAYS = 31  # dates of one issue in different sources may differ by this much
OTHER_ISSUE_DAYS = 200  # dates further apart belong to different issues

REASONS = {
    "several": _("Several match: which one is it?"),
    "doubtful": _("Not everything in the row matches: is it this one?"),
    "other_name": _("The ID belongs to an entry with another name: is it this one?"),
    "nothing": _("The row has neither a series nor a known ID."),
    "no_number": _("The row has no number, and the series has several issues."),
    "no_series": _("No series with this name was found."),
    "no_issue": _("The series was found, but not this number."),
    "no_id": _("No entry with this ID was found."),
}


@dataclass(frozen=True)
class MatchQuery:
    """The values by which a row identifies its issue, or its series if `number` is blank.

    `year` is the series' first year; `published` is the issue's year, if its date is unknown. `written` is
    the name as the row has it, if year or volume were split off: they may be part of the name. `ids` are
    those of further sources, as in "metron 17 locg 4".
    """

    series: str = ""
    number: str = ""
    volume: int | None = None
    year: int | None = None
    publisher: str = ""
    cover_date: date | None = None
    store_date: date | None = None
    published: int | None = None
    upc: str = ""
    id: int | None = None
    cv_id: int | None = None
    gcd_id: int | None = None
    written: str = ""
    ids: str = ""

    @classmethod
    def from_json(cls, values: dict) -> "MatchQuery":
        """The query for values that were stored as JSON."""
        names = [name for name in ("cover_date", "store_date") if values.get(name)]
        return cls(**values | {name: date.fromisoformat(values[name]) for name in names})

    @property
    def names(self) -> tuple[str, ...]:
        """The possible names of the series, the likeliest first."""
        return tuple(filter(None, (self.written, self.series)))


@dataclass(frozen=True)
class Match:
    """The result for a row: the matching id, or up to ten candidates, best first.

    `reason`, a key of REASONS, says why it is not matched.
    """

    state: str
    id: int | None = None
    candidates: tuple[int, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Candidate:
    """A possible match, with the facts to compare; `rank` is 0 if it was found by name."""

    id: int
    rank: int
    named: bool
    exact: bool
    number_fits: bool
    volume: int
    year_began: int
    publishers: tuple[str, ...]
    cover_date: date | None = None
    cover_date_precision: str | None = None
    store_date: date | None = None


def match_issues(session: Session, wanted: Sequence[MatchQuery]) -> list[Match]:
    """Match rows with issues; three statements."""
    return _match(session, wanted, BY_ID, BY_WORDS)


def match_series(session: Session, wanted: Sequence[MatchQuery]) -> list[Match]:
    """Match rows with series; three statements."""
    return _match(session, wanted, SERIES_BY_ID, SERIES_BY_WORDS)


def match_rows(session: Session, rows: Sequence[tuple[bool, MatchQuery]]) -> list[Match]:
    """The match of each row; the flag says whether it is about a series, not an issue."""
    of_issues = iter(match_issues(session, [wanted for is_series, wanted in rows if not is_series]))
    of_series = iter(match_series(session, [wanted for is_series, wanted in rows if is_series]))
    return [next(of_series if is_series else of_issues) for is_series, _wanted in rows]


def _match(session, wanted, by_id, by_words) -> list[Match]:
    if wanted:  # JIT compilation of these long statements takes longer than running them
        session.execute(text("SET LOCAL jit = off"))
    known = _by_ids(session, wanted, by_id)
    places = [
        place
        for place, each in enumerate(wanted)
        if each.series and not any(_is_trusted(found, each) for found in known[place])
    ]
    pairs = {}  # the index of each pair of name and number
    for place in places:
        for name in wanted[place].names:
            pairs.setdefault((name, wanted[place].number), len(pairs))
    named, found = _by_words(session, pairs, by_words)
    matches = []
    for place, each in enumerate(wanted):
        asked = [pairs.get((name, each.number)) for name in each.names] or [None]
        pair = next((pair for pair in asked if pair in named), asked[-1])
        matches.append(_decide(each, known[place], found[pair], pair in named))
    return matches


def _by_ids(session, wanted, statement) -> dict[int, list[Candidate]]:
    rows = [
        {
            "place": place,
            "name": name,
            "number": each.number,
            "id": each.id,
            "cv_id": each.cv_id,
            "gcd_id": each.gcd_id,
            "upc": each.upc,
        }
        for place, each in enumerate(wanted)
        if each.id or each.cv_id or each.gcd_id or each.upc
        for name in each.names or ("",)
    ]
    found = defaultdict(list)
    for place, *columns in _execute(session, statement, rows):
        found[place].append(_candidate(columns))
    return found


def _by_words(session, pairs, statement) -> tuple[set[int], dict[int, list[Candidate]]]:
    """The pairs whose series exists, and the candidates by pair."""
    rows = [{"place": place, "name": name, "number": number} for (name, number), place in pairs.items()]
    named, found = set(), defaultdict(list)
    for place, *columns in _execute(session, statement, rows):
        named.add(place)
        if columns[0] is not None:
            found[place].append(_candidate(columns))
    return named, found


def _execute(session, statement, rows):
    return session.execute(text(statement), {"rows": orjson.dumps(rows).decode()}) if rows else ()


def _candidate(columns) -> Candidate:
    *facts, publisher, more, imprint, cover_date, cover_date_precision, store_date = columns
    publishers = tuple(filter(None, (publisher, *more, imprint)))
    return Candidate(*facts, publishers, cover_date, cover_date_precision, store_date)


def _is_trusted(found: Candidate, wanted: MatchQuery) -> bool:
    """Whether name, number or date confirm a match by id: the id may be another site's, a barcode reused."""
    if not wanted.series or (found.named and (found.rank < 3 or found.number_fits)):
        return True
    return (
        found.number_fits
        and wanted.cover_date is not None
        and wanted.cover_date == found.cover_date
        and found.cover_date_precision != Precision.YEAR
    )


def _decide(wanted: MatchQuery, known: list[Candidate], found: list[Candidate], series_known: bool) -> Match:
    trusted = [each for each in known if _is_trusted(each, wanted)]
    if trusted:
        best = min(each.rank for each in trusted)
        return _best_match(
            {each.id: each for each in trusted if each.rank == best}.values(), wanted, sure=best < 3
        )
    if found:
        return _best_match(found, wanted)
    if known:
        return Match(AMBIGUOUS, candidates=_limited(each.id for each in known), reason="other_name")
    if not wanted.series:
        return Match(UNKNOWN, reason="no_id" if wanted.id or wanted.cv_id or wanted.gcd_id else "nothing")
    if not series_known:
        return Match(UNKNOWN, reason="no_series")
    return Match(UNKNOWN, reason="no_issue" if wanted.number else "no_number")


def _best_match(candidates: Iterable[Candidate], wanted: MatchQuery, *, sure: bool = False) -> Match:
    """The candidate that fits better than all others, or all of them to choose from."""
    fits = sorted(
        ((*_score(each, wanted), each.id) for each in candidates), key=lambda fit: (-fit[0], fit[2])
    )
    points, contradicted, best = fits[0]
    if len(fits) > 1 and fits[1][0] == points:
        return Match(AMBIGUOUS, candidates=_limited(fit[2] for fit in fits), reason="several")
    if contradicted and not (sure and len(fits) == 1):
        return Match(AMBIGUOUS, candidates=_limited(fit[2] for fit in fits), reason="doubtful")
    return Match(MATCHED, id=best, candidates=(best,))


def _limited(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))[:CANDIDATES_MAX]


def _score(candidate: Candidate, wanted: MatchQuery) -> tuple[int, bool]:
    """The score of a candidate, and whether it contradicts a fact that hardly varies between sources.

    Sites count volumes differently, so a different volume only lowers the score. So does a different
    publisher if the dates agree.
    """
    points, against = int(candidate.exact) + int(candidate.number_fits), False
    if wanted.year:
        agrees = candidate.year_began == wanted.year
        points, against = points + (4 if agrees else -4), against or not agrees
    dated = _dates_agree(candidate, wanted)
    if dated is not None:
        points, against = points + 4 * dated, against or dated < 0
    if wanted.volume is not None:
        points += 2 if candidate.volume == wanted.volume else -1
    if wanted.publisher:
        agrees = any(same_publisher(each, wanted.publisher) for each in candidate.publishers)
        points += 2 if agrees else -2
        against = against or (not agrees and not (dated or 0) > 0)
    return points, against


def _dates_agree(candidate: Candidate, wanted: MatchQuery) -> int | None:
    """1 if the dates agree, -1 if they are far apart, 0 in between; None if there are none to compare."""
    cover, store = ((day, day) if day else None for day in (candidate.cover_date, candidate.store_date))
    if cover and candidate.cover_date_precision == Precision.YEAR:
        cover = candidate.cover_date, candidate.cover_date.replace(month=12, day=31)
    pairs = [
        (mine, theirs)
        for mine, theirs in ((wanted.cover_date, cover or store), (wanted.store_date, store or cover))
        if mine and theirs
    ]
    if pairs:
        apart = min(max((first - mine).days, (mine - last).days, 0) for mine, (first, last) in pairs)
        return 1 if apart <= SAME_ISSUE_DAYS else -1 if apart > OTHER_ISSUE_DAYS else 0
    if wanted.published and (cover or store):
        apart = abs((cover or store)[0].year - wanted.published)
        return 1 if apart == 0 else -1 if apart > 1 else 0
    return None


# Parsing of names and titles.

PLAIN_MAX = 255  # characters
FIRST_YEAR = 1900  # a "volume" from here on is the series' first year

_YEAR = re.compile(
    r"\s*[(\[](\d{4})(?:\s*[-–]\s*(?:\d{4}|present|ongoing)?)?(?:\s+series)?[)\]]\s*$", re.I | re.A
)
_VOLUME = re.compile(r",?\s*[(\[]?\b(?:vol(?:ume)?\.?\s*|v\.?)(\d{1,4})[)\]]?\s*$", re.I | re.A)
_KIND = re.compile(r"\s+(?:TPB|HC|GN)$")  # in our own labels, before the year
_TITLE_NUMBER = re.compile(r"^(?P<series>.+?)\s+(?:chapter\s+)?#\s*(?P<number>\S{1,25})", re.I)
_TITLE_VOLUME = re.compile(
    r"^(?P<series>.+?),?\s+(?:vol(?:ume)?\.?|book)\s*(?P<number>\d{1,4})\b", re.I | re.A
)
_NOT_WORDS = re.compile(r"[\W_]+")
# Optional words in the names of publishers.
_PUBLISHER_WORDS = re.compile(
    r"\b(?:comics?|publishing|publications|press|entertainment|group|books|media|inc|llc|ltd|co|company)\b"
)


def split_name(text: str) -> tuple[str, int | None, int | None]:
    """The name, first year and volume in the title of a series.

    Known forms: `Name (2018)`, `Name (2018 - 2022)`, `Name (2018 series)`, `Name, Vol. 5`, `Name TPB (2018)`.
    """
    name, year, volume = text.strip(), None, None
    found = _YEAR.search(name)
    if found and found.start():
        name, year = name[: found.start()], int(found[1])
        name = _KIND.sub("", name)
    found = _VOLUME.search(name)
    if found and found.start():
        name, number = name[: found.start()], int(found[1])
        year, volume = (year or number, volume) if number >= FIRST_YEAR else (year, number)
    return name.strip(), year, volume


def split_title(text: str) -> tuple[str, str]:
    """The series and number in a title such as `Name #5 Variant` or `Name, Vol. 2`, else blank."""
    found = _TITLE_NUMBER.match(text) or _TITLE_VOLUME.match(text)
    return (found["series"].strip(), clean_number(found["number"])) if found else ("", "")


def plain(text: str) -> str:
    """The letters and digits of a text, without case and accents."""
    # Normalising takes time quadratic in the number of combining marks.
    decomposed = unicodedata.normalize("NFKD", text[:PLAIN_MAX]).casefold()
    return _NOT_WORDS.sub("", "".join(each for each in decomposed if not unicodedata.combining(each)))


def publisher_key(text: str) -> str:
    """The plain name of a publisher without words such as `Comics`, unless it has no others."""
    text = text[:PLAIN_MAX]
    return plain(_PUBLISHER_WORDS.sub("", text.casefold())) or plain(text)


def same_publisher(one: str, other: str) -> bool:
    """Whether two names may belong to the same publisher, such as `DC` and `DC Comics`."""
    return publisher_key(one) == publisher_key(other)


# The statements, each for a whole file. They take `rows`, a JSON array, and return `place`, the index of the
# row, followed by the columns of `_candidate`.

_ARTICLES = ("the", "a", "an", "il", "lo", "la", "gli", "le", "les", "el", "los", "las", "der", "das")
_AT_AN_END = rf"^({'|'.join(_ARTICLES)}) +|, *({'|'.join(_ARTICLES)})$"
_PUNCTUATION = " .,:;!?''\"`´-–—_/\\()[]{}<>*+=#@%~^|…’‘“”"


def _name_key(folded: str) -> str:
    """A folded name without articles, spaces and punctuation, unless nothing would be left.

    Regular expressions are slow, so they are evaluated only for names with a comma.
    """
    first = f"split_part({folded}, ' ', 1)"
    articles = ", ".join(f"'{each}'" for each in _ARTICLES)
    bare = f"""CASE WHEN strpos({folded}, ',') > 0 THEN regexp_replace({folded}, '{_AT_AN_END}', '')
        WHEN {first} IN ({articles}) THEN substr({folded}, length({first}) + 1) ELSE {folded} END"""
    quoted = _PUNCTUATION.replace("\\", "\\\\")
    return f"""coalesce(
        nullif(translate(replace({bare}, '&', 'and'), E'{quoted}', ''), ''), {folded})"""


_NAMES = f"""
    SELECT id, {_name_key("folded")} AS key, false AS alt FROM series
    UNION ALL
    SELECT id, {_name_key("folded")}, true FROM (
        SELECT id, fold(alt.name) AS folded FROM series CROSS JOIN unnest(alt_names) AS alt (name)
    ) AS alternative
"""

# Columns of `series`, its publisher and its imprint.
_SERIES_FACTS = """
    series.volume, series.year_began, publisher.name, publisher.alt_names, imprint.name
"""
# The dates of `issue`; a substitute for an unknown cover date says nothing about the issue.
_ISSUE_DATES = f"""
    CASE WHEN issue.cover_date_precision <> '{Precision.NONE}' THEN issue.cover_date END,
    issue.cover_date_precision, issue.store_date
"""
_PUBLISHERS = """
    JOIN publisher ON publisher.id = series.publisher_id
    LEFT JOIN imprint ON imprint.id = series.imprint_id
"""
_HAS_NAME = f"""
    (wanted.key = {_name_key("series.folded")}
     OR wanted.key IN (
        SELECT {_name_key("folded")} FROM (
            SELECT fold(alt.name) AS folded FROM unnest(series.alt_names) AS alt (name)
        ) AS alternative
     ))
"""
_ASKED_BY_ID = f"""
    SELECT asked.*, {_name_key("folded")} AS key, number_key(number) AS number_key
    FROM (
        SELECT *, fold(btrim(name)) AS folded
        FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS asked (place integer, name text, number text, id integer, cv_id integer, gcd_id integer, upc text)
    ) AS asked
"""


def _ids(kind: str) -> str:
    """(place, rank, id) of the objects with the ids in the rows, including merged ones."""
    return f"""
        SELECT place, 1 AS rank, {kind}.id FROM wanted JOIN {kind} ON {kind}.id = wanted.id
        UNION
        SELECT place, 1, tombstone.survivor_id FROM wanted
        JOIN tombstone ON tombstone.kind = '{kind}' AND tombstone.object_id = wanted.id
        UNION
        SELECT place, 2, {kind}.id FROM wanted JOIN {kind} ON {kind}.cv_id = wanted.cv_id
        UNION
        SELECT place, 2, {kind}.id FROM wanted JOIN {kind} ON {kind}.gcd_id = wanted.gcd_id
    """


BY_ID = f"""
    WITH wanted AS MATERIALIZED ({_ASKED_BY_ID}),
    found AS (
        {_ids("issue")}
        UNION
        SELECT place, 3, issue.id FROM wanted JOIN issue ON upper(translate(issue.upc, ' -', '')) = wanted.upc
        WHERE wanted.upc <> ''
        UNION
        SELECT place, 3, variant.issue_id FROM wanted
        JOIN variant ON upper(translate(variant.upc, ' -', '')) = wanted.upc
        WHERE wanted.upc <> ''
    )
    SELECT place, issue.id, found.rank, {_HAS_NAME} AS named, true AS exact,
        wanted.number_key IN (issue.number_key, number_key(issue.alt_number)),
        {_SERIES_FACTS}, {_ISSUE_DATES}
    FROM found JOIN wanted USING (place) JOIN issue ON issue.id = found.id
    JOIN series ON series.id = issue.series_id {_PUBLISHERS}
    ORDER BY place, found.rank, issue.id
"""

SERIES_BY_ID = f"""
    WITH wanted AS MATERIALIZED ({_ASKED_BY_ID}),
    found AS ({_ids("series")})
    SELECT place, series.id, found.rank, {_HAS_NAME}, true, true,
        {_SERIES_FACTS}, CAST(NULL AS date), NULL, CAST(NULL AS date)
    FROM found JOIN wanted USING (place) JOIN series ON series.id = found.id {_PUBLISHERS}
    ORDER BY place, found.rank, series.id
"""

_BY_NAME = f"""
    wanted AS MATERIALIZED (
        SELECT place, folded, {_name_key("folded")} AS key, number_key(number) AS number
        FROM (
            SELECT *, fold(btrim(name)) AS folded
            FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS asked (place integer, name text, number text)
        ) AS asked
    ),
    names AS MATERIALIZED ({_NAMES}),
    named AS MATERIALIZED (
        SELECT place, wanted.folded, wanted.number, names.id AS series_id, bool_and(names.alt) AS alt
        FROM wanted JOIN names ON names.key = wanted.key
        GROUP BY place, wanted.folded, wanted.number, names.id
    )
"""

# A row without a number matches a series' only issue. If no issue matches, the row has the series alone.
BY_WORDS = f"""
    WITH {_BY_NAME},
    issues AS MATERIALIZED (
        SELECT id, series_id, number_key, alt_number FROM issue
        WHERE series_id IN (SELECT series_id FROM named)
    ),
    numbers AS MATERIALIZED (
        SELECT id, series_id, number_key AS number, true AS main FROM issues
        UNION ALL
        SELECT id, series_id, number_key(alt_number), false FROM issues WHERE alt_number <> ''
        UNION ALL
        SELECT min(id), series_id, '', true FROM issues GROUP BY series_id HAVING count(*) = 1
    ),
    found AS (
        SELECT place, named.folded, named.series_id, named.alt, numbers.id, bool_or(numbers.main) AS main
        FROM named
        LEFT JOIN numbers ON numbers.series_id = named.series_id AND numbers.number = named.number
        GROUP BY place, named.folded, named.series_id, named.alt, numbers.id
    )
    SELECT place, issue.id, 0, true, NOT found.alt AND series.folded = found.folded, found.main,
        {_SERIES_FACTS}, {_ISSUE_DATES}
    FROM found JOIN series ON series.id = found.series_id {_PUBLISHERS}
    LEFT JOIN issue ON issue.id = found.id
    ORDER BY place, issue.id
"""

SERIES_BY_WORDS = f"""
    WITH {_BY_NAME}
    SELECT place, series.id, 0, true, NOT named.alt AND series.folded = named.folded, true,
        {_SERIES_FACTS}, CAST(NULL AS date), NULL, CAST(NULL AS date)
    FROM named JOIN series ON series.id = named.series_id {_PUBLISHERS}
    ORDER BY place, series.id
"""
