"""Prices in all accepted spellings, and error messages of the others."""

from decimal import Decimal

import pytest

from comicsdb.schemas import IssueSchema, VariantSchema
from comicsdb.schemas.collection import CollectionItemSchema
from comicsdb.schemas.types import NOT_AMOUNT
from comicsdb.schemas.wish import PurchaseSchema, WishSchema
from tests.core.schema_reading import HUGE, deserialize_field, errors_of_values, field_errors

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
        ({"amount": 500, "currency": "JPY"}, "500", "JPY"),
        ({"amount": "500.00", "currency": "JPY"}, "500", "JPY"),
        ({"amount": "123456789", "currency": "JPY"}, "123456789", "JPY"),
        ({"amount": "1500000", "currency": "ITL"}, "1500000.00", "ITL"),
        ({"amount": "2.5", "currency": "ESP"}, "2.50", "ESP"),
        ({"amount": "1.25", "currency": "KWD"}, "1.250", "KWD"),
        ({"amount": "1,250", "currency": "KWD"}, "1.250", "KWD"),
        ("1.250 KWD", "1.250", "KWD"),
        ("KWD 1,250.500", "1250.500", "KWD"),
        ("12.345.678 KWD", "12345678.000", "KWD"),
        ("¥ 1,500", "1500", "JPY"),
        ("300円", "300", "JPY"),
        ("12 chf", "12.00", "CHF"),
    ],
)
def test_a_price_in_its_forms(sent, amount, currency):
    found = deserialize_field(IssueSchema, "price", sent)
    assert found == {"price": Decimal(amount), "currency": currency}
    assert str(found["price"]) == amount  # with the digits of the currency


@pytest.mark.parametrize(
    "sent",
    [None, "", "  ", {}, {"amount": ""}, {"amount": None, "currency": "EUR"}, {"currency": "EUR"}, "{}"],
)
def test_no_price_in_its_forms(sent):
    assert deserialize_field(IssueSchema, "price", sent) == {"price": None}


@pytest.mark.parametrize("sent", ["XYZ", "XAU", "usd", "x" * 200, 5, ["USD"]])
def test_an_unsupported_currency(sent):
    message = f"Invalid currency '{str(sent)[:50]}'. Expected a code of ISO 4217, such as USD, EUR or JPY."
    assert field_errors(IssueSchema, "price", {"amount": 1, "currency": sent}) == [message]


@pytest.mark.parametrize(
    "sent",
    [
        *("abc", "3_9", "３.99", "NaN", "Infinity", True, [3.99], {"amount": [1]}, "{", '{"a":'),
        *("12 CHX", "1,250.500", "1.23.4", "3,99,1", "12'50", "$3.99 €", "- 3", "3.99 each"),
        {"amount": "$3.99", "currency": "EUR"},
    ],
)
def test_an_unreadable_price(sent):
    (message,) = field_errors(IssueSchema, "price", sent)
    assert message.startswith("Invalid price format: ")
    assert message.endswith(". Examples: 3.99, 3,99 €, $3.99.")


@pytest.mark.parametrize("sent", ["1000000", "999999.995", 10**9, "1e1000000", HUGE, 1e300])
def test_a_price_of_too_many_digits(sent):
    message = "Ensure that there are no more than 6 digits before the decimal point."
    assert field_errors(IssueSchema, "price", sent) == [message]


def test_amounts_of_any_length_are_refused_with_a_reason():
    for sent in ("9" * 26, "9" * 27, "9" * 58):
        assert field_errors(IssueSchema, "price", f"${sent}") == [SIX_DIGITS], sent
        other = {"amount": f"{sent}.5", "currency": "KWD"}
        assert field_errors(IssueSchema, "price", other) == [NINE_DIGITS], sent
        for schema, name in (
            (VariantSchema, "price"),
            (CollectionItemSchema, "purchase_price"),
            (PurchaseSchema, "purchase_price"),
            (WishSchema, "max_price"),
        ):
            for amount in (sent, f"${sent}", f"{sent[:50]} KWD"):
                (message,) = errors_of_values(schema(partial=True), {name: amount})[name]
                assert message.startswith("Ensure that there are no more than "), (schema, amount)


NO_DECIMALS = "Prices in JPY have no decimals: enter a whole number."
THREE_DECIMALS = "Ensure that there are no more than 3 decimal places."
TWO_DECIMALS = "Ensure that there are no more than 2 decimal places."
SIX_DIGITS = "Ensure that there are no more than 6 digits before the decimal point."
NINE_DIGITS = "Ensure that there are no more than 9 digits before the decimal point."


@pytest.mark.parametrize(
    ("amount", "currency", "message"),
    [
        ("3.5", "JPY", NO_DECIMALS),
        ("1.500", "JPY", NO_DECIMALS),  # it may mean 1500
        ("0,125", "EUR", "Invalid price format: 0,125. Examples: 3.99, 3,99 €, $3.99."),
        ("1.2345", "KWD", THREE_DECIMALS),
        ("1.999", "CHF", TWO_DECIMALS),
        ("1234567890", "JPY", NINE_DIGITS),
        ("999999999.999", "ITL", NINE_DIGITS),
    ],
)
def test_an_amount_that_its_currency_does_not_have(amount, currency, message):
    assert field_errors(IssueSchema, "price", {"amount": amount, "currency": currency}) == [message]


def test_amounts_beside_their_currency_have_its_digits():
    for schema, name in (
        (VariantSchema, "price"),
        (CollectionItemSchema, "purchase_price"),
        (PurchaseSchema, "purchase_price"),
        (WishSchema, "max_price"),
    ):
        named = f"{name}_currency"
        taken = (
            ("500", "JPY", "500"),
            ("500.00", "JPY", "500"),
            ("1.250", "KWD", "1.250"),
            ("1,25", "KWD", "1.25"),
        )
        for amount, currency, stored in (*taken, ("123456789", "ITL", "123456789")):
            found = schema(partial=True).deserialize({name: amount, named: currency})
            assert (found[name], found[named.replace("price_", "")]) == (Decimal(stored), currency)
        for amount, currency, message in (
            ("3.5", "JPY", NO_DECIMALS),
            ("1.2345", "KWD", THREE_DECIMALS),
            ("1.999", "CHF", TWO_DECIMALS),
            ("1.999", "EUR", TWO_DECIMALS),
            ("1234567890", "ESP", NINE_DIGITS),
        ):
            assert errors_of_values(schema(partial=True), {name: amount, named: currency}) == {
                name: [message]
            }
    wrong = {"price": "1.999", "price_currency": "XYZ"}
    assert errors_of_values(VariantSchema(partial=True), wrong) == {
        "price": [TWO_DECIMALS],
        "price_currency": ['"XYZ" is not a valid choice.'],
    }


def test_an_amount_whose_currency_only_the_writer_knows_fits_some_currency():
    """If only the price is sent, the item's currency stays: `library.collection.check_price` checks both."""
    assert deserialize_field(CollectionItemSchema, "purchase_price", "1.250") == {
        "purchase_price": Decimal("1.250")
    }
    assert field_errors(CollectionItemSchema, "purchase_price", "1.2501") == [THREE_DECIMALS]


@pytest.mark.parametrize("schema", [IssueSchema, VariantSchema])
@pytest.mark.parametrize("sent", ["-1", -0.01])
def test_a_price_is_not_negative(schema, sent):
    assert field_errors(schema, "price", sent) == ["Ensure this value is greater than or equal to 0."]


def test_deeply_nested_price_text_is_refused():
    (message,) = field_errors(IssueSchema, "price", '{"a":' * 100_000)
    assert message.startswith("Invalid price format: ")


@pytest.mark.parametrize(
    ("sent", "amount"),
    [("5.99", "5.99"), (5.99, "5.99"), (5, "5"), ("999999.99", "999999.99"), ("5.9", "5.9")],
)
def test_the_price_of_a_variant(sent, amount):
    assert deserialize_field(VariantSchema, "price", sent) == {"price": Decimal(amount), "currency": "USD"}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        *((wrong, NOT_AMOUNT) for wrong in ("x", "", True, {"amount": 1}, "NaN", "3 CHX")),
        ("1.234", "Ensure that there are no more than 2 decimal places."),
        ("1234567", "Ensure that there are no more than 6 digits before the decimal point."),
        ("123456789", "Ensure that there are no more than 8 digits in total."),
        ("1234567.89", "Ensure that there are no more than 8 digits in total."),
        ("1e30", "Ensure that there are no more than 8 digits in total."),
        pytest.param(10**5000, "Ensure that there are no more than 8 digits in total.", id="huge"),
    ],
)
def test_what_is_no_price_of_a_variant(sent, message):
    assert field_errors(VariantSchema, "price", sent) == [message]


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
    assert deserialize_field(schema, amount, "3,99")[amount] == Decimal("3.99")
    assert errors_of_values(schema(partial=True), {amount: "$3.99", named: "EUR"}) == {amount: [NOT_AMOUNT]}


def test_the_currency_of_a_variant_counts_only_beside_a_price():
    assert VariantSchema(partial=True).deserialize({"price": 1, "price_currency": "EUR"}) == {
        "price": Decimal(1),
        "currency": "EUR",
    }
    assert deserialize_field(VariantSchema, "price_currency", "EUR") == {}
    assert deserialize_field(VariantSchema, "price", None) == {"price": None, "currency": "USD"}
    assert field_errors(VariantSchema, "price_currency", "XYZ") == ['"XYZ" is not a valid choice.']
