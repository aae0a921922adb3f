"""SQL expressions as JSON Schema: types, limits, nulls, names; and the descriptions of fields."""

import pytest
from sqlalchemy import Boolean, Column, Float, Integer, MetaData, SmallInteger, String, Table, func, select
from sqlalchemy import Text as PlainText
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from comicsdb.models import Issue, Publisher, Role, Series, Variant
from comicsdb.models.base import choice_check, range_check
from comicsdb.security import has_permission
from comicsdb_api.openapi.document import EDITOR_ACCOUNT
from comicsdb_api.openapi.field_descriptions import DESCRIPTIONS, SUFFIXES
from comicsdb_api.openapi.schemas import INTEGER_MAX, Components
from comicsdb_api.resource import expressions
from tests.api.descriptions import Contract

issue, series, publisher, variant = (each.__table__ for each in (Issue, Series, Publisher, Variant))
thing = Table(
    "thing",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("size", SmallInteger, nullable=False),
    Column("colour", String(5), nullable=False),
    Column("shade", String(5)),
    Column("heavy", Boolean, nullable=False),
    Column("weight", Float),
    Column("tags", ARRAY(PlainText), nullable=False),
    Column("more", JSONB, nullable=False),
    range_check("size", 3, 9),
    choice_check("colour", ("red", "blue")),
    choice_check("shade", ("dark", "light")),
)
NULLABLE_TEXT = {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("expression", "schema"),
    [
        (thing.c.id, {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}),
        (thing.c.size, {"type": "integer", "minimum": 3, "maximum": 9}),
        (thing.c.colour, {"type": "string", "enum": ["red", "blue"]}),
        (thing.c.shade, {"type": ["string", "null"], "enum": ["dark", "light", None]}),
        (thing.alias("other").c.size, {"type": "integer", "minimum": 3, "maximum": 9}),
        (thing.c.heavy, {"type": "boolean"}),
        (thing.c.weight, {"type": ["number", "null"]}),
        (thing.c.tags, {"type": "array", "items": {"type": "string"}}),
        (thing.c.more, {}),
        (issue.c.number, {"type": "string", "maxLength": 25}),
        (issue.c.cover_date, {"type": "string", "format": "date"}),
        (issue.c.store_date, {"type": ["string", "null"], "format": "date"}),
        (issue.c.name, {"type": "array", "items": {"type": "string", "maxLength": 150}}),
        (issue.c.modified, {"type": "string", "format": "date-time"}),
        (expressions.instant(issue.c.modified), {"type": "string", "format": "date-time"}),
        (expressions.instant(issue.c.rated), {"type": ["string", "null"], "format": "date-time"}),
        (expressions.money(issue.c.price), {"type": ["string", "null"], "pattern": r"^\d+(\.\d{2,3})?$"}),
        (expressions.picture_url(issue.c.image), {"type": ["string", "null"], "format": "uri"}),
        (expressions.required_picture_url(variant.c.image), {"type": "string", "format": "uri"}),
        (expressions.page_url(series), {"type": "string", "format": "uri"}),
        (expressions.average_rating(issue), {"type": ["number", "null"]}),
        (expressions.label_for(series.c.status, {1: "A", 2: "B"}), {"type": "string", "enum": ["A", "B"]}),
        (series.c.name + expressions.constant("!"), {"type": "string"}),
        (thing.c.shade + expressions.constant("!"), NULLABLE_TEXT),
        (func.coalesce(thing.c.shade, expressions.constant("")), {"type": "string"}),
        (func.lower(thing.c.shade, type_=String), NULLABLE_TEXT),
        (func.lower(thing.c.colour, type_=String).label("low"), {"type": "string"}),
        (select(func.count()).select_from(thing).scalar_subquery(), {"type": "integer"}),
        (select(thing.c.colour).scalar_subquery(), NULLABLE_TEXT),
    ],
)
def test_an_expression_says_what_its_values_are(expression, schema):
    assert Components().of(expression) == schema


def test_named_objects_become_components_and_others_stand_where_they_are():
    components = Components()
    named = {"$ref": "#/components/schemas/Named"}
    assert components.of(expressions.named_object(publisher)) == named
    assert components.of(
        expressions.value_or_null(publisher.c.id > 1, expressions.named_object(publisher))
    ) == {"oneOf": [named, {"type": "null"}]}
    listed = expressions.json_list(
        expressions.named_object(publisher), publisher, publisher.c.id > 1, (publisher.c.id,)
    )
    assert components.of(listed) == {"type": "array", "items": named}
    assert set(components.schemas) == {"Named"}
    inline = components.of(expressions.json_object(size=thing.c.size))
    assert (inline["type"], inline["required"]) == ("object", ["size"])
    assert inline["properties"] == {"size": {"type": "integer", "minimum": 3, "maximum": 9}}


def test_shapes_that_differ_in_lengths_only_are_one():
    components = Components()
    for table in (Role.__table__, publisher, Role.__table__):
        components.of(expressions.named_object(table))
    assert components.schemas["Named"]["properties"]["name"]["maxLength"] == 255
    components.object_of({"id": thing.c.id, "name": func.lower(publisher.c.name, type_=String)}, "Named")
    assert "maxLength" not in components.schemas["Named"]["properties"]["name"]


def test_a_name_that_stands_for_something_else_is_not_used():
    components = Components()
    components.of(expressions.named_object(publisher))
    before = dict(components.schemas)
    assert "$ref" not in components.of(expressions.json_object("Named", size=thing.c.size))
    assert components.schemas == before
    other = components.object_of({"size": thing.c.size}, "Named", "ThingRow")
    assert other == {"$ref": "#/components/schemas/ThingRow"}
    assert components.page_of(other) == {"$ref": "#/components/schemas/ThingRowPage"}
    nameless = components.page_of({"type": "object"})
    assert nameless["properties"]["results"]["items"] == {"type": "object"}


@pytest.fixture
def document(wsgi):
    """The description as an editor sees it."""
    descriptions = wsgi.registry["comicsdb_api.descriptions"]
    return descriptions.document(
        descriptions.rights(lambda permission: has_permission(EDITOR_ACCOUNT, permission))
    )


def test_every_field_is_explained_and_every_explanation_is_of_a_field(document):
    used = set()
    for name, schema in document["components"]["schemas"].items():
        shape = "Page" if name.endswith("Page") else name
        used |= {shape} & set(DESCRIPTIONS)
        for key, field in schema.get("properties", {}).items():
            assert field.get("description"), (shape, key)
            kinds = (shape.removesuffix(each) for each in SUFFIXES if shape.endswith(each))
            names = (f"{shape}.{key}", *(f"{kind}.{key}" for kind in kinds), key)
            used.update([name for name in names if name in DESCRIPTIONS][:1])
    assert set(DESCRIPTIONS) - used == {"resource_url"}  # for kinds of other packages


def test_every_example_fits_what_it_is_an_example_of(document):
    contract, examples = Contract(document), 0
    for schema in document["components"]["schemas"].values():
        for field in (schema, *schema.get("properties", {}).values()):
            for example in field.get("examples", ()):
                contract.check(field, example)
                examples += 1
    assert examples > 100


def test_every_body_has_an_example_of_the_whole(document):
    contract = Contract(document)
    bodies = [body for each in contract.operations for body in (each.definition.get("requestBody"),) if body]
    bodies += [answer for each in contract.operations for answer in each.responses.values()]
    wholes = [content for body in bodies for content in body.get("content", {}).values()]
    forms = [form for each in wholes for form in each["schema"].get("anyOf", [each["schema"]])]
    wholes = [contract.resolved(each) for each in forms if each != {"type": "object"}]
    assert len(wholes) > 300
    for schema in wholes:
        contract.check(schema, schema["examples"][0])
    issue = document["components"]["schemas"]["IssueInput"]
    assert issue["examples"][0].keys() == issue["properties"].keys()


def test_each_media_type_of_a_body_has_a_schema_of_its_own(document):
    seen, pictures = {}, set()
    for operation in Contract(document).operations:
        for media_type, content in operation.definition.get("requestBody", {}).get("content", {}).items():
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            assert seen.setdefault(name, media_type) == media_type
            fields = document["components"]["schemas"].get(name, {}).get("properties", {})
            pictures |= {media_type} if "image" in fields else set()
    assert pictures == {"multipart/form-data"}
    variants = document["paths"]["/api/variant/"]["post"]["requestBody"]["content"]
    assert len(variants) == 3  # as it may be sent without a picture


def test_the_bounds_of_numbers_are_those_of_the_tables(document):
    fields = document["components"]["schemas"]["Series"]["properties"]
    assert fields["volume"]["maximum"] == 32767
    assert (fields["cv_id"]["type"], fields["cv_id"]["maximum"]) == (["integer", "null"], INTEGER_MAX)
    assert fields["language"]["enum"][:2] == ["", "af"]
    assert fields["status"]["enum"] == ["Cancelled", "Completed", "Hiatus", "Ongoing"]
    assert document["components"]["schemas"]["Issue"]["properties"]["price_currency"]["pattern"] == (
        "^([A-Z]{3})?$"
    )
