"""The whole catalog as plain rows, read by one statement, and the differences between two readings."""

import json
from collections import defaultdict
from datetime import datetime
from functools import cached_property

from sqlalchemy import text

REFERENCE = ("series_type", "genre", "age_rating", "role")
NAMED = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series")
KINDS = (*REFERENCE, *NAMED, "issue")  # also the order of the change log
LISTING = ("arc", "character", "team", "series")  # have an issue list
RATED = ("issue", "series")
NAME_STAMPED = ("universe", "creator", "team", "character", "arc")
OWNERS = (*NAMED, "issue")  # may have attributions

# (field, table, own column, other column, kind it points to)
LINKS = {
    "team": (
        ("creators", "team_creator", "team_id", "creator_id", "creator"),
        ("universes", "team_universe", "team_id", "universe_id", "universe"),
    ),
    "character": (
        ("creators", "character_creator", "character_id", "creator_id", "creator"),
        ("teams", "character_team", "character_id", "team_id", "team"),
        ("universes", "character_universe", "character_id", "universe_id", "universe"),
    ),
    "series": (
        ("genres", "series_genre", "series_id", "genre_id", "genre"),
        ("associated", "series_associated", "series_id", "associated_id", "series"),
    ),
    "issue": (
        ("arcs", "issue_arc", "issue_id", "arc_id", "arc"),
        ("characters", "issue_character", "issue_id", "character_id", "character"),
        ("teams", "issue_team", "issue_id", "team_id", "team"),
        ("universes", "issue_universe", "issue_id", "universe_id", "universe"),
        ("reprints", "issue_reprint", "issue_id", "reprint_id", "issue"),
    ),
}
SYMMETRIC = ("series_associated", "issue_reprint")
_PARTS = ("variant", "credit", "attribution", "external_id", "issue_rating", "version")
_PAIRS = ("credit_role", *(link[1] for links in LINKS.values() for link in links))
_TABLES = (*KINDS, *_PARTS, *_PAIRS)
_READ = text(
    "SELECT json_build_object("
    + ", ".join(f"'{table}', (SELECT json_agg(t) FROM {table} t)" for table in _TABLES)
    + ")::text"
)

STAMPS = (
    "modified",
    "modified_before",
    "issues_modified",
    "issues_modified_before",
    "name_changed",
    "rated",
    "rated_before",
)


class World:
    """A reading of the catalog: rows by kind and id, links as pairs, stamps as datetimes."""

    def __init__(self, session):
        tables = {table: rows or [] for table, rows in json.loads(session.scalar(_READ)).items()}
        for kind in KINDS:
            for row in tables[kind]:
                for stamp in STAMPS:
                    if row.get(stamp) is not None:
                        row[stamp] = datetime.fromisoformat(row[stamp])
        self.tables = tables
        self.rows = {kind: {row["id"]: row for row in tables[kind]} for kind in KINDS}
        self.versions = {row["kind"]: row["value"] for row in tables["version"]}

    @cached_property
    def ids(self) -> set[tuple[str, int]]:
        """(kind, id) of every object there is."""
        return {(kind, each) for kind in KINDS for each in self.rows[kind]}

    def row(self, key: tuple[str, int]) -> dict:
        """The row of a (kind, id)."""
        kind, each = key
        return self.rows[kind][each]

    @cached_property
    def links(self) -> dict[str, dict[int, list[int]]]:
        """Link table → own id → other ids."""
        found = {}
        for own_kind in LINKS.values():
            for _, table, own, other, _ in own_kind:
                found[table] = self.grouped(self.tables[table], own, other)
        return found

    @cached_property
    def issues_of(self) -> dict[str, dict[int, list[int]]]:
        """Kind with an issue list → id → ids of its issues."""
        found = {
            kind: self.grouped(self.tables[f"issue_{kind}"], f"{kind}_id", "issue_id")
            for kind in LISTING
            if kind != "series"
        }
        return {**found, "series": self.grouped(self.tables["issue"], "series_id", "id")}

    @cached_property
    def roles_of(self) -> dict[int, list[int]]:
        """Credit id → role ids."""
        return self.grouped(self.tables["credit_role"], "credit_id", "role_id")

    @cached_property
    def credits_of(self) -> dict[int, list[dict]]:
        """Issue id → its credit rows."""
        return self.grouped(self.tables["credit"], "issue_id")

    @cached_property
    def variants_of(self) -> dict[int, list[dict]]:
        """Issue id → its variants in the order of their ids."""
        return self.grouped(sorted(self.tables["variant"], key=lambda row: row["id"]), "issue_id")

    @cached_property
    def stars_of(self) -> dict[int, dict[int, int]]:
        """Issue id → account → stars."""
        found = defaultdict(dict)
        for row in self.tables["issue_rating"]:
            found[row["issue_id"]][row["user_id"]] = row["rating"]
        return found

    @cached_property
    def attributions_of(self) -> dict[tuple[str, int], list[dict]]:
        """(kind, id) → its attributions in the order of their ids."""
        return self._owned("attribution", ("id",))

    @cached_property
    def external_ids_of(self) -> dict[tuple[str, int], list[dict]]:
        """(kind, id) → its external ids by source and scope."""
        return self._owned("external_id", ("source", "scope", "external_id"))

    def _owned(self, table: str, order: tuple[str, ...]) -> dict[tuple[str, int], list[dict]]:
        found = defaultdict(list)
        for row in sorted(self.tables[table], key=lambda row: [row[column] for column in order]):
            for kind in OWNERS:
                if row[f"{kind}_id"] is not None:
                    found[kind, row[f"{kind}_id"]].append(row)
        return found

    @staticmethod
    def grouped(rows: list[dict], own: str, other: str | None = None) -> dict[int, list]:
        """Rows, or one column of them, by the value of another column."""
        found = defaultdict(list)
        for row in rows:
            found[row[own]].append(row[other] if other else row)
        return found


def moved(before: World, after: World, stamp: str) -> set[tuple[str, int]]:
    """The objects in both readings for which this stamp differs."""
    found = set()
    for kind in KINDS:
        earlier = before.rows[kind]
        found |= {
            (kind, each)
            for each, row in after.rows[kind].items()
            if each in earlier and stamp in earlier[each] and earlier[each][stamp] != row[stamp]
        }
    return found


def differences(one: World, other: World) -> dict[str, set[str]]:
    """The rows that are not in both readings, as text, by table; rows differ if only their stamps do."""
    found = {}
    for table, rows in one.tables.items():
        if rows != other.tables[table]:  # only the order may differ
            ours, theirs = (sorted(map(repr, each)) for each in (rows, other.tables[table]))
            if ours != theirs:
                found[table] = {*ours} ^ {*theirs}
    return found
