"""Helpers that compare bodies with what the contract says."""

from datetime import UTC

BASE = "http://localhost"


def instant(moment):
    """A moment as the API writes it: UTC, Z, no fraction when it is zero."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def stamped(*entities):
    """Embedded Stamped objects: their `modified` is the time of the name."""
    return [{"id": each.id, "name": each.name, "modified": instant(each.name_changed)} for each in entities]


def rows(*entities):
    """Stamped objects as list rows: their `modified` is the row's own."""
    return [{"id": each.id, "name": each.name, "modified": instant(each.modified)} for each in entities]


def named(entity):
    """Named."""
    return {"id": entity.id, "name": entity.name}


def same(found, expected):
    """Equal values, and the same order of keys all the way down."""
    assert found == expected
    assert ordered(found) == ordered(expected)


def ordered(value):
    """A value with its dictionaries as lists of pairs."""
    if isinstance(value, dict):
        return [(key, ordered(each)) for key, each in value.items()]
    return [ordered(each) for each in value] if isinstance(value, list) else value
