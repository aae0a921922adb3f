"""Advisory rules: which ISBN, UPC and SKU are valid, and which breaches a change would add."""

from datetime import date

import pytest

from comicsdb.catalog.advice import advisory_errors
from comicsdb.catalog.trade_numbers import is_isbn, is_sku, is_upc
from tests.cases import for_each


@pytest.mark.parametrize(
    ("test", "right", "wrong"),
    [
        (
            is_isbn,
            ["9783161484100", "316148410X"],
            ["9783161484101", "978-3-16-148410-0", "316148410x", "1", ""],
        ),
        (
            is_upc,
            ["761941341828", "76194134182800111", "9783161484100", "76194134182800"],
            ["761941341826", "7619", "76194134182800a", ""],
        ),
        (is_sku, ["JAN190001", "1"], ["JAN-19", "Jän", " ", ""]),
    ],
)
def test_numbers_of_the_trade(test, right, wrong):
    assert [test(each) for each in right] == [True] * len(right)
    assert [test(each) for each in wrong] == [False] * len(wrong)


@for_each(
    "code,cv_id,associated",
    [
        ("trade_paperback", True, True),
        ("hardcover", False, True),
        ("omnibus", False, True),
        ("single_issue", False, False),
    ],
)
def test_series_of_collected_editions(session, make, code, cv_id, associated):
    type_id = make.series_type(code).id
    changed = {"cv_id": 5, "associated": [1]}
    found = advisory_errors(session, "series", {"series_type": type_id, "associated": []}, changed)
    assert [field in found for field in changed] == [cv_id, associated]
    assert advisory_errors(session, "series", {}, changed | {"series_type": type_id}).keys() == found.keys()
    before = {"series_type": type_id, "cv_id": 5, "associated": [1, 2]}
    assert advisory_errors(session, "series", before, {"cv_id": None, "associated": [1], "name": "x"}) == {}


@for_each(
    "code,collection,title,arcs",
    [
        ("trade_paperback", True, False, True),
        ("hardcover", False, True, True),
        ("omnibus", False, True, False),
        ("single_issue", True, False, False),
    ],
)
def test_issues_of_series(session, make, code, collection, title, arcs):
    series = make.series(series_type=make.series_type(code).id, collection=collection)
    changed = {"title": "T", "arcs": [1]}
    found = advisory_errors(session, "issue", {"series": series.id}, changed)
    assert [field in found for field in changed] == [title, arcs]
    assert advisory_errors(session, "issue", {}, changed | {"series": series.id}).keys() == found.keys()
    assert (
        advisory_errors(session, "issue", {"series": series.id, "arcs": [1, 2]}, {"title": "", "arcs": [2]})
        == {}
    )
    assert advisory_errors(session, "issue", {}, changed | {"series": None}) == {}


@for_each(
    "before,changed,wrong",
    [
        ({}, {"birth": date(1950, 1, 2), "death": date(1950, 1, 1)}, ["death"]),
        ({"birth": "1950-01-02", "death": None}, {"death": date(949, 12, 31)}, ["death"]),
        ({"birth": None, "death": "1950-01-01"}, {"birth": date(1950, 1, 2)}, ["birth"]),
        ({"birth": "1950-01-01", "death": None}, {"death": date(1950, 1, 1)}, []),
        ({"birth": "1950-01-02", "death": "1949-01-01"}, {"name": "Ada", "cv_id": 4}, []),
        ({"birth": "1950-01-02", "death": "1949-01-01"}, {"death": None}, []),
        ({"birth": "1950-06-02"}, {"death": date(1950, 1, 1), "death_precision": "year"}, []),
        ({"birth": "1950-06-02"}, {"death": date(1949, 1, 1), "death_precision": "year"}, ["death"]),
        ({"birth": "1950-06-02"}, {"death": date(1950, 6, 1), "death_precision": "month"}, []),
        ({"birth": "1950-06-02"}, {"death": date(1950, 5, 1), "death_precision": "month"}, ["death"]),
        ({"birth": "1950-01-01", "birth_precision": "year"}, {"death": date(1950, 6, 2)}, []),
    ],
)
def test_a_life(session, before, changed, wrong):
    assert list(advisory_errors(session, "creator", before, changed)) == wrong
