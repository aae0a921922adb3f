"""The language chips above the list of series."""

import pytest

from tests.web.conftest import labels, soup


@pytest.fixture
def spoken(make):
    """Series in many languages: three in `en`, two in `it`, one in each of ten others, and one without."""
    publisher = make.publisher()
    codes = ["en", "en", "en", "it", "it", "fr", "de", "es", "ja", "ko", "nl", "pl", "pt-br", "sv", "tr"]
    with make.single_commit():
        for number, code in enumerate([*codes, ""]):
            make.series(name=f"Run {number:02}", publisher=publisher, language=code)


def chips(response):
    """The name, count, state and address of each language."""
    found = []
    for each in soup(response).select(".languages a"):
        count = each.select_one(".tag-count")
        name = (each.bdi or each).get_text(strip=True)
        found.append(
            (name, count and count.get_text(strip=True), each.has_attr("aria-current"), each["href"])
        )
    return found


def test_each_language_has_a_chip_with_its_number_of_series(testapp, spoken):
    response = testapp.get("/series/?name=run")
    shown = chips(response)
    assert len(shown) == 1 + 12
    assert shown[:3] == [
        ("All languages", None, True, "/series/?name=run"),
        ("English", "3", False, "/series/?name=run&language=en"),
        ("Italian", "2", False, "/series/?name=run&language=it"),
    ]
    more = [each.bdi.get_text() for each in soup(response).select(".languages-more a")]
    assert more == ["Swedish", "Turkish"]
    assert ("Brazilian Portuguese" in [each[0] for each in shown]) or (
        "Portuguese (Brazil)" in [each[0] for each in shown]
    )


def test_a_chip_sets_its_language_and_removes_it_again(testapp, spoken):
    address = next(each[3] for each in chips(testapp.get("/series/?page=1&name=run")) if each[0] == "Italian")
    assert address == "/series/?name=run&language=it"
    response = testapp.get(address)
    assert labels(response) == ["Run 03 (2020)", "Run 04 (2020)"]
    chosen = [each for each in chips(response) if each[2]]
    assert chosen == [("Italian", "2", True, "/series/?name=run")]
    only = testapp.get("/series/?language=it")
    assert not soup(only).select_one("details.more-filters").has_attr("open")  # the series come first
    assert chips(response)[0][3] == "/series/?name=run"  # the chip for all languages
    assert len(chips(response)) == 1 + 12  # the others are still offered
    assert next(each[3] for each in chips(response) if each[0] == "English") == (
        "/series/?name=run&language=en"
    )


def test_several_may_be_chosen_and_are_removed_one_by_one(testapp, spoken):
    response = testapp.get("/series/?language=it&language=tr")
    assert len(labels(response)) == 3
    assert [each[3] for each in chips(response) if each[2]] == [
        "/series/?language=tr",
        "/series/?language=it",
    ]
    assert soup(response).select_one(".languages-more").has_attr("open")
    ticked = [each["value"] for each in soup(response).select(".filter-boxes input[checked]")]
    assert sorted(ticked) == ["it", "tr"]


def test_numbers_are_those_of_what_else_is_asked(testapp, spoken):
    response = testapp.get("/series/?name=03")
    assert [each[:2] for each in chips(response)] == []  # with a single language there is nothing to choose
    response = testapp.get("/series/?name=0&language=sv")
    assert ("Swedish", "0", True, "/series/?name=0") in chips(response)
    assert ("English", "3", False, "/series/?name=0&language=en") in chips(response)
    assert labels(response) == []


def test_names_are_those_of_the_readers_language(testapp, spoken):
    testapp.set_cookie("language", "it")
    assert [each[0] for each in chips(testapp.get("/series/"))][2] == "italiano"
