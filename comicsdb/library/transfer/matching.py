"""Matches the rows of an imported file with issues or series, by the matcher of `comicsdb.matching`.

An import takes by itself only what is certain. All else is a question to its owner: up to ten candidates,
and the reason why the best of them is not certain. What was not found is never replaced by something else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.catalog.crosswalk import resolve_ids
from comicsdb.i18n import _
from comicsdb.matching import service
from comicsdb.matching.descriptors import Descriptor, build_descriptor
from comicsdb.matching.scoring import (
    DOUBT_WEIGHT,
    NAME_WEIGHTS,
    OTHER_NUMBERS,
    SAME_NAMES,
    SAME_NUMBERS,
    TWO_EDITS,
    Candidate,
)
from comicsdb.matching.scoring import Match as Ranking
from comicsdb.models.choices import Precision

MATCHED, AMBIGUOUS, UNKNOWN = "matched", "ambiguous", "unknown"
CANDIDATES_MAX = 10
BATCH = 500  # rows that are matched together
SCORE_MIN = 0.01  # of candidates that are offered
LAST_MONTH_OF_ITS_YEAR = 10  # comics released later may have a cover date of the next year

LIKELY, ISSUES = "likely", "issues"
REASONS = {
    "several": _("Several match: which one is it?"),
    ISSUES: _("Several issues of the series match: which one is it?"),
    LIKELY: _("Only the name and the number match: is it this one?"),
    "similar_name": _("The name is similar, but not the same: is it this one?"),
    "doubtful": _("Not everything in the row matches: is it this one?"),
    "other_name": _("The ID belongs to an entry with another name: is it this one?"),
    "nothing": _("The row has neither a series nor a known ID."),
    "no_number": _("The row has no number, and the series has several issues."),
    "no_series": _("No series with this name was found."),
    "no_issue": _("The series was found, but not this number."),
    "no_id": _("No entry with this ID was found."),
    "none": _("You chose none of the candidates."),
}


@dataclass(frozen=True)
class MatchQuery:
    """The values by which a row identifies its issue, or its series if `number` is blank.

    `year` is the series' first year; `published` is the issue's year, if its date is unknown. `written` is
    the name as the row has it, if year or volume were split off: they may be part of the name. `ids` and
    `series_ids` are those of sources, as in "metron 17 locg 4".
    """

    series: str = ""
    number: str = ""
    volume: int | None = None
    year: int | None = None
    publisher: str = ""
    cover_date: date | None = None
    cover_date_precision: str = Precision.DAY.value
    store_date: date | None = None
    published: int | None = None
    upc: str = ""
    id: int | None = None
    cv_id: int | None = None
    gcd_id: int | None = None
    written: str = ""
    ids: str = ""
    format: str = ""
    isbn: str = ""
    series_ids: str = ""

    @classmethod
    def from_json(cls, values: dict) -> "MatchQuery":
        """The query for values that were stored as JSON."""
        names = [name for name in ("cover_date", "store_date") if values.get(name)]
        return cls(**values | {name: date.fromisoformat(values[name]) for name in names})


@dataclass(frozen=True)
class Match:
    """The result for a row: the matching id, or up to ten candidates, best first.

    `reason`, a key of REASONS, says why it is not matched.
    """

    state: str
    id: int | None = None
    candidates: tuple[int, ...] = ()
    reason: str = ""


def match_issues(session: Session, queries: Sequence[MatchQuery]) -> list[Match]:
    """Match rows with issues; the number of statements depends on that of batches only."""
    return _match(session, queries, service.match, "")


def match_series(session: Session, queries: Sequence[MatchQuery]) -> list[Match]:
    """Match rows with series."""
    return _match(session, queries, service.match_series, "series_")


def match_rows(session: Session, rows: Sequence[tuple[bool, MatchQuery]]) -> list[Match]:
    """The match of each row; the flag says whether it is about a series, not an issue."""
    of_issues = iter(match_issues(session, [query for is_series, query in rows if not is_series]))
    of_series = iter(match_series(session, [query for is_series, query in rows if is_series]))
    return [next(of_series if is_series else of_issues) for is_series, _query in rows]


def _match(session: Session, queries: Sequence[MatchQuery], ranker, prefix: str) -> list[Match]:
    if not queries:
        return []
    session.execute(text("SET LOCAL jit = off"))  # it takes longer than running these long statements
    distinct = list(dict.fromkeys(queries))
    kind = "series" if prefix else "issue"
    ids = [query.id for query in distinct if query.id]
    current = resolve_ids(session, kind, ids) if ids else {}  # of merged ones
    matches: dict[MatchQuery, Match] = {}
    for start in range(0, len(distinct), BATCH):
        batch = distinct[start : start + BATCH]
        rankings = ranker(session, [_descriptor(query, prefix, current) for query in batch], CANDIDATES_MAX)
        matches |= {query: _decide(query, ranking) for query, ranking in zip(batch, rankings, strict=True)}
    return [matches[query] for query in queries]


def _descriptor(query: MatchQuery, prefix: str, current: Mapping[int, int]) -> Descriptor:
    dated = query.cover_date or (
        query.store_date if query.store_date and query.store_date.month <= LAST_MONTH_OF_ITS_YEAR else None
    )
    is_whole = query.cover_date_precision == Precision.DAY
    facts = {
        "series": query.series,
        "literal_series": query.written,
        "number": query.number,
        "volume": query.volume,
        "year_began": query.year,
        "year": query.published or (dated.year if dated else None),
        "cover_date": query.cover_date if is_whole else None,
        "month": query.cover_date.month if query.cover_date and not is_whole else None,
        "store_date": query.store_date,
        "publisher": query.publisher,
        "format": query.format,
        "gtin": query.upc,
        "isbn": query.isbn,
        f"{prefix}id": current.get(query.id),
        f"{prefix}cv_id": query.cv_id,
        f"{prefix}gcd_id": query.gcd_id,
        f"{prefix}ids": _by_source(query.ids),
    }
    facts.setdefault("series_ids", _by_source(query.series_ids))
    return build_descriptor({name: value for name, value in facts.items() if value not in (None, "", {})})


def _by_source(ids: str) -> dict[str, str]:
    return dict(zip(*[iter(ids.split())] * 2, strict=True))


def _decide(query: MatchQuery, ranking: Ranking) -> Match:
    if ranking.certain:
        best = ranking.candidates[0].issue.id
        return Match(MATCHED, best, (best,))
    candidates = [candidate for candidate in ranking.candidates if _is_possible(candidate)]
    if candidates:
        ids = tuple(candidate.issue.id for candidate in candidates)
        return Match(AMBIGUOUS, candidates=ids, reason=_doubt(candidates))
    if not query.series:
        return Match(
            UNKNOWN, reason="no_id" if query.id or query.cv_id or query.gcd_id or query.ids else "nothing"
        )
    if not ranking.has_series:
        return Match(UNKNOWN, reason="no_series")
    return Match(UNKNOWN, reason="no_issue" if query.number else "no_number")


def _is_possible(candidate: Candidate) -> bool:
    """Whether a candidate is worth a question: not if it merely has a similar name, or another number."""
    texts = {reason.text for reason in candidate.reasons}
    if candidate.is_identified:
        return True
    return candidate.score >= SCORE_MIN and not texts & OTHER_NUMBERS and bool(texts & SAME_NAMES)


def _doubt(candidates: Sequence[Candidate]) -> str:
    best = candidates[0]
    texts = {reason.text for reason in best.reasons}
    if best.is_identified and not texts & SAME_NAMES:
        return "other_name"
    if len(candidates) > 1:
        is_one_series = len({each.issue.series_id for each in candidates if each.needs_number}) == 1
        return ISSUES if is_one_series else "several"
    if NAME_WEIGHTS[TWO_EDITS][1] in texts:
        return "similar_name"
    is_contradicted = any(reason.weight < DOUBT_WEIGHT for reason in best.reasons)
    has_number = not best.needs_number or bool(texts & SAME_NUMBERS)
    return LIKELY if has_number and not is_contradicted else "doubtful"
