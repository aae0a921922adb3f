"""The issues that descriptors refer to: candidates from a few statements for all of them, then scores."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product

from sqlalchemy import Row
from sqlalchemy.orm import Session

from comicsdb.issue_numbers import number_key, number_keys
from comicsdb.matching import candidates, scoring
from comicsdb.matching.descriptors import Descriptor, barcode_stem, fold_name
from comicsdb.matching.filenames import Reading
from comicsdb.matching.scoring import Match, Reason

SERIES_MAX = 10  # series per descriptor whose issues are looked up
ISSUES_MAX = 60  # issues per descriptor that are compared with it
OF_VARIANT = "{} of a variant"


def match(session: Session, descriptors: Sequence[Descriptor], limit: int) -> list[Match]:
    """For each descriptor, up to `limit` issues that it may refer to."""
    by_code = _by_codes(session, descriptors)
    identified = _series_by_ids(session, descriptors)
    chosen, named = _likely_series(session, descriptors, identified)
    wanted = {place: _issue_keys(descriptors[place].readings, found) for place, found in chosen.items()}
    numbered = {key for keys, _dated in wanted.values() for key in keys}
    dated = {key for _numbered, keys in wanted.values() for key in keys}
    ids = {issue_id for found in by_code for issue_id in found}
    rows = candidates.issues(session, ids, sorted(numbered), sorted(dated)) if ids or numbered else ()
    placed: dict[tuple[int, str | int], list[Row]] = defaultdict(list)
    for row in rows:
        for key in {number_key(row.number), number_key(row.alt_number), scoring.issue_year(row)}:
            placed[row.series_id, key].append(row)
    by_id = {row.id: row for row in rows}
    matches = [
        _match_one(each, [by_id[issue_id] for issue_id in by_code[place] if issue_id in by_id],
                [row for keys in wanted.get(place, ()) for key in sorted(keys)
                 for row in placed[key][: candidates.ISSUES_MAX]],
                by_code[place], identified[place], limit)
        for place, each in enumerate(descriptors)
    ]  # fmt: skip
    for place in named:
        matches[place].has_series = True
    return matches


def match_series(session: Session, descriptors: Sequence[Descriptor], limit: int) -> list[Match]:
    """For each descriptor, up to `limit` series that it may refer to, as the `issue` of candidates."""
    identified = _series_by_ids(session, descriptors)
    likely, _named = _likely_series(session, descriptors, identified)
    ids = {series_id for series_ids in likely.values() for series_id in series_ids}
    rows = {row.id: row for row in candidates.series_facts(session, ids)} if ids else {}
    matches = []
    for position, descriptor in enumerate(descriptors):
        scored = [
            scoring.score_series(
                descriptor,
                rows[series_id],
                [scoring.series_id_reason(True)] if series_id in identified[position] else (),
            )
            for series_id in likely[position]
        ]
        matches.append(scoring.rank_candidates(scored, limit, scoring.SERIES_NO_MATCH_WEIGHT))
    return matches


def _issue_keys(readings: Sequence[Reading], series: Iterable[int]) -> tuple[set, set]:
    """The pairs of series and number, and of series and year, that the described issue may have."""
    numbered, dated = set(), set()
    for series_id, reading in product(series, readings):
        numbered |= {(series_id, key) for key in number_keys(reading.number or "1")}
        if not reading.number and reading.year:
            dated.add((series_id, reading.year))
    return numbered, dated


def _by_codes(session: Session, descriptors: Sequence[Descriptor]) -> list[dict[int, list[Reason]]]:
    """For each descriptor, the issues found by codes, ids and covers, with the reasons."""
    found: list[dict[int, list[Reason]]] = [defaultdict(list) for _ in descriptors]
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    wanted: dict[str, list] = defaultdict(list)
    for place, each in enumerate(descriptors):
        for kind, values in each.codes.items():
            for value in values:
                wanted[kind].append(value)
                for asked in {value, barcode_stem(value)} if kind == "gtin" else {value}:
                    places[kind, str(asked)].append(place)
    wanted["stem"] = [barcode_stem(value) for value in wanted["gtin"]]
    for row in candidates.by_codes(session, {kind: [*set(values)] for kind, values in wanted.items()}):
        for place in places[row.kind, row.value]:
            reason = _code_reason(row, descriptors[place].codes[row.kind])
            reasons = found[place][row.issue_id]
            known = next((each for each in reasons if each.field == row.kind), None)
            if known is None or known.weight < reason.weight:
                found[place][row.issue_id] = [each for each in reasons if each is not known] + [reason]
    hashes = [
        (place, kind, digits)
        for place, each in enumerate(descriptors)
        for kind, digits in each.hashes.items()
    ]
    near: dict[tuple[int, int], tuple[int, bool, str]] = {}
    for row in candidates.by_covers(session, hashes):
        key, one = (row.place, row.issue_id), (row.distance, row.variant_id is not None, row.kind)
        near[key] = min(near.get(key, one), one)
    for (place, issue_id), (distance, of_variant, kind) in near.items():
        bits = f"{distance} bit{'' if distance == 1 else 's'} away" if distance else "equal"
        cover = OF_VARIANT.format("cover") if of_variant else "cover"
        found[place][issue_id].append(Reason(kind, f"{cover} {bits}", max(9.0 - distance, 4.0)))
    return found


def _code_reason(row: Row, wanted: tuple) -> Reason:
    kind, name = row.kind, scoring.CODE_NAMES[row.kind]
    if kind != "gtin" or row.code in wanted:
        name = OF_VARIANT.format(name) if row.of_variant else name
        return Reason(kind, f"{name} equal", scoring.EXACT_CODES[kind])
    if any(barcode_stem(each) != each for each in wanted):
        return Reason(kind, "barcode of the issue, with another cover or printing", 7.0)
    return Reason(kind, "barcode equal but for its supplement", 3.0)


def _series_by_ids(session: Session, descriptors: Sequence[Descriptor]) -> dict[int, set[int]]:
    """The series that have one of a descriptor's series ids, by the descriptor's index."""
    wanted = [
        (place, kind, value)
        for place, each in enumerate(descriptors)
        for kind, values in each.codes.items()
        if kind.startswith("series_")
        for value in values
    ]
    found: dict[int, set[int]] = defaultdict(set)
    for place, series_id in candidates.series_of(session, wanted):
        found[place].add(series_id)
    return found


def _likely_series(
    session: Session, descriptors: Sequence[Descriptor], identified: dict[int, set[int]]
) -> tuple[dict[int, list[int]], set[int]]:
    """The ids of the series whose issues are looked up, by the descriptor's index.

    Also the indexes of the descriptors whose name a series has.
    """
    names: dict[str, int] = {}
    for each in descriptors:
        for reading in each.readings:
            if fold_name(reading.series):
                names.setdefault(reading.series, len(names))
    found: dict[int, list[Row]] = defaultdict(list)
    for row in candidates.series_by_names(session, list(names)):
        found[row.place].append(row)
    chosen: dict[int, list[int]] = {}
    named = set()
    for place, each in enumerate(descriptors):
        weights: dict[int, float] = {}
        for position, reading in enumerate(each.readings):
            for row in found[names[reading.series]] if reading.series in names else ():
                relation = scoring.name_relation(reading.series, (row.name, *row.alt_names))
                if relation in (scoring.EQUAL, scoring.ALTERNATIVE):
                    named.add(place)
                weight = scoring.series_weight(relation, reading, each, row)
                weight += position * scoring.LATER_READING_WEIGHT
                weights[row.id] = max(weights.get(row.id, weight), weight)
        best = sorted(weights, key=lambda series_id: (-weights[series_id], series_id))
        chosen[place] = list(dict.fromkeys([*sorted(identified[place]), *best]))[:SERIES_MAX]
    return chosen, named


def _match_one(
    descriptor: Descriptor,
    code_rows: list[Row],
    name_rows: list[Row],
    code_reasons: dict[int, list[Reason]],
    identified: set[int],
    limit: int,
) -> Match:
    relations: dict[tuple[str, int], int] = {}

    def relation_of(name: str, issue: Row) -> int:
        key = name, issue.series_id
        if key not in relations:
            relations[key] = scoring.name_relation(name, (issue.series, *issue.alt_names))
        return relations[key]

    def reasons_of(row: Row) -> list[Reason]:
        series = [scoring.series_id_reason(row.series_id in identified)] if identified else []
        return [*code_reasons.get(row.id, ()), *series]

    rows = {row.id: row for row in (*code_rows, *name_rows)}
    scored = [
        scoring.score_candidate(descriptor, row, reasons_of(row), relation_of)
        for row in list(rows.values())[:ISSUES_MAX]
    ]
    return scoring.rank_candidates(scored, limit)
