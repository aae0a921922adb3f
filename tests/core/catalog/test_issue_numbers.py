"""Numbers of issues: what is the same, how they are stored, and their order."""

from datetime import date

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from comicsdb.catalog.errors import ConflictError
from comicsdb.catalog.maintenance.merge import merge
from comicsdb.issue_numbers import clean_number, number_key, number_keys, number_order
from comicsdb.models import Issue
from comicsdb.models.choices import Precision
from tests.cases import for_each
from tests.orders import misplaced_issues

SAME = (
    ("1", "01", "#1", "1.0", "１", "# 001", "1.00"),
    ("2.5", "2.50", "2½", "2 1/2", "#2.5"),
    (".3", "0.3", "0.30", "00.3"),
    ("½", "1/2", "0.5", "0½", ".5"),
    ("4XY", "4.XY", "4 XY", "4-xy", "04.xy"),
    ("2000000", "2,000,000", "#2,000,000"),
    ("4-D", "4D"),
    ("T03", "T3", "t.03"),
    ("2 [31]", "2[31]"),
    ("-1", "−1", "-01"),
)
DIFFERENT = (
    *(
        "1",
        "1a",
        "6",
        "6AU",
        "7.1",
        "7.10",
        "7",
        "71",
        "-1",
        "10",
        "1 [24]",
        "1-2",
        "12",
        "5 [A]",
        "5A",
        "v3#6",
    ),
    *(
        "v36",
        "[nn]",
        "X",
        "∞",
        "000.0001½",
        "0.0001",
        "S01",
        "01S",
        "S10",
        "10000000",
        "100000000",
        "1/3",
        "3",
    ),
)
PIECES = st.sampled_from(
    (
        *"0129.,/-– #½¾⅓⁄AéÖ[]１Ａ．∞\u00a0\u3000\t×№(~_`İß",
        *("10", "00", "1,000", "1/2", "v3#"),
    )
)


@for_each("same", SAME)
def test_number_key_spellings_of_one_number_equal(same):
    assert len({number_key(spelling) for spelling in same}) == 1


def test_number_key_different_numbers_differ():
    assert len({number_key(number) for number in DIFFERENT}) == len(DIFFERENT)


@for_each(
    "typed,stored",
    [
        ("#007", "7"),
        ("№ 12", "12"),
        ("No. 12", "12"),
        ("n°3", "3"),
        ("0", "0"),
        ("000", "0"),
        ("00.5", "0.5"),
        ("000.0001½", "0.0001½"),
        ("１２", "12"),
        ("-01", "-1"),
        ("1.50", "1.50"),
        ("S01", "S01"),
        ("NO1", "NO1"),
        ("v3#6", "v3#6"),
        (" 1 1/2 ", "1 1/2"),
        ("#", ""),
    ],
)
def test_clean_number_keeps_what_is_printed(typed, stored):
    assert clean_number(typed) == stored


def test_number_keys_a_tenth_may_stand_for_the_first():
    assert number_keys("7.10") == ("7.10", "7.1")
    assert number_keys("#7.1") == ("7.1", "7.10")
    assert number_keys("1.50") == ("1.5",)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.lists(PIECES, max_size=8).map("".join), st.text(max_size=12)))
@example("\u0130.1")
@example("1.0½")
def test_number_key_and_order_equal_those_of_the_database(session, number):
    number = "".join(char for char in number if char.isprintable() or char in "\t\u00a0\u3000")
    query = text("SELECT number_key(:number), number_order(:number)")
    assert tuple(session.execute(query, {"number": number}).one()) == (
        number_key(number),
        number_order(number),
    )


def test_number_order_is_as_people_count():
    numbers = [
        "-10",
        "-1½",
        "-1",
        "-½",
        "0",
        "¼",
        "½",
        "1",
        "1 [A]",
        "1A",
        "1.MU",
        "1.1",
        "1.2",
        "2",
        "3-D",
        "7.1",
    ]
    numbers += [
        "7.9",
        "7.10",
        "9",
        "10",
        "22",
        "1 [23]",
        "24",
        "99",
        "100",
        "100.1",
        "101",
        "1000000",
        "1,000,001",
    ]
    numbers += ["12345678901234567890", "Annual 2", "Annual 10", "v2#12", "v3#6", "v3#10", "v10#1", "X", "∞"]
    numbers.reverse()
    assert sorted(numbers, key=number_order) == numbers[::-1]


def day(written):
    year, month, *rest = map(int, written.split("-"))
    return date(year, month, *(rest or (1,)))


@pytest.fixture
def ordered(make, session):
    """`ordered(*issues)`: create issues of number and cover month ("" for none); their numbers in order."""

    def create(*issues):
        with make.single_commit():
            series = make.series()
            for number, month in issues:
                dated = {"cover_date": day(month), "cover_date_precision": Precision.MONTH} if month else {}
                make.issue(series=series, number=number, **({"cover_date": None} | dated))
        query = (
            select(Issue.number).where(Issue.series_id == series.id).order_by(Issue.series_order, Issue.id)
        )
        return session.scalars(query).all()

    return create


@for_each(
    "issues,numbers",
    [
        # One month.
        ([("100.1", "2001-05"), ("100", "2001-05"), ("99", "2001-05"), ("98", "2001-04")], "98 99 100 100.1"),
        # Without dates.
        ([("10", ""), ("2", ""), ("½", ""), ("1", ""), ("-1", ""), ("X", "")], "-1 ½ 1 2 10 X"),
        # One that came late.
        ([("4", "2001-04"), ("5", "2001-07"), ("6", "2001-06"), ("7", "2001-08")], "4 5 6 7"),
        # Numbering that begins again.
        (
            [("600", "2010-11"), ("601", "2010-12"), ("1", "2011-01"), ("2", "2011-02"), ("10", "2011-10")],
            "600 601 1 2 10",
        ),
        ([("1", "1960-01"), ("2", "1960-02"), ("2 [4]", "1961-01"), ("1 [3]", "1960-09")], "1 2 1 [3] 2 [4]"),
        # Between others.
        (
            [
                ("1", "1997-05"),
                ("2", "1997-06"),
                ("-1", "1997-07"),
                ("3", "1997-08"),
                ("½", "1997-09"),
                ("4", "1997-10"),
            ],
            "1 2 -1 3 ½ 4",
        ),
        ([("1", "1999-01"), ("Special", "1999-02"), ("2", "1999-03"), ("3", "")], "1 Special 2 3"),
        ([("7.9", "2001-09"), ("7.10", "2001-10"), ("7.1", "2001-01"), ("8", "2001-11")], "7.1 7.9 7.10 8"),
        ([("10", "2001-02"), ("½", "2001-03"), ("11", "2001-03"), ("12", "2001-04")], "10 11 ½ 12"),
        ([("1", "2001-02"), ("0", "2001-02"), ("2", "2001-03")], "0 1 2"),
        ([("v2#12", "1950-01"), ("v3#1", "1950-02"), ("v2#2", "1949-03")], "v2#2 v2#12 v3#1"),
    ],
)
def test_series_order_numbers_first_then_dates(ordered, issues, numbers):
    assert " ".join(ordered(*issues)) == numbers
    assert " ".join(ordered(*reversed(issues))) == numbers


def test_series_order_follows_changes(make, session, catalog):
    with make.single_commit():
        series = make.series()
        issues = {
            number: make.issue(series=series, number=number, cover_date=day(month))
            for number, month in (("1", "2001-01"), ("2", "2001-02"), ("3", "2001-03"))
        }
    query = select(Issue.number).where(Issue.series_id == series.id).order_by(Issue.series_order)
    catalog.update(issues["1"], {"number": "½", "cover_date": day("2001-02-15")})
    assert session.scalars(query).all() == ["2", "½", "3"]
    catalog.delete(issues["2"])
    assert session.scalars(query).all() == ["½", "3"]


def test_series_order_follows_moves_and_merges(make, session, catalog):
    with make.single_commit():
        first, second = make.series(), make.series()
        issues = [
            make.issue(series=series, number=number, cover_date=day(month))
            for series, number, month in (
                (first, "600", "2001-01"),
                (first, "1", "2001-03"),
                (second, "601", "2001-02"),
                (second, "2", "2001-04"),
            )
        ]
    query = select(Issue.number).where(Issue.series_id == second.id).order_by(Issue.series_order)
    catalog.update(issues[1], {"series": second.id})
    session.flush()
    assert session.scalars(query).all() == ["601", "1", "2"]
    assert misplaced_issues(session.connection()) == set()
    merge(catalog, second, first)
    assert session.scalars(query).all() == ["600", "601", "1", "2"]
    assert misplaced_issues(session.connection()) == set()


@for_each("first,second", [("1", "01"), ("½", "0.5"), ("6AU", "6.au"), ("1,000", "1000"), ("7.50", "7.5")])
def test_create_issue_with_a_number_that_the_series_has_is_a_conflict(make, catalog, first, second):
    series = make.series()
    make.issue(series=series, number=first)
    values = {"series": series.id, "number": second, "cover_date": date(2001, 1, 1)}
    assert [conflict.fields for conflict in catalog.find_errors(Issue, None, values)[1]] == [
        ("series", "number")
    ]
    with pytest.raises(ConflictError) as conflict:
        catalog.create(Issue, values)
    assert conflict.value.fields == ("series", "number")


def test_create_issue_both_7_1_and_7_10_exist(make):
    series = make.series()
    for number in ("7.1", "7.10", "7", "7a"):
        make.issue(series=series, number=number)
