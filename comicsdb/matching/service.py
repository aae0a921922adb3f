"""The issues that descriptors mean: candidates by a few statements for all of them, then scores."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Row
from sqlalchemy.orm import Session

from comicsdb.matching import candidates, scoring
from comicsdb.matching.descriptors import Descriptor, beginning, folded, numbers
from comicsdb.matching.scoring import Match, Reason

SERIES_MAX = 10  # series whose issues are looked for, for each descriptor
ISSUES_MAX = 60  # issues that are compared with each descriptor


def match(session: Session, descriptors: Sequence[Descriptor], most: int) -> list[Match]:
    """For each descriptor, up to `most` issues that it may mean."""
    by_code = _by_codes(session, descriptors)
    chosen = _series(session, descriptors)
    numbered, dated = set(), set()
    for place, found in chosen.items():
        for reading in descriptors[place].readings:
            for series_id in found:
                numbered |= {(series_id, number) for number in numbers(reading.number or "1")}
                if not reading.number and reading.year:
                    dated.add((series_id, reading.year))
    ids = {issue_id for found in by_code for issue_id in found}
    rows = candidates.issues(session, ids, sorted(numbered), sorted(dated)) if ids or numbered else ()
    by_series: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_series[row.series_id].append(row)
    by_id = {row.id: row for row in rows}
    return [
        _ranked(each, [by_id[issue_id] for issue_id in by_code[place] if issue_id in by_id],
                [row for series_id in chosen.get(place, ()) for row in by_series[series_id]],
                by_code[place], most)
        for place, each in enumerate(descriptors)
    ]  # fmt: skip


def _by_codes(session: Session, descriptors: Sequence[Descriptor]) -> list[dict[int, list[Reason]]]:
    """For each descriptor, issues by codes, ids and covers, with the reasons."""
    found: list[dict[int, list[Reason]]] = [defaultdict(list) for _ in descriptors]
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    wanted: dict[str, list] = defaultdict(list)
    for place, each in enumerate(descriptors):
        for kind, values in each.codes.items():
            for value in values:
                asked = beginning(value) if kind == "gtin" else value
                places[kind, str(asked)].append(place)
                wanted[kind].append(asked)
    for row in candidates.by_codes(session, {kind: [*set(values)] for kind, values in wanted.items()}):
        for place in places[row.kind, row.value]:
            reason = _code_reason(row.kind, row.code, descriptors[place].codes[row.kind])
            reasons = found[place][row.issue_id]
            known = next((each for each in reasons if each.field == row.kind), None)
            if known is None or known.weight < reason.weight:
                found[place][row.issue_id] = [each for each in reasons if each is not known] + [reason]
    hashes = [
        (place, kind, digits)
        for place, each in enumerate(descriptors)
        for kind, digits in each.hashes.items()
    ]
    near: dict[tuple[int, int], tuple[int, str]] = {}
    for row in candidates.by_covers(session, hashes):
        key = row.place, row.issue_id
        near[key] = min(near.get(key, (99, "")), (row.distance, row.kind))
    for (place, issue_id), (distance, kind) in near.items():
        bits = f"{distance} bit{'' if distance == 1 else 's'} away"
        words = f"cover {bits}" if distance else "cover equal"
        found[place][issue_id].append(Reason(kind, words, max(9.0 - distance, 4.0)))
    return found


def _code_reason(kind: str, code: str, wanted: tuple) -> Reason:
    name = scoring.CODE_NAMES[kind]
    if kind != "gtin" or code in wanted:
        return Reason(kind, f"{name} equal", scoring.EXACT_CODES[kind])
    if any(beginning(each) != each for each in wanted):
        return Reason(kind, "barcode of the issue, with another cover or printing", 7.0)
    return Reason(kind, "barcode equal but for its supplement", 3.0)


def _series(session: Session, descriptors: Sequence[Descriptor]) -> dict[int, list[int]]:
    """For each place of a descriptor, the ids of the series whose issues are looked for."""
    names: dict[str, int] = {}
    for each in descriptors:
        for reading in each.readings:
            if folded(reading.series):
                names.setdefault(reading.series, len(names))
    found: dict[int, list[Row]] = defaultdict(list)
    for row in candidates.series_by_names(session, list(names)):
        found[row.place].append(row)
    chosen: dict[int, list[int]] = {}
    for place, each in enumerate(descriptors):
        weights: dict[int, float] = {}
        for position, reading in enumerate(each.readings):
            for row in found[names[reading.series]] if reading.series in names else ():
                weight = scoring.series_weight(reading, each, row) + position * scoring.READING
                weights[row.id] = max(weights.get(row.id, weight), weight)
        best = sorted(weights, key=lambda series_id: (-weights[series_id], series_id))
        chosen[place] = best[:SERIES_MAX]
    wanted = [
        (place, kind, values[0])
        for place, each in enumerate(descriptors)
        for kind, values in each.codes.items()
        if kind.startswith("series_")
    ]
    for row in candidates.series_of(session, wanted) if wanted else ():
        chosen[row.place] = list(dict.fromkeys([row.id, *chosen[row.place]]))
    return chosen


def _ranked(
    descriptor: Descriptor, coded: list[Row], named: list[Row], codes: dict[int, list[Reason]], most: int
) -> Match:
    relations: dict[tuple[str, int], int] = {}

    def relation(name: str, issue: Row) -> int:
        key = name, issue.series_id
        if key not in relations:
            relations[key] = scoring.name_relation(name, (issue.series, *issue.alt_names))
        return relations[key]

    rows = {row.id: row for row in (*coded, *named)}
    judged = [
        scoring.judge(descriptor, row, codes.get(row.id, ()), relation)
        for row in list(rows.values())[:ISSUES_MAX]
    ]
    return scoring.rank(judged, most)
