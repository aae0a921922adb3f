"""JSON Schemas of response bodies, derived from the SQL expressions that build them."""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Case,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    DateTime,
    Float,
    Integer,
    Null,
    Numeric,
    ScalarSelect,
    String,
    Table,
)
from sqlalchemy.sql.elements import BinaryExpression, Cast, Label, TypeCoerce
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from comicsdb.models.base import BIG_MAX, INTEGER_MAX
from comicsdb.models.currencies import CURRENCY_COLUMNS
from comicsdb_api.openapi.field_descriptions import PART, description_of
from comicsdb_api.resource.id_listing import MERGED
from comicsdb_api.resource.types import (
    ChoiceText,
    CurrencyCode,
    Instant,
    JsonChanges,
    JsonList,
    JsonObject,
    Money,
    SelectableObject,
    Url,
)
from comicsdb_api.resources.issue import IssueResource

AMOUNT = r"^\d+(\.\d{2,3})?$"
CURRENCY = "^[A-Z]{3}$"
CURRENCY_OR_NONE = "^([A-Z]{3})?$"
NULL = {"type": "null"}
_EXAMPLES = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}
# Functions that do not return null even if an argument is null.
NEVER_NULL = {"count", "json_build_object"}
# The first entry with a matching class has the schema of a type.
SIMPLE_TYPES = (
    ((Instant, DateTime), {"type": "string", "format": "date-time"}),
    (Url, {"type": "string", "format": "uri"}),
    (Money, {"type": "string", "pattern": AMOUNT}),
    (Date, {"type": "string", "format": "date"}),
    (String, {"type": "string"}),
    (Boolean, {"type": "boolean"}),
    (Integer, {"type": "integer"}),
    ((Numeric, Float), {"type": "number"}),
)


class Components:
    """The named schemas of an OpenAPI document, which bodies refer to."""

    def __init__(self):
        self.schemas: dict[str, dict] = {}

    def object_of(self, fields: dict[str, ColumnElement], *names: str) -> dict:
        """The schema of an object with these fields, under the first name that is free or means the same.

        Schemas that differ only in lengths count as the same. If no name fits, the schema itself is returned.
        """
        for name in filter(None, names):
            schema = self._object(fields, name)
            known = self.schemas.get(name)
            shared = schema if known is None else _merged_types(known, schema)
            if shared is not None:
                self.schemas[name] = shared
                return reference("schemas", name)
        return self._object(fields, "")

    def page_of(self, row: dict) -> dict:
        """The schema of a page of such rows (`paging.envelope`)."""
        page = {
            "type": "object",
            "description": "One page of a list.",
            "properties": {
                "count": with_description("Page", "count", {"type": "integer", "minimum": 0}),
                "next": with_description("Page", "next", _or_null({"type": "string", "format": "uri"})),
                "previous": with_description(
                    "Page", "previous", _or_null({"type": "string", "format": "uri"})
                ),
                "results": with_description("Page", "results", {"type": "array", "items": row}),
            },
            "required": ["count", "next", "previous", "results"],
        }
        if "$ref" not in row:
            return page
        name = f"{row['$ref'].rpartition('/')[2]}Page"
        self.schemas[name] = page
        return reference("schemas", name)

    def selection(self) -> dict:
        """The schema of an object with the fields that `fields` and `include` select, or parts of them."""
        if "Selection" in self.schemas:
            return reference("schemas", "Selection")
        properties = {}
        for name, field in IssueResource.optional_fields().items():
            element = field.type.element.type
            part_name = f"{element.name}{PART}"
            part = self.schemas[part_name] = self._object(element.fields, part_name)
            del part["required"]
            items = reference("schemas", part_name)
            properties[name] = with_description("Selection", name, {"type": "array", "items": items})
        self.schemas["Selection"] = {
            "type": "object",
            "description": description_of("Selection").text,
            "properties": properties,
            "additionalProperties": True,
            "examples": [{"id": 1}],
        }
        return reference("schemas", "Selection")

    def selection_page(self) -> dict:
        """The schema of a page of such objects, including lists by `ids` (`id_listing`)."""
        ids = {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}}
        merged = {"type": "array", "items": self.of(MERGED)}
        told = {"missing": ids, "merged": merged, "deleted": ids}
        page = self.page_of(self.selection())
        schema = self.schemas["SelectionPage"]
        schema["properties"] |= {key: with_description("Page", key, each) for key, each in told.items()}
        schema["properties"]["count"] = _or_null(schema["properties"]["count"])
        return page

    def of(self, expression: ColumnElement) -> dict:
        """The schema of the values of an expression."""
        schema = self._of_type(expression.type)
        if isinstance(expression, Column):
            schema |= _limits(expression)
        return _or_null(schema) if _may_be_null(expression) else schema

    def _object(self, fields: dict[str, ColumnElement], name: str) -> dict:
        schema = {"type": "object"}
        meaning = description_of(name)
        if meaning:
            schema["description"] = meaning.text
        properties = {key: with_description(name, key, self.of(value)) for key, value in fields.items()}
        return schema | {"properties": properties, "required": list(fields)}

    def _of_type(self, kind: TypeEngine) -> dict:
        match kind:
            case SelectableObject():
                return {"anyOf": [self.object_of(kind.fields, kind.name), self.selection()]}
            case JsonObject():
                return self.object_of(kind.fields, kind.name)
            case JsonChanges():
                pair = {"type": "object", "properties": {"old": {}, "new": {}}, "required": ["old", "new"]}
                return {"type": "object", "additionalProperties": pair}
            case JsonList():
                return {"type": "array", "items": self.of(kind.element)}
            case ARRAY():
                return {"type": "array", "items": self._of_type(kind.item_type) | _length(kind.item_type)}
            case ChoiceText():
                return {"type": "string", "enum": [str(word) for word in kind.choices]}
            case CurrencyCode():
                return {"type": "string", "pattern": CURRENCY_OR_NONE if kind.blank else CURRENCY}
        return simple_type(kind, SIMPLE_TYPES)


def simple_type(kind, table: tuple) -> dict:
    """The schema that depends only on a type's class, from a table of classes."""
    return next((dict(schema) for types, schema in table if isinstance(kind, types)), {})


def reference(section: str, name: str) -> dict:
    """A reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def with_description(shape: str, key: str, schema: dict) -> dict:
    """A field's schema with its description and example."""
    meaning = description_of(key, shape)
    if meaning is None:
        return schema
    example = {"examples": [meaning.example]} if matches_schema(meaning.example, schema) else {}
    return schema | {"description": meaning.text} | example


def matches_schema(example, schema: dict) -> bool:
    """Whether an example fits; examples of objects and labels do not fit writes, which have ids and codes."""
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if "anyOf" in schema:
        return any(matches_schema(example, each) for each in schema["anyOf"])
    if "enum" in schema and example not in schema["enum"]:
        return False
    if kind == "array":
        return isinstance(example, list) and all(matches_schema(each, schema["items"]) for each in example)
    return isinstance(example, _EXAMPLES.get(kind, dict))


def _or_null(schema: dict) -> dict:
    """A schema that also allows null."""
    if "$ref" in schema:
        return {"oneOf": [schema, NULL]}
    nullable = schema | {"type": [schema["type"], "null"]} if "type" in schema else schema
    return nullable | {"enum": [*schema["enum"], None]} if "enum" in schema else nullable


def _limits(column: Column) -> dict:
    """The bounds, the length and the set of values to which the table limits a column."""
    (base,) = column.base_columns
    limits = _length(base.type)
    if isinstance(base.type, Integer) and base.primary_key:
        limits |= {"minimum": 1, "maximum": BIG_MAX if isinstance(base.type, BigInteger) else INTEGER_MAX}
    checks = base.table.constraints if isinstance(base.table, Table) else ()
    for check in checks:
        if isinstance(check, CheckConstraint):
            name, *bounds = check.info.get("range", ("",))
            if name == base.name:
                limits |= dict(zip(("minimum", "maximum"), bounds, strict=True))
            name, *codes = check.info.get("choices", ("",))
            if name == base.name:
                limits = (
                    {"pattern": CURRENCY} if base.name in CURRENCY_COLUMNS.values() else {"enum": codes[0]}
                )
    return limits


def _length(kind: TypeEngine) -> dict:
    return {"maxLength": kind.length} if isinstance(kind, String) and kind.length else {}


def _may_be_null(expression: ColumnElement) -> bool:
    match expression:
        case Column():
            return bool(expression.nullable)
        case Null():
            return True
        case Case():
            values = [value for _, value in expression.whens]
            return expression.else_ is None or any(map(_may_be_null, (expression.else_, *values)))
        case Label():
            return _may_be_null(expression.element)
        case TypeCoerce() | Cast():
            return _may_be_null(expression.clause)
        case BinaryExpression():
            return _may_be_null(expression.left) or _may_be_null(expression.right)
        case ScalarSelect():
            (column,) = expression.element.selected_columns
            return not isinstance(column, FunctionElement) or _may_be_null(column)
    return isinstance(expression, FunctionElement) and _may_give_null(expression)


def _may_give_null(function: FunctionElement) -> bool:
    arguments = map(_may_be_null, function.clauses)
    if function.name == "coalesce":
        return all(arguments)
    return function.name not in NEVER_NULL and any(arguments)


def _merged_types(one: dict, other: dict) -> dict | None:
    """A schema that fits both if they differ only in lengths, else None."""
    lengths = [each.get("maxLength") for each in (one, other)]
    if one.keys() - {"maxLength"} != other.keys() - {"maxLength"}:
        return None
    merged = {}
    for key, value in one.items():
        if key == "maxLength":
            continue
        if isinstance(value, dict) and isinstance(other[key], dict):
            merged[key] = _merged_types(value, other[key])
        else:
            merged[key] = value if value == other[key] else None
        if merged[key] is None:
            return None
    return merged | ({"maxLength": max(lengths)} if None not in lengths else {})
