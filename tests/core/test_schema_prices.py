"""Prices in all the forms in which they are written (api.md 2.6, 2.13)."""

from decimal import Decimal

import pytest

from comicsdb.schemas import IssueSchema, VariantSchema
from tests.core.schema_reading import HUGE, fault, read

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
    "sent", ["abc", "3,99", "3_9", "３.99", "NaN", "Infinity", True, [3.99], {"amount": [1]}, "{", '{"a":']
)
def test_an_unreadable_price(sent):
    (message,) = fault(IssueSchema, "price", sent)
    assert message.startswith("Invalid price format: ")


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
        ("x", "A valid number is required."),
        ("", "A valid number is required."),
        (True, "A valid number is required."),
        ({"amount": 1}, "A valid number is required."),
        ("NaN", "A valid number is required."),
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


def test_the_currency_of_a_variant_counts_only_beside_a_price():
    assert VariantSchema(partial=True).deserialize({"price": 1, "price_currency": "EUR"}) == {
        "price": Decimal(1),
        "currency": "EUR",
    }
    assert read(VariantSchema, "price_currency", "EUR") == {}
    assert read(VariantSchema, "price", None) == {"price": None, "currency": "USD"}
    assert fault(VariantSchema, "price_currency", "JPY") == ['"JPY" is not a valid choice.']
