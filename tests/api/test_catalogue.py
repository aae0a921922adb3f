"""Details and lists of the nine kinds: whole bodies, key by key."""

from datetime import UTC, date, datetime
from decimal import Decimal

from sqlalchemy import update

from comicsdb import models

BASE = "http://localhost"


def instant(moment):
    """A moment as the API writes it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def stamped(*entities):
    """Embedded Stamped objects."""
    return [{"id": each.id, "name": each.name, "modified": instant(each.name_changed)} for each in entities]


def same(found, expected):
    """Equal values, and equal order of keys all the way down."""
    assert found == expected
    assert ordered(found) == ordered(expected)


def ordered(value):
    """A value with its dictionaries as lists of pairs."""
    if isinstance(value, dict):
        return [(key, ordered(each)) for key, each in value.items()]
    return [ordered(each) for each in value] if isinstance(value, list) else value


def test_an_arc_with_everything(api, make, session):
    arc = make.arc(
        name="Salt Tide", desc="Eine Flut", cv_id=5, gcd_id=8801, image="arc/2026/02/11/a.jpg",
        attributions=[{"source": "G", "url": "https://example.org/a"}, {"source": "W", "url": "https://example.org/b"}],
    )
    same(
        api.json(f"/api/arc/{arc.id}/"),
        {
            "id": arc.id,
            "name": "Salt Tide",
            "desc": "Eine Flut",
            "image": f"{BASE}/media/arc/2026/02/11/a.jpg",
            "cv_id": 5,
            "gcd_id": 8801,
            "resource_url": f"{BASE}/arc/salt-tide/",
            "modified": instant(arc.modified),
            "attribution": [
                {"source": "Grand Comics Database", "url": "https://example.org/a"},
                {"source": "Wikipedia", "url": "https://example.org/b"},
            ],
        },
    )
