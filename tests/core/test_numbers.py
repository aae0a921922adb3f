"""Numbers as texts: which they are, and that judging one takes no longer than reading it."""

from decimal import Decimal

import pytest

from comicsdb.numbers import decimal, is_number


@pytest.mark.parametrize("text", ["7", "+7.", "-.5", "0.50", "1e3", "2E-2"])
def test_numbers(text):
    assert decimal(text) == Decimal(text)


@pytest.mark.parametrize("text", ["", ".", "+", "1e", "1_0", " 1", "1\n", "٣", "NaN", "inf", "1.2.3", "0x1"])
def test_what_is_no_number(text):
    assert decimal(text) is None


def test_a_long_text_that_is_no_number_is_read_once():
    assert not is_number("1" * 300_000 + "x")  # looked at from every digit on it would take an hour


def test_an_exponent_beyond_all_use():
    assert is_number("1e99999999999999999999")
    assert decimal("1e99999999999999999999") is None
