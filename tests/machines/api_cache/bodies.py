"""Detects which bodies of the API have changed, by digests of its expressions in the database."""

from collections import defaultdict

from sqlalchemy import Text, cast, func, literal_column, select

from comicsdb.db.read_pool import CompiledQuery, ReadConnection
from comicsdb_api.resource import expressions
from tests.machines.propagation.world import OWNERS

Key = tuple[str, int]  # kind, id
Slot = tuple[str, str, int]  # detail or below, kind, id

ORDERED = ("series", "issue")  # their lists are ordered by columns that they do not show
_LISTED = (
    "(SELECT json_agg(json_build_array(kind, parent, listed, each) ORDER BY kind, parent, listed, each)"
    " FROM ("
    "SELECT 'arc', arc_id, 'issue', issue_id FROM issue_arc"
    " UNION ALL SELECT 'character', character_id, 'issue', issue_id FROM issue_character"
    " UNION ALL SELECT 'team', team_id, 'issue', issue_id FROM issue_team"
    " UNION ALL SELECT 'series', series_id, 'issue', id FROM issue"
    " UNION ALL SELECT 'publisher', publisher_id, 'series', id FROM series"
    ") lists (kind, parent, listed, each)"
    " WHERE CASE listed WHEN 'issue' THEN each IN (SELECT id FROM issue WHERE slug NOT LIKE 'backdrop%')"
    " ELSE each IN (SELECT id FROM series WHERE slug NOT LIKE 'backdrop%') END)"
)


def _digests(resource: type, fields: dict):
    """SQL for pairs of id and digest of the shown fields, for every object outside the backdrop."""
    table = resource.model.__table__
    rows = (
        select(table.c.id.label("own"), *expressions.labelled_columns(fields))
        .select_from(resource.detail_source())
        .where(table.c.slug.not_like("backdrop%"))
        .subquery("shown")
    )
    digest = func.md5(cast(func.row_to_json(literal_column("shown")), Text))
    return (
        select(func.json_agg(func.json_build_array(rows.c.own, digest))).select_from(rows).scalar_subquery()
    )


class Statements:
    """One statement, built from what the API declares for each kind.

    It is compiled and prepared only once, as this takes longer than reading so few rows.
    """

    def __init__(self, connection, registry):
        resources = {kind: registry["comicsdb_api.reads"][f"api.{kind}"].resource for kind in OWNERS}
        digests = [_digests(each, each.detail_fields()) for each in resources.values()]
        for kind in ORDERED:
            order = {f"order {n}": column for n, column in enumerate(resources[kind].order())}
            digests.append(_digests(resources[kind], resources[kind].row_fields() | order))
        self._query = CompiledQuery.of(select(*digests, literal_column(_LISTED)))
        self._line = ReadConnection(connection)

    def read(self) -> tuple[dict, dict, list]:
        """Digests of details and of rows, by kind and id; and the lists' members as (kind, id, kind, id)."""
        *digests, listed = self._line.fetch(self._query, {"base": "", "media": ""})
        found = [dict(each or ()) for each in digests]
        details = dict(zip(OWNERS, found[: len(OWNERS)], strict=True))
        return details, dict(zip(ORDERED, found[len(OWNERS) :], strict=True)), listed or []


class BodyDigests:
    """One reading: the digests of what is shown of each object, and of all rows of each kind.

    `shown` maps ("detail", kind, id) to a digest and ("below", kind, id) to the rows of the object's list.
    """

    def __init__(self, statements: Statements):
        details, rows, listing = statements.read()
        self.lists = details | rows
        self.shown: dict[Slot, object] = {
            ("detail", kind, each): digest
            for kind, found in details.items()
            for each, digest in found.items()
        }
        below = defaultdict(list)
        for kind, parent, listed, each in listing:
            if each in self.lists[listed]:
                below["below", kind, parent].append((each, self.lists[listed][each]))
        self.shown |= below

    def changed(self, before: "BodyDigests") -> tuple[set[Slot], set[str]]:
        """The slots, and the kinds of lists, that differ from an earlier reading."""
        both = self.shown.keys() | before.shown.keys()
        slots = {slot for slot in both if self.shown.get(slot) != before.shown.get(slot)}
        return slots, {kind for kind in self.lists if self.lists[kind] != before.lists[kind]}
