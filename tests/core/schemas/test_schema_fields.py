"""Single fields of the schemas, except prices: accepted values and error messages."""

from datetime import UTC, date, datetime

import pytest

from comicsdb import schemas
from comicsdb.catalog import InvalidError
from comicsdb.i18n import localizer, translate
from comicsdb.models import Arc
from comicsdb.schemas import (
    ArcSchema,
    CharacterSchema,
    CreatorSchema,
    CreditSchema,
    ImprintSchema,
    IssueSchema,
    ObjectSchema,
    PublisherSchema,
    SeriesSchema,
    UniverseSchema,
    VariantSchema,
    collection,
    wish,
)
from comicsdb.schemas.types import BLANK, TEXT_LENGTH_MAX, Text, no_such_object, too_long
from tests.core.schema_reading import SERIES, deserialize_field, field_errors

# Text.


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("  Harbor  ", "Harbor"),
        (7, "7"),
        (1.5, "1.5"),
        ("\u00a0x\n", "x"),
        ("漫画", "漫画"),
    ],
)
def test_text_is_trimmed_and_numbers_become_text(sent, stored):
    assert deserialize_field(ArcSchema, "name", sent) == {"name": stored}


@pytest.mark.parametrize("sent", [True, False, [], ["x"], {}, {"a": 1}, b"x"])
def test_nothing_else_is_text(sent):
    assert field_errors(ArcSchema, "name", sent) == ["Not a valid string."]


@pytest.mark.parametrize("sent", ["", "   ", "\t\n"])
def test_required_text_may_not_be_blank_but_other_text_may(sent):
    assert field_errors(IssueSchema, "number", sent) == ["This field may not be blank."]
    assert deserialize_field(IssueSchema, "title", sent) == {"title": ""}


@pytest.mark.parametrize("field", ["name", "desc"])
def test_text_is_never_null(field):
    assert field_errors(ArcSchema, field, None) == ["This field may not be null."]


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
    assert deserialize_field(schema, field, " " + "x" * longest) == {field: "x" * longest}
    message = f"Ensure this field has no more than {longest} characters."
    assert field_errors(schema, field, "x" * (longest + 1)) == [message]


@pytest.mark.parametrize(
    ("schema", "field", "sent", "stored"),
    [
        (IssueSchema, "isbn", "978-0-306-40615-7", "9780306406157"),
        (IssueSchema, "isbn", "978 0 306 40615 7", "9780306406157"),
        (IssueSchema, "upc", "7 59606 08936 9 00111", "75960608936900111"),
        (IssueSchema, "upc", "7-59606-08936-9\u00a000111", "75960608936900111"),
        (VariantSchema, "upc", " 7 59606\u201308936 9 00121 ", "75960608936900121"),
        (IssueSchema, "upc", 75960608936900111, "75960608936900111"),
        (IssueSchema, "upc", "AB_1 - x%", "AB_1x%"),
    ],
)
def test_codes_are_taken_as_printed(schema, field, sent, stored):
    assert deserialize_field(schema, field, sent) == {field: stored}


SCHEMAS = {
    each
    for module in (schemas, collection, wish)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, ObjectSchema)
}
TEXTS = [
    pytest.param(schema, child.name, id=f"{schema.__name__}-{child.name}")
    for schema in sorted(SCHEMAS, key=lambda each: each.__name__)
    for child in schema().children
    if isinstance(getattr(child.typ, "item", child.typ), Text)
]
NO_TEXT = [*map(chr, (0, 1, 7, 8, 0xB, 0xC, 0x1F, 0x7F, 0x85, 0x9F)), "\ud800", "\udfff", "\ufdd0", "\ufdef"]
NO_TEXT += [chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF)]


@pytest.mark.parametrize(("schema", "name"), TEXTS)
def test_no_text_has_control_characters_halves_or_non_characters(schema, name):
    (typ,) = (child.typ for child in schema().children if child.name == name)
    listed = hasattr(typ, "item")
    lines = "\t\n\r" if getattr(typ, "item", typ).max_length < TEXT_LENGTH_MAX else ""
    for bad in (*NO_TEXT, *lines):
        sent = f"a{bad}b"
        told = field_errors(schema, name, [sent] if listed else sent)
        (message,) = told["0"] if listed else told
        named = "Null" if bad == "\0" else "Surrogate" if "\ud800" <= bad <= "\udfff" else f"U+{ord(bad):04X}"
        assert named in message, (bad, message)


def test_texts_of_several_lines_have_ends_of_lines_and_tabs():
    assert len(TEXTS) > 25
    assert deserialize_field(ArcSchema, "desc", "a\r\n\tb\nc") == {"desc": "a\r\n\tb\nc"}


def test_the_catalog_itself_takes_none_of_them_either(catalog):
    for bad in NO_TEXT:
        with pytest.raises(InvalidError) as raised:
            catalog.create(Arc, {"name": "x", "desc": f"a{bad}b"})
        assert list(raised.value.errors) == ["desc"]


# Numbers.


@pytest.mark.parametrize("sent", [12, "12", " 12 ", 12.0, "12.0", "+12", "012"])
def test_an_integer_in_its_spellings(sent):
    assert deserialize_field(IssueSchema, "page", sent) == {"page": 12}


@pytest.mark.parametrize("sent", [12.5, "12.5", True, False, "", "x", "1_2", "１２", [], {}, float("inf")])
def test_what_is_no_integer(sent):
    assert field_errors(IssueSchema, "page", sent) == ["A valid integer is required."]


@pytest.mark.parametrize(
    ("schema", "field", "greatest"),
    [
        (SeriesSchema, "volume", 32767),
        (IssueSchema, "page", 32767),
        (IssueSchema, "cv_id", 2147483647),
        (UniverseSchema, "gcd_id", 2147483647),
    ],
)
def test_integers_have_bounds(schema, field, greatest):
    assert deserialize_field(schema, field, 0) == {field: 0}
    assert deserialize_field(schema, field, greatest) == {field: greatest}
    assert field_errors(schema, field, -1) == ["Ensure this value is greater than or equal to 0."]
    over = [f"Ensure this value is less than or equal to {greatest}."]
    assert field_errors(schema, field, greatest + 1) == over
    assert field_errors(schema, field, "9" * 900) == over
    assert field_errors(schema, field, 1e300) == over
    assert field_errors(schema, field, 10**5000) == over


@pytest.mark.parametrize(
    ("schema", "field"), [(SeriesSchema, "year_end"), (IssueSchema, "page"), (ArcSchema, "cv_id")]
)
def test_optional_numbers_may_be_null(schema, field):
    assert deserialize_field(schema, field, None) == {field: None}


@pytest.mark.parametrize("field", ["volume", "year_began", "status", "publisher", "series_type"])
def test_required_numbers_may_not_be_null(field):
    assert field_errors(SeriesSchema, field, None) == ["This field may not be null."]


# Dates.


@pytest.mark.parametrize("sent", ["2020-05-01", "2020-5-1", date(2020, 5, 1)])
def test_a_date(sent):
    assert deserialize_field(IssueSchema, "cover_date", sent) == {"cover_date": date(2020, 5, 1)}


@pytest.mark.parametrize(
    "sent",
    ["", "x", "2020", "2020-13-01", "2020-02-30", "01/05/2020", "20200501", "2020-W01-1", "2020-05-01T00:00",
     20200501, True, [], {}, datetime(2020, 5, 1, tzinfo=UTC), "0000-01-01"],
)  # fmt: skip
def test_what_is_no_date(sent):
    message = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
    assert field_errors(IssueSchema, "store_date", sent) == [message]
    if sent != "2020":
        assert field_errors(IssueSchema, "cover_date", sent) == [message]


@pytest.mark.parametrize(("sent", "known"), [("1963", "year"), ("1963-1", "month"), (" 1963-01 ", "month")])
def test_a_cover_date_may_be_known_in_part(sent, known):
    found = deserialize_field(IssueSchema, "cover_date", sent)
    assert found == {"cover_date": date(1963, 1, 1), "cover_date_precision": known}


def test_dates_may_be_null():
    assert deserialize_field(IssueSchema, "store_date", None) == {"store_date": None}
    assert deserialize_field(CreatorSchema, "birth", None) == {"birth": None}
    assert deserialize_field(IssueSchema, "cover_date", None) == {"cover_date": None}


# True and false.


@pytest.mark.parametrize(
    ("sent", "stored"),
    [(True, True), (1, True), ("true", True), (" TRUE ", True), ("1", True),
     (False, False), (0, False), ("false", False), ("False", False), ("0", False)],
)  # fmt: skip
def test_a_truth_value_in_its_spellings(sent, stored):
    assert deserialize_field(IssueSchema, "desc_is_solicitation", sent) == {"desc_is_solicitation": stored}
    assert deserialize_field(IssueSchema, "desc_is_solicitation", sent)["desc_is_solicitation"] is stored


@pytest.mark.parametrize("sent", ["", "2", "maybe", 2, -1, 0.5, [], [True], {}, {"a": 1}, b"1"])
def test_what_is_no_truth_value(sent):
    assert field_errors(IssueSchema, "desc_is_solicitation", sent) == ["Must be a valid boolean."]


def test_a_truth_value_is_never_null_and_blank_in_a_form_is_not_sent():
    assert field_errors(IssueSchema, "desc_is_solicitation", None) == ["This field may not be null."]
    form = IssueSchema(partial=True, form=True)
    assert form.deserialize({"desc_is_solicitation": ""}) == {}


# Choices.


@pytest.mark.parametrize(
    ("schema", "field", "sent", "stored"),
    [
        *((PublisherSchema, "country", sent, sent.upper()) for sent in ("GB", "gb", "zw")),
        *((SeriesSchema, "status", sent, int(sent)) for sent in (1, "1", 4)),
        *((SeriesSchema, "language", sent, sent) for sent in ("", "en", "zh-hant", "pt-br")),
    ],
)
def test_one_of_the_choices(schema, field, sent, stored):
    assert deserialize_field(schema, field, sent) == {field: stored}


@pytest.mark.parametrize(
    ("schema", "field", "sent"),
    [
        *((PublisherSchema, "country", sent) for sent in ("ZZ", "zz", "USA", 5)),
        *((SeriesSchema, "status", sent) for sent in (0, 5, "ongoing", True, [1])),
        *((SeriesSchema, "language", sent) for sent in ("EN", "tlh", "english")),
    ],
)
def test_none_of_the_choices(schema, field, sent):
    assert field_errors(schema, field, sent) == [f'"{sent}" is not a valid choice.']


# References.


@pytest.mark.parametrize("sent", [3, "3", 3.0])
def test_an_id(sent):
    assert deserialize_field(ImprintSchema, "publisher", sent) == {"publisher": 3}


@pytest.mark.parametrize(
    ("sent", "kind"), [("abc", "str"), (True, "bool"), ([], "list"), ({}, "dict"), (2.5, "float")]
)
def test_what_is_no_id(sent, kind):
    message = f"Incorrect type. Expected pk value, received {kind}."
    assert field_errors(ImprintSchema, "publisher", sent) == [message]
    assert field_errors(CharacterSchema, "creators", [1, sent]) == [message]


@pytest.mark.parametrize("sent", [0, -1, 2**31, "99999999999999999999"])
def test_an_id_that_no_row_can_have(sent):
    message = f'Invalid pk "{sent}" - object does not exist.'
    assert field_errors(ImprintSchema, "publisher", sent) == [message]
    assert field_errors(CharacterSchema, "teams", [sent]) == [message]


@pytest.mark.parametrize("sent", [None, ""])
def test_a_required_parent_may_not_be_null(sent):
    assert field_errors(ImprintSchema, "publisher", sent) == ["This field may not be null."]


@pytest.mark.parametrize("sent", [None, "", 0, "0"])
def test_no_imprint_in_its_spellings(sent):
    assert deserialize_field(SeriesSchema, "imprint", sent) == {"imprint": None}


def test_a_missing_imprint_means_none_unless_the_write_is_partial():
    assert SeriesSchema().deserialize(SERIES) == SERIES | {"imprint": None}
    assert SeriesSchema(partial=True).deserialize(SERIES) == SERIES


# Lists.


def test_ids_come_once_each_in_the_order_sent():
    assert deserialize_field(CharacterSchema, "creators", [3, "1", 3, 2]) == {"creators": [3, 1, 2]}


def test_an_empty_list_clears():
    assert deserialize_field(IssueSchema, "name", []) == {"name": []}
    assert deserialize_field(IssueSchema, "arcs", []) == {"arcs": []}


@pytest.mark.parametrize(("sent", "kind"), [("a", "str"), (1, "int"), ({"0": "a"}, "dict"), (True, "bool")])
@pytest.mark.parametrize(
    ("schema", "field"), [(CharacterSchema, "alias"), (CharacterSchema, "creators"), (IssueSchema, "name")]
)
def test_what_is_no_list(schema, field, sent, kind):
    assert field_errors(schema, field, sent) == [f'Expected a list of items but got type "{kind}".']


@pytest.mark.parametrize("field", ["alias", "creators"])
def test_a_list_may_not_be_null(field):
    assert field_errors(CharacterSchema, field, None) == ["This field may not be null."]


def test_a_credit_needs_a_role():
    assert field_errors(CreditSchema, "role", []) == ["This list may not be empty."]
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
    assert deserialize_field(schema, field, [" a ", "x" * longest, 5]) == {field: ["a", "x" * longest, "5"]}
    assert field_errors(schema, field, ["fine", "", "x" * (longest + 1), None, True]) == {
        "1": ["This field may not be blank."],
        "2": [f"Ensure this field has no more than {longest} characters."],
        "3": ["This field may not be null."],
        "4": ["Not a valid string."],
    }


def test_lists_within_lists_without_end_are_refused():
    sent = []
    for _ in range(100_000):
        sent = [sent]
    assert field_errors(SeriesSchema, "status", sent)[0].endswith("is not a valid choice.")
    assert field_errors(IssueSchema, "price", sent)[0].startswith("Invalid price format")
    assert field_errors(IssueSchema, "price", {"amount": 1, "currency": sent})[0].startswith(
        "Invalid currency"
    )


@pytest.mark.parametrize(
    ("text", "api", "english", "italian"),
    [
        (BLANK, "This field may not be blank.", "This field is required.", "Questo campo è obbligatorio."),
        (
            too_long(5),
            "Ensure this field has no more than 5 characters.",
            "Enter at most 5 characters.",
            "Inserisci al massimo 5 caratteri.",
        ),
        (
            no_such_object(7),
            'Invalid pk "7" - object does not exist.',
            "Your choice no longer exists: choose another.",
            "La tua scelta non esiste più: scegline un'altra.",
        ),
    ],
)
def test_the_site_says_in_its_own_words_what_clients_know_in_others(text, api, english, italian):
    assert text == api
    assert [translate(localizer(language), text) for language in ("en", "it")] == [english, italian]
