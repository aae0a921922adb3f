"""The probability that an issue is the one described, with the reasons.

Each field contributes to the logarithm of the odds: positively if it agrees, negatively if it differs, not at
all if it is unknown. The scores of a descriptor's candidates and of "none of them" add up to 1. With these
weights, nine in ten candidates with a score of 0.9 are right, according to `bench/matching.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp

from sqlalchemy import Row

from comicsdb.issue_numbers import number_key, number_keys
from comicsdb.matching.descriptors import Descriptor, fold_name
from comicsdb.matching.filenames import Reading
from comicsdb.models.choices import COLLECTED_CODES, DEFAULT_LANGUAGE, Precision, SeriesTypeCode
from comicsdb.values import partial_day_text

NO_MATCH_WEIGHT = 5.5  # the weight of "none of them"
CERTAIN_SCORE = 0.99
UNIQUE_CODE_WEIGHT = 8  # codes with a greater weight belong to a single issue
TIE_RATIO = 0.2  # candidates with at least this share of the best score are tied with the best one
EMPTY_READING = Reading()
LATER_READING_WEIGHT = -1.5  # for each more likely reading
CONTRADICTION_WEIGHT = -3  # the weight of a field that cannot be right if a code is
EXACT_CODES = {"id": 16, "cv_id": 16, "gcd_id": 16, "ids": 16, "isbn": 11, "gtin": 11, "sku": 9}
CODE_NAMES = {
    "id": "id",
    "cv_id": "Comic Vine id",
    "gcd_id": "GCD id",
    "ids": "id in another database",
    "isbn": "ISBN",
    "gtin": "barcode",
    "sku": "SKU",
}
EQUAL, ALTERNATIVE, ONE_EDIT, TWO_EDITS, BEGINNING, SIMILAR = range(6)
NAME_WEIGHTS = {
    EQUAL: (5.0, "series equal"),
    ALTERNATIVE: (4.0, "alternative name of the series equal"),
    ONE_EDIT: (3.2, "series one letter off"),
    TWO_EDITS: (0.5, "series a few letters off"),
    BEGINNING: (-2.0, "series begins alike"),
    SIMILAR: (-5.0, "series similar"),
}
SERIES_ID = "id of the series equal"
# Reasons for series and number; a certain candidate needs one of each.
SURE_NAMES = frozenset((NAME_WEIGHTS[EQUAL][1], NAME_WEIGHTS[ONE_EDIT][1], SERIES_ID))
SAME_NAMES = SURE_NAMES | {NAME_WEIGHTS[ALTERNATIVE][1], NAME_WEIGHTS[TWO_EDITS][1]}
ONLY_ISSUE = "no number, and this is the only issue"
SURE_NUMBERS = frozenset(("number equal", "no number, and this is a one-shot", ONLY_ISSUE))
SAME_NUMBERS = SURE_NUMBERS | {"number equal but for a zero", "alternative number equal"}
OTHER_NUMBERS = frozenset(("number different", "number not told", "number not told, and this is the first"))
SERIES_NO_MATCH_WEIGHT = 2.5  # the weight of "none of them" for a series that is described alone
DOUBT_WEIGHT = -0.5  # sources often give a first year that is one off
IDS = frozenset(("id", "cv_id", "gcd_id", "ids"))
ONE_ISSUE_FORMATS = (SeriesTypeCode.ONE_SHOT, SeriesTypeCode.GRAPHIC_NOVEL)
WORD_LENGTH_MIN = 4  # letters; shorter words with a different letter are different words
EDITS_MAX = 2  # letters that may differ


@dataclass(frozen=True, slots=True)
class Reason:
    """The contribution of a field for or against a candidate."""

    field: str
    text: str
    weight: float


@dataclass(slots=True)
class Candidate:
    """An issue with its score and the reasons for it."""

    issue: Row
    reasons: list[Reason]
    score: float = 0.0
    is_identified: bool = False  # whether a code, an id or an equal cover identifies it
    needs_number: bool = True  # whether it is an issue, not a series

    @property
    def weight(self) -> float:
        """The logarithm of the odds."""
        return sum(reason.weight for reason in self.reasons)

    @property
    def has_id(self) -> bool:
        """Whether it has an id of the descriptor."""
        return any(reason.field in IDS for reason in self.reasons)

    @property
    def is_undoubted(self) -> bool:
        """Whether nothing contradicts it, and either a code or both series and number are equal.

        With an id and an equal number, the name may be another, as sources spell names differently.
        """
        texts = {reason.text for reason in self.reasons}
        has_number = not (self.needs_number and texts.isdisjoint(SURE_NUMBERS))
        if self.is_identified:
            doubts = {reason.field for reason in self.reasons if reason.weight <= CONTRADICTION_WEIGHT}
            return not doubts or (self.has_id and has_number and doubts == {"series"})
        is_contradicted = any(reason.weight < DOUBT_WEIGHT for reason in self.reasons)
        return not is_contradicted and has_number and not texts.isdisjoint(SURE_NAMES)


@dataclass(slots=True)
class Match:
    """The candidates for a descriptor, best first, and whether the first is certain.

    `has_series` tells whether any series has the described name, whatever its issues.
    """

    candidates: list[Candidate] = field(default_factory=list)
    certain: bool = False
    ties: dict[str, list[tuple[int, object]]] = field(default_factory=dict)  # field → issue id and value
    has_series: bool = False


def name_relation(wanted: str, names: Sequence[str]) -> int:
    """How a name relates to the names of a series, the first of which is the main one."""
    wanted, known = fold_name(wanted), [fold_name(name) for name in names]
    if wanted == known[0]:
        return EQUAL
    if wanted in known:
        return ALTERNATIVE
    return min(_relation(wanted, name) for name in known[:10])


def _relation(one: str, other: str) -> int:
    if one.replace(" ", "") == other.replace(" ", ""):
        return EQUAL
    if other.startswith(f"{one} ") or one.startswith(f"{other} "):
        return BEGINNING
    ours, theirs = one.split(), other.split()
    if len(ours) != len(theirs) or abs(len(one) - len(other)) > 2 * EDITS_MAX:
        return SIMILAR
    pairs = [(our, their) for our, their in zip(ours, theirs, strict=True) if our != their]
    edits = sum(_edits(our, their) for our, their in pairs)
    return ONE_EDIT if edits == 1 else TWO_EDITS if edits == EDITS_MAX else SIMILAR


def _edits(one: str, other: str) -> int:
    """The number of adjacent letters in which two words differ; a high one for clearly different words."""
    both = one + other
    # A different digit or Chinese character makes a different name.
    if min(len(one), len(other)) < WORD_LENGTH_MIN or not (both.isalpha() and both.isascii()):
        return WORD_LENGTH_MIN
    if one.rstrip("s") == other.rstrip("s"):  # a plural, which may also be another name
        return EDITS_MAX
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return 1 if one == other[::-1] and len(one) == EDITS_MAX else max(len(one), len(other))


def series_weight(relation: int, reading: Reading, descriptor: Descriptor, found: Row) -> float:
    """A first estimate from the series alone, which decides which series' issues are looked up."""
    weight = NAME_WEIGHTS[relation][0]
    year, began = reading.year, descriptor.year_began
    if year:
        weight -= 3 if year < found.year_began - 1 else 0
        weight -= 2 if found.year_end and year > found.year_end + 1 else 0
        weight -= min(abs(year - found.year_began), 50) / 50
    if began:
        weight -= min(abs(began - found.year_began), 4)
    return weight


# The fields.


def series_id_reason(equal: bool) -> Reason:
    """The reason for or against a candidate because of the descriptor's series ids."""
    if equal:
        return Reason("series_id", SERIES_ID, 8.0)
    return Reason("series_id", "id of the series different", CONTRADICTION_WEIGHT - 1.0)


def score_candidate(
    descriptor: Descriptor, issue: Row, code_reasons: Sequence[Reason], relation_of: Callable[[str, Row], int]
) -> Candidate:
    """The candidate with its reasons; `code_reasons` are those of codes, ids and covers.

    `relation_of` is a cached `name_relation` for the series of an issue.
    """
    readings = [
        _of_reading(reading, position, descriptor, issue, relation_of)
        for position, reading in enumerate(descriptor.readings)
        if reading != EMPTY_READING
    ]
    best = max(readings, key=lambda reasons: sum(reason.weight for reason in reasons), default=[])
    found = [*code_reasons, *best, *_common(descriptor, issue)]
    return Candidate(
        issue, found, is_identified=any(each.weight > UNIQUE_CODE_WEIGHT for each in code_reasons)
    )


def _of_reading(
    reading: Reading,
    position: int,
    descriptor: Descriptor,
    issue: Row,
    relation_of: Callable[[str, Row], int],
) -> list[Reason]:
    found = [_number(reading, issue)]
    is_confirmed = False
    if reading.series:
        relation = relation_of(reading.series, issue)
        found = _of_name(reading, relation) + found
        is_confirmed = reading.is_literal and relation == EQUAL
        if reading.publisher:
            is_confirmed = _is_publisher(reading.publisher, issue)
    if position and not is_confirmed:
        found.append(
            Reason("file_name", "not the likeliest reading of the name", position * LATER_READING_WEIGHT)
        )
    if reading.year and issue_year(issue):
        found.append(_year(reading.year, descriptor, issue))
    if descriptor.marked_volume == reading.number and reading.number and reading.volume is None:
        if issue.format in COLLECTED_CODES:
            found.append(Reason("format", "a volume, and this is a collection", 2.5))
        elif issue.language == DEFAULT_LANGUAGE:
            found.append(Reason("format", "a volume, and this is no collection", -1.5))
    if reading.volume is not None:
        found.append(_volume(reading.volume, issue))
    return found


def _of_name(reading: Reading, relation: int) -> list[Reason]:
    """The reasons of the series' name; one that is equal with all its words is no accident."""
    weight, text = NAME_WEIGHTS[relation]
    reasons = [Reason("series", text, weight)]
    if reading.is_literal and relation == EQUAL:
        reasons.append(Reason("series", "name of the series complete", 1.5))
    return reasons


def _volume(volume: int, row: Row) -> Reason:
    if volume == row.volume:
        return Reason("volume", "volume equal", 1.5)
    return Reason("volume", "volume different", -2.0)


def _number(reading: Reading, issue: Row) -> Reason:
    if reading.number:
        key, *similar = number_keys(reading.number)
        if number_key(issue.number) == key:
            return Reason("number", "number equal", 3.0)
        if number_key(issue.number) in similar:  # 7.1 instead of 7.10
            return Reason("number", "number equal but for a zero", 1.0)
        if issue.alt_number and number_key(issue.alt_number) == key:
            return Reason("number", "alternative number equal", 1.0)
        return Reason("number", "number different", -7.0)
    if issue.number == "1" and issue.format in ONE_ISSUE_FORMATS:
        return Reason("number", "no number, and this is a one-shot", 2.0)
    if issue.issue_count == 1:
        return Reason("number", ONLY_ISSUE, 2.5)
    if issue.number == "1":
        return Reason("number", "number not told, and this is the first", 0.3)
    return Reason("number", "number not told", -1.0)


def issue_year(issue: Row) -> int | None:
    """The year of an issue, None if neither its cover date nor its store date is known."""
    day = issue.cover_date or issue.store_date
    return day.year if day else None


def _year(year: int, descriptor: Descriptor, issue: Row) -> Reason:
    years = {day.year for day in (issue.cover_date, issue.store_date) if day}
    off = min(abs(year - each) for each in years)
    if off == 0:
        return Reason("year", "year equal", 3.0)
    if year == issue.year_began and not descriptor.year_began:
        if descriptor.is_year_early:
            return Reason("year", "year equal to the first of the series", 2.5)
        return Reason("year", "year is the first of the series", -0.2)
    if off == 1:
        return Reason("year", "year one off", -1.5)
    return Reason("year", f"year {off} off", -5.0 - min(off, 20) / 5)


def _common(descriptor: Descriptor, issue: Row) -> list[Reason]:
    return [
        each
        for test in (_year_began, _dates, _publisher, _language, _format, _pages, _title)
        for each in test(descriptor, issue)
    ]


def _year_began(descriptor: Descriptor, issue: Row):
    if descriptor.year_began:
        off = abs(descriptor.year_began - issue.year_began)
        if off == 0:
            yield Reason("year_began", "first year of the series equal", 3.0)
        elif off == 1:
            yield Reason("year_began", "first year of the series one off", -0.5)
        else:
            yield Reason("year_began", f"first year of the series {off} off", -5.0)


def _dates(descriptor: Descriptor, issue: Row):
    cover_date, wanted_cover_date = issue.cover_date, descriptor.cover_date
    if issue.cover_date_precision == Precision.YEAR:
        cover_date = None  # `_year` compares all that is known of it
    elif issue.cover_date_precision == Precision.MONTH and wanted_cover_date:
        wanted_cover_date = wanted_cover_date.replace(day=1)
    for name, words, wanted, known in (
        ("cover_date", "cover date", wanted_cover_date, cover_date),
        ("store_date", "store date", descriptor.store_date, issue.store_date),
    ):
        if wanted and known and wanted == known:
            yield Reason(name, f"{words} equal", 1.5)
        elif wanted and known and abs((wanted - known).days) > 100:
            yield Reason(name, f"{words} {abs((wanted - known).days)} days off", -1.5)
    if descriptor.month and not descriptor.cover_date:
        months = {day.month for day in (cover_date, issue.store_date) if day}
        if descriptor.month in months:
            yield Reason("month", "month equal", 1.0)


def _is_publisher(name: str, issue: Row) -> bool:
    """Whether the names of the issue's publisher or imprint begin like a name, or the other way round."""
    folded = fold_name(name)
    names = map(fold_name, (issue.publisher, issue.imprint or "", *issue.publisher_names))
    return any(each and (each.startswith(folded) or folded.startswith(each)) for each in names)


def _publisher(descriptor: Descriptor, issue: Row):
    if fold_name(descriptor.publisher):
        if _is_publisher(descriptor.publisher, issue):
            yield Reason("publisher", "publisher equal", 1.5)
        else:
            yield Reason("publisher", "publisher different", -1.5)


def _language(descriptor: Descriptor, issue: Row):
    if descriptor.language and issue.language:
        if descriptor.language == issue.language:
            yield Reason("language", "language equal", 0.7)
        else:
            yield Reason("language", "language different", -4.0)


def _format(descriptor: Descriptor, issue: Row):
    wanted, collected = descriptor.format, issue.format in COLLECTED_CODES
    if wanted in COLLECTED_CODES:
        if wanted == issue.format:
            yield Reason("format", "format equal", 2.0)
        else:
            yield Reason("format", "format different", -1.0 if collected else -4.0)
    elif wanted in (*ONE_ISSUE_FORMATS, SeriesTypeCode.ANNUAL):
        yield (
            Reason("format", "format equal", 2.0)
            if wanted == issue.format
            else Reason("format", "format different", -3.0 if collected else -1.0)
        )
    elif collected:
        yield Reason("format", "format not told, and this is a collection", -1.5)


def _pages(descriptor: Descriptor, issue: Row):
    if descriptor.page_count and issue.page:
        off = abs(descriptor.page_count - issue.page)
        if off <= 6:
            yield Reason("page_count", f"{off} pages off" if off else "page count equal", 0.4)
        elif off > max(descriptor.page_count, issue.page) / 2:
            yield Reason("page_count", f"{off} pages off", -1.5)


def _title(descriptor: Descriptor, issue: Row):
    wanted = fold_name(descriptor.title)
    if wanted:
        known = {fold_name(each) for each in (issue.title, *issue.stories) if each}
        if wanted in known:
            yield Reason("title", "title equal", 2.0)


# Ranking.


def score_series(descriptor: Descriptor, series: Row, reasons: Sequence[Reason]) -> Candidate:
    """A series that is described alone, with its reasons; `reasons` are those of its ids."""
    found = list(reasons)
    names = (series.series, *series.alt_names)
    of_readings = (
        _of_name(reading, name_relation(reading.series, names))
        for reading in descriptor.readings
        if reading.series
    )
    found += max(of_readings, key=lambda reasons: sum(reason.weight for reason in reasons), default=())
    volume = next((reading.volume for reading in descriptor.readings if reading.volume is not None), None)
    if volume is not None:
        found.append(_volume(volume, series))
    for test in (_year_began, _publisher, _language):
        found += test(descriptor, series)
    return Candidate(series, found, is_identified=bool(reasons), needs_number=False)


def rank_candidates(candidates: list[Candidate], limit: int, no_match: float = NO_MATCH_WEIGHT) -> Match:
    """The best candidates with their scores, and whether the first is certain."""
    candidates.sort(key=lambda each: (-each.weight, each.issue.id))
    highest = max([no_match, *(each.weight for each in candidates[:1])])
    total = exp(no_match - highest) + sum(exp(each.weight - highest) for each in candidates)
    for each in candidates:
        each.score = exp(each.weight - highest) / total
    kept = [each for each in candidates[:limit] if each.score >= 0.001 or each.has_id]
    if not kept:
        return Match()
    best = kept[0]
    is_disputed = not best.has_id and any(each.has_id for each in candidates)  # by an id of another issue
    certain = best.score >= CERTAIN_SCORE and best.is_undoubted and not is_disputed
    tied = (
        []
        if certain or not best.needs_number
        else [each for each in kept if each.score >= best.score * TIE_RATIO]
    )
    return Match(kept, certain, _differences(tied) if len(tied) > 1 else {})


def _differences(tied: list[Candidate]) -> dict[str, list[tuple[int, object]]]:
    """The fields in which candidates differ, each with issue ids and values."""
    fields = {
        "series": lambda issue: issue.series,
        "number": lambda issue: issue.number,
        "year": issue_year,
        "year_began": lambda issue: issue.year_began,
        "volume": lambda issue: issue.volume,
        "publisher": lambda issue: issue.publisher,
        "language": lambda issue: issue.language,
        "format": lambda issue: issue.format,
        "cover_date": lambda issue: partial_day_text(issue.cover_date, issue.cover_date_precision) or None,
        "page_count": lambda issue: issue.page,
        "title": lambda issue: issue.title,
    }
    values = {name: [(each.issue.id, of(each.issue)) for each in tied] for name, of in fields.items()}
    return {name: found for name, found in values.items() if len({value for _, value in found}) > 1}
