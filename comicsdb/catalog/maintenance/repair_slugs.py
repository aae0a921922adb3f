"""Rebuilding slugs after a series had a wrong first year."""

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from comicsdb.catalog import slugs
from comicsdb.catalog.service import Catalog
from comicsdb.models import Issue, Series
from comicsdb.models.base import SYSTEM_USER_ID

PREFIX = 200  # characters of the common prefix of a series' issues


def fix_start_year(catalog: Catalog, series: Series, year: int) -> dict[str, tuple[str, str]]:
    """Set the first year of a series, and rebuild its slug and those of its issues; old ones redirect.

    Returns the changed slugs as {"series 3": (old, new)}. Raises InvalidError or ConflictError.
    """
    catalog.update(series, {"year_began": year})
    base = slugs.base_slug("series", f"{series.name}-{year}", series.id)
    changed = _readdress(catalog, "series", {series.id: (series.slug, base)})
    return changed | rebuild_issue_slugs(catalog, series)


def rebuild_issue_slugs(catalog: Catalog, series: Series) -> dict[str, tuple[str, str]]:
    """Rebuild the slugs of the issues of a series; old ones redirect.

    Returns the changed slugs as {"issue 3": (old, new)}.
    """
    catalog.lock(series)
    rows = catalog.session.execute(
        select(Issue.id, Issue.slug, Issue.number).where(Issue.series_id == series.id).order_by(Issue.id)
    )
    wanted = {
        row.id: (row.slug, slugs.base_slug("issue", f"{series.slug}-{row.number}", row.id)) for row in rows
    }
    return _readdress(catalog, "issue", wanted)


def _readdress(catalog: Catalog, kind: str, wanted: dict[int, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Set new slugs of objects of a kind; `wanted` maps ids to (slug, base).

    An object may keep its slug or have a former one again. Present and former slugs of other objects are in
    use.
    """
    session, unit = catalog.session, catalog.unit
    owners = _owners(session, kind, {base[:PREFIX] for _slug, base in wanted.values()})
    changed = {}
    for each, (old, base) in wanted.items():
        taken = {slug for slug, owner in owners.items() if owner != each}
        new = next(slugs.free(kind, base, taken))
        owners[new] = each
        if new != old:
            changed[each] = (old, new)
    if not changed:
        return {}
    slugs.keep_former(session, kind, changed)
    session.execute(
        text(
            f"UPDATE {kind} t SET slug = made.slug, edited_by_id = :editor"
            " FROM unnest(CAST(:ids AS integer[]), CAST(:new AS varchar[])) AS made (id, slug)"
            " WHERE t.id = made.id"
        ),
        {
            "ids": list(changed),
            "new": [new for _old, new in changed.values()],
            "editor": catalog.actor_id or SYSTEM_USER_ID,
        },
    )
    unit.record_saved(kind, set(changed))
    if kind == "issue":
        series = session.scalars(select(Issue.series_id).where(Issue.id.in_(changed)).distinct())
        unit.record_event("series.issues", set(series))
    unit.propagate()
    session.expire_all()
    return {f"{kind} {each}": pair for each, pair in changed.items()}


def _owners(session: Session, kind: str, beginnings: set[str]) -> dict[str, int]:
    """The ids of objects by present or former slug, of slugs with one of the prefixes."""
    rows = session.execute(
        text(
            "WITH begun AS (SELECT unnest(CAST(:beginnings AS varchar[])) AS words)"
            " SELECT f.slug, f.object_id, 1 AS place FROM former_slug f, begun"
            " WHERE f.kind = :kind AND starts_with(f.slug, begun.words)"
            f" UNION SELECT t.slug, t.id, 2 FROM {kind} t, begun WHERE starts_with(t.slug, begun.words)"
            " ORDER BY place"
        ),
        {"kind": kind, "beginnings": sorted(beginnings)},
    )
    return {row.slug: row.object_id for row in rows}
