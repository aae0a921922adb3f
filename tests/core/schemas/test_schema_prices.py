"""Prices in all the forms in which they are written."""

from decimal import Decimal

import pytest

from comicsdb.schemas import IssueSchema, VariantSchema
from comicsdb.schemas.collection import CollectionItemSchema
from comicsdb.schemas.types import NOT_AMOUNT
from comicsdb.schemas.wish import PurchaseSchema, WishSchema
from tests.core.schema_reading import HUGE, fault, faults, read

# Prices.


@pytest.mark.parametrize(
    ("sent", "amount", "currency"),
    [
        ("3.99", "3.99", "USD"),
        (" 3.99 ", "3.99", "USD"),
        (3.99, "3.99", "USD"),
        (4, "4.00", "USD"),
        (0, "0.00", "USD"),
        (Decimal("2.5"), "2.50", "USD"),
        ({"amount": 3.99, "currency": "GBP"}, "3.99", "GBP"),
        ({"amount": "3.99"}, "3.99", "USD"),
        ({"amount": "1500", "currency": "ITL"}, "1500.00", "ITL"),
        ({"amount": 1, "currency": ""}, "1.00", "USD"),
        ({"amount": 1, "currency": None}, "1.00", "USD"),
        ('{"amount": "3.99", "currency": "EUR"}', "3.99", "EUR"),
        ("3.995", "4.00", "USD"),
        ("3.985", "3.99", "USD"),
        ("3.9849", "3.98", "USD"),
        ("999999.994", "999999.99", "USD"),
        ("$3.99", "3.99", "USD"),
        ("US$ 3.99", "3.99", "USD"),
        ("3,99", "3.99", "USD"),
        ("3.99 €", "3.99", "EUR"),
        ("€\u00a03,99", "3.99", "EUR"),
        ("1.234,50 EUR", "1234.50", "EUR"),
        ("£1,234.5", "1234.50", "GBP"),
        ("1.500 lire", "1500.00", "ITL"),
        ({"amount": "3,99 €"}, "3.99", "EUR"),
        ({"amount": "€ 3,99", "currency": "EUR"}, "3.99", "EUR"),
        ({"amount": "3,99", "currency": "GBP"}, "3.99", "GBP"),
    ],
)
def test_a_price_in_its_forms(sent, amount, currency):
    assert read(IssueSchema, "price", sent) == {"price": Decimal(amount), "currency": currency}


@pytest.mark.parametrize(
    "sent",
    [None, "", "  ", {}, {"amount": ""}, {"amount": None, "currency": "EUR"}, {"currency": "EUR"}, "{}"],
)
def test_no_price_in_its_forms(sent):
    assert read(IssueSchema, "price", sent) == {"price": None}


@pytest.mark.parametrize("sent", ["JPY", "usd", "x" * 200, 5, ["USD"]])
def test_an_unsupported_currency(sent):
    message = f"Invalid currency '{str(sent)[:50]}'. Supported: USD, GBP, EUR, ITL"
    assert fault(IssueSchema, "price", {"amount": 1, "currency": sent}) == [message]


@pytest.mark.parametrize(
    "sent",
    [
        *("abc", "3_9", "３.99", "NaN", "Infinity", True, [3.99], {"amount": [1]}, "{", '{"a":'),
        *("12 CHF", "¥ 300", "1.23.4", "3,99,1", "12'50", "$3.99 €", "- 3", "3.99 each"),
        {"amount": "$3.99", "currency": "EUR"},
    ],
)
def test_an_unreadable_price(sent):
    (message,) = fault(IssueSchema, "price", sent)
    assert message.startswith("Invalid price format: ")
    assert message.endswith(". Examples: 3.99, 3,99 €, $3.99.")


@pytest.mark.parametrize("sent", ["1000000", "999999.995", 10**9, "1e1000000", HUGE, 1e300])
def test_a_price_of_too_many_digits(sent):
    message = "Ensure that there are no more than 6 digits before the decimal point."
    assert fault(IssueSchema, "price", sent) == [message]


@pytest.mark.parametrize("schema", [IssueSchema, VariantSchema])
@pytest.mark.parametrize("sent", ["-1", -0.01])
def test_a_price_is_not_negative(schema, sent):
    assert fault(schema, "price", sent) == ["Ensure this value is greater than or equal to 0."]


def test_deeply_nested_price_text_is_refused():
    (message,) = fault(IssueSchema, "price", '{"a":' * 100_000)
    assert message.startswith("Invalid price format: ")


@pytest.mark.parametrize(
    ("sent", "amount"),
    [("5.99", "5.99"), (5.99, "5.99"), (5, "5"), ("999999.99", "999999.99"), ("5.9", "5.9")],
)
def test_the_price_of_a_variant(sent, amount):
    assert read(VariantSchema, "price", sent) == {"price": Decimal(amount), "currency": "USD"}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        *((wrong, NOT_AMOUNT) for wrong in ("x", "", True, {"amount": 1}, "NaN", "3 CHF")),
        ("1.234", "Ensure that there are no more than 2 decimal places."),
        ("1234567", "Ensure that there are no more than 6 digits before the decimal point."),
        ("123456789", "Ensure that there are no more than 8 digits in total."),
        ("1234567.89", "Ensure that there are no more than 8 digits in total."),
        ("1e30", "Ensure that there are no more than 8 digits in total."),
        pytest.param(10**5000, "Ensure that there are no more than 8 digits in total.", id="huge"),
    ],
)
def test_what_is_no_price_of_a_variant(sent, message):
    assert fault(VariantSchema, "price", sent) == [message]


@pytest.mark.parametrize(
    ("schema", "amount", "column"),
    [
        (VariantSchema, "price", "currency"),
        (CollectionItemSchema, "purchase_price", "purchase_currency"),
        (PurchaseSchema, "purchase_price", "purchase_currency"),
        (WishSchema, "max_price", "max_currency"),
    ],
)
def test_a_currency_in_an_amount_is_that_of_the_amount(schema, amount, column):
    named = f"{amount}_currency"
    expected = {amount: Decimal("3.99"), column: "EUR"}
    for sent in ({amount: "3,99 €"}, {amount: "€3.99", named: "EUR"}):
        assert schema(partial=True).deserialize(sent) == expected
    assert read(schema, amount, "3,99")[amount] == Decimal("3.99")
    assert faults(schema(partial=True), {amount: "$3.99", named: "EUR"}) == {amount: [NOT_AMOUNT]}


def test_the_currency_of_a_variant_counts_only_beside_a_price():
    assert VariantSchema(partial=True).deserialize({"price": 1, "price_currency": "EUR"}) == {
        "price": Decimal(1),
        "currency": "EUR",
    }
    assert read(VariantSchema, "price_currency", "EUR") == {}
    assert read(VariantSchema, "price", None) == {"price": None, "currency": "USD"}
    assert fault(VariantSchema, "price_currency", "JPY") == ['"JPY" is not a valid choice.']
