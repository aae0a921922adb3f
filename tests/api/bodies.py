"""Helpers that compare response bodies with the documented format."""

from datetime import UTC

from sqlalchemy import update

BASE = "http://localhost"
# Attributions as they are sent, and as they are returned.
SOURCES = [{"source": "G", "url": "https://example.org/a"}, {"source": "W", "url": "https://example.org/b"}]
ATTRIBUTION = [
    {"source": "Grand Comics Database", "url": "https://example.org/a"},
    {"source": "Wikipedia", "url": "https://example.org/b"},
]


def api_timestamp(moment):
    """A timestamp as the API writes it: UTC, Z, no fraction when it is zero."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def stamped(*entities):
    """Embedded `Stamped` objects: their `modified` is the time at which the name changed."""
    return [
        {"id": each.id, "name": each.name, "modified": api_timestamp(each.name_changed)} for each in entities
    ]


def rows(*entities):
    """`Stamped` objects as list rows: their `modified` is the row's own."""
    return [{"id": each.id, "name": each.name, "modified": api_timestamp(each.modified)} for each in entities]


def named(entity):
    """The embedded form of an object: id and name."""
    return {"id": entity.id, "name": entity.name}


def assert_same_json(found, expected):
    """Assert that values are equal, with the same order of keys at every level."""
    assert found == expected
    assert ordered_pairs(found) == ordered_pairs(expected)


def ordered_pairs(value):
    """A value with its dictionaries as lists of pairs."""
    if isinstance(value, dict):
        return [(key, ordered_pairs(each)) for key, each in value.items()]
    return [ordered_pairs(each) for each in value] if isinstance(value, list) else value


def set_rating(session, entity, *, count, total):
    """Set the number and sum of an object's ratings."""
    model = type(entity)
    session.execute(update(model).where(model.id == entity.id).values(rating_count=count, rating_sum=total))
    session.commit()


def refreshed(session, entity):
    """An object, refreshed from the database."""
    session.refresh(entity)
    return entity


def publisher_name(api, publisher_id):
    """The name of a publisher in its detail response."""
    return api.json(f"/api/publisher/{publisher_id}/")["name"]
