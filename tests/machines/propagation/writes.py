"""Strategies for random writes, and the conversion of a drawing into values for the catalog.

Drawings refer to objects by position ("the third arc"), so that a sequence does not depend on ids and can be
shrunk. Pools of values are small on purpose, so that names, numbers and ids collide.
"""

from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from comicsdb import models
from tests.machines.propagation.world import KINDS, LINKS, OWNERS, World

MODELS = {model.__tablename__: model for model in (*models.CATALOG, models.SeriesType, models.Genre)} | {
    "age_rating": models.AgeRating,
    "role": models.Role,
}
PARENTS = {
    "imprint": {"publisher": "publisher"},
    "universe": {"publisher": "publisher"},
    "series": {"publisher": "publisher", "imprint": "imprint", "series_type": "series_type"},
    "issue": {"series": "series", "rating": "age_rating"},
}

positions = st.integers(0, 5)
several = st.lists(positions, max_size=3)
names = st.sampled_from(("Ash", "ash", "Äsh", "Brine", "Zephyr"))
texts = st.sampled_from(("", "Some words.", "Other words."))
years = st.sampled_from((2019, 2020, 2021))
external = st.none() | st.integers(1, 3)
days = st.sampled_from((date(2020, 1, 1), date(2020, 2, 1), date(2021, 1, 1)))
aliases = st.lists(st.sampled_from(("Red", "Blue")), max_size=2, unique=True)
sources = st.lists(
    st.fixed_dictionaries(
        {
            "source": st.sampled_from("WG"),
            "url": st.sampled_from(("https://a.example/", "https://b.example/")),
        }
    ),
    max_size=2,
)
external_ids = st.lists(
    st.fixed_dictionaries(
        {
            "source": st.sampled_from(("comicvine", "metron")),
            "external_id": st.sampled_from(("1", "2")),
            "scope": st.sampled_from(("", "issue")),
        }
    ),
    max_size=2,
)
prices = st.none() | st.sampled_from((Decimal("0.00"), Decimal("3.99"), Decimal("4.50")))
pictures = st.sampled_from(("", "arc/one.png", "arc/two.png"))
credits_drawn = st.lists(st.tuples(positions, several), max_size=3)
# A variant keeps the row at a position, or is new if there is none.
variants_drawn = st.lists(st.tuples(positions, st.sampled_from(("", "Foil")), prices), max_size=2)

_OWNED = {"attributions": sources, "external_ids": external_ids}
_COMMON = {"name": names, "desc": texts, "cv_id": external, "gcd_id": external, **_OWNED}
_PEOPLE = {**_COMMON, "image": pictures, "alias": aliases}
FIELDS = {
    "series_type": {
        "name": names,
        "notes": texts,
        "code": st.sampled_from((None, "digital_chapter", "trade_paperback")),
    },
    "genre": {"name": names, "desc": texts},
    "age_rating": {"name": names, "description": texts},
    "role": {"name": names, "notes": texts, "order": st.integers(1001, 1004), "is_cover": st.booleans()},
    "publisher": {
        **_COMMON,
        "alt_names": aliases,
        "founded": years,
        "country": st.sampled_from(("US", "IT")),
    },
    "imprint": {**_COMMON, "founded": years, "publisher": positions},
    "universe": {**_COMMON, "designation": st.sampled_from(("", "Prime")), "publisher": positions},
    "creator": {**_PEOPLE, "birth": st.none() | days, "death_precision": st.sampled_from(("day", "year"))},
    "team": {**_COMMON, "image": pictures, "creators": several, "universes": several},
    "character": {**_PEOPLE, "creators": several, "teams": several, "universes": several},
    "arc": {**_COMMON, "image": pictures},
    "series": {
        **_COMMON,
        "sort_name": names,
        "alt_names": aliases,
        "language": st.sampled_from(("en", "it", "")),
        "volume": st.integers(1, 2),
        "year_began": years,
        "year_end": st.none() | years,
        "status": st.integers(1, 4),
        "collection": st.booleans(),
        "series_type": positions,
        "publisher": positions,
        "imprint": st.none() | positions,
        "genres": several,
        "associated": several,
    },
    "issue": {
        "number": st.sampled_from(("1", "2", "10", "½")),
        "alt_number": st.sampled_from(("", "700")),
        "title": texts,
        "name": aliases,
        "cover_date": st.none() | days,
        "cover_date_precision": st.sampled_from(("day", "month", "none")),
        "store_date": st.none() | days,
        "foc_date": st.none() | days,
        "price": prices,
        "currency": st.sampled_from(("USD", "EUR")),
        "sku": st.sampled_from(("", "A1")),
        "page": st.none() | st.integers(0, 1),
        "desc": texts,
        "desc_is_solicitation": st.booleans(),
        "image": pictures,
        "cover_hash": st.sampled_from(("", "9f1f0f0783c3c1e1")),
        "cv_id": external,
        "gcd_id": external,
        "series": positions,
        "rating": positions,
        "arcs": several,
        "characters": several,
        "teams": several,
        "universes": several,
        "reprints": several,
        "credits": credits_drawn,
        "variants": variants_drawn,
        **_OWNED,
    },
}
_NEEDED = {
    "role": ("name", "order"),
    "imprint": ("name", "publisher"),
    "universe": ("name", "publisher"),
    "series": ("name", "sort_name", "volume", "year_began", "series_type", "publisher"),
    "issue": ("series", "number", "cover_date"),
}
_MOST_FIELDS = 4  # changed by one write


def _some_fields(kind: str, needed: tuple[str, ...] = ()):
    """A drawing of values for the needed fields and a few others of a kind."""
    others = sorted(set(FIELDS[kind]) - set(needed))
    chosen = st.lists(st.sampled_from(others), max_size=_MOST_FIELDS, unique=True)
    return chosen.flatmap(
        lambda more: st.fixed_dictionaries({field: FIELDS[kind][field] for field in (*needed, *more)})
    )


def creations(*kinds: str):
    """(kind, drawing) of a new object."""
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.tuples(st.just(kind), _some_fields(kind, _NEEDED.get(kind, ("name",))))
    )


def changes(*kinds: str):
    """(kind, drawing) of an update; the drawing may be empty."""
    return st.sampled_from(kinds).flatmap(lambda kind: st.tuples(st.just(kind), _some_fields(kind)))


def single_changes(kind: str):
    """(kind, drawing) of an update of one field; all fields are equally likely."""
    return _one_of_fields([(kind, field) for field in sorted(FIELDS[kind])])


def _one_of_fields(fields: list[tuple[str, str]]):
    """(kind, drawing) of an update of one of these fields."""
    return st.sampled_from(fields).flatmap(
        lambda chosen: st.tuples(
            st.just(chosen[0]), st.fixed_dictionaries({chosen[1]: FIELDS[chosen[0]][chosen[1]]})
        )
    )


def relinkings():
    """(kind, drawing) of an update of one set of links."""
    return _one_of_fields([(kind, link[0]) for kind, links in LINKS.items() for link in links])


def part_changes():
    """(kind, drawing) of an update of credits, variants, attributions or external ids."""
    fields = [("issue", "credits"), ("issue", "variants")] * 4
    fields += [(kind, part) for kind in OWNERS for part in _OWNED]
    return _one_of_fields(fields)


def renames():
    """(kind, drawing) of an update of the name only."""
    return _one_of_fields([(kind, "name") for kind in KINDS if kind != "issue"])


def relabellings():
    """(kind, drawing) of an update of another field that determines an object's label or place elsewhere."""
    shown = ("sort_name", "year_began", "series_type", "volume", "alt_names", "publisher", "imprint")
    fields = [("series", field) for field in shown]
    fields += [("issue", field) for field in ("number", "cover_date", "store_date")]
    fields += [("universe", "designation"), ("role", "order"), ("series_type", "code")]
    return _one_of_fields(fields)


class Positions:
    """Finds objects by position among those that steps may use."""

    def __init__(self, world: World, hidden: set[tuple[str, int]]):
        self.world = world
        self.ids = {
            kind: [each for each in sorted(world.rows[kind]) if (kind, each) not in hidden] for kind in KINDS
        }

    def at(self, kind: str, position: int) -> int | None:
        """The id at a position, modulo the number of objects; None if there is no object of the kind."""
        ids = self.ids[kind]
        return ids[position % len(ids)] if ids else None

    def all_at(self, kind: str, drawn: list[int]) -> list[int]:
        """The ids at several positions, without duplicates."""
        return list(dict.fromkeys(self.at(kind, each) for each in drawn)) if self.ids[kind] else []

    def values(self, kind: str, drawing: dict, object_id: int | None = None) -> dict | None:
        """The values of a drawing; None if a parent in it does not exist."""
        values = dict(drawing)
        for field, target in PARENTS.get(kind, {}).items():
            if values.get(field) is not None:
                values[field] = self.at(target, values[field])
                if values[field] is None:
                    return None
        for field, _, _, _, target in LINKS.get(kind, ()):
            if field in values:
                values[field] = [each for each in self.all_at(target, values[field]) if each != object_id]
        if "credits" in values:
            values["credits"] = self._credits(values["credits"])
        if "variants" in values:
            values["variants"] = self._variants(values["variants"], object_id)
        return values

    def _credits(self, drawn) -> list[dict]:
        found = {self.at("creator", position): roles for position, roles in drawn}
        found.pop(None, None)
        return [{"creator": each, "roles": self.all_at("role", roles)} for each, roles in found.items()]

    def _variants(self, drawn, issue: int | None) -> list[dict]:
        present = [row["id"] for row in self.world.variants_of[issue]] if issue else []
        wanted = []
        for position, name, price in drawn:
            variant = {"name": name, "price": price, "image": "variants/foil.png"}
            if present:
                variant["id"] = present.pop(position % len(present))
            wanted.append(variant)
        return wanted
