"""The OpenAPI document for tests: its operations, and strict validation of responses."""

import copy
import json
import sys
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

# With this package jsonschema would check IRIs, a format that we do not use: its grammar takes two seconds.
sys.modules.setdefault("rfc3987_syntax", None)


def validator(schema: dict):
    """A validator for a schema, formats included."""
    from jsonschema import Draft202012Validator  # slow to import, and few tests need it

    return Draft202012Validator(schema, format_checker=_formats())


@cache
def _formats():
    from jsonschema import FormatChecker

    formats = FormatChecker()
    formats.checks("uri")(is_absolute_url)
    return formats


def specification_errors(document: dict) -> list:
    """The violations of the OpenAPI 3.1 specification in a document."""
    return _errors_of(json.dumps(document))


@cache
def _errors_of(document: str) -> list:
    """Cached by text: validation takes seconds, and several accounts get the same document."""
    from openapi_spec_validator import OpenAPIV31SpecValidator  # slow to import, and few tests need it

    assert '"format": "iri' not in document
    return list(OpenAPIV31SpecValidator(json.loads(document)).iter_errors())


def is_absolute_url(value) -> bool:
    """Whether a value is an absolute URL, as all of ours are; values that are not text pass."""
    return not isinstance(value, str) or urlsplit(value).scheme in {"http", "https"}


@dataclass(frozen=True)
class Operation:
    """An operation of the document, with its references resolved."""

    path: str
    method: str
    definition: dict
    parameters: list[dict]
    responses: dict[str, dict]

    def named(self, place: str) -> list[dict]:
        """The parameters in the path, the query or the headers."""
        return [each for each in self.parameters if each["in"] == place]


class Contract:
    """The document, read strictly: no object may have fields that it does not list."""

    def __init__(self, document: dict):
        self.document = document
        self._schemas = copy.deepcopy(document["components"]["schemas"])
        _forbid_other_properties(self._schemas)
        self._validators = {}
        self.operations = [
            self._operation(path, method, item)
            for path, item in document["paths"].items()
            for method in item
            if method not in {"description", "parameters"}
        ]

    def _operation(self, path: str, method: str, item: dict) -> Operation:
        said = item[method]
        parameters = [*item.get("parameters", ()), *said.get("parameters", ())]
        responses = {status: self.resolved(each) for status, each in said["responses"].items()}
        return Operation(path, method, said, [self.resolved(each) for each in parameters], responses)

    @property
    def reads(self) -> list[Operation]:
        """The GET operations."""
        return [each for each in self.operations if each.method == "get"]

    def read(self, path: str) -> Operation:
        """The GET operation of a path."""
        (found,) = [each for each in self.reads if each.path == path]
        return found

    def resolved(self, value: dict) -> dict:
        """The object that a reference refers to; other values are returned as they are."""
        if "$ref" not in value:
            return value
        _, _, section, name = value["$ref"].split("/")
        return self.document["components"][section][name]

    def check(self, schema: dict, value) -> None:
        """Fail unless a value is valid by a schema of the document."""
        self._validator(schema, closed=True).validate(value)

    def _validator(self, schema: dict, *, closed: bool):
        """A validator for a schema of the document, made once for each.

        The schema is kept with it, so that no other object can get its id.
        """
        key = id(schema), closed
        if key not in self._validators:
            taken = schema
            if closed:
                taken = copy.deepcopy(schema)
                _forbid_other_properties(taken)
                taken |= {"components": {"schemas": self._schemas}}
            self._validators[key] = schema, validator(taken)
        return self._validators[key][1]

    def check_response(self, operation: Operation, answer, *, selected: bool = False) -> None:
        """Fail unless an answer is as the description says: status, headers, type and body.

        With `selected`, the request has options such as `fields`.
        """
        status = str(answer.status_int)
        assert status in operation.responses, (operation.path, status)
        described = operation.responses[status]
        headers = {name: self.resolved(each) for name, each in described["headers"].items()}
        sent = {name: value for name, value in answer.headers.items() if name != "Content-Length"}
        content_type = sent.pop("Content-Type", None)
        required = {name for name, each in headers.items() if each.get("required")}
        assert required <= sent.keys() <= headers.keys(), (operation.path, status)
        for name, value in sent.items():
            schema = headers[name]["schema"]
            number = schema.get("type") == "integer"
            self._validator(schema, closed=False).validate(int(value) if number else value)
        if "content" not in described:
            assert (content_type, answer.body) == (None, b""), (operation.path, status)
            return
        schema = described["content"][content_type.partition(";")[0]]["schema"]
        if "anyOf" in schema:  # the usual form, and the form with options
            schema = schema["anyOf"][selected]
        if content_type in {"application/json", "application/problem+json"}:
            self.check(schema, answer.json)


def _forbid_other_properties(schema) -> None:
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for each in schema.values():
            _forbid_other_properties(each)
    elif isinstance(schema, list):
        for each in schema:
            _forbid_other_properties(each)
