"""The stamps that a write must move, computed from two readings of the catalog by the rules of propagation.

It follows the specification, independently of the propagation table in the code: events are found by
comparing plain rows, and the rows that they touch by following plain links.
"""

from collections import defaultdict

from tests.machines.propagation.world import LINKS, LISTING, OWNERS, SYMMETRIC, World, moved

Keys = set[tuple[str, int]]

# Columns that determine the label of an issue or series, or its place in lists.
ISSUE_PLACE = ("series_id", "number", "cover_date", "cover_date_precision", "store_date")
SERIES_LABEL = ("name", "sort_name", "year_began", "series_type_id")
SERIES_EMBEDDED = (*SERIES_LABEL, "alt_names", "language", "volume", "publisher_id", "imprint_id")


class Oracle:
    """The events between two readings; `written` are the objects that the write itself names."""

    def __init__(self, before: World, after: World, written: Keys):
        self.before, self.after = before, after
        self.written = written & after.ids
        self.created = after.ids - before.ids
        self.deleted = before.ids - after.ids
        self.kept = before.ids & after.ids

    # Finding events.

    def changed(self, kind: str, *columns: str) -> set[int]:
        """Ids of the rows of a kind that exist in both readings and differ in one of the columns."""
        return {
            each
            for name, each in self.kept
            if name == kind
            and any(
                self.before.rows[kind][each][column] != self.after.rows[kind][each][column]
                for column in columns
            )
        }

    def gone(self, kind: str) -> set[int]:
        """Ids of the rows of a kind that were deleted."""
        return {each for name, each in self.deleted if name == kind}

    def pairs_changed(self, table: str, own: str, other: str) -> tuple[set[int], set[int]]:
        """The ids on either side of the links that were added or removed."""
        before, after = (
            {(row[own], row[other]) for row in world.tables[table]} for world in (self.before, self.after)
        )
        pairs = before ^ after
        return {left for left, _ in pairs}, {right for _, right in pairs}

    # Following links, in both readings.

    def linked_to(self, owner: str, kind: str, ids: set[int]) -> set[int]:
        """Rows of `owner` that are, or were, linked to rows of `kind`."""
        found = set()
        for _, table, own, other, target in LINKS[owner]:
            if target == kind:
                for world in (self.before, self.after):
                    found |= {row[own] for row in world.tables[table] if row[other] in ids}
        return found

    def where(self, kind: str, column: str, ids: set[int]) -> set[int]:
        """Rows of a kind that point, or pointed, to one of the ids."""
        return {
            each
            for world in (self.before, self.after)
            for each, row in world.rows[kind].items()
            if row[column] in ids
        }

    def issues_of(self, series: set[int]) -> set[int]:
        """Issues that are, or were, in one of the series."""
        return self.where("issue", "series_id", series)

    # The rules.

    def touched(self) -> Keys:
        """The objects whose `modified` this write must move; it may move no other."""
        found: dict[str, set[int]] = defaultdict(set)
        for kind, each in self.written:
            found[kind].add(each)
        self._rules_of_issues(found)
        self._rules_of_names(found)
        self._rules_of_series(found)
        for owner in ("character", "team", "series"):
            for _, table, own, other, _ in LINKS[owner]:
                here, there = self.pairs_changed(table, own, other)
                found[owner] |= here | (there if table in SYMMETRIC else set())
        for kind in OWNERS:
            found[kind] |= {
                each
                for name, each in self.kept
                if name == kind
                and self._owned(self.before, kind, each) != self._owned(self.after, kind, each)
            }
        return {(kind, each) for kind, ids in found.items() for each in ids} & self.kept

    @staticmethod
    def _owned(world: World, kind: str, each: int) -> list:
        cited = [(row["source"], row["url"]) for row in world.attributions_of[kind, each]]
        content = ("source", "external_id", "scope")
        return cited + [tuple(map(row.get, content)) for row in world.external_ids_of[kind, each]]

    def _rules_of_issues(self, found) -> None:
        acted = {each for kind, each in self.written | self.created | self.deleted if kind == "issue"}
        for world in (self.before, self.after):  # on a move both series
            found["series"] |= {
                world.rows["issue"][each]["series_id"] for each in acted if each in world.rows["issue"]
            }
        for _, table, own, other, target in LINKS["issue"]:
            issues, others = self.pairs_changed(table, own, other)
            found["issue"] |= issues
            if target != "universe":
                found[target] |= others
        for issue in self.after.rows["issue"]:  # its parts
            if self._parts(self.before, issue) != self._parts(self.after, issue):
                found["issue"].add(issue)
        placed = self.changed("issue", *ISSUE_PLACE) | self.gone("issue")
        found["issue"] |= self.linked_to("issue", "issue", placed)

    @staticmethod
    def _parts(world: World, issue: int) -> tuple:
        roles = {
            credit["creator_id"]: sorted(world.roles_of[credit["id"]]) for credit in world.credits_of[issue]
        }
        return roles, world.variants_of[issue]

    def _rules_of_names(self, found) -> None:
        def renamed(kind: str, *more: str) -> set[int]:
            return self.changed(kind, "name", *more) | self.gone(kind)

        publishers = self.changed("publisher", "name")
        found["imprint"] |= self.where("imprint", "publisher_id", publishers)
        found["universe"] |= self.where("universe", "publisher_id", publishers)
        series = self.where("series", "publisher_id", publishers)
        series |= self.where("series", "imprint_id", renamed("imprint"))
        series |= self.linked_to("series", "genre", renamed("genre"))
        series |= self.where("series", "series_type_id", self.changed("series_type", "name", "code"))
        found["series"] |= series
        found["issue"] |= self.issues_of(series)
        found["issue"] |= self.where("issue", "rating_id", renamed("age_rating"))
        found["issue"] |= self._credited("role", renamed("role", "order"))
        found["issue"] |= self._credited("creator", renamed("creator"))
        for kind, more in (("arc", ()), ("character", ()), ("team", ()), ("universe", ("designation",))):
            found["issue"] |= self.linked_to("issue", kind, renamed(kind, *more))
        for owner in ("character", "team"):
            for kind, more in (("creator", ()), ("team", ()), ("universe", ("designation",))):
                found[owner] |= self.linked_to(owner, kind, renamed(kind, *more))

    def _credited(self, what: str, ids: set[int]) -> set[int]:
        """Issues with a credit of one of the creators, or in one of the roles."""
        return {
            credit["issue_id"]
            for world in (self.before, self.after)
            for credit in world.tables["credit"]
            if (credit["creator_id"] in ids if what == "creator" else ids & {*world.roles_of[credit["id"]]})
        }

    def _rules_of_series(self, found) -> None:
        regenred, _ = self.pairs_changed("series_genre", "series_id", "genre_id")
        found["issue"] |= self.issues_of(self.changed("series", *SERIES_EMBEDDED) | regenred)
        labelled = self.changed("series", *SERIES_LABEL) | self.gone("series")
        labelled |= self.where("series", "series_type_id", self.changed("series_type", "code"))
        found["series"] |= self.linked_to("series", "series", labelled)
        found["issue"] |= self.linked_to("issue", "issue", self.issues_of(labelled))

    def lists(self) -> Keys:
        """The objects whose `issues_modified` must move, and no other may.

        These are the parents, before and after, of issues that are new, deleted, or whose `modified` moved.
        """
        issues = {
            each
            for kind, each in moved(self.before, self.after, "modified") | self.created | self.deleted
            if kind == "issue"
        }
        return {
            (kind, parent)
            for kind in LISTING
            for world in (self.before, self.after)
            for parent, listed in world.issues_of[kind].items()
            if issues & {*listed}
        } & self.kept

    def rated(self) -> Keys:
        """The objects whose rating stamp must move, and no other may."""

        def stars(world: World, kind: str, each: int) -> dict:
            issues = [each] if kind == "issue" else world.issues_of["series"][each]
            return {issue: given for issue in issues if (given := world.stars_of.get(issue))}

        return {
            (kind, each)
            for kind, each in self.kept
            if kind in ("issue", "series") and stars(self.before, kind, each) != stars(self.after, kind, each)
        }

    def renamed(self) -> Keys:
        """The objects whose `name` differs."""
        return {
            (kind, each)
            for kind, each in self.kept
            if self.before.rows[kind][each]["name"] != self.after.rows[kind][each]["name"]
        }
