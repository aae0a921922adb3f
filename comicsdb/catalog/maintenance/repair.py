"""Repairs of many issues: copying credits, adding a universe, and correcting old anthologies."""

from collections.abc import Iterable

from sqlalchemy import select, text

from comicsdb.catalog.copying import copyable_credits
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.issue_parts import lock_issues
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.parts import credits_of
from comicsdb.catalog.service import Catalog
from comicsdb.i18n import _
from comicsdb.models import Issue, Role, Universe

# Roles in old anthologies: if a creator has all of the first, the second replaces them.
ANTHOLOGY_ROLES = (({"Writer"}, "Story"), ({"Penciller", "Inker"}, "Artist"))


def copy_credits(catalog: Catalog, source: Issue, targets: Iterable[Issue]) -> dict[int, int]:
    """Copy the credits of an issue to others; returns the number of new credits by issue id.

    Creators who already have a credit keep it unchanged. Cover-only credits are not copied, as they may
    belong to a variant. Raises InvalidError if the issue is among the targets.
    """
    wanted, _covers = copyable_credits(catalog.session, source.id)
    copied = {}
    for target in targets:
        if target.id == source.id:
            raise InvalidError({"to": [_("An issue cannot copy its own credits: choose other issues.")]})
        catalog.lock(target)
        present = credits_of(catalog.session, target.id)
        added = [credit for credit in wanted if credit["creator"] not in present]
        if added:
            kept = [{"creator": each, "roles": sorted(roles)} for each, roles in present.items()]
            catalog.update(target, {"credits": [*kept, *added]})
        copied[target.id] = len(added)
    return copied


def add_universe(
    catalog: Catalog, ids: Iterable[int], universe: int, *, characters: bool = False
) -> dict[str, int]:
    """Add a universe to issues and, on request, to the characters in them.

    Returns the number of objects of each kind that it was added to. Raises NotFoundError, GoneError or
    MovedError.
    """
    session = catalog.session
    catalog.get_for_update(Universe, universe)
    lock_issues(session, ids)
    wanted = {"issue": "SELECT unnest(CAST(:issues AS integer[]))"}
    if characters:
        wanted["character"] = "SELECT character_id FROM issue_character WHERE issue_id = ANY(:issues)"
    added = {}
    for kind, chosen in wanted.items():
        (link,) = (each for each in KINDS[kind].links if each.target is Universe)
        values = {
            "universe": universe,
            "issues": list(ids),
            "editor": catalog.editor_id,
        }
        found = session.scalars(
            text(
                f"WITH added AS (INSERT INTO {link.table.name} ({link.own}, {link.other})"
                f" SELECT id, :universe FROM {kind} WHERE id IN ({chosen})"
                f" ON CONFLICT DO NOTHING RETURNING {link.own} AS id)"
                f" UPDATE {kind} t SET edited_by_id = :editor FROM added WHERE t.id = added.id RETURNING t.id"
            ),
            values,
        )
        added[kind] = set(found)
        if added[kind]:
            catalog.unit.record_saved(kind, added[kind])
            catalog.unit.record_link_change(kind, link, added[kind], {universe})
    if added["issue"]:
        of_these = select(Issue.series_id).where(Issue.id.in_(added["issue"])).distinct()
        catalog.unit.record_event("series.issues", set(session.scalars(of_these)))
    catalog.unit.propagate()
    session.expire_all()
    return {kind: len(each) for kind, each in added.items()}


def repair_anthology(
    catalog: Catalog, ids: Iterable[int], *, roles: bool = False, descriptions: bool = False
) -> dict[str, int]:
    """Correct the roles of credits in issues of an old anthology, and clear the issues' descriptions.

    Writers get the role Story; creators who pencilled and inked become artists. Returns the number of issues
    with each type of change.
    """
    session = catalog.session
    by_name = {name: number for number, name in session.execute(select(Role.id, Role.name))}
    catalog.unit.acquire_write_lock()
    lock_issues(session, ids)
    found = {"credits": 0, "descriptions": 0}
    issues = session.scalars(select(Issue).where(Issue.id.in_(ids)).order_by(Issue.id)).all()
    for issue in issues:
        values = {}
        if roles:
            before = credits_of(session, issue.id)
            after = {creator: _anthology_roles(by_name, own) for creator, own in before.items()}
            if after != before:
                values["credits"] = [{"creator": each, "roles": sorted(own)} for each, own in after.items()]
        if descriptions and issue.desc:
            values["desc"] = ""
        if values:
            catalog.update(issue, values)
            found["credits"] += "credits" in values
            found["descriptions"] += "desc" in values
    return found


def _anthology_roles(ids: dict[str, int], own: set[int]) -> set[int]:
    for names, better in ANTHOLOGY_ROLES:
        replaced = {ids.get(name) for name in names}
        if replaced <= own and better in ids:
            own = own - replaced | {ids[better]}
    return own
