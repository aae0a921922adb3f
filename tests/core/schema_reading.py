"""Helpers that deserialize values with a schema, or return its error messages."""

import colander
import pytest

from comicsdb.schemas import errors_by_field

SERIES = {
    "name": "Run",
    "sort_name": "Run",
    "volume": 1,
    "series_type": 13,
    "status": 4,
    "publisher": 2,
    "year_began": 2020,
}  # what is required of a series
HUGE = pytest.param(10**5000, id="huge")  # too long for Python to convert to text


def errors_of_values(schema, values):
    """The error messages for invalid values."""
    with pytest.raises(colander.Invalid) as raised:
        schema.deserialize(values)
    return errors_by_field(raised.value)


def field_errors(schema, field, value):
    """The error messages for an invalid value of one field."""
    found = errors_of_values(schema(partial=True), {field: value})
    assert set(found) == {field}
    return found[field]


def deserialize_field(schema, field, value, **options):
    """The deserialized value of one field."""
    return schema(partial=True, **options).deserialize({field: value})
