"""Helpers of the tests of schemas: read a value, or see what is said about it."""

import colander
import pytest

from comicsdb.schemas import errors_by_field

HUGE = pytest.param(10**5000, id="huge")  # which Python refuses to write


def faults(schema, values):
    """The messages for values that must not pass."""
    with pytest.raises(colander.Invalid) as raised:
        schema.deserialize(values)
    return errors_by_field(raised.value)


def fault(schema, field, value):
    """The messages for one field of a partial schema."""
    found = faults(schema(partial=True), {field: value})
    assert set(found) == {field}
    return found[field]


def read(schema, field, value, **options):
    """What becomes of one field."""
    return schema(partial=True, **options).deserialize({field: value})


# Whole objects.
