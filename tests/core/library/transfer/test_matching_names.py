"""Parsing of names and numbers of comics, as people and other sites write them."""

import pytest

from comicsdb.issue_numbers import clean_number
from comicsdb.values import split_name, split_title


@pytest.mark.parametrize(
    ("text", "name", "year", "volume"),
    [
        ("Lamplight", "Lamplight", None, None),
        ("Lamplight (2018)", "Lamplight", 2018, None),
        ("Lamplight (2018 - 2022)", "Lamplight", 2018, None),
        ("Lamplight (2018 – Present)", "Lamplight", 2018, None),
        ("Lamplight (1963 series)", "Lamplight", 1963, None),
        ("Lamplight, Vol. 5", "Lamplight", None, 5),
        ("Lamplight Vol 5 (2018)", "Lamplight", 2018, 5),
        ("Lamplight Volume 2", "Lamplight", None, 2),
        ("Lamplight v2", "Lamplight", None, 2),
        ("Lamplight, Vol. 2018", "Lamplight", 2018, None),
        ("Lamplight TPB (2018)", "Lamplight", 2018, None),
        ("Lamplight TPB", "Lamplight TPB", None, None),
        ("2000 AD (1977)", "2000 AD", 1977, None),
        ("1984", "1984", None, None),
        ("(2018)", "(2018)", None, None),
        ("V", "V", None, None),
        ("", "", None, None),
    ],
)
def test_a_name_is_taken_apart(text, name, year, volume):
    assert split_name(text) == (name, year, volume)


@pytest.mark.parametrize(
    ("text", "series", "number"),
    [
        ("Lamplight #5", "Lamplight", "5"),
        ("Lamplight #5 Foil Variant", "Lamplight", "5"),
        ("Lamplight #1/2", "Lamplight", "1/2"),
        ("Lamplight (2018) #-1", "Lamplight (2018)", "-1"),
        ("Lamplight Vol. 2 TP", "Lamplight", "2"),
        ("Lamplight Book 3", "Lamplight", "3"),
        ("Lamplight", "", ""),
        ("#5", "", ""),
    ],
)
def test_a_title_is_taken_apart(text, series, number):
    assert split_title(text) == (series, number)


def test_the_mark_before_a_number_is_dropped():
    assert [clean_number(each) for each in ("#5", " 5 ", "No. 5", "n°5", "Nova", "-1", "#")] == [
        "5",
        "5",
        "5",
        "5",
        "Nova",
        "-1",
        "",
    ]
