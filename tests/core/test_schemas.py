"""The schemas: what they take, what they give to the catalogue, and their messages (api.md 1.3, 1.6, 2)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import colander
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comicsdb import schemas
from comicsdb.schemas import (
    ArcSchema,
    CharacterSchema,
    CreatorSchema,
    CreditSchema,
    EntitySchema,
    ImprintSchema,
    IssueSchema,
    PublisherSchema,
    SeriesSchema,
    TeamSchema,
    UniverseSchema,
    VariantSchema,
    errors_of,
)
from comicsdb.schemas.base import text

ALL = [getattr(schemas, name) for name in schemas.__all__ if name.endswith("Schema")]
SERIES = {
    "name": "Run",
    "sort_name": "Run",
    "volume": 1,
    "series_type": 13,
    "status": 4,
    "publisher": 2,
    "year_began": 2020,
}
HUGE = pytest.param(10**5000, id="huge")  # which Python refuses to write
ISSUE = {"series": 5, "number": "1", "cover_date": "2020-05-01"}


def faults(schema, values):
    """The messages for values that must not pass."""
    with pytest.raises(colander.Invalid) as raised:
        schema.deserialize(values)
    return errors_of(raised.value)


def fault(schema, field, value):
    """The messages for one field of a partial schema."""
    found = faults(schema(partial=True), {field: value})
    assert set(found) == {field}
    return found[field]


def read(schema, field, value, **options):
    """What becomes of one field."""
    return schema(partial=True, **options).deserialize({field: value})


# Whole objects.


def test_only_what_is_sent_comes_out():
    assert PublisherSchema().deserialize({"name": "Nimbus"}) == {"name": "Nimbus"}


def test_a_publisher_with_everything():
    values = {
        "name": "Nimbus Comics",
        "alt_names": ["Cloud House"],
        "founded": 1975,
        "country": "GB",
        "desc": "High.",
        "cv_id": 1,
        "gcd_id": None,
    }
    assert PublisherSchema().deserialize(values) == values


def test_what_is_read_only_or_unknown_is_ignored():
    sent = {"id": 9, "slug": "x", "modified": "now", "resource_url": "y", "nonsense": [], "name": "Arc"}
    assert ArcSchema().deserialize(sent) == {"name": "Arc"}


def test_a_series_with_everything():
    values = SERIES | {
        "alt_names": ["Lauf"],
        "language": "it",
        "imprint": 3,
        "year_end": 2022,
        "desc": "",
        "genres": [1, 2],
        "associated": [9],
        "cv_id": 7,
        "gcd_id": 8,
    }
    assert SeriesSchema().deserialize(values) == values


def test_an_issue_with_everything():
    sent = ISSUE | {
        "alt_number": "101",
        "title": "Collected",
        "name": ["Low Water", "Ebb"],
        "store_date": "2020-04-17",
        "foc_date": None,
        "price": {"amount": 3.99, "currency": "GBP"},
        "rating": 3,
        "sku": "ABC",
        "isbn": "978-0-306-40615-7",
        "upc": "759606",
        "page": 32,
        "desc": "Tide.",
        "arcs": [1],
        "characters": [2],
        "teams": [],
        "universes": [3],
        "reprints": [4],
        "cv_id": 1,
        "gcd_id": 2,
        "credits": "ignored",
        "cover_hash": "ignored",
    }
    assert IssueSchema().deserialize(sent) == {
        "series": 5,
        "number": "1",
        "alt_number": "101",
        "title": "Collected",
        "name": ["Low Water", "Ebb"],
        "cover_date": date(2020, 5, 1),
        "store_date": date(2020, 4, 17),
        "foc_date": None,
        "price": Decimal("3.99"),
        "currency": "GBP",
        "rating": 3,
        "sku": "ABC",
        "isbn": "9780306406157",
        "upc": "759606",
        "page": 32,
        "desc": "Tide.",
        "arcs": [1],
        "characters": [2],
        "teams": [],
        "universes": [3],
        "reprints": [4],
        "cv_id": 1,
        "gcd_id": 2,
    }


@pytest.mark.parametrize(
    ("schema", "required"),
    [
        (ArcSchema, {"name"}),
        (CharacterSchema, {"name"}),
        (CreatorSchema, {"name"}),
        (TeamSchema, {"name"}),
        (PublisherSchema, {"name"}),
        (ImprintSchema, {"name", "publisher"}),
        (UniverseSchema, {"name", "publisher"}),
        (SeriesSchema, set(SERIES)),
        (IssueSchema, {"series", "number", "cover_date"}),
        (CreditSchema, {"issue", "creator", "role"}),
        (VariantSchema, {"issue"}),
    ],
)
def test_what_is_required_is_missed_unless_the_write_is_partial(schema, required):
    assert faults(schema(), {}) == {field: ["This field is required."] for field in required}
    assert schema(partial=True).deserialize({}) == {}


def test_a_partial_schema_leaves_the_class_as_it_was():
    ArcSchema(partial=True)
    assert faults(ArcSchema(), {}) == {"name": ["This field is required."]}


@pytest.mark.parametrize(("sent", "kind"), [([], "list"), ("x", "str"), (None, "NoneType"), (3, "int")])
def test_only_an_object_is_an_object(sent, kind):
    message = f"Invalid data. Expected a dictionary, but got {kind}."
    assert faults(IssueSchema(), sent) == {"non_field_errors": [message]}


def test_all_faults_are_told_together():
    assert faults(ImprintSchema(), {"name": "", "founded": "x", "cv_id": -1}) == {
        "name": ["This field may not be blank."],
        "founded": ["A valid integer is required."],
        "cv_id": ["Ensure this value is greater than or equal to 0."],
        "publisher": ["This field is required."],
    }


def test_a_kind_of_another_package_declares_what_it_adds():
    class ShopSchema(EntitySchema):
        city = text(5)

    assert ShopSchema().deserialize({"name": "Ink", "city": "Rome"}) == {"name": "Ink", "city": "Rome"}
    assert faults(ShopSchema(), {"city": "Firenze"}) == {
        "name": ["This field is required."],
        "city": ["Ensure this field has no more than 5 characters."],
    }


# Text.


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("  Harbor  ", "Harbor"),
        (7, "7"),
        (1.5, "1.5"),
        ("\u00a0x\n", "x"),
        ("a\nb", "a\nb"),
        ("漫画", "漫画"),
    ],
)
def test_text_is_trimmed_and_numbers_become_text(sent, stored):
    assert read(ArcSchema, "name", sent) == {"name": stored}


@pytest.mark.parametrize("sent", [True, False, [], ["x"], {}, {"a": 1}, b"x"])
def test_nothing_else_is_text(sent):
    assert fault(ArcSchema, "name", sent) == ["Not a valid string."]


@pytest.mark.parametrize("sent", ["", "   ", "\t\n"])
def test_required_text_may_not_be_blank_but_other_text_may(sent):
    assert fault(IssueSchema, "number", sent) == ["This field may not be blank."]
    assert read(IssueSchema, "title", sent) == {"title": ""}


@pytest.mark.parametrize("field", ["name", "desc"])
def test_text_is_never_null(field):
    assert fault(ArcSchema, field, None) == ["This field may not be null."]


@pytest.mark.parametrize(
    ("schema", "field", "longest"),
    [
        (ArcSchema, "name", 255),
        (SeriesSchema, "sort_name", 255),
        (UniverseSchema, "designation", 255),
        (IssueSchema, "number", 25),
        (IssueSchema, "alt_number", 25),
        (IssueSchema, "title", 255),
        (IssueSchema, "sku", 12),
        (IssueSchema, "isbn", 13),
        (IssueSchema, "upc", 20),
        (VariantSchema, "name", 255),
        (VariantSchema, "sku", 12),
        (VariantSchema, "upc", 20),
    ],
)
def test_text_has_a_greatest_length(schema, field, longest):
    assert read(schema, field, " " + "x" * longest) == {field: "x" * longest}
    message = f"Ensure this field has no more than {longest} characters."
    assert fault(schema, field, "x" * (longest + 1)) == [message]


def test_the_hyphens_of_an_isbn_do_not_count():
    assert read(IssueSchema, "isbn", "978-0-306-40615-7") == {"isbn": "9780306406157"}


def test_a_description_has_no_greatest_length():
    assert read(ArcSchema, "desc", "x" * 100_000) == {"desc": "x" * 100_000}


def test_text_that_no_database_holds_is_refused():
    assert fault(ArcSchema, "desc", "a\0b") == ["Null characters are not allowed."]
    assert fault(ArcSchema, "desc", "a\ud800b") == ["Surrogate characters are not allowed."]


# Numbers.


@pytest.mark.parametrize("sent", [12, "12", " 12 ", 12.0, "12.0", "+12", "012"])
def test_an_integer_in_its_spellings(sent):
    assert read(IssueSchema, "page", sent) == {"page": 12}


@pytest.mark.parametrize("sent", [12.5, "12.5", True, False, "", "x", "1_2", "１２", [], {}, float("inf")])
def test_what_is_no_integer(sent):
    assert fault(IssueSchema, "page", sent) == ["A valid integer is required."]


@pytest.mark.parametrize(
    ("schema", "field", "greatest"),
    [
        (SeriesSchema, "volume", 32767),
        (SeriesSchema, "year_began", 32767),
        (SeriesSchema, "year_end", 32767),
        (PublisherSchema, "founded", 32767),
        (ImprintSchema, "founded", 32767),
        (IssueSchema, "page", 32767),
        (IssueSchema, "cv_id", 2147483647),
        (UniverseSchema, "gcd_id", 2147483647),
    ],
)
def test_integers_have_bounds(schema, field, greatest):
    assert read(schema, field, 0) == {field: 0}
    assert read(schema, field, greatest) == {field: greatest}
    assert fault(schema, field, -1) == ["Ensure this value is greater than or equal to 0."]
    over = [f"Ensure this value is less than or equal to {greatest}."]
    assert fault(schema, field, greatest + 1) == over
    assert fault(schema, field, "9" * 900) == over
    assert fault(schema, field, 1e300) == over
    assert fault(schema, field, 10**5000) == over


@pytest.mark.parametrize(
    ("schema", "field"), [(SeriesSchema, "year_end"), (IssueSchema, "page"), (ArcSchema, "cv_id")]
)
def test_optional_numbers_may_be_null(schema, field):
    assert read(schema, field, None) == {field: None}


@pytest.mark.parametrize("field", ["volume", "year_began", "status", "publisher", "series_type"])
def test_required_numbers_may_not_be_null(field):
    assert fault(SeriesSchema, field, None) == ["This field may not be null."]


# Dates.


@pytest.mark.parametrize("sent", ["2020-05-01", "2020-5-1", date(2020, 5, 1)])
def test_a_date(sent):
    assert read(IssueSchema, "cover_date", sent) == {"cover_date": date(2020, 5, 1)}


@pytest.mark.parametrize(
    "sent",
    ["", "x", "2020", "2020-13-01", "2020-02-30", "01/05/2020", "20200501", "2020-W01-1", "2020-05-01T00:00",
     20200501, True, [], {}, datetime(2020, 5, 1, tzinfo=UTC), "0000-01-01"],
)  # fmt: skip
def test_what_is_no_date(sent):
    message = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
    assert fault(IssueSchema, "cover_date", sent) == [message]


def test_only_optional_dates_may_be_null():
    assert read(IssueSchema, "store_date", None) == {"store_date": None}
    assert read(CreatorSchema, "birth", None) == {"birth": None}
    assert fault(IssueSchema, "cover_date", None) == ["This field may not be null."]


# Choices.


@pytest.mark.parametrize(("sent", "stored"), [("GB", "GB"), ("gb", "GB"), ("zw", "ZW")])
def test_a_country_in_either_case(sent, stored):
    assert read(PublisherSchema, "country", sent) == {"country": stored}


@pytest.mark.parametrize("sent", ["ZZ", "zz", "", "USA", 5])
def test_an_unknown_country(sent):
    assert fault(PublisherSchema, "country", sent) == [f'"{sent}" is not a valid choice.']


@pytest.mark.parametrize("sent", [1, "1", 4])
def test_a_status_is_a_number(sent):
    assert read(SeriesSchema, "status", sent) == {"status": int(sent)}


@pytest.mark.parametrize(
    ("sent", "shown"), [(0, "0"), (5, "5"), ("ongoing", "ongoing"), (True, "True"), ([1], "[1]")]
)
def test_an_unknown_status(sent, shown):
    assert fault(SeriesSchema, "status", sent) == [f'"{shown}" is not a valid choice.']


@pytest.mark.parametrize("sent", ["", "en", "zh-hant", "pt-br"])
def test_a_language(sent):
    assert read(SeriesSchema, "language", sent) == {"language": sent}


@pytest.mark.parametrize("sent", ["EN", "tlh", "english"])
def test_an_unknown_language(sent):
    assert fault(SeriesSchema, "language", sent) == [f'"{sent}" is not a valid choice.']


# References.


@pytest.mark.parametrize("sent", [3, "3", 3.0])
def test_an_id(sent):
    assert read(ImprintSchema, "publisher", sent) == {"publisher": 3}


@pytest.mark.parametrize(
    ("sent", "kind"), [("abc", "str"), (True, "bool"), ([], "list"), ({}, "dict"), (2.5, "float")]
)
def test_what_is_no_id(sent, kind):
    message = f"Incorrect type. Expected pk value, received {kind}."
    assert fault(ImprintSchema, "publisher", sent) == [message]
    assert fault(CharacterSchema, "creators", [1, sent]) == [message]


@pytest.mark.parametrize("sent", [0, -1, 2**31, "99999999999999999999"])
def test_an_id_that_no_row_can_have(sent):
    message = f'Invalid pk "{sent}" - object does not exist.'
    assert fault(ImprintSchema, "publisher", sent) == [message]
    assert fault(CharacterSchema, "teams", [sent]) == [message]


@pytest.mark.parametrize("sent", [None, ""])
def test_a_required_parent_may_not_be_null(sent):
    assert fault(ImprintSchema, "publisher", sent) == ["This field may not be null."]


@pytest.mark.parametrize("sent", [None, "", 0, "0"])
def test_no_imprint_in_its_spellings(sent):
    assert read(SeriesSchema, "imprint", sent) == {"imprint": None}


def test_a_missing_imprint_means_none_unless_the_write_is_partial():
    assert SeriesSchema().deserialize(SERIES) == SERIES | {"imprint": None}
    assert SeriesSchema(partial=True).deserialize(SERIES) == SERIES


# Lists.


def test_ids_come_once_each_in_the_order_sent():
    assert read(CharacterSchema, "creators", [3, "1", 3, 2]) == {"creators": [3, 1, 2]}


def test_an_empty_list_clears():
    assert read(IssueSchema, "name", []) == {"name": []}
    assert read(IssueSchema, "arcs", []) == {"arcs": []}


@pytest.mark.parametrize(("sent", "kind"), [("a", "str"), (1, "int"), ({"0": "a"}, "dict"), (True, "bool")])
@pytest.mark.parametrize(
    ("schema", "field"), [(CharacterSchema, "alias"), (CharacterSchema, "creators"), (IssueSchema, "name")]
)
def test_what_is_no_list(schema, field, sent, kind):
    assert fault(schema, field, sent) == [f'Expected a list of items but got type "{kind}".']


@pytest.mark.parametrize("field", ["alias", "creators"])
def test_a_list_may_not_be_null(field):
    assert fault(CharacterSchema, field, None) == ["This field may not be null."]


def test_a_credit_needs_a_role():
    assert fault(CreditSchema, "role", []) == ["This list may not be empty."]
    values = {"issue": 1, "creator": 2, "role": [4, 3]}
    assert CreditSchema().deserialize(values) == values


@pytest.mark.parametrize(
    ("schema", "field", "longest"),
    [
        (CharacterSchema, "alias", 100),
        (CreatorSchema, "alias", 100),
        (PublisherSchema, "alt_names", 255),
        (SeriesSchema, "alt_names", 255),
        (IssueSchema, "name", 150),
    ],
)
def test_the_faults_of_texts_are_told_by_index(schema, field, longest):
    assert read(schema, field, [" a ", "x" * longest, 5]) == {field: ["a", "x" * longest, "5"]}
    assert fault(schema, field, ["fine", "", "x" * (longest + 1), None, True]) == {
        "1": ["This field may not be blank."],
        "2": [f"Ensure this field has no more than {longest} characters."],
        "3": ["This field may not be null."],
        "4": ["Not a valid string."],
    }


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
    "sent", ["abc", "3,99", "NaN", "Infinity", True, [3.99], {"amount": [1]}, "{", '{"a":']
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


# Forms.


def test_in_a_form_an_empty_text_means_no_value():
    sent = SERIES | {
        "volume": "1",
        "status": "4",
        "year_end": "",
        "cv_id": "",
        "imprint": "",
        "desc": "",
        "language": "",
        "genres": ["8"],
    }
    assert SeriesSchema(form=True).deserialize(sent) == SERIES | {
        "year_end": None,
        "cv_id": None,
        "imprint": None,
        "desc": "",
        "language": "",
        "genres": [8],
    }


def test_in_a_form_an_empty_country_is_as_if_not_sent():
    assert PublisherSchema(form=True).deserialize({"name": "N", "country": ""}) == {"name": "N"}


def test_in_a_form_what_is_required_may_still_not_be_empty():
    sent = SERIES | {"name": "", "volume": "", "status": "", "publisher": ""}
    assert faults(SeriesSchema(form=True), sent) == {
        "name": ["This field may not be blank."],
        "volume": ["A valid integer is required."],
        "status": ['"" is not a valid choice.'],
        "publisher": ["This field may not be null."],
    }


def test_a_form_is_not_changed_by_reading_it():
    sent = {"name": "N", "founded": ""}
    PublisherSchema(form=True).deserialize(sent)
    assert sent == {"name": "N", "founded": ""}


# Anything at all.

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("schema", ALL)
@given(data=st.data())
def test_whatever_is_sent_gives_values_or_messages(schema, data):
    options = data.draw(st.sampled_from([{}, {"partial": True}, {"form": True}]))
    names = [field.name for field in schema().children]
    sent = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), json_values))
    try:
        values = schema(**options).deserialize(sent)
    except colander.Invalid as invalid:
        for field, messages in errors_of(invalid).items():
            assert field in names
            assert messages
    else:
        assert "other" not in values
