"""The schemas: accepted input, the values for the catalog, and error messages."""

from datetime import date
from decimal import Decimal

import colander
import pytest
from hypothesis import given, settings
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
    errors_by_field,
)
from comicsdb.schemas.base import text
from tests.core.schema_reading import SERIES, errors_of_values
from tests.soak import SOAK

ALL = [each for name, each in vars(schemas).items() if name.endswith("Schema")]
ISSUE = {"series": 5, "number": "1", "cover_date": "2020-05-01"}


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
    assert errors_of_values(schema(), {}) == {field: ["This field is required."] for field in required}
    assert schema(partial=True).deserialize({}) == {}


def test_a_partial_schema_leaves_the_class_as_it_was():
    ArcSchema(partial=True)
    assert errors_of_values(ArcSchema(), {}) == {"name": ["This field is required."]}


@pytest.mark.parametrize(("sent", "kind"), [([], "list"), ("x", "str"), (None, "NoneType"), (3, "int")])
def test_only_an_object_is_an_object(sent, kind):
    message = f"Invalid data. Expected a dictionary, but got {kind}."
    assert errors_of_values(IssueSchema(), sent) == {"non_field_errors": [message]}


def test_all_faults_are_told_together():
    assert errors_of_values(ImprintSchema(), {"name": "", "founded": "x", "cv_id": -1}) == {
        "name": ["This field may not be blank."],
        "founded": ["A valid integer is required."],
        "cv_id": ["Ensure this value is greater than or equal to 0."],
        "publisher": ["This field is required."],
    }


def test_a_kind_of_another_package_declares_what_it_adds():
    class ShopSchema(EntitySchema):
        city = text(5)

    assert ShopSchema().deserialize({"name": "Ink", "city": "Rome"}) == {"name": "Ink", "city": "Rome"}
    assert errors_of_values(ShopSchema(), {"city": "Firenze"}) == {
        "name": ["This field is required."],
        "city": ["Ensure this field has no more than 5 characters."],
    }


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


@pytest.mark.parametrize("partial", [True, False])
def test_in_a_form_an_empty_country_is_the_default(partial):
    schema = PublisherSchema(partial=partial, form=True)
    assert schema.deserialize({"name": "N", "country": ""}) == {"name": "N", "country": "US"}
    assert schema.deserialize({"name": "N"}) == {"name": "N"}


def test_in_a_form_what_is_required_may_still_not_be_empty():
    sent = SERIES | {"name": "", "volume": "", "status": "", "publisher": ""}
    assert errors_of_values(SeriesSchema(form=True), sent) == {
        "name": ["This field may not be blank."],
        "volume": ["A valid integer is required."],
        "status": ['"" is not a valid choice.'],
        "publisher": ["This field may not be null."],
    }


def test_a_form_is_not_changed_by_reading_it():
    sent = {"name": "N", "founded": ""}
    PublisherSchema(form=True).deserialize(sent)
    assert sent == {"name": "N", "founded": ""}


# Arbitrary input.

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("schema", ALL)
@settings(max_examples=SOAK or 25)
@given(data=st.data())
def test_whatever_is_sent_gives_values_or_messages(schema, data):
    options = data.draw(st.sampled_from([{}, {"partial": True}, {"form": True}]))
    names = [field.name for field in schema().children]
    sent = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), json_values))
    try:
        values = schema(**options).deserialize(sent)
    except colander.Invalid as invalid:
        for field, messages in errors_by_field(invalid).items():
            assert field in names
            assert messages
    else:
        assert "other" not in values
