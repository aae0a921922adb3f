"""Values at the ends of their ranges cause no 5xx, in any parameter or field that the API describes."""

import json

import pytest

from tests.api.conftest import PASSWORD, basic_auth
from tests.api.descriptions import Contract

INSTANTS = [
    f"{day}{offset}"
    for day, offsets in (
        ("0001-01-01T00:00:00", ("Z", "+15:59", "+23:59")),
        ("2026-02-01T20:00:00", ("+15:59", "-15:59", "+16:00", "-16:00", "+23:59", "-23:59")),
        ("9999-12-31T23:59:59.999999", ("Z", "-15:59", "-23:59")),
    )
    for offset in offsets
]
DAYS = ["0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01", "2026-02-30"]
NUMBERS = [
    *(str(sign * 2**bits) for bits in (15, 31, 63) for sign in (1, -1)),
    *("0", "-1", "9" * 400, "1e400", "1e-400", "NaN", "Infinity", "0.5", "999999.999"),
]
VALUES = {"date-time": INSTANTS, "date": DAYS, "integer": NUMBERS, "number": NUMBERS}


def extremes(schema: dict) -> list[str]:
    """The extreme values for a schema; none if it accepts any text."""
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else types
    found = [VALUES[name] for name in (schema.get("format"), *types) if name in VALUES]
    found += [extremes(each) for key in ("anyOf", "oneOf") for each in schema.get(key, ())]
    found += [extremes(schema["items"])] if "items" in schema else []
    return [value for values in found for value in values]


@pytest.fixture
def everybody(testapp, make, passwords):
    """The headers of a superuser, and the contract of the description that a superuser gets."""
    make.user("boss", password=PASSWORD, passwords=passwords, is_superuser=True)
    headers = basic_auth("boss", PASSWORD)
    return headers, Contract(testapp.get("/api/schema/?format=json", headers=headers).json)


def test_no_parameter_of_a_read_is_a_server_error_at_the_ends_of_its_range(testapp, everybody):
    headers, contract = everybody
    asked = 0
    for operation in contract.reads:
        path = operation.path.replace("{id}", "1")
        if "{" in path:
            continue
        for parameter in operation.named("query"):
            for value in extremes(parameter["schema"]):
                answer = testapp.get(path, {parameter["name"]: value}, headers=headers, expect_errors=True)
                assert answer.status_int < 500, (path, parameter["name"], value)
                asked += 1
    assert asked > 500, asked


def test_no_field_of_a_body_is_a_server_error_at_the_ends_of_its_range(testapp, everybody, make):
    headers, contract = everybody
    issue = make.issue()
    needed = {
        "issue_id": issue.id,
        "issue": issue.id,
        "series_id": issue.series_id,
        "creator": make.creator().id,
    }
    asked = 0
    for operation in contract.operations:
        body = contract.resolved(operation.definition.get("requestBody", {}))
        content = body.get("content", {}).get("application/json")
        if content is None or "{" in operation.path:
            continue
        schema = contract.resolved(content["schema"])
        schema = contract.resolved(schema["items"]) if schema.get("type") == "array" else schema
        for name, field in schema.get("properties", {}).items():
            for value in extremes(contract.resolved(field)):
                answer = testapp.request(
                    operation.path,
                    method=operation.method.upper(),
                    headers=headers | {"Content-Type": "application/json"},
                    body=json.dumps({**needed, name: value}).encode(),
                    expect_errors=True,
                )
                assert answer.status_int < 500, (operation.path, name, value)
                asked += 1
    assert asked > 500, asked
