"""JSON Schemas of the bodies of writes, derived from the schemas that validate them, and of the responses."""

from colander import SchemaNode, String

from comicsdb.models.choices import GRADES
from comicsdb.models.currencies import DECIMALS_MAX, WHOLE_DIGITS_MAX, Currency
from comicsdb.schemas import ObjectSchema
from comicsdb.schemas.external_id import ExternalId, ExternalIdSchema
from comicsdb.schemas.match import ExternalIds, ObjectList, PerceptualHash
from comicsdb.schemas.types import (
    LIST_LENGTH_MAX,
    Amount,
    Boolean,
    Choice,
    Date,
    DateTime,
    Grade,
    Id,
    Integer,
    ListOf,
    PartialDate,
    Price,
    Text,
)
from comicsdb_api.openapi import common
from comicsdb_api.openapi.field_descriptions import (
    CHANGE,
    FORM,
    FORM_CHANGE,
    INPUT,
    MULTIPART,
    MULTIPART_CHANGE,
    WRITTEN,
)
from comicsdb_api.openapi.schemas import (
    CURRENCY,
    INTEGER_MAX,
    Components,
    reference,
    simple_type,
    with_description,
)
from comicsdb_api.resource.bodies import FORM as URLENCODED
from comicsdb_api.resource.bodies import JSON, PARTS
from comicsdb_api.resource.operations import Operation
from comicsdb_api.resource.writes import IMAGE

NAMES = {JSON: INPUT, URLENCODED: FORM, PARTS: MULTIPART}
NAMES_OF_CHANGES = {JSON: CHANGE, URLENCODED: FORM_CHANGE, PARTS: MULTIPART_CHANGE}
FILE = {
    "type": "string",
    "format": "binary",
    "description": "A picture: JPEG, PNG, WebP, GIF or AVIF.",
    "examples": ["cover.jpg"],
}
# Client generators do not support enumerations of numbers, so only the strings list the grades.
_GRADES = [
    {"type": "number", "minimum": float(min(GRADES)), "maximum": float(max(GRADES))},
    {"type": "string", "enum": [str(grade) for grade in GRADES]},
]
SIMPLE_TYPES = (
    (Date, {"type": "string", "format": "date"}),
    (DateTime, {"type": "string", "format": "date-time"}),
    (Boolean, {"type": "boolean"}),
    (Grade, {"anyOf": _GRADES}),
    (ExternalIds, {"type": "object", "additionalProperties": {"type": "string"}}),
    (PerceptualHash, {"type": "string", "pattern": "^[0-9a-fA-F]{1,16}$"}),
    ((Price, ExternalId, String), {"type": "string"}),
)
FORM_DESCRIPTION = "Lists are repeated fields; empty values mean null."


def request_body(components: Components, resource, kind: str, *, partial: bool) -> dict:
    """The body of POST and PUT or, with `partial`, of PATCH; the names of its schemas begin with `kind`.

    Only multipart forms can have pictures.
    """
    content, pictures = {}, resource.pictures()
    for media_type in resource.parses:
        name = kind + (NAMES_OF_CHANGES if partial else NAMES)[media_type]
        schema = resource.schema(partial=partial, form=media_type != JSON)
        has_picture = pictures is not None and media_type == PARTS
        components.schemas[name] = _object(schema, name, has_picture=has_picture)
        content[media_type] = {"schema": reference("schemas", name)}
    return {"content": content, "required": not partial}


def list_body(components: Components, resource, kind: str) -> dict:
    """The body of POST for a resource that creates many objects at once, in JSON."""
    name = kind + INPUT
    components.schemas[name] = _object(resource.schema(), name)
    items = {"type": "array", "maxItems": LIST_LENGTH_MAX, "items": reference("schemas", name)}
    return {"content": {JSON: {"schema": items}}, "required": True}


def written_schema(components: Components, resource, kind: str) -> dict:
    """The schema of the response to a write, which is the same for all methods."""
    name = kind + WRITTEN
    if name in components.schemas:
        return reference("schemas", name)
    return components.object_of(resource.written_fields(), name)


def describe(components: Components, resource, operation: Operation) -> dict:
    """The parameters, the body and the responses of an operation."""
    sent = ("Idempotent-Replayed",) if "Idempotency-Key" in operation.header_parameters else ()
    answers = {}
    for status, (sentence, body) in operation.results.items():
        answers[str(status)] = {"description": sentence, "headers": common.headers(*sent)}
        if body is not None:
            shape = components.object_of(body.fields, body.name)
            answers[str(status)]["content"] = {JSON: {"schema": shape}}
    answers |= {status: reference("responses", name) for status, name in operation.error_responses.items()}
    options = common.query_parameters(operation.query_parameters)
    header_parameters = [reference("parameters", name) for name in operation.header_parameters]
    told = {"parameters": [*options, *header_parameters], "responses": answers}
    if operation.body_schema is None:
        return told
    content = {}
    for media_type in resource.parses:
        name = operation.body_name.removesuffix(INPUT) + NAMES[media_type]
        schema = operation.body_schema(form=media_type != JSON)
        components.schemas[name] = _object(
            schema, name, has_picture=operation.requires_picture, needs_picture=operation.requires_picture
        )
        for kind in (node.typ for node in schema.children):
            if isinstance(kind, ObjectList):
                components.schemas[kind.name] = _object(kind.schema(), kind.name)
        content[media_type] = {"schema": reference("schemas", name)}
    refused = {"400": "Faulty", "413": "TooLarge", "415": "UnsupportedType"}
    answers |= {status: reference("responses", name) for status, name in refused.items()}
    required = operation.requires_picture or any(node.required for node in operation.body_schema().children)
    return told | {"requestBody": {"content": content, "required": required}}


def _object(
    schema: ObjectSchema, name: str, *, has_picture: bool = False, needs_picture: bool = False
) -> dict:
    is_form = schema.form
    properties = {
        node.name: with_description(name, node.name, schema_of(node, is_form=is_form))
        for node in schema.children
    }
    required = [node.name for node in schema.children if node.required]
    if has_picture:
        properties[IMAGE] = FILE
        required += [IMAGE] if needs_picture else []
    told = {"type": "object", "description": FORM_DESCRIPTION} if is_form else {"type": "object"}
    return told | {"properties": properties} | ({"required": required} if required else {})


def schema_of(node: SchemaNode, *, is_form: bool) -> dict:
    """The schema of one field; in a form, a value is never null."""
    kind = node.typ
    if isinstance(kind, ObjectList):
        return {"type": "array", "items": reference("schemas", kind.name), "maxItems": kind.max_length}
    found = _of_type(kind, is_form=is_form)
    if getattr(kind, "nullable", False) and not is_form:
        if "anyOf" in found:
            return {"anyOf": [*found["anyOf"], {"type": "null"}]}
        found["type"] = [found["type"], "null"]
    return found


def _of_type(kind, *, is_form: bool) -> dict:
    match kind:
        case Text():
            return _text(kind)
        case Integer():
            return common.integer(kind.low, kind.high)
        case Choice():
            return _choice(kind)
        case Id():
            return common.integer(0 if kind.zero_is_none else 1, INTEGER_MAX)
        case ListOf():
            least = {} if kind.empty else {"minItems": 1}
            items = _of_type(kind.item, is_form=is_form)
            return {"type": "array", "items": items, "maxItems": LIST_LENGTH_MAX} | least
        case PartialDate():
            partial = {"type": "string", "pattern": "^[0-9]{4}(-[0-9]{2})?$"}
            return {"anyOf": [{"type": "string", "format": "date"}, partial]}
        case Amount():
            return {"anyOf": _sums()}
        case ExternalId() if not is_form:
            found = _object(ExternalIdSchema(), "ExternalId")
        case Price() if not is_form:
            found = {"anyOf": [*_sums(), _priced(), {"type": "null"}]}
        case _:
            found = simple_type(kind, SIMPLE_TYPES)
    return found


def _text(kind: Text) -> dict:
    least = {} if kind.blank else {"minLength": 1}
    most = {} if kind.max_length is None else {"maxLength": kind.max_length}
    return {"type": "string"} | least | most


def _choice(kind: Choice) -> dict:
    codes = list(kind.codes.values())
    if codes == list(Currency):
        return {"type": "string", "pattern": CURRENCY}
    return {"type": "integer" if isinstance(codes[0], int) else "string", "enum": codes}


def _sums() -> list[dict]:
    """The schemas of an amount as string and as number; its currency limits the digits further."""
    pattern = rf"^[0-9]{{1,{WHOLE_DIGITS_MAX}}}(\.[0-9]{{1,{DECIMALS_MAX}}})?$"
    text = {"type": "string", "pattern": pattern, "examples": ["3.99"]}
    return [text, {"type": "number", "minimum": 0, "maximum": 10**WHOLE_DIGITS_MAX - 1}]


def _priced() -> dict:
    return {
        "type": "object",
        "properties": {
            "amount": {"anyOf": [*_sums(), {"type": "null"}]},
            "currency": {"type": "string", "pattern": CURRENCY},
        },
    }
