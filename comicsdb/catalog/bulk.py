"""Rows that came by the thousand: what an import must tell the catalogue."""

from sqlalchemy.orm import Session

from comicsdb.catalog import propagation
from comicsdb.catalog.unit import Unit


def record_import(
    session: Session,
    created: dict[str, set[int]],
    updated: dict[str, set[int]],
    actor_id: int | None = None,
) -> None:
    """Record rows that an import stored, as {kind: ids}; call it once, last thing before the commit.

    Created rows keep the stamps the set gave them. An updated row shows something new, so its `modified`
    moves, and so does that of all that may show it: which fields differ is not asked. Rows that were there
    before and are now linked to new ones are touched as if the link had been made by hand.
    """
    unit = Unit.of(session)
    unit.actor_id = actor_id
    for kind, ids in created.items():
        unit.imported(kind, ids, "create")
    for kind, ids in updated.items():
        unit.wrote(kind, ids)
        for event in propagation.FIELD_EVENTS.get(kind, ()):
            unit.happened(event, ids)
    written = {kind: created.get(kind, set()) | updated.get(kind, set()) for kind in ("issue", "series")}
    neighbours = propagation.resolve(
        session,
        {
            "issue.deleted": written["issue"],  # the same rows as when the issues went
            "issue.place": written["issue"],
            "series.label": written["series"],
        },
    )
    for kind, ids in neighbours.items():
        there_before = ids - created.get(kind, set())
        unit.known.touched[kind] |= there_before
        if kind in propagation.ISSUE_LISTS:
            unit.known.listing[kind] |= there_before
    unit.settle()
