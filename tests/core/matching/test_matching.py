"""Matching of descriptors: comparison of names, scores, and file names of real series."""

from datetime import date
from math import exp

import pytest

from bench.matching import catalog, insert_catalog
from bench.noisy_names import EXAMPLES, noisy_names
from comicsdb.matching import scoring
from comicsdb.matching.descriptors import READINGS_MAX, build_descriptor, fold_name
from comicsdb.matching.scoring import (
    ALTERNATIVE,
    BEGINNING,
    EQUAL,
    ONE_EDIT,
    SIMILAR,
    TWO_EDITS,
    name_relation,
)
from comicsdb.matching.service import match
from comicsdb.schemas.match import DescriptorSchema
from tests.cpu import assert_cpu

CALL = 100


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Amazing Spider-Man", "amazing spider man"),
        ("Wolverine & the X-Men", "Wolverine and X-Men"),
        ("Città di vetro", "CITTA DI VETRO"),
        ("Batman: Year One", "Batman - Year One"),
        ("L'ombra", "Lombra"),
        ("Ｘ－Ｍｅｎ", "X-Men"),
    ],
)
def test_names_are_compared_without_case_accents_signs_and_articles(one, other):
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(
    ("wanted", "names", "relation"),
    [
        ("Saga", ["Saga"], EQUAL),
        ("Spiderman", ["Spider-Man"], EQUAL),
        ("Luci", ["Lights", "Luci"], ALTERNATIVE),
        ("Fantastic Fuor", ["Fantastic Four"], ONE_EDIT),
        ("Fantstic Four", ["Fantastic Four"], ONE_EDIT),
        ("Fantasttic Four", ["Fantastic Four"], ONE_EDIT),
        ("Avenger", ["Avengers"], TWO_EDITS),
        ("Fantxxtic Four", ["Fantastic Four"], TWO_EDITS),
        ("Batman", ["Batman Annual"], BEGINNING),
        ("X-Man", ["X-Men"], SIMILAR),
        ("東京探偵Z", ["東京探偵"], SIMILAR),
        ("Civil War II", ["Civil War I"], SIMILAR),
        ("Spider-Man 2099", ["Spider-Man 2098"], SIMILAR),
        ("Saga", ["Sagu Tales"], SIMILAR),
    ],
)
def test_a_name_is_that_of_a_series_or_like_it(wanted, names, relation):
    assert name_relation(wanted, names) == relation


@pytest.mark.parametrize(
    ("known", "readings"),
    [
        ({"series": "Saga", "number": "#007"}, [("Saga", "7", None)]),
        ({"file_name": "Saga 007 (2012).cbz", "number": "8"}, [("Saga", "8", 2012)]),
        ({"file_name": "x 007 (2012).cbz", "series": "Saga"}, [("Saga", "7", 2012), ("x", "7", 2012)]),
        ({"series": "Saga", "number": "-01.5"}, [("Saga", "-1.5", None)]),
        ({"series": "Saga", "volume": 2012}, [("Saga", "", None)]),
    ],
)
def test_what_is_told_comes_before_what_the_name_of_the_file_says(known, readings):
    found = build_descriptor(known)
    assert [(each.series, each.number, each.year) for each in found.readings][: len(readings)] == readings
    assert found.year_began == (2012 if "volume" in known else None)


def test_scores_of_all_candidates_and_of_none_add_up_to_one(session, make):
    for year in (1990, 2010):
        make.issue(series=make.series(name="Night Ferry", year_began=year))
    (found,) = match(session, [build_descriptor({"series": "Night Ferry", "number": "1"})], 20)
    assert [round(each.score, 2) for each in found.candidates] == [0.48, 0.48]
    weights = [each.weight for each in found.candidates]
    assert weights[0] == weights[1] > scoring.NO_MATCH_WEIGHT
    of_none = found.candidates[0].score * exp(scoring.NO_MATCH_WEIGHT - weights[0])
    assert sum(each.score for each in found.candidates) + of_none == pytest.approx(1)


def test_a_descriptor_is_matched_in_a_batch_as_it_is_alone(session, make):
    with make.single_commit():
        series = make.series(name="Quiet Harbor", year_began=1990)
        made = [
            make.issue(series=series, number=str(n), cover_date=date(1990 + n // 12, 1, 1)) for n in range(80)
        ]
    known = [{"series": "Quiet Harbor", "number": issue.number} for issue in made]
    known += [{"series": "Quiet Harbor", "number": "99"}, {"series": "Quiet Harbor", "year": 1992}]
    together = match(session, [build_descriptor(each) for each in known], 5)
    for each, found in zip(known, together, strict=True):
        (alone,) = match(session, [build_descriptor(each)], 5)
        assert [(one.issue.id, one.score) for one in found.candidates] == [
            (one.issue.id, one.score) for one in alone.candidates
        ]
    assert [found.candidates[0].issue.id for found in together[:80]] == [issue.id for issue in made]
    assert together[80].candidates == []
    assert len(together[81].candidates) > 1


def test_a_substitute_for_an_unknown_cover_date_counts_neither_for_nor_against(session, make):
    tex = make.series(name="Tex Rider", year_began=1958)
    with make.single_commit():
        undated = make.issue(series=tex, number="400", cover_date=None, upc="761941341827")
        sold = make.issue(series=tex, number="401", cover_date=None, store_date=date(1994, 2, 5))
    known = [
        {"file_name": "Tex Rider 400 (1994).cbz"},
        {"file_name": "Tex Rider 400 (1958).cbz"},
        {"series": "Tex Rider", "number": "400", "gtin": "761941341827", "cover_date": "1994-02-01"},
        {"series": "Tex Rider", "year": 1958, "month": 1},
        {"series": "Tex Rider", "year": 1994, "month": 2},
    ]
    schema = DescriptorSchema()
    found = match(session, [build_descriptor(schema.deserialize(each)) for each in known], 5)
    best = [each.candidates[0] for each in found[:3]]
    assert [each.issue.id for each in best] == [undated.id] * 3
    assert not any(
        reason.field in {"year", "month", "cover_date"} for each in best for reason in each.reasons
    )
    assert found[2].certain
    assert found[3].candidates == []  # no issue is known to be of 1958
    assert [each.issue.id for each in found[4].candidates] == [sold.id]
    texts = [reason.text for reason in found[4].candidates[0].reasons]
    assert {"year equal", "month equal"} <= set(texts)


def test_an_exact_barcode_is_found_among_many_of_its_issue(session, make):
    series = make.series(name="Many Covers", year_began=2019)
    codes = [f"761941341827003{cover}{printing}" for printing in (1, 2) for cover in range(1, 9)]
    own, *others = codes
    issue = make.issue(series=series, number="3", upc=own, variants=[{"upc": each} for each in others])
    batch = match(session, [build_descriptor({"gtin": each}) for each in codes], 5)
    for code, together in zip(codes, batch, strict=True):
        (alone,) = match(session, [build_descriptor({"gtin": code})], 5)
        for each in (together, alone):
            assert (each.certain, each.candidates[0].issue.id) == (True, issue.id), code


def test_dates_are_compared_as_far_as_they_are_known(session, make):
    series = make.series(name="Quiet Harbor", year_began=1980)
    year, month = (
        make.issue(series=series, number=number, cover_date=day, cover_date_precision=known)
        for number, day, known in (("1", date(1986, 1, 1), "year"), ("2", date(1986, 11, 1), "month"))
    )
    session.commit()

    def reasons(**known) -> list[tuple[str, str]]:
        described = DescriptorSchema().deserialize({"series": "Quiet Harbor"} | known)
        (found,) = match(session, [build_descriptor(described)], 1)
        return [
            (each.field, each.text)
            for each in found.candidates[0].reasons
            if each.field in {"year", "month", "cover_date"}
        ]

    assert reasons(number="1", cover_date="1986-11-01") == [("year", "year equal")]
    assert reasons(number="1", cover_date="1986-01-01") == [("year", "year equal")]
    assert reasons(number="1", year=1986, month=1) == [("year", "year equal")]
    equal = [("year", "year equal"), ("cover_date", "cover date equal")]
    assert reasons(number="2", cover_date="1986-11-01") == equal
    assert reasons(number="2", cover_date="1986-11-20") == equal
    far = ("cover_date", "cover date 184 days off")
    assert reasons(number="2", cover_date="1986-05-20") == [("year", "year equal"), far]
    assert reasons(number="2", year=1986, month=11) == [("year", "year equal"), ("month", "month equal")]
    (tied,) = match(session, [build_descriptor({"series": "Quiet Harbor", "year": 1986})], 5)
    assert tied.ties["cover_date"] == [(year.id, "1986"), (month.id, "1986-11")]


def test_names_of_real_series_are_recognised(connection, session):
    ids = insert_catalog(connection, catalog(0, None))
    names = list(noisy_names(EXAMPLES, seed=5, each=2))
    right = certain = certain_right = 0
    for begin in range(0, len(names), CALL):
        batch = names[begin : begin + CALL]
        found = match(session, [build_descriptor({"file_name": each.name}) for each in batch], 1)
        for noisy, result in zip(batch, found, strict=True):
            fits = bool(result.candidates) and result.candidates[0].issue.id == ids[noisy.issue]
            right += fits
            certain += result.certain
            certain_right += result.certain and fits
    assert right / len(names) > 0.97
    assert certain / len(names) > 0.6
    assert certain_right / certain > 0.995


def test_only_the_first_ten_names_of_a_series_may_be_misspelt():
    for others, relation in ((9, ONE_EDIT), (10, SIMILAR)):
        assert name_relation("Fantastic Fuor", ["Saga"] * others + ["Fantastic Four"]) == relation


def test_the_longest_names_have_few_readings_and_cost_little():
    schema, word = DescriptorSchema(), "Night Ferry 12 - (1990) "
    alternatives = [f"{word}{number}" for number in range(4)]
    sent = {"file_name": (word * 99)[:1000], "series": (word * 20)[:250], "alt_series": alternatives}
    assert len(build_descriptor(schema.deserialize(sent)).readings) == READINGS_MAX

    def work():
        for _ in range(CALL // 10):
            assert build_descriptor(schema.deserialize(sent)).readings
        assert name_relation("a" * 255, ["b" * 255, "a" * 254, "ab " * 85] * 50) != EQUAL

    assert_cpu(work, 0.1)
