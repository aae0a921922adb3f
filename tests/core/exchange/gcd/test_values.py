"""Parsing of texts from the Grand Comics Database, with the difficult cases."""

from datetime import date
from decimal import Decimal

import pytest

from comicsdb.exchange.gcd import credit_roles, values
from comicsdb.exchange.gcd.credit_roles import Roles
from comicsdb.exchange.gcd.values import Number
from comicsdb.models.choices import Precision
from comicsdb.values import PartialDay

DAY, MONTH, YEAR = Precision.DAY, Precision.MONTH, Precision.YEAR
NUMBERS = {
    "1": Number("1"),
    " 12 ": Number("12"),
    "[nn]": Number("", rule="unnumbered"),
    "": Number("", rule="unnumbered"),
    "[nn] (2)": Number("", rule="unnumbered"),
    "(7)": Number("", rule="unnumbered"),
    "[ ]": Number("", rule="unnumbered"),
    "[5]": Number("5"),
    "5 (7)": Number("5", "7"),
    "[5] (7)": Number("5", "7"),
    "1 [2]": Number("1", "2"),
    "1 [Direct]": Number("1", rule="number-words"),
    "69 / 9": Number("69", "9"),
    "4/2009": Number("4/2009"),
    "1/2": Number("1/2"),
    "½": Number("½"),
    "-1": Number("-1"),
    "0": Number("0"),
    "1A": Number("1A"),
    "1.MU": Number("1.MU"),
    "1,000,000": Number("1,000,000"),
    "Annual 3": Number("Annual 3"),
    "Winter Special": Number("Winter Special"),
    "2001/1 (3)": Number("2001/1", "3"),
    "A number of more than 25 characters": Number("", rule="number-too-long"),
    "1 (12345678901234567890123456)": Number("1", rule="number-too-long"),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_number(text):
    assert values.number(text) == NUMBERS[text]


@pytest.mark.parametrize(
    ("text", "volume", "shown", "number"),
    [
        ("1", "2", True, Number("v2#1")),
        ("1", "2", False, Number("1")),
        ("1", "", True, Number("1")),
        ("[1]", "3", True, Number("v3#1")),
        ("5 (7)", "1", True, Number("v1#5", "7")),
        ("(7)", "2", True, Number("", rule="unnumbered")),
    ],
)
def test_number_with_its_volume(text, volume, shown, number):
    assert values.number(text, volume, with_volume=shown) == number


DATES = {
    "1963-09-00": (PartialDay(date(1963, 9, 1), MONTH), ""),
    "1962-00-00": (PartialDay(date(1962, 1, 1), YEAR), ""),
    "1962-01-12": (PartialDay(date(1962, 1, 12), DAY), ""),
    "2001-02-30": (None, "date-impossible"),
    "2001-13-00": (None, "date-impossible"),
    "2009": (PartialDay(date(2009, 1, 1), YEAR), ""),
    "2009-05": (PartialDay(date(2009, 5, 1), MONTH), ""),
    "2009-05-12": (PartialDay(date(2009, 5, 12), DAY), ""),
    "????-05": (None, ""),
    "2009-??-12": (PartialDay(date(2009, 1, 1), YEAR), ""),
    "196?": (None, "date-unclear"),
    "1896-02-16": (None, "date-too-early"),
    "0000-00-00": (None, ""),
    "": (None, ""),
    "spring": (None, "date-unclear"),
}


@pytest.mark.parametrize("text", DATES)
def test_date(text):
    assert values.partial_date(text) == DATES[text]


@pytest.mark.parametrize(
    ("parts", "doubts", "found"),
    [
        (("1922", "12", "28"), (0, 0, 0), (date(1922, 12, 28), "day")),
        (("1922", "12", "28"), (0, 0, 1), (date(1922, 12, 1), "month")),
        (("1922", "12", "28"), (0, 1, 0), (date(1922, 1, 1), "year")),
        (("1922", "12", "28"), (1, 0, 0), None),
        (("1922", "12", ""), (0, 0, 0), (date(1922, 12, 1), "month")),
        (("1922", "", "28"), (0, 0, 0), (date(1922, 1, 1), "year")),
        (("1922", "", ""), (0, 0, 0), (date(1922, 1, 1), "year")),
        (("192?", "12", "28"), (0, 0, 0), None),
        (("1922", "2", "30"), (0, 0, 0), None),
        (("1922", "13", ""), (0, 0, 0), None),
    ],
)
def test_dates_of_birth_and_death_as_far_as_they_are_certain(parts, doubts, found):
    assert values.certain_date(*parts, *doubts) == (found and PartialDay(*found))


@pytest.mark.parametrize(
    ("value", "uncertain", "year"),
    [(1961, 0, 1961), (1961, 1, None), (None, 0, None), (0, 0, None), (1400, 0, None), (9999, 0, None)],
)
def test_year(value, uncertain, year):
    assert values.certain_year(value, uncertain=uncertain) == year


PRICES = {
    ("0.10 USD; 0.12 CAD", "us"): (("0.10", "USD"), ""),
    ("0.12 CAD; 0.10 USD", "us"): (("0.10", "USD"), ""),
    ("0.10 USD; 0.12 CAD", "ca"): (("0.12", "CAD"), ""),
    ("0.12 CAD", "us"): (("0.12", "CAD"), ""),
    ("500 JPY", "jp"): (("500", "JPY"), ""),
    ("500.5 JPY", "jp"): (None, "price-left-out"),  # yen have no decimals
    ("1.250 KWD", "kw"): (("1.250", "KWD"), ""),
    ("1,50 ESP; 0.10 USD", "es"): (("1.50", "ESP"), ""),
    ("2.50 DEM; 20 ATS; 2.50 CHF", "at"): (("20", "ATS"), ""),
    ("1500000 ITL", "it"): (("1500000", "ITL"), ""),
    ("2000000 TRL", "tr"): (("2000000", "TRL"), ""),
    ("1500000 USD", "us"): (None, "price-left-out"),
    ("1500000000 ITL", "it"): (None, "price-left-out"),
    ("1 XYZ", "us"): (None, "price-left-out"),
    ("3.99 USD (newsstand); 2.99 USD", "us"): (("2.99", "USD"), ""),
    ("3.99 USD (newsstand)", "us"): (None, "price-left-out"),
    ("3.99 USD [newsstand]", "us"): (None, "price-left-out"),
    ("3.99 USD; 4.99 USD", "us"): (("3.99", "USD"), ""),
    ("3,99 EUR DE; 3,50 EUR AT", "at"): (("3.50", "EUR"), ""),
    ("3,99 EUR DE; 3,50 EUR AT", "de"): (("3.99", "EUR"), ""),
    ("3,99 EUR DE; 3,50 EUR AT", "fr"): (("3.99", "EUR"), ""),
    ("2/6 [0-2-6 GBP]", "gb"): (("0.13", "GBP"), "price-rounded"),
    ("1/- [0-1-0 GBP]", "gb"): (("0.05", "GBP"), ""),
    ("2.50 USD; 1.25 GBP", "gb"): (("1.25", "GBP"), ""),
    ("1500 ITL; 2.00 USD", "it"): (("1500", "ITL"), ""),
    ("0.00 FREE", "us"): (None, "price-left-out"),
    ("FREE", "us"): (None, "price-left-out"),
    ("[none]", "us"): (None, "price-left-out"),
    ("", "us"): (None, ""),
}


@pytest.mark.parametrize(("text", "country"), PRICES)
def test_price(text, country):
    price, rule = values.own_price(text, country)
    expected, expected_rule = PRICES[text, country]
    assert rule == expected_rule
    assert (price and (price.amount, price.currency)) == (expected and (Decimal(expected[0]), expected[1]))


@pytest.mark.parametrize(
    ("text", "digits", "rule"),
    [
        ("76194120111700111", "76194120111700111", ""),
        ("7 59606-08936 9 00111", "75960608936900111", ""),
        ("0714860210101", "0714860210101", ""),  # eleven digits without check digit, supplement of two
        ("761941201117; 761941201118", "761941201117", ""),
        ("", "", ""),
        ("012345678901234567890", "", "barcode-too-long"),
    ],
)
def test_barcode(text, digits, rule):
    assert values.barcode(text) == (digits, rule)


@pytest.mark.parametrize(
    ("valid", "printed", "isbn", "rule"),
    [
        ("9781401207526", "978-1-4012-0752-6", "9781401207526", ""),
        ("1401207529", "1-4012-0752-9", "1401207529", ""),
        ("9781401207526", "1-4012-0752-9; 978-1-4012-0752-6", "9781401207526", ""),
        ("", "1-4012-0752-0", "", "isbn-invalid"),
        ("", "", "", ""),
    ],
)
def test_isbn(valid, printed, isbn, rule):
    assert values.isbn(valid, printed) == (isbn, rule)


@pytest.mark.parametrize(
    ("value", "pages"),
    [(36, 36), (36.5, 37), ("36.000", 36), ("0.000", None), (0, None), (None, None), ("", None), ("x", None)],
)
def test_pages(value, pages):
    assert values.pages(value) == pages


@pytest.mark.parametrize(
    ("code", "ours", "rule"),
    [
        ("en", "en", ""),
        ("it", "it", ""),
        ("iw", "he", ""),
        ("no", "nb", ""),
        ("zh", "", "language"),
        ("sh", "", "language"),
        ("zxx", "", ""),
        ("und", "", ""),
    ],
)
def test_language(code, ours, rule):
    assert values.language(code) == (ours, rule)


@pytest.mark.parametrize(
    ("code", "ours", "rule"),
    [("us", "US", ""), ("it", "IT", ""), ("ddde", "", "country"), ("yu", "", "country")],
)
def test_country(code, ours, rule):
    assert values.country(code) == (ours, rule)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("superhero; science fiction", {"Super-Hero", "Science Fiction"}),
        ("satire-parody; humor", {"Parody", "Humor"}),
        ("western-frontier", {"Western"}),
        ("advocacy; anthropomorphic-funny animals", set()),
        ("Jungle; ADVENTURE", {"Adventure"}),
        ("", set()),
    ],
)
def test_genres(text, names):
    assert values.genres(text) == names


@pytest.mark.parametrize(
    ("name", "form", "binding", "singleton", "publication", "code", "rule"),
    [
        ("Batman", "was ongoing series", "", False, 2, "single_issue", ""),
        ("Batman Annual", "was ongoing series", "", False, 2, "annual", ""),
        ("Batman Omnibus", "collected edition", "hardcover", False, 1, "omnibus", ""),
        ("Year One", "collected edition", "hardcover", True, 1, "hardcover", ""),
        ("Year One", "collected edition", "trade paperback", True, 1, "trade_paperback", ""),
        ("Year One", "reprint collection", "", True, 1, "trade_paperback", "binding"),
        ("Both", "collected edition", "hardcover; softcover", True, 1, "trade_paperback", "binding"),
        ("Maus", "graphic novel", "hardcover", True, 1, "graphic_novel", ""),
        ("Secret Wars", "limited series", "", False, 2, "limited_series", ""),
        ("Secret Wars", "mini-series", "", False, 2, "limited_series", ""),
        ("Special", "one-shot", "", False, 2, "one_shot", ""),
        ("Special", "", "saddle-stitched", True, 2, "one_shot", ""),
        ("Album", "", "hardcover", True, 3, "single_issue", "series-type"),
        ("Topolino", "", "", False, 2, "single_issue", "series-type"),
    ],
)
def test_series_type(name, form, binding, singleton, publication, code, rule):
    found = values.series_type(name, form, binding, singleton=singleton, publication_type=publication)
    assert found == (code, rule)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Rated T+", "Teen Plus"),
        ("Suggested for Mature Readers.", "Mature"),
        ("Approved by the Comics Code Authority", "Unknown"),
        ("", "Unknown"),
    ],
)
def test_age_rating(text, name):
    assert values.age_rating(text) == name


@pytest.mark.parametrize(
    ("credit_type", "qualifier", "story_type", "expected"),
    [
        (1, "", 19, Roles(("Writer",))),
        (1, "plot", 19, Roles(("Plot",))),
        (1, "plot, script", 19, Roles(("Plot", "Script"))),
        (1, "dialogue", 19, Roles(("Script",))),
        (1, "translation", 19, Roles(("Translator",))),
        (1, "traduzione", 19, Roles(("Translator",))),
        (1, "adaptation", 19, Roles(("Writer",))),
        (1, "credited", 19, Roles(("Writer",))),
        (1, "something else", 19, Roles(("Writer",), "qualifier")),
        (2, "", 19, Roles(("Penciller",))),
        (2, "layouts", 19, Roles(("Layouts",))),
        (2, "signed", 19, Roles(("Penciller",))),
        (3, "background inks", 19, Roles(("Ink Assists",))),
        (3, "finishes", 19, Roles(("Finishes",))),
        (4, "color separations", 19, Roles(("Color Separations",))),
        (4, "grey tones", 19, Roles(("Gray Tone",))),
        (5, "", 19, Roles(("Letterer",))),
        (6, "editor-in-chief", None, Roles(("Editor In Chief",))),
        (6, "assistant editor", None, Roles(("Assistant Editor",))),
        (6, "logo design", None, Roles(("Logo Design",))),
        (6, "", 19, Roles(("Editor",))),
        (7, "", 19, Roles(("Penciller", "Inker"))),
        (9, "painting", 19, Roles(("Artist",))),
        (2, "painting", 19, Roles(("Artist",))),
        (13, "", 19, Roles(("Writer", "Penciller", "Inker", "Colorist", "Letterer"))),
        (2, "", 6, Roles(("Cover",))),
        (9, "painting", 6, Roles(("Cover",))),
        (4, "", 6, Roles((), "cover-credit")),
        (5, "", 6, Roles((), "cover-credit")),
        (99, "", 19, Roles((), "credit-type")),
    ],
)
def test_roles(credit_type, qualifier, story_type, expected):
    assert credit_roles.roles(credit_type, qualifier, story_type=story_type) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stan Lee [as Stanley Lieber]", ["Stan Lee"]),
        ("? (credited)", []),
        ("?", []),
        ("typeset", []),
        ("None", []),
        ("Jack Kirby ?", ["Jack Kirby"]),
        ("Jack Kirby ? (signed)", ["Jack Kirby"]),
        (
            "Stan Lee (plot); ?; Mike Esposito [as Micky Demeo; Mickey D.] (inks)",
            ["Stan Lee", "Mike Esposito"],
        ),
        ("", []),
    ],
)
def test_text_credits(text, expected):
    assert credit_roles.text_credits(text) == expected


def test_brackets_keep_semicolons_together():
    assert values.parts("JLA [Aquaman; Flash]; Batman [Bruce Wayne] (cameo)") == [
        "JLA [Aquaman; Flash]",
        "Batman [Bruce Wayne] (cameo)",
    ]
    assert values.parts("from X (Marvel; 1963); unclosed [a; b") == [
        "from X (Marvel; 1963)",
        "unclosed [a; b",
    ]


def test_texts_lose_what_the_catalog_refuses():
    assert values.clean("One\r\ntwo\x00\x07 ") == "One\ntwo"
    assert values.line(" The \n name ") == "The name"
