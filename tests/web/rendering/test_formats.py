"""The formats of numbers, dates, money, languages and texts."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from comicsdb.models.choices import COUNTRIES, LANGUAGES
from comicsdb_web.lists.paging import Page
from comicsdb_web.rendering import locales

CONTEXT = {"request": SimpleNamespace(locale_name="en")}
ITALIAN = {"request": SimpleNamespace(locale_name="it")}


@pytest.mark.parametrize(
    ("average", "fills"),
    [
        (3.4, [100, 100, 100, 40, 0]),
        (5, [100] * 5),
        (1, [100, 0, 0, 0, 0]),
        (4.67, [100, 100, 100, 100, 67]),
        (2.005, [100, 100, 1, 0, 0]),
    ],
)
def test_stars_are_filled_by_their_share(average, fills):
    assert locales.star_fills(average) == fills


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("3.99", "USD", "$3.99"),
        ("2.50", "GBP", "£2.50"),
        ("3.50", "EUR", "€3.50"),
        ("2500.00", "ITL", "ITL\xa02,500"),
        ("2500.50", "ITL", "ITL\xa02,500.50"),
        ("0.00", "USD", "$0.00"),
    ],
)
def test_money_is_written_with_its_currency(amount, currency, text):
    assert locales.money(CONTEXT, Decimal(amount), currency) == text


def test_moments_are_told_from_other_texts():
    assert locales.iso_timestamp("2026-12-17T10:40:09+00:00") == datetime(2026, 12, 17, 10, 40, 9, tzinfo=UTC)
    assert [locales.iso_timestamp(text) for text in ("2026-12-17", "2026-12-17T10:40", "Hello")] == [None] * 3


def test_every_language_and_country_of_the_catalog_has_a_name():
    for code in set(LANGUAGES) & {"de", "en-gb", "es-mx", "zh-hans", "zh-hant", "pt-br", "ckb", "ast"}:
        assert locales.language(CONTEXT, code).lower() != code
    assert locales.language(CONTEXT, "it") == "Italian"
    assert locales.language(CONTEXT, "en-gb") == "English (United Kingdom)"
    assert locales.language(CONTEXT, "qq") == "qq"
    assert [code for code in COUNTRIES if locales.country(CONTEXT, code) == code] == []


def test_formats_follow_the_language_of_the_page():
    assert locales.number(ITALIAN, 12345) == "12.345"
    assert locales.country(ITALIAN, "IT") == "Italia"
    assert locales.average(ITALIAN, 3.4) == "3,4"
    assert locales.average(CONTEXT, 4) == "4.0"


def test_plain_text_keeps_its_paragraphs_and_nothing_else():
    assert locales.paragraphs("a <b>\r\nc\n\n\n\nd\n\n") == "<p>a &lt;b&gt;<br>c</p>\n<p>d</p>"
    assert locales.paragraphs("  ") == ""


def test_an_excerpt_ends_between_words():
    assert locales.excerpt("short\n text") == "short text"
    assert locales.excerpt("one two three", 9) == "one two…"
    assert locales.excerpt("x" * 300) == "x" * 160 + "…"


@pytest.mark.parametrize(
    ("number", "pages", "shown"),
    [
        (1, 1, [1]),
        (1, 3, [1, 2, 3]),
        (1, 9, [1, 2, 3, None, 9]),
        (5, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (6, 12, [1, None, 4, 5, 6, 7, 8, None, 12]),
        (12, 12, [1, None, 10, 11, 12]),
    ],
)
def test_the_pages_to_link_to(number, pages, shown):
    assert Page([], number, 0, pages).numbers == shown
