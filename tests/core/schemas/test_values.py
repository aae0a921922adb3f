"""Parsing of values from text, in linear time."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from comicsdb.community.polls import percent_of
from comicsdb.values import decimal, is_number, iso_day, iso_timestamp, whole_number


@pytest.mark.parametrize("text", ["7", "+7.", "-.5", "0.50", "1e3", "2E-2"])
def test_numbers(text):
    assert decimal(text) == Decimal(text)


@pytest.mark.parametrize("text", ["", ".", "+", "1e", "1_0", " 1", "1\n", "٣", "NaN", "inf", "1.2.3", "0x1"])
def test_what_is_no_number(text):
    assert decimal(text) is None


def test_a_long_text_that_is_no_number_is_read_once():
    assert not is_number("1" * 300_000 + "x")  # starting again at each digit would take an hour


def test_an_exponent_beyond_all_use():
    assert is_number("1e99999999999999999999")
    assert decimal("1e99999999999999999999") is None


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(0, 0, 0), (0, 7, 0), (7, 7, 100), (1, 3, 33), (2, 3, 67), (1, 8, 13), (1, 999, 1), (998, 999, 99)],
)
def test_percents_are_rounded_and_only_all_is_100(part, whole, percent):
    assert percent_of(part, whole) == percent


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("2147483647", 2**31 - 1), ("2147483648", None), ("9" * 5000, None)]
    + [(text, None) for text in ("", "-1", "+1", " 1", "1.0", "٣", "²", "1_0", None, ["1"])],
)
def test_whole_numbers(text, number):
    assert whole_number(text) == number


def test_the_bounds_of_whole_numbers():
    assert [whole_number(each, 1, 9) for each in ("0", "1", "9", "10")] == [None, 1, 9, None]


def test_greater_numbers_can_be_clamped():
    texts = ("9", "10", "9" * 5000, "-1", "x")
    assert [whole_number(each, 1, 9, clamp=True) for each in texts] == [9, 9, 9, None, None]


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026-11-30", date(2026, 11, 30))]
    + [(each, None) for each in ("", "2026-11-31", "20261130", "2026-W48-1", "2026-11-3", "２０２６-11-30")],
)
def test_days(text, day):
    assert iso_day(text) == day


def test_days_without_leading_zeros():
    texts = ("2026-3-4", "2026-13-4", "26-3-4")
    assert [iso_day(each, padded=False) for each in texts] == [date(2026, 3, 4), None, None]


@pytest.mark.parametrize(
    ("text", "moment"),
    [("2026-03-04T05:06:07Z", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))]
    + [(each, None) for each in ("", "2026-03-04", "2026-03-04T05:06:07", "2026-03-04T05:06:07+16:00", "x")],
)
def test_instants(text, moment):
    assert iso_timestamp(text) == moment
