"""Matching: which issues or series of the catalogue the rows of somebody's file mean, many rows at once.

Permanent ids go first, then the words. However many rows there are, it takes the same few statements. Nothing
is guessed: where two fit as well, or the only one does not fit all that the row says, a person chooses.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import orjson
from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.i18n import _
from comicsdb.library.transfer.matching_queries import BY_ID, BY_WORDS, SERIES_BY_ID, SERIES_BY_WORDS
from comicsdb.library.transfer.matching_words import same_house

MATCHED, AMBIGUOUS, UNKNOWN = "matched", "ambiguous", "unknown"
CANDIDATES_MAX = 10
MONTH = 31  # days by which dates of the same issue may differ from list to list
FAR = 200  # days from which on it can hardly be the same issue

REASONS = {
    "several": _("Several fit: which one is it?"),
    "doubtful": _("It does not fit all that the row says: is it this one?"),
    "other_name": _("The id leads to something with another name: is it this one?"),
    "nothing": _("The row names neither a series nor an id that we know."),
    "no_number": _("The row names no number, and the series has several issues."),
    "no_series": _("We know no series of this name."),
    "no_issue": _("We know the series, but not this number of it."),
    "no_id": _("We know nothing with this id."),
}


@dataclass(frozen=True)
class Wanted:
    """What a row says about an issue, or about a series where it has no number; the unknown is left out.

    `year` is the one in which the series began; `published` that of the issue, where no date is known.
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


@dataclass(frozen=True)
class Match:
    """What a row may mean: the id of the one that it means, or up to ten to choose from, the best first.

    `reason`, a key of REASONS, says why it is not matched.
    """

    state: str
    id: int | None = None
    candidates: tuple[int, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Candidate:
    """An issue or series that a row may mean, with what can be compared; `rank` is 0 where words found it."""

    id: int
    rank: int
    named: bool
    exact: bool
    number_fits: bool
    volume: int
    year_began: int
    houses: tuple[str, ...]
    cover_date: date | None = None
    store_date: date | None = None


def match_issues(session: Session, wanted: Sequence[Wanted]) -> list[Match]:
    """What each row means among issues; three statements, however many rows."""
    return _match(session, wanted, BY_ID, BY_WORDS)


def match_series(session: Session, wanted: Sequence[Wanted]) -> list[Match]:
    """What each row means among series; three statements, however many rows."""
    return _match(session, wanted, SERIES_BY_ID, SERIES_BY_WORDS)


def _match(session, wanted, by_id, by_words) -> list[Match]:
    if wanted:  # PostgreSQL would compile these long statements for longer than they run
        session.execute(text("SET LOCAL jit = off"))
    known = _by_ids(session, wanted, by_id)
    places = [
        place
        for place, each in enumerate(wanted)
        if each.series and not any(_trusted(found, each) for found in known[place])
    ]
    pairs = {}  # what is asked of the catalogue: each name with each number once
    for place in places:
        pairs.setdefault((wanted[place].series, wanted[place].number), len(pairs))
    named, found = _by_words(session, pairs, by_words)
    matches = []
    for place, each in enumerate(wanted):
        pair = pairs.get((each.series, each.number))
        matches.append(_judge(each, known[place], found[pair], pair in named))
    return matches


def _by_ids(session, wanted, statement) -> dict[int, list[Candidate]]:
    rows = [
        {
            "place": place,
            "name": each.series,
            "number": each.number,
            "id": each.id,
            "cv_id": each.cv_id,
            "gcd_id": each.gcd_id,
            "upc": each.upc,
        }
        for place, each in enumerate(wanted)
        if each.id or each.cv_id or each.gcd_id or each.upc
    ]
    found = defaultdict(list)
    for place, *columns in _ask(session, statement, rows):
        found[place].append(_candidate(columns))
    return found


def _by_words(session, pairs, statement) -> tuple[set[int], dict[int, list[Candidate]]]:
    """The pairs whose series is known, and what is found by pair."""
    rows = [{"place": place, "name": name, "number": number} for (name, number), place in pairs.items()]
    named, found = set(), defaultdict(list)
    for place, *columns in _ask(session, statement, rows):
        named.add(place)
        if columns[0] is not None:
            found[place].append(_candidate(columns))
    return named, found


def _ask(session, statement, rows):
    return session.execute(text(statement), {"rows": orjson.dumps(rows).decode()}) if rows else ()


def _candidate(columns) -> Candidate:
    *facts, publisher, more, imprint, cover_date, store_date = columns
    houses = tuple(filter(None, (publisher, *more, imprint)))
    return Candidate(*facts, houses, cover_date, store_date)


def _trusted(found: Candidate, wanted: Wanted) -> bool:
    """Whether an id may be believed: one of another site, or a barcode used twice, leads to another name."""
    if not wanted.series or (found.named and (found.rank < 3 or found.number_fits)):
        return True
    return found.number_fits and wanted.cover_date is not None and wanted.cover_date == found.cover_date


def _judge(wanted: Wanted, known: list[Candidate], found: list[Candidate], series_known: bool) -> Match:
    trusted = [each for each in known if _trusted(each, wanted)]
    if trusted:
        best = min(each.rank for each in trusted)
        return _one_of(
            {each.id: each for each in trusted if each.rank == best}.values(), wanted, sure=best < 3
        )
    if found:
        return _one_of(found, wanted)
    if known:
        return Match(AMBIGUOUS, candidates=_first(each.id for each in known), reason="other_name")
    if not wanted.series:
        return Match(UNKNOWN, reason="no_id" if wanted.id or wanted.cv_id or wanted.gcd_id else "nothing")
    if not series_known:
        return Match(UNKNOWN, reason="no_series")
    return Match(UNKNOWN, reason="no_issue" if wanted.number else "no_number")


def _one_of(candidates: Iterable[Candidate], wanted: Wanted, *, sure: bool = False) -> Match:
    """The one that fits better than all others, or all of them for a person to choose."""
    fits = sorted(((*_fit(each, wanted), each.id) for each in candidates), key=lambda fit: (-fit[0], fit[2]))
    points, contradicted, best = fits[0]
    if len(fits) > 1 and fits[1][0] == points:
        return Match(AMBIGUOUS, candidates=_first(fit[2] for fit in fits), reason="several")
    if contradicted and not (sure and len(fits) == 1):
        return Match(AMBIGUOUS, candidates=_first(fit[2] for fit in fits), reason="doubtful")
    return Match(MATCHED, id=best, candidates=(best,))


def _first(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))[:CANDIDATES_MAX]


def _fit(candidate: Candidate, wanted: Wanted) -> tuple[int, bool]:
    """How well a candidate fits, and whether something that hardly varies between lists speaks against it.

    Volumes are counted differently by different sites, so another volume only weighs; so does the
    publisher where a date says that it is the one.
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
        agrees = any(same_house(each, wanted.publisher) for each in candidate.houses)
        points += 2 if agrees else -2
        against = against or (not agrees and not (dated or 0) > 0)
    return points, against


def _dates_agree(candidate: Candidate, wanted: Wanted) -> int | None:
    """1 where dates agree, -1 where they are far apart, 0 between; None where there is nothing to compare."""
    pairs = [
        (mine, theirs)
        for mine, theirs in (
            (wanted.cover_date, candidate.cover_date),
            (wanted.store_date, candidate.store_date or candidate.cover_date),
        )
        if mine and theirs
    ]
    if pairs:
        apart = min(abs((mine - theirs).days) for mine, theirs in pairs)
        return 1 if apart <= MONTH else -1 if apart > FAR else 0
    if wanted.published and candidate.cover_date:
        apart = abs(candidate.cover_date.year - wanted.published)
        return 1 if apart == 0 else -1 if apart > 1 else 0
    return None
