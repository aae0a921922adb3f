"""All single changes of the small catalog of `world.py`, and values for random ones."""

from datetime import date
from decimal import Decimal

from tests.machines.propagation.world import OWNERS

Change = tuple[str, int, dict]  # kind, position of the object, drawing as `writes.Positions.values` takes it

DAY = date(2020, 2, 1)
PICTURE = "arc/one.png"
SOURCES = [{"source": "W", "url": "https://b.example/"}]
ALIASES = ["Red", "Blue"]
PLAIN = {"desc": "Other words.", "cv_id": 77, "gcd_id": 78}
NAMED = {"name": "Zephyr", **PLAIN}
# Values by field. Some of these affect the order of other objects' lists without being shown there.
FIELDS: dict[str, dict] = {
    "series_type": {"name": "Annal", "notes": "Some.", "code": "digital_chapter"},
    "genre": {"name": "Zest", "desc": "Some."},
    "age_rating": {"name": "Any age", "description": "Some."},
    "role": {"name": "Doodler", "order": 2000, "notes": "Some."},
    "publisher": NAMED | {"alt_names": ALIASES, "founded": 1990, "country": "IT"},
    "imprint": NAMED | {"founded": 1990, "publisher": 1},
    "universe": {"designation": "Zeta"} | NAMED | {"publisher": 1, "image": PICTURE},
    "creator": NAMED | {"alias": ALIASES, "birth": DAY, "death": date(2022, 1, 1), "image": PICTURE},
    "team": NAMED | {"image": PICTURE},
    "character": NAMED | {"alias": ALIASES, "image": PICTURE},
    "arc": NAMED | {"image": PICTURE},
    "series": NAMED
    | {"sort_name": "Zzz", "alt_names": ALIASES, "language": "it", "volume": 2, "year_began": 2019}
    | {"year_end": 2021, "status": 2, "collection": True, "series_type": 0, "imprint": None, "publisher": 0},
    "issue": PLAIN
    | {"desc_is_solicitation": True}
    | {"store_date": DAY, "cover_date": date(2021, 1, 1), "foc_date": DAY, "number": "½", "alt_number": "7"}
    | {"title": "A title", "name": ALIASES, "price": Decimal("3.99"), "currency": "EUR", "sku": "A1"}
    | {"isbn": "9780306406157", "upc": "123", "page": 32, "image": PICTURE, "cover_hash": "9f1f0f0783c3c1e1"}
    | {"rating": 2, "series": 2},
}
ROLES = ([], [(0, [0, 1]), (1, [])], [(0, [1]), (1, [0, 1])])
COVERS = ([], [(0, "Foil", None)], [(0, "Gold", Decimal("4.50"))])
# Links and parts are removed and added again.
LINKED: dict[str, dict] = {
    "team": {"creators": ([], [1]), "universes": ([], [0, 1])},
    "character": {"creators": ([], [0]), "teams": ([], [0, 1]), "universes": ([], [0, 1])},
    "series": {"genres": ([], [1, 2]), "associated": ([], [0, 2])},
    "issue": {"arcs": ([], [0, 1]), "characters": ([], [0, 1]), "teams": ([], [0, 1])}
    | {"universes": ([], [0, 1]), "reprints": ([], [0, 1, 2]), "credits": ROLES, "variants": COVERS},
}
# Positions of objects that others show: the issue is a reprint of the first issue, the series is associated
# with the first series.
SHOWN = {"issue": 3, "series": 1, "series_type": 2}
CHANGES: list[Change] = [
    (kind, SHOWN.get(kind, 0), {field: value})
    for kind, fields in FIELDS.items()
    for field, value in fields.items()
]
PARTS: list[Change] = [
    (kind, SHOWN.get(kind, 0), {field: value})
    for kind, fields in LINKED.items()
    for field, values in fields.items()
    for value in values
]
PARTS += [(kind, 0, {"attributions": SOURCES}) for kind in OWNERS]
# Position of the issue, position of the account, rating.
RATINGS = [(2, 1, 3), (2, 1, 4), (2, 1, 3), (2, 1, None), (0, 0, 1)]
# Kind, position, field and text: what an editor changes through the API and in forms.
THROUGH_HTTP = [
    *((kind, 1, "name", "Ash") for kind in ("publisher", "imprint", "universe", "creator", "team")),
    *((kind, 1, "name", "Ash") for kind in ("character", "arc", "series")),
    *(("issue", 3, field, value) for field, value in (("number", "77"), ("cover_date", "2020-09-01"))),
]
# Bulk actions (`catalog.maintenance.bulk`) that delete nothing, so that the next ones have objects.
BULK_ACTIONS = ("set_teen", "add_executives", "copy_from_reprints", "remove_covers", "rebuild_slugs")
# Kind, position of the object that stays, position of the other.
MERGES = [
    *((kind, 0, 1) for kind in ("arc", "character", "creator", "team", "universe", "publisher", "imprint")),
    ("issue", 0, 3),
]
# Issues with and without ratings; publishers last, as that deletes much else.
DELETIONS = [
    *(("role", 0), ("genre", 1), ("age_rating", 1), ("universe", 0), ("creator", 0), ("team", 0)),
    *(("character", 0), ("arc", 0), ("issue", 0), ("issue", 3), ("imprint", 0), ("series", 1)),
    ("publisher", 0),
]

WORDS = ("Ash", "Äsh", "Brine", "Zephyr")
FILES = ("publishers", "imprints", "creators", "teams", "characters", "arcs")
# What an import may change: file, field, values.
ALTERATIONS = (
    *((file, "name", WORDS) for file in FILES),
    *((file, "desc", ("", "Other words.")) for file in ("publishers", "arcs", "issues")),
    ("universes", "designation", ("", "Prime")),
    ("series", "name", WORDS),
    ("series", "genre_ids", ([], [1], [1, 2])),
    ("series", "series_type_id", (6, 10, 13)),
    ("teams", "creator_ids", ([], [1], [2, 3])),
    ("characters", "team_ids", ([], [1])),
    ("characters", "universe_ids", ([], [1], [1, 2])),
    ("issues", "series_id", (1, 2, 3)),
    ("issues", "number", ("1", "2", "7")),
    ("issues", "cover_date", ("2020-01-01", "2020-05-01")),
    ("issues", "arc_ids", ([], [1])),
    ("issues", "character_ids", ([], [1], [1, 2])),
    ("issues", "team_ids", ([], [1])),
    ("issues", "universe_ids", ([], [1, 2])),
    ("issues", "age_rating_id", (1, 2)),
    ("credits", "role_ids", ([], [1], [1, 2, 3])),
    ("variants", "name", ("", "Foil", "Gold")),
    ("attributions", "url", ("https://a.example/", "https://b.example/")),
    ("issue_ratings", "rating", (1, 3, 5)),
)
