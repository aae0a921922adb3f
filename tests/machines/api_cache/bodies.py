"""Which bodies have changed: what the API shows of a small catalogue, asked of the database itself."""

from collections import defaultdict

from sqlalchemy import Text, cast, func, literal_column, select, text
from sqlalchemy.orm import Session

from comicsdb_api.resource import shapes
from tests.machines.propagation.world import OWNERS

Key = tuple[str, int]  # kind, id
Slot = tuple[str, str, int]  # detail or below, kind, id

ORDERED = ("series", "issue")  # lists of these are ordered by more than they show
_LISTED = (
    "SELECT 'arc', arc_id, 'issue', issue_id FROM issue_arc"
    " UNION ALL SELECT 'character', character_id, 'issue', issue_id FROM issue_character"
    " UNION ALL SELECT 'team', team_id, 'issue', issue_id FROM issue_team"
    " UNION ALL SELECT 'series', series_id, 'issue', id FROM issue"
    " UNION ALL SELECT 'publisher', publisher_id, 'series', id FROM series ORDER BY 1, 2, 3, 4"
)


def _digests(resource: type, fields: dict):
    """The statement for (id, digest of what it shows) of every object that is not backdrop."""
    table = resource.model.__table__
    rows = (
        select(table.c.id.label("own"), *shapes.labelled(fields))
        .select_from(resource.detail_source())
        .where(table.c.slug.not_like("backdrop%"))
        .subquery("shown")
    )
    return select(rows.c.own, func.md5(cast(func.row_to_json(literal_column("shown")), Text)))


class Statements:
    """The statements, made once of what the API declares for each kind."""

    def __init__(self, registry):
        resources = {kind: registry["comicsdb_api.reads"][f"api.{kind}"].resource for kind in OWNERS}
        self.details = {kind: _digests(each, each.detail_fields()) for kind, each in resources.items()}
        self.rows = {}
        for kind in ORDERED:
            order = {f"order {n}": column for n, column in enumerate(resources[kind].order())}
            self.rows[kind] = _digests(resources[kind], resources[kind].row_fields() | order)


class Bodies:
    """One reading: a digest of all that is shown of each object, and of all rows of each kind.

    `shown` has ("detail", kind, id) → digest and ("below", kind, id) → rows of the list below the object.
    """

    def __init__(self, session: Session, statements: Statements):
        def read(statement) -> dict[int, str]:
            return dict(session.execute(statement, {"base": "", "media": ""}).all())

        details = {kind: read(statement) for kind, statement in statements.details.items()}
        self.lists = details | {kind: read(statement) for kind, statement in statements.rows.items()}
        self.shown: dict[Slot, object] = {
            ("detail", kind, each): digest
            for kind, found in details.items()
            for each, digest in found.items()
        }
        below = defaultdict(list)
        for kind, parent, listed, each in session.execute(text(_LISTED)).all():
            if each in self.lists[listed]:
                below["below", kind, parent].append((each, self.lists[listed][each]))
        self.shown |= below

    def changed(self, before: "Bodies") -> tuple[set[Slot], set[str]]:
        """What is not as it was in an earlier reading, and the kinds whose lists are not."""
        both = self.shown.keys() | before.shown.keys()
        slots = {slot for slot in both if self.shown.get(slot) != before.shown.get(slot)}
        return slots, {kind for kind in self.lists if self.lists[kind] != before.lists[kind]}
