"""Search by barcode: issues and variants with the code, and others with the same stem."""

import pytest
from sqlalchemy import select

from comicsdb.catalog.trade_numbers import Gtin, parse_gtin
from comicsdb.models import Variant
from tests.conftest import record_statements


@pytest.fixture
def coded(make):
    """Two issues with the same stem, the first with a variant; one with another stem; and a book."""
    with make.single_commit():
        series = make.series(name="Night Ferry")
        variants = [{"image": "variants/foil.png", "name": "Foil", "upc": "75960608936900121"}]
        first = make.issue(series=series, number="1", upc="75960608936900111", variants=variants)
        second = make.issue(series=series, number="2", upc="7596-0608 936 900211")
        make.issue(series=series, number="3", upc="76194134182600311")
        book = make.issue(series=series, number="4", isbn="0-306-40615-2", upc="9780306406157")
        return first, second, book


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("7 59606 08936 9", Gtin("0759606089369")),
        ("0759606089369", Gtin("0759606089369")),
        ("75960608936900111", Gtin("0759606089369", "00111")),
        ("075960608936911", Gtin("0759606089369", "11")),
        ("0-306-40615-2", Gtin("9780306406157")),
        ("080442957x", Gtin("9780804429573")),
        ("978030640615751999", Gtin("9780306406157", "51999")),
        ("75960608936", None),
        ("7596060893690011", None),
        ("letters", None),
        ("", None),
    ],
)
def test_the_parts_of_a_code(code, parts):
    assert parse_gtin(code) == parts


def found(body):
    """The results: issue, variant, code, whether it is a match."""
    return [
        (each["issue"]["id"], each["variant"] and each["variant"]["name"], each["code"], each["is_match"])
        for each in body["results"]
    ]


def test_a_code_names_issue_and_variant_and_what_shares_its_stem(api, coded, make, connection):
    first, second, _book = coded
    api.json("/api/gtin/")
    with record_statements(connection) as statements:
        body = api.json("/api/gtin/?code=7%2059606%2008936%209%2000121")
    assert len(statements) == 2  # the account, and the rows with the code
    assert {**body, "results": []} == {
        "stem": "0759606089369",
        "supplement": "00121",
        "count": 3,
        "results": [],
    }
    assert found(body) == [
        (first.id, "Foil", "75960608936900121", True),
        (first.id, None, "75960608936900111", False),
        (second.id, None, "75960608936900211", False),
    ]
    assert body["results"][0]["variant"]["id"] == make.catalog.session.scalar(select(Variant.id))
    (row,) = api.json("/api/issue/?number=2")["results"]
    assert body["results"][2]["issue"] == row
    assert {each[3] for each in found(api.json("/api/gtin/?code=759606089369"))} == {True}


def test_an_issue_with_isbn_and_barcode_is_there_once(api, coded):
    for code in ("0306406152", "9780306406157", "978030640615751999"):
        ((book, variant, _code, is_match),) = found(api.json(f"/api/gtin/?code={code}"))
        assert (book, variant, is_match) == (coded[2].id, None, True)


def test_what_is_no_code_finds_nothing(api, coded):
    nothing = {"stem": "", "supplement": "", "count": 0, "results": []}
    for query in ("", "?code=", "?code=123", "?code=words"):
        assert api.json(f"/api/gtin/{query}") == nothing
    assert list(api.json("/api/gtin/?code=75960608936%00", 400)) == ["code"]
